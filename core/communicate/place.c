/* Where a deal's data stands: what can be sent from its place, or received to it. */
#include "core/communicate/collective.h"
#include "core/data/allocate.h"

bool wm_bindings_overlap(const struct wm_bound *a, const struct wm_bound *b)
{
    return (const char *)a->at < wm_binding_end(b) && (const char *)b->at < wm_binding_end(a);
}

/* No place that is read is stored into, and none by two names: elements of one binding as the lists have them, two
 * bindings as a whole. */
static bool is_disjoint(const struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_statement *s = d->s;

    for (int i = 0; i < s->binding_count; i++)
        for (int w = 0; ((s->reading | s->writing) >> i & 1) != 0 && w < s->binding_count; w++)
            if ((s->writing >> w & 1) != 0 &&
                (i == w ? (d->met >> i & 1) != 0 : wm_bindings_overlap(&bindings[i], &bindings[w])))
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

static void bind(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    if (d->at == NULL)
        d->at = wm_allocate(sizeof *d->at * (size_t)(d->form->count + 1), "a statement");
    for (int i = 0; i < d->form->count; i++)
        d->at[i] = bindings[i].at;
    d->guarded = 0;
    d->disjoint = is_disjoint(d, bindings);
    place_loads(d, &d->sends, bindings, false);
    place_loads(d, &d->receives, bindings, true);
    if (wm_deal_is_operation(d))
        wm_collective_place(t, d, bindings);
}

/* A call whose values are the same may repeat this one. */
static bool can_repeat(const struct wm_talk *t, const struct wm_deal *d)
{
    if (d->form->asks || d->traced)
        return false;
    return d->collective.operation != WM_OPERATION_COUNT
               ? wm_deal_is_operation(d) && d->blocks.call.comm != NULL && !d->blocks.packs
               : t->record == NULL &&
                     (d->knowledge == WM_KNOWLEDGE_GLOBAL || d->knowledge == WM_KNOWLEDGE_CORRESPONDING);
}

void wm_deal_bind(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[], bool blocking)
{
    bool bound = wm_deal_is_bound(d, bindings), as_operation = blocking && wm_deal_is_operation(d);

    if (d->collective.operation != WM_OPERATION_COUNT && !as_operation && d->sends.loads == NULL) {
        wm_deal_make_loads(d, bindings);
        bound = false;
    }
    if (!bound)
        bind(t, d, bindings);
    if (blocking && can_repeat(t, d))
        wm_deal_set_guards(d, bindings);
}
