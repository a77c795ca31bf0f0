/* A bare ring in shared memory for each pair of ranks, as a contender: no hops, no checks, the floor. */
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/conveyors/contender.h"

enum { RING_BYTES = 32 << 10, BLOCKS = 8 };

struct ring {
    _Alignas(64) _Atomic uint64_t head; /* items handed over, in all runs */
    _Atomic uint64_t over;              /* the run in which nothing more comes */
    _Alignas(64) _Atomic uint64_t tail; /* items read */
    _Alignas(64) char data[RING_BYTES];
};

struct outlet {
    char *at, *limit;
    struct ring *ring;
    uint64_t position, tail; /* where the open block begins; the reader's, as far as is known */
    bool open;
};

struct inlet {
    struct ring *ring;
    uint64_t position;
    bool over;
};

struct rings {
    MPI_Comm node;
    MPI_Win win;
    uint64_t run;
    size_t item_bytes;
    uint64_t block, room; /* items */
    bool crowded;
    int ranks;
    struct outlet *out;
    struct inlet *in;
};

/* The rings that a rank reads. The library aligns windows to 8 bytes only; pages are mapped alike everywhere. */
static struct ring *rings_of(const struct rings *r, int rank)
{
    int unit;
    MPI_Aint size;
    char *base;

    MPI_Win_shared_query(r->win, rank, &size, &unit, &base);
    return (struct ring *)(void *)(base + (-(uintptr_t)base & 63));
}

static void connect(struct rings *r, int rank)
{
    for (int peer = 0; peer < r->ranks; peer++) {
        r->out[peer] = (struct outlet){.ring = &rings_of(r, peer)[rank]};
        r->in[peer] = (struct inlet){.ring = &rings_of(r, rank)[peer]};
    }
}

static void *open_rings(const struct bench_contender *contender, const struct bench_settings *settings,
                        const struct bench_case *c)
{
    MPI_Comm node;
    struct rings *r;
    size_t bytes = (size_t)c->ranks * sizeof(struct ring) + 64;
    void *mine;
    int ranks;

    (void)contender;
    (void)settings;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    if (ranks != c->ranks || c->item_bytes * BLOCKS > RING_BYTES) {
        MPI_Comm_free(&node);
        return NULL;
    }
    r = calloc(1, sizeof *r);
    *r = (struct rings){.node = node, .item_bytes = c->item_bytes, .ranks = ranks};
    r->block = RING_BYTES / BLOCKS / c->item_bytes;
    r->room = r->block * BLOCKS;
    r->crowded = ranks > sysconf(_SC_NPROCESSORS_ONLN);
    r->out = calloc((size_t)ranks, sizeof *r->out);
    r->in = calloc((size_t)ranks, sizeof *r->in);
    MPI_Win_allocate_shared((MPI_Aint)bytes, 1, MPI_INFO_NULL, node, &mine, &r->win);
    memset(mine, 0, bytes);
    connect(r, c->rank);
    MPI_Barrier(node);
    return r;
}

static void close_rings(void *state)
{
    struct rings *r = state;

    MPI_Win_free(&r->win);
    MPI_Comm_free(&r->node);
    free(r->out);
    free(r->in);
    free(r);
}

static bool next_block(const struct rings *r, struct outlet *o)
{
    if (o->open) {
        o->position += r->block;
        atomic_store_explicit(&o->ring->head, o->position, memory_order_release);
        o->open = false;
    }
    if (o->position + r->block - o->tail > r->room)
        o->tail = atomic_load_explicit(&o->ring->tail, memory_order_acquire);
    if (o->position + r->block - o->tail > r->room)
        return false;
    o->at = o->ring->data + o->position % r->room * r->item_bytes;
    o->limit = o->at + r->block * r->item_bytes;
    o->open = true;
    return true;
}

