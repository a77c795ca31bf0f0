/* The last call of each operation. */
#include "core/call/again.h"

#include <string.h>
#include "core/call/cache.h"
#include "core/call/left.h"
#include "core/call/verify.h"
#include "core/data/allocate.h"

/* Those of `vector` stand from `at` on in the last call's. */
static inline bool is_vector(const struct wm_last_call *last, int at, const int *vector, int ranks)
{
    return memcmp(last->vectors + at, vector, sizeof *vector * (size_t)ranks) == 0;
}

bool wm_again_has_vectors(const struct wm_comm *c, const struct wm_last_call *last, const struct wm_call *call)
{
    if (last->counted != (call->receive_counts != NULL) || last->displaced != (call->receive_displs != NULL))
        return false;
    return (!last->counted || is_vector(last, 0, call->receive_counts, c->ranks)) &&
           (!last->displaced || is_vector(last, c->ranks, call->receive_displs, c->ranks));
}

struct wm_last_call *wm_again_find(struct wm_comm *c, const struct wm_call *call)
{
    struct wm_last_call *last = c->last[call->operation];

    if (last == NULL || !wm_again_is(c, last, call))
        return NULL;
    wm_again_use(c, last);
    return last;
}

bool wm_again_find_stamped(struct wm_comm *c, const struct wm_call *call, uint64_t *stamp)
{
    struct wm_last_call *last = c->last[call->operation];

    if (last->stamp != *stamp || *stamp == 0) {
        last = wm_again_find(c, call);
        *stamp = last != NULL ? last->stamp : 0;
        return last != NULL;
    }
    wm_again_use(c, last);
    return true;
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

static void keep_vectors(struct wm_last_call *last, const struct wm_call *call, int ranks)
{
    last->counted = call->receive_counts != NULL;
    last->displaced = call->receive_displs != NULL;
    last->has_vectors = last->counted || last->displaced;
    if (last->vectors == NULL && last->has_vectors)
        last->vectors = wm_allocate(sizeof *last->vectors * (size_t)ranks * 2, "a communicator");
    if (last->counted)
        memcpy(last->vectors, call->receive_counts, sizeof *last->vectors * (size_t)ranks);
    if (last->displaced)
        memcpy(last->vectors + ranks, call->receive_displs, sizeof *last->vectors * (size_t)ranks);
}

/* A type of no bytes may be the user's own, whose handle can come to mean another. */
struct wm_last_call *wm_again_remember(struct wm_comm *c, const struct wm_call *call, struct wm_path *path,
                                       struct wm_kept_plan *kept, const struct wm_described *d)
{
    bool any = path->native && !wm_operation_bytes_shared(call->operation);
    struct wm_last_call *last = c->last[call->operation];
    int place = wm_cache_place(c, path);

    if (wm_verifies_full())
        return NULL; /* each call is looked at anew */
    if (place < 0 || (!any && !wm_described_comes_back(d)) || (call->operation == WM_BCAST && d->plan_call.count == 0))
        return NULL;
    if (last == NULL)
        c->last[call->operation] = last = wm_allocate_zeroed(sizeof *last, "a communicator");
    wm_last_call_forget(last);
    if (kept != NULL)
        wm_kept_plan_take(kept);
    *last = (struct wm_last_call){
        .path = path,
        .place = place,
        .stamp = ++c->stamps,
        .kept = kept,
        .any = any,
        .vectors = last->vectors,
        .count = call->receive_count,
        .send_count = call->send_count,
        .root = call->root,
        .type = call->receive_type,
        .send_type = call->send_type,
        .op = call->op,
        .in_place = wm_call_is_in_place(call),
        .left = kept == NULL && wm_process.recordings == NULL && !wm_verifies_each() && !wm_verifies_results(),
        .reason = wm_left_reason(c, call, path),
        .geometry = d->binding.geometry,
        .unit_bytes = d->binding.unit_bytes,
        .kernel = d->binding.kernel,
    };
    keep_vectors(last, call, c->ranks);
    return last;
}

static void shorten(struct wm_comm *c, struct wm_last_call *last)
{
    const struct wm_shared_data data = {
        .geometry = &last->geometry, .unit_bytes = last->unit_bytes, .op = last->op, .kernel = last->kernel};

    wm_short_plan_make(&last->short_plan, wm_engine_lanes(c->end->engine), last->kept->plan, &data);
    last->short_known = true;
}

const struct wm_short_plan *wm_again_short(struct wm_comm *c, struct wm_last_call *last)
{
    if (!last->short_known)
        shorten(c, last);
    return last->short_plan.plan != NULL ? &last->short_plan : NULL;
}

bool wm_again_run(struct wm_comm *c, struct wm_last_call *last, const struct wm_call *call)
{
    const struct wm_short_plan *plan = wm_again_short(c, last);

    if (plan == NULL)
        return false;
    c->planned_calls[call->operation]++;
    wm_short_plan_run(plan, call->send, call->receive);
    return true;
}
