/* Plans that broadcast bytes of our own. */
#include "core/call/broadcast.h"

#include <jansson.h>
#include "core/call/kin.h"

static const char answer[] = "{\"bytes\": [0, null], \"path\": [{\"wrapper\": \"bcast\", \"node\": 0,"
                             " \"arguments\": [{\"axis\": \"all\"}],"
                             " \"keywords\": {\"shape\": {\"symbol\": \"binomial\"}}}]}";

/* Of a path that no map has said, which cannot fail but for want of memory. */
struct wm_plan *wm_broadcast_plan(const struct wm_comm *c, int root, size_t bytes)
{
    struct wm_plan_call call = {
        .operation = WM_BCAST, .count = bytes, .unit_bytes = 1, .root = root, .commutative = true};
    json_t *json = json_loads(answer, 0, NULL);
    struct wm_layout *layout = NULL;
    struct wm_path *path = NULL;
    struct wm_plan *plan = NULL;
    struct wm_error error = {0};

    if (wm_path_parse(&path, json, WM_BCAST, &c->kin->ground->grid, "", &error) < 0 ||
        wm_layout_new(&layout, path, &c->kin->ground->grid, root, false, &error) < 0 ||
        wm_plan_make(&plan, path, layout, &call, c->rank, &error) < 0)
        wm_process_abort(&error);
    wm_layout_free(layout);
    wm_path_free(path);
    json_decref(json);
    return plan;
}
