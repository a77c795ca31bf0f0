/* A map on the machine of a trace. */
#include "tools/replay/stage.h"

#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/vector.h"

/* Events that the shapes of a stage carry out: whoever comes first, and then each its part of as many. */
static const uint64_t stage_events = 60000000;

static const struct wm_trace_rank *find_rank(const struct wm_trace *trace, int rank)
{
    for (int i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].rank == rank)
            return &trace->ranks[i];
    return NULL;
}

/* Hosts are numbered by the first rank that is there. */
static int node_of(const struct wm_trace *trace, const struct wm_trace_rank *rank)
{
    int i = 0;

    while (strcmp(trace->ranks[i].host, rank->host) != 0)
        i++;
    return i;
}

static bool is_crowded(const struct wm_trace *trace)
{
    for (int i = 0; i < trace->rank_count; i++) {
        uint64_t processors[WM_TRACE_PROCESSOR_WORDS] = {0};
        int ranks = 0, count = 0;

        for (int j = 0; j < trace->rank_count; j++) {
            if (strcmp(trace->ranks[j].host, trace->ranks[i].host) != 0)
                continue;
            ranks += trace->ranks[j].sibling == 0;
            for (int w = 0; w < WM_TRACE_PROCESSOR_WORDS; w++)
                processors[w] |= trace->ranks[j].processors[w];
        }
        for (int w = 0; w < WM_TRACE_PROCESSOR_WORDS; w++)
            count += __builtin_popcountll(processors[w]);
        if (count > 0 && ranks > count)
            return true;
    }
    return false;
}

