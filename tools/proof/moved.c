/* What a message brings from a rank that is not its own representative: the account of that one, with ranks and units
 * moved. */
#include <stdlib.h>
#include "tools/proof/machine.h"

static int compare_spans(const void *left, const void *right)
{
    const struct wm_proof_span *a = left, *b = right;

    return (a->low > b->low) - (a->low < b->low);
}

/* Units of the span up to the end of its part of the space. */
static size_t until_cut(const struct wm_symmetry *s, enum wm_space space, size_t unit, size_t units)
{
    size_t part = wm_symmetry_part(s, space), rest = part > 0 ? part - unit % part : units;

    return rest < units ? rest : units;
}

static void move_span(struct wm_machine *m, int d, enum wm_space place, const struct wm_proof_span *span,
                      struct wm_proof_memory *out)
{
    enum wm_space origins = wm_symmetry_origins(m->cast.scenario.operation);
    const struct wm_symbol *symbol =
        span->symbol == NULL ? NULL : wm_symbol_moved(&m->symbols, span->symbol, m->symmetry->flips, d);

    for (size_t low = span->low, count; low < span->high; low += count) {
        struct wm_proof_span range = wm_span_range(span, low, span->high);
        size_t to = wm_symmetry_unit(m->symmetry, place, d, low);

        count = until_cut(m->symmetry, origins, range.origin, range.high - low);
        count = until_cut(m->symmetry, place, low, count);
        wm_memory_append(&m->event_arena, out,
                         wm_span(to, to + count, wm_symmetry_unit(m->symmetry, origins, d, range.origin), symbol));
    }
}

void wm_machine_move(struct wm_machine *m, const struct wm_proof_message *message, struct wm_proof_memory *content)
{
    int d = m->symmetry == NULL ? 0 : wm_symmetry_of(m->symmetry, wm_machine_step(m, message->recv)->peer);
    const struct wm_step *send = wm_machine_step(m, message->send);
    struct wm_proof_memory moved = {0};
    enum wm_space place;

    if (d == 0)
        return;
    place = wm_machine_permutes(m, message->send.rank, send->source, send->count);
    for (int i = 0; i < content->count; i++)
        move_span(m, d, place, &content->spans[i], &moved);
    if (place != WM_SPACE_FIXED)
        qsort(moved.spans, (size_t)moved.count, sizeof *moved.spans, compare_spans);
    *content = moved;
}
