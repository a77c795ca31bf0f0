/* The matrix of blocks: where each stands, messages packed of them, and their delivery. */
#include "core/plan/matrix.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/plan/copying.h"
#include "core/plan/planner_state.h"

/* Sizes. */

static int compare_pairs(const void *left, const void *right)
{
    const struct wm_pair_size *a = left, *b = right;

    return a->origin != b->origin ? (a->origin > b->origin) - (a->origin < b->origin)
                                  : (a->destination > b->destination) - (a->destination < b->destination);
}

/* A block between others: what is not in the list has none. */
static size_t passing_units(struct wm_planner *p, int origin, int destination)
{
    const struct wm_pair_sizes *pairs = p->call->pairs;
    struct wm_pair_size key = {.origin = origin, .destination = destination}, *found;

    if (p->call->operation == WM_ALLTOALL)
        return p->call->receive.each;
    if (pairs == NULL) {
        wm_planner_fail(p, "blocks between other ranks pass through here, and their sizes are not known");
        return 0;
    }
    found = pairs->count == 0 ? NULL : bsearch(&key, pairs->sizes, pairs->count, sizeof key, compare_pairs);
    return found != NULL ? found->count : pairs->each;
}

static size_t block_units(struct wm_planner *p, int origin, int destination)
{
    const struct wm_blocks *own = p->call->send.count > 0 ? &p->call->send : &p->call->receive;

    if (origin == p->rank)
        return wm_blocks_count(own, destination);
    if (destination == p->rank)
        return wm_blocks_count(&p->call->receive, origin);
    return passing_units(p, origin, destination);
}

size_t wm_bundle_units(struct wm_planner *p, const struct wm_bundle *bundle)
{
    size_t units = 0;

    for (int o = 0; o < bundle->origins.count; o++)
        for (int d = 0; d < bundle->destinations.count; d++)
            units += block_units(p, bundle->origins.list[o], bundle->destinations.list[d]);
    return units;
}

/* Lists of ranks. */

static struct wm_ranks new_ranks(struct wm_planner *p, int room)
{
    return (struct wm_ranks){0, wm_planner_allocate(p, sizeof(int) * (size_t)(room > 0 ? room : 1))};
}

