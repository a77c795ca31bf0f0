/* Definitions of a conveyor for its trace: who its ranks are, and which links this one has. */
#include <stdlib.h>
#include "core/call/comm.h"
#include "core/convey/trace.h"
#include "core/process/machine.h"
#include "core/process/process.h"

/* Above so many ranks the trace does without the list of their nodes. */
enum { NODES_MAX = 4096 };

void wm_convey_trace_define_ranks(const struct wm_conveyor *c, uint32_t id)
{
    int *world = wm_machine_world_ranks(c->comm, c->ranks);

    wm_process_define_communicator(wm_process_recording(), id, c->title, world, c->ranks);
    free(world);
}

static const char *net_of(const struct wm_conveyor *c, int peer, const struct wm_carrier *carrier)
{
    return peer == c->rank ? "self" : carrier->class->name;
}

static json_t *link_of(const struct wm_conveyor *c, int number, int hop, const struct wm_route_end *end,
                       const struct wm_carrier *carrier)
{
    return json_pack("[i, i, i, i, s]", number, hop, end->rank, end->link, net_of(c, end->rank, carrier));
}

static json_t *outlets_of(const struct wm_conveyor *c)
{
    json_t *links = json_array();

    for (int hop = 0; hop < c->hop_count; hop++) {
        const struct wm_route_hop *h = c->hops[hop].route;

        for (int link = 0; link < h->links; link++)
            if (c->hops[hop].outlets[link] != NULL)
                json_array_append_new(
                    links, link_of(c, h->first_out + link, hop, &h->out[link], c->hops[hop].outlets[link]->carrier));
    }
    return links;
}

static json_t *inlets_of(const struct wm_conveyor *c)
{
    json_t *links = json_array();

    for (int hop = 0; hop < c->hop_count; hop++) {
        const struct wm_route_hop *h = c->hops[hop].route;

        for (int link = 0; link < h->links; link++)
            if (c->hops[hop].inlets[link] != NULL)
                json_array_append_new(
                    links, link_of(c, h->first_in + link, hop, &h->in[link], c->hops[hop].inlets[link]->carrier));
    }
    return links;
}

static json_t *hops_of(const struct wm_conveyor *c)
{
    json_t *hops = json_array();

    for (int hop = 0; hop < c->hop_count; hop++) {
        const struct wm_route_hop *h = c->hops[hop].route;

        json_array_append_new(hops, json_pack("{ss, si, si}", "axis", wm_grid_axis_name(c->run_grid, h->axis),
                                              "first_out", h->first_out, "first_in", h->first_in));
    }
    return hops;
}

/* Which ranks stand together: by the map's axis `node`, or else by what memory they share. */
static json_t *nodes_of(const struct wm_conveyor *c)
{
    int axis = wm_grid_axis_find(c->run_grid, "node");
    const int *group = axis >= 0 ? c->run_grid->axes[axis].group : c->run_grid->node;
    json_t *nodes = json_array();

    for (int r = 0; c->rank == 0 && c->ranks <= NODES_MAX && r < c->ranks; r++)
        json_array_append_new(nodes, json_integer(group[r]));
    return nodes;
}

void wm_convey_trace_define_links(const struct wm_conveyor *c, uint32_t id, uint32_t run)
{
    json_t *definition = json_pack(
        "{ss, sI, sI, ss, si, sI, sI, sI, sI, si, sb, si}", "define", "conveyor", "communicator", (json_int_t)id, "run",
        (json_int_t)run, "name", c->title, "node", c->design.trace_node, "item_bytes",
        (json_int_t)(c->wish.elastic ? c->wish.item_bound : c->run_item_bytes), "unit_bytes",
        (json_int_t)c->form.unit_bytes, "tag_bytes", (json_int_t)c->form.tag_bytes, "units", (json_int_t)c->form.units,
        "buffers", c->form.buffers, "elastic", (int)c->wish.elastic, "sample", wm_process.settings.trace_sample);

    json_object_set_new(definition, "nodes", nodes_of(c));
    json_object_set_new(definition, "hops", hops_of(c));
    json_object_set_new(definition, "outlets", outlets_of(c));
    json_object_set_new(definition, "inlets", inlets_of(c));
    wm_process_define(definition);
}
