/* The charge: compared, nanosecond by nanosecond, with a model that is too slow to be wrong. */
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>
#include "tools/analysis/attribution.h"

enum { LENGTH = 60, EDGES = 6, WORKS = 4 };

struct tally {
    int kinds[LENGTH]; /* kind of each nanosecond, -1: not charged, -2: twice */
    int64_t next_end_ns;
    int64_t begin_ns;
};

static void take(void *context, const struct wm_attributed_piece *piece)
{
    struct tally *tally = context;

    CU_ASSERT_EQUAL(piece->end_ns, tally->next_end_ns);
    tally->next_end_ns = piece->begin_ns;
    CU_ASSERT_EQUAL(piece->edge != NULL, piece->kind == WM_ATTRIBUTED_WAIT || piece->kind == WM_ATTRIBUTED_TRANSFER);
    CU_ASSERT_EQUAL(piece->work != NULL, piece->kind == WM_ATTRIBUTED_WORK);
    for (int64_t t = piece->begin_ns; t < piece->end_ns; t++)
        tally->kinds[t] = tally->kinds[t] == -1 ? (int)piece->kind : -2;
}

/* Work first, then the edge that ends last, then overhead. */
static int model(const struct wm_attributed_edge *edges, int edge_count, const struct wm_attributed_work *works,
                 int work_count, int64_t t)
{
    const struct wm_attributed_edge *last = NULL;

    for (int i = 0; i < work_count; i++)
        if (works[i].begin_ns <= t && t < works[i].end_ns)
            return WM_ATTRIBUTED_WORK;
    for (int i = 0; i < edge_count; i++)
        if (edges[i].begin_ns <= t && t < edges[i].end_ns && (last == NULL || edges[i].end_ns > last->end_ns))
            last = &edges[i];
    if (last == NULL)
        return WM_ATTRIBUTED_OVERHEAD;
    return t < last->split_ns ? WM_ATTRIBUTED_WAIT : WM_ATTRIBUTED_TRANSFER;
}

static uint32_t state = 1;

static int64_t draw(int64_t below)
{
    state = state * 1664525u + 1013904223u;
    return (int64_t)((state >> 8) % (uint32_t)below);
}

static void draw_inputs(struct wm_attributed_edge *edges, int edge_count, struct wm_attributed_work *works,
                        int work_count)
{
    for (int i = 0; i < edge_count; i++) {
        int64_t end = -5 + draw(LENGTH + 10) / EDGES * EDGES + i; /* no two end at once: then either may be charged */

        edges[i].end_ns = end;
        edges[i].begin_ns = end - draw(40);
        edges[i].split_ns = edges[i].begin_ns + (end > edges[i].begin_ns ? draw(end - edges[i].begin_ns + 1) : 0);
    }
    for (int i = 0; i < work_count; i++) {
        works[i].begin_ns = -5 + draw(LENGTH + 5);
        works[i].end_ns = works[i].begin_ns + draw(10);
    }
}

static void attribution__agrees_with_the_model(void)
{
    for (int round = 0; round < 3000; round++) {
        struct wm_attributed_edge edges[EDGES] = {0}, edges_copy[EDGES];
        struct wm_attributed_work works[WORKS] = {0}, works_copy[WORKS];
        int edge_count = (int)draw(EDGES + 1), work_count = (int)draw(WORKS + 1);
        int64_t begin_ns = draw(10), end_ns = begin_ns + draw(LENGTH - 10);
        struct tally tally = {.next_end_ns = end_ns, .begin_ns = begin_ns};

        draw_inputs(edges, edge_count, works, work_count);
        memcpy(edges_copy, edges, sizeof edges);
        memcpy(works_copy, works, sizeof works);
        for (int t = 0; t < LENGTH; t++)
            tally.kinds[t] = -1;
        wm_attribute(begin_ns, end_ns, edges, (size_t)edge_count, works, (size_t)work_count, take, &tally);
        CU_ASSERT_EQUAL(tally.next_end_ns, begin_ns);
        for (int64_t t = 0; t < LENGTH; t++) {
            bool inside = t >= begin_ns && t < end_ns;

            CU_ASSERT_EQUAL(tally.kinds[t], inside ? model(edges_copy, edge_count, works_copy, work_count, t) : -1);
        }
    }
}

static void attribution__of_nothing_is_overhead(void)
{
    struct tally tally = {.next_end_ns = 10};

    memset(tally.kinds, -1, sizeof tally.kinds);
    wm_attribute(0, 10, NULL, 0, NULL, 0, take, &tally);
    for (int t = 0; t < 10; t++)
        CU_ASSERT_EQUAL(tally.kinds[t], WM_ATTRIBUTED_OVERHEAD);
    CU_ASSERT_EQUAL(tally.kinds[10], -1);
}

static const struct check_case cases[] = {
    CASE(attribution__agrees_with_the_model),
    CASE(attribution__of_nothing_is_overhead),
};

CHECK_MAIN("charge", cases)
