/* From Fortran's arguments to C's: constants with addresses of their own, arrays of handles, strings.
 *
 * INTEGER and C's int are the same here, and so are LOGICAL and int but for the value of .TRUE.; fortran.c
 * asserts what it can. Functions that allocate end the job with one sentence when memory runs out: a call
 * cannot go on at some ranks only. What they return is freed by free() unless said otherwise; an empty result
 * may be NULL. */
#ifndef WM_PMPI_FORTRAN_H
#define WM_PMPI_FORTRAN_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "waymark/runtime.h"

/* The functions that arguments are turned into C's by: the library's, or, in the host of subranks, theirs. */
#ifdef WM_FORTRAN_OF_SUBRANKS
#define FORTRAN_MPI(name) MPI_##name
#else
#define FORTRAN_MPI(name) PMPI_##name
#endif

/* Constants that are known by their addresses. */
#define WM_FORTRAN_CONSTANTS(X)                                                                                        \
    X(in_place, IN_PLACE)                                                                                              \
    X(bottom, BOTTOM)                                                                                                  \
    X(unweighted, UNWEIGHTED)                                                                                          \
    X(weights_empty, WEIGHTS_EMPTY)                                                                                    \
    X(errcodes_ignore, ERRCODES_IGNORE)                                                                                \
    X(argv_null, ARGV_NULL)                                                                                            \
    X(argvs_null, ARGVS_NULL)                                                                                          \
    X(status_ignore, STATUS_IGNORE)                                                                                    \
    X(statuses_ignore, STATUSES_IGNORE)
enum wm_fortran_constant {
#define CONSTANT(name, NAME) WM_FORTRAN_##NAME,
    WM_FORTRAN_CONSTANTS(CONSTANT)
#undef CONSTANT
        WM_FORTRAN_CONSTANT_COUNT
};
bool wm_fortran_is(const void *address, enum wm_fortran_constant constant);

/* A choice buffer: MPI_IN_PLACE and MPI_BOTTOM become C's, anything else stays. */
void *wm_fortran_buffer(const void *address);

/* Weights of a distributed graph: MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY become C's. */
const int *wm_fortran_weights(const MPI_Fint *weights);

/* Error codes of a spawn: MPI_ERRCODES_IGNORE becomes C's. */
int *wm_fortran_errcodes(MPI_Fint *codes);

/* How many ranks a rank of `comm` exchanges with: peers, the remote group's of an intercommunicator; in neighbour
 * collectives those that it sends to and receives from. 0 when there are none, or no such communicator or topology,
 * which MPI itself will complain of. Local. */
int wm_fortran_peers(MPI_Fint comm);
int wm_fortran_targets(MPI_Fint comm);
int wm_fortran_sources(MPI_Fint comm);

/* `count` datatypes; NULL when `buffer` is MPI_IN_PLACE, for then the types beside it are ignored and may be anything.
 */
MPI_Datatype *wm_fortran_types(const MPI_Fint *types, const void *buffer, int count);

/* The same in an array that is never freed, for a call that goes on after it has returned. Any thread.
 *
 * MPI lets a request refer to such arrays until it is complete, or freed if it is persistent, and Open MPI's does when
 * a type is not predefined; its own bindings free theirs at once, and then it reads freed memory. A door does not learn
 * when a request is complete, so equal arrays are kept once: they grow by what a program has of different ones. */
const MPI_Datatype *wm_fortran_types_kept(const MPI_Fint *types, const void *buffer, int count);

/* `count` requests; and the new values of them all, given back to Fortran, and `c_requests` freed. */
MPI_Request *wm_fortran_requests(const MPI_Fint *requests, int count);
void wm_fortran_requests_return(MPI_Fint *requests, MPI_Request *c_requests, int count);

/* A request of an array of Fortran's handles, for door_follows and door_waited (core/pmpi/door.h). */
MPI_Request wm_fortran_request_at(const void *requests, int index);

/* Statuses: Fortran's are C's, but for MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE, which become C's. */
MPI_Status *wm_fortran_status(MPI_Fint *status);
MPI_Status *wm_fortran_statuses(MPI_Fint *statuses);

/* `count` info handles; NULL for 0. */
MPI_Info *wm_fortran_infos(const MPI_Fint *infos, int count);

/* Whether this process has rank `root` in `comm`. Local. */
bool wm_fortran_is_root(MPI_Fint comm, MPI_Fint root);

/* A CHARACTER(chars) variable without its leading and trailing blanks, as MPI wants names of programs. */
char *wm_fortran_string(const char *text, int chars);

/* `count` strings of `chars` characters, one after the other, as one block; NULL for 0. */
char **wm_fortran_strings(const char *text, int count, int chars);

/* The strings before the first blank one, then a NULL pointer, as one block; NULL for MPI_ARGV_NULL. */
char **wm_fortran_argv(const char *text, int chars);

/* One such list for each of `count` commands: the rows of a CHARACTER(chars) array (count, *), which lies in
 * memory column after column. NULL for MPI_ARGVS_NULL or 0. Freed by wm_fortran_argvs_free. */
char ***wm_fortran_argvs(const char *text, int count, int chars);
void wm_fortran_argvs_free(char ***argvs, int count);

/* Hand over the error code; mpi_f08 programs may leave `ierror` out, and it is NULL then. */
static inline void wm_fortran_return(MPI_Fint *ierror, int rc)
{
    if (ierror != NULL)
        *ierror = rc;
}

#endif
