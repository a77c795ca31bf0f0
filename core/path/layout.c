/* The layout of a path: groups and leaders of every stage. */
#include "core/path/layout.h"

#include <stdlib.h>
#include <string.h>
#include "core/path/fault.h"
#include "core/path/lag.h"
#include "core/path/transport.h"

struct builder {
    const struct wm_path *path;
    struct wm_layout *layout;
    int root;
    int axis_count;
    int column[WM_PATH_STAGES_MAX]; /* column[stage]: where its axis stands among the coordinates */
    int *coordinates;               /* [rank * axis_count + column] */
    bool *present;                  /* ranks that are still there */
};

static const struct wm_wrapper *stage_wrapper(const struct wm_path *path, int stage)
{
    return &path->wrappers[path->stages[stage]];
}

static int stage_axis(const struct wm_path *path, int stage)
{
    return stage_wrapper(path, stage)->axis;
}

static enum wm_stage_kind stage_kind(const struct wm_path *path, int stage)
{
    return stage_wrapper(path, stage)->service->stage;
}

static int coordinate(const struct builder *b, int rank, int stage)
{
    return b->coordinates[rank * b->axis_count + b->column[stage]];
}

/* Does the coordinate on `other`'s axis tell the groups of `stage` apart? */
static bool is_key(const struct builder *b, int stage, int other)
{
    bool down = wm_operation_flow(b->path->operation) == WM_FLOW_DOWN;

    if (other == stage)
        return false;
    if (down)
        return other < stage || stage_kind(b->path, stage) == WM_STAGE_SHARD;
    return other > stage || stage_kind(b->path, other) != WM_STAGE_FOLD;
}

struct sorting {
    const struct builder *b;
    int stage;
};

static int compare_keys(const struct sorting *s, int a, int c)
{
    for (int other = 0; other < s->b->path->stage_count; other++) {
        int difference = coordinate(s->b, a, other) - coordinate(s->b, c, other);

        if (is_key(s->b, s->stage, other) && difference != 0)
            return difference;
    }
    return 0;
}

static int compare_ranks(const void *left, const void *right, void *data)
{
    const struct sorting *s = data;
    int a = *(const int *)left, c = *(const int *)right, difference = compare_keys(s, a, c);

    if (difference == 0)
        difference = coordinate(s->b, a, s->stage) - coordinate(s->b, c, s->stage);
    return difference != 0 ? difference : a - c;
}

static int stage_allocate(struct wm_stage_layout *s, size_t ranks)
{
    s->group = malloc(ranks * sizeof *s->group);
    s->index = malloc(ranks * sizeof *s->index);
    s->first = malloc((ranks + 1) * sizeof *s->first);
    s->members = malloc(ranks * sizeof *s->members);
    s->leader = malloc(ranks * sizeof *s->leader);
    s->live = malloc(ranks * sizeof *s->live);
    return s->group && s->index && s->first && s->members && s->leader && s->live ? 0 : -WM_ENOMEM;
}

/* Sort the ranks that take part and cut them into groups. A scatter on the way down concerns everyone, for its way out.
 */
static int stage_group(struct builder *b, int stage)
{
    struct wm_stage_layout *s = &b->layout->stages[stage];
    bool everyone =
        wm_operation_flow(b->path->operation) == WM_FLOW_DOWN && stage_kind(b->path, stage) == WM_STAGE_SHARD;
    struct sorting sorting = {b, stage};
    int count = 0, ranks = b->layout->ranks;

    s->number = stage;
    if (stage_allocate(s, (size_t)ranks) < 0)
        return -WM_ENOMEM;
    for (int r = 0; r < ranks; r++) {
        s->group[r] = s->index[r] = -1;
        if (b->present[r] || everyone)
            s->members[count++] = r;
    }
    qsort_r(s->members, (size_t)count, sizeof *s->members, compare_ranks, &sorting);
    for (int i = 0; i < count; i++) {
        if (i == 0 || compare_keys(&sorting, s->members[i - 1], s->members[i]) != 0)
            s->first[s->group_count++] = i;
        s->group[s->members[i]] = s->group_count - 1;
        s->index[s->members[i]] = i - s->first[s->group_count - 1];
    }
    s->first[s->group_count] = count;
    return 0;
}

/* The member with the root's coordinate, else the first; where there is no root, the one the shape puts on top, and in
 * a scan the last, who has the total. */
