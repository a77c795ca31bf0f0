/* Measuring one case: all contenders of a section take turns, round by round. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/sample.h"
#include "bench/conveyors/measure.h"

/* Short runs are repeated within a round, until they carry so many items. */
enum { ITEMS_OF_A_ROUND = 20000, REPETITIONS_MAX = 100 };

static double median(const double *values, int64_t count)
{
    double *sorted = malloc((size_t)count * sizeof *sorted), middle;

    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    middle = bench_median(sorted, (size_t)count);
    middle = count % 2 == 1 ? middle : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
    free(sorted);
    return middle;
}

static double least(const double *values, int64_t count)
{
    double best = values[0];

    for (int64_t i = 1; i < count; i++)
        best = values[i] < best ? values[i] : best;
    return best;
}

/* So many of the whole that ranks have nearly the same, and at least one somewhere. */
static int64_t share(double each, int rank, int ranks)
{
    int64_t mine = (int64_t)(each * (rank + 1)) - (int64_t)(each * rank);

    return mine == 0 && each * ranks < 1 && rank == ranks - 1 ? 1 : mine;
}

static void size_case(struct bench_case *c, const struct bench_load *load, size_t item_bytes, bool elastic)
{
    double each;

    *c = (struct bench_case){.item_bytes = item_bytes, .elastic = elastic};
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c->ranks);
    each = load->bytes ? load->value / (double)item_bytes : load->value * c->ranks;
    c->items = share(each, c->rank, c->ranks);
    c->seed = 12345 + (uint64_t)c->rank * 7919;
    MPI_Allreduce(&c->items, &c->most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (c->most == 0)
        c->most = 1;
}

/* A sign of life where somebody looks. */
static void show_progress(const struct bench_result *r, int64_t round, int64_t rounds, const char *contender)
{
    if (r->at.rank == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s, %zu B, load %s: round %ld of %ld, %-12s", r->section->name, r->at.item_bytes,
                r->load->text, (long)round, (long)rounds, contender);
}

static void clear_progress(const struct bench_result *r)
{
    if (r->at.rank == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%78s\r", "");
}

/* The runs of a round; ns an item at the rank that took longest. */
static double round_of(struct bench_result *r, struct bench_figure *f, void *state, double *life_us)
{
    struct bench_run run = {.hops = 0};
    double seconds[2];
    uint64_t sums[2];

    for (int i = 0; i < r->repetitions; i++)
        f->contender->run(state, &r->at, &run);
    seconds[0] = run.seconds;
    seconds[1] = run.life_seconds;
    sums[0] = run.pushed;
    sums[1] = run.pulled;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    f->wrong |= sums[0] != sums[1];
    f->hops = run.hops;
    *life_us = seconds[1] * 1e6 / r->repetitions;
    return seconds[0] * 1e9 / ((double)r->repetitions * (double)r->at.most);
}

/* Those that were asked for and that apply. */
static int open_contenders(struct bench_result *r, const struct bench_choice *choice, void **states)
{
    const struct bench_contender *const *c = r->section->contenders;

    for (; *c != NULL; c++) {
        struct bench_figure *f = &r->figure[r->count];
        bool wanted = c == r->section->contenders || bench_named(choice->only, (*c)->name);

        *f = (struct bench_figure){.contender = *c};
        states[r->count] = wanted ? (*c)->open(*c, &choice->settings, &r->at) : NULL;
        f->measured = states[r->count] != NULL;
        f->round_ns = calloc((size_t)choice->rounds, sizeof *f->round_ns);
        r->count++;
    }
    return r->count;
}

static void summarise(struct bench_result *r, const struct bench_choice *choice,
                      double (*life_us)[BENCH_CONTENDERS_MAX])
{
    int64_t rounds = choice->rounds;
    double *life = calloc((size_t)rounds, sizeof *life);

    for (int i = 0; i < r->count; i++) {
        struct bench_figure *f = &r->figure[i];

        for (int64_t round = 0; round < rounds; round++)
            life[round] = life_us[round][i];
        f->raw_ns = choice->best ? least(f->round_ns, rounds) : median(f->round_ns, rounds);
        f->life_us = median(life, rounds);
        f->net_ns = f->raw_ns - (f->contender->bare ? 0 : r->figure[0].raw_ns);
    }
    free(life);
}

void bench_measure(struct bench_result *r, const struct bench_choice *choice, const struct bench_section *section,
                   size_t item_bytes, const struct bench_load *load)
{
    double(*life_us)[BENCH_CONTENDERS_MAX] = calloc((size_t)choice->rounds, sizeof *life_us), warm_us, ns;
    void *states[BENCH_CONTENDERS_MAX];

    *r = (struct bench_result){.section = section, .load = load};
    size_case(&r->at, load, item_bytes, section == &bench_elastic);
    r->repetitions = (int)(ITEMS_OF_A_ROUND / r->at.most);
    r->repetitions = r->repetitions < 1 ? 1 : r->repetitions > REPETITIONS_MAX ? REPETITIONS_MAX : r->repetitions;
    open_contenders(r, choice, states);
    for (int64_t round = -1; round < choice->rounds; round++)
        for (int i = 0; i < r->count; i++)
            if (r->figure[i].measured) {
                show_progress(r, round + 1, choice->rounds, r->figure[i].contender->name);
                ns = round_of(r, &r->figure[i], states[i], round < 0 ? &warm_us : &life_us[round][i]);
                if (round >= 0)
                    r->figure[i].round_ns[round] = ns;
            }
    for (int i = r->count - 1; i >= 0; i--)
        if (r->figure[i].measured)
            r->figure[i].contender->close(states[i]);
    clear_progress(r);
    summarise(r, choice, life_us);
    free(life_us);
}

void bench_result_release(struct bench_result *r)
{
    for (int i = 0; i < r->count; i++)
        free(r->figure[i].round_ns);
}

const struct bench_figure *bench_figure_of(const struct bench_result *r, const char *contender)
{
    for (int i = 0; i < r->count; i++)
        if (r->figure[i].measured && strcmp(r->figure[i].contender->name, contender) == 0)
            return &r->figure[i];
    return NULL;
}
