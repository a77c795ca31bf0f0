/* Messages between processes that run free: what comes, in which order, what is cancelled, what is refused.
 *
 * wire NODES EACH LETTERS: that many pretended nodes (0: those that there are), EACH endpoints at every rank, which
 * send so many messages each. A receive says from whom; so it does not depend on time which message it takes: the first
 * that matches, in the order of the sends, of those that no earlier receive has taken. Every rank knows by the same
 * random numbers what all do. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/message/far.h"
#include "core/message/span.h"
#include "tests/core/message/protocols.h"
#include "tests/mpi/places.h"
#include "waymark/message.h"

WM_PROTOCOL(envelope, struct envelope_header, envelope_key, WM_KEY_DECIDES, WM_IN_ORDER, context, source, tag);
WM_PROTOCOL(range, struct range_header, range_key, range_test, WM_IN_ORDER, group, low, high);

enum { TAGS = 4, LARGEST = 3 << 20 };

static int rank, ranks, nodes, each, endpoints, faults;
static struct wm_endpoints *job_group;

static void check(int line, int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "wire: rank %d, line %d: not: %s\n", rank, line, what);
}

#define CHECK(right) check(__LINE__, right, #right)

static bool is_here(int endpoint)
{
    return endpoint / each == rank;
}

/* Of its own, so that a rank's steps are not those of the others. */
static uint32_t own_state;

static uint32_t own_next(uint32_t below)
{
    own_state = own_state * 1664525 + 1013904223;
    return (own_state >> 8) % below;
}

/* ---- letters ---- */

/* What is sent, and what is received; each has one partner at most. */
struct letter {
    int from, to;
    bool by_range; /* the protocol */
    int tag;       /* of a receive perhaps ANY */
    size_t bytes;  /* of a receive: room */
    bool rendezvous, started;
    struct letter *partner;
    unsigned char *buffer;
    struct envelope_envelope envelope;
    struct range_envelope range;
};

static struct envelope *by_envelope; /* of the endpoints of this process */
static struct range *by_range;

static size_t draw_bytes(void)
{
    uint32_t what = next(100);

    return what < 60 ? next(64) : what < 80 ? next(5000) : what < 96 ? next(100000) : next(LARGEST);
}

static unsigned char byte_at(const struct letter *send, size_t i)
{
    return (unsigned char)(send->from * 7 + send->tag * 31 + (int)(send->bytes % 251) + (int)(i % 253));
}

static struct wm_envelope *message_of(struct letter *l)
{
    return l->by_range ? &l->range.message : &l->envelope.message;
}

static bool fits_letter(const struct letter *receive, const struct letter *send)
{
    return receive->partner == NULL && receive->from == send->from && receive->to == send->to &&
           receive->by_range == send->by_range && (receive->tag == ANY || receive->tag == send->tag);
}

/* As a receiver that had posted all its receives would. */
static void match_all(struct letter *sends, struct letter *receives, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count && sends[i].partner == NULL; j++)
            if (fits_letter(&receives[j], &sends[i])) {
                sends[i].partner = &receives[j];
                receives[j].partner = &sends[i];
            }
}

static void draw_letters(struct letter *sends, struct letter *receives, int count)
{
    for (int i = 0; i < count; i++) {
        struct letter *s = &sends[i], *r = &receives[i];

        *s = (struct letter){.from = i % endpoints, .to = (int)next((uint32_t)endpoints), .by_range = next(2) == 0};
        s->tag = (int)next(TAGS);
        s->bytes = draw_bytes();
        s->rendezvous = next(8) == 0;
        *r = (struct letter){.from = s->from, .to = s->to, .by_range = s->by_range, .tag = s->tag};
        r->tag = next(4) == 0 ? ANY : s->tag;
        r->bytes = next(8) == 0 ? s->bytes / 2 : s->bytes + next(100);
    }
    match_all(sends, receives, count);
}

