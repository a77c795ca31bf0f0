/* Symmetry: turns and flips of the ranks, found in the grid, and what they do to units. */
#include "tools/proof/symmetry.h"

#include <stdlib.h>

enum { PERIOD_LEAST = 8 }; /* of sizes that repeat */

int wm_symmetry_of(const struct wm_symmetry *s, int rank)
{
    int block = rank - rank % s->step;

    return s->flips ? block ^ s->first : (block - s->first + s->ranks) % s->ranks;
}

int wm_symmetry_inverse(const struct wm_symmetry *s, int displacement)
{
    return s->flips || displacement == 0 ? displacement : s->ranks - displacement;
}

int wm_symmetry_image(const struct wm_symmetry *s, int displacement, int rank)
{
    return s->flips ? rank ^ displacement : (int)(((int64_t)rank + displacement) % s->ranks);
}

/* Does the displacement take every group to a group? images[g]: what it makes of group g. */
static bool keeps_groups(const struct wm_symmetry *s, const int *group, int displacement, int *images)
{
    for (int r = 0; r < s->ranks; r++)
        images[group[r]] = -1;
    for (int r = 0; r < s->ranks; r++) {
        int image = group[wm_symmetry_image(s, displacement, r)];

        if (images[group[r]] >= 0 && images[group[r]] != image)
            return false;
        images[group[r]] = image;
    }
    return true;
}

/* A permutation of ranks that takes each group into one takes each onto one where all sizes agree, or else the inverse
 * would not; so only generators need to be looked at. */
static bool keeps_grid(const struct wm_symmetry *s, const struct wm_grid *grid, int displacement, int *images)
{
    int back = wm_symmetry_inverse(s, displacement);
    bool keeps = keeps_groups(s, grid->node, displacement, images) && keeps_groups(s, grid->node, back, images);

    for (int axis = 0; keeps && axis < grid->axis_count; axis++)
        keeps = keeps_groups(s, grid->axes[axis].group, displacement, images) &&
                keeps_groups(s, grid->axes[axis].group, back, images);
    return keeps;
}

static bool generates(struct wm_symmetry *s, const struct wm_grid *grid, int step, int *images)
{
    s->step = step;
    if (!s->flips)
        return keeps_grid(s, grid, step, images);
    for (int d = step; d < s->ranks; d *= 2)
        if (!keeps_grid(s, grid, d, images))
            return false;
    return true;
}

static bool is_reduce_scatter(enum wm_operation operation)
{
    return wm_operation_data(operation) == WM_DATA_BLOCKS && wm_operation_combines(operation);
}

static bool is_symmetric(const struct wm_path *path, const struct wm_scenario *s)
{
    enum wm_data_kind data = wm_operation_data(s->operation);

    for (int i = 0; i < path->wrapper_count; i++)
        if (path->wrappers[i].shape != NULL && path->wrappers[i].shape->kind == WM_SHAPE_TREE)
            return false;
    return !path->native && wm_path_fault(path) == NULL && !wm_operation_rooted(s->operation) &&
           !wm_operation_scans(s->operation) && (s->commutative || is_reduce_scatter(s->operation)) &&
           (data == WM_DATA_WHOLE || data == WM_DATA_BLOCKS || data == WM_DATA_PAIRS);
}

/* Room for each group, and each node: nodes are numbered as in the job, of which the grid may have a part. */
static int *new_images(const struct wm_grid *grid)
{
    int most = grid->ranks;

    for (int r = 0; r < grid->ranks; r++)
        most = grid->node[r] >= most ? grid->node[r] + 1 : most;
    return malloc(sizeof(int) * (size_t)most);
}

static void repeat_sizes(struct wm_symmetry *s, struct wm_scenario *scenario)
{
    scenario->period = s->period = s->step;
    scenario->together = 0;
    s->sum = wm_scenario_sum(scenario);
    s->slot = wm_scenario_slot(scenario);
}

bool wm_symmetry_find(struct wm_symmetry *s, const struct wm_path *path, const struct wm_grid *grid,
                      struct wm_scenario *scenario, bool flips, int least)
{
    bool vectors = wm_operation_takes_vectors(scenario->operation), found = false;
    int *images;