int wm_replay_stage_init(struct wm_replay_stage *s, const struct wm_replay_calls *calls,
                         const struct wm_profile *profile, struct wm_site_map *map, struct wm_error *error)
{
    *s = (struct wm_replay_stage){
        .calls = calls, .profile = profile, .map = *map, .slot_count = 64, .budget.left = stage_events};
    *map = (struct wm_site_map){0};
    s->crowded = is_crowded(calls->trace);
    s->sites = calloc(calls->trace->communicator_count + 2, sizeof *s->sites);
    s->like = calloc(calls->trace->communicator_count + 2, sizeof *s->like);
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    if (s->sites == NULL || s->like == NULL || s->slots == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the communicators of the trace");
    return 0;
}

void wm_replay_stage_release(struct wm_replay_stage *s)
{
    for (size_t i = 0; i < s->shape_count; i++) {
        wm_replay_shape_release(s->shapes[i]);
        free(s->shapes[i]);
    }
    free(s->shapes);
    free(s->keys);
    free(s->slots);
    for (uint32_t c = 0; s->sites != NULL && c < s->calls->trace->communicator_count + 2; c++)
        if (s->sites[c].ranks > 0)
            wm_site_release(&s->sites[c]);
    free(s->sites);
    free(s->like);
    wm_site_map_close(&s->map);
    *s = (struct wm_replay_stage){0};
}

static void place_rank(struct wm_place *place, const struct wm_trace *trace, int rank)
{
    const struct wm_trace_rank *r = find_rank(trace, rank);

    *place = (struct wm_place){.world_rank = rank};
    if (r == NULL)
        return;
    place->node = node_of(trace, r);
    place->process = r->siblings > 0 ? r->process + 1 : 0;
    snprintf(place->host, sizeof place->host, "%s", r->host);
}

static int lay_out(struct wm_replay_stage *s, uint32_t key, struct wm_error *error)
{
    const struct wm_trace_communicator *communicator = &s->calls->trace->communicators[key];
    struct wm_place *places = calloc((size_t)communicator->size, sizeof *places);

    if (places == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the places of %d ranks", communicator->size);
    for (int m = 0; m < communicator->size; m++)
        place_rank(&places[m], s->calls->trace, communicator->ranks[m]);
    snprintf(s->map.communicator, sizeof s->map.communicator, "%s", communicator->name);
    s->sites[key].machine = NULL;
    return wm_site_init_places(&s->sites[key], &s->map, places, communicator->size, error);
}

/* The site of a message: as of the first one within a node, or between nodes. */
static int find_pair(struct wm_replay_stage *s, const struct wm_replay_instance *instance, uint32_t *key,
                     struct wm_error *error)
{
    const struct wm_trace *trace = s->calls->trace;
    int ranks[2];
    struct wm_place *places;

    for (int m = 0; m < 2; m++)
        ranks[m] = wm_replay_call_of(s->calls, instance, m)->rank;
    *key = trace->communicator_count + (strcmp(trace->ranks[ranks[0]].host, trace->ranks[ranks[1]].host) != 0);
    if (s->sites[*key].ranks > 0)
        return 0;
    places = calloc(2, sizeof *places);
    if (places == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the places of a message");
    for (int m = 0; m < 2; m++)
        place_rank(&places[m], trace, trace->ranks[ranks[m]].rank);
    return wm_site_init_places(&s->sites[*key], &s->map, places, 2, error);
}

static bool is_alike(const struct wm_replay_stage *s, uint32_t a, uint32_t b)
{
    const struct wm_site *x = &s->sites[a], *y = &s->sites[b];

    return x->ranks == y->ranks && strcmp(x->facts.communicator, y->facts.communicator) == 0 &&
           wm_grid_hash(&x->grid) == wm_grid_hash(&y->grid);
}

/* The first communicator that looks like this one: it has its shapes. */
static int find_like(struct wm_replay_stage *s, uint32_t key, struct wm_error *error)
{
    int rc;

    if (s->like[key] > 0)
        return 0;
    if ((rc = lay_out(s, key, error)) < 0)
        return rc;
    s->like[key] = key + 1;
    for (uint32_t c = 0; c < s->calls->trace->communicator_count; c++)
        if (c != key && s->like[c] == c + 1 && is_alike(s, c, key)) {
            s->like[key] = c + 1;
            wm_site_release(&s->sites[key]);
            break;
        }
    return 0;
}

static size_t slot_of(const struct wm_replay_stage *s, const struct wm_replay_shape_key *key)
{
    uint64_t hash = wm_hash_add(wm_hash_add(WM_HASH_BEGIN, key->communicator), (uint64_t)key->operation);

    hash = wm_hash_add(wm_hash_add(hash, key->bytes), 2 * (uint64_t)key->root + key->posted);
    return hash % s->slot_count;
}

static int *find_slot(const struct wm_replay_stage *s, const struct wm_replay_shape_key *key)
{
    size_t slot = slot_of(s, key);

    for (; s->slots[slot] != 0; slot = (slot + 1) % s->slot_count) {
        const struct wm_replay_shape_key *k = &s->keys[s->slots[slot] - 1];

        if (k->communicator == key->communicator && k->operation == key->operation && k->bytes == key->bytes &&
            k->root == key->root && k->posted == key->posted)
            break;
    }
    return &s->slots[slot];
}

static int grow(struct wm_replay_stage *s)
{
    if (2 * s->shape_count < s->slot_count)
        return 0;
    free(s->slots);
    s->slot_count *= 4;
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    if (s->slots == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < s->shape_count; i++)
        *find_slot(s, &s->keys[i]) = (int)i + 1;
    return 0;
}

static int add_shape(struct wm_replay_stage *s, const struct wm_replay_shape_key *key, struct wm_error *error)
{
    struct wm_replay_shape *shape = calloc(1, sizeof *shape);
    struct wm_map_question question = {.machine = "that of the trace"};

    if (shape == NULL ||
        wm_vector_reserve(&s->shapes, &s->shape_room, s->shape_count + 1, sizeof(struct wm_replay_shape *)) < 0 ||
        wm_vector_reserve(&s->keys, &s->key_room, s->shape_count + 1, sizeof *s->keys) < 0) {
        free(shape);
        return wm_error_set(error, -WM_ENOMEM, "no memory for %zu kinds of calls", s->shape_count);
    }
    s->keys[s->shape_count] = *key;
    s->shapes[s->shape_count++] = shape;
    if (grow(s) < 0)
        return wm_error_set(error, -WM_ENOMEM, "no memory for %zu kinds of calls", s->shape_count);
    *find_slot(s, key) = (int)s->shape_count;
    question.facts = s->sites[key->communicator].facts;
    question.facts.operation = key->operation;
    question.facts.bytes = key->bytes;
    question.facts.root = key->root < 0 ? 0 : key->root;
    question.facts.commutative = true;
    question.facts.crowded = s->crowded;
    question.nonblocking = key->posted;
    return wm_replay_shape_init(shape, &s->map, &s->sites[key->communicator], &question, s->profile, &s->budget, error);
}

/* Messages are of any size: those with three equal leading bits are alike. */
static uint64_t round_bytes(uint64_t bytes)
{
    int low = bytes > 7 ? 61 - __builtin_clzll(bytes) : 0;

    return bytes >> low << low;
}

int wm_replay_stage_find(struct wm_replay_stage *s, const struct wm_replay_instance *instance, int *shape,
                         struct wm_error *error)
{
    const struct wm_replay_call *call = wm_replay_call_of(s->calls, instance, 0);
    struct wm_replay_shape_key key = {.root = call->root,
                                      .operation = (enum wm_operation)call->operation,
                                      .posted = call->posted,
                                      .bytes = instance->message ? round_bytes(call->bytes) : call->bytes};
    int rc = instance->message ? find_pair(s, instance, &key.communicator, error)
                               : find_like(s, instance->communicator, error);

    *shape = WM_REPLAY_NO_SHAPE;
    if (rc < 0)
        return rc;
    if (!instance->message)
        key.communicator = s->like[instance->communicator] - 1;
    if (*find_slot(s, &key) == 0 && (rc = add_shape(s, &key, error)) < 0)
        return rc;
    *shape = *find_slot(s, &key) - 1;
    return 0;
}

void wm_replay_stage_share(struct wm_replay_stage *s)
{
    uint64_t planned = 0;

    for (size_t i = 0; i < s->shape_count; i++)
        planned += s->shapes[i]->way == WM_REPLAY_PLANNED;
    s->budget.part = planned > 0 ? stage_events / planned : 0;
}
