/* Where a deal's data stands: what can be sent from its place, or received to it. */
#include "core/communicate/collective.h"
#include "core/data/allocate.h"
#include "core/statement/places.h"

static void add_places(struct wm_places *places, const struct wm_traffic *x, bool received, uint64_t which, int *rc)
{
    const struct wm_parts *parts = received ? &x->receives : &x->sends;

    for (size_t i = 0; i < parts->count && *rc == 0; i++) {
        const struct wm_statement_part *part = &parts->parts[i];
        bool is_place = received || x->s->terms[x->s->reductions[part->reduction].data].kind == WM_TERM_PLACE;

        if (is_place && (which >> part->section.binding & 1) != 0)
            *rc = wm_places_add(places, &part->section, 0);
    }
    wm_places_sort(places);
}

uint64_t wm_traffic_find_met(const struct wm_traffic *x)
{
    const struct wm_statement *s = x->s;
    uint64_t met = 0, maybe = 0;
    struct wm_places read = {0}, written = {0};
    size_t element;
    int rc = 0;

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
    add_places(&read, x, false, maybe, &rc);
    add_places(&written, x, true, maybe, &rc);
    for (int b = 0; rc == 0 && wm_places_meet(&read, &written, &b, &element); b++)
        met |= UINT64_C(1) << b;
    wm_places_release(&read);
    wm_places_release(&written);
    return rc == 0 ? met : met | maybe;
}

static bool overlap(const struct wm_bound *a, const struct wm_bound *b)
{
    const char *one = a->at, *other = b->at;

    return one < other + wm_binding_count(b) * wm_binding_element_bytes(b) &&
           other < one + wm_binding_count(a) * wm_binding_element_bytes(a);
}

/* No place that is read is stored into, and none by two names: elements of one binding as the lists have them, two
 * bindings as a whole. */
static bool is_disjoint(const struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_statement *s = d->s;

    for (int i = 0; i < s->binding_count; i++)
        for (int w = 0; ((s->reading | s->writing) >> i & 1) != 0 && w < s->binding_count; w++)
            if ((s->writing >> w & 1) != 0 && (i == w ? (d->met >> i & 1) != 0 : overlap(&bindings[i], &bindings[w])))
                return false;
    return true;
}

static void place_loads(struct wm_deal *d, struct wm_loads *loads, const struct wm_bound bindings[], bool received)
{
    const struct wm_parts *parts = received ? &d->traffic.receives : &d->traffic.sends;

    for (int i = 0; i < loads->count; i++) {
        struct wm_load *load = &loads->loads[i];
        bool direct = d->disjoint && load->direct && i != loads->self;

        load->place = direct ? wm_part_place(&d->traffic, &parts->parts[load->first], bindings, received) : NULL;
    }
}

bool wm_deal_is_bound(const struct wm_deal *d, const struct wm_bound bindings[])
{
    if (d->at == NULL)
        return false;
    for (int i = 0; i < d->form->count; i++)
        if (d->at[i] != bindings[i].at)
            return false;
    return true;
}

void wm_deal_bind(struct wm_deal *d, const struct wm_bound bindings[], bool as_operation)
{
    bool bound = wm_deal_is_bound(d, bindings);

    if (d->collective.operation != WM_OPERATION_COUNT && !as_operation && d->sends.loads == NULL) {
        wm_deal_make_loads(d, bindings);
        bound = false;
    }
    if (bound)
        return;
    if (d->at == NULL)
        d->at = wm_allocate(sizeof *d->at * (size_t)(d->form->count + 1), "a statement");
    for (int i = 0; i < d->form->count; i++)
        d->at[i] = bindings[i].at;
    d->disjoint = is_disjoint(d, bindings);
    place_loads(d, &d->sends, bindings, false);
    place_loads(d, &d->receives, bindings, true);
    if (d->collective.operation != WM_OPERATION_COUNT)
        wm_collective_place(d, bindings);
}
