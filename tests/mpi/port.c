/* Ports: port NODES EAGER: on so many pretended nodes (0: those that there are), where messages of so many bytes are
 * eager: names, bounds, many readers, ends, errors, choice. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/message/span.h"
#include "core/node/node.h"
#include "core/port/state.h"
#include "tests/mpi/places.h"
#include "waymark/convey_comm.h"
#include "waymark/port.h"

static int rank, ranks, faults;
static struct wm_ports *ports;

static void check(int line, int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "port: rank %d, line %d: not: %s (%s)\n", rank, line, what, wm_port_sentence(ports));
}

#define CHECK(right) check(__LINE__, right, #right)
#define SAYS(...) says(__LINE__, __VA_ARGS__)

static void says(int line, const char *expected)
{
    check(line, strcmp(wm_port_sentence(ports), expected) == 0, expected);
}

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static struct wm_port *open_port(const char *name, enum wm_port_use use, const struct wm_port_form *form)
{
    struct wm_port *port;

    CHECK(wm_port_open(ports, name, use, form, &port) == WM_PORT_DONE);
    return port;
}

static struct wm_port *find_port(const char *name, enum wm_port_use use, const struct wm_port_form *form)
{
    struct wm_port *port;

    CHECK(wm_port_find(ports, name, use, form, -1, &port) == WM_PORT_DONE);
    return port;
}

static const struct wm_port_form ints = {.number = WM_INT32};

static int write_int(struct wm_port *port, int32_t number)
{
    return wm_port_write(port, &number, sizeof number);
}

/* -1: there is none. */
static int32_t read_int(struct wm_port *port)
{
    int32_t number;
    size_t bytes = sizeof number;

    return wm_port_read(port, &number, &bytes) == WM_PORT_DONE && bytes == sizeof number ? number : -1;
}

/* ---- names ---- */

enum { LOOKS = 50 };

static int names, choices; /* fewer where each asks by MPI */