static void start_send(struct letter *l)
{
    struct wm_envelope m = {.buffer = l->buffer, .bytes = l->bytes, .peer = l->to, .rendezvous = l->rendezvous};

    for (size_t i = 0; i < l->bytes; i++)
        l->buffer[i] = byte_at(l, i);
    if (l->by_range) {
        l->range = (struct range_envelope){.header = {l->from, l->tag, l->tag}, .message = m};
        CHECK(range_send(&by_range[l->from % each], &l->range) == WM_MESSAGE_DONE);
    } else {
        l->envelope = (struct envelope_envelope){.header = {0, l->from, l->tag}, .message = m};
        CHECK(envelope_send(&by_envelope[l->from % each], &l->envelope) == WM_MESSAGE_DONE);
    }
}

static void start_receive(struct letter *l)
{
    struct wm_envelope m = {.buffer = l->buffer, .bytes = l->bytes};

    if (l->by_range) {
        l->range = (struct range_envelope){
            .header = {l->from, l->tag == ANY ? 0 : l->tag, l->tag == ANY ? TAGS : l->tag}, .message = m};
        range_receive(&by_range[l->to % each], &l->range);
    } else {
        l->envelope = (struct envelope_envelope){.header = {0, l->from, l->tag}, .message = m};
        envelope_receive(&by_envelope[l->to % each], &l->envelope);
    }
}

static void check_received(struct letter *l)
{
    const struct wm_envelope *m = message_of(l);
    const struct letter *s = l->partner;
    size_t i = 0;

    CHECK(m->peer == s->from && m->whole == s->bytes);
    CHECK((l->by_range ? l->range.header.low : l->envelope.header.tag) == s->tag);
    CHECK(m->error == (s->bytes > l->bytes ? WM_MESSAGE_TRUNCATED : WM_MESSAGE_DONE));
    CHECK(m->bytes == (s->bytes > l->bytes ? l->bytes : s->bytes));
    while (i < m->bytes && l->buffer[i] == byte_at(s, i))
        i++;
    CHECK(i == m->bytes);
}

/* Those of one list that are this process's, in their order, and what is allowed of both lists at random. */
struct steps {
    struct letter *letters;
    int count, at;
    bool receives;
};

static bool start_next(struct steps *s)
{
    while (s->at < s->count && !is_here(s->receives ? s->letters[s->at].to : s->letters[s->at].from))
        s->at++;
    if (s->at == s->count)
        return false;
    (s->receives ? start_receive : start_send)(&s->letters[s->at]);
    s->letters[s->at++].started = true;
    return true;
}

static void start_all(struct steps steps[2])
{
    uint32_t sends = 1 + own_next(9);
    bool more = true;

    while (more) {
        struct steps *s = &steps[own_next(10) >= sends];

        more = start_next(s) || start_next(&steps[0]) || start_next(&steps[1]);
        if (own_next(4) == 0)
            wm_endpoints_drain(job_group);
    }
}

static void wait_for(struct letter *letters, int count, bool receives)
{
    for (int i = 0; i < count; i++) {
        struct letter *l = &letters[i];

        if (!l->started || l->partner == NULL)
            continue;
        if (l->by_range)
            range_wait(&by_range[(receives ? l->to : l->from) % each], &l->range);
        else
            envelope_wait(&by_envelope[(receives ? l->to : l->from) % each], &l->envelope);
        if (receives)
            check_received(l);
        else
            CHECK(message_of(l)->error == WM_MESSAGE_DONE);
    }
}

/* What has no partner ends when the protocols are closed. */
static void check_left(struct letter *letters, int count, bool receives)
{
    for (int i = 0; i < count; i++) {
        const struct wm_envelope *m = message_of(&letters[i]);

        if (letters[i].started)
            CHECK(m->complete);
        if (letters[i].started && letters[i].partner == NULL && receives)
            CHECK(m->error == WM_MESSAGE_CANCELLED);
        if (letters[i].started && letters[i].partner == NULL && letters[i].rendezvous && !receives)
            CHECK(m->error == WM_MESSAGE_CANCELLED || m->error == WM_MESSAGE_CLOSED ||
                  (m->error == WM_MESSAGE_UNKNOWN && !is_here(letters[i].to)));
    }
}

static void give_buffers(struct letter *letters, int count, bool receives)
{
    for (int i = 0; i < count; i++)
        if (is_here(receives ? letters[i].to : letters[i].from))
            letters[i].buffer = malloc(letters[i].bytes + 1);
}

