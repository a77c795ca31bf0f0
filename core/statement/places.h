/* Places: elements of a rank's bindings that messages read, or store into, as ranges; where they meet. */
#ifndef WM_STATEMENT_PLACES_H
#define WM_STATEMENT_PLACES_H

#include "core/statement/traffic.h"

enum { WM_PLACES_MAX = 1 << 24 }; /* ranges that are looked at */

struct wm_place_range {
    int binding;
    size_t begin, end; /* elements */
    size_t message;    /* as the caller numbers them */
};

struct wm_places {
    size_t count, capacity;
    struct wm_place_range *list;
};

/* 0, -WM_ENOMEM, or -WM_EINVAL: more than WM_PLACES_MAX. */
int wm_places_add(struct wm_places *places, const struct wm_section *section, size_t message);
void wm_places_sort(struct wm_places *places);

/* What is done with a place: what is assigned is written by `<<=`. */
enum wm_use { WM_USE_READ, WM_USE_WRITTEN, WM_USE_ASSIGNED };
/* Add the places of what the traffic sends or receives, with the parts' numbers, of these bindings (bits), and sort
 * them. Of data that is computed there are none. Returns as wm_places_add. */
int wm_places_of(struct wm_places *places, const struct wm_traffic *x, enum wm_use use, uint64_t bindings);

/* Of sorted places: two messages' ranges that meet, and the element where they do. */
bool wm_places_twice(const struct wm_places *places, struct wm_place_range *first, struct wm_place_range *second,
                     size_t *element);
/* Of two sorted lists: a range of each that meet, of bindings from `*binding` on, which is set to theirs. */
bool wm_places_meet(const struct wm_places *a, const struct wm_places *b, int *binding, size_t *element);
void wm_places_release(struct wm_places *places);

/* Two messages are stored into one place, or it would take too much to tell. */
bool wm_traffic_stores_twice(const struct wm_traffic *x);
/* Bindings of which the rank reads elements that it stores into, as bits. What is computed may read any of theirs. */
uint64_t wm_traffic_met(const struct wm_traffic *x);

#endif
