/* Conveyors in the JSON report. */
#include "tools/report/json.h"

enum { BLOCKS_MAX = 200 };

static json_t *reasons_json(struct wm_json_writer *w, const struct wm_hop_totals *hop)
{
    static const char *const names[WM_CONVEYOR_REASONS] = {"full", "flush", "urgent", "endgame"};
    json_t *object = json_object();

    for (int i = 0; i < WM_CONVEYOR_REASONS; i++)
        wm_json_put(w, object, names[i], json_integer((json_int_t)hop->closed_by[i]));
    return object;
}

static json_t *nets_json(struct wm_json_writer *w, const struct wm_hop_totals *hop)
{
    static const char *const names[WM_CONVEYOR_NETS] = {"self", "shm", "mpi", "bulk"};
    json_t *object = json_object();

    for (int net = 0; net < WM_CONVEYOR_NETS; net++)
        if (hop->bytes_over[net] > 0)
            wm_json_put(w, object, names[net], json_integer((json_int_t)hop->bytes_over[net]));
    return object;
}

static json_t *sizes_json(struct wm_json_writer *w, const struct wm_hop_totals *hop)
{
    json_t *array = json_array();

    for (int i = 0; i < WM_CONVEYOR_SIZES; i++) {
        json_t *object;

        if (hop->sizes[i] == 0)
            continue;
        object = json_object();
        wm_json_put_numbers(w, object,
                            (const struct wm_json_number[]){
                                {"bytes", INT64_C(1) << i}, {"buffers", (int64_t)hop->sizes[i]}, {NULL, 0}});
        wm_json_append(w, array, object);
    }
    return array;
}

static json_t *sent_json(struct wm_json_writer *w, const struct wm_hop_totals *hop, int cells)
{
    json_t *array = json_array();

    for (int from = 0; from < cells; from++) {
        json_t *row = json_array();

        for (int to = 0; to < cells; to++)
            wm_json_append(w, row, json_integer((json_int_t)hop->sent[from * cells + to]));
        wm_json_append(w, array, row);
    }
    return array;
}

static json_t *hop_json(struct wm_json_writer *w, struct wm_conveyor_totals *conveyor, int number)
{
    struct wm_hop_totals *hop = &conveyor->hops[number];
    json_t *object = json_object();

    wm_json_put(w, object, "hop", json_integer(number));
    wm_json_put_text(w, object, "axis", hop->axis);
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"buffers", (int64_t)hop->buffers},
                                                        {"relayed", (int64_t)hop->relayed},
                                                        {"meagre", (int64_t)hop->meagre},
                                                        {"units", (int64_t)hop->units},
                                                        {"taken", (int64_t)hop->taken},
                                                        {"bytes", (int64_t)hop->bytes},
                                                        {"unmatched", (int64_t)hop->unmatched},
                                                        {"links", (int64_t)hop->links},
                                                        {"uneven_links", (int64_t)hop->uneven_links},
                                                        {NULL, 0}});
    wm_json_put(w, object, "closed_by", reasons_json(w, hop));
    wm_json_put_spread(w, object, "fill_permille", &hop->fill_permille, "");
    wm_json_put_spread(w, object, "filling", &hop->fill_ns, "_ns");
    wm_json_put_spread(w, object, "under_way", &hop->hop_ns, "_ns");
    wm_json_put_spread(w, object, "at_inlet", &hop->stay_ns, "_ns");
    wm_json_put_spread(w, object, "early", &hop->early_ns, "_ns");
    wm_json_put_spread(w, object, "item", &conveyor->hop_item_ns[number], "_ns");
    wm_json_put_spread(w, object, "relay", &conveyor->relay_item_ns[number], "_ns");
    wm_json_put(w, object, "bytes_over", nets_json(w, hop));
    wm_json_put(w, object, "sizes", sizes_json(w, hop));
    wm_json_put(w, object, "sent", sent_json(w, hop, conveyor->cells));
    return object;
}

