/* Messages through the memory of a node: random ones of all sizes, tags and datatypes between all pairs, several
 * communicators at once; each arrives once, whole, in order, and nothing beside it is touched. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/geometry.h"
#include "core/net/net.h"
#include "core/node/node.h"

enum { NETS = 2, TAGS = 5, MESSAGES = 300, GUARD = 32 };
enum layout { BYTES, INTS, GAPS, LAYOUTS };

static const struct wm_transport transports[] = {
    {0, 0, 0},           {WM_COPY_DOUBLE, 0, 0},      {WM_COPY_SINGLE, 0, 0}, {WM_COPY_DOUBLE, 64, 1000},
    {0, 20000, 1 << 20}, {WM_COPY_SINGLE, 1 << 20, 0}};
enum { TRANSPORTS = sizeof transports / sizeof transports[0] };

static const size_t sizes[] = {0,    1,    40,   41,   48,    49,    64,    100,    1000,   4095,
                               4096, 4097, 8191, 8192, 16384, 16385, 65536, 100001, 300000, 3 << 20};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

struct item {
    int source, destination, tag, net, transport; /* world ranks */
    size_t bytes, capacity;
    enum layout sent, received;
    char *send_buffer, *receive_buffer;
    bool posted[2], over[2]; /* of sending and receiving */
};

static int rank, ranks, nodes, faults;
static unsigned seed;
static MPI_Datatype types[LAYOUTS];
static const size_t unit_bytes[LAYOUTS] = {1, 4, 6};
static MPI_Comm comms[NETS];
static struct wm_node *node[NETS];
static struct wm_net *nets[NETS];
static struct item items[MESSAGES];

static void check(int line, int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "messages: rank %d, line %d: not: %s\n", rank, line, what);
}

#define CHECK(right) check(__LINE__, right, #right)

/* The same on all ranks, and one's own. */
static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % below;
}

/* Elements with gaps: bytes 0 to 2 and 5 to 7 of 8. */
static size_t place_of(enum layout layout, size_t byte)
{
    return layout == GAPS ? byte / 6 * 8 + byte % 6 + (byte % 6 >= 3 ? 2 : 0) : byte;
}

static size_t span_of(enum layout layout, size_t bytes)
{
    return layout == GAPS ? bytes / 6 * 8 : bytes;
}

static char content(const struct item *item, size_t byte)
{
    return (char)((size_t)(item - items) * 131 + byte * 7 + (byte >> 8) * 13);
}

static void draw_item(struct item *item)
{
    size_t longest = ranks > 4 ? SIZES - 1 : SIZES;

    *item = (struct item){.source = (int)draw(&seed, (unsigned)ranks), .tag = (int)draw(&seed, TAGS)};
    do
        item->destination = (int)draw(&seed, (unsigned)ranks);
    while ((item->destination - item->source) % nodes != 0);
    item->net = (int)draw(&seed, NETS);
    item->transport = (int)draw(&seed, TRANSPORTS + 1);
    item->bytes = sizes[draw(&seed, draw(&seed, 3) ? 14 : (unsigned)longest)];
    item->sent = (enum layout)(draw(&seed, 2) ? BYTES : draw(&seed, LAYOUTS));
    item->received = (enum layout)(draw(&seed, 2) ? BYTES : draw(&seed, LAYOUTS));
    if (item->sent != BYTES || item->received != BYTES)
        item->bytes -= item->bytes % 12;
    item->capacity = draw(&seed, 4) ? item->bytes : draw(&seed, 3) ? item->bytes + 120 : item->bytes / 24 * 12;
}

static void make_buffers(struct item *item)
{
    size_t send_span = span_of(item->sent, item->bytes), span = span_of(item->received, item->capacity);

    if (item->source == rank) {
        item->send_buffer = malloc(send_span + 1);
        memset(item->send_buffer, 0x11, send_span + 1);
        for (size_t i = 0; i < item->bytes; i++)
            item->send_buffer[place_of(item->sent, i)] = content(item, i);
    }
    if (item->destination == rank) {
        item->receive_buffer = malloc(span + GUARD);
        memset(item->receive_buffer, 0x22, span + GUARD);
    }
}

