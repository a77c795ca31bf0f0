/* Candidates of conveyors: routes, each with buffers of all sizes and numbers. */
#include "tools/tune/routes.h"

#include <stdio.h>
#include <string.h>
#include "tools/routes/prove.h"
#include "tools/routes/survey.h"

enum { EFFORT_HOP = 100, KIB_OF_EFFORT = 16, KIB_MOST = 64, KIB_OF_MANY = 16, BUFFERS_LEAST = 2, BUFFERS_MOST = 8 };

struct route {
    const char *axes;
    int hops, nodes, clusters; /* nodes, clusters: it takes so many */
};

static const struct route routes[] = {
    {"all", 1, 1, 1},
    {"core node", 2, 2, 1},
    {"node core", 2, 2, 1},
    {"core node core", 3, 2, 1},
    {"core node cluster", 3, 2, 2},
    {"cluster node core", 3, 2, 2},
};

static void add(struct wm_tune_list *list, const struct route *route, int kib, int buffers)
{
    struct wm_tune_path *p = &list->paths[list->count];
    char number[32] = "";

    if (list->count == WM_TUNE_PATHS_MAX)
        return;
    if (buffers != WM_CONVEY_BUFFERS)
        snprintf(number, sizeof number, " #:buffers %d", buffers);
    *p = (struct wm_tune_path){.effort = EFFORT_HOP * route->hops + kib * buffers / KIB_OF_EFFORT};
    snprintf(p->text, sizeof p->text, "(path (aggregate %dKiB%s) (route %s))", kib, number, route->axes);
    list->count++;
}

void wm_tune_list_routes(struct wm_tune_list *list, enum wm_operation operation, int nodes, int clusters)
{
    (void)operation;
    *list = (struct wm_tune_list){.count = 1, .paths = {{.text = "(native)"}}};
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        for (int kib = 1; kib <= KIB_MOST && nodes >= routes[i].nodes && clusters >= routes[i].clusters; kib *= 2)
            for (int b = BUFFERS_LEAST; b <= BUFFERS_MOST && (b < BUFFERS_MOST || kib <= KIB_OF_MANY); b *= 2)
                add(list, &routes[i], kib, b);
}

/* A hop along an axis of one rank is a copy for nothing. */
static bool hops_everywhere(const struct wm_route *route)
{
    for (int hop = 0; hop < route->hops; hop++)
        if (route->hop[hop].fan < 2)
            return false;
    return true;
}

bool wm_tune_route_serves(struct wm_convey_design *design, const struct wm_path *path, const struct wm_grid *grid,
                          uint64_t item_bytes, uint64_t most_bytes)
{
    struct wm_network network = {0};
    struct wm_convey_proof proof;
    struct wm_survey survey;
    struct wm_error error;
    bool serves = false;

    if (wm_convey_design_make(design, path, grid, &error) < 0)
        return false;
    if (wm_network_init(&network, design, grid, NULL, &error) == 0 && hops_everywhere(network.first)) {
        struct wm_convey_form form = wm_convey_form(design, network.first, (size_t)item_bytes, false);

        wm_survey_make(&survey, &network, &form);
        serves = survey.most.total <= most_bytes && wm_convey_prove(&proof, &network);
    }
    wm_network_release(&network);
    return serves;
}

bool wm_tune_designs_equal(const struct wm_convey_design *a, const struct wm_convey_design *b)
{
    return a->buffer_bytes == b->buffer_bytes && a->buffers == b->buffers && a->hops == b->hops &&
           memcmp(a->axes, b->axes, sizeof *a->axes * (size_t)a->hops) == 0;
}