/* Each rank opens its share, and finds some of the others'; nobody keeps much more of the directory than its share. */
static void check_directory(void)
{
    int each = names / ranks, kept = 0;
    struct wm_port **own = calloc((size_t)each, sizeof(struct wm_port *));
    char name[40];

    for (int i = 0; i < each; i++) {
        snprintf(name, sizeof name, "port %d of %d", i, rank);
        own[i] = open_port(name, WM_PORT_READ, &ints);
    }
    meet();
    kept = (int)ports->entry_count;
    CHECK(kept <= 2 * each);
    MPI_Allreduce(MPI_IN_PLACE, &kept, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(kept == each * ranks);
    for (int i = 0; i < LOOKS; i++) {
        struct wm_port *there;

        snprintf(name, sizeof name, "port %d of %d", i * 7 % each, (rank + i) % ranks);
        there = find_port(name, WM_PORT_WRITE, &ints);
        CHECK(there->rank == (rank + i) % ranks && write_int(there, rank) == WM_PORT_DONE);
        wm_port_close(there);
    }
    meet();
    for (int i = 0; i < each; i++)
        wm_port_close(own[i]);
    free(own);
}

static void check_names(void)
{
    struct wm_port *port, *other;
    char expected[300];

    port = rank == 0 ? open_port("one", WM_PORT_READ, NULL) : NULL;
    meet();
    CHECK(wm_port_open(ports, "one", WM_PORT_WRITE, NULL, &other) == WM_PORT_TWICE && other == NULL);
    snprintf(expected, sizeof expected, "rank %d opens the port 'one', which rank 0 has opened already: find it", rank);
    SAYS(expected);
    CHECK(wm_port_find(ports, "nowhere", WM_PORT_WRITE, NULL, 0.01, &other) == WM_PORT_NEVER && other == NULL);
    snprintf(expected, sizeof expected,
             "rank %d has looked for the port 'nowhere' for 0.01 s, but no rank has opened it, says rank %d, which "
             "keeps that name",
             rank, wm_directory_keeper(ports, "nowhere"));
    SAYS(expected);
    meet();
    if (rank == 0)
        wm_port_close(find_port("one", WM_PORT_WRITE, NULL));
    wm_port_close(port);
    meet();
    /* The name is free again, some time; who looks for it meanwhile finds a port that is over, or the new one. */
    while (rank == ranks - 1 && wm_port_open(ports, "one", WM_PORT_READ, NULL, &port) != WM_PORT_DONE)
        sched_yield();
    meet();
    other = find_port("one", WM_PORT_WRITE, NULL);
    CHECK(other->rank == ranks - 1 && wm_port_write(other, "", 0) == WM_PORT_DONE);
    meet();
    wm_port_close(other);
    if (rank == ranks - 1)
        wm_port_close(port);
}

/* Those who look for it were there before it is opened. */
static void check_late_opening(void)
{
    struct wm_port *port, *start;

    if (rank == 0) {
        start = open_port("start", WM_PORT_READ, &(struct wm_port_form){.writers = ranks - 1});
        for (int i = 1; i < ranks; i++)
            CHECK(wm_port_read(start, NULL, &(size_t){0}) == WM_PORT_DONE);
        port = open_port("late", WM_PORT_READ, &(struct wm_port_form){.number = WM_INT32, .writers = ranks - 1});
        for (int i = 1; i < ranks; i++)
            CHECK(read_int(port) > 0);
    } else {
        start = find_port("start", WM_PORT_WRITE, NULL);
        if (rank > 1) /* while the first looks for it */
            CHECK(wm_port_find(ports, "late", WM_PORT_WRITE, &ints, 0.01, &port) == WM_PORT_NEVER);
        CHECK(wm_port_write(start, NULL, 0) == WM_PORT_DONE);
        port = find_port("late", WM_PORT_WRITE, &ints);
        CHECK(write_int(port, rank) == WM_PORT_DONE);
    }
    wm_port_close(start);
    wm_port_close(port);
}

/* ---- bounds ---- */

enum { STREAM = 2000, CAPACITY = 10, LARGE = 50000 };

struct parcel {
    int32_t from, number;
    char fill[LARGE];
};

static size_t parcel_bytes(int number)
{
    return offsetof(struct parcel, fill) + (number % 50 == 0 ? LARGE : number % 3 == 0 ? 0 : 16);
}

/* All write; rank 0 reads late and with pauses. `grows`: it does not know how many come, so that the first is promised
 * all, and has to share with those that follow. */
static void check_bounds(bool grows)
{
    const struct wm_port_form form = {.capacity = CAPACITY, .writers = grows ? 1 : ranks - 1};
    const char *name = grows ? "growing stream" : "stream";
    static struct parcel parcel;
    struct wm_port *port, *keeps = NULL;

    if (rank > 0) {
        port = find_port(name, WM_PORT_WRITE, NULL);
        for (int i = 0; i < STREAM / ranks; i++) {
            parcel.from = rank;
            parcel.number = i;
            memset(parcel.fill, rank + i, LARGE);
            CHECK(wm_port_write(port, &parcel, parcel_bytes(i)) == WM_PORT_DONE);
        }
    } else {
        int next_of[64] = {0}, most = 0, all = STREAM / ranks * (ranks - 1);

        port = open_port(name, WM_PORT_READ, &form);
        if (grows)
            keeps = find_port(name, WM_PORT_WRITE, NULL);
        for (int i = 0; i < all; i++) {
            const struct wm_port_host *host = ports->hosts;
            size_t bytes = sizeof parcel;
            unsigned turn = 0;

            for (int pause = 0; pause < (i == 0 ? 3000 : i % 100 == 0 ? 100 : 0); pause++)
                wm_ports_rest(ports, &turn);
            CHECK(host->queued <= CAPACITY + ranks - !grows);
            most = host->queued > most ? host->queued : most;
            CHECK(wm_port_read(port, &parcel, &bytes) == WM_PORT_DONE);
            CHECK(parcel.number == next_of[parcel.from]++ && bytes == parcel_bytes(parcel.number));
            CHECK(bytes < LARGE || parcel.fill[LARGE - 1] == (char)(parcel.from + parcel.number));
        }
        CHECK(most >= CAPACITY / 2);
        wm_port_close(keeps);
        CHECK(wm_port_read(port, &parcel, &(size_t){sizeof parcel}) == WM_PORT_ENDED);
        CHECK(strstr(wm_port_sentence(ports),
                     "of rank 0, which its writers have all closed, the last of them at rank ") != NULL);
    }
    wm_port_close(port);
}

/* A writer that is alone is promised all, as often as one comes. */
static void check_promises(void)
{
    struct wm_port *port, *writer;
    char name[40];

    snprintf(name, sizeof name, "promises %d", rank);
    port = open_port(name, WM_PORT_READ, &(struct wm_port_form){.capacity = CAPACITY, .writers = 5});
    for (int i = 0; i < 4; i++) {
        writer = find_port(name, WM_PORT_WRITE, NULL);
        CHECK(writer->window == 1 + CAPACITY / 5);
        CHECK(wm_port_write(writer, name, 1) == WM_PORT_DONE && ports->hosts->promised == CAPACITY / 5);
        wm_port_close(writer);
        CHECK(wm_port_read(port, name, &(size_t){sizeof name}) == WM_PORT_DONE && ports->hosts->promised == 0);
        snprintf(name, sizeof name, "promises %d", rank);
    }
    wm_port_close(port);
}

/* ---- many readers ---- */

enum { JOBS = 1000 };

/* Each message is read once, by whoever comes for it. The host neither writes the last nor reads. */
static void check_readers(bool chooses)
{
    static struct parcel job;
    struct wm_port *jobs;
    int64_t sums[2] = {0, 0};
    bool writes = rank < (ranks + 1) / 2;
    const char *name = chooses ? "chosen jobs" : "jobs";

    if (rank == 0)
        jobs = open_port(name, WM_PORT_WRITE,
                         &(struct wm_port_form){.writers = (ranks + 1) / 2, .readers = ranks - (ranks + 1) / 2});
    else
        jobs = find_port(name, writes ? WM_PORT_WRITE : WM_PORT_READ, NULL);
    for (int i = 0; writes && i < JOBS; i++) {
        job.number = rank * JOBS + i;
        memset(job.fill, i, LARGE);
        CHECK(wm_port_write(jobs, &job, parcel_bytes(i)) == WM_PORT_DONE);
    }
    if (!writes) {
        struct wm_alternative a = {.port = jobs};
        size_t bytes = sizeof job;

        while ((!chooses || wm_select(&a, 1, NULL, -1) == 0) && wm_port_read(jobs, &job, &bytes) == WM_PORT_DONE) {
            CHECK(bytes == parcel_bytes(job.number % JOBS));
            CHECK(bytes < LARGE || job.fill[LARGE - 1] == (char)(job.number % JOBS));
            sums[0] += job.number;
            sums[1]++;
            bytes = sizeof job;
        }
    }
    wm_port_close(jobs);
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sums[1] == (ranks + 1) / 2 * JOBS);
    CHECK(sums[0] == sums[1] * (sums[1] - 1) / 2);
}

