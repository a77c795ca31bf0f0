/* The library's side: a random statement's traffic, delivered in memory. */
#ifndef WM_TESTS_STATEMENT_DELIVER_H
#define WM_TESTS_STATEMENT_DELIVER_H

#include "core/statement/items.h"
#include "tests/core/statement/oracle.h"

struct delivery {
    const struct wm_statement *statement;
    int ranks;
    struct wm_bound bindings[RANKS_MAX][THINGS_MAX];
    struct wm_traffic traffic[RANKS_MAX];
    int rc[RANKS_MAX]; /* of wm_traffic_new */
};

void deliver_bind(struct delivery *d, const struct statement *s, const struct memory *m);
/* List what all ranks send, and believe to receive. */
void deliver_list(struct delivery *d, bool believes);
void deliver_release(struct delivery *d);

/* Deliver by what all ranks believe, who do so rightly. NULL, or what is wrong. */
const char *deliver_by_beliefs(struct delivery *d, struct fuzz_random *random);
/* Deliver by heads; errors have to be those of the oracle. */
const char *deliver_by_heads(struct delivery *d, const struct oracle *o);

#endif
