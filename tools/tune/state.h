/* A state: what `waymark tune` was asked for, and what it has found out, as a file from which another launch goes on.
 */
#ifndef WM_TUNE_STATE_H
#define WM_TUNE_STATE_H

#include <jansson.h>
#include "core/error.h"
#include "tools/tune/field.h"

enum { WM_TUNE_LAUNCHES_MAX = 31, WM_TUNE_TEXT_CHARS = 512, WM_TUNE_FIELDS_MAX = 32 };

/* What a launch was; whole: it had its time, and held each rule. */
struct wm_tune_launch {
    bool whole;
    double seconds;
    int64_t batches;
    double barrier_low_ns, barrier_high_ns;
};

struct wm_tune_state {
    char output[WM_TUNE_TEXT_CHARS];   /* the map */
    char profile[WM_TUNE_TEXT_CHARS];  /* "": none */
    char trace[WM_TUNE_TEXT_CHARS];    /* that says what is tuned; "": none */
    char machine[WM_TUNE_TEXT_CHARS];  /* on which it was begun; "": not yet */
    char library[WM_TUNE_TEXT_CHARS];  /* the MPI library */
    char launcher[WM_TUNE_TEXT_CHARS]; /* "mpirun -n 2"; "": it stands around the command */
    double budget_s;
    uint64_t seed;
    int launch_count;
    struct wm_tune_launch launches[WM_TUNE_LAUNCHES_MAX];
    int count;
    struct wm_tune_field fields[WM_TUNE_FIELDS_MAX];
};

/* A state is some megabytes: allocate it. Read one. Returns 0 or -WM_E… with a sentence. */
int wm_tune_state_load(struct wm_tune_state *state, const char *file, struct wm_error *error);
int wm_tune_state_save(const struct wm_tune_state *state, const char *file, struct wm_error *error);

/* A rule is to hold in so many launches: in the one that raced, and in three others. */
enum { WM_TUNE_LAUNCHES = 4 };

/* In how many launches rules are to hold by now. */
int wm_tune_state_needed(const struct wm_tune_state *state);
/* Is all raced, and does each rule hold in enough launches? After two launches more those that do not are given up. */
bool wm_tune_state_done(const struct wm_tune_state *state);

#endif