static int group_leader(const struct builder *b, int stage, const int *members, int size)
{
    const struct wm_wrapper *wrapper = stage_wrapper(b->path, stage);

    if (wm_operation_scans(b->path->operation))
        return size - 1;
    if (!wm_operation_rooted(b->path->operation))
        return wrapper->shape != NULL ? wm_shape_root(wrapper->shape, size) : 0;
    for (int i = 0; i < size; i++)
        if (coordinate(b, members[i], stage) == coordinate(b, b->root, stage))
            return i;
    return 0;
}

/* On all later axes the group stands where the root stands. */
static bool group_live(const struct builder *b, int stage, int member)
{
    for (int later = stage + 1; later < b->path->stage_count; later++)
        if (wm_operation_rooted(b->path->operation) && coordinate(b, member, later) != coordinate(b, b->root, later))
            return false;
    return true;
}

static int check_tree(const struct builder *b, const struct wm_grid *grid, int stage, int size, struct wm_error *error)
{
    const struct wm_wrapper *wrapper = stage_wrapper(b->path, stage);
    const struct wm_shape *shape = wrapper->shape;

    if (shape == NULL || shape->kind != WM_SHAPE_TREE || wm_shape_tree_find(shape, size) != NULL)
        return 0;
    wm_error_set(error, -WM_EPATH,
                 "the tree of '%s' names %d members, but a group of axis '%s' has %d; "
                 "write a tree for that number, or a procedure",
                 wrapper->class->name, shape->trees != NULL ? shape->trees->size : 0,
                 wm_grid_axis_name(grid, wrapper->axis), size);
    wm_error_place(error, NULL, wrapper->line, wrapper->column);
    return -WM_EPATH;
}

static bool spans_nodes(const struct wm_grid *grid, const int *members, int size)
{
    for (int i = 1; i < size; i++)
        if (grid->node[members[i]] != grid->node[members[0]])
            return true;
    return false;
}

/* The wrapper that chooses the net of a stage: the last one before it, NULL: none. */
static const struct wm_wrapper *stage_remote(const struct wm_path *path, int stage)
{
    for (int i = path->stages[stage] - 1; i >= 0; i--)
        if (path->wrappers[i].class->role == WM_ROLE_NET)
            return &path->wrappers[i];
    return NULL;
}

static int refuse_remote(const struct wm_wrapper *remote, const struct wm_wrapper *stage, const struct wm_grid *grid,
                         struct wm_error *error)
{
    wm_error_set(error, -WM_EPATH,
                 "%s 'shm: the stage '%s %s' joins ranks of different nodes, which share no memory; use 'auto or 'mpi",
                 remote->class->name, stage->class->name, wm_grid_axis_name(grid, stage->axis));
    wm_error_place(error, NULL, remote->line, remote->column);
    return -WM_EPATH;
}

static int refuse_shared(const struct wm_wrapper *stage, const struct wm_param_value *value, const struct wm_grid *grid,
                         struct wm_error *error)
{
    wm_error_set(error, -WM_EPATH,
                 "shape 'shared needs ranks that share a node; axis '%s' joins ranks of different nodes, so choose "
                 "another shape there",
                 wm_grid_axis_name(grid, stage->axis));
    wm_error_place(error, NULL, value->line > 0 ? value->line : stage->line,
                   value->line > 0 ? value->column : stage->column);
    return -WM_EPATH;
}

/* Where the map asks for the shape 'shared; NULL: nowhere. */
static const struct wm_param_value *shared_shape(const struct wm_wrapper *wrapper)
{
    for (int v = 0; v < wrapper->class->param_count; v++)
        if (wrapper->class->params[v].type == WM_PARAM_SHAPE && wrapper->values[v].shape != NULL &&
            wrapper->values[v].shape->kind == WM_SHAPE_SHARED)
            return &wrapper->values[v];
    return NULL;
}

/* Shared memory is asked for among ranks that have none. */
static int check_nodes(const struct builder *b, const struct wm_grid *grid, int stage, const int *members, int size,
                       struct wm_error *error)
{
    const struct wm_wrapper *wrapper = stage_wrapper(b->path, stage), *remote = stage_remote(b->path, stage);
    const struct wm_param_value *shape = shared_shape(wrapper);

    if (!spans_nodes(grid, members, size))
        return 0;
    if (shape != NULL)
        return refuse_shared(wrapper, shape, grid, error);
    if (remote != NULL && remote->values[0].choice == WM_CHOOSE_SHM)
        return refuse_remote(remote, wrapper, grid, error);
    return 0;
}

