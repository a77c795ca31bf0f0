/* Candidates: stages that serve the operation, over all ranks or over cores, nodes and clusters, with each shape that
 * they take, whole or in segments. */
#include "tools/tune/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/path/wrapper.h"

enum { EFFORT_STAGE = 100, EFFORT_SEGMENT = 50, EFFORT_SHAPE = 10, EFFORT_NUMBER = 5, STAGE_CHARS = 64 };

static const uint64_t segments[] = {16 << 10, 64 << 10, 128 << 10, 512 << 10};
/* Of several stages; between clusters also those that a library sends without asking first. */
static const uint64_t levels_segment = 128 << 10, clusters_segment = 32 << 10;

/* A stage as it is written. */
struct stage {
    char text[STAGE_CHARS];
    int effort;
    enum wm_stage_kind kind;
    bool shared, tree;
};

enum { STAGES_MAX = 64 };

struct stages {
    int count;
    struct stage of[STAGES_MAX];
};

static const struct wm_param *shape_of(const struct wm_wrapper_class *class)
{
    for (int i = 0; i < class->param_count; i++)
        if (class->params[i].type == WM_PARAM_SHAPE && strcmp(class->params[i].name, "shape") == 0)
            return &class->params[i];
    return NULL;
}

static void add_stage(struct stages *stages, const struct wm_wrapper_class *class, enum wm_stage_kind kind,
                      const char *axis, enum wm_shape_kind shape, int number)
{
    struct stage *s = &stages->of[stages->count];
    const char *name = shape == WM_SHAPE_KNOMIAL ? "binomial" : wm_shape_name(shape);
    char words[STAGE_CHARS] = "";

    if (stages->count == STAGES_MAX)
        return;
    if (number > 0)
        snprintf(words, sizeof words, " #:shape (%s %d)", wm_shape_name(shape), number);
    else if (strcmp(name, shape_of(class)->fallback) != 0)
        snprintf(words, sizeof words, " #:shape '%s", name);
    *s = (struct stage){.effort = EFFORT_STAGE + (words[0] != '\0' && shape != WM_SHAPE_SHARED ? EFFORT_SHAPE : 0) +
                                  (number > 0 ? EFFORT_NUMBER : 0),
                        .kind = kind,
                        .shared = shape == WM_SHAPE_SHARED,
                        .tree = wm_shape_can(shape, WM_SHAPE_IS_TREE) || shape == WM_SHAPE_DOUBLE_TREE};
    if (snprintf(s->text, sizeof s->text, "(%s %s%s)", class->name, axis, words) < (int)sizeof s->text)
        stages->count++;
}

/* Which shapes a stage is listed with: all; all but the shared one; that alone; its own, where the map names none. */
enum shapes { NEAR, APART, SHARED, USUAL };

static bool is_listed(enum wm_shape_kind shape, const struct wm_param *param, enum shapes which)
{
    const char *name = shape == WM_SHAPE_KNOMIAL ? "binomial" : wm_shape_name(shape);

    if (shape == WM_SHAPE_TREE || !wm_shape_can(shape, param->shapes))
        return false;
    return which == NEAR || (which == SHARED && shape == WM_SHAPE_SHARED) ||
           (which == APART && shape != WM_SHAPE_SHARED) || (which == USUAL && strcmp(name, param->fallback) == 0);
}

static struct stages stages_of(enum wm_operation op, const char *axis, enum shapes which)
{
    struct stages stages = {0};

    for (const struct wm_wrapper_class *const *c = wm_wrapper_classes(); *c != NULL; c++) {
        const struct wm_service *service = wm_wrapper_service(*c, op);
        const struct wm_param *shape = shape_of(*c);

        if (service == NULL || service->stage == WM_STAGE_NONE || shape == NULL)
            continue;
        for (int k = 0; k < WM_SHAPE_COUNT; k++) {
            if (!is_listed((enum wm_shape_kind)k, shape, which))
                continue;
            add_stage(&stages, *c, service->stage, axis, (enum wm_shape_kind)k, 0);
            if ((which == NEAR || which == APART) &&
                (k == WM_SHAPE_KNOMIAL || k == WM_SHAPE_BUTTERFLY || k == WM_SHAPE_BRUCK))
                add_stage(&stages, *c, service->stage, axis, (enum wm_shape_kind)k, 4);
        }
    }
    return stages;
}

enum { LEVELS_MAX = 3 };

