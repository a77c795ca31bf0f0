/* Sizes: what ranks tell each other before a plan can be made. The counts of a gatherv or scatterv, 8 P bytes, go from
 * the root along a binomial tree, log2 P (α + 8 P β); those of an alltoallv or alltoallw take the way that the data
 * will take, as an alltoall of 8 bytes. */
#include "core/call/sizes.h"

#include <stdlib.h>
#include <string.h>
#include "core/call/broadcast.h"
#include "core/call/kin.h"
#include "core/data/allocate.h"

typedef uint64_t size_word; /* as counts travel */

static const char sizes[] = "the sizes of a collective";

struct wm_sizes {
    int ranks;
    size_word *words;         /* the vector that a root sends; or what this rank sends each, and what it gets */
    struct wm_plan *own_plan; /* of the broadcast */
    struct wm_kept_plan *kept;
};

static bool is_rooted(const struct wm_path *path)
{
    return wm_operation_rooted(path->operation) && !wm_operation_bytes_shared(path->operation);
}

static bool is_pairs(const struct wm_path *path)
{
    return wm_operation_data(path->operation) == WM_DATA_PAIRS && !wm_operation_bytes_shared(path->operation);
}

/* Does every block go straight from its origin to its destination? */
static bool is_direct(const struct wm_path *path)
{
    const struct wm_wrapper *stage = &path->wrappers[path->stages[0]];
    enum wm_shape_kind shape;

    if (path->stage_count != 1 || stage->shape == NULL)
        return false;
    shape = stage->shape->kind;
    if (is_rooted(path))
        return wm_shape_can(shape, WM_SHAPE_IS_DIRECT);
    return stage->service->stage == WM_STAGE_SHARD &&
           (wm_shape_can(shape, WM_SHAPE_IS_DIRECT) || shape == WM_SHAPE_SHARED);
}

bool wm_sizes_needed(const struct wm_path *path)
{
    return !path->native && (is_rooted(path) || is_pairs(path)) && !is_direct(path);
}

/* An alltoall on the path of the call itself; it is kept, for the next call with other counts. */
static int plan_pairs(struct wm_sizes *s, struct wm_comm *c, struct wm_path *path, struct wm_error *error)
{
    struct wm_blocks blocks = {.count = c->ranks, .each = sizeof(size_word)};
    struct wm_plan_call call = {.operation = WM_ALLTOALL,
                                .unit_bytes = 1,
                                .root = -1,
                                .commutative = true,
                                .noted = true,
                                .send = blocks,
                                .receive = blocks};
    struct wm_kept_plan *kept = wm_plans_find(&c->kin->plans, path, &call);

    if (kept == NULL &&
        (kept = wm_plans_make(&c->kin->plans, path, &c->kin->ground->grid, c->rank, &call, error)) == NULL)
        return -WM_EPATH;
    s->kept = kept;
    return 0;
}

/* The counts that this rank knows: the root all that it lists, else everyone's what it sends. */
static void fill_words(struct wm_sizes *s, const struct wm_path *path, const struct wm_plan_call *call, int rank)
{
    const struct wm_blocks *known = &call->data;

    if (is_pairs(path))
        known = call->send.count > 0 ? &call->send : &call->receive;
    for (int i = 0; i < s->ranks && (is_pairs(path) || rank == call->root); i++)
        s->words[i] = wm_blocks_count(known, i);
}

int wm_sizes_begin(struct wm_sizes **out, struct wm_comm *c, struct wm_path *path, const struct wm_described *d,
                   const struct wm_plan **plan, struct wm_binding *binding, struct wm_error *error)
{
    struct wm_sizes *s = wm_allocate_zeroed(sizeof *s, sizes);
    int rc = 0;

    *out = NULL;
    s->words = wm_allocate_zeroed(2 * sizeof *s->words * (size_t)c->ranks, sizes);
    s->ranks = c->ranks;
    fill_words(s, path, &d->plan_call, c->rank);
    if (is_rooted(path))
        s->own_plan = wm_broadcast_plan(c, d->plan_call.root, sizeof *s->words * (size_t)c->ranks);
    else if ((rc = plan_pairs(s, c, path, error)) < 0)
        goto out;
    *plan = s->kept != NULL ? s->kept->plan : s->own_plan;
    *binding = (struct wm_binding){.send = s->words,
                                   .receive = is_rooted(path) ? s->words : s->words + c->ranks,
                                   .geometry = wm_geometry_bytes(),
                                   .unit_bytes = 1,
                                   .op = MPI_OP_NULL};
    *out = s;
    s = NULL;
out:
    wm_sizes_free(s);
    return rc;
}

static void learn_blocks(const struct wm_sizes *s, struct wm_plan_call *call)
{
    size_t *counts = wm_allocate(sizeof *counts * (size_t)s->ranks, sizes);

    for (int i = 0; i < s->ranks; i++)
        counts[i] = s->words[i];
    free((void *)call->data.counts);
    free((void *)call->data.offsets);
    call->data = (struct wm_blocks){.count = s->ranks, .counts = counts};
}

static int compare_pairs(const void *left, const void *right)
{
    const struct wm_pair_size *a = left, *b = right;

    return a->origin != b->origin ? (a->origin > b->origin) - (a->origin < b->origin)
                                  : (a->destination > b->destination) - (a->destination < b->destination);
}

/* Sort, and keep one of those that passed twice. */
static void sort_pairs(struct wm_pair_sizes *pairs)
{
    size_t kept = 0;

    qsort(pairs->sizes, pairs->count, sizeof *pairs->sizes, compare_pairs);
    for (size_t i = 0; i < pairs->count; i++)
        if (kept == 0 || compare_pairs(&pairs->sizes[kept - 1], &pairs->sizes[i]) != 0)
            pairs->sizes[kept++] = pairs->sizes[i];
    pairs->count = kept;
}

/* Most blocks of a sparse exchange are empty, and need not be listed. */
static void learn_pairs(const struct wm_sizes *s, const struct wm_flight *flight, struct wm_plan_call *call)
{
    const struct wm_plan *plan = s->kept->plan;
    struct wm_pair_sizes *pairs = wm_allocate(sizeof *pairs + sizeof *pairs->sizes * (size_t)plan->note_count, sizes);

    *pairs = (struct wm_pair_sizes){.sizes = (struct wm_pair_size *)(pairs + 1)};
    for (int i = 0; i < plan->note_count; i++) {
        const struct wm_note *note = &plan->notes[i];
        size_word count;

        memcpy(&count, wm_flight_address(flight, note->at), sizeof count);
        if (count > 0)
            pairs->sizes[pairs->count++] = (struct wm_pair_size){note->origin, note->destination, count};
    }
    sort_pairs(pairs);
    free((void *)call->pairs);
    call->pairs = pairs;
}

void wm_sizes_learn(struct wm_sizes *s, const struct wm_flight *flight, struct wm_described *d)
{
    if (s->kept != NULL)
        learn_pairs(s, flight, &d->plan_call);
    else
        learn_blocks(s, &d->plan_call);
}

void wm_sizes_free(struct wm_sizes *s)
{
    if (s == NULL)
        return;
    if (s->kept != NULL)
        wm_kept_plan_give(s->kept);
    wm_plan_free(s->own_plan);
    free(s->words);
    free(s);
}
