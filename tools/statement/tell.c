/* Who tells of a statement's messages. */
#include "tools/statement/tell.h"

enum wm_side wm_teller(const struct wm_statement *s)
{
    return s->hint == WM_KNOWLEDGE_RECEIVER ? WM_RECEIVES : WM_SENDS;
}

int wm_tell(struct wm_traffic *x, const struct wm_bound_names *names, const struct wm_statement *s, int rank,
            bool believes, struct wm_error *error)
{
    const struct wm_bound *bindings = wm_names_bindings(names, rank);

    return wm_teller(s) == WM_RECEIVES ? wm_traffic_new_requests(x, s, bindings, rank, names->ranks, error)
                                       : wm_traffic_new(x, s, bindings, rank, names->ranks, believes, error);
}

const struct wm_parts *wm_told(const struct wm_traffic *x)
{
    return wm_teller(x->s) == WM_SENDS ? &x->sends : &x->receives;
}
