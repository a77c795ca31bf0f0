/* A timeline for the page: pieces of time by rank, coarsened until they fit. */
#include "tools/report/page_timeline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/report/page_bytes.h"
#include "core/vector.h"

enum { COMPUTE = WM_COST_KINDS, KINDS };

int wm_page_timeline_init(struct wm_page_timeline *timeline, int lane_count, int64_t origin_ns)
{
    *timeline = (struct wm_page_timeline){.origin_ns = origin_ns, .resolution_ns = 1, .lane_count = lane_count};
    timeline->lanes = calloc((size_t)lane_count + 1, sizeof *timeline->lanes);
    timeline->looks = calloc(WM_PAGE_LOOKS_MAX, sizeof *timeline->looks);
    timeline->slots = calloc(WM_PAGE_LOOK_SLOTS, sizeof *timeline->slots);
    return timeline->lanes == NULL || timeline->looks == NULL || timeline->slots == NULL ? -WM_ENOMEM : 0;
}

void wm_page_timeline_release(struct wm_page_timeline *timeline)
{
    for (int i = 0; timeline->lanes != NULL && i < timeline->lane_count; i++)
        free(timeline->lanes[i].segments);
    free(timeline->lanes);
    free(timeline->looks);
    free(timeline->slots);
    *timeline = (struct wm_page_timeline){0};
}

static bool same_look(const struct wm_page_look *a, const struct wm_page_look *b)
{
    return a->kind == b->kind && a->node == b->node && a->region == b->region && a->operation == b->operation;
}

/* The number of a look, new if need be; when there are too many, of one of its kind. */
static unsigned look_number(struct wm_page_timeline *timeline, const struct wm_page_look *look)
{
    uint64_t key = ((uint64_t)look->node << 32 | (uint64_t)look->region << 16 | (uint64_t)look->operation << 3 |
                    (uint64_t)look->kind) *
                   0x9e3779b97f4a7c15u;
    size_t at = (size_t)(key >> 40);

    for (;; at++) {
        at &= WM_PAGE_LOOK_SLOTS - 1;
        if (timeline->slots[at] == 0)
            break;
        if (same_look(&timeline->looks[timeline->slots[at] - 1], look))
            return timeline->slots[at] - 1u;
    }
    if (timeline->look_count == WM_PAGE_LOOKS_MAX) {
        for (unsigned i = 0; i < WM_PAGE_LOOKS_MAX; i++)
            if (timeline->looks[i].kind == look->kind)
                return i;
        return 0;
    }
    timeline->looks[timeline->look_count] = *look;
    timeline->slots[at] = (uint16_t)++timeline->look_count;
    return timeline->slots[at] - 1u;
}

static int compare_segments(const void *a, const void *b)
{
    const struct wm_page_segment *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static void reverse(struct wm_page_segment *segments, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct wm_page_segment kept = segments[i];

        segments[i] = segments[count - 1 - i];
        segments[count - 1 - i] = kept;
    }
}

/* By time. Each region came from its end backwards and, on one communicator, after the one before: where it is no more
 * than that, nothing need be sorted. */
static void order_lane(struct wm_page_lane *lane)
{
    struct wm_page_segment *segments = lane->segments;
    bool sorted = true;

    for (size_t i = 0, next; i < lane->count; i = next) {
        for (next = i + 1; next < lane->count && segments[next].begin_ns < segments[next - 1].begin_ns;)
            next++;
        reverse(segments + i, next - i);
        sorted = sorted && (i == 0 || segments[i].begin_ns >= segments[i - 1].begin_ns);
    }
    if (!sorted)
        qsort(segments, lane->count, sizeof *segments, compare_segments);
}

/* A lane while it is cut into cells. */
struct sweep {
    struct wm_page_lane cells; /* the result */
    int64_t cell_ns;           /* length of a cell */
    int64_t closed_ns;         /* up to here cells are closed */
    int64_t filled_ns;         /* of the open cell */
    int64_t credit_ns[KINDS];
    unsigned look[KINDS]; /* the last one seen of each kind */
    int last;             /* kind of the cell before */
    bool failed;
};

/* Give the next `count` cells to a kind. */
static void emit(struct sweep *sweep, int kind, int64_t count)
{
    struct wm_page_lane *cells = &sweep->cells;
    struct wm_page_segment *last = cells->count ? &cells->segments[cells->count - 1] : NULL;
    int64_t begin_ns = sweep->closed_ns;

    sweep->closed_ns += count * sweep->cell_ns;
    sweep->last = kind;
    if (kind == COMPUTE)
        return;
    if (last != NULL && last->look == sweep->look[kind] && last->begin_ns + (int64_t)last->length_ns == begin_ns) {
        last->length_ns += (uint64_t)(count * sweep->cell_ns);
        return;
    }
    if (wm_vector_reserve(&cells->segments, &cells->capacity, cells->count + 1, sizeof *cells->segments) < 0) {
        sweep->failed = true;
        return;
    }
    cells->segments[cells->count++] =
        (struct wm_page_segment){begin_ns, (uint64_t)(count * sweep->cell_ns), sweep->look[kind]};
}

