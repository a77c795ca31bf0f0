/* Items, packed as they are evaluated: many at once, and each into the bucket of its receiver. */
#include <stdlib.h>
#include <string.h>
#include "core/statement/item.h"
#include "core/vector.h"

/* ---- buckets ---- */

struct packing {
    struct wm_items *items;
    int reduction;
    size_t values_bytes; /* of an item */
};

/* Its head says how many items it has. */
static void end_run(struct wm_bucket *b)
{
    if (b->bytes > b->begin)
        memcpy(b->data + b->begin, &b->run, sizeof b->run);
}

/* The next item begins a run. */
static void end_runs(struct wm_items *items)
{
    for (int i = 0; i < items->peer_count; i++) {
        struct wm_bucket *b = &items->buckets[items->peers[i]];

        end_run(b);
        b->begin = b->bytes;
    }
}

static bool reserve(struct wm_frame *f, struct wm_bucket *b, size_t bytes)
{
    if (b->bytes + bytes > b->capacity && wm_vector_reserve(&b->data, &b->capacity, b->bytes + bytes, 1) < 0)
        f->rc = wm_error_set(f->error, -WM_ENOMEM, "out of memory");
    return f->rc == 0;
}

/* Room for an item in the bucket of a peer. Its run is the last one, or a new one. */
static char *add_item(struct wm_frame *f, const struct packing *p, int peer, size_t count)
{
    struct wm_items *items = p->items;
    struct wm_bucket *b = &items->buckets[peer];
    size_t bytes = p->values_bytes + count * f->s->reductions[p->reduction].element_bytes;

    if (!reserve(f, b, bytes + sizeof b->run))
        return NULL;
    if (b->bytes == b->begin || b->run.count != count) {
        if (b->bytes == 0)
            items->peers[items->peer_count++] = peer;
        end_run(b);
        b->begin = b->bytes;
        b->bytes += sizeof b->run;
        b->run = (struct wm_item_run){.count = count, .reduction = (uint32_t)p->reduction};
    }
    b->run.items++;
    b->bytes += bytes;
    return b->data + b->bytes - bytes;
}

/* ---- what is sent ---- */

/* The bucket of lane `lane` moves as it grows: so do the items of other lanes in it. */
static char *grow(struct wm_frame *f, const struct packing *p, struct wm_values peers, int lane, char *places[])
{
    int peer = (int)wm_value(peers, lane).i;
    struct wm_bucket *b = &p->items->buckets[peer];
    char *was = b->data, *place = add_item(f, p, peer, 1);

    for (int i = 0; place != NULL && b->data != was && i < lane; i++)
        if (wm_value(peers, i).i == peer)
            places[i] = b->data + (places[i] - was);
    return place;
}

/* Items of one element in all lanes. */
static void place_items(struct wm_frame *f, const struct packing *p, struct wm_values peers, char *places[])
{
    size_t bytes = p->values_bytes + f->s->reductions[p->reduction].element_bytes;

    for (int i = 0, lanes = wm_frame_lanes(f); i < lanes; i++) {
        struct wm_bucket *b = &p->items->buckets[wm_value(peers, i).i];

        if (b->bytes > b->begin && b->bytes + bytes <= b->capacity) {
            places[i] = b->data + b->bytes;
            b->bytes += bytes;
            b->run.items++;
        } else if ((places[i] = grow(f, p, peers, i, places)) == NULL) {
            return;
        }
    }
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

    if (f->rc == 0)
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
    struct wm_section sections[WM_VALUE_LANES];
    char *place;

    wm_evaluate_places(f, r->data, sections);
    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++) {
        if ((place = add_item(f, p, (int)wm_value(peers, i).i, sections[i].count)) == NULL)
            return;
        wm_item_write_values(f, i, p->reduction, WM_SENDS, place);
        wm_section_pack(f, r, &sections[i], place + p->values_bytes);
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
        items->buckets[items->peers[i]].bytes = items->buckets[items->peers[i]].begin = 0;
    items->peer_count = 0;
    return items->buckets == NULL || items->peers == NULL ? -WM_ENOMEM : 0;
}

int wm_items_pack(struct wm_items *items, const struct wm_traffic *x, const struct wm_bound bindings[],
                  struct wm_error *error)
{
    struct wm_frame f = wm_traffic_frame(x, bindings, error);

    if (clear(items, x->ranks) < 0)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    for (int r = 0; r < x->s->reduction_count && f.rc == 0; r++) {
        wm_enumerate(&f, &x->s->reductions[r], WM_SENDS, pack,
                     &(struct packing){items, r, wm_item_values_bytes(x->s, r, WM_SENDS)});
        end_runs(items);
    }
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
