/* Items, packed as they are evaluated: many at once, and each into the bucket of its receiver. */
#include <stdlib.h>
#include <string.h>
#include "core/statement/item.h"
#include "core/vector.h"

/* ---- buckets ---- */

static void end_run(struct wm_bucket *b)
{
    if (b->bytes > 0)
        memcpy(b->data + b->begin, &b->run, sizeof b->run);
}

static bool reserve(struct wm_frame *f, struct wm_bucket *b, size_t bytes)
{
    if (b->bytes + bytes > b->capacity && wm_vector_reserve(&b->data, &b->capacity, b->bytes + bytes, 1) < 0)
        f->rc = wm_error_set(f->error, -WM_ENOMEM, "out of memory");
    return f->rc == 0;
}

/* Room for an item in the bucket of a peer: where it begins. Its run is the last one, or a new one. */
static size_t add_item(struct wm_frame *f, struct wm_items *items, int peer, uint32_t reduction, size_t count,
                       size_t bytes)
{
    struct wm_bucket *b = &items->buckets[peer];

    if (b->bytes == 0 || b->run.reduction != reduction || b->run.count != count) {
        if (!reserve(f, b, sizeof b->run))
            return 0;
        if (b->bytes == 0)
            items->peers[items->peer_count++] = peer;
        end_run(b);
        b->begin = b->bytes;
        b->bytes += sizeof b->run;
        b->run = (struct wm_item_run){.count = count, .reduction = reduction};
    }
    if (!reserve(f, b, bytes))
        return 0;
    b->run.items++;
    b->bytes += bytes;
    return b->bytes - bytes;
}

/* ---- what is sent ---- */

struct packing {
    struct wm_items *items;
    int reduction;
};

/* Items of one element in all lanes. Places in buckets are known when all have grown. */
static void place_items(struct wm_frame *f, const struct packing *p, struct wm_values peers, char *places[])
{
    size_t bytes = wm_item_values_bytes(f->s, p->reduction, WM_SENDS) + f->s->reductions[p->reduction].element_bytes;
    size_t at[WM_VALUE_LANES];

    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++)
        at[i] = add_item(f, p->items, (int)wm_value(peers, i).i, (uint32_t)p->reduction, 1, bytes);
    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++)
        places[i] = p->items->buckets[wm_value(peers, i).i].data + at[i];
}

/* Returns the bytes of the values. */
static size_t write_values(const struct wm_frame *f, const struct packing *p, char *const places[])
{
    uint32_t carried = wm_item_variables(f->s, p->reduction, WM_SENDS);
    size_t bytes = 0;

    for (int v = 0; v < f->s->variable_count; v++) {
        bool varies = (f->varying >> v & 1) != 0;
        struct wm_values values = {varies ? f->columns[v] : &f->variables[v], varies ? f->lanes : 1};

        if ((carried >> v & 1) == 0)
            continue;
        wm_scalars_store(f->s->variables[v].number, places, bytes, values, wm_frame_lanes(f));
        bytes += wm_number_bytes(f->s->variables[v].number);
    }
    return bytes;
}

/* Numbers as they will be stored. */
static struct wm_values convert(struct wm_frame *f, const struct wm_reduction *r, struct wm_values values,
                                union wm_scalar room[])
{
    enum wm_number from = (enum wm_number)f->s->terms[r->data].number;
    char number[sizeof(union wm_scalar)], stored[sizeof(union wm_scalar)];

    if (from == r->number)
        return values;
    for (int i = 0; i < values.count && f->rc == 0; i++) {
        wm_scalar_store(from, number, values.at[i]);
        if (wm_numbers_pack(f, r, stored, from, number, 1) == 0)
            room[i] = wm_scalar_load(r->number, stored);
    }
    return (struct wm_values){room, values.count};
}

static void pack_numbers(struct wm_frame *f, const struct packing *p, struct wm_values peers)
{
    const struct wm_reduction *r = &f->s->reductions[p->reduction];
    union wm_scalar rooms[2][WM_VALUE_LANES];
    struct wm_values values = convert(f, r, wm_evaluate_values(f, r->data, rooms[0]), rooms[1]);
    char *places[WM_VALUE_LANES];
    size_t behind;

    place_items(f, p, peers, places);
    if (f->rc != 0)
        return;
    behind = write_values(f, p, places);
    wm_scalars_store(r->number, places, behind, values, wm_frame_lanes(f));
}

/* What stands in sections, one lane after another. */
static void pack_sections(struct wm_frame *f, const struct packing *p, struct wm_values peers)
{
    const struct wm_reduction *r = &f->s->reductions[p->reduction];
    size_t values = wm_item_values_bytes(f->s, p->reduction, WM_SENDS);
    struct wm_section sections[WM_VALUE_LANES];

    wm_evaluate_places(f, r->data, sections);
    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++) {
        int peer = (int)wm_value(peers, i).i;
        size_t count = sections[i].count;
        size_t at = add_item(f, p->items, peer, (uint32_t)p->reduction, count, values + count * r->element_bytes);
        char *place = p->items->buckets[peer].data + at;

        if (f->rc != 0)
            return;
        wm_item_write_values(f, i, p->reduction, WM_SENDS, place);
        wm_section_pack(f, r, &sections[i], place + values);
    }
}

static void pack(struct wm_frame *f, void *with)
{
    const struct packing *p = with;
    const struct wm_reduction *r = &f->s->reductions[p->reduction];
    const struct wm_term *data = &f->s->terms[r->data];
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values peers = wm_evaluate_receivers(f, r, room);

    if (r->number == WM_BYTES || (data->kind == WM_TERM_PLACE && !data->single))
        pack_sections(f, p, peers);
    else
        pack_numbers(f, p, peers);
}

static int clear(struct wm_items *items, int ranks)
{
    if (items->buckets == NULL) {
        items->ranks = ranks;
        items->buckets = calloc((size_t)ranks, sizeof *items->buckets);
        items->peers = malloc((size_t)ranks * sizeof *items->peers);
    }
    for (int i = 0; i < items->peer_count; i++)
        items->buckets[items->peers[i]].bytes = 0;
    items->peer_count = 0;
    return items->buckets == NULL || items->peers == NULL ? -WM_ENOMEM : 0;
}

int wm_items_pack(struct wm_items *items, const struct wm_traffic *x, const struct wm_bound bindings[],
                  struct wm_error *error)
{
    struct wm_frame f = wm_traffic_frame(x, bindings, error);

    if (clear(items, x->ranks) < 0)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    for (int r = 0; r < x->s->reduction_count && f.rc == 0; r++)
        wm_enumerate(&f, &x->s->reductions[r], WM_SENDS, pack, &(struct packing){items, r});
    for (int i = 0; i < items->peer_count; i++)
        end_run(&items->buckets[items->peers[i]]);
    return f.rc;
}

void wm_items_release(struct wm_items *items)
{
    for (int i = 0; items->buckets != NULL && i < items->ranks; i++)
        free(items->buckets[i].data);
    free(items->buckets);
    free(items->peers);
    *items = (struct wm_items){0};
}
