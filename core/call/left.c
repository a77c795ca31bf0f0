/* Calls that are left to the MPI library. */
#include "core/call/left.h"

enum wm_native_reason wm_left_reason(const struct wm_comm *c, const struct wm_call *call, const struct wm_path *path)
{
    if ((c->map->planned & WM_OPERATION_BIT(call->operation)) == 0)
        return c->map->file != NULL ? WM_NATIVE_NO_RULES : WM_NATIVE_NO_MAP;
    if (c->native_only)
        return c->native_reason;
    if (path == NULL)
        return WM_NATIVE_ARGUMENT;
    if (path->failed)
        return WM_NATIVE_MAP_FAILED;
    if (path->native && path->wrapper_count == 0)
        return WM_NATIVE_NO_MATCH;
    return path->native ? WM_NATIVE_BY_MAP : WM_NATIVE_TOO_MANY;
}

static void count(struct wm_comm *c, const struct wm_call *call, enum wm_native_reason reason, int line)
{
    c->native_calls[call->operation]++;
    wm_native_count(call->operation, reason, line, wm_process.threads);
}

void wm_left_count(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path)
{
    enum wm_native_reason reason = wm_left_reason(c, call, path);

    count(c, call, reason, reason == WM_NATIVE_BY_MAP ? path->wrappers[path->wrapper_count - 1].line : 0);
}

void wm_left_count_unsettled(struct wm_comm *c, const struct wm_call *call)
{
    count(c, call, WM_NATIVE_UNSETTLED, 0);
}

void wm_left_count_idle(struct wm_comm *c, const struct wm_call *call)
{
    count(c, call, wm_left_has_rules(c, call) ? WM_NATIVE_NO_PROGRESS : wm_left_reason(c, call, NULL), 0);
}