/* Memory that the members share carries no messages that a `delay` around the stage could hold. */
static int check_apart(const struct builder *b, int stage, const int *members, int size, struct wm_error *error)
{
    const struct wm_wrapper *wrapper = stage_wrapper(b->path, stage), *delay = wm_path_delay(b->path);
    const struct wm_param_value *shape = shared_shape(wrapper);
    bool crosses = false;

    for (int i = 1; b->layout->apart != NULL && i < size; i++)
        crosses |= b->layout->apart[members[i]] != b->layout->apart[members[0]];
    if (!crosses || shape == NULL || wrapper < delay)
        return 0;
    wm_error_set(
        error, -WM_EPATH,
        "'delay' at line %d cannot hold what ranks write into memory that they share, and here #:shape 'shared "
        "crosses its axis; choose another shape, or put 'delay' behind this stage",
        delay->line);
    wm_error_place(error, NULL, shape->line > 0 ? shape->line : wrapper->line,
                   shape->line > 0 ? shape->column : wrapper->column);
    return -WM_EPATH;
}

/* Nor messages that a fault around the stage could spoil. */
static int check_spoils(const struct builder *b, int stage, struct wm_error *error)
{
    const struct wm_wrapper *wrapper = stage_wrapper(b->path, stage), *fault = wm_path_fault(b->path);
    const struct wm_param_value *shape = shared_shape(wrapper);

    if (fault == NULL || !wm_wrapper_spoils(fault) || shape == NULL || wrapper < fault)
        return 0;
    wm_error_set(error, -WM_EPATH,
                 "'%s' at line %d cannot reach what ranks write into memory that they share, as #:shape 'shared does; "
                 "choose another shape, or put '%s' behind this stage",
                 fault->class->name, fault->line, fault->class->name);
    wm_error_place(error, NULL, shape->line > 0 ? shape->line : wrapper->line,
                   shape->line > 0 ? shape->column : wrapper->column);
    return -WM_EPATH;
}

static int stage_lead(struct builder *b, const struct wm_grid *grid, int stage, struct wm_error *error)
{
    struct wm_stage_layout *s = &b->layout->stages[stage];
    bool fold = stage_kind(b->path, stage) == WM_STAGE_FOLD || wm_operation_flow(b->path->operation) == WM_FLOW_DOWN;

    for (int g = 0; g < s->group_count; g++) {
        const int *members = &s->members[s->first[g]];
        int size = s->first[g + 1] - s->first[g];

        if (check_tree(b, grid, stage, size, error) < 0 || check_nodes(b, grid, stage, members, size, error) < 0 ||
            check_apart(b, stage, members, size, error) < 0 || check_spoils(b, stage, error) < 0)
            return -WM_EPATH;
        s->leader[g] = group_leader(b, stage, members, size);
        s->live[g] = group_live(b, stage, members[0]);
        for (int i = 0; fold && i < size; i++)
            b->present[members[i]] = b->present[members[i]] && i == s->leader[g];
    }
    return 0;
}

/* A stage that keeps its members apart needs groups alike, unless nothing comes after it. */
static int check_uniform(const struct builder *b, const struct wm_grid *grid, struct wm_error *error)
{
    int axes[WM_PATH_STAGES_MAX];

    for (int i = 0; i < b->path->stage_count; i++)
        axes[i] = stage_axis(b->path, i);
    for (int stage = 0; stage + 1 < b->path->stage_count; stage++) {
        const struct wm_wrapper *wrapper = stage_wrapper(b->path, stage);

        if (wrapper->service->stage == WM_STAGE_FOLD || wm_grid_uniform_along(grid, axes, b->path->stage_count))
            continue;
        wm_error_set(
            error, -WM_EPATH,
            "'%s' over axis '%s' needs as many ranks in every group, but this grid is ragged; use a fold such as "
            "'reduce' or 'bcast' there, or choose by (if uniform? … …)",
            wrapper->class->name, wm_grid_axis_name(grid, axes[stage]));
        wm_error_place(error, NULL, wrapper->line, wrapper->column);
        return -WM_EPATH;
    }
    return 0;
}