static void free_buffers(struct letter *letters, int count)
{
    for (int i = 0; i < count; i++)
        free(letters[i].buffer);
    free(letters);
}

/* ---- the group ---- */

/* Wait for all ranks: others may wait for this one's answers, which it gives meanwhile. */
static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void open_all(const struct wm_place *places, const struct wm_message_limits *limits)
{
    job_group = wm_endpoints_span(MPI_COMM_WORLD, places, each, limits);
    by_envelope = calloc((size_t)each, sizeof *by_envelope);
    by_range = calloc((size_t)each, sizeof *by_range);
    for (int i = 0; i < each; i++) {
        CHECK(range_open(&by_range[i], job_group, rank * each + i, "range") == WM_MESSAGE_DONE);
        CHECK(envelope_open(&by_envelope[i], job_group, rank * each + i, "envelope") == WM_MESSAGE_DONE);
    }
    meet();
}

static void close_protocols(void)
{
    for (int i = 0; i < each; i++) {
        envelope_close(&by_envelope[i]);
        range_close(&by_range[i]);
    }
}

static void free_all(void)
{
    wm_endpoints_free(job_group);
    free(by_envelope);
    free(by_range);
}

static void check_free_run(const struct wm_place *places, const struct wm_message_limits *limits, int letters)
{
    int count = letters * endpoints;
    struct letter *sends = calloc((size_t)count, sizeof *sends), *receives = calloc((size_t)count, sizeof *receives);
    struct steps steps[] = {{sends, count, 0, false}, {receives, count, 0, true}};

    open_all(places, limits);
    draw_letters(sends, receives, count);
    give_buffers(sends, count, false);
    give_buffers(receives, count, true);
    start_all(steps);
    wait_for(receives, count, true);
    wait_for(sends, count, false);
    meet();
    close_protocols();
    check_left(sends, count, false);
    check_left(receives, count, true);
    free_all();
    free_buffers(sends, count);
    free_buffers(receives, count);
}

/* ---- cancelling ---- */

enum { RACES = 60 };

/* Endpoint e sends to the next rank's, and cancels some; each message has a receive of its own, which goes ahead or
 * comes late. A message is cancelled or received, and both ends agree. */
static void check_cancels(const struct wm_place *places, const struct wm_message_limits *limits)
{
    static char data[RACES][30000], room[RACES][30000];
    static struct envelope_envelope sends[RACES], receives[RACES];
    int own = rank * each, to = (own + each) % endpoints, from = (own + endpoints - each) % endpoints;
    bool sent[RACES], partner_sent[RACES];

    open_all(places, limits);
    for (int i = 0; i < RACES; i++) {
        size_t bytes = i % 3 == 0 ? 0 : i % 3 == 1 ? 100 : sizeof data[i];

        memset(data[i], i, sizeof data[i]);
        sends[i] = (struct envelope_envelope){
            .header = {0, own, i}, .message = {.buffer = data[i], .bytes = bytes, .peer = to, .rendezvous = true}};
        receives[i] =
            (struct envelope_envelope){.header = {0, from, i}, .message = {.buffer = room[i], .bytes = sizeof room[i]}};
        if (own_next(2) == 0)
            envelope_receive(&by_envelope[0], &receives[i]);
        envelope_send(&by_envelope[0], &sends[i]);
        if (own_next(3) == 0)
            wm_endpoints_drain(job_group);
        if (own_next(2) == 0)
            envelope_cancel(&by_envelope[0], &sends[own_next((uint32_t)i + 1)]);
    }
    for (int i = 0; i < RACES; i++)
        if (receives[i].message.place == WM_ENVELOPE_FREE && !receives[i].message.complete)
            envelope_receive(&by_envelope[0], &receives[i]);
    for (int i = 0; i < RACES; i++) {
        envelope_wait(&by_envelope[0], &sends[i]);
        sent[i] = sends[i].message.error == WM_MESSAGE_DONE;
        CHECK(sent[i] || sends[i].message.error == WM_MESSAGE_CANCELLED);
    }
    meet();
    MPI_Sendrecv(sent, RACES, MPI_C_BOOL, to / each, 0, partner_sent, RACES, MPI_C_BOOL, from / each, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < RACES; i++) {
        if (!partner_sent[i]) {
            CHECK(envelope_cancel(&by_envelope[0], &receives[i]));
            continue;
        }
        envelope_wait(&by_envelope[0], &receives[i]);
        CHECK(receives[i].message.error == WM_MESSAGE_DONE);
        CHECK(receives[i].message.bytes == 0 || room[i][receives[i].message.bytes - 1] == (char)i);
    }
    meet();
    close_protocols();
    free_all();
}