/* What came, and that nothing else did. */
static void check_received(struct item *item)
{
    size_t span = span_of(item->received, item->capacity) + GUARD;
    size_t bytes = item->bytes < item->capacity ? item->bytes : item->capacity, wrong = 0;
    char *expected = malloc(span);

    memset(expected, 0x22, span);
    for (size_t i = 0; i < bytes; i++)
        expected[place_of(item->received, i)] = content(item, i);
    for (size_t i = 0; i < span; i++)
        wrong += expected[i] != item->receive_buffer[i];
    CHECK(wrong == 0);
    free(expected);
}

static void finish(struct item *item, bool receiving, int error)
{
    CHECK(item->posted[receiving] && !item->over[receiving]);
    item->over[receiving] = true;
    if (!receiving) {
        CHECK(error == MPI_SUCCESS);
        return;
    }
    CHECK(error == (item->bytes > item->capacity ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    check_received(item);
}

static void post(struct item *item, bool receiving)
{
    enum layout layout = receiving ? item->received : item->sent;
    size_t bytes = receiving ? item->capacity : item->bytes;
    int peer = receiving ? item->source : item->destination, rc;
    struct wm_net *net = nets[item->net];
    struct wm_message m = {.address = receiving ? item->receive_buffer : item->send_buffer,
                           .count = bytes / unit_bytes[layout],
                           .bytes = bytes,
                           .type = types[layout],
                           .peer = item->net == 0 ? peer : ranks - 1 - peer,
                           .tag = item->tag,
                           .transport = item->transport < TRANSPORTS ? &transports[item->transport] : NULL};
    bool done;

    item->posted[receiving] = true;
    rc = (receiving ? net->class->receive : net->class->send)(net, &m, (struct wm_ticket){item, receiving, 77}, &done);
    CHECK(rc == MPI_SUCCESS);
    if (done)
        finish(item, receiving, rc);
}

static void progress(int net, bool wait)
{
    struct wm_ticket tickets[3];
    int count = 0;

    CHECK(nets[net]->class->progress(nets[net], wait, tickets, 3, &count) == MPI_SUCCESS);
    for (int i = 0; i < count; i++)
        finish(tickets[i].flight, tickets[i].step, tickets[i].error);
}

/* The first item that is like this one for who posts it, and is not posted: messages of a pair and tag keep their
 * order. */
static struct item *first_like(const struct item *like, bool receiving)
{
    for (struct item *item = items; item <= like; item++)
        if (!item->posted[receiving] && item->source == like->source && item->destination == like->destination &&
            item->tag == like->tag && item->net == like->net)
            return item;
    return NULL;
}

static bool is_mine(const struct item *item, bool receiving)
{
    return (receiving ? item->destination : item->source) == rank;
}

/* In an order of one's own. */
static void post_all(unsigned *own)
{
    int order[2 * MESSAGES];

    for (int i = 0; i < 2 * MESSAGES; i++)
        order[i] = i;
    for (int i = 2 * MESSAGES - 1; i > 0; i--) {
        int other = (int)draw(own, (unsigned)i + 1), kept = order[i];

        order[i] = order[other];
        order[other] = kept;
    }
    for (int i = 0; i < 2 * MESSAGES; i++) {
        bool receiving = order[i] % 2;
        const struct item *item = &items[order[i] / 2];

        for (struct item *next; is_mine(item, receiving) && (next = first_like(item, receiving)) != NULL;)
            post(next, receiving);
        if (draw(own, 3) == 0)
            progress((int)draw(own, NETS), false);
    }
}

static void finish_all(void)
{
    while (nets[0]->class->busy(nets[0]) || nets[1]->class->busy(nets[1]))
        for (int net = 0; net < NETS; net++)
            progress(net, !nets[1 - net]->class->busy(nets[1 - net]));
    for (struct item *item = items; item < items + MESSAGES; item++) {
        CHECK(item->over[0] == is_mine(item, false) && item->over[1] == is_mine(item, true));
        free(item->send_buffer);
        free(item->receive_buffer);
    }
}

static void check_random(unsigned *own)
{
    for (int i = 0; i < MESSAGES; i++) {
        draw_item(&items[i]);
        make_buffers(&items[i]);
    }
    post_all(own);
    finish_all();
}

/* Rank 0 sends `count` messages of tags from 0 on; each second of its node receives them backwards, one by one. */
static void check_backwards(size_t bytes, int count, const struct wm_transport *transport)
{
    char *data = calloc((size_t)count, bytes), wrong = 0;
    struct wm_net *net = nets[0];
    struct wm_ticket ticket;
    int got;

    for (int i = count - 1; i >= 0 && rank == nodes; i--) {
        struct wm_message m = {data, bytes, bytes, MPI_BYTE, 0, i, transport};
        bool done;

        CHECK(net->class->receive(net, &m, (struct wm_ticket){data, i, 0}, &done) == MPI_SUCCESS);
        for (got = done; got == 0;)
            CHECK(net->class->progress(net, true, &ticket, 1, &got) == MPI_SUCCESS);
        for (size_t b = 0; b < bytes; b++)
            wrong |= data[b] ^ (char)(i + 1);
        CHECK(!wrong);
    }
    for (int i = 0; i < count && rank == 0; i++) {
        char *own = data + (size_t)i * bytes;
        struct wm_message m = {own, bytes, bytes, MPI_BYTE, nodes, i, transport};
        bool done;

        memset(own, i + 1, bytes);
        CHECK(net->class->send(net, &m, (struct wm_ticket){data, i, 0}, &done) == MPI_SUCCESS);
    }
    while (net->class->busy(net))
        CHECK(net->class->progress(net, true, &ticket, 1, &got) == MPI_SUCCESS);
    free(data);
}

static void open_nets(const struct wm_place *places, struct wm_place *backwards)
{
    for (int r = 0; r < ranks; r++)
        backwards[r] = places[ranks - 1 - r];
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    for (int net = 0; net < NETS; net++) {
        node[net] = wm_node_new(net == 0 ? places : backwards, ranks, net == 0 ? rank : ranks - 1 - rank);
        wm_node_share_area(node[net], comms[net]);
        nets[net] = wm_net_shm_new(node[net]);
        CHECK((nets[net] != NULL) == (node[net]->size > 1));
    }
}

static void close_nets(void)
{
    for (int net = 0; net < NETS; net++) {
        if (nets[net] != NULL)
            nets[net]->class->free(nets[net]);
        wm_node_free(node[net]);
        MPI_Comm_free(&comms[net]);
    }
}

static void run(unsigned *own, int rounds)
{
    for (int i = 0; i < rounds; i++)
        check_random(own);
    if (nodes >= ranks)
        return;
    check_backwards(8, 200, NULL);
    check_backwards(4000, 100, NULL);
    check_backwards(100000, 40, &transports[1]);
    check_backwards(100000, 40, &transports[2]);
}

static void make_types(void)
{
    types[BYTES] = MPI_BYTE;
    types[INTS] = MPI_INT;
    MPI_Type_vector(2, 3, 5, MPI_BYTE, &types[GAPS]);
    MPI_Type_commit(&types[GAPS]);
}

/* messages NODES SEED [ROUNDS]: fewer nodes than half the ranks, so that nobody is alone */
int main(int argc, char **argv)
{
    struct wm_place *places, *backwards;
    unsigned own;
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    nodes = argc > 1 ? atoi(argv[1]) : 1;
    seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    own = seed * 77 + (unsigned)rank;
    places = calloc((size_t)ranks, sizeof *places);
    backwards = calloc((size_t)ranks, sizeof *backwards);
    for (int r = 0; r < ranks; r++)
        places[r] = (struct wm_place){.world_rank = r, .node = r % nodes, .host = "here"};
    wm_geometry_start();
    make_types();
    wm_node_start(places, 1);
    for (int round = 0; round < 3; round++) {
        open_nets(places, backwards);
        run(&own, argc > 3 ? atoi(argv[3]) : 2);
        close_nets();
    }
    wm_node_stop();
    MPI_Type_free(&types[GAPS]);
    wm_geometry_stop();
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(places);
    free(backwards);
    MPI_Finalize();
    return all != 0;
}
