/* Measuring one operation at one size: how many calls make a batch, rounds of batches, and their figures. */
#include "tools/bench/measure.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/result.h"
#include "tracer/clock.h"

/* Where nobody says how many rounds: so many, but no fewer and no more than fit into this time, in s. */
enum { ROUNDS = 31, ROUNDS_MIN = 5, CALLS_MAX = 1 << 20 };
static const double rounds_s = 1.5;

static volatile sig_atomic_t interrupted;

void wm_bench_interrupt(void)
{
    interrupted = 1;
}

static double now_s(void)
{
    return (double)wm_clock_monotonic_ns() * 1e-9;
}

/* A copy has one contender: whatever the map, it is the same. */
static int contenders_of(const struct wm_bench_job *job, int operation)
{
    return operation == WM_BENCH_COPY ? 1 : job->contender_count;
}

/* Any rank's signal ends the work of all. Collective. */
static bool is_interrupted(struct wm_bench_job *job)
{
    int mine = interrupted, any;

    PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, job->comm);
    return job->interrupted = any != 0;
}

/* One batch: what it took at this rank. */
static double batch_s(const struct wm_bench_job *job, const struct wm_bench *b, int contender, unsigned first,
                      int calls)
{
    double begin;

    PMPI_Barrier(job->comm);
    begin = now_s();
    wm_bench_run(b, &job->contenders[contender], first, calls);
    return b->operation == WM_BENCH_COPY && job->rank > 0 ? 0 : now_s() - begin;
}

/* Seconds that a call of a contender takes, as rank 0 finds from batches that grow until they can be timed. */
static double call_s(const struct wm_bench_job *job, const struct wm_bench *b, int contender)
{
    double took = 0;

    for (int calls = 1; calls < CALLS_MAX; calls *= 2) {
        took = batch_s(job, b, contender, 0, calls);
        PMPI_Bcast(&took, 1, MPI_DOUBLE, 0, job->comm);
        if (took >= job->batch_s / 4)
            return took / calls;
    }
    return took / CALLS_MAX;
}

/* How many calls make a batch of the fastest contender long enough; and what a round takes then. */
static int find_calls(const struct wm_bench_job *job, const struct wm_bench *b, double *round_s)
{
    double fastest = 0, sum = 0, calls;

    for (int c = 0; c < contenders_of(job, b->operation); c++) {
        double took = call_s(job, b, c);

        fastest = c == 0 || took < fastest ? took : fastest;
        sum += took;
    }
    calls = fastest > 0 ? job->batch_s / fastest + 1 : CALLS_MAX;
    calls = calls > CALLS_MAX ? CALLS_MAX : (double)(int)calls;
    *round_s = sum * calls;
    return (int)calls;
}

static int find_rounds(const struct wm_bench_job *job, double round_s)
{
    double fitting = round_s > 0 ? rounds_s / round_s : ROUNDS;

    if (job->rounds > 0)
        return job->rounds;
    return fitting > ROUNDS ? ROUNDS : fitting < ROUNDS_MIN ? ROUNDS_MIN : (int)fitting;
}

/* In which order round `round` takes the contenders: forth and back, each in its turn the first. */
static int contender_at(int round, int place, int count)
{
    int at = round % 2 == 0 ? place : count - 1 - place;

    return (at + round / 2) % count;
}

/* Say on stderr what the first rank with a fault found. Returns true when there was none. Collective. */
static bool is_right(struct wm_bench_job *job, const struct wm_bench *b, int contender)
{
    char sentence[256];
    bool fault = wm_bench_find_fault(b, sentence, sizeof sentence);
    int mine = fault ? job->rank : job->ranks, first;

    PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, job->comm);
    if (fault && first == job->rank)
        fprintf(stderr, "waymark bench: wrong result: %s of %llu bytes by %s: %s\n",
                wm_bench_operation_name(b->operation), (unsigned long long)b->bytes, job->contenders[contender].name,
                sentence);
    return first == job->ranks;
}

/* Each contender serves fresh data once; `right` of those that fail becomes false, for good. */
static void check_all(struct wm_bench_job *job, const struct wm_bench *b, bool *right)
{
    for (int c = 0; c < contenders_of(job, b->operation); c++) {
        wm_bench_fill(b);
        wm_bench_run(b, &job->contenders[c], 0, (int)wm_bench_checked_slots(b));
        right[c] = right[c] && is_right(job, b, c);
        job->wrong = job->wrong || !right[c];
    }
}