/* ---- many to one ---- */

enum { MANY = 3000, TURNS = 5000 };

static void go_on(int turns)
{
    for (int i = 0; i < turns; i++)
        if (!wm_endpoints_drain(job_group))
            sched_yield();
}

/* All send small messages to endpoint 0, together more than it may keep. It looks at them late, from any source, and
 * keeps no more than allowed. */
static void check_many_to_one(const struct wm_place *places)
{
    static struct envelope_envelope sends[MANY];
    struct wm_message_limits limits = {.unexpected_bytes = 100000};
    int numbers[MANY], next_of[1024] = {0}, own = rank * each, count = MANY / ranks;

    open_all(places, &limits);
    for (int i = 0; rank > 0 && i < count; i++) {
        numbers[i] = i;
        sends[i] = (struct envelope_envelope){.header = {0, own, i % 5},
                                              .message = {.buffer = &numbers[i], .bytes = sizeof(int), .peer = 0}};
        CHECK(envelope_send(&by_envelope[0], &sends[i]) == WM_MESSAGE_DONE);
        go_on(sends[i].message.complete ? 0 : 20); /* a promise may come */
    }
    go_on(TURNS);
    CHECK(by_envelope[0].common.kept_bytes <= limits.unexpected_bytes);
    for (int i = 0; rank == 0 && i < (ranks - 1) * count; i++) {
        int number = -1;
        struct envelope_envelope e = {.header = {0, ANY, ANY}, .message = {.buffer = &number, .bytes = sizeof number}};

        envelope_receive(&by_envelope[0], &e);
        envelope_wait(&by_envelope[0], &e);
        CHECK(number == next_of[e.message.peer / each]++);
        CHECK(by_envelope[0].common.kept_bytes <= limits.unexpected_bytes);
    }
    for (int i = 0; rank > 0 && i < count; i++)
        envelope_wait(&by_envelope[0], &sends[i]);
    meet();
    close_protocols();
    free_all();
}

/* ---- numbers ---- */

enum { NUMBERS = 50000 };

/* The next rank wants them as doubles, few or many, and not as 32-bit integers. */
static void check_numbers(const struct wm_place *places, const struct wm_message_limits *limits)
{
    static const int counts[] = {10, NUMBERS, NUMBERS};
    static int64_t numbers[NUMBERS];
    static double doubles[NUMBERS];
    int own = rank * each, to = (own + each) % endpoints, from = (own + endpoints - each) % endpoints;

    open_all(places, limits);
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (int64_t)i << 17;
    for (int i = 0; i < 3; i++) {
        enum wm_number wanted = i < 2 ? WM_DOUBLE : WM_INT32;
        struct envelope_envelope send = {
            .header = {0, own, i},
            .message = {
                .buffer = numbers, .bytes = (size_t)counts[i] * sizeof numbers[0], .peer = to, .number = WM_INT64}};
        struct envelope_envelope receive = {.header = {0, from, i},
                                            .message = {.buffer = doubles, .bytes = sizeof doubles, .number = wanted}};

        envelope_send(&by_envelope[0], &send);
        envelope_receive(&by_envelope[0], &receive);
        envelope_wait(&by_envelope[0], &receive);
        envelope_wait(&by_envelope[0], &send);
        CHECK(receive.message.error == (i < 2 ? WM_MESSAGE_DONE : WM_MESSAGE_INEXACT));
        CHECK(receive.message.bytes == (i < 2 ? (size_t)counts[i] * sizeof doubles[0] : (1 << 14) * sizeof(int32_t)));
        CHECK(i == 2 || doubles[counts[i] - 1] == (double)numbers[counts[i] - 1]);
        meet();
    }
    close_protocols();
    free_all();
}

/* ---- at once ---- */

