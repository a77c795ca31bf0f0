/* A conveyor carried. */
#include "tools/gauge/carry.h"

#include <math.h>
#include <stdlib.h>
#include "tools/gauge/probes.h"
#include "tracer/clock.h"

enum { IDLE_ITEMS = 1000, IDLE_TIMES = 8 };

struct carrying {
    convey_t *conveyor;
    int64_t items;
    uint64_t seed;
    int base, span; /* items are for the ranks from base on, span of them */
    bool phases;
    struct wm_gauge_carried ns;
};

static double now_ns(void)
{
    return (double)wm_clock_monotonic_ns();
}

/* Cheap, so that little is to be taken off: the words of items, and whom they are for. */
static inline uint64_t next_number(uint64_t number)
{
    return number * UINT64_C(0x5851f42d4c957f2d) + UINT64_C(0x14057b7ef767814f);
}

static inline int64_t destination(const struct carrying *c, uint64_t number)
{
    return c->base + (int64_t)((number >> 32) * (uint64_t)c->span >> 32);
}

static void carry(struct carrying *c)
{
    uint64_t words[WM_GAUGE_ITEM_BYTES_MAX / 8] = {0}, number = c->seed, sum = 0;
    double begin = now_ns(), last = begin, done = 0, now;
    int64_t sent = 0;

    while (convey_advance(c->conveyor, sent == c->items) > convey_DONE) {
        if (done == 0 && sent == c->items)
            done = now_ns();
        if (c->phases)
            last = now_ns();
        for (; sent < c->items; sent++) {
            words[0] = number;
            if (convey_push(c->conveyor, words, destination(c, number)) != convey_OK)
                break;
            number = next_number(number);
        }
        if (c->phases) {
            now = now_ns();
            c->ns.push += now - last;
            last = now;
        }
        while (convey_pull(c->conveyor, words, NULL) == convey_OK)
            sum += words[0];
        if (c->phases)
            c->ns.pull += now_ns() - last;
    }
    now = now_ns();
    c->ns.run = now - begin;
    c->ns.drain = done > 0 ? now - done : 0;
    __asm__ volatile("" : : "r"(sum) : "memory");
}

/* The loop itself, with a push and a pull that do nothing: ns of so many items. */
static double idle_ns(const struct carrying *c)
{
    uint64_t words[1], number = c->seed, sum = 0;
    double begin = now_ns();

    for (int i = 0; i < IDLE_ITEMS; i++) {
        words[0] = number;
        __asm__ volatile("" : : "r"(words), "r"(destination(c, number)) : "memory");
        number = next_number(number);
    }
    for (int i = 0; i < IDLE_ITEMS; i++) {
        __asm__ volatile("" : : "r"(words) : "memory");
        sum += words[0];
    }
    __asm__ volatile("" : : "r"(sum) : "memory");
    return now_ns() - begin;
}

/* Of an item: the least of some, at any rank, since what is taken off must not be more than was there. */
static double least_idle_ns(const struct carrying *c, MPI_Comm own)
{
    double least = idle_ns(c);

    for (int i = 1; i < IDLE_TIMES; i++)
        least = fmin(least, idle_ns(c));
    PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, own);
    return least / IDLE_ITEMS;
}

/* Of the rank that took longest; of the drain, of the one that was done last. */
static void join(struct wm_gauge_carried *ns, MPI_Comm own)
{
    double all[] = {ns->run, ns->begin, -ns->drain, ns->push, ns->pull};

    PMPI_Allreduce(MPI_IN_PLACE, all, 5, MPI_DOUBLE, MPI_MAX, own);
    *ns = (struct wm_gauge_carried){.run = all[0], .begin = all[1], .drain = -all[2], .push = all[3], .pull = all[4]};
}

static int compare(const void *a, const void *b)
{
    const struct wm_gauge_carried *x = a, *y = b;

    return (x->run > y->run) - (x->run < y->run);
}

/* A run of so many items, by itself. False: the conveyor cannot begin, at any rank. */
static bool run_once(struct carrying *c, size_t item_bytes, int64_t items, MPI_Comm own)
{
    double begin = now_ns();

    c->ns = (struct wm_gauge_carried){0};
    c->items = items;
    if (convey_begin(c->conveyor, item_bytes, 0) != convey_OK)
        return false;
    c->ns.begin = now_ns() - begin;
    PMPI_Barrier(own);
    carry(c);
    begin = now_ns();
    convey_reset(c->conveyor);
    c->ns.begin += now_ns() - begin;
    join(&c->ns, own);
    return true;
}

/* Of runs that follow each other, the middle one. The first warms up. */
static bool run_all(struct carrying *c, const struct wm_gauge_conveyor *loaded, int count, MPI_Comm own)
{
    struct wm_gauge_carried runs[WM_GAUGE_RUNS_MAX];
    double idle = least_idle_ns(c, own) * (double)loaded->items;

    if (!run_once(c, loaded->item_bytes, (loaded->items + 1) / 2, own))
        return false;
    for (int i = 0; i < count; i++) {
        if (!run_once(c, loaded->item_bytes, loaded->items, own))
            return false;
        runs[i] = c->ns;
    }
    qsort(runs, (size_t)count, sizeof *runs, compare);
    c->ns = runs[count / 2];
    c->ns.run = fmax(1, c->ns.run - idle);
    c->ns.push = c->phases ? fmax(0, c->ns.push - idle) : 0; /* to draw numbers is most of it */
    return true;
}

bool wm_gauge_carry(convey_t *conveyor, MPI_Comm own, const struct wm_gauge_conveyor *loaded, int runs, uint64_t seed,
                    struct wm_gauge_carried *carried)
{
    struct carrying c = {.conveyor = conveyor, .phases = loaded->phases};
    int rank, ranks;

    PMPI_Comm_rank(own, &rank);
    PMPI_Comm_size(own, &ranks);
    c.seed = seed * UINT64_C(7919) + (uint64_t)rank;
    wm_gauge_draw(&c.seed);
    c.base = loaded->aim == WM_GAUGE_OWN ? rank : loaded->aim == WM_GAUGE_NEXT ? (rank + 1) % ranks : 0;
    c.span = loaded->aim == WM_GAUGE_ANY ? ranks : 1;
    if (!run_all(&c, loaded, runs, own))
        return false;
    *carried = c.ns;
    return true;
}
