/* Efficiency: useful time, and the run on an ideal network, from the timelines. */
#include "tools/analysis/efficiency.h"

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t run_of(const struct wm_rank_history *rank)
{
    return most(0, rank->end_ns - rank->begin_ns - rank->off_ns);
}

static int64_t useful_of(const struct wm_rank_history *rank)
{
    int64_t useful_ns = run_of(rank);

    for (size_t i = 0; i < rank->count; i++)
        if (rank->spans[i].line != WM_NO_LINE) /* the run is without these already */
            useful_ns -= rank->spans[i].end_ns - rank->spans[i].begin_ns;
    return most(0, useful_ns);
}

void wm_efficiency_find(struct wm_efficiency *efficiency, const struct wm_history *history)
{
    int count = history->trace->rank_count;
    int64_t run_ns = 0, useful_ns = 0, ideal_ns = 0;
    double sum_ns = 0;

    for (int i = 0; i < count; i++) {
        const struct wm_rank_history *rank = &history->ranks[i];
        int64_t run = run_of(rank), useful = useful_of(rank), ideal = useful + rank->late_ns;

        run_ns = most(run_ns, run);
        useful_ns = most(useful_ns, useful);
        ideal_ns = most(ideal_ns, ideal < run ? ideal : run);
        sum_ns += (double)useful;
    }
    *efficiency = (struct wm_efficiency){.messages = true};
    for (int i = 0; i < count; i++)
        efficiency->messages = efficiency->messages && history->trace->ranks[i].p2p;
    if (useful_ns == 0)
        return;
    efficiency->load_balance = sum_ns / count / (double)useful_ns;
    efficiency->serialisation = (double)useful_ns / (double)ideal_ns;
    efficiency->transfer = (double)ideal_ns / (double)run_ns;
    efficiency->communication = (double)useful_ns / (double)run_ns;
    efficiency->parallel = sum_ns / count / (double)run_ns;
}
