/* The design of messages, read from a path. */
#include "core/path/message_design.h"

struct wm_message_design wm_message_design_read(const struct wm_path *path)
{
    struct wm_message_design design = {.inside = WM_CHOOSE_AUTO, .between = WM_CHOOSE_AUTO, .copy = WM_COPY_AUTO};

    for (int i = 0; i < path->wrapper_count; i++)
        path->wrappers[i].service->message(&path->wrappers[i], &design);
    return design;
}

bool wm_message_design_says(const struct wm_message_design *design)
{
    return design->remote != NULL || design->gather_bytes > 0 || design->delay != NULL;
}

bool wm_message_design_by_mpi(const struct wm_message_design *design, bool near)
{
    return !near || design->inside == WM_CHOOSE_MPI;
}

static struct wm_message_net net_of(const struct wm_path *path, const struct wm_message_design *design, bool near)
{
    const struct wm_wrapper *remote = design->remote;

    return (struct wm_message_net){.known = true,
                                   .by_mpi = wm_message_design_by_mpi(design, near),
                                   .line = remote != NULL ? remote->line : path->rule_line,
                                   .column = remote != NULL ? remote->column : 0};
}

int wm_message_design_check(const struct wm_path *path, bool near, struct wm_message_net *net, struct wm_error *error)
{
    struct wm_message_design design = wm_message_design_read(path);
    struct wm_message_net before = *net;

    *net = net_of(path, &design, near);
    if (!near && design.between == WM_CHOOSE_SHM) {
        wm_error_set(
            error, -WM_EMAP,
            "shared memory does not reach the ranks of other nodes; write (remote 'shm 'mpi), or ask for near?");
        wm_error_place(error, NULL, net->line, net->column);
        return -WM_EMAP;
    }
    if (before.known && before.by_mpi != net->by_mpi) {
        wm_error_set(error, -WM_EMAP,
                     "messages of one protocol to one peer take one net, or they would come out of order, but smaller "
                     "ones take another; let the net depend on 'protocol' and 'near?', not on 'bytes'");
        if (net->line == 0) /* no rule fits the larger ones */
            *net = before;
        wm_error_place(error, NULL, net->line, net->column);
        return -WM_EMAP;
    }
    return 0;
}