/* One that has asked in vain, and goes, is given nothing. */
static void check_gone(void)
{
    struct wm_port *writer = open_port("gone", WM_PORT_WRITE, &(struct wm_port_form){.number = WM_INT32, .readers = 3});
    struct wm_alternative a = {.port = find_port("gone", WM_PORT_READ, &ints)};
    struct wm_port *reader = find_port("gone", WM_PORT_READ, &ints);

    CHECK(wm_select(&a, 1, NULL, 0) == -1);
    wm_port_close(a.port);
    CHECK(write_int(writer, 4) == WM_PORT_DONE && read_int(reader) == 4);
    wm_port_close(writer);
    wm_port_close(reader);
}

/* A reader that has asked by a choice, and goes without reading, gives its message back, ahead of the others. */
static void check_returned(void)
{
    struct wm_port *port;
    const struct wm_port_form form = {.number = WM_INT32, .readers = 2};

    if (rank == 0) {
        port = open_port("returned", WM_PORT_WRITE, &form);
        for (int i = 0; i < 3; i++)
            CHECK(write_int(port, i) == WM_PORT_DONE);
        wm_port_close(port);
    } else if (rank == 1) {
        struct wm_alternative a = {0};

        check_gone();
        a.port = find_port("returned", WM_PORT_READ, &ints);
        CHECK(wm_select(&a, 1, NULL, -1) == 0);
        port = find_port("returned", WM_PORT_READ, &ints);
        CHECK(read_int(port) == 1 && read_int(port) == 2);
        meet();
        wm_port_close(a.port);
        CHECK(read_int(port) == 0);
        CHECK(read_int(port) == -1 && port->over == WM_PORT_ENDED);
        wm_port_close(port);
    }
    if (rank != 1)
        meet();
}

