/* The carrier of messages, driven by hand over one hop: what is written at random times, in buffers full and partial,
 * to readers quick and stalled, comes out whole, in order, with its tags and samples; run after run. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/convey/carrier.h"
#include "core/convey/codec.h"
#include "core/path/grid.h"

enum { UNIT_MAX = 4096, RECORD_UNITS_MAX = 40 };

struct load {
    const char *name;
    struct wm_convey_form form;
    size_t item_bytes;
    long units; /* a link and run; records if elastic */
    enum wm_codec_choice codec;
    bool noise;   /* nothing in it can be compressed */
    bool stalled; /* readers stop for a while */
    bool held;    /* and at the beginning of the first run until nothing moves */
    int runs;
};

#define FORM(stride, tag, count, depth)                                                                                \
    {                                                                                                                  \
        .unit_bytes = stride, .tag_bytes = tag, .units = count, .buffers = depth                                       \
    }
#define RECORDS(count, depth)                                                                                          \
    {                                                                                                                  \
        .unit_bytes = 8, .units = count, .buffers = depth, .elastic = true                                             \
    }

static const struct load loads[] = {
    {"many", FORM(8, 0, 2048, 4), 8, 100000, WM_CODEC_NONE, false, false, false, 1},
    {"stalled", FORM(8, 1, 512, 3), 8, 12500, WM_CODEC_NONE, true, true, true, 3},
    {"one buffer", FORM(16, 2, 64, 1), 16, 3000, WM_CODEC_NONE, false, true, true, 2},
    {"one unit", FORM(24, 2, 1, 2), 24, 1000, WM_CODEC_NONE, false, false, false, 2},
    {"odd", FORM(13, 4, 100, 2), 13, 7500, WM_CODEC_NONE, true, true, false, 2},
    {"empty items", FORM(1, 2, 1000, 2), 0, 7500, WM_CODEC_SQUEEZE, false, false, false, 2},
    {"nothing", FORM(8, 1, 100, 2), 8, 0, WM_CODEC_NONE, false, false, false, 5},
    {"large", FORM(4096, 0, 100, 4), 4096, 3000, WM_CODEC_NONE, true, true, true, 2},
    {"records", RECORDS(256, 3), 8, 3000, WM_CODEC_NONE, true, true, false, 2},
    {"squeezed", FORM(8, 0, 2048, 4), 8, 40000, WM_CODEC_SQUEEZE, false, true, false, 2},
    {"squeezed tags", FORM(20, 2, 500, 3), 20, 10000, WM_CODEC_SQUEEZE, false, false, false, 2},
    {"squeezed noise", FORM(16, 1, 500, 3), 16, 10000, WM_CODEC_SQUEEZE, true, false, false, 1},
    {"squeezed records", RECORDS(512, 2), 8, 5000, WM_CODEC_SQUEEZE, false, true, false, 2},
#ifdef HAVE_LZ4
    {"lz4", FORM(8, 1, 2048, 4), 8, 30000, WM_CODEC_LZ4, false, true, false, 2},
    {"lz4 noise", FORM(9, 2, 300, 2), 9, 7500, WM_CODEC_LZ4, true, false, true, 1},
    {"lz4 records", RECORDS(512, 2), 8, 5000, WM_CODEC_LZ4, false, false, false, 2},
#endif
};

static int rank, ranks, faults, run;
static unsigned seed;
static long times = 1; /* the loads */
static const struct load *load;
static struct wm_route *route;
static struct wm_carrier *carrier;
static struct wm_convey_outlet *hot;
static struct wm_outlet **outlets;
static struct wm_inlet **inlets;
static long *written, *left, *found, *stall; /* units on a link; what is still to be written; units read; rounds */
static size_t bytes_sent, bytes_plain;

static void check(int line, int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "carriers: rank %d, line %d, %s: not: %s\n", rank, line, load->name, what);
}

#define CHECK(right) check(__LINE__, right, #right)