static int refuse_scan(const struct builder *b, const struct wm_grid *grid, int stage, struct wm_error *error)
{
    const struct wm_wrapper *wrapper = stage_wrapper(b->path, stage);

    wm_error_set(
        error, -WM_EPATH,
        "'%s' over axis '%s' needs the ranks of each group to be neighbours, but here they are dealt out "
        "otherwise; use '%s' over 'all', name the stages in the other order, or choose by (if consecutive? … …)",
        wrapper->class->name, wm_grid_axis_name(grid, stage_axis(b->path, stage)), wrapper->class->name);
    wm_error_place(error, NULL, wrapper->line, wrapper->column);
    return -WM_EPATH;
}

/* What the members of a group stand for must be ranks that follow each other, or prefixes cannot be made of them. A
 * member stands for the ranks from low[member] up to itself, as the last of a group leads it. */
static int check_scan(const struct builder *b, const struct wm_grid *grid, struct wm_error *error)
{
    int *low = malloc(sizeof *low * (size_t)grid->ranks), rc = 0;

    if (low == NULL)
        return -WM_ENOMEM;
    for (int r = 0; r < grid->ranks; r++)
        low[r] = r;
    for (int stage = 0; rc == 0 && stage < b->path->stage_count; stage++) {
        struct wm_stage_layout *s = &b->layout->stages[stage];

        for (int g = 0; rc == 0 && g < s->group_count; g++) {
            const int *members = &s->members[s->first[g]];
            int last = s->first[g + 1] - s->first[g] - 1;

            for (int i = 1; rc == 0 && i <= last; i++)
                rc = members[i - 1] + 1 == low[members[i]] ? 0 : refuse_scan(b, grid, stage, error);
            s->live[g] = low[members[0]] > 0;
            low[members[last]] = low[members[0]];
        }
    }
    free(low);
    return rc;
}

/* The axes of the stages in grid order, and the coordinates of all ranks along them. */
static int find_coordinates(struct builder *b, const struct wm_grid *grid)
{
    int axes[WM_PATH_STAGES_MAX], count = b->path->stage_count;

    for (int i = 0; i < count; i++) {
        b->column[i] = 0;
        for (int j = 0; j < count; j++)
            b->column[i] += stage_axis(b->path, j) < stage_axis(b->path, i);
        axes[b->column[i]] = stage_axis(b->path, i);
    }
    b->axis_count = count;
    b->coordinates = malloc(sizeof(int) * (size_t)grid->ranks * (size_t)(count > 0 ? count : 1));
    return b->coordinates == NULL ? -WM_ENOMEM : wm_grid_coordinates(grid, axes, count, b->coordinates);
}

/* Before the first stage each rank holds its own. */
static int begin_sets(struct wm_stage_layout *s, int ranks)
{
    s->ranges = malloc(sizeof *s->ranges * (size_t)ranks);
    if (s->ranges == NULL)
        return -WM_ENOMEM;
    for (int r = 0; r < ranks; r++) {
        s->ranges[r] = (struct wm_rank_range){r, r};
        s->sets[r] = (struct wm_rank_set){1, 1, &s->ranges[r]};
    }
    return 0;
}

/* What the members of a group hold together: `set` has room for as many ranges as they have. */
static void unite_group(struct wm_rank_set *set, const struct wm_stage_layout *s, int group)
{
    for (int i = s->first[group]; i < s->first[group + 1]; i++) {
        const struct wm_rank_set *held = &s->sets[s->members[i]];

        for (int j = 0; j < held->count; j++)
            wm_rank_set_add(set, held->ranges[j].low, held->ranges[j].high);
    }
}

/* After a stage, whoever goes on holds what its group held there. */
static int unite_sets(struct wm_stage_layout *s, const struct wm_stage_layout *before)
{
    int count = before->first[before->group_count];
    size_t room = 1;
    struct wm_rank_range *next;

    for (int i = 0; i < count; i++)
        room += (size_t)before->sets[before->members[i]].count;
    next = s->ranges = malloc(sizeof *s->ranges * room);
    if (s->ranges == NULL)
        return -WM_ENOMEM;
    for (int g = 0; g < before->group_count; g++) {
        struct wm_rank_set set = {.ranges = next};

        unite_group(&set, before, g);
        set.room = set.count;
        for (int i = before->first[g]; i < before->first[g + 1]; i++)
            s->sets[before->members[i]] = set;
        next += set.count;
    }
    return 0;
}

/* Does the set of a member follow that of the one before it, so that together they are one range? */
static bool follows(const struct wm_stage_layout *s, int i)
{
    const struct wm_rank_set *before = &s->sets[s->members[i - 1]], *set = &s->sets[s->members[i]];

    return before->count == 1 && set->count == 1 && before->ranges[0].high + 1 == set->ranges[0].low;
}

