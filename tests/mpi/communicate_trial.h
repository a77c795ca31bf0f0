/* A random statement, called over MPI again and again, as its world changes. */
#ifndef WM_TESTS_COMMUNICATE_TRIAL_H
#define WM_TESTS_COMMUNICATE_TRIAL_H

#include "core/statement/statement.h"
#include "tests/core/statement/oracle.h"
#include "tests/mpi/communicate_kinds.h"

enum { CALLS_MAX = 2 }; /* of a trial, between two changes */

struct trial {
    MPI_Comm comm;
    int rank;
    struct fuzz_random random, own; /* the same at all ranks; this rank's */
    struct statement s;
    struct fuzz_text text;
    struct oracle oracle;
    struct wm_statement *compiled;
    bool exact;                  /* reals are such that the order of their sums and products is none of the result */
    bool by_value;               /* what is stored may be -0 for 0 */
    bool known;                  /* both ends know of all messages */
    struct memory world, wanted; /* before a call, and after it, of all ranks */
    struct memory places[CALLS_MAX]; /* this rank's own, where calls read and store */
    size_t place_bytes[CALLS_MAX][THINGS_MAX];
    struct wm_statement_site *site; /* lasts as long as the communicator; or the scope's */
    struct wm_scope *scope;
    bool learned[CALLS_MAX], blocking[CALLS_MAX];
};

/* Make a statement of a seed; `name` names it in the library's sentences. False: it cannot be called. The same at all
 * ranks. */
bool trial_new(struct trial *t, MPI_Comm comm, uint64_t name, uint64_t seed);
void trial_end(struct trial *t);
void trial_release(struct trial *t);

/* Change the world before the next call, and tell what has to be told. False: it cannot be called any more. */
bool trial_change(struct trial *t);
/* Call the statement, from places of their own; it is begun, if there is a request. */
void trial_call(struct trial *t, int call, struct kinds *kinds, MPI_Request *request);
/* The call is over: NULL, or what is wrong in this rank's memory. */
const char *trial_compare(struct trial *t, int call, struct kinds *kinds);
/* After all calls: what they have stored is in the world. */
void trial_store(struct trial *t);

/* List what this memory makes of the statement, whose promises it keeps. False: it cannot be called. Then *changed has
 * the things, a bit each, that had to be made the same at all ranks. */
bool trial_list(struct trial *t, struct memory *memory, uint64_t *changed);
/* Fill a thing at these ranks. */
void trial_fill(struct trial *t, struct memory *memory, int thing, unsigned ranks);

#endif
