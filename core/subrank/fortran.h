/* Fortran among subranks. Its doors are generated (core/pmpi/generate.scm) and call those of C; what they call where
 * C's door has other arguments is here, with those of Fortran: functions that a program gives, values of attributes,
 * texts. Handles are C's already. Each returns what the door of that name does. */
#ifndef WM_SUBRANK_FORTRAN_H
#define WM_SUBRANK_FORTRAN_H

#include "core/pmpi/fortran.h"
#include "core/subrank/functions.h"
#include "core/subrank/rank.h"

/* Every door of Fortran, under the name that gfortran gives it. */
extern const struct wm_rank_function wm_rank_fortran_doors[];

typedef void wm_rank_function_given(void);

int wm_fortran_comm_create_keyval(wm_rank_function_given *copy, wm_rank_function_given *delete_attr, int *keyval,
                                  MPI_Aint extra);
int wm_fortran_comm_set_attr(MPI_Comm comm, int keyval, MPI_Aint value);
int wm_fortran_comm_get_attr(MPI_Comm comm, int keyval, MPI_Aint *value, int *flag);
/* The same of MPI 1, where values are INTEGERs. */
int wm_fortran_keyval_create(wm_rank_function_given *copy, wm_rank_function_given *delete_attr, int *keyval, int extra);
int wm_fortran_attr_put(MPI_Comm comm, int keyval, int value);
int wm_fortran_attr_get(MPI_Comm comm, int keyval, int *value, int *flag);

int wm_fortran_comm_create_errhandler(wm_rank_function_given *function, MPI_Errhandler *errhandler);
/* The names of MPI 1, which mpi.h does not declare. */
int wm_fortran_errhandler_create(wm_rank_function_given *function, MPI_Errhandler *errhandler);
int wm_fortran_errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int wm_fortran_errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);

int wm_fortran_grequest_start(wm_rank_function_given *query, wm_rank_function_given *free_function,
                              wm_rank_function_given *cancel, MPI_Aint extra, MPI_Request *request);

/* MPI leaves what comes back in `buffer` open, but in mpi_f08. */
int wm_fortran_buffer_detach(void *buffer, int *size);
/* `name`: CHARACTER(chars). */
int wm_fortran_comm_get_name(MPI_Comm comm, char *name, int chars, int *length);

/* A status: MPI_STATUS_IGNORE becomes C's. */
/* What completion calls have found: C counts from 0. */
void wm_fortran_indices(MPI_Fint *indices, int count);

/* ---- for attributes: call what a program has given in Fortran (not in C), as C's functions are called ---- */

int wm_fortran_copy(enum wm_rank_language language, wm_rank_function_given *copy, MPI_Comm comm, int keyval,
                    void *extra, void *value, void **copied, int *flag);
int wm_fortran_delete(enum wm_rank_language language, wm_rank_function_given *delete_attr, MPI_Comm comm, int keyval,
                      void *value, void *extra);

#endif