/* Close a cell whose time has been credited; the kind that gets it. */
static int close_cell(struct sweep *sweep)
{
    int best = sweep->last; /* at equal credit no change, which costs room */

    for (int kind = 0; kind < KINDS; kind++)
        if (sweep->credit_ns[kind] > sweep->credit_ns[best])
            best = kind;
    sweep->credit_ns[best] -= sweep->cell_ns;
    emit(sweep, best, 1);
    return best;
}

static void pass(struct sweep *sweep, int kind, unsigned look, int64_t length_ns)
{
    int64_t part_ns = sweep->cell_ns - sweep->filled_ns, whole;

    if (kind != COMPUTE)
        sweep->look[kind] = look;
    if (part_ns > length_ns)
        part_ns = length_ns;
    if (sweep->filled_ns > 0) {
        sweep->credit_ns[kind] += part_ns;
        sweep->filled_ns += part_ns;
        length_ns -= part_ns;
        if (sweep->filled_ns < sweep->cell_ns)
            return;
        sweep->filled_ns = 0;
        close_cell(sweep);
    }
    for (whole = length_ns / sweep->cell_ns; whole > 0; whole--) {
        sweep->credit_ns[kind] += sweep->cell_ns;
        if (close_cell(sweep) == kind) { /* credits are as before: so it stays */
            emit(sweep, kind, whole - 1);
            break;
        }
    }
    sweep->filled_ns = length_ns % sweep->cell_ns;
    sweep->credit_ns[kind] += sweep->filled_ns;
}

/* Cut a lane into cells. 0 or -WM_ENOMEM, and then it is as it was. */
static int coarsen_lane(struct wm_page_timeline *timeline, struct wm_page_lane *lane, int64_t cell_ns)
{
    struct sweep sweep = {.cell_ns = cell_ns, .last = COMPUTE};
    int64_t now_ns = 0;

    if (lane->count == 0)
        return 0;
    order_lane(lane);
    for (size_t i = 0; i < lane->count; i++) {
        const struct wm_page_segment *segment = &lane->segments[i];
        int64_t begin_ns = segment->begin_ns > now_ns ? segment->begin_ns : now_ns;
        int64_t end_ns = segment->begin_ns + (int64_t)segment->length_ns;

        if (end_ns <= now_ns)
            continue;
        if (begin_ns > now_ns)
            pass(&sweep, COMPUTE, 0, begin_ns - now_ns);
        pass(&sweep, (int)timeline->looks[segment->look].kind, segment->look, end_ns - begin_ns);
        now_ns = end_ns;
    }
    if (sweep.filled_ns > 0)
        pass(&sweep, COMPUTE, 0, cell_ns - sweep.filled_ns);
    if (sweep.failed) {
        free(sweep.cells.segments);
        return -WM_ENOMEM;
    }
    free(lane->segments);
    *lane = sweep.cells;
    return 0;
}

static int coarsen(struct wm_page_timeline *timeline, int64_t cell_ns)
{
    size_t count = 0;

    for (int i = 0; i < timeline->lane_count; i++) {
        if (coarsen_lane(timeline, &timeline->lanes[i], cell_ns) < 0)
            return -WM_ENOMEM;
        count += timeline->lanes[i].count;
    }
    timeline->segment_count = count;
    timeline->resolution_ns = cell_ns;
    return 0;
}

static int make_room(struct wm_page_timeline *timeline)
{
    int rc = 0;

    while (timeline->segment_count > WM_PAGE_SEGMENTS_MAX / 2 && rc >= 0)
        rc = coarsen(timeline, 2 * timeline->resolution_ns);
    return rc;
}

/* Pieces of a region come from its end backwards: one that ends where the last begins may lengthen it. */
static bool join(struct wm_page_lane *lane, unsigned look, int64_t begin_ns, int64_t length_ns)
{
    struct wm_page_segment *last = lane->count ? &lane->segments[lane->count - 1] : NULL;

    if (last == NULL || last->look != look || begin_ns + length_ns != last->begin_ns)
        return false;
    last->begin_ns = begin_ns;
    last->length_ns += (uint64_t)length_ns;
    return true;
}

