/* Drawings as a graph for Graphviz: the links of a conveyor's ranks, hop by hop, and one item's way. */
#include <stdlib.h>
#include <string.h>
#include "tools/draw/drawing.h"

enum { LINKS_DRAWN_RANKS = 64 };

/* reach[source × ranks + target]: a link of the hop leads there. */
static void find_links(struct wm_scene *s, int hop, bool *reach)
{
    size_t ranks = (size_t)s->site.ranks;

    memset(reach, 0, ranks * ranks * sizeof *reach);
    for (int r = 0; r < s->site.ranks; r++) {
        const struct wm_route_hop *h = &wm_network_route(&s->network, r)->hop[hop];

        for (int link = 0; link < h->links; link++)
            if (h->out[link].rank >= 0)
                reach[(size_t)r * ranks + (size_t)h->out[link].rank] = true;
    }
}

/* A line for both directions where both are there. Links of a rank to itself are left out. */
static void print_links(FILE *out, const struct wm_scene *s, int hop, const bool *reach)
{
    size_t ranks = (size_t)s->site.ranks;

    for (size_t a = 0; a < ranks; a++)
        for (size_t b = 0; b < ranks; b++) {
            bool there = reach[a * ranks + b], back = reach[b * ranks + a];

            if (a != b && there && (a < b || !back))
                fprintf(out, "  %zu -> %zu [color=\"%s\"%s];\n", a, b, wm_dot_colour(hop + 1),
                        back ? ", dir=both" : "");
        }
}

static void print_legend(FILE *out, struct wm_scene *s)
{
    const struct wm_route *route = wm_network_route(&s->network, 0);

    fprintf(out, "  subgraph cluster_legend {\n    label=\"hops\"; color=\"#999999\";\n");
    for (int h = 0; h < route->hops; h++)
        fprintf(out, "    \"hop %d: %s\" [shape=plaintext, fontcolor=\"%s\"];\n", h + 1,
                wm_grid_axis_name(&s->site.grid, route->hop[h].axis), wm_dot_colour(h + 1));
    fprintf(out, "  }\n");
}

static void print_item(FILE *out, const struct wm_journey *journey)
{
    for (int i = 0; i < journey->count; i++) {
        const struct wm_leg *leg = &journey->legs[i];

        fprintf(out, "  %d -> %d [color=\"%s\", penwidth=3, label=\"%d: tag %u\"];\n", leg->rank, leg->end.rank,
                wm_dot_colour(leg->hop + 1), i + 1, leg->tag);
    }
}

static int print_all_links(FILE *out, struct wm_scene *s)
{
    size_t ranks = (size_t)s->site.ranks;
    bool *reach = malloc(ranks * ranks * sizeof *reach);

    if (reach == NULL)
        return -WM_ENOMEM;
    for (int hop = 0; hop < s->design.hops; hop++) {
        find_links(s, hop, reach);
        print_links(out, s, hop, reach);
    }
    free(reach);
    return 0;
}

int wm_drawing_conveyor_dot(FILE *out, struct wm_scene *s, int rank, int destination, bool all)
{
    bool *shown = calloc((size_t)s->site.ranks, sizeof *shown), every = all || s->site.ranks <= LINKS_DRAWN_RANKS;
    struct wm_journey journey;
    int rc = 0;

    if (shown == NULL)
        return -WM_ENOMEM;
    wm_network_follow(&s->network, rank >= 0 ? rank : 0, destination, &journey);
    for (int i = 0; i < journey.count; i++)
        shown[journey.legs[i].rank] = shown[journey.legs[i].end.rank] = true;
    wm_dot_begin(out, s, every ? NULL : shown);
    print_legend(out, s);
    if (every)
        rc = print_all_links(out, s);
    print_item(out, &journey);
    fprintf(out, "}\n");
    free(shown);
    return rc;
}