    *s = (struct wm_symmetry){
        .ranks = grid->ranks, .flips = flips, .apart = !scenario->commutative, .each = scenario->each, .period = 1};
    s->stride = vectors ? 2 * s->each : s->each;
    vectors = vectors && (scenario->uneven || scenario->scattered);
    least = vectors && least < PERIOD_LEAST ? PERIOD_LEAST : least;
    if (!is_symmetric(path, scenario) || (flips && s->apart) || (flips && (s->ranks & (s->ranks - 1)) != 0))
        return false;
    images = new_images(grid);
    if (images == NULL)
        return false;
    for (int step = least; !found && step < s->ranks; step++)
        found = s->ranks % step == 0 && (!flips || (step & (step - 1)) == 0) && generates(s, grid, step, images);
    free(images);
    if (found && vectors)
        repeat_sizes(s, scenario);
    return found;
}

/* How far a displacement moves the members of a stage's groups. */
static int stage_shift(const struct wm_symmetry *s, int stage, int displacement)
{
    const int *index = s->layout->stages[stage].index;
    int from = index[0], to = index[wm_symmetry_image(s, displacement, 0)];

    if (from < 0 || to < 0)
        return 0;
    return s->flips ? from ^ to : to - from;
}

/* The part that part `part` of the shares goes to. */
static size_t share_image(const struct wm_symmetry *s, int displacement, size_t part)
{
    size_t image = 0, weight = 1;

    for (int i = s->digit_count - 1; i >= 0; i--) {
        int n = s->digits[i], digit = (int)(part % (size_t)n), shift = stage_shift(s, s->stages[i], displacement);

        digit = s->flips ? digit ^ shift : (digit + shift + n) % n;
        image += weight * (size_t)digit;
        weight *= (size_t)n;
        part /= (size_t)n;
    }
    return image;
}

/* Parts of blocks. */
static size_t block_parts(const struct wm_symmetry *s)
{
    return (size_t)(s->ranks / s->period);
}

static size_t block_image(const struct wm_symmetry *s, int displacement, size_t part)
{
    return (size_t)(wm_symmetry_image(s, displacement, (int)part * s->period) / s->period);
}

static size_t part_image(const struct wm_symmetry *s, enum wm_space space, int displacement, size_t part)
{
    size_t ranks = (size_t)s->ranks, last = block_parts(s) - 1;
    const struct wm_order *order = s->layout->order;

    switch (space) {
    case WM_SPACE_SHARES:
        return share_image(s, displacement, part);
    case WM_SPACE_BLOCKS:
        return block_image(s, displacement, part);
    case WM_SPACE_SLOTS:
        return last - block_image(s, displacement, last - part);
    case WM_SPACE_PLACES:
        if (s->period > 1) /* in order: wm_symmetry_lay */
            return block_image(s, displacement, part);
        return (size_t)order->place_of[wm_symmetry_image(s, displacement, order->rank_at[part])];
    case WM_SPACE_PAIRS:
        return (size_t)wm_symmetry_image(s, displacement, (int)(part / ranks)) * ranks +
               (size_t)wm_symmetry_image(s, displacement, (int)(part % ranks));
    case WM_SPACE_FIXED:
        break;
    }
    return part;
}

static size_t share_count(const struct wm_symmetry *s)
{
    size_t parts = 1;

    for (int i = 0; i < s->digit_count; i++)
        parts *= (size_t)s->digits[i];
    return parts;
}

static bool is_closed(const struct wm_symmetry *s, enum wm_space space, size_t count, size_t parts)
{
    for (int d = s->step; d < s->ranks; d *= 2) /* flips are made of these, turns of the first */
        for (size_t part = 0; part < parts && (s->flips || d == s->step); part++)
            if (part_image(s, space, d, part) / count != part / count)
                return false;
    return true;
}

static size_t find_closed(const struct wm_symmetry *s, enum wm_space space, size_t parts)
{
    size_t count = 1;

    while (count < parts && (parts % count != 0 || !is_closed(s, space, count, parts)))
        count++;
    return count;
}

/* A shard leaves its share to the stages behind it; a replicate cuts the data for itself alone, and that matters where
 * its members are moved. */
bool wm_symmetry_lay(struct wm_symmetry *s, const struct wm_path *path, const struct wm_layout *layout)
{
    size_t places = layout->order != NULL ? block_parts(s) : 1;

    s->layout = layout;
    s->digit_count = 0;
    for (int stage = 0; stage < path->stage_count; stage++) {
        enum wm_stage_kind kind = path->wrappers[path->stages[stage]].service->stage;
        const struct wm_stage_layout *l = &layout->stages[stage];

        if (kind == WM_STAGE_FOLD || (kind == WM_STAGE_REPLICATE && stage_shift(s, stage, s->step) == 0))
            continue;
        s->digits[s->digit_count] = l->first[1] - l->first[0];
        s->stages[s->digit_count++] = stage;
    }
    s->closed[WM_SPACE_SHARES] = find_closed(s, WM_SPACE_SHARES, share_count(s));
    s->closed[WM_SPACE_BLOCKS] = s->closed[WM_SPACE_SLOTS] = block_parts(s);
    s->closed[WM_SPACE_PLACES] = places > 1 ? find_closed(s, WM_SPACE_PLACES, places) : 1;
    return s->period == 1 || layout->order == NULL || layout->order->identity;
}

