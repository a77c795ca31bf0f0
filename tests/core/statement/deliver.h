/* The library's side: a random statement's messages, delivered in memory. */
#ifndef WM_TESTS_STATEMENT_DELIVER_H
#define WM_TESTS_STATEMENT_DELIVER_H

#include "core/statement/items.h"
#include "tests/core/statement/oracle.h"

/* How messages travel. */
enum way {
    BY_PARTS, /* both ends have listed them */
    BY_ITEMS, /* packed by senders; receivers list what comes, then they store it */
    AT_ONCE   /* …; receivers store it as they find its places */
};

/* What a rank sends another one, in a block of its size. */
struct letter {
    char *data;
    size_t bytes;
};

struct delivery {
    const struct wm_statement *statement;
    int ranks;
    struct wm_bound bindings[RANKS_MAX][THINGS_MAX];
    struct wm_traffic traffic[RANKS_MAX];
    int rc[RANKS_MAX]; /* of wm_traffic_new */
    struct wm_items items[RANKS_MAX];
    struct letter letters[RANKS_MAX][RANKS_MAX]; /* of each rank, to each */
};

void deliver_bind(struct delivery *d, const struct statement *s, const struct memory *m);
/* List what all ranks send, and believe to receive. */
void deliver_list(struct delivery *d);
/* List what all ranks ask for, tell it to those who send it, and list it there. NULL, or what is wrong. */
const char *deliver_requests(struct delivery *d);
/* Fold all lists. */
void deliver_fold(struct delivery *d);
void deliver_release(struct delivery *d);

/* Deliver what is listed; faults have to be those of the oracle. NULL, or what is wrong. By items, it is listed at its
 * receivers afterwards. */
const char *deliver(struct delivery *d, const struct oracle *o, enum way way, struct fuzz_random *random);

#endif
