/* Modules of Open MPI that carry out its collectives. Which of them serves a communicator is decided when that is made;
 * the info key "ompi_comm_coll_preference" raises one above the others, as its priority does for a whole job. What the
 * module does not have (sm has no alltoall), and all of it where it stands aside (han does on one node), is served as
 * by default. Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_comm_select.c. */
#ifndef WM_BENCH_MODULE_H
#define WM_BENCH_MODULE_H

#include <mpi.h>
#include "core/error.h"

/* What the library chooses by itself. */
#define WM_BENCH_MODULE_DEFAULT "default"

/* Duplicate a communicator for a module, past the doors. Collective over `comm`. Returns 0; or, at all ranks,
 * -WM_EINVAL when this library has no such module, or cannot choose it, or -WM_ESYSTEM when no communicator came about,
 * each with a sentence, and *made is MPI_COMM_NULL. */
int wm_bench_module_dup(MPI_Comm comm, const char *name, MPI_Comm *made, struct wm_error *error);

#endif
