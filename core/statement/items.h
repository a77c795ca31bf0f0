/* Items: the messages of a rank as they travel to ends that do not know of them.
 *
 * Those to one peer stand one behind the other, in **runs** of one reduction, and of as many elements each: a head, and
 * for each item the values of the variables that the other end needs, in their types, and then its data. A sender's
 * items have data; a receiver's are requests, which have none. */
#ifndef WM_ITEMS_H
#define WM_ITEMS_H

#include "core/statement/traffic.h"

/* The head of a run. */
struct wm_item_run {
    uint64_t count; /* elements of an item */
    uint32_t reduction, items;
};

/* What goes to one peer. */
struct wm_bucket {
    char *data;
    size_t bytes, capacity;
    size_t begin;           /* of the last run; where that is `bytes`, the next item begins one */
    struct wm_item_run run; /* its head, which is written when the run is over */
};

/* Of all peers; zeroed before it is first used, kept from call to call. */
struct wm_items {
    int ranks, peer_count;
    struct wm_bucket *buckets; /* by rank */
    int *peers;                /* to whom there are items */
};

/* Evaluate what rank x->me sends, and pack it. 0, -WM_ENOMEM, -WM_EINVAL: a fault of an expression, or a number that
 * the storage's type has not. */
int wm_items_pack(struct wm_items *items, const struct wm_traffic *x, const struct wm_bound bindings[],
                  struct wm_error *error);
void wm_items_release(struct wm_items *items);

/* Listed parts of one peer as items, without data: their bytes, and what they are, which returns the bytes, too. */
size_t wm_items_bytes(const struct wm_traffic *x, const struct wm_statement_part parts[], size_t count,
                      enum wm_side teller);
size_t wm_items_write(const struct wm_traffic *x, const struct wm_statement_part parts[], size_t count,
                      enum wm_side teller, void *to);

/* Add the parts at this end of the items that have come from `peer`. 0, -WM_ENOMEM, -WM_EINVAL: a fault, among them
 * another count of elements than a part has here. */
int wm_items_list(struct wm_traffic *x, const struct wm_bound bindings[], enum wm_side teller, int peer,
                  const void *from, size_t bytes, struct wm_error *error);
/* Store items whose parts are listed, the first of them as `part`. Returns the part behind the last one. */
size_t wm_items_store(const struct wm_traffic *x, const struct wm_bound bindings[], const void *from, size_t bytes,
                      size_t part);
/* Find the places of items, and store them there, without parts. Returns as wm_items_list. */
int wm_items_apply(struct wm_traffic *x, const struct wm_bound bindings[], int peer, const void *from, size_t bytes,
                   struct wm_error *error);

#endif