static int compare_ranks(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static struct wm_ranks sorted(struct wm_ranks ranks)
{
    bool is_sorted = true;

    for (int i = 1; i < ranks.count && is_sorted; i++)
        is_sorted = ranks.list[i - 1] < ranks.list[i];
    if (!is_sorted)
        qsort(ranks.list, (size_t)ranks.count, sizeof *ranks.list, compare_ranks);
    return ranks;
}

struct wm_ranks wm_ranks_unite(struct wm_planner *p, const struct wm_ranks *lists, int count)
{
    struct wm_ranks all;
    int total = 0;

    for (int i = 0; i < count; i++)
        total += lists[i].count;
    all = new_ranks(p, total);
    for (int i = 0; i < count && all.list != NULL; i++) {
        if (lists[i].count > 0)
            memcpy(&all.list[all.count], lists[i].list, sizeof *all.list * (size_t)lists[i].count);
        all.count += lists[i].count;
    }
    return sorted(all);
}

struct wm_ranks wm_ranks_all(struct wm_planner *p)
{
    struct wm_ranks all = new_ranks(p, p->layout->ranks);

    while (all.list != NULL && all.count < p->layout->ranks) {
        all.list[all.count] = all.count;
        all.count++;
    }
    return all;
}

static int count_origins(const struct wm_layout *layout, int stage, int rank)
{
    const struct wm_stage_layout *before = stage > 0 ? &layout->stages[stage - 1] : NULL;
    int group = before != NULL ? before->group[rank] : -1, count = group < 0;

    for (int i = group < 0 ? 0 : before->first[group]; group >= 0 && i < before->first[group + 1]; i++)
        count += count_origins(layout, stage - 1, before->members[i]);
    return count;
}

/* A stage leaves each member that goes on with what all members of its group held. */
static void collect_origins(const struct wm_layout *layout, int stage, int rank, struct wm_ranks *out)
{
    const struct wm_stage_layout *before = stage > 0 ? &layout->stages[stage - 1] : NULL;
    int group = before != NULL ? before->group[rank] : -1;

    if (group < 0)
        out->list[out->count++] = rank;
    for (int i = group < 0 ? 0 : before->first[group]; group >= 0 && i < before->first[group + 1]; i++)
        collect_origins(layout, stage - 1, before->members[i], out);
}

struct wm_ranks wm_matrix_origins(struct wm_planner *p, const struct wm_group *group, int member)
{
    int stage = group->stage->number, rank = group->members[member];
    struct wm_ranks origins = new_ranks(p, count_origins(p->layout, stage, rank));

    if (origins.list != NULL)
        collect_origins(p->layout, stage, rank, &origins);
    return sorted(origins);
}

struct wm_ranks wm_matrix_destinations(struct wm_planner *p, const struct wm_group *group, int member)
{
    const struct wm_order *order = p->layout->order;
    int at = (order->significance[group->stage->number] + 1) * order->ranks + order->place_of[group->members[member]];
    struct wm_ranks destinations = new_ranks(p, order->high[at] - order->low[at]);

    for (int place = order->low[at]; place < order->high[at] && destinations.list != NULL; place++)
        destinations.list[destinations.count++] = order->rank_at[place];
    return sorted(destinations);
}

static int find_rank(const struct wm_ranks *ranks, int rank)
{
    const int *found = bsearch(&rank, ranks->list, (size_t)ranks->count, sizeof rank, compare_ranks);

    return found != NULL ? (int)(found - ranks->list) : -1;
}

/* Where the matrix has each rank of a list, -1 for those it has not: often at even distances. NULL after an error. */
static const int *find_ranks(struct wm_planner *p, const struct wm_ranks *in, const struct wm_ranks *wanted)
{
    int *at = wm_planner_allocate(p, sizeof *at * (size_t)(wanted->count + 1));

    for (int i = 0, next = 0; at != NULL && i < wanted->count; i++) {
        bool is_next = next < in->count && in->list[next] == wanted->list[i];

        at[i] = is_next ? next : find_rank(in, wanted->list[i]);
        next = at[i] + (i > 0 && at[i] > at[i - 1] ? at[i] - at[i - 1] : 1);
    }
    return at;
}

/* Matrices. */

struct wm_matrix *wm_matrix_new(struct wm_planner *p, struct wm_bundle blocks, const struct wm_matrix *from)
{
    size_t count = (size_t)blocks.origins.count * (size_t)blocks.destinations.count;
    struct wm_matrix *m = wm_planner_allocate(p, sizeof *m + sizeof *m->at * count);
    const int *rows, *columns;

    if (m == NULL)
        return NULL;
    *m = (struct wm_matrix){blocks, (struct wm_ref *)(m + 1)};
    if (from == NULL)
        return m;
    rows = find_ranks(p, &from->blocks.origins, &blocks.origins);
    columns = find_ranks(p, &from->blocks.destinations, &blocks.destinations);
    for (int o = 0; p->status == 0 && o < blocks.origins.count; o++)
        for (int d = 0; d < blocks.destinations.count; d++)
            if (rows[o] >= 0 && columns[d] >= 0)
                m->at[(size_t)o * (size_t)blocks.destinations.count + (size_t)d] =
                    from->at[(size_t)rows[o] * (size_t)from->blocks.destinations.count + (size_t)columns[d]];
    return m;
}

const struct wm_matrix *wm_matrix_get(const struct wm_planner *p)
{
    return p->matrix;
}

void wm_matrix_set(struct wm_planner *p, const struct wm_matrix *matrix)
{
    p->matrix = matrix;
}

/* What is done with each block of a bundle that has units: `at` is its place in the matrix. */
typedef void block_visit(struct wm_planner *p, struct wm_ref *at, size_t units, void *data);

static void visit_blocks(struct wm_planner *p, const struct wm_matrix *m, const struct wm_bundle *b, block_visit *visit,
                         void *data)
{
    const int *rows = p->status == 0 ? find_ranks(p, &m->blocks.origins, &b->origins) : NULL;
    const int *columns = rows != NULL ? find_ranks(p, &m->blocks.destinations, &b->destinations) : NULL;

    for (int o = 0; columns != NULL && o < b->origins.count; o++)
        for (int d = 0; d < b->destinations.count; d++) {
            size_t units = block_units(p, b->origins.list[o], b->destinations.list[d]);

            if (rows[o] < 0 || columns[d] < 0)
                WM_BUG("a rank deals with a block that it does not hold");
            if (units > 0)
                visit(p, &m->at[(size_t)rows[o] * (size_t)m->blocks.destinations.count + (size_t)columns[d]], units,
                      data);
        }
}

static void put_block(struct wm_planner *p, struct wm_ref *at, size_t units, void *data)
{
    struct wm_ref *next = data;

    (void)p;
    *at = *next;
    next->offset += units;
}

void wm_matrix_put(struct wm_planner *p, struct wm_matrix *m, const struct wm_bundle *bundle, struct wm_ref *at)
{
    visit_blocks(p, m, bundle, put_block, at);
}

/* Parcels: ranges that shall stand one behind the other. */

void wm_parcel_add_range(struct wm_planner *p, struct wm_ref at, size_t units)
{
    struct wm_range *last = p->range_count > 0 ? &p->ranges[p->range_count - 1] : NULL;

    if (units == 0 || p->status < 0)
        return;
    if (last != NULL && last->at.buffer == at.buffer && last->at.offset + last->units == at.offset)
        last->units += units;
    else if (wm_planner_grow(p, (void **)&p->ranges, p->range_count, &p->range_room, sizeof *p->ranges))
        p->ranges[p->range_count++] = (struct wm_range){at, units};
}

static void add_block(struct wm_planner *p, struct wm_ref *at, size_t units, void *data)
{
    (void)data;
    wm_parcel_add_range(p, *at, units);
}

void wm_parcel_add(struct wm_planner *p, const struct wm_matrix *m, const struct wm_bundle *bundle)
{
    visit_blocks(p, m, bundle, add_block, NULL);
}

static size_t ranges_units(const struct wm_planner *p)
{
    size_t units = 0;

    for (int i = 0; i < p->range_count; i++)
        units += p->ranges[i].units;
    return units;
}

/* The first `count` ranges of a list, which are blocks of one size at even distances: the first `low` of them stand
 * behind all others, of which range[low] stands lowest. `low` is 0 where the ranges are not such blocks; then `count`
 * of them need not be looked at again. */
struct rotation {
    int count, low;
    size_t distance;
};

static struct rotation find_rotation(const struct wm_range *range, int count)
{
    struct rotation r = {.count = 1};
    int lower;

    if (count < 3)
        return r;
    lower = range[1].at.offset > range[0].at.offset ? 0 : 1;
    r.distance = range[lower + 1].at.offset - range[lower].at.offset;
    for (; r.count < count; r.count++) {
        const struct wm_range *next = &range[r.count];

        if (next->at.buffer != range->at.buffer || next->units != range->units)
            break;
        if (next->at.offset == next[-1].at.offset + r.distance)
            continue;
        if (r.low > 0 || next->at.offset > range->at.offset)
            break;
        r.low = r.count;
    }
    if (r.distance <= range->units || range[r.count - 1].at.offset + r.distance != range->at.offset)
        r.low = 0;
    return r;
}

/* Copy the ranges into a new temporary. Blocks once round are one step, as they are where they begin with the lowest.
 */
static struct wm_ref pack_ranges(struct wm_planner *p)
{
    struct wm_ref packed = wm_planner_temporary(p, ranges_units(p)), next = packed;
    struct wm_copying copying = {0};

    for (int i = 0, looked = 0; i < p->range_count; i++) {
        const struct wm_range *range = &p->ranges[i];
        struct rotation r = {.low = 0};
        size_t units = range->units;

        if (i >= looked) {
            r = find_rotation(range, p->range_count - i);
            looked = i + r.count;
        }
        if (r.low > 0) {
            struct wm_stride stride = {units, r.distance, (size_t)(r.count - r.low)};

            units *= (size_t)r.count;
            wm_copying_end(p, &copying);
            wm_planner_copy_blocks(p, range[r.low].at, stride, next, units);
            i = looked - 1;
        } else {
            wm_copying_add(p, &copying, range->at, next, units);
        }
        next.offset += units;
    }
    wm_copying_end(p, &copying);
    return packed;
}

struct wm_ref wm_parcel_place(struct wm_planner *p, size_t *units)
{
    struct wm_ref at = {WM_BUFFER_TEMPORARY, 0};

    *units = ranges_units(p);
    if (p->range_count > 0)
        at = p->range_count == 1 ? p->ranges[0].at : pack_ranges(p);
    p->range_count = 0;
    return at;
}

static struct wm_ref home_of(const struct wm_planner *p, int origin)
{
    return (struct wm_ref){WM_BUFFER_RECEIVE, p->receive_starts != NULL ? p->receive_starts[origin]
                                                                        : wm_blocks_offset(&p->call->receive, origin)};
}

/* Tell whoever wants to know where the blocks stand that pass. */
static void note_bundle(struct wm_planner *p, const struct wm_bundle *b, struct wm_ref *at)
{
    struct wm_plan *plan = p->plan;

    for (int o = 0; o < b->origins.count; o++)
        for (int d = 0; d < b->destinations.count; d++) {
            int origin = b->origins.list[o], destination = b->destinations.list[d];

            if (destination != p->rank &&
                wm_planner_grow(p, (void **)&plan->notes, plan->note_count, &p->note_room, sizeof *plan->notes))
                plan->notes[plan->note_count++] = (struct wm_note){origin, destination, *at};
            at->offset += block_units(p, origin, destination);
        }
}

/* Add the bundle's blocks where they belong in the receive buffer. False: not all are for this rank. */
static bool add_home(struct wm_planner *p, const struct wm_bundle *b)
{
    if (b->destinations.count != 1 || b->destinations.list[0] != p->rank)
        return wm_bundle_units(p, b) == 0;
    for (int o = 0; o < b->origins.count; o++)
        wm_parcel_add_range(p, home_of(p, b->origins.list[o]), block_units(p, b->origins.list[o], p->rank));
    return true;
}

struct wm_ref wm_parcel_room(struct wm_planner *p, const struct wm_bundle *bundles, int count, size_t *units)
{
    struct wm_ref at = {WM_BUFFER_TEMPORARY, 0}, next;
    bool home = true;

    *units = 0;
    for (int i = 0; i < count && p->status == 0; i++) {
        *units += wm_bundle_units(p, &bundles[i]);
        home = home && add_home(p, &bundles[i]);
    }
    if (*units > 0 && p->status == 0)
        at = home && p->range_count == 1 ? p->ranges[0].at : wm_planner_temporary(p, *units);
    p->range_count = 0;
    next = at;
    for (int i = 0; i < count && p->call->noted && p->status == 0; i++)
        note_bundle(p, &bundles[i], &next);
    return at;
}

/* The beginning and the end. */

/* Offsets of blocks that stand one behind the other, where it would take long to find each. */
static const size_t *find_starts(struct wm_planner *p, const struct wm_blocks *blocks)
{
    size_t *starts;

    if (blocks->offsets != NULL || blocks->counts == NULL)
        return blocks->offsets;
    starts = wm_planner_allocate(p, sizeof *starts * ((size_t)blocks->count + 1));
    for (int i = 0; starts != NULL && i < blocks->count; i++)
        starts[i + 1] = starts[i] + blocks->counts[i];
    return starts;
}

/* What stands in place would be overwritten by what comes while it waits to go: it is put aside, the own block, too, so
 * that it is one range where the blocks are. */
static void put_aside(struct wm_planner *p, struct wm_ref *row)
{
    struct wm_ref next;

    for (int d = 0; d < p->layout->ranks; d++)
        wm_parcel_add_range(p, row[d], block_units(p, p->rank, d));
    if (p->range_count == 0)
        return;
    next = pack_ranges(p);
    p->range_count = 0;
    for (int d = 0; d < p->layout->ranks; d++) {
        if (d != p->rank)
            row[d] = next;
        next.offset += block_units(p, p->rank, d);
    }
}

void wm_matrix_begin(struct wm_planner *p)
{
    bool in_place = p->call->send.count == 0;
    const struct wm_blocks *own = in_place ? &p->call->receive : &p->call->send;
    const size_t *starts = find_starts(p, own);
    struct wm_ranks self = new_ranks(p, 1);
    struct wm_matrix *row;

    p->receive_starts = find_starts(p, &p->call->receive);
    p->flow = (struct wm_flow){0, wm_blocks_total(own), {0, NULL}};
    if (p->status < 0)
        return;
    self.list[self.count++] = p->rank;
    if ((row = wm_matrix_new(p, (struct wm_bundle){self, wm_ranks_all(p)}, NULL)) == NULL)
        return;
    for (int d = 0; d < row->blocks.destinations.count; d++)
        row->at[d] = (struct wm_ref){in_place ? WM_BUFFER_RECEIVE : WM_BUFFER_SEND,
                                     starts != NULL ? starts[d] : wm_blocks_offset(own, d)};
    if (in_place && !p->path->native)
        put_aside(p, row->at);
    p->matrix = row;
}

void wm_matrix_deliver(struct wm_planner *p)
{
    struct wm_copying copying = {0};
    int column = p->status == 0 ? find_rank(&p->matrix->blocks.destinations, p->rank) : -1;

    if (p->status == 0 && (column < 0 || p->matrix->blocks.origins.count != p->layout->ranks))
        WM_BUG("a rank ends without its column");
    for (int origin = 0; p->status == 0 && origin < p->layout->ranks; origin++) {
        size_t units = block_units(p, origin, p->rank);
        struct wm_ref to = home_of(p, origin);
        struct wm_ref from =
            p->matrix->at[(size_t)origin * (size_t)p->matrix->blocks.destinations.count + (size_t)column];

        if (from.buffer != to.buffer || from.offset != to.offset)
            wm_copying_add(p, &copying, from, to, units);
    }
    wm_copying_end(p, &copying);
}
