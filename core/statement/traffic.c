/* Traffic: what one rank sends and receives for one call of a statement. */
#include "core/statement/traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/vector.h"

struct wm_statement_part *wm_parts_add(struct wm_parts *list, struct wm_frame *f, int lane, int reduction, int peer)
{
    size_t variables = (size_t)f->s->variable_count;
    struct wm_statement_part *part;

    if (wm_vector_reserve(&list->parts, &list->capacity, list->count + 1, sizeof *list->parts) < 0 ||
        wm_vector_reserve(&list->values, &list->value_capacity, list->value_count + variables, sizeof *list->values) <
            0) {
        f->rc = wm_error_set(f->error, -WM_ENOMEM, "out of memory");
        return NULL;
    }
    part = &list->parts[list->count++];
    *part =
        (struct wm_statement_part){.peer = peer, .reduction = reduction, .count = 1, .variables = list->value_count};
    for (int v = 0; v < f->s->variable_count; v++)
        list->values[list->value_count++] = wm_frame_variable(f, v, lane);
    return part;
}

struct wm_frame wm_traffic_frame(const struct wm_traffic *x, const struct wm_bound bindings[], struct wm_error *error)
{
    return (struct wm_frame){.s = x->s, .bindings = bindings, .me = x->me, .ranks = x->ranks, .error = error};
}

struct listing {
    struct wm_traffic *x;
    int reduction;
};

/* Add a part of each lane, but those of a peer that is no rank. */
static void add_parts(struct wm_frame *f, struct wm_parts *list, int reduction, struct wm_values peers,
                      const struct wm_section sections[])
{
    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++) {
        int64_t peer = wm_value(peers, i).i;
        struct wm_statement_part *part = NULL;

        if (peer >= 0 && peer < f->ranks)
            part = wm_parts_add(list, f, i, reduction, (int)peer);
        if (part == NULL || sections == NULL)
            continue;
        part->section = sections[i];
        part->count = sections[i].count;
    }
}

struct wm_values wm_evaluate_receivers(struct wm_frame *f, const struct wm_reduction *r,
                                       union wm_scalar room[WM_VALUE_LANES])
{
    struct wm_values peers = wm_evaluate_values(f, r->receiver, room);

    for (int i = 0; i < peers.count; i++)
        if (peers.at[i].i < 0 || peers.at[i].i >= f->ranks)
            wm_frame_fault(f, r->receiver, "there is no rank %" PRId64 " to receive: ranks are 0 to %d", peers.at[i].i,
                           f->ranks - 1);
    return peers;
}

static void list_sends(struct wm_frame *f, void *with)
{
    struct listing *l = with;
    const struct wm_reduction *r = &f->s->reductions[l->reduction];
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values peers = wm_evaluate_receivers(f, r, room);
    struct wm_section sections[WM_VALUE_LANES];
    bool place = f->s->terms[r->data].kind == WM_TERM_PLACE;

    if (place)
        wm_evaluate_places(f, r->data, sections);
    add_parts(f, &l->x->sends, l->reduction, peers, place ? sections : NULL);
}

/* A sender that is no rank sends nothing, and needs no place. */
static void list_receives(struct wm_frame *f, void *with)
{
    struct listing *l = with;
    const struct wm_reduction *r = &f->s->reductions[l->reduction];
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values peers = wm_evaluate_values(f, r->sender, room);
    struct wm_section sections[WM_VALUE_LANES];

    if (wm_frame_lanes(f) == 1 && (peers.at[0].i < 0 || peers.at[0].i >= f->ranks))
        return;
    wm_evaluate_places(f, r->storage, sections);
    add_parts(f, &l->x->receives, l->reduction, peers, sections);
}

/* By peers; parts of one stay in their order. False: no memory. */
static bool parts_sort(struct wm_parts *list, int ranks)
{
    struct wm_statement_part *sorted;
    size_t *ends, i = 1; /* of the peers before */

    while (i < list->count && list->parts[i - 1].peer <= list->parts[i].peer)
        i++;
    if (i >= list->count)
        return true;
    ends = calloc((size_t)ranks + 1, sizeof *ends);
    sorted = malloc(list->capacity * sizeof *sorted);
    if (ends == NULL || sorted == NULL) {
        free(ends);
        free(sorted);
        return false;
    }
    for (i = 0; i < list->count; i++)
        ends[list->parts[i].peer + 1]++;
    for (int peer = 0; peer < ranks; peer++)
        ends[peer + 1] += ends[peer];
    for (i = 0; i < list->count; i++)
        sorted[ends[list->parts[i].peer]++] = list->parts[i];
    free(ends);
    free(list->parts);
    list->parts = sorted;
    return true;
}