/* ---- ends ---- */

/* Readers go: writers hear of it, and of what was not read. */
static void check_closed(void)
{
    struct wm_port *port;
    int error = WM_PORT_DONE, written = 0, expected;
    char sentence[300], unread[80] = "";

    if (rank == 0) {
        port = open_port("closed", WM_PORT_READ, &(struct wm_port_form){.number = WM_INT32, .writers = ranks - 1});
        CHECK(read_int(port) >= 0 && read_int(port) >= 0 && read_int(port) >= 0);
        wm_port_close(port);
        expected = -3;
    } else {
        port = find_port("closed", WM_PORT_WRITE, &ints);
        while ((error = write_int(port, rank)) == WM_PORT_DONE)
            written++;
        CHECK(error == WM_PORT_CLOSED);
        snprintf(sentence, sizeof sentence,
                 "rank %d writes to the port 'closed' of rank 0, which its readers have all closed, the last of them "
                 "at rank 0",
                 rank);
        if (port->unread > 0)
            snprintf(unread, sizeof unread, "; %d messages of rank %d were not read", port->unread, rank);
        strcat(sentence, unread);
        SAYS(sentence);
        expected = written - port->unread;
        wm_port_close(port);
    }
    MPI_Allreduce(MPI_IN_PLACE, &expected, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(expected == 0);
}

/* One end poisons: all others hear of it, whatever they wait for; so does one that comes when they have closed it. */
static void check_poison(enum wm_port_use by)
{
    const struct wm_port_form form = {.number = WM_INT32, .writers = (ranks + 1) / 2, .readers = ranks / 2};
    struct wm_port *port;
    bool writes = rank % 2 == 0, poisons = rank == (by == WM_PORT_WRITE ? 0 : 1), late = rank > 1 && rank == ranks - 1;
    const char *name = by == WM_PORT_WRITE ? "poisoned by its host" : "poisoned";
    char expected[300];
    int error;

    if (late)
        meet();
    port = rank == 0 ? open_port(name, WM_PORT_WRITE, &form)
                     : find_port(name, writes ? WM_PORT_WRITE : WM_PORT_READ, &ints);
    if (poisons) {
        for (int i = 0; i < 5; i++)
            CHECK(by == WM_PORT_READ ? read_int(port) >= 0 : write_int(port, i) == WM_PORT_DONE);
        wm_port_poison(port);
    } else {
        do
            error = writes ? write_int(port, 1) : wm_port_read(port, &(int32_t){0}, &(size_t){sizeof(int32_t)});
        while (error == WM_PORT_DONE);
        CHECK(error == WM_PORT_POISONED);
        snprintf(expected, sizeof expected, "rank %d %s the port '%s' of rank 0, which rank %d has poisoned", rank,
                 writes ? "writes to" : "reads from", name, by == WM_PORT_WRITE ? 0 : 1);
        CHECK(strncmp(wm_port_sentence(ports), expected, strlen(expected)) == 0);
        wm_port_close(port);
    }
    if (!late)
        meet();
    meet();
}

/* Who comes when it is over hears of it. */
static void check_late(void)
{
    struct wm_port *port = NULL;

    if (rank == 0) {
        port = open_port("over", WM_PORT_WRITE, &(struct wm_port_form){.number = WM_INT32, .readers = ranks});
        CHECK(write_int(port, 5) == WM_PORT_DONE);
        wm_port_close(port);
    }
    meet();
    port = find_port("over", WM_PORT_WRITE, &ints);
    CHECK(write_int(port, 6) == WM_PORT_ENDED);
    wm_port_close(port);
    meet();
    port = find_port("over", WM_PORT_READ, &ints);
    if (rank == ranks - 1)
        CHECK(read_int(port) == 5);
    meet();
    CHECK(read_int(port) == -1 && port->over == WM_PORT_ENDED);
    wm_port_close(port);
}

/* ---- errors ---- */

static void check_errors(void)
{
    char name[300], expected[300], room[20];
    struct wm_port *port, *other;
    size_t bytes = 5;

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CHECK(wm_port_open(ports, name, WM_PORT_READ, NULL, &port) == WM_PORT_NAME);
    snprintf(expected, sizeof expected, "rank %d names a port by 299 bytes; a name has 1 to 255", rank);
    SAYS(expected);
    CHECK(wm_port_find(ports, "", WM_PORT_READ, NULL, -1, &port) == WM_PORT_NAME);
    CHECK(wm_port_open(ports, "form", WM_PORT_READ, &(struct wm_port_form){.capacity = -1}, &port) == WM_PORT_FORM);
    port = rank == 0 ? open_port("errors", WM_PORT_READ, &(struct wm_port_form){.number = WM_DOUBLE, .writers = ranks})
                     : NULL;
    CHECK(wm_port_find(ports, "errors", WM_PORT_WRITE, &ints, -1, &other) == WM_PORT_TYPE && other == NULL);
    snprintf(expected, sizeof expected, "rank %d wants int32 in the port 'errors', which rank 0 has opened for double",
             rank);
    SAYS(expected);
    CHECK(wm_port_find(ports, "errors", WM_PORT_WRITE, NULL, -1, &other) == WM_PORT_TYPE);
    CHECK(strstr(wm_port_sentence(ports), "wants any bytes in the port") != NULL);
    other = find_port("errors", WM_PORT_WRITE, &(struct wm_port_form){.number = WM_DOUBLE});
    CHECK(wm_port_write(other, room, 12) == WM_PORT_SIZE);
    snprintf(expected, sizeof expected,
             "rank %d writes 12 bytes to the port 'errors', which rank 0 has opened for double", rank);
    SAYS(expected);
    CHECK(wm_port_read(other, room, &bytes) == WM_PORT_USE);
    snprintf(expected, sizeof expected,
             "rank %d writes to the port 'errors' of rank 0 by this end, and not the other way round", rank);
    SAYS(expected);
    if (rank == ranks - 1)
        CHECK(wm_port_write(other, room, 16) == WM_PORT_DONE);
    if (rank == 0) {
        CHECK(wm_port_read(port, room, &bytes) == WM_PORT_SIZE);
        snprintf(expected, sizeof expected,
                 "rank 0 reads 5 bytes of the port 'errors' at most, but the next message, of rank %d, has 16: it can "
                 "still be read",
                 ranks - 1);
        SAYS(expected);
        bytes = sizeof room;
        CHECK(wm_port_read(port, room, &bytes) == WM_PORT_DONE && bytes == 16);
        wm_port_close(port);
    }
    wm_port_close(other);
}

/* ---- choice ---- */

enum { CHOICES_MAX = 1000, ROUNDS = 3 };

/* All messages are here; one of each port's is with the end, which has asked for it. */
static void await_all(const struct wm_alternative *list)
{
    unsigned turn = 0;
    int here;

    do {
        wm_ports_rest(ports, &turn);
        here = 0;
        for (const struct wm_port_host *h = ports->hosts; h != NULL; h = h->next)
            here += strncmp(h->name, "choice", 6) == 0 ? h->queued : 0;
        for (int i = 0; i < choices; i++)
            here += list[i].port->item != NULL;
    } while (here < choices * ROUNDS);
}

/* All ports have messages: fairly each gets its turn; by priority the first is emptied first. */
static void check_choice(bool fair)
{
    static struct wm_alternative list[CHOICES_MAX];
    struct wm_port *writers[CHOICES_MAX];
    int turn = 0, counts[CHOICES_MAX] = {0};
    char name[40];

    for (int i = 0; i < choices; i++) {
        snprintf(name, sizeof name, "choice %d of %d, %d", i, rank, fair);
        list[i].port = open_port(name, WM_PORT_READ, &ints);
    }
    CHECK(wm_select(list, choices, fair ? &turn : NULL, 0) == -1);
    CHECK(wm_select(list, choices, fair ? &turn : NULL, 0.01) == -1);
    meet();
    for (int i = 0; i < choices; i++) {
        snprintf(name, sizeof name, "choice %d of %d, %d", i, (rank + 1) % ranks, fair);
        writers[i] = find_port(name, WM_PORT_WRITE, &ints);
        for (int k = 0; k < ROUNDS; k++)
            CHECK(write_int(writers[i], i) == WM_PORT_DONE);
    }
    await_all(list);
    for (int i = 0; i < choices * ROUNDS; i++) {
        int chosen = wm_select(list, choices, fair ? &turn : NULL, -1);

        CHECK(chosen == (fair ? i % choices : i / ROUNDS));
        CHECK(chosen >= 0 && read_int(list[chosen].port) == chosen && ++counts[chosen] <= ROUNDS);
    }
    CHECK(wm_select(list, choices, fair ? &turn : NULL, 0) == -1);
    meet();
    wm_port_close(writers[choices - 1]);
    CHECK(wm_select(list, choices, fair ? &turn : NULL, -1) == choices - 1); /* it is over */
    CHECK(read_int(list[choices - 1].port) == -1);
    meet();
    for (int i = 0; i < choices; i++) {
        if (i < choices - 1)
            wm_port_close(writers[i]);
        wm_port_close(list[i].port);
    }
}

/* Of a request one hears although nothing happens at the port beside it: a message goes round. */
static void check_request_beside(struct wm_port *idle, int before, int next)
{
    MPI_Request request;
    struct wm_alternative list[2] = {{.port = idle}, {.request = &request}};
    int token;

    MPI_Irecv(&token, 1, MPI_INT, before, 8, MPI_COMM_WORLD, &request);
    meet();
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, next, 8, MPI_COMM_WORLD);
    CHECK(wm_select(list, 2, NULL, -1) == 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(wm_select(list, 2, NULL, 0) == -1); /* MPI_REQUEST_NULL is never ready */
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, next, 8, MPI_COMM_WORLD);
}

