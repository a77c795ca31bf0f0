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

static json_t *hop_json(struct wm_json_writer *w, struct wm_hop_totals *hop)
{
    json_t *object = json_object();

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
    return object;
}

static json_t *block_json(struct wm_json_writer *w, const struct wm_conveyor_block *block)
{
    json_t *object = json_object();

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

static json_t *conveyor_json(struct wm_json_writer *w, struct wm_conveyor_totals *conveyor)
{
    json_t *object = json_object(), *hops = json_array(), *blocks = json_array();

    wm_json_put_text(w, object, "name", conveyor->definition->name);
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"communicator", conveyor->communicator},
                                                        {"ranks", conveyor->ranks},
                                                        {"ranks_read", conveyor->rank_count},
                                                        {"runs", (int64_t)conveyor->runs},
                                                        {"pushed", (int64_t)conveyor->pushed},
                                                        {"pulled", (int64_t)conveyor->pulled},
                                                        {"refused", (int64_t)conveyor->refused},
                                                        {"run_ns", conveyor->run_ns},
                                                        {"endgame_ns", conveyor->endgame_ns},
                                                        {"blocked_ns", conveyor->blocked_ns},
                                                        {"residual_ns", conveyor->residual_ns},
                                                        {NULL, 0}});
    wm_json_put_spread(w, object, "item", &conveyor->item_ns, "_ns");
    for (int i = 0; i < conveyor->hop_count; i++)
        wm_json_append(w, hops, hop_json(w, &conveyor->hops[i]));
    for (size_t i = 0; i < conveyor->block_count && i < BLOCKS_MAX; i++)
        wm_json_append(w, blocks, block_json(w, &conveyor->blocks[i]));
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
