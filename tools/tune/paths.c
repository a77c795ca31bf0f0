/* Candidates: stages that serve the operation, over all ranks or over cores and nodes, with each shape that they take,
 * whole or in segments. */
#include "tools/tune/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/wrapper.h"

enum { EFFORT_STAGE = 100, EFFORT_SEGMENT = 50, EFFORT_SHAPE = 10, EFFORT_NUMBER = 5, STAGE_CHARS = 64 };

static const uint64_t segments[] = {16 << 10, 64 << 10, 128 << 10, 512 << 10}, levels_segment = 128 << 10;

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

/* Stages over an axis; `near`: its ranks share memory; `few`: in its memory alone. */
static struct stages stages_of(enum wm_operation op, const char *axis, bool near, bool few)
{
    struct stages stages = {0};

    for (const struct wm_wrapper_class *const *c = wm_wrapper_classes(); *c != NULL; c++) {
        const struct wm_service *service = wm_wrapper_service(*c, op);
        const struct wm_param *shape = shape_of(*c);

        if (service == NULL || service->stage == WM_STAGE_NONE || shape == NULL)
            continue;
        for (int k = 0; k < WM_SHAPE_COUNT; k++) {
            if (k == WM_SHAPE_TREE || (k == WM_SHAPE_SHARED && !near) ||
                !wm_shape_can((enum wm_shape_kind)k, shape->shapes) || (few && k != WM_SHAPE_SHARED))
                continue;
            add_stage(&stages, *c, service->stage, axis, (enum wm_shape_kind)k, 0);
            if (!few && (k == WM_SHAPE_KNOMIAL || k == WM_SHAPE_BUTTERFLY || k == WM_SHAPE_BRUCK))
                add_stage(&stages, *c, service->stage, axis, (enum wm_shape_kind)k, 4);
        }
    }
    return stages;
}

static void add_path(struct wm_tune_list *list, uint64_t segment, const struct stage *first, const struct stage *second)
{
    struct wm_tune_path *p = &list->paths[list->count];
    char cut[32] = "";

    if (list->count == WM_TUNE_PATHS_MAX)
        return;
    if (segment > 0)
        snprintf(cut, sizeof cut, "(segment %dKiB) ", (int)(segment >> 10));
    *p = (struct wm_tune_path){.effort = first->effort + (second != NULL ? second->effort : 0) +
                                         (segment > 0 ? EFFORT_SEGMENT : 0),
                               .least_bytes = segment > 0 ? segment + 1 : 0,
                               .uniform = second != NULL && first->kind != WM_STAGE_FOLD,
                               .near = second == NULL && first->shared};
    if (snprintf(p->text, sizeof p->text, "(path %s%s%s%s)", cut, first->text, second != NULL ? " " : "",
                 second != NULL ? second->text : "") < (int)sizeof p->text)
        list->count++;
}

/* Whole, and in segments where stages behind each other, or a tree, have pieces under way at once; of two stages in
 * those of one size, since there are many. */
static void add_paths(struct wm_tune_list *list, enum wm_operation op, const struct stage *first,
                      const struct stage *second)
{
    bool cuts = wm_wrapper_service(wm_wrapper_find("segment"), op) != NULL && !wm_operation_scans(op) &&
                (second != NULL ? first->tree || second->tree : first->tree && !first->shared);

    add_path(list, 0, first, second);
    for (size_t i = 0; cuts && i < sizeof segments / sizeof *segments; i++)
        if (second == NULL || segments[i] == levels_segment)
            add_path(list, segments[i], first, second);
}

static int by_effort(const void *a, const void *b)
{
    const struct wm_tune_path *x = a, *y = b;

    return x->effort != y->effort ? (x->effort > y->effort) - (x->effort < y->effort) : strcmp(x->text, y->text);
}

/* Data from a root goes from node to node first; what comes together, within nodes first; what everyone has, either
 * way. */
static void list_levels(struct wm_tune_list *list, enum wm_operation op)
{
    struct stages cores = stages_of(op, "core", true, true), nodes = stages_of(op, "node", false, false);
    bool down = wm_operation_flow(op) == WM_FLOW_DOWN;

    for (int c = 0; c < cores.count; c++)
        for (int n = 0; n < nodes.count; n++) {
            add_paths(list, op, down ? &nodes.of[n] : &cores.of[c], down ? &cores.of[c] : &nodes.of[n]);
            if (wm_operation_flow(op) == WM_FLOW_ALL && !wm_operation_combines(op) &&
                nodes.of[n].kind != WM_STAGE_FOLD && cores.of[c].kind != WM_STAGE_FOLD)
                add_path(list, 0, &nodes.of[n], &cores.of[c]);
        }
}

void wm_tune_list_paths(struct wm_tune_list *list, enum wm_operation op, int nodes)
{
    struct stages all = stages_of(op, "all", nodes == 1, false);

    *list = (struct wm_tune_list){.count = 1, .paths = {{.text = "(native)"}}};
    for (int i = 0; i < all.count; i++)
        add_paths(list, op, &all.of[i], NULL);
    if (nodes > 1)
        list_levels(list, op);
    qsort(list->paths, (size_t)list->count, sizeof *list->paths, by_effort);
}