/* A port, a request, a conveyor, and a port to write to; each rank waits for what the one before it does. */
static void check_mixed(void)
{
    struct wm_port *in, *out;
    convey_t *c = wm_convey_new(MPI_COMM_WORLD, "mixed");
    MPI_Request request;
    int64_t item = 0, items = 0;
    int token = -1, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, turn = 0, left = 4;
    struct wm_alternative list[4] = {{0}};
    char name[40];

    snprintf(name, sizeof name, "mixed %d", rank);
    in = open_port(name, WM_PORT_READ, &ints);
    snprintf(name, sizeof name, "mixed %d", next);
    out = find_port(name, WM_PORT_WRITE, &ints);
    check_request_beside(in, before, next);
    convey_begin(c, sizeof item, 0);
    MPI_Irecv(&token, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &request);
    list[0].port = in;
    list[1].request = &request;
    list[2].conveyor = c;
    list[3].port = out;
    CHECK(wm_select(list, 3, &turn, 0.01) == -1);
    meet();
    while (left > 0) {
        int chosen = wm_select(list, 4, &turn, -1);

        if (chosen == 0) { /* from the port to a request */
            CHECK(read_int(in) == before);
            MPI_Send(&rank, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
            list[0].port = NULL;
            left--;
        } else if (chosen == 1) { /* to the conveyor */
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            CHECK(token == before && request == MPI_REQUEST_NULL);
            for (int i = 0; i < 1000; i++)
                while (convey_push(c, &(int64_t){i}, next) != convey_OK)
                    convey_advance(c, false);
            list[2].done = true;
            left--;
        } else if (chosen == 2) {
            for (int64_t from; convey_pull(c, &item, &from) == convey_OK; items++)
                CHECK(item == items && from == before);
            if (list[2].advanced == convey_DONE) {
                list[2].conveyor = NULL;
                left--;
            }
        } else {
            CHECK(chosen == 3 && write_int(out, rank) == WM_PORT_DONE);
            list[3].port = NULL;
            left--;
        }
    }
    CHECK(items == 1000);
    convey_reset(c);
    convey_free(c);
    wm_port_close(in);
    wm_port_close(out);
}

/* ---- progress ---- */

/* A host that waits in the library, in a conveyor or for a message serves its ports meanwhile. */
static void check_progress(void)
{
    convey_t *c = wm_convey_new(MPI_COMM_WORLD, "waits");
    struct wm_port *port =
        rank == 0 ? open_port("served", WM_PORT_WRITE, &(struct wm_port_form){.readers = ranks}) : NULL;
    int64_t number = 0;

    for (int how = 0; how < 3; how++) {
        if (rank == 0)
            for (int i = 1; i < ranks; i++)
                CHECK(wm_port_write(port, &(int64_t){i}, sizeof number) == WM_PORT_DONE);
        if (rank > 0 && port == NULL)
            port = find_port("served", WM_PORT_READ, NULL);
        if (rank > 0)
            CHECK(wm_port_read(port, &number, &(size_t){sizeof number}) == WM_PORT_DONE && number > 0);
        if (how == 0)
            meet();
        if (how == 1)
            MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (how == 2) {
            convey_begin(c, sizeof number, 0);
            while (convey_advance(c, true) != convey_DONE)
                continue;
            convey_reset(c);
        }
    }
    wm_port_close(port);
    convey_free(c);
}

static void check_all(void)
{
    check_directory();
    check_names();
    check_late_opening();
    check_bounds(false);
    check_bounds(true);
    check_promises();
    check_readers(false);
    check_readers(true);
    check_returned();
    check_closed();
    check_poison(WM_PORT_WRITE);
    check_poison(WM_PORT_READ);
    check_late();
    check_errors();
    check_choice(true);
    check_choice(false);
    check_mixed();
    check_progress();
}

int main(int argc, char **argv)
{
    struct wm_message_limits limits = {.eager_bytes = (size_t)atoi(argv[2])};
    int nodes = atoi(argv[1]), all;
    struct wm_place *places;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    places = places_on(nodes, ranks);
    names = nodes == 1 ? 10000 : 1000;
    choices = nodes == 1 ? CHOICES_MAX : 100;
    wm_node_start(places, 1);
    ports = wm_ports_over(wm_endpoints_span(MPI_COMM_WORLD, places, 1, &limits));
    check_all();
    wm_ports_end(ports);
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wm_node_stop();
    free(places);
    MPI_Finalize();
    return all > 0;
}