static int join_sets(struct wm_stage_layout *s)
{
    int count = s->first[s->group_count];

    s->joined = malloc(sizeof *s->joined * ((size_t)count + 1));
    if (s->joined == NULL)
        return -WM_ENOMEM;
    for (int i = count - 1; i >= 0; i--)
        s->joined[i] = i + 1 < count && follows(s, i + 1) ? s->joined[i + 1] : i;
    return 0;
}

/* Follow the contributions through the stages. */
static int follow_sets(struct wm_layout *layout)
{
    int rc = 0;

    for (int stage = 0; rc == 0 && stage < layout->stage_count; stage++) {
        struct wm_stage_layout *s = &layout->stages[stage];

        s->sets = calloc((size_t)layout->ranks, sizeof *s->sets);
        if (s->sets == NULL)
            return -WM_ENOMEM;
        rc = stage == 0 ? begin_sets(s, layout->ranks) : unite_sets(s, s - 1);
        if (rc == 0)
            rc = join_sets(s);
    }
    return rc;
}

static int copy_apart(struct wm_layout *layout, const struct wm_path *path, const struct wm_grid *grid)
{
    const struct wm_wrapper *delay = wm_path_delay(path);
    size_t bytes = sizeof(int) * (size_t)grid->ranks;
    struct wm_lag lag;

    if (delay == NULL)
        return 0;
    lag = wm_lag_of(delay);
    if ((layout->apart = malloc(bytes)) == NULL)
        return -WM_ENOMEM;
    memcpy(layout->apart, wm_lag_groups(&lag, grid), bytes);
    return 0;
}

int wm_layout_new(struct wm_layout **out, const struct wm_path *path, const struct wm_grid *grid, int root, bool sets,
                  struct wm_error *error)
{
    struct builder b = {.path = path, .root = root < 0 ? 0 : root};
    bool down = wm_operation_flow(path->operation) == WM_FLOW_DOWN;
    enum wm_data_kind data = wm_operation_data(path->operation);
    int rc = -WM_ENOMEM;

    *out = NULL;
    b.layout = calloc(1, sizeof *b.layout);
    b.present = malloc(sizeof(bool) * (size_t)grid->ranks);
    if (b.layout == NULL || b.present == NULL || find_coordinates(&b, grid) < 0 ||
        (b.layout->node = malloc(sizeof(int) * (size_t)grid->ranks)) == NULL)
        goto out;
    memcpy(b.layout->node, grid->node, sizeof(int) * (size_t)grid->ranks);
    if (copy_apart(b.layout, path, grid) < 0)
        goto out;
    b.layout->ranks = grid->ranks;
    b.layout->stage_count = path->stage_count;
    memset(b.present, true, sizeof(bool) * (size_t)grid->ranks);
    if ((rc = check_uniform(&b, grid, error)) < 0)
        goto out;
    for (int i = 0; i < path->stage_count; i++) {
        int stage = down ? path->stage_count - 1 - i : i;

        if ((rc = stage_group(&b, stage)) < 0 || (rc = stage_lead(&b, grid, stage, error)) < 0)
            goto out;
    }
    if (wm_operation_scans(b.path->operation) && (rc = check_scan(&b, grid, error)) < 0)
        goto out;
    rc = sets && !wm_operation_scans(b.path->operation) ? follow_sets(b.layout) : 0;
    if (rc == 0 && data != WM_DATA_WHOLE && data != WM_DATA_EDGES) {
        b.layout->order = wm_order_new(path, grid->ranks, b.coordinates, b.column);
        rc = b.layout->order == NULL ? -WM_ENOMEM : 0;
    }
out:
    free(b.present);
    free(b.coordinates);
    if (rc < 0)
        wm_layout_free(b.layout);
    else
        *out = b.layout;
    return rc;
}

void wm_layout_free(struct wm_layout *layout)
{
    if (layout == NULL)
        return;
    for (int i = 0; i < WM_PATH_STAGES_MAX; i++) {
        struct wm_stage_layout *s = &layout->stages[i];

        free(s->group);
        free(s->index);
        free(s->first);
        free(s->members);
        free(s->leader);
        free(s->live);
        free(s->sets);
        free(s->ranges);
        free(s->joined);
    }
    wm_order_free(layout->order);
    free(layout->node);
    free(layout->apart);
    free(layout);
}