uint64_t wm_part_hash(const struct wm_traffic *x, const struct wm_statement_part *part, bool received)
{
    const struct wm_parts *list = received ? &x->receives : &x->sends;
    uint32_t carried = x->s->terms[x->s->reductions[part->reduction].storage].variables;
    int sender = received ? part->peer : x->me, receiver = received ? x->me : part->peer;
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, (uint64_t)part->reduction << 32 | part->turn);

    hash = wm_hash_add(hash, (uint64_t)sender << 32 | (unsigned)receiver);
    hash = wm_hash_add(hash, part->count);
    for (int v = 0; v < x->s->variable_count; v++)
        if ((carried >> v & 1) != 0)
            hash = wm_hash_add(hash, list->values[part->variables + (size_t)v].u);
    return wm_hash_scatter(hash);
}

/* Put the parts of each peer together and number them; where receivers may know, add their hashes to *sum. 0 or
 * -WM_ENOMEM. */
static int settle(const struct wm_traffic *x, struct wm_parts *list, bool received, uint64_t *sum)
{
    if (!parts_sort(list, x->ranks))
        return -WM_ENOMEM;
    for (size_t i = 0; i < list->count; i++) {
        struct wm_statement_part *part = &list->parts[i];

        part->turn = i > 0 && part->peer == part[-1].peer ? part[-1].turn + 1 : 0;
        if (x->believes)
            *sum += wm_part_hash(x, part, received);
    }
    return 0;
}

int wm_traffic_new_requests(struct wm_traffic *x, const struct wm_statement *s, const struct wm_bound bindings[],
                            int me, int ranks, struct wm_error *error)
{
    struct wm_frame f;

    *x = (struct wm_traffic){.s = s, .me = me, .ranks = ranks};
    f = wm_traffic_frame(x, bindings, error);
    for (int r = 0; r < s->reduction_count && f.rc == 0; r++)
        wm_enumerate(&f, &s->reductions[r], WM_RECEIVES, list_receives, &(struct listing){x, r});
    if (f.rc == 0 && settle(x, &x->receives, true, NULL) < 0)
        f.rc = wm_error_set(error, -WM_ENOMEM, "out of memory");
    if (f.rc < 0)
        wm_traffic_release(x);
    return f.rc;
}

static void parts_release(struct wm_parts *list)
{
    free(list->parts);
    free(list->values);
    *list = (struct wm_parts){0};
}

/* List what this rank believes to receive. -WM_ENOMEM; a fault only means that it does not know. */
static int list_beliefs(struct wm_traffic *x, const struct wm_bound bindings[])
{
    struct wm_frame f = wm_traffic_frame(x, bindings, NULL);

    for (int r = 0; r < x->s->reduction_count && f.rc == 0; r++)
        wm_enumerate(&f, &x->s->reductions[r], WM_RECEIVES, list_receives, &(struct listing){x, r});
    x->believes = f.rc == 0;
    if (!x->believes)
        parts_release(&x->receives);
    return f.rc == -WM_ENOMEM ? f.rc : 0;
}

int wm_traffic_new(struct wm_traffic *x, const struct wm_statement *s, const struct wm_bound bindings[], int me,
                   int ranks, bool believes, struct wm_error *error)
{
    uint64_t sent = 0, received = 0;
    struct wm_frame f;
    int rc = 0;

    *x = (struct wm_traffic){.s = s, .me = me, .ranks = ranks};
    f = wm_traffic_frame(x, bindings, error);
    for (int r = 0; r < s->reduction_count && f.rc == 0; r++)
        wm_enumerate(&f, &s->reductions[r], WM_SENDS, list_sends, &(struct listing){x, r});
    if (f.rc == 0 && believes && (rc = list_beliefs(x, bindings)) < 0)
        f.rc = wm_error_set(error, rc, "out of memory");
    if (f.rc == 0 && (settle(x, &x->sends, false, &sent) < 0 || settle(x, &x->receives, true, &received) < 0))
        f.rc = wm_error_set(error, -WM_ENOMEM, "out of memory");
    if (f.rc < 0)
        wm_traffic_release(x);
    else
        x->balance = sent - received;
    return f.rc;
}

void wm_traffic_release(struct wm_traffic *x)
{
    parts_release(&x->sends);
    parts_release(&x->receives);
}