static json_t *block_json(struct wm_json_writer *w, const struct wm_conveyor_totals *conveyor,
                          const struct wm_conveyor_block *block)
{
    json_t *object = json_object();

    wm_json_put_text(w, object, "axis", conveyor->hops[block->hop].axis);
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"hop", block->hop},
                                                        {"from", block->from},
                                                        {"to", block->to},
                                                        {"root", block->root},
                                                        {"times", (int64_t)block->times},
                                                        {"ns", block->ns},
                                                        {NULL, 0}});
    return object;
}

/* The node of each rank, where each has a row of its own in "sent". */
static void put_nodes(struct wm_json_writer *w, json_t *object, const struct wm_conveyor_totals *conveyor)
{
    const struct wm_trace_conveyor *definition = conveyor->definition;
    json_t *nodes;

    if (conveyor->cells != conveyor->ranks || definition->node_count != conveyor->ranks)
        return;
    nodes = json_array();
    for (int rank = 0; rank < conveyor->ranks; rank++)
        wm_json_append(w, nodes, json_integer(definition->nodes[rank]));
    wm_json_put(w, object, "nodes", nodes);
}

static void put_definition(struct wm_json_writer *w, json_t *object, const struct wm_trace_conveyor *definition)
{
    uint64_t unit_bytes = definition->unit_bytes + definition->tag_bytes;

    wm_json_put_text(w, object, "name", definition->name);
    wm_json_put(w, object, "elastic", json_boolean(definition->elastic));
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"node", definition->node},
                                                        {"item_bytes", (int64_t)definition->item_bytes},
                                                        {"buffer_bytes", (int64_t)(definition->units * unit_bytes)},
                                                        {"buffers", (int64_t)definition->buffers},
                                                        {"sample", INT64_C(1) << definition->sample},
                                                        {NULL, 0}});
}

static json_t *conveyor_json(struct wm_json_writer *w, struct wm_conveyor_totals *conveyor)
{
    json_t *object = json_object(), *hops = json_array(), *blocks = json_array();

    put_definition(w, object, conveyor->definition);
    put_nodes(w, object, conveyor);
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"communicator", conveyor->communicator},
                                                        {"ranks", conveyor->ranks},
                                                        {"ranks_read", conveyor->rank_count},
                                                        {"runs", (int64_t)conveyor->runs},
                                                        {"pushed", (int64_t)conveyor->pushed},
                                                        {"pulled", (int64_t)conveyor->pulled},
                                                        {"refused", (int64_t)conveyor->refused},
                                                        {"begun", (int64_t)conveyor->begun},
                                                        {"finished", (int64_t)conveyor->finished},
                                                        {"advances", (int64_t)conveyor->advances},
                                                        {"progressed", (int64_t)conveyor->progressed},
                                                        {"watched", (int64_t)conveyor->watched},
                                                        {"arrived", (int64_t)conveyor->arrived},
                                                        {"run_ns", conveyor->run_ns},
                                                        {"endgame_ns", conveyor->endgame_ns},
                                                        {"blocked_ns", conveyor->blocked_ns},
                                                        {"residual_ns", conveyor->residual_ns},
                                                        {NULL, 0}});
    wm_json_put_spread(w, object, "item", &conveyor->item_ns, "_ns");
    for (int i = 0; i < conveyor->hop_count; i++)
        wm_json_append(w, hops, hop_json(w, conveyor, i));
    for (size_t i = 0; i < conveyor->block_count && i < BLOCKS_MAX; i++)
        wm_json_append(w, blocks, block_json(w, conveyor, &conveyor->blocks[i]));
    wm_json_put(w, object, "hops", hops);
    wm_json_put(w, object, "blocks", blocks);
    return object;
}

json_t *wm_json_conveyors(struct wm_json_writer *w)
{
    json_t *array = json_array();

    for (size_t i = 0; i < w->analysis->conveyors->count; i++)
        wm_json_append(w, array, conveyor_json(w, &w->analysis->conveyors->conveyors[i]));
    return array;
}
