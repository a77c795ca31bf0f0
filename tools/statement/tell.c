/* Who tells of a statement's messages. */
#include "tools/statement/tell.h"

#include "core/statement/items.h"

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

int wm_tell_other(struct wm_traffic *other, const struct wm_bound_names *names, const struct wm_traffic *x, size_t i,
                  struct wm_error *error)
{
    enum wm_side teller = wm_teller(x->s);
    const struct wm_statement_part *part = &wm_told(x)->parts[i];
    char item[sizeof(struct wm_item_run) + WM_VARIABLES_MAX * sizeof(union wm_scalar)];
    size_t bytes = wm_items_write(x, part, 1, teller, item);
    int rc = wm_items_list(other, wm_names_bindings(names, part->peer), teller, x->me, item, bytes, error);

    if (rc == -WM_EINVAL)
        wm_text_append(error->text, sizeof error->text, ", in a message from rank %d to rank %d of %d",
                       teller == WM_SENDS ? x->me : part->peer, teller == WM_SENDS ? part->peer : x->me, names->ranks);
    return rc;
}
