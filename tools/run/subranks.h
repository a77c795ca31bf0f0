/* Subranks of `waymark run`: how many, as the command line or the map says, and what the process becomes then. */
#ifndef WM_TOOLS_RUN_SUBRANKS_H
#define WM_TOOLS_RUN_SUBRANKS_H

#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"

struct wm_subranks_wish {
    int count;            /* 0: not said so far */
    int workers;          /* of each process; 0: not said so far */
    bool steals;          /* its workers do */
    uint64_t stack_bytes; /* 0: not said so far */
    bool hosted;          /* each process runs subranks: several, or one that was asked for under a map that delays
                             messages, so that those of one are held as those of several are */
};

/* Add what a map, a file or a name, says of the program where the wish says nothing. A map that speaks of no subranks
 * costs no map server. Returns 0 or -WM_E…, a fault of the map. */
int wm_subranks_wish_read(struct wm_subranks_wish *wish, const char *map, const char *program, struct wm_error *error);

/* The words of the host of subranks, before those of the program; the caller's. NULL: no memory. */
char **wm_subranks_wish_words(const struct wm_subranks_wish *wish, char *const *program, int count);

#endif