/* Between nodes what waits with its sender on one is over at once, when memory has been promised for it. */
static void check_at_once(const struct wm_place *places)
{
    enum { LARGE = 200000 };
    static char data[LARGE];
    struct wm_message_limits limits = {0};
    size_t sizes[] = {1, LARGE};

    open_all(places, &limits);
    for (int i = 0; rank < 2 && i < 2; i++) {
        struct envelope_envelope e = {.header = {0, 0, i},
                                      .message = {.buffer = data, .bytes = sizes[i], .peer = each}};

        memset(data, rank == 0, LARGE);
        if (rank == 1) {
            envelope_receive(&by_envelope[0], &e);
        } else {
            envelope_send(&by_envelope[0], &e);
            CHECK(e.message.complete == (i == 1 && !wm_endpoint_is_near(job_group, each)));
        }
        envelope_wait(&by_envelope[0], &e);
        CHECK(e.message.error == WM_MESSAGE_DONE && data[0] == 1 && data[sizes[i] - 1] == 1);
    }
    meet();
    close_protocols();
    free_all();
}

/* Rank 1 keeps three messages in parts, which is more than its limit, has no room for the fourth and the fifth, and is
 * not sent the sixth; when it has taken all, it promises memory again. All this leaves parcels for others. */
static void send_to_full(struct envelope_envelope *sends, int count)
{
    for (int i = 0; i < count; i++) {
        envelope_send(&by_envelope[0], &sends[i]);
        CHECK(sends[i].message.complete == (i == 1 || i == 2));
        if (i == 0)
            envelope_wait(&by_envelope[0], &sends[i]);
    }
    CHECK(wm_parcels_left(job_group->far->wire.parcels) >= 4);
    CHECK(((struct wm_passage *)(uintptr_t)sends[4].message.record)->head.kind == WM_LINE_EAGER);
    CHECK(((struct wm_passage *)(uintptr_t)sends[5].message.record)->head.kind == WM_LINE_ANNOUNCE);
}

static void check_full(const struct wm_place *places)
{
    enum { LARGE = 500000, FULL = 6, ROOM = 2 * LARGE + 10000 };
    static char data[FULL + 1][LARGE];
    static struct envelope_envelope all[FULL + 1];
    struct wm_message_limits limits = {.unexpected_bytes = 2 * ROOM};

    open_all(places, &limits);
    for (int i = 0; i <= FULL; i++) {
        memset(data[i], rank == 0 ? i : -1, LARGE);
        all[i] =
            (struct envelope_envelope){.header = {0, 0, i}, .message = {.buffer = data[i], .bytes = LARGE, .peer = 1}};
    }
    if (rank == 0)
        send_to_full(all, FULL);
    go_on(TURNS);
    meet();
    for (int i = 0; i < FULL; i++) {
        if (rank == 1)
            envelope_receive(&by_envelope[0], &all[i]);
        envelope_wait(&by_envelope[0], &all[i]);
        CHECK(all[i].message.error == WM_MESSAGE_DONE && data[i][0] == i && data[i][LARGE - 1] == i);
    }
    while (!wm_endpoints_idle(job_group))
        wm_endpoints_drain(job_group);
    if (rank == 0)
        envelope_send(&by_envelope[0], &all[FULL]);
    else
        envelope_receive(&by_envelope[0], &all[FULL]);
    CHECK(rank == 1 || all[FULL].message.complete);
    envelope_wait(&by_envelope[0], &all[FULL]);
    CHECK(data[FULL][LARGE - 1] == FULL);
    meet();
    close_protocols();
    free_all();
}

/* ---- what is refused ---- */

static char told[600];

static void tell(const char *sentence)
{
    snprintf(told, sizeof told, "%s", sentence);
}

static void check_sentence(int line, const struct wm_protocol *p, const struct wm_envelope *e, const char *expected)
{
    char sentence[600];

    wm_message_sentence(p, e, sentence, sizeof sentence);
    if (strcmp(sentence, expected) != 0)
        fprintf(stderr, "wire: \"%s\"\n", sentence);
    check(line, strcmp(sentence, expected) == 0, expected);
}

