/* Hold a trace's common clock against the truth that tests/mpi/clock noted: clock_check TRACE TRUTH-DIRECTORY.
 *
 * Rank 0's clock is taken to be true. Says how many notes, how many comparisons of clocks, the worst error and the
 * worst bound; fails when an error is beyond the bound that the reader states. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tracer/reader.h"

struct tally {
    int notes, beyond, compared, shared;
    double error_ns, bound_ns;
    int64_t origin_ns; /* of the first note, which is so wide: */
    double origin_width_ns;
};

static int64_t common_ns(struct wm_trace_rank *rank, uint64_t ticks, uint64_t seen_ns)
{
    return wm_trace_ns(rank, rank->tsc ? ticks : seen_ns);
}

static FILE *open_truth(const char *directory, int rank)
{
    char name[4096];

    snprintf(name, sizeof name, "%s/truth-%d", directory, rank);
    return fopen(name, "r");
}

static void check_rank(struct wm_trace *trace, int i, const char *directory, struct tally *tally)
{
    struct wm_trace_rank *rank = &trace->ranks[i];
    FILE *file = open_truth(directory, rank->rank);
    uint64_t ticks, seen_ns, true_ns, width_ns;

    while (file != NULL &&
           fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &ticks, &seen_ns, &true_ns, &width_ns) == 4) {
        int64_t at_ns = common_ns(rank, ticks, seen_ns);
        double bound_ns = (double)wm_trace_error_ns(rank, at_ns), error_ns;

        if (i == 0 && tally->notes == 0) {
            tally->origin_ns = at_ns - (int64_t)true_ns;
            tally->origin_width_ns = (double)width_ns;
        }
        error_ns = fabs((double)(at_ns - (int64_t)true_ns - tally->origin_ns));
        tally->notes++;
        tally->error_ns = fmax(tally->error_ns, error_ns);
        tally->bound_ns = fmax(tally->bound_ns, bound_ns);
        /* A note's own times, and the first one's, are not of exactly one instant. */
        tally->beyond += error_ns > bound_ns + fmax(1500, ((double)width_ns + tally->origin_width_ns) / 2);
    }
    if (file != NULL)
        fclose(file);
}

static void count_syncs(const struct wm_trace *trace, struct tally *tally)
{
    for (int i = 0; i < trace->rank_count; i++) {
        tally->compared += (int)trace->ranks[i].comparisons;
        tally->shared += trace->ranks[i].clock != trace->ranks[i].rank;
    }
}

int main(int argc, char **argv)
{
    struct wm_trace *trace;
    struct wm_error error = {0};
    struct tally tally = {0};

    if (argc != 3 || wm_trace_open(&trace, argv[1], &error) < 0) {
        fprintf(stderr, "clock_check: %s\n", argc != 3 ? "usage: clock_check TRACE TRUTH" : error.text);
        return 2;
    }
    for (int i = 0; i < trace->rank_count; i++)
        check_rank(trace, i, argv[2], &tally);
    count_syncs(trace, &tally);
    printf("ranks %d notes %d compared %d shared %d several %d synchronised %d error %.0f bound %.0f beyond %d\n",
           trace->rank_count, tally.notes, tally.compared, tally.shared, trace->several_clocks, trace->synchronised,
           tally.error_ns, tally.bound_ns, tally.beyond);
    for (size_t i = 0; i < trace->warning_count; i++)
        printf("warning: %s\n", trace->warnings[i]);
    wm_trace_close(trace);
    return tally.beyond > 0 || tally.notes == 0;
}
