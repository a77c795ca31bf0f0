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

/* Calls that are not timed: so many times through the slots, in no more calls than so many batches. */
enum { WARMING_SWEEPS = 2, WARMING_BATCHES = 8 };

static volatile sig_atomic_t interrupted;

void wm_bench_interrupt(void)
{
    interrupted = 1;
}

static double now_s(void)
{
    return (double)wm_clock_monotonic_ns() * 1e-9;
}

bool wm_bench_is_limited(int operation, uint64_t bytes)
{
    return operation == WM_BARRIER || (operation == WM_ALLREDUCE && bytes == sizeof(double));
}

/* A copy has one contender: whatever the map, it is the same. */
static int contenders_of(const struct wm_bench_job *job, const struct wm_bench *b)
{
    return b->operation == WM_BENCH_COPY ? 1 : job->contender_count;
}

/* What takes turns: the contenders, and behind them the flags. */
static int turns_of(const struct wm_bench_job *job, const struct wm_bench *b)
{
    return contenders_of(job, b) + (job->flags.ranks > 0 && wm_bench_is_limited(b->operation, b->bytes) ? 1 : 0);
}

static bool is_flags(const struct wm_bench_job *job, const struct wm_bench *b, int turn)
{
    return turn == contenders_of(job, b);
}

/* Does this rank have a share in the turn's work, and so in its time? */
static bool takes_part(const struct wm_bench_job *job, const struct wm_bench *b, int turn)
{
    return is_flags(job, b, turn) ? job->flags.paired : b->operation != WM_BENCH_COPY || job->rank == 0;
}

static int ranks_of(const struct wm_bench_job *job, const struct wm_bench *b, int turn)
{
    return is_flags(job, b, turn) ? job->flags.ranks : b->operation == WM_BENCH_COPY ? 1 : job->ranks;
}

/* Any rank's signal ends the work of all. Collective. */
static bool is_interrupted(struct wm_bench_job *job)
{
    int mine = interrupted, any;

    PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, job->comm);
    return job->interrupted = any != 0;
}

static void run(struct wm_bench_job *job, const struct wm_bench *b, int turn, int calls)
{
    if (is_flags(job, b, turn))
        wm_bench_flags_run(&job->flags, calls);
    else
        wm_bench_run(b, &job->contenders[turn], calls);
}

/* Calls before a batch of `calls` that are not timed. */
static int warming_calls(const struct wm_bench *b, int calls)
{
    int wanted = WARMING_SWEEPS * (int)b->slots;

    return wanted / WARMING_BATCHES < calls ? wanted : WARMING_BATCHES * calls;
}

/* One batch: what it took at this rank. The calls before it drive out of the caches what the turn before has left
 * there. Without them large calls tell of that contender, too: an allgather of 1 MiB by the library took 1.4 times as
 * long beside a map than alone, in buffers of 32 MiB, and with one sweep still 1.3 times; with two the two agree. */
static double batch_s(struct wm_bench_job *job, const struct wm_bench *b, int turn, int calls)
{
    double begin;

    run(job, b, turn, warming_calls(b, calls));
    PMPI_Barrier(job->comm);
    begin = now_s();
    run(job, b, turn, calls);
    return takes_part(job, b, turn) ? now_s() - begin : 0;
}

/* Seconds that a call takes, as rank 0 finds from batches that grow until they can be timed. */
static double call_s(struct wm_bench_job *job, const struct wm_bench *b, int turn)
{
    double took = 0;

    for (int calls = 1; calls < CALLS_MAX; calls *= 2) {
        took = batch_s(job, b, turn, calls);
        PMPI_Bcast(&took, 1, MPI_DOUBLE, 0, job->comm);
        if (took >= job->batch_s / 4)
            return took / calls;
    }
    return took / CALLS_MAX;
}

/* How many calls make the fastest batch long enough; and what a round takes then. */
static int find_calls(struct wm_bench_job *job, const struct wm_bench *b, double *round_s)
{
    double fastest = 0, sum = 0, calls;

    for (int turn = 0; turn < turns_of(job, b); turn++) {
        double took = call_s(job, b, turn);

        fastest = turn == 0 || took < fastest ? took : fastest;
        sum += took;
    }
    calls = fastest > 0 ? job->batch_s / fastest + 1 : CALLS_MAX;
    calls = calls > CALLS_MAX ? CALLS_MAX : (double)(int)calls;
    *round_s = sum * (calls + warming_calls(b, (int)calls));
    return (int)calls;
}

static int find_rounds(const struct wm_bench_job *job, double round_s)
{
    double fitting = round_s > 0 ? rounds_s / round_s : ROUNDS;

    if (job->rounds > 0)
        return job->rounds;
    return fitting > ROUNDS ? ROUNDS : fitting < ROUNDS_MIN ? ROUNDS_MIN : (int)fitting;
}

/* In which order round `round` takes the turns: forth and back, each in its turn the first. */
static int turn_at(int round, int place, int count)
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
    for (int c = 0; c < contenders_of(job, b); c++) {
        wm_bench_fill(b);
        wm_bench_run(b, &job->contenders[c], (int)wm_bench_checked_slots(b));
        right[c] = right[c] && is_right(job, b, c);
        job->wrong = job->wrong || !right[c];
    }
}

