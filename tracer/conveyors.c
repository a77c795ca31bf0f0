/* Definitions of conveyors: read from their JSON. */
#include "tracer/conveyors.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"

enum { LINKS_MAX = 1 << 22, RANKS_MAX = 1 << 24, ID_MAX = 1 << 20 };

/* The number called `name` if it is from 0 to `most`, else -1. */
static json_int_t number_of(const json_t *object, const char *name, json_int_t most)
{
    const json_t *value = json_object_get(object, name);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;

    return number >= 0 && number <= most ? number : -1;
}

static int entry_of(const json_t *array, size_t at, json_int_t most)
{
    const json_t *value = json_array_get(array, at);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;

    return number >= 0 && number <= most ? (int)number : -1;
}

static void copy_text(char *out, size_t out_bytes, const json_t *value)
{
    const char *text = json_string_value(value);

    snprintf(out, out_bytes, "%.*s", (int)out_bytes - 1, text != NULL ? text : "");
}

static bool read_link(struct wm_trace_link *link, const json_t *entry, int hop_count)
{
    *link = (struct wm_trace_link){.number = entry_of(entry, 0, LINKS_MAX - 1),
                                   .hop = entry_of(entry, 1, hop_count - 1),
                                   .peer = entry_of(entry, 2, RANKS_MAX),
                                   .there = entry_of(entry, 3, LINKS_MAX)};
    copy_text(link->net, sizeof link->net, json_array_get(entry, 4));
    return link->number >= 0 && link->hop >= 0 && link->peer >= 0 && link->there >= 0;
}

static int compare_links(const void *a, const void *b)
{
    return ((const struct wm_trace_link *)a)->number - ((const struct wm_trace_link *)b)->number;
}

static int read_links(struct wm_trace_link **links, int *count, const json_t *array, int hop_count)
{
    size_t listed = json_array_size(array);

    *links = malloc(sizeof **links * (listed + 1));
    if (*links == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < listed && *count < LINKS_MAX; i++)
        *count += read_link(&(*links)[*count], json_array_get(array, i), hop_count);
    qsort(*links, (size_t)*count, sizeof **links, compare_links);
    return 0;
}

const struct wm_trace_link *wm_trace_link_find(const struct wm_trace_link *links, int count, int number)
{
    if (number >= 0 && number < count && links[number].number == number) /* the usual case: none is left out */
        return &links[number];
    return bsearch(&(struct wm_trace_link){.number = number}, links, (size_t)count, sizeof *links, compare_links);
}

static int read_hops(struct wm_trace_conveyor *conveyor, const json_t *hops)
{
    size_t count = json_array_size(hops);

    if (count < 1 || count > WM_TRACE_HOPS_MAX)
        return 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *hop = json_array_get(hops, i);
        json_int_t out = number_of(hop, "first_out", LINKS_MAX), in = number_of(hop, "first_in", LINKS_MAX);

        if (out < 0 || in < 0)
            return 1;
        conveyor->hops[i] = (struct wm_trace_hop){.first_out = (int)out, .first_in = (int)in};
        copy_text(conveyor->hops[i].axis, sizeof conveyor->hops[i].axis, json_object_get(hop, "axis"));
    }
    conveyor->hop_count = (int)count;
    return 0;
}

static int read_nodes(struct wm_trace_conveyor *conveyor, const json_t *nodes)
{
    size_t count = json_array_size(nodes);

    if (count == 0 || count > RANKS_MAX)
        return 0;
    conveyor->nodes = malloc(sizeof *conveyor->nodes * count);
    if (conveyor->nodes == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < count; i++)
        conveyor->nodes[i] = entry_of(nodes, i, INT_MAX);
    conveyor->node_count = (int)count;
    return 0;
}

/* Numbers; false: one of those that matter is not there. */
static bool read_numbers(struct wm_trace_conveyor *conveyor, const json_t *object)
{
    json_int_t id = number_of(object, "communicator", ID_MAX), run = number_of(object, "run", UINT32_MAX);
    json_int_t units = number_of(object, "units", INT64_MAX), item_bytes = number_of(object, "item_bytes", INT64_MAX);
    json_int_t unit_bytes = number_of(object, "unit_bytes", INT64_MAX), tags = number_of(object, "tag_bytes", 8);
    json_int_t sample = number_of(object, "sample", 63), node = number_of(object, "node", UINT16_MAX);

    if (id < 0 || run < 0 || units <= 0 || unit_bytes <= 0)
        return false;
    *conveyor = (struct wm_trace_conveyor){.communicator = (uint32_t)id,
                                           .run = (uint32_t)run,
                                           .node = node < 0 ? 0 : (int)node,
                                           .item_bytes = item_bytes < 0 ? 0 : (uint64_t)item_bytes,
                                           .unit_bytes = (uint64_t)unit_bytes,
                                           .tag_bytes = tags < 0 ? 0 : (uint64_t)tags,
                                           .units = (uint64_t)units,
                                           .buffers = (int)number_of(object, "buffers", INT_MAX),
                                           .sample = sample < 0 ? 0 : (int)sample,
                                           .elastic = json_is_true(json_object_get(object, "elastic"))};
    return true;
}

int wm_trace_conveyor_read(struct wm_trace_conveyor *conveyor, const json_t *definition)
{
    int rc = 0;

    if (!read_numbers(conveyor, definition) || read_hops(conveyor, json_object_get(definition, "hops")) != 0)
        return 1;
    copy_text(conveyor->name, sizeof conveyor->name, json_object_get(definition, "name"));
    rc = read_links(&conveyor->outlets, &conveyor->outlet_count, json_object_get(definition, "outlets"),
                    conveyor->hop_count);
    if (rc == 0)
        rc = read_links(&conveyor->inlets, &conveyor->inlet_count, json_object_get(definition, "inlets"),
                        conveyor->hop_count);
    if (rc == 0)
        rc = read_nodes(conveyor, json_object_get(definition, "nodes"));
    if (rc < 0)
        wm_trace_conveyor_release(conveyor);
    return rc;
}

void wm_trace_conveyor_release(struct wm_trace_conveyor *conveyor)
{
    free(conveyor->outlets);
    free(conveyor->inlets);
    free(conveyor->nodes);
    conveyor->outlets = conveyor->inlets = NULL;
    conveyor->nodes = NULL;
}