/* Stages behind each other. */
static void add_path(struct wm_tune_list *list, uint64_t segment, const struct stage *const *stages, int count)
{
    struct wm_tune_path *p = &list->paths[list->count];

    if (list->count == WM_TUNE_PATHS_MAX)
        return;
    *p = (struct wm_tune_path){.effort = segment > 0 ? EFFORT_SEGMENT : 0,
                               .least_bytes = segment > 0 ? segment + 1 : 0,
                               .near = count == 1 && stages[0]->shared};
    wm_text_append(p->text, sizeof p->text, "(path");
    if (segment > 0)
        wm_text_append(p->text, sizeof p->text, " (segment %dKiB)", (int)(segment >> 10));
    for (int i = 0; i < count; i++) {
        p->effort += stages[i]->effort;
        p->uniform = p->uniform || (i + 1 < count && stages[i]->kind != WM_STAGE_FOLD);
        wm_text_append(p->text, sizeof p->text, " %s", stages[i]->text);
    }
    wm_text_append(p->text, sizeof p->text, ")");
    list->count += strlen(p->text) + 1 < sizeof p->text;
}

/* Whole, and in segments where stages behind each other, or a tree, have pieces under way at once; of several stages in
 * few sizes, since there are many. */
static void add_paths(struct wm_tune_list *list, enum wm_operation op, const struct stage *const *stages, int count)
{
    bool cuts = wm_wrapper_service(wm_wrapper_find("segment"), op) != NULL && !wm_operation_scans(op), tree = false;

    for (int i = 0; i < count; i++)
        tree = tree || (stages[i]->tree && (count > 1 || !stages[i]->shared));
    add_path(list, 0, stages, count);
    if (!cuts || !tree)
        return;
    for (size_t i = 0; count == 1 && i < sizeof segments / sizeof *segments; i++)
        add_path(list, segments[i], stages, count);
    if (count == LEVELS_MAX)
        add_path(list, clusters_segment, stages, count);
    if (count > 1)
        add_path(list, levels_segment, stages, count);
}

static int by_effort(const void *a, const void *b)
{
    const struct wm_tune_path *x = a, *y = b;

    return x->effort != y->effort ? (x->effort > y->effort) - (x->effort < y->effort) : strcmp(x->text, y->text);
}

/* Shares are cut from the inside out, and then go from the outside in. False: nothing is cut. */
static bool order_shares(const struct stage *const *stages, int count, const struct stage *ordered[LEVELS_MAX])
{
    int cut = 0, n;

    for (int i = count - 1; i >= 0; i--)
        if (stages[i]->kind == WM_STAGE_SHARD)
            ordered[cut++] = stages[i];
    n = cut;
    for (int i = 0; i < count; i++)
        if (stages[i]->kind != WM_STAGE_SHARD)
            ordered[n++] = stages[i];
    return cut > 0;
}

/* One stage of each level, outermost first: as they stand, and in other orders that make sense. */
static void add_levels(struct wm_tune_list *list, enum wm_operation op, const struct stage *const *stages, int count)
{
    const struct stage *inner_first[LEVELS_MAX], *shares[LEVELS_MAX];
    bool down = wm_operation_flow(op) == WM_FLOW_DOWN, shards = true;

    for (int i = 0; i < count; i++) {
        inner_first[i] = stages[count - 1 - i];
        shards = shards && stages[i]->kind != WM_STAGE_FOLD;
    }
    add_paths(list, op, down ? stages : inner_first, count);
    if (down && order_shares(stages, count, shares))
        add_paths(list, op, shares, count);
    if (shards && wm_operation_flow(op) == WM_FLOW_ALL && !wm_operation_combines(op))
        add_path(list, 0, stages, count);
}

/* Data from a root goes from cluster to cluster first, and from node to node; what comes together, within nodes first;
 * what everyone has, either way. Few clusters have few ways to meet. */
static void list_levels(struct wm_tune_list *list, enum wm_operation op, bool has_clusters)
{
    struct stages cores = stages_of(op, "core", SHARED), nodes = stages_of(op, "node", has_clusters ? USUAL : APART),
                  clusters = stages_of(op, "cluster", USUAL);

    for (int c = 0; c < cores.count; c++)
        for (int n = 0; n < nodes.count; n++)
            for (int k = 0; k < (has_clusters ? clusters.count : 1); k++) {
                const struct stage *const stages[] = {&clusters.of[k], &nodes.of[n], &cores.of[c]};

                if (has_clusters)
                    add_levels(list, op, stages, 3);
                else
                    add_levels(list, op, stages + 1, 2);
            }
}

void wm_tune_list_paths(struct wm_tune_list *list, enum wm_operation op, int nodes, int clusters)
{
    struct stages all = stages_of(op, "all", nodes == 1 ? NEAR : APART);

    *list = (struct wm_tune_list){.count = 1, .paths = {{.text = "(native)"}}};
    for (int i = 0; i < all.count; i++) {
        const struct stage *const stage = &all.of[i];

        add_paths(list, op, &stage, 1);
    }
    if (nodes > 1)
        list_levels(list, op, clusters > 1);
    qsort(list->paths, (size_t)list->count, sizeof *list->paths, by_effort);
}
