/* Heads: what one end tells the other of a message that this one does not know of. */
#include <inttypes.h>
#include <string.h>
#include "core/statement/traffic.h"

struct head {
    uint64_t count;
    uint32_t reduction, unused;
};

/* The variables that the other end needs: of the storage what a sender tells, of the data what a receiver tells. */
static uint32_t carried(const struct wm_statement *s, int reduction, enum wm_side teller)
{
    const struct wm_reduction *r = &s->reductions[reduction];

    return s->terms[teller == WM_SENDS ? r->storage : r->data].variables;
}

size_t wm_head_bytes(const struct wm_traffic *x, int reduction, enum wm_side teller)
{
    return sizeof(struct head) + sizeof(union wm_scalar) * (size_t)__builtin_popcount(carried(x->s, reduction, teller));
}

size_t wm_head_write(const struct wm_traffic *x, const struct wm_statement_part *part, enum wm_side teller, void *to)
{
    const struct wm_parts *list = teller == WM_SENDS ? &x->sends : &x->receives;
    struct head head = {.count = part->count, .reduction = (uint32_t)part->reduction};
    uint32_t variables = carried(x->s, part->reduction, teller);
    char *at = (char *)to + sizeof head;

    memcpy(to, &head, sizeof head);
    for (int v = 0; v < x->s->variable_count; v++)
        if ((variables >> v & 1) != 0) {
            memcpy(at, &list->values[part->variables + (size_t)v], sizeof(union wm_scalar));
            at += sizeof(union wm_scalar);
        }
    return (size_t)(at - (char *)to);
}

/* The part at this end: its place, and that it is as large as the other end says. */
static int find_place(struct wm_frame *f, struct wm_statement_part *part, enum wm_side teller, uint64_t count)
{
    const struct wm_reduction *r = &f->s->reductions[part->reduction];
    int term = teller == WM_SENDS ? r->storage : r->data;
    const struct wm_term *t = &f->s->terms[term];

    if (t->kind == WM_TERM_PLACE) {
        part->section = wm_evaluate_place(f, term);
        part->count = part->section.count;
    }
    if (f->rc == 0 && part->count != count)
        wm_frame_fault(f, term, "rank %d %s %" PRIu64 " element%s, and %s%s%s has %zu here, at rank %d", part->peer,
                       teller == WM_SENDS ? "sends" : "asks for", count, count == 1 ? "" : "s",
                       t->kind == WM_TERM_PLACE ? "'" : "",
                       t->kind == WM_TERM_PLACE ? f->bindings[t->index].name : "it",
                       t->kind == WM_TERM_PLACE ? "'" : "", part->count, f->me);
    return f->rc;
}

int wm_head_read(struct wm_traffic *x, const struct wm_bound bindings[], enum wm_side teller, int peer,
                 const void *from, size_t *used, struct wm_error *error)
{
    struct wm_frame f = wm_traffic_frame(x, bindings, error);
    struct wm_statement_part *part;
    struct head head;
    const char *value = (const char *)from + sizeof head;

    memcpy(&head, from, sizeof head);
    for (int v = 0; v < x->s->variable_count; v++)
        if ((carried(x->s, (int)head.reduction, teller) >> v & 1) != 0) {
            memcpy(&f.variables[v], value, sizeof f.variables[v]);
            value += sizeof f.variables[v];
        }
    *used = (size_t)(value - (const char *)from);
    part = wm_parts_add(teller == WM_SENDS ? &x->receives : &x->sends, &f, (int)head.reduction, peer);
    if (part == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    return find_place(&f, part, teller, head.count);
}
