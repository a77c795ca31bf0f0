/* Attribution: a sweep from the end of a call backwards that gives each piece of time to one cause. */
#include "tools/analysis/attribution.h"

#include <stdlib.h>

struct sweep {
    const struct wm_attributed_work *works;
    size_t works_left; /* works[works_left - 1] is the next one, going backwards */
    void (*take)(void *context, const struct wm_attributed_piece *piece);
    void *context;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int later_edge_first(const void *a, const void *b)
{
    const struct wm_attributed_edge *x = a, *y = b;

    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? 1 : -1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int earlier_work_first(const void *a, const void *b)
{
    const struct wm_attributed_work *x = a, *y = b;

    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static void emit(const struct sweep *sweep, enum wm_attributed_kind kind, int64_t begin_ns, int64_t end_ns,
                 const struct wm_attributed_edge *edge, const struct wm_attributed_work *work)
{
    struct wm_attributed_piece piece = {kind, begin_ns, end_ns, edge, work};

    if (begin_ns < end_ns)
        sweep->take(sweep->context, &piece);
}

/* Time without work: the edge's, or nobody's. */
static void emit_rest(const struct sweep *sweep, const struct wm_attributed_edge *edge, int64_t begin_ns,
                      int64_t end_ns)
{
    if (edge == NULL) {
        emit(sweep, WM_ATTRIBUTED_OVERHEAD, begin_ns, end_ns, NULL, NULL);
        return;
    }
    emit(sweep, WM_ATTRIBUTED_TRANSFER, most(begin_ns, edge->split_ns), end_ns, edge, NULL);
    emit(sweep, WM_ATTRIBUTED_WAIT, begin_ns, least(end_ns, edge->split_ns), edge, NULL);
}

/* Take the works out of [begin, end], give the rest to `edge`. */
static void cover(struct sweep *sweep, const struct wm_attributed_edge *edge, int64_t begin_ns, int64_t end_ns)
{
    while (sweep->works_left > 0) {
        const struct wm_attributed_work *work = &sweep->works[sweep->works_left - 1];
        int64_t work_begin_ns = most(work->begin_ns, begin_ns), work_end_ns = least(work->end_ns, end_ns);

        if (work->end_ns <= begin_ns)
            break;
        emit_rest(sweep, edge, work_end_ns, end_ns);
        emit(sweep, WM_ATTRIBUTED_WORK, work_begin_ns, work_end_ns, NULL, work);
        end_ns = least(end_ns, work_begin_ns);
        if (work->begin_ns < begin_ns)
            break; /* it reaches into the next piece */
        sweep->works_left--;
    }
    emit_rest(sweep, edge, begin_ns, end_ns);
}

void wm_attribute(int64_t begin_ns, int64_t end_ns, struct wm_attributed_edge *edges, size_t edge_count,
                  struct wm_attributed_work *works, size_t work_count,
                  void (*take)(void *context, const struct wm_attributed_piece *piece), void *context)
{
    struct sweep sweep = {works, work_count, take, context};
    int64_t low_ns = end_ns; /* all above is given away */

    if (edge_count > 1)
        qsort(edges, edge_count, sizeof *edges, later_edge_first);
    if (work_count > 1)
        qsort(works, work_count, sizeof *works, earlier_work_first);
    for (size_t i = 0; i < edge_count && low_ns > begin_ns; i++) {
        int64_t top_ns = least(edges[i].end_ns, low_ns), bottom_ns = most(edges[i].begin_ns, begin_ns);

        if (bottom_ns >= top_ns)
            continue;
        cover(&sweep, NULL, top_ns, low_ns);
        cover(&sweep, &edges[i], bottom_ns, top_ns);
        low_ns = bottom_ns;
    }
    cover(&sweep, NULL, begin_ns, low_ns);
}
