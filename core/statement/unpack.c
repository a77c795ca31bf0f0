/* Items that have come: listed, or stored at once. */
#include <inttypes.h>
#include <string.h>
#include "core/statement/item.h"

/* The items of a run that are not yet read. */
struct reading {
    struct wm_traffic *x;
    enum wm_side teller;
    bool stores;
    int peer;
    struct wm_item_run run;
    const char *at;
    size_t values_bytes, item_bytes;
};

static struct reading begin(struct wm_traffic *x, enum wm_side teller, const char *from)
{
    struct reading q = {.x = x, .teller = teller, .at = from + sizeof q.run};

    memcpy(&q.run, from, sizeof q.run);
    q.item_bytes = q.values_bytes = wm_item_values_bytes(x->s, (int)q.run.reduction, teller);
    if (teller == WM_SENDS)
        q.item_bytes += q.run.count * x->s->reductions[q.run.reduction].element_bytes;
    return q;
}

/* The parts at both ends are of one size. */
static void check_count(struct wm_frame *f, const struct reading *q, int term, size_t count)
{
    const struct wm_term *t = &f->s->terms[term];
    bool place = t->kind == WM_TERM_PLACE;

    if (count != q->run.count)
        wm_frame_fault(f, term, "rank %d %s %" PRIu64 " element%s, and %s%s%s has %zu here, at rank %d", q->peer,
                       q->teller == WM_SENDS ? "sends" : "asks for", q->run.count, q->run.count == 1 ? "" : "s",
                       place ? "'" : "", place ? f->bindings[t->index].name : "it", place ? "'" : "", count, f->me);
}

static void find_sections(struct wm_frame *f, const struct reading *q, int term, struct wm_section sections[])
{
    wm_evaluate_places(f, term, sections);
    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++)
        check_count(f, q, term, sections[i].count);
}

static void list_items(struct wm_frame *f, struct reading *q, int term)
{
    struct wm_parts *list = q->teller == WM_SENDS ? &q->x->receives : &q->x->sends;
    bool place = f->s->terms[term].kind == WM_TERM_PLACE;
    struct wm_section sections[WM_VALUE_LANES];
    struct wm_statement_part *part;

    if (place)
        find_sections(f, q, term, sections);
    else
        check_count(f, q, term, 1);
    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++) {
        if ((part = wm_parts_add(list, f, i, (int)q->run.reduction, q->peer)) == NULL)
            return;
        part->count = q->run.count;
        if (place)
            part->section = sections[i];
    }
}

static void store_items(struct wm_frame *f, const struct reading *q, int term)
{
    const struct wm_reduction *r = &f->s->reductions[q->run.reduction];
    const char *data = q->at + q->values_bytes;
    struct wm_section sections[WM_VALUE_LANES];
    size_t elements[WM_VALUE_LANES];

    if (f->s->terms[term].single) {
        wm_evaluate_elements(f, term, elements);
        if (f->rc == 0)
            wm_elements_store(f, r, elements, data, q->item_bytes);
        return;
    }
    find_sections(f, q, term, sections);
    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++)
        wm_section_store(r, f->bindings, &sections[i], data + (size_t)i * q->item_bytes);
}

/* Go on behind the items of all lanes, if there is no fault. */
static void take_items(struct wm_frame *f, void *with)
{
    struct reading *q = with;
    const struct wm_reduction *r = &f->s->reductions[q->run.reduction];

    if (q->stores)
        store_items(f, q, r->storage);
    else
        list_items(f, q, q->teller == WM_SENDS ? r->storage : r->data);
    if (f->rc == 0)
        q->at += (size_t)wm_frame_lanes(f) * q->item_bytes;
}

static void take_run(struct wm_frame *f, struct reading *q)
{
    union wm_scalar columns[WM_VARIABLES_MAX][WM_VALUE_LANES];
    uint32_t carried = wm_item_variables(f->s, (int)q->run.reduction, q->teller);

    for (uint32_t left = q->run.items; left > 0 && f->rc == 0;) {
        int lanes = left < WM_VALUE_LANES ? (int)left : WM_VALUE_LANES;
        const char *at = q->at;

        for (int v = 0; v < f->s->variable_count; v++)
            if ((carried >> v & 1) != 0) {
                wm_scalars_load(f->s->variables[v].number, at, q->item_bytes, lanes, columns[v]);
                at += wm_number_bytes(f->s->variables[v].number);
            }
        wm_frame_each(f, lanes, carried, columns, take_items, q);
        left -= (uint32_t)lanes;
    }
}

static int take(struct wm_traffic *x, const struct wm_bound bindings[], struct reading how, const char *from,
                size_t bytes, struct wm_error *error)
{
    struct wm_frame f = wm_traffic_frame(x, bindings, error);

    for (const char *at = from; at < from + bytes && f.rc == 0;) {
        struct reading q = begin(x, how.teller, at);

        q.peer = how.peer;
        q.stores = how.stores;
        at = q.at + q.run.items * q.item_bytes;
        take_run(&f, &q);
    }
    return f.rc;
}

int wm_items_list(struct wm_traffic *x, const struct wm_bound bindings[], enum wm_side teller, int peer,
                  const void *from, size_t bytes, struct wm_error *error)
{
    return take(x, bindings, (struct reading){.teller = teller, .peer = peer}, from, bytes, error);
}

int wm_items_apply(struct wm_traffic *x, const struct wm_bound bindings[], int peer, const void *from, size_t bytes,
                   struct wm_error *error)
{
    return take(x, bindings, (struct reading){.teller = WM_SENDS, .peer = peer, .stores = true}, from, bytes, error);
}

size_t wm_items_store(const struct wm_traffic *x, const struct wm_bound bindings[], const void *from, size_t bytes,
                      size_t part)
{
    for (const char *at = from; at < (const char *)from + bytes;) {
        struct reading q = begin((struct wm_traffic *)(uintptr_t)x, WM_SENDS, at);

        for (uint32_t i = 0; i < q.run.items; i++, part++, q.at += q.item_bytes)
            wm_part_store(x, &x->receives.parts[part], bindings, q.at + q.values_bytes);
        at = q.at;
    }
    return part;
}
