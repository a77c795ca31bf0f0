/* The last call of each operation. */
#include "core/call/again.h"

#include "core/call/cache.h"
#include "core/data/allocate.h"

/* MPI_IN_PLACE stands for either buffer; for which, the operation says. */
static bool is_in_place(const struct wm_call *call)
{
    return call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE;
}

static bool are_counts(const size_t *last, const int *counts, int ranks)
{
    for (int i = 0; i < ranks; i++)
        if (counts[i] < 0 || (size_t)counts[i] != last[i])
            return false;
    return true;
}

/* Counts that differ by rank: those of a reduce_scatter. */
static inline bool has_counts(const struct wm_last_call *last, const int *counts, int ranks)
{
    return last->counts == NULL || counts == NULL ? last->counts == NULL && counts == NULL
                                                  : are_counts(last->counts, counts, ranks);
}

static inline bool is_again(const struct wm_comm *c, const struct wm_last_call *last, const struct wm_call *call)
{
    if (last->path == NULL || last->root != call->root)
        return false;
    return last->any ||
           (last->count == call->receive_count && last->type == call->receive_type && last->op == call->op &&
            last->in_place == is_in_place(call) && last->send_count == call->send_count &&
            last->send_type == call->send_type && has_counts(last, call->receive_counts, c->ranks));
}

/* The path's age must be the same on all ranks. */
struct wm_last_call *wm_again_find(struct wm_comm *c, const struct wm_call *call)
{
    struct wm_last_call *last = c->last[call->operation];

    if (last == NULL || !is_again(c, last, call))
        return NULL;
    c->paths[last->place].used = ++c->clock;
    return last;
}

void wm_again_bind(const struct wm_last_call *last, const struct wm_call *call, struct wm_binding *binding)
{
    binding->send = call->send;
    binding->receive = call->receive;
    binding->geometry = last->geometry;
    binding->unit_bytes = last->unit_bytes;
    binding->op = call->op;
    binding->kernel = last->kernel;
    binding->call = call;
}

/* A type of no bytes may be the user's own, whose handle can come to mean another. */
void wm_again_remember(struct wm_comm *c, const struct wm_call *call, struct wm_path *path, struct wm_kept_plan *kept,
                       const struct wm_described *d)
{
    bool any = path->native && !wm_operation_bytes_shared(call->operation);
    struct wm_last_call *last = c->last[call->operation];
    int place = wm_cache_place(c, path);

    if (place < 0 || (!any && !wm_described_comes_back(d)) || (call->operation == WM_BCAST && d->plan_call.count == 0))
        return;
    if (last == NULL)
        c->last[call->operation] = last = wm_allocate_zeroed(sizeof *last, "a communicator");
    wm_last_call_forget(last);
    if (kept != NULL)
        wm_kept_plan_take(kept);
    *last = (struct wm_last_call){
        .path = path,
        .place = place,
        .kept = kept,
        .any = any,
        .counts = kept != NULL && wm_operation_combines(call->operation) ? kept->call.data.counts : NULL,
        .count = call->receive_count,
        .send_count = call->send_count,
        .root = call->root,
        .type = call->receive_type,
        .send_type = call->send_type,
        .op = call->op,
        .in_place = is_in_place(call),
        .geometry = d->binding.geometry,
        .unit_bytes = d->binding.unit_bytes,
        .kernel = d->binding.kernel,
    };
}

void wm_again_shorten(struct wm_comm *c, struct wm_last_call *last)
{
    const struct wm_shared_data data = {
        .geometry = &last->geometry, .unit_bytes = last->unit_bytes, .op = last->op, .kernel = last->kernel};

    wm_short_plan_make(&last->short_plan, wm_engine_lanes(c->end->engine), last->kept->plan, &data);
    last->short_known = true;
}
