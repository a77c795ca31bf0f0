/* The roll: who is there, on which host, with which version of Waymark, and the sentence that is made of it. Pure. */
#ifndef WM_ROLL_H
#define WM_ROLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "core/path/grid.h"

enum { WM_ROLL_VERSION_CHARS = 64, WM_ROLL_TAKERS = 16 };

/* What a message of a roll call is (core/job/roll_call.h). */
enum wm_roll_kind { WM_ROLL_QUESTION = 1, WM_ROLL_ANSWER, WM_ROLL_VERDICT };

/* What a rank says of itself. The form is the same in all versions of Waymark: 256 bytes, text ended by NUL. */
struct wm_roll_entry {
    char magic[8]; /* "WMROLL1" */
    uint64_t build;
    uint8_t same; /* in a round: all that the sender has heard of agree with it */
    uint8_t round;
    uint8_t kind;    /* in a roll call */
    int32_t accused; /* in a verdict: the rank for which the sender no longer waits */
    char spare[104];
    char version[WM_ROLL_VERSION_CHARS]; /* "waymark 0.1.0", and how many subranks */
    char host[WM_HOST_CHARS];
};

/* Fill it with this library's version, the number of subranks in the process (0: it is a rank), and the digest of its
 * tables: settings, operations, wrappers and their parameters. Builds with other tables do not understand each other
 * even where the version is the same. */
void wm_roll_entry_fill(struct wm_roll_entry *entry, const char *host, int subranks);

/* An entry of ours, whole. */
bool wm_roll_entry_valid(const struct wm_roll_entry *entry);
bool wm_roll_entry_agrees(const struct wm_roll_entry *a, const struct wm_roll_entry *b);

/* Does the rank take the roll of a job of `ranks`? WM_ROLL_TAKERS do, spread over the job, or all. Rank 0 does. */
bool wm_roll_takes(int rank, int ranks);
/* Does rank `from` ask rank `to` when it calls the roll? Who takes the roll asks all, the others ask who takes it. */
bool wm_roll_asks(int from, int to, int ranks);

/* What is known of a job. */
struct wm_roll {
    const struct wm_roll_entry *entries; /* those that are not valid have not answered */
    const bool *reached;                 /* of those, by rank: a message has reached it; NULL: all are reached */
    int accused;                         /* a rank that another no longer waits for: missing in any case; -1: none */
    int ranks;
    const char *(*host_of)(int rank); /* the host of a rank that has not answered, or NULL; NULL: nobody knows any */
    double seconds;                   /* in which nothing was heard from them */
};

/* What is wrong with the job. Fills `error` with -WM_EMPI and the sentence; returns 0 when all that are reached have
 * answered, and all that have answered agree. */
int wm_roll_judge(const struct wm_roll *roll, struct wm_error *error);
/* Write who is not reached, as "ranks 2-3, 7 on h1". */
void wm_roll_unreached(const struct wm_roll *roll, char *out, size_t out_bytes);

#endif
