/* A runtime for testing the doors, in place of core/job/runtime.c: it counts what passes, and carries it out by MPI.
 *
 * Blocking calls of an operation are carried out from the call's fields, by its `native` and by the door in turn, so
 * that all three are tested; the others by `native`. Persistent requests are the library's, and remembered until they
 * are freed. While it carries out a call it makes a barrier of MPI_COMM_SELF by MPI's name, as an MPI library might
 * call its own functions: the doors must not let that one pass, so it is never counted. When it is stopped, rank 0
 * prints the counts, summed over all ranks. A door that calls what it should not ends the job. */
#ifndef WM_TESTS_COUNTING_RUNTIME_H
#define WM_TESTS_COUNTING_RUNTIME_H

#include <stdbool.h>
#include "waymark/operation.h"

#define COUNTING_RUNTIME_EXPORT __attribute__((visibility("default")))

/* The three ways in which a collective passes: wm_call_run, wm_call_begin, wm_call_init. */
enum counting_form { COUNTING_RUN, COUNTING_BEGIN, COUNTING_INIT, COUNTING_FORMS };

/* What is counted besides calls: wm_comm_made, wm_comm_going, wm_comm_coming; wm_request_start and wm_request_free of
 * remembered requests; persistent calls that bring an info. */
enum counting_event {
    COUNTING_MADE,
    COUNTING_GOING,
    COUNTING_COMING,
    COUNTING_NAMED,
    COUNTING_STARTED,
    COUNTING_FREED,
    COUNTING_INFORMED,
    COUNTING_EVENTS
};

/* Whether wm_runtime_start was called, and wm_runtime_stop not yet. */
COUNTING_RUNTIME_EXPORT bool counting_runtime_awake(void);

/* This process's calls of an operation that passed, and those among them with a buffer that is MPI_IN_PLACE.
 */
COUNTING_RUNTIME_EXPORT long counting_runtime_passed(enum wm_operation operation, enum counting_form form);
COUNTING_RUNTIME_EXPORT long counting_runtime_in_place(enum wm_operation operation, enum counting_form form);

/* How often this process told the runtime of something. */
COUNTING_RUNTIME_EXPORT long counting_runtime_events(enum counting_event event);

#endif
