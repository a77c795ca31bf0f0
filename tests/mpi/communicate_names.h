/* What the names of a statement can be bound to in a program. */
#ifndef WM_TESTS_COMMUNICATE_NAMES_H
#define WM_TESTS_COMMUNICATE_NAMES_H

#include <mpi.h>

/* Statements over all kinds of bindings. Returns how many values are wrong at this rank. Collective. */
int names_check(MPI_Comm comm);

#endif