/* Another header than a protocol of the same name has elsewhere. */
WM_PROTOCOL(number, struct number_header, number_key, WM_KEY_DECIDES, WM_IN_ORDER, number);

/* Rank 0 sends by what rank 1 does not know, knows with another header, or closes; each endpoint is the only one. */
static void send_what_is_refused(void)
{
    struct envelope_envelope letter = {.message = {.peer = 1}}, late = {.message = {.peer = 1, .rendezvous = true}};
    struct envelope other, same;

    CHECK(envelope_open(&other, job_group, 0, "other") == WM_MESSAGE_DONE);
    CHECK(envelope_open(&same, job_group, 0, "same") == WM_MESSAGE_DONE);
    envelope_send(&other, &letter);
    envelope_wait(&other, &letter);
    check_sentence(__LINE__, &other.common, &letter.message,
                   "endpoint 0 sends by the protocol 'other', which endpoint 1 does not know (it knows: 'same', "
                   "'envelope', 'range')");
    envelope_send(&same, &letter);
    envelope_wait(&same, &letter);
    check_sentence(__LINE__, &same.common, &letter.message,
                   "endpoint 0 sends by 'same' with headers of 12 bytes, but endpoint 1 has them of 4");
    envelope_send(&by_envelope[0], &late);
    envelope_wait(&by_envelope[0], &late);
    check_sentence(__LINE__, &by_envelope[0].common, &late.message,
                   "'envelope': endpoint 1 has closed it without receiving what endpoint 0 sent");
    envelope_close(&other);
    envelope_close(&same);
    CHECK(envelope_open(&other, job_group, 1, "other") == WM_MESSAGE_RANGE);
    check_sentence(__LINE__, &other.common, NULL,
                   "endpoint 1 opens 'other', but there are 2 endpoints, from 0 on, and this one is elsewhere");
}

static void refuse(struct number *narrow)
{
    const struct envelope_envelope *found = NULL;

    while (found == NULL)
        envelope_probe(&by_envelope[0], &(struct envelope_header){0, ANY, ANY}, &found);
    envelope_close(&by_envelope[0]);
    number_close(narrow);
    CHECK(strcmp(told, "endpoint 0 sends by 'same' with headers of 12 bytes, but endpoint 1 has them of 4") == 0);
}

static void check_refusals(const struct wm_place *places)
{
    struct wm_message_limits limits = {.tell = tell};
    struct number narrow;

    told[0] = '\0';
    open_all(places, &limits);
    if (rank == 1)
        CHECK(number_open(&narrow, job_group, 1, "same") == WM_MESSAGE_DONE);
    meet();
    if (rank == 0)
        send_what_is_refused();
    else
        refuse(&narrow);
    if (rank == 0)
        envelope_close(&by_envelope[0]);
    range_close(&by_range[0]);
    free_all();
}

/* ---- all of it ---- */

static const struct wm_message_way *gather(void *map, const char *protocol, bool near)
{
    static const struct wm_message_way way = {.most_bytes = SIZE_MAX, .eager_below = 4097, .gather_bytes = 8 << 10};

    (void)map, (void)protocol, (void)near;
    return &way;
}

static void check_all(int letters)
{
    struct wm_message_limits limits[] = {{.single_copy_bytes = 1},
                                         {.single_copy_bytes = SIZE_MAX, .eager_bytes = 16 << 10},
                                         {.unexpected_bytes = 20000},
                                         {.ways = gather}};
    struct wm_place *places = places_on(nodes, ranks);

    wm_node_start(places, 1);
    for (int i = 0; i < 4; i++) {
        check_free_run(places, &limits[i], letters);
        check_cancels(places, &limits[i]);
        check_numbers(places, &limits[i]);
    }
    check_many_to_one(places);
    check_at_once(places);
    if (endpoints == 2)
        check_refusals(places);
    if (endpoints == 2 && nodes == 2)
        check_full(places);
    wm_node_stop();
    free(places);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    nodes = atoi(argv[1]);
    each = atoi(argv[2]);
    endpoints = each * ranks;
    fuzz_steps(1); /* WM_FUZZ_STEPS: a beginning */
    own_state = (uint32_t)random_state * 64 + (uint32_t)rank;
    check_all(atoi(argv[3]));
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
