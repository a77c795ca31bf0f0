/* The roll: who is there, on which host, with which version of Waymark, and the sentence that is made of it. Pure. */
#ifndef WM_ROLL_H
#define WM_ROLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "core/path/grid.h"

enum { WM_ROLL_VERSION_CHARS = 64 };

/* What a rank says of itself. The form is the same in all versions of Waymark: 256 bytes, text ended by NUL. */
struct wm_roll_entry {
    char magic[8]; /* "WMROLL1" */
    uint64_t build;
    uint8_t same; /* in a round: all that the sender has heard of agree with it */
    uint8_t round;
    char spare[110];
    char version[WM_ROLL_VERSION_CHARS]; /* "waymark 0.1.0" */
    char host[WM_HOST_CHARS];
};

/* Fill it with this library's version, and the digest of its tables: settings, operations, wrappers and their
 * parameters. Builds with other tables do not understand each other even where the version is the same. */
void wm_roll_entry_fill(struct wm_roll_entry *entry, const char *host);

/* An entry of ours, whole. */
bool wm_roll_entry_valid(const struct wm_roll_entry *entry);
bool wm_roll_entry_agrees(const struct wm_roll_entry *a, const struct wm_roll_entry *b);

/* What is wrong with the job: `entries` of `ranks`, those that are not valid have not answered. `host_of` gives the
 * host of a rank that did not, or NULL. `seconds`: how long it was waited for. Fills `error` with -WM_EMPI and the
 * sentence; returns 0 when all are there and agree. */
int wm_roll_judge(const struct wm_roll_entry *entries, int ranks, const char *(*host_of)(int rank), double seconds,
                  struct wm_error *error);

#endif