/* samples[contender][round], in ns a call, of this rank. Returns how many rounds there were. */
static int take_rounds(struct wm_bench_job *job, const struct wm_bench *b, int calls, int rounds, double *samples)
{
    int count = contenders_of(job, b->operation);
    unsigned at = 0;

    for (int round = 0; round < rounds; round++) {
        if (is_interrupted(job))
            return round;
        for (int place = 0; place < count; place++) {
            int c = contender_at(round, place, count);

            samples[c * rounds + round] = batch_s(job, b, c, at, calls) * 1e9 / calls;
        }
        at += (unsigned)calls; /* the next round begins with the slots that this one has left */
    }
    return rounds;
}

static json_t *pack_times(struct wm_bench_times t)
{
    return json_pack("{sf, sf, sf}", "min_ns", t.min_ns, "median_ns", t.median_ns, "p95_ns", t.p95_ns);
}

/* Rank 0: a contender's entry, out of its samples. */
static json_t *pack_entry(const char *name, bool right, double *means, double *slowest, int rounds)
{
    json_t *entry = json_pack("{ss, sb}", "contender", name, "verified", right), *times;

    if (!right || rounds == 0)
        return entry;
    times = pack_times(wm_bench_times_of(means, rounds));
    json_object_update(entry, times);
    json_decref(times);
    json_object_set_new(entry, "slowest", pack_times(wm_bench_times_of(slowest, rounds)));
    return entry;
}

/* Put all ranks' samples together; rank 0 gets the results. `stride`: of a contender's samples. */
static json_t *join(struct wm_bench_job *job, const struct wm_bench *b, double *samples, int stride, int rounds,
                    const bool *right)
{
    int count = contenders_of(job, b->operation), all = count * stride;
    int timed = b->operation == WM_BENCH_COPY ? 1 : job->ranks;
    double *sums = calloc((size_t)all, sizeof *sums), *most = calloc((size_t)all, sizeof *most);
    json_t *results = job->rank == 0 ? json_array() : NULL;

    if (sums == NULL || most == NULL)
        WM_BUG("no memory for samples");
    PMPI_Reduce(samples, sums, all, MPI_DOUBLE, MPI_SUM, 0, job->comm);
    PMPI_Reduce(samples, most, all, MPI_DOUBLE, MPI_MAX, 0, job->comm);
    for (int i = 0; i < all; i++)
        sums[i] /= timed;
    for (int c = 0; job->rank == 0 && c < count; c++)
        json_array_append_new(results, pack_entry(b->operation == WM_BENCH_COPY ? "memcpy" : job->contenders[c].name,
                                                  right[c], sums + c * stride, most + c * stride, rounds));
    free(sums);
    free(most);
    return results;
}

static json_t *measure(struct wm_bench_job *job, const struct wm_bench *b)
{
    bool right[WM_BENCH_CONTENDERS_MAX];
    int calls, rounds, done, count = contenders_of(job, b->operation);
    double round_s, *samples;
    json_t *results;

    memset(right, true, sizeof right);
    check_all(job, b, right);
    calls = find_calls(job, b, &round_s);
    rounds = find_rounds(job, round_s);
    if ((samples = calloc((size_t)(count * rounds), sizeof *samples)) == NULL)
        WM_BUG("no memory for samples");
    done = take_rounds(job, b, calls, rounds, samples);
    if (!job->interrupted)
        check_all(job, b, right);
    results = join(job, b, samples, rounds, done, right);
    free(samples);
    if (results == NULL || done > 0)
        return results == NULL ? NULL
                               : json_pack("{sI, si, si, so}", "bytes", (json_int_t)b->bytes, "calls", calls, "rounds",
                                           done, "results", results);
    json_decref(results);
    return NULL;
}

json_t *wm_bench_measure(struct wm_bench_job *job, int operation, uint64_t bytes, bool *short_of_memory)
{
    struct wm_bench b;
    int mine = wm_bench_init(&b, &job->pool, operation, bytes, job->comm, job->rotate_bytes) < 0, any;
    json_t *size = NULL;

    PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, job->comm);
    *short_of_memory = any != 0;
    if (any == 0)
        size = measure(job, &b);
    if (mine == 0)
        wm_bench_release(&b);
    return size;
}
