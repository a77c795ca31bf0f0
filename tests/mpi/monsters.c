/* Monsters: large items between all pairs, itself included, in random order and sizes, in pieces small and whole;
 * tickets go by messages of the test's own, in order. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/convey/monster.h"

enum { FIRST_TAG = 100, TICKETS_ROOM = 1024, LIMIT_BYTES = 5000 };

struct test {
    size_t piece_bytes, most_bytes;
    int items; /* a pair */
};

static const struct test tests[] = {
    {100, 1, 100}, {64, 1000, 100}, {4096, 100000, 30}, {1 << 20, 3 << 20, 3}, {WM_MONSTER_PIECE_BYTES, 9 << 20, 1}};

static int rank, ranks, faults;
static unsigned seed;
static MPI_Comm comm;
static struct wm_monsters *monsters;
static const struct test *test;
static int *sent, *found; /* [ranks] */
static char *item;        /* of the largest size */

/* Tickets that are under way, and the one of each source that is being served. */
static struct wm_ticket_item tickets[TICKETS_ROOM], *served;
static MPI_Request requests[TICKETS_ROOM];
static int ticket_count;
static bool *serving;

static void check(int line, int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "monsters: rank %d, line %d, pieces of %zu: not: %s\n", rank, line, test->piece_bytes, what);
}

#define CHECK(right) check(__LINE__, right, #right)