static unsigned draw(unsigned below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static uint64_t mix(int source, int destination, long number)
{
    uint64_t x =
        (uint64_t)number * 0x9e3779b97f4a7c15 + (uint64_t)(source * 64 + destination * 8 + run) * 0xda942042e4dd58b5;

    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9;
    return x ^ x >> 29;
}

/* What unit `number` of a link holds. */
static void make_unit(char *unit, int source, int destination, long number)
{
    uint64_t word = mix(source, destination, number);

    if (!load->noise)
        word &= 0xff00fff;
    for (size_t i = 0; i < load->item_bytes; i += 8) {
        memcpy(unit + i, &word, load->item_bytes - i < 8 ? load->item_bytes - i : 8);
        word = load->noise ? word * 0x9e3779b97f4a7c15 + 1 : word;
    }
}

static uint32_t make_tag(int source, int destination, long number)
{
    size_t bits = 8 * load->form.tag_bytes;
    uint64_t tag = mix(destination, source, number);

    return (uint32_t)(bits == 0 ? 0 : tag & ((UINT64_C(1) << (load->noise ? bits : 5)) - 1));
}

/* ---- writing ---- */

static void close_buffer(struct wm_outlet *out, enum wm_convey_reason reason)
{
    uint64_t before = out->handed;
    size_t bytes;

    if (out->open_at == NULL || !out->carrier->class->close(out, reason, &bytes))
        return;
    CHECK(out->open_at == NULL && out->hot->at == out->hot->limit);
    bytes_sent += bytes;
    bytes_plain += (out->handed - before) * (load->form.unit_bytes + load->form.tag_bytes);
}

static bool has_room(struct wm_outlet *out, size_t units)
{
    struct wm_convey_outlet *h = out->hot;

    if (out->open_at != NULL && (size_t)(h->limit - h->at) >= units * load->form.unit_bytes)
        return true;
    close_buffer(out, WM_REASON_FULL);
    return out->open_at == NULL && out->carrier->class->open(out, units);
}

static void write_unit(struct wm_outlet *out)
{
    long number = written[out->peer]++;
    uint32_t tag = make_tag(rank, out->peer, number);

    if (draw(1000) == 0 && out->sample.ticks == 0)
        out->sample = (struct wm_convey_sample){(uint64_t)number * 7 + 1, (uint64_t)number};
    make_unit(out->hot->at, rank, out->peer, number);
    memcpy(out->hot->tag, &tag, load->form.tag_bytes);
    out->hot->at += load->form.unit_bytes;
    out->hot->tag += load->form.tag_bytes;
}

/* A head that says how many units follow, and they. */
static size_t record_units(int source, int destination, long number)
{
    return 1 + mix(source, destination, number) % RECORD_UNITS_MAX;
}

static void write_record(struct wm_outlet *out, size_t units)
{
    uint64_t head = units;

    memcpy(out->hot->at, &head, 8);
    out->hot->at += 8;
    written[out->peer]++;
    for (size_t i = 1; i < units; i++)
        write_unit(out);
}

static void write_some(struct wm_outlet *out)
{
    long *rest = &left[out->peer];

    for (unsigned burst = 1 + draw(3000); burst > 0 && *rest > 0; burst--, --*rest) {
        size_t units = load->form.elastic ? record_units(rank, out->peer, written[out->peer]) : 1;

        if (!has_room(out, units))
            return;
        if (load->form.elastic)
            write_record(out, units);
        else
            write_unit(out);
        if (draw(400) == 0)
            close_buffer(out, WM_REASON_URGENT);
    }
    if (*rest > 0 && carrier->class->hungry(out))
        close_buffer(out, WM_REASON_FLUSH);
    if (*rest > 0 || out->ended)
        return;
    close_buffer(out, draw(2) ? WM_REASON_ENDGAME : WM_REASON_FLUSH);
    if (out->open_at == NULL && draw(2))
        out->ended = carrier->class->end(out);
}

/* ---- reading ---- */

static void check_unit(const struct wm_inlet *in, size_t at)
{
    char expected[UNIT_MAX + 8];
    long number = found[in->peer]++;
    uint32_t tag = make_tag(in->peer, rank, number), seen = 0;

    make_unit(expected, in->peer, rank, number);
    CHECK(memcmp(expected, in->chunk.items + at * load->form.unit_bytes, load->item_bytes) == 0);
    CHECK((in->chunk.tags == NULL) == (load->form.tag_bytes == 0));
    if (load->form.tag_bytes > 0)
        memcpy(&seen, in->chunk.tags + at * load->form.tag_bytes, load->form.tag_bytes);
    CHECK(seen == tag);
}

/* Records stand whole in a chunk. */
static size_t check_record(const struct wm_inlet *in, size_t at)
{
    size_t units = record_units(in->peer, rank, found[in->peer]);
    uint64_t head;

    memcpy(&head, in->chunk.items + 8 * at, 8);
    CHECK(head == units && at + units <= in->chunk.units);
    found[in->peer]++;
    for (size_t i = 1; i < units && at + i < in->chunk.units; i++)
        check_unit(in, at + i);
    return units;
}

static void check_chunk(const struct wm_inlet *in)
{
    CHECK(in->chunk.units > 0 && in->used == 0);
    CHECK((uintptr_t)in->chunk.items % 64 == 0);
    CHECK(in->taken == (uint64_t)found[in->peer]);
    if (in->sample.ticks == 0)
        return;
    CHECK(in->sample.ticks == in->sample.position * 7 + 1);
    CHECK(in->sample.position >= in->taken && in->sample.position < in->taken + in->chunk.units);
}

static bool read_some(struct wm_inlet *in)
{
    size_t part;

    if (in->ended || (stall[in->peer] > 0 && stall[in->peer]-- > 0))
        return false;
    if (load->stalled && draw(200) == 0)
        stall[in->peer] = 300;
    if (in->chunk.units == 0) {
        if (!carrier->class->take(in))
            return false;
        check_chunk(in);
    }
    part = in->used + 1 + draw((unsigned)in->chunk.units);
    while (in->used < in->chunk.units && in->used < part)
        if (load->form.elastic)
            in->used += check_record(in, in->used);
        else
            check_unit(in, in->used++);
    if (in->used >= in->chunk.units)
        carrier->class->give(in);
    return true;
}

/* ---- runs ---- */

static bool is_over(void)
{
    for (int link = 0; link < ranks; link++)
        if ((outlets[link] != NULL && !outlets[link]->ended) || (inlets[link] != NULL && !inlets[link]->ended))
            return false;
    return carrier->class->idle(carrier);
}

static void begin_run(void)
{
    for (int link = 0; link < ranks; link++) {
        written[link] = found[link] = stall[link] = 0;
        left[link] = load->units * times;
        if (outlets[link] == NULL)
            continue;
        outlets[link]->ended = inlets[link]->ended = false;
        outlets[link]->handed = inlets[link]->taken = 0;
        outlets[link]->sample.ticks = 0;
    }
    carrier->class->rewind(carrier, (unsigned)run);
}

static void go_on(void)
{
    while (!is_over() && carrier->class->error(carrier) == 0) {
        bool any = carrier->class->progress(carrier);

        for (int i = 0; i < ranks; i++)
            if (outlets[i] != NULL)
                write_some(outlets[i]);
        for (int i = 0; i < ranks; i++)
            if (inlets[i] != NULL)
                any |= read_some(inlets[i]);
        if (!any)
            sched_yield();
    }
    CHECK(carrier->class->error(carrier) == 0);
}

/* Both ends of a link write and read alike but for the direction. */
static void check_counts(void)
{
    long mine[ranks], theirs[ranks];

    for (int link = 0; link < ranks; link++)
        mine[link] = written[link];
    MPI_Alltoall(mine, 1, MPI_LONG, theirs, 1, MPI_LONG, MPI_COMM_WORLD);
    for (int link = 0; link < ranks; link++)
        CHECK(link == rank || theirs[link] == found[link]);
}

static bool write_all_there_is_room_for(struct wm_outlet *out)
{
    bool any = false;

    for (; left[out->peer] > 0 && has_room(out, 1); left[out->peer]--, any = true)
        write_unit(out);
    return any;
}

/* Readers that take nothing hold their writers back: no more is handed over than their pools and the sends take. */
static void hold_back(void)
{
    uint64_t most = (uint64_t)(load->form.buffers + wm_convey_parcels_in(&load->form, ranks - 1)) * load->form.units;
    int quiet = 0, all_quiet = 0;

    for (int round = 1; !all_quiet; round++) {
        bool any = carrier->class->progress(carrier);

        for (int i = 0; i < ranks; i++)
            any |= outlets[i] != NULL && write_all_there_is_room_for(outlets[i]);
        quiet = any ? 0 : quiet + 1;
        sched_yield();
        if (round % 500 == 0) {
            int mine = quiet > 400;

            MPI_Allreduce(&mine, &all_quiet, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        }
    }
    for (int i = 0; i < ranks; i++)
        CHECK(outlets[i] == NULL || (outlets[i]->handed > 0 && outlets[i]->handed <= most && left[i] > 0));
}

static void build(MPI_Comm comm, struct wm_convey_store *store)
{
    bool mine[ranks];
    struct wm_carrier_links links = {.hop = &route->hop[0],
                                     .number = 3,
                                     .out_mine = mine,
                                     .in_mine = mine,
                                     .hot = hot,
                                     .outlets = outlets,
                                     .inlets = inlets,
                                     .form = load->form};
    struct wm_convey_packing packing = {
        .codec = wm_codec_find(load->codec), .elastic = load->form.elastic, .item_bytes = load->item_bytes};

    for (int link = 0; link < ranks; link++)
        mine[link] = link != rank;
    memset(hot, 0, (size_t)ranks * sizeof *hot);
    CHECK(wm_carrier_mpi_new(&carrier, &links, comm, store, &packing) == 0);
    CHECK(carrier != NULL && outlets[rank] == NULL && inlets[rank] == NULL);
    MPI_Barrier(comm);
}

static void carry(MPI_Comm comm, struct wm_convey_store *store)
{
    build(comm, store);
    bytes_sent = bytes_plain = 0;
    for (run = 1; run <= load->runs; run++) {
        begin_run();
        if (load->held && run == 1)
            hold_back();
        go_on();
        check_counts();
    }
    CHECK(load->codec == WM_CODEC_NONE || load->noise || bytes_sent < bytes_plain);
    CHECK((load->codec != WM_CODEC_NONE && !load->noise) || bytes_sent == bytes_plain);
    carrier->class->free(carrier);
}

/* ---- allocators ---- */

static void *blocks[64];
static int block_count, grabs_allowed;

static void *grab(void *context, size_t bytes, const char *file, uint64_t line)
{
    (void)file;
    (void)line;
    CHECK(context == &block_count);
    if (block_count == grabs_allowed || posix_memalign(&blocks[block_count], 64, bytes) != 0)
        return NULL;
    return blocks[block_count++];
}

static void give_back(void *context, void *block)
{
    CHECK(context == &block_count);
    CHECK(block_count > 0 && blocks[block_count - 1] == block); /* last in, first out */
    free(blocks[--block_count]);
}

/* The grab fails, and nothing is left. */
static void starve(MPI_Comm comm, struct wm_convey_store *store)
{
    struct wm_carrier_links links = {.hop = &route->hop[0],
                                     .out_mine = (bool[64]){false},
                                     .in_mine = (bool[64]){false},
                                     .hot = hot,
                                     .outlets = outlets,
                                     .inlets = inlets,
                                     .form = load->form};
    struct wm_convey_packing packing = {.codec = &convey_standard_codec, .item_bytes = load->item_bytes};

    grabs_allowed = 0;
    CHECK(wm_carrier_mpi_new(&carrier, &links, comm, store, &packing) == -WM_ENOMEM);
    CHECK(carrier == NULL && block_count == 0);
    grabs_allowed = 64;
}

static void make_route(void)
{
    struct wm_place *places = calloc((size_t)ranks, sizeof *places);
    struct wm_grid grid;
    struct wm_error error = {0};
    int all = WM_AXIS_ALL;

    for (int i = 0; i < ranks; i++)
        places[i].world_rank = i;
    if (wm_grid_init(&grid, NULL, ranks, places, &error) != 0 ||
        wm_route_new(&route, &grid, &all, 1, rank, &error) != 0) {
        fprintf(stderr, "carriers: %s\n", error.text);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    wm_grid_release(&grid);
    free(places);
}

int main(int argc, char **argv)
{
    struct wm_convey_store own = {.alloc = {&block_count, grab, give_back}}, plain = {0};
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (getenv("CARRIERS_TIMES") != NULL)
        times = atol(getenv("CARRIERS_TIMES"));
    seed = (argc > 1 ? (unsigned)atoi(argv[1]) : 1u) * 1000 + (unsigned)rank;
    hot = calloc((size_t)ranks, sizeof *hot);
    outlets = calloc((size_t)ranks, sizeof *outlets);
    inlets = calloc((size_t)ranks, sizeof *inlets);
    written = calloc(4 * (size_t)ranks, sizeof *written);
    left = written + ranks;
    found = left + ranks;
    stall = found + ranks;
    load = &loads[0];
    make_route();
    starve(comm, &own);
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        load = &loads[i];
        if (argc > 2 && strcmp(argv[2], load->name) != 0)
            continue;
        carry(comm, i % 2 == 0 ? &plain : &own);
        CHECK(block_count == 0);
    }
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wm_route_free(route);
    free(written);
    free(hot);
    free(outlets);
    free(inlets);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return faults != 0;
}
