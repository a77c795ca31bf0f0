/* Ranges of elements, and where they meet. */
#include "core/statement/places.h"

#include <stdlib.h>
#include "core/vector.h"

int wm_places_add(struct wm_places *places, const struct wm_section *section, size_t message)
{
    struct wm_run_walk runs = wm_section_runs(section);
    size_t begin;

    while (wm_run_walk_next(&runs, &begin)) {
        if (places->count == WM_PLACES_MAX)
            return -WM_EINVAL;
        if (wm_vector_reserve(&places->list, &places->capacity, places->count + 1, sizeof *places->list) < 0)
            return -WM_ENOMEM;
        places->list[places->count++] = (struct wm_place_range){section->binding, begin, begin + runs.length, message};
    }
    return 0;
}

static int by_begin(const void *a, const void *b)
{
    const struct wm_place_range *x = a, *y = b;

    if (x->binding != y->binding)
        return (x->binding > y->binding) - (x->binding < y->binding);
    if (x->begin != y->begin)
        return (x->begin > y->begin) - (x->begin < y->begin);
    return (x->message > y->message) - (x->message < y->message);
}

void wm_places_sort(struct wm_places *places)
{
    if (places->count > 1)
        qsort(places->list, places->count, sizeof *places->list, by_begin);
}

static bool is_used(const struct wm_traffic *x, const struct wm_statement_part *part, enum wm_use use)
{
    const struct wm_reduction *r = &x->s->reductions[part->reduction];

    return use == WM_USE_READ ? x->s->terms[r->data].kind == WM_TERM_PLACE
                              : use == WM_USE_WRITTEN || r->combiner == WM_OPERATOR_STORE;
}

int wm_places_of(struct wm_places *places, const struct wm_traffic *x, enum wm_use use, uint64_t bindings)
{
    const struct wm_parts *parts = use == WM_USE_READ ? &x->sends : &x->receives;
    int rc = 0;

    for (size_t i = 0; i < parts->count && rc == 0; i++)
        if (is_used(x, &parts->parts[i], use) && (bindings >> parts->parts[i].section.binding & 1) != 0)
            rc = wm_places_add(places, &parts->parts[i].section, i);
    wm_places_sort(places);
    return rc;
}

bool wm_places_twice(const struct wm_places *places, struct wm_place_range *first, struct wm_place_range *second,
                     size_t *element)
{
    const struct wm_place_range *far = places->list; /* reaches farthest of those before */

    for (size_t i = 1; i < places->count; i++) {
        const struct wm_place_range *range = &places->list[i];

        if (range->binding == far->binding && range->begin < far->end) {
            *first = *far;
            *second = *range;
            *element = range->begin;
            return true;
        }
        if (range->binding != far->binding || range->end > far->end)
            far = range;
    }
    return false;
}

bool wm_places_meet(const struct wm_places *a, const struct wm_places *b, int *binding, size_t *element)
{
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct wm_place_range *x = &a->list[i], *y = &b->list[j];

        if (x->binding >= *binding && x->binding == y->binding && x->begin < y->end && y->begin < x->end) {
            *binding = x->binding;
            *element = x->begin > y->begin ? x->begin : y->begin;
            return true;
        }
        if (x->binding < y->binding || (x->binding == y->binding && x->end <= y->end))
            i++;
        else
            j++;
    }
    return false;
}

void wm_places_release(struct wm_places *places)
{
    free(places->list);
    *places = (struct wm_places){0};
}

bool wm_traffic_stores_twice(const struct wm_traffic *x)
{
    struct wm_places places = {0};
    struct wm_place_range first, second;
    size_t element;
    bool twice =
        wm_places_of(&places, x, WM_USE_WRITTEN, UINT64_MAX) < 0 || wm_places_twice(&places, &first, &second, &element);

    wm_places_release(&places);
    return twice;
}

uint64_t wm_traffic_met(const struct wm_traffic *x)
{
    const struct wm_statement *s = x->s;
    uint64_t met = 0, maybe = 0;
    struct wm_places read = {0}, written = {0};
    size_t element;
    int rc;

    for (int i = 0; i < s->reduction_count; i++) {
        const struct wm_term *data = &s->terms[s->reductions[i].data];

        if (data->kind == WM_TERM_PLACE)
            maybe |= UINT64_C(1) << data->index;
        else
            met |= data->bindings;
    }
    met &= s->writing;
    maybe &= s->writing & ~met;
    if (maybe == 0)
        return met;
    if ((rc = wm_places_of(&read, x, WM_USE_READ, maybe)) == 0)
        rc = wm_places_of(&written, x, WM_USE_WRITTEN, maybe);
    for (int b = 0; rc == 0 && wm_places_meet(&read, &written, &b, &element); b++)
        met |= UINT64_C(1) << b;
    wm_places_release(&read);
    wm_places_release(&written);
    return rc == 0 ? met : met | maybe;
}
