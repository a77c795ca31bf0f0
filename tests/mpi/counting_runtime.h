/* A runtime for testing the doors, in place of core/runtime.c: it counts what passes, and carries it out by MPI.
 *
 * Calls of an operation are carried out from the call's fields and by its `native` in turn, so that both are
 * tested. While it carries out a call it makes a barrier of MPI_COMM_SELF by MPI's name, as an MPI library
 * might call its own functions: the doors must not let that one pass, so it is never counted. When it is
 * stopped, rank 0 prints the counts, summed over all ranks. */
#ifndef WM_TESTS_COUNTING_RUNTIME_H
#define WM_TESTS_COUNTING_RUNTIME_H

#include <stdbool.h>
#include "core/operation.h"

#define COUNTING_RUNTIME_EXPORT __attribute__((visibility("default")))

/* Whether wm_runtime_start was called, and wm_runtime_stop not yet. */
COUNTING_RUNTIME_EXPORT bool counting_runtime_awake(void);

/* This process's calls of an operation that passed, and those among them with a buffer that is MPI_IN_PLACE.
 */
COUNTING_RUNTIME_EXPORT long counting_runtime_passed(enum wm_operation operation);
COUNTING_RUNTIME_EXPORT long counting_runtime_in_place(enum wm_operation operation);

/* How often this process told the runtime that a communicator was made, and that one was going. */
COUNTING_RUNTIME_EXPORT long counting_runtime_made(void);
COUNTING_RUNTIME_EXPORT long counting_runtime_going(void);

#endif
