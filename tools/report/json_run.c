/* The run in the JSON report: the job, and what its trace is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "tools/report/json.h"

/* Distinct hosts of the ranks that can be read. */
static int count_hosts(const struct wm_trace *trace)
{
    int count = 0;

    for (int i = 0; i < trace->rank_count; i++) {
        int k = 0;

        while (k < i && strcmp(trace->ranks[k].host, trace->ranks[i].host) != 0)
            k++;
        count += k == i;
    }
    return count;
}

static bool is_new_version(const struct wm_trace *trace, int index)
{
    for (int i = 0; i < index; i++)
        if (strcmp(trace->ranks[i].version, trace->ranks[index].version) == 0)
            return false;
    return true;
}

/* FNV-1a, 64 bits. */
static uint64_t map_hash(const struct wm_trace *trace)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *at = trace->map_text; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return hash;
}

/* The rank that lost most events, and why. */
static json_t *lost_json(struct wm_json_writer *w)
{
    const struct wm_trace_rank *worst = &w->trace->ranks[0];
    json_t *object = json_object();

    for (int i = 1; i < w->trace->rank_count; i++)
        if (w->trace->ranks[i].lost > worst->lost)
            worst = &w->trace->ranks[i];
    wm_json_put_numbers(
        w, object,
        (const struct wm_json_number[]){
            {"rank", worst->rank}, {"lost", (int64_t)worst->lost}, {"offered", (int64_t)worst->offered}, {NULL, 0}});
    wm_json_put_text(w, object, "why",
                     worst->offered <= worst->capacity ? "its file is cut short"
                     : worst->full_mode                ? "the quota was full: the newest are missing"
                                                       : "the ring is full: the oldest are missing");
    return object;
}

static void put_ranks(struct wm_json_writer *w, json_t *run)
{
    const struct wm_trace *trace = w->trace;
    json_t *hosts = json_array(), *ranks = json_array(), *versions = json_array();

    for (int i = 0; i < trace->rank_count; i++) {
        wm_json_append(w, ranks, json_integer(trace->ranks[i].rank));
        wm_json_append(w, hosts, json_string(trace->ranks[i].host));
        if (is_new_version(trace, i))
            wm_json_append(w, versions, json_string(trace->ranks[i].version));
    }
    wm_json_put(w, run, "rank_numbers", ranks);
    wm_json_put(w, run, "hosts", hosts);
    wm_json_put(w, run, "hosts_total", json_integer(count_hosts(trace)));
    wm_json_put(w, run, "versions", versions);
}

json_t *wm_json_run(struct wm_json_writer *w)
{
    const struct wm_trace *trace = w->trace;
    const struct wm_analysis *a = w->analysis;
    json_t *run = json_object();
    char hash[17];

    wm_json_put_text(w, run, "program", trace->ranks[0].program[0] != '\0' ? trace->ranks[0].program : NULL);
    wm_json_put_numbers(w, run,
                        (const struct wm_json_number[]){
                            {"ranks", trace->job_ranks},
                            {"ranks_read", trace->rank_count},
                            {"span_ns", a->span_ns},
                            {"rank_time_ns", a->run_ns},
                            {"events", (int64_t)a->events},
                            {"lost", (int64_t)a->lost},
                            {"residual_ns", a->residual_ns},
                            {"path_residual_ns", a->path_residual_ns},
                            {"violations", (int64_t)a->violations},
                            {"violation_max_ns", a->violation_max_ns},
                            {"incomplete", (int64_t)a->incomplete},
                            {"unmatched", (int64_t)a->unmatched},
                            {"unknown", (int64_t)(a->unknown + a->conveyors->unknown + a->protocols->unknown +
                                                  a->statements->unknown + a->superblocks->unknown)},
                            {"questions", (int64_t)a->questions},
                            {"question_ns", a->question_ns},
                            {"question_max_ns", a->question_max_ns},
                            {NULL, 0}});
    wm_json_put(w, run, "several_clocks", json_boolean(trace->several_clocks));
    wm_json_put_text(w, run, "clock", trace->ranks[0].tsc ? "tsc" : "monotonic");
    if (a->own_ns > 0)
        wm_json_put(w, run, "own_ns", json_integer((json_int_t)a->own_ns));
    if (trace->clock_error_ns > 0)
        wm_json_put(w, run, "error_max_ns", json_integer(trace->clock_error_ns));
    if (trace->map_text != NULL) {
        snprintf(hash, sizeof hash, "%016" PRIx64, map_hash(trace));
        wm_json_put_text(w, run, "map_hash", hash);
    }
    if (a->lost > 0)
        wm_json_put(w, run, "lost_most", lost_json(w));
    if (trace->ranks[0].siblings > 0)
        wm_json_put_numbers(w, run,
                            (const struct wm_json_number[]){{"processes", trace->job_ranks / trace->ranks[0].siblings},
                                                            {"siblings", trace->ranks[0].siblings},
                                                            {NULL, 0}});
    put_ranks(w, run);
    return run;
}
