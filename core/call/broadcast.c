/* Plans of our own paths, for data of our own. */
#include "core/call/broadcast.h"

#include <jansson.h>
#include "core/call/kin.h"

/* Of a path that no map has said, which cannot fail but for want of memory. */
static struct wm_plan *make(const struct wm_comm *c, const char *wrapper, const char *shape,
                            const struct wm_plan_call *call)
{
    json_t *json = json_pack("{s[in], s[{ss, si, s[{ss}], s{s{ss}}}]}", "bytes", 0, "path", "wrapper", wrapper, "node",
                             0, "arguments", "axis", "all", "keywords", "shape", "symbol", shape);
    struct wm_layout *layout = NULL;
    struct wm_path *path = NULL;
    struct wm_plan *plan = NULL;
    struct wm_error error = {0};

    if (wm_path_parse(&path, json, call->operation, &c->kin->ground->grid, "", &error) < 0 ||
        wm_layout_new(&layout, path, &c->kin->ground->grid, call->root, !call->commutative, &error) < 0 ||
        wm_plan_make(&plan, path, layout, call, c->rank, &error) < 0)
        wm_process_abort(&error);
    wm_layout_free(layout);
    wm_path_free(path);
    json_decref(json);
    return plan;
}

struct wm_plan *wm_broadcast_plan(const struct wm_comm *c, int root, size_t bytes)
{
    const struct wm_plan_call call = {
        .operation = WM_BCAST, .count = bytes, .unit_bytes = 1, .root = root, .commutative = true};

    return make(c, "bcast", "binomial", &call);
}

struct wm_plan *wm_barrier_plan(const struct wm_comm *c)
{
    const struct wm_plan_call call = {.operation = WM_BARRIER, .count = 1, .root = -1, .commutative = true};

    return make(c, "barrier", "dissemination", &call);
}

struct wm_plan *wm_own_plan(const struct wm_comm *c, const struct wm_plan_call *call)
{
    return make(c, wm_operation_name(call->operation), call->operation == WM_ALLREDUCE ? "butterfly" : "flat", call);
}
