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
/* Of sorted places: two messages' ranges that meet, and the element where they do. */
bool wm_places_twice(const struct wm_places *places, struct wm_place_range *first, struct wm_place_range *second,
                     size_t *element);
/* Of two sorted lists: a range of each that meet, of bindings from `*binding` on, which is set to theirs. */
bool wm_places_meet(const struct wm_places *a, const struct wm_places *b, int *binding, size_t *element);
void wm_places_release(struct wm_places *places);

#endif