/* A block that is not full ends the run; the next one begins behind it. */
static void end_run(const struct rings *r, struct outlet *o)
{
    if (o->open)
        atomic_store_explicit(&o->ring->head, o->position + r->block - (uint64_t)(o->limit - o->at) / r->item_bytes,
                              memory_order_relaxed);
    atomic_store_explicit(&o->ring->over, r->run, memory_order_release);
}

/* All that has come from one rank. */
static uint64_t read_ring(const struct rings *r, struct inlet *in, bool *moved)
{
    bool over = atomic_load_explicit(&in->ring->over, memory_order_acquire) == r->run;
    uint64_t head = atomic_load_explicit(&in->ring->head, memory_order_acquire), sum = 0, word;

    *moved |= in->position != head;
    while (in->position != head) {
        uint64_t from = in->position % r->room, count = head - in->position;
        const char *item = in->ring->data + from * r->item_bytes;

        count = count < r->room - from ? count : r->room - from;
        for (uint64_t i = 0; i < count; i++, item += r->item_bytes) {
            memcpy(&word, item, sizeof word);
            sum += word;
        }
        in->position += count;
    }
    atomic_store_explicit(&in->ring->tail, in->position, memory_order_release);
    in->over = over;
    return sum;
}

static bool read_all(struct rings *r, uint64_t *sum, bool *over)
{
    bool moved = false;

    *over = true;
    for (int peer = 0; peer < r->ranks; peer++) {
        if (!r->in[peer].over)
            *sum += read_ring(r, &r->in[peer], &moved);
        *over &= r->in[peer].over;
    }
    return moved;
}

static inline __attribute__((always_inline)) void stream(struct rings *r, const struct bench_case *k, size_t bytes,
                                                         struct bench_run *run)
{
    uint64_t rest[bytes / 8], number = bench_next(k->seed);
    int64_t sent = 0, before = -1;
    bool over = false, told = false;

    memset(rest, 0, bytes);
    while (!over) {
        for (; sent < k->items; sent++) {
            struct outlet *o = &r->out[bench_destination(number, k->ranks)];

            if (o->at == o->limit && !next_block(r, o))
                break;
            memcpy(o->at, &number, sizeof number); /* made where it is read: what was just written is not copied */
            memcpy(o->at + 8, rest, bytes - 8);
            o->at += bytes;
            run->pushed += number;
            number = bench_next(number);
        }
        for (int peer = 0; sent == k->items && !told && peer < r->ranks; peer++)
            end_run(r, &r->out[peer]);
        told = sent == k->items;
        if (!read_all(r, &run->pulled, &over) && sent == before && r->crowded)
            sched_yield();
        before = sent;
    }
}

/* Where both ends agree that the next run begins. */
static void rewind_rings(struct rings *r)
{
    r->run++;
    for (int peer = 0; peer < r->ranks; peer++) {
        struct outlet *o = &r->out[peer];

        o->at = o->limit = NULL;
        o->open = false;
        o->position = o->tail = 0;
        r->in[peer].position = 0;
        r->in[peer].over = false;
        atomic_store(&r->in[peer].ring->head, 0);
        atomic_store(&r->in[peer].ring->tail, 0);
    }
}

static void run_rings(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct rings *r = state;
    double start;

    rewind_rings(r);
    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    if (k->item_bytes == 8)
        stream(r, k, 8, run);
    else if (k->item_bytes == 16)
        stream(r, k, 16, run);
    else if (k->item_bytes == 32)
        stream(r, k, 32, run);
    else if (k->item_bytes == 128)
        stream(r, k, 128, run);
    else
        stream(r, k, k->item_bytes, run);
    run->seconds += bench_seconds() - start;
    MPI_Barrier(MPI_COMM_WORLD);
}

const struct bench_contender bench_ring = {
    .name = "ring",
    .meaning = "a bare ring in shared memory for each pair of ranks: the floor",
    .open = open_rings,
    .run = run_rings,
    .close = close_rings,
};