size_t wm_symmetry_part(const struct wm_symmetry *s, enum wm_space space)
{
    if (space == WM_SPACE_FIXED)
        return 0;
    if (space == WM_SPACE_SHARES)
        return s->each / share_count(s);
    if (space == WM_SPACE_PAIRS)
        return s->stride;
    if (s->period == 1)
        return s->each;
    return space == WM_SPACE_SLOTS ? s->slot : s->sum;
}

static size_t space_units(const struct wm_symmetry *s, enum wm_space space)
{
    size_t ranks = (size_t)s->ranks;

    if (space == WM_SPACE_SHARES)
        return s->each;
    return space == WM_SPACE_PAIRS ? s->stride * ranks * ranks : wm_symmetry_part(s, space) * block_parts(s);
}

size_t wm_symmetry_round(const struct wm_symmetry *s, enum wm_operation operation, size_t each)
{
    size_t parts = share_count(s);

    return wm_operation_data(operation) == WM_DATA_WHOLE ? (each + parts - 1) / parts * parts : each;
}

size_t wm_symmetry_unit(const struct wm_symmetry *s, enum wm_space space, int displacement, size_t unit)
{
    size_t part = wm_symmetry_part(s, space);

    return part == 0 ? unit : part_image(s, space, displacement, unit / part) * part + unit % part;
}

bool wm_symmetry_permutes(const struct wm_symmetry *s, enum wm_space space, size_t offset, size_t count)
{
    size_t part = wm_symmetry_part(s, space);

    size_t closed = part > 0 ? s->closed[space] : 1, units = closed * part;

    return closed > 1 && count > 0 && offset % units == 0 && count % units == 0 &&
           offset + count <= space_units(s, space);
}

bool wm_symmetry_range(const struct wm_symmetry *s, enum wm_space space, int displacement, size_t offset, size_t count,
                       size_t *image)
{
    size_t part = wm_symmetry_part(s, space), first, end = offset + count;

    *image = offset;
    if (part == 0 || wm_symmetry_permutes(s, space, offset, count))
        return true;
    if (end > space_units(s, space))
        return false;
    *image = first = wm_symmetry_unit(s, space, displacement, offset);
    for (size_t unit = (offset / part + 1) * part; unit < end; unit += part)
        if (wm_symmetry_unit(s, space, displacement, unit) != first + (unit - offset))
            return false;
    return true;
}

enum wm_space wm_symmetry_space(const struct wm_scenario *s, int buffer, bool writes)
{
    bool combines = wm_operation_combines(s->operation);
    enum wm_space blocks = s->scattered && s->period > 0 ? WM_SPACE_SLOTS : WM_SPACE_BLOCKS;

    switch (wm_operation_data(s->operation)) {
    case WM_DATA_WHOLE:
        return s->operation == WM_BARRIER ? WM_SPACE_FIXED : WM_SPACE_SHARES;
    case WM_DATA_BLOCKS:
        if (combines) /* in place a block takes the place of all */
            return buffer == WM_BUFFER_SEND || (s->in_place && !writes) ? WM_SPACE_BLOCKS : WM_SPACE_FIXED;
        return buffer == WM_BUFFER_RECEIVE ? blocks : WM_SPACE_FIXED;
    case WM_DATA_PAIRS:
        return blocks;
    default:
        return WM_SPACE_FIXED;
    }
}

enum wm_space wm_symmetry_origins(enum wm_operation operation)
{
    switch (wm_operation_data(operation)) {
    case WM_DATA_WHOLE:
        return operation == WM_BARRIER ? WM_SPACE_FIXED : WM_SPACE_SHARES;
    case WM_DATA_BLOCKS:
        return WM_SPACE_BLOCKS;
    case WM_DATA_PAIRS:
        return WM_SPACE_PAIRS;
    default:
        return WM_SPACE_FIXED;
    }
}

enum wm_space wm_symmetry_home(enum wm_operation operation)
{
    enum wm_data_kind data = wm_operation_data(operation);

    if (data == WM_DATA_WHOLE && operation != WM_BARRIER)
        return WM_SPACE_SHARES;
    return data == WM_DATA_BLOCKS || data == WM_DATA_PAIRS ? WM_SPACE_PLACES : WM_SPACE_FIXED;
}
