/* Superblocks in the JSON report. */
#include "tools/report/json.h"

static void put_late(struct wm_json_writer *w, json_t *object, const struct wm_superblock_times *times)
{
    if (times->late_ns == 0)
        return;
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){
                            {"late_ns", (int64_t)times->late_ns}, {"late_rank", times->late_rank}, {NULL, 0}});
    if (times->late_peer >= 0)
        wm_json_put_numbers(
            w, object,
            (const struct wm_json_number[]){{"late_peer", times->late_peer}, {"late_tag", times->late_tag}, {NULL, 0}});
}

static json_t *row_json(struct wm_json_writer *w, const struct wm_superblock_row *row)
{
    const struct wm_advice *advice = &row->advice;
    json_t *object = json_object();
    char why[200];

    wm_advice_say(advice, &row->times, why, sizeof why);
    wm_json_put_text(w, object, "name", row->name);
    wm_json_put_numbers(w, object,
                        (const struct wm_json_number[]){{"ranks", row->ranks},
                                                        {"processes", row->processes},
                                                        {"siblings", row->siblings},
                                                        {"pairs", (int64_t)row->times.pairs},
                                                        {"compute_ns", (int64_t)row->times.compute_ns},
                                                        {"idle_ns", (int64_t)row->times.idle_ns},
                                                        {"wait_ns", row->wait_ns},
                                                        {"iteration_compute_ns", (int64_t)advice->compute_ns},
                                                        {"iteration_idle_ns", (int64_t)advice->idle_ns},
                                                        {"latency_ns", (int64_t)advice->latency_ns},
                                                        {"subranks", advice->subranks},
                                                        {NULL, 0}});
    if (advice->latency_ns > 0)
        wm_json_put(w, object, "hidden", json_real(1 - advice->idle_ns / advice->latency_ns));
    put_late(w, object, &row->times);
    wm_json_put_text(w, object, "reason", wm_advice_word(advice->reason));
    wm_json_put_text(w, object, "why", why);
    return object;
}

json_t *wm_json_superblocks(struct wm_json_writer *w)
{
    const struct wm_superblock_table *table = w->analysis->superblocks;
    json_t *array = json_array();

    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].times.pairs > 0)
            wm_json_append(w, array, row_json(w, &table->rows[i]));
    return array;
}