/* samples[turn][round], in ns a call, of this rank. Returns how many rounds there were. */
static int take_rounds(struct wm_bench_job *job, const struct wm_bench *b, int calls, int rounds, double *samples)
{
    int count = turns_of(job, b);

    for (int round = 0; round < rounds; round++) {
        if (is_interrupted(job))
            return round;
        for (int place = 0; place < count; place++) {
            int turn = turn_at(round, place, count);

            samples[turn * rounds + round] = batch_s(job, b, turn, calls) * 1e9 / calls;
        }
    }
    return rounds;
}

/* The other ranks would wait for ever for one that has no memory. */
static double *new_samples(int count)
{
    double *samples = calloc((size_t)count, sizeof *samples);

    if (samples == NULL) {
        fputs("waymark bench: no memory for the samples; ask for fewer rounds\n", stderr);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    return samples;
}

static json_t *pack_times(struct wm_bench_times t)
{
    return json_pack("{sf, sf, sf}", "min_ns", t.min_ns, "median_ns", t.median_ns, "p95_ns", t.p95_ns);
}

/* Rank 0: a contender's entry, out of its samples. */
static json_t *pack_entry(const char *name, bool native, bool right, double *means, double *slowest, int rounds)
{
    json_t *entry = json_pack("{ss, sb, sb}", "contender", name, "native", native, "verified", right), *times;

    if (!right || rounds == 0)
        return entry;
    times = pack_times(wm_bench_times_of(means, rounds));
    json_object_update(entry, times);
    json_decref(times);
    json_object_set_new(entry, "slowest", pack_times(wm_bench_times_of(slowest, rounds)));
    return entry;
}

/* Rank 0: the results out of what all ranks' samples make. `stride`: of a turn's. */
static json_t *pack_results(const struct wm_bench_job *job, const struct wm_bench *b, double *means, double *slowest,
                            int stride, int rounds, const bool *right)
{
    json_t *results = json_array();

    for (int c = 0; c < contenders_of(job, b); c++) {
        const struct wm_bench_contender *contender = &job->contenders[c];
        bool copy = b->operation == WM_BENCH_COPY;

        json_array_append_new(results, pack_entry(copy ? "memcpy" : contender->name, contender->native && !copy,
                                                  right[c], means + c * stride, slowest + c * stride, rounds));
    }
    return results;
}

/* Put all ranks' samples together; rank 0 gets what it adds to the size's entry. `stride`: of a turn's samples. */
static void join(struct wm_bench_job *job, const struct wm_bench *b, double *samples, int stride, int rounds,
                 const bool *right, json_t *size)
{
    int count = turns_of(job, b), contenders = contenders_of(job, b), all = count * stride;
    double *sums = new_samples(all), *most = new_samples(all);

    PMPI_Reduce(samples, sums, all, MPI_DOUBLE, MPI_SUM, 0, job->comm);
    PMPI_Reduce(samples, most, all, MPI_DOUBLE, MPI_MAX, 0, job->comm);
    for (int i = 0; i < all; i++)
        sums[i] /= ranks_of(job, b, i / stride);
    if (job->rank == 0)
        json_object_set_new(size, "results", pack_results(job, b, sums, most, stride, rounds, right));
    if (job->rank == 0 && count > contenders && rounds > 0)
        json_object_set_new(size, "flags", pack_times(wm_bench_times_of(sums + contenders * stride, rounds)));
    free(sums);
    free(most);
}

static json_t *measure(struct wm_bench_job *job, const struct wm_bench *b, uint64_t rotate_bytes)
{
    bool right[WM_BENCH_CONTENDERS_MAX];
    int calls, rounds, done;
    double round_s, *samples;
    json_t *size;

    memset(right, true, sizeof right);
    check_all(job, b, right);
    calls = find_calls(job, b, &round_s);
    rounds = find_rounds(job, round_s);
    samples = new_samples(turns_of(job, b) * rounds);
    done = take_rounds(job, b, calls, rounds, samples);
    if (!job->interrupted)
        check_all(job, b, right);
    size = json_pack("{sI, sI, si, si}", "bytes", (json_int_t)b->bytes, "rotate_bytes", (json_int_t)rotate_bytes,
                     "calls", calls, "rounds", done);
    join(job, b, samples, rounds, done, right, size);
    free(samples);
    if (job->rank == 0 && done > 0)
        return size;
    json_decref(size);
    return NULL;
}

json_t *wm_bench_measure(struct wm_bench_job *job, int operation, uint64_t bytes, uint64_t rotate_bytes,
                         bool *short_of_memory)
{
    struct wm_bench b;
    int mine = wm_bench_init(&b, &job->pool, operation, bytes, job->comm, rotate_bytes) < 0, any;
    json_t *size = NULL;

    PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, job->comm);
    *short_of_memory = any != 0;
    if (any == 0)
        size = measure(job, &b, rotate_bytes);
    if (mine == 0)
        wm_bench_release(&b);
    return size;
}