static unsigned draw(unsigned below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static uint64_t mix(int source, int destination, int number)
{
    uint64_t x = (uint64_t)(source * 64 + destination) * 0xda942042e4dd58b5 + (uint64_t)number * 0x9e3779b97f4a7c15;

    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9;
    return x ^ x >> 29;
}

/* The first of a pair is of the largest size. */
static size_t bytes_of(int source, int destination, int number)
{
    return number == 0 ? test->most_bytes : mix(source, destination, number) % (test->most_bytes + 1);
}

static void make_item(int source, int destination, int number)
{
    uint64_t word = mix(destination, source, number);

    for (size_t i = 0; i < bytes_of(source, destination, number); i += 8) {
        memcpy(item + i, &word, 8);
        word = word * 0x9e3779b97f4a7c15 + 1;
    }
}

static bool send_one(int to)
{
    struct wm_ticket_item *ticket = &tickets[ticket_count];
    int rc;

    if (sent[to] == test->items)
        return false;
    make_item(rank, to, sent[to]);
    rc = wm_monster_send(monsters, item, bytes_of(rank, to, sent[to]), to, ticket);
    CHECK(rc >= 0);
    if (rc != 1)
        return false;
    CHECK(ticket->bytes == bytes_of(rank, to, sent[to]));
    MPI_Isend(ticket, sizeof *ticket, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[ticket_count++]);
    sent[to]++;
    return true;
}

static bool check_item(int from, const char *data)
{
    size_t bytes = bytes_of(from, rank, found[from]);

    make_item(from, rank, found[from]);
    return served[from].bytes == bytes && memcmp(item, data, bytes) == 0;
}

static bool receive_one(int from)
{
    void *data = NULL;
    int rc, there = serving[from];

    if (!serving[from]) {
        MPI_Iprobe(from, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there || draw(3) == 0)
            return false;
        MPI_Recv(&served[from], sizeof *served, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        serving[from] = true;
    }
    rc = wm_monster_receive(monsters, from, &served[from], &data);
    CHECK(rc >= 0);
    if (rc != 1)
        return false;
    CHECK(check_item(from, data));
    CHECK(wm_monster_receive(monsters, from, &served[from], &data) == 1 && check_item(from, data));
    wm_monster_drop(monsters, from, served[from].number);
    serving[from] = false;
    found[from]++;
    return true;
}

static bool is_over(void)
{
    for (int i = 0; i < ranks; i++)
        if (sent[i] < test->items || found[i] < test->items)
            return false;
    return wm_monsters_idle(monsters);
}

static void exchange(void)
{
    while (!is_over()) {
        bool any = false;

        for (int round = 0; round < 50; round++) {
            any |= wm_monsters_progress(monsters);
            any |= send_one((int)draw((unsigned)ranks));
            any |= receive_one((int)draw((unsigned)ranks));
            if (!any)
                sched_yield();
        }
    }
    MPI_Waitall(ticket_count, requests, MPI_STATUSES_IGNORE);
}

/* No reader: the slots bound what is under way. */
static void fill_slots(void)
{
    struct wm_ticket_item ticket, kept[WM_MONSTERS_MAX];
    uint64_t value = 0;
    void *data;

    for (int i = 0; i < WM_MONSTERS_MAX; i++, value++)
        CHECK(wm_monster_send(monsters, &value, sizeof value, rank, &kept[i]) == 1);
    CHECK(wm_monster_send(monsters, &value, sizeof value, rank, &ticket) == 0);
    CHECK(!wm_monsters_idle(monsters));
    CHECK(wm_monsters_bytes(monsters) == WM_MONSTERS_MAX * sizeof value);
    for (uint64_t i = 0; i < WM_MONSTERS_MAX; i++) {
        int rc;

        while ((rc = wm_monster_receive(monsters, rank, &kept[i], &data)) == 0)
            wm_monsters_progress(monsters);
        CHECK(rc == 1 && memcmp(data, &i, sizeof i) == 0);
        wm_monster_drop(monsters, rank, kept[i].number);
    }
    while (!wm_monsters_idle(monsters))
        wm_monsters_progress(monsters);
}

static void *receive(const struct wm_ticket_item *ticket)
{
    void *data = NULL;
    int rc;

    while ((rc = wm_monster_receive(monsters, rank, ticket, &data)) == 0)
        wm_monsters_progress(monsters);
    CHECK(rc == 1);
    return data;
}

/* Two fit into the limit, and no third; one is kept while the next one comes. */
static void fill_bytes(void)
{
    static char bytes[3 * LIMIT_BYTES];
    struct wm_ticket_item first, second, third;
    const char *kept, *next;

    memset(bytes, 'a', LIMIT_BYTES);
    CHECK(wm_monster_send(monsters, bytes, LIMIT_BYTES, rank, &first) == 1);
    memset(bytes, 'b', LIMIT_BYTES);
    CHECK(wm_monster_send(monsters, bytes, LIMIT_BYTES, rank, &second) == 1);
    CHECK(wm_monster_send(monsters, bytes, 1, rank, &third) == 0);
    kept = receive(&first);
    next = receive(&second);
    CHECK(kept[0] == 'a' && memcmp(kept, kept + 1, LIMIT_BYTES - 1) == 0 && next[0] == 'b');
    CHECK(wm_monsters_bytes(monsters) >= 2 * LIMIT_BYTES);
    wm_monster_drop(monsters, rank, first.number);
    wm_monster_drop(monsters, rank, second.number);
    while (!wm_monsters_idle(monsters))
        wm_monsters_progress(monsters);
    CHECK(wm_monster_send(monsters, bytes, sizeof bytes, rank, &third) == 1); /* one goes whatever its size */
    receive(&third);
    wm_monster_drop(monsters, rank, third.number);
    while (!wm_monsters_idle(monsters))
        wm_monsters_progress(monsters);
}

static void run(const struct test *t)
{
    test = t;
    item = malloc(test->most_bytes + 8);
    sent = calloc((size_t)ranks, sizeof *sent);
    found = calloc((size_t)ranks, sizeof *found);
    served = calloc((size_t)ranks, sizeof *served);
    serving = calloc((size_t)ranks, sizeof *serving);
    ticket_count = 0;
    CHECK((monsters = wm_monsters_new(comm, FIRST_TAG, 2 * LIMIT_BYTES)) != NULL);
    wm_monsters_cut(monsters, test->piece_bytes);
    fill_slots();
    fill_bytes();
    exchange();
    CHECK(wm_monsters_bytes(monsters) == 0);
    wm_monsters_free(monsters);
    free(item);
    free(sent);
    free(found);
    free(served);
    free(serving);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    seed = (argc > 1 ? (unsigned)atoi(argv[1]) : 1u) * 1000 + (unsigned)rank;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        run(&tests[i]);
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return faults != 0;
}