int wm_page_timeline_add(struct wm_page_timeline *timeline, int lane_number, const struct wm_page_look *look,
                         int64_t begin_ns, int64_t end_ns)
{
    struct wm_page_lane *lane = &timeline->lanes[lane_number];
    unsigned number = look_number(timeline, look);

    begin_ns -= timeline->origin_ns;
    end_ns -= timeline->origin_ns;
    if (begin_ns < 0)
        begin_ns = 0;
    if (end_ns <= begin_ns || end_ns - begin_ns >= INT64_C(1) << 47 || join(lane, number, begin_ns, end_ns - begin_ns))
        return 0;
    if (wm_vector_reserve(&lane->segments, &lane->capacity, lane->count + 1, sizeof *lane->segments) < 0)
        return -WM_ENOMEM;
    lane->segments[lane->count++] = (struct wm_page_segment){begin_ns, (uint64_t)(end_ns - begin_ns), number};
    timeline->segment_count++;
    return timeline->segment_count > WM_PAGE_SEGMENTS_MAX ? make_room(timeline) : 0;
}

/* Looks by how often they are shown: number_of[look] is the look's place, order[place] the look. */
static int compare_counts(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x < *y) - (*x > *y);
}

static int order_looks(const struct wm_page_timeline *timeline, uint16_t *number_of, uint16_t *order)
{
    uint64_t *counts = calloc((size_t)timeline->look_count + 1, sizeof *counts);

    if (counts == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < timeline->lane_count; i++)
        for (size_t k = 0; k < timeline->lanes[i].count; k++)
            counts[timeline->lanes[i].segments[k].look] += 1u << 16;
    for (int i = 0; i < timeline->look_count; i++)
        counts[i] |= (uint64_t)(0xffff - i);
    qsort(counts, (size_t)timeline->look_count, sizeof *counts, compare_counts);
    for (int i = 0; i < timeline->look_count; i++) {
        order[i] = (uint16_t)(0xffff - (counts[i] & 0xffff));
        number_of[order[i]] = (uint16_t)i;
    }
    free(counts);
    return 0;
}

static int encode(const struct wm_page_timeline *timeline, const uint16_t *number_of, struct wm_page_bytes *bytes)
{
    int rc = 0;

    for (int i = 0; i < timeline->lane_count && rc >= 0; i++) {
        const struct wm_page_lane *lane = &timeline->lanes[i];
        int64_t now_ns = 0;

        rc = wm_page_bytes_add(bytes, lane->count);
        for (size_t k = 0; k < lane->count && rc >= 0; k++) {
            const struct wm_page_segment *segment = &lane->segments[k];
            int64_t gap_ns = segment->begin_ns - now_ns;

            rc = wm_page_bytes_add(bytes, 2u * number_of[segment->look] + (gap_ns > 0));
            if (rc >= 0 && gap_ns > 0)
                rc = wm_page_bytes_add(bytes, (uint64_t)(gap_ns / timeline->resolution_ns));
            if (rc >= 0)
                rc = wm_page_bytes_add(bytes, segment->length_ns / (uint64_t)timeline->resolution_ns);
            now_ns = segment->begin_ns + (int64_t)segment->length_ns;
        }
    }
    return rc;
}

static int encode_all(const struct wm_page_timeline *timeline, struct wm_page_bytes *bytes, uint16_t *order)
{
    uint16_t number_of[WM_PAGE_LOOKS_MAX];

    if (order_looks(timeline, number_of, order) < 0)
        return -WM_ENOMEM;
    return encode(timeline, number_of, bytes);
}

int wm_page_timeline_fit(struct wm_page_timeline *timeline, size_t budget_bytes)
{
    uint16_t order[WM_PAGE_LOOKS_MAX];
    int rc = coarsen(timeline, timeline->resolution_ns);

    while (rc >= 0) {
        struct wm_page_bytes bytes = {0};
        bool fits, far;

        rc = encode_all(timeline, &bytes, order);
        fits = bytes.count <= budget_bytes || timeline->segment_count <= (size_t)timeline->lane_count ||
               timeline->resolution_ns > INT64_MAX / 8;
        far = bytes.count / 4 > budget_bytes;
        wm_page_bytes_release(&bytes);
        if (fits || rc < 0)
            break;
        rc = coarsen(timeline, (far ? 4 : 2) * timeline->resolution_ns);
    }
    return rc;
}

int wm_page_timeline_print(const struct wm_page_timeline *timeline, FILE *out)
{
    uint16_t order[WM_PAGE_LOOKS_MAX];
    struct wm_page_bytes bytes = {0};
    int rc = encode_all(timeline, &bytes, order);

    fprintf(out, "\"origin_ns\":%lld,\"resolution_ns\":%lld,\"looks\":[", (long long)timeline->origin_ns,
            (long long)timeline->resolution_ns);
    for (int i = 0; i < timeline->look_count; i++) {
        const struct wm_page_look *look = &timeline->looks[order[i]];

        fprintf(out, "%s[%d,%u,%u,\"%s\"]", i ? "," : "", (int)look->kind, look->node, look->region,
                wm_operation_name(look->operation));
    }
    fputs("],\"lanes\":", out);
    wm_page_bytes_print(out, bytes.bytes, bytes.count);
    wm_page_bytes_release(&bytes);
    return rc;
}
