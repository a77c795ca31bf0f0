/* Messages against a model: envelopes of four protocols between the endpoints of a group, at random; what becomes of
 * each is what plain lists say, searched linearly. */
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "tests/core/message/protocols.h"
#include "waymark/message.h"

WM_PROTOCOL(number, struct number_header, number_key, WM_KEY_DECIDES, WM_IN_ORDER, number);
WM_PROTOCOL(envelope, struct envelope_header, envelope_key, WM_KEY_DECIDES, WM_IN_ORDER, context, source, tag);
WM_PROTOCOL(range, struct range_header, range_key, range_test, WM_IN_ORDER, group, low, high);
WM_PROTOCOL(urgent, struct urgent_header, urgent_key, WM_KEY_DECIDES, urgent_before, tag, priority);

enum {
    ENDPOINTS_MAX = 8,
    LETTERS = 200,
    LETTER_BYTES = 48,
    EAGER = 24,
    KEPT = 2000,
    STEPS = 200000,
    PHASE_STEPS = 2000
};

union any_envelope {
    struct wm_match match;
    struct number_envelope number;
    struct envelope_envelope envelope;
    struct range_envelope range;
    struct urgent_envelope urgent;
};

union any_protocol {
    struct wm_protocol common;
    struct number number;
    struct envelope envelope;
    struct range range;
    struct urgent urgent;
};

/* What a protocol does, for all alike. */
struct kind {
    const char *name;
    int (*open)(union any_protocol *p, struct wm_endpoints *group, int self, const char *name);
    void (*close)(union any_protocol *p);
    int (*send)(union any_protocol *p, union any_envelope *e);
    int (*receive)(union any_protocol *p, union any_envelope *e);
    bool (*cancel)(union any_protocol *p, union any_envelope *e);
    int (*probe)(union any_protocol *p, const union any_header *h, const union any_envelope **found);
    int (*take)(union any_protocol *p, const union any_header *h, union any_envelope **taken);
    int (*receive_taken)(union any_protocol *p, union any_envelope *e, union any_envelope *taken);
    union any_header *(*header)(union any_envelope *e);
    struct wm_envelope *(*message)(union any_envelope *e);
};

#define KIND_FUNCTIONS(kind)                                                                                           \
    static int kind##_do_open(union any_protocol *p, struct wm_endpoints *group, int self, const char *name)           \
    {                                                                                                                  \
        return kind##_open(&p->kind, group, self, name);                                                               \
    }                                                                                                                  \
    static void kind##_do_close(union any_protocol *p)                                                                 \
    {                                                                                                                  \
        kind##_close(&p->kind);                                                                                        \
    }                                                                                                                  \
    static int kind##_do_send(union any_protocol *p, union any_envelope *e)                                            \
    {                                                                                                                  \
        return kind##_send(&p->kind, &e->kind);                                                                        \
    }                                                                                                                  \
    static int kind##_do_receive(union any_protocol *p, union any_envelope *e)                                         \
    {                                                                                                                  \
        return kind##_receive(&p->kind, &e->kind);                                                                     \
    }                                                                                                                  \
    static bool kind##_do_cancel(union any_protocol *p, union any_envelope *e)                                         \
    {                                                                                                                  \
        return kind##_cancel(&p->kind, &e->kind);                                                                      \
    }                                                                                                                  \
    static int kind##_do_probe(union any_protocol *p, const union any_header *h, const union any_envelope **found)     \
    {                                                                                                                  \
        const struct kind##_envelope *e;                                                                               \
        int error = kind##_probe(&p->kind, &h->kind, &e);                                                              \
                                                                                                                       \
        *found = (const union any_envelope *)e;                                                                        \
        return error;                                                                                                  \
    }                                                                                                                  \
    static int kind##_do_take(union any_protocol *p, const union any_header *h, union any_envelope **taken)            \
    {                                                                                                                  \
        struct kind##_envelope *e;                                                                                     \
        int error = kind##_take(&p->kind, &h->kind, &e);                                                               \
                                                                                                                       \
        *taken = (union any_envelope *)e;                                                                              \
        return error;                                                                                                  \
    }                                                                                                                  \
    static int kind##_do_receive_taken(union any_protocol *p, union any_envelope *e, union any_envelope *taken)        \
    {                                                                                                                  \
        return kind##_receive_taken(&p->kind, &e->kind, &taken->kind);                                                 \
    }                                                                                                                  \
    static union any_header *kind##_header_of(union any_envelope *e)                                                   \
    {                                                                                                                  \
        return (union any_header *)&e->kind.header;                                                                    \
    }                                                                                                                  \
    static struct wm_envelope *kind##_message_of(union any_envelope *e)                                                \
    {                                                                                                                  \
        return &e->kind.message;                                                                                       \
    }
#define KIND(kind)                                                                                                     \
    {                                                                                                                  \
#kind, kind##_do_open, kind##_do_close, kind##_do_send, kind##_do_receive, kind##_do_cancel, kind##_do_probe,  \
            kind##_do_take, kind##_do_receive_taken, kind##_header_of, kind##_message_of                               \
    }

KIND_FUNCTIONS(number)
KIND_FUNCTIONS(envelope)
KIND_FUNCTIONS(range)
KIND_FUNCTIONS(urgent)

static const struct kind kinds[MODELS] = {KIND(number), KIND(envelope), KIND(range), KIND(urgent)};

/* An envelope of the test, and what the model says of it. */
struct letter {
    union any_envelope e;
    union any_envelope *taken; /* of one that took a message: it is received later */
    bool used, receives, complete;
    int kind, from, to; /* from: of a send; to: of both */
    size_t bytes;       /* of the message, or room */
    /* Of a complete receive. */
    int peer;
    enum wm_message_error error;
    size_t whole;
    unsigned char mark, buffer[LETTER_BYTES];
    union any_header header;
};

/* A message that waits at a receiver; `send` NULL: copied. */
struct waiting {
    union any_header header;
    struct letter *send;
    int from;
    size_t bytes;
    unsigned char mark;
};

/* A protocol at an endpoint. */
struct end {
    union any_protocol p;
    struct letter *receives[LETTERS];
    struct waiting messages[4 * LETTERS];
    int receive_count, message_count;
    size_t kept;
};

static struct wm_endpoints *group;
static int endpoints;
static struct end ends[ENDPOINTS_MAX][MODELS];
static struct letter letters[LETTERS];
static struct waiting taken_messages[LETTERS]; /* by letter */
static unsigned char marks;

static void fill(unsigned char *buffer, size_t bytes, unsigned char mark)
{
    for (size_t i = 0; i < bytes; i++)
        buffer[i] = (unsigned char)(mark + i);
}

static bool is_filled(const unsigned char *buffer, size_t bytes, unsigned char mark)
{
    for (size_t i = 0; i < bytes; i++)
        if (buffer[i] != (unsigned char)(mark + i))
            return false;
    return true;
}

static size_t header_bytes(int kind)
{
    static const size_t bytes[MODELS] = {sizeof(struct number_header), sizeof(struct envelope_header),
                                         sizeof(struct range_header), sizeof(struct urgent_header)};

    return bytes[kind];
}

/* What is seen of it is what the model says. */
static bool is_right(struct letter *l)
{
    const struct wm_envelope *m = kinds[l->kind].message(&l->e);

    if (m->complete != l->complete)
        return false;
    if (!l->complete)
        return true;
    if (m->error != l->error)
        return false;
    if (!l->receives || l->error == WM_MESSAGE_CANCELLED)
        return true;
    return m->peer == l->peer && m->whole == l->whole && m->bytes == (l->whole < l->bytes ? l->whole : l->bytes) &&
           memcmp(kinds[l->kind].header(&l->e), &l->header, header_bytes(l->kind)) == 0 &&
           is_filled(l->buffer, m->bytes, l->mark);
}

static bool all_right(void)
{
    for (int i = 0; i < LETTERS; i++)
        if (letters[i].used && letters[i].taken == NULL && !is_right(&letters[i]))
            return false;
    return true;
}

static void model_complete(struct letter *l, enum wm_message_error error)
{
    l->complete = true;
    l->error = error;
}

/* What a copy takes. */
static size_t copy_bytes(const struct end *end, size_t bytes)
{
    return end->p.common.message_offset + sizeof(struct wm_envelope) + bytes;
}

static void model_receive(struct letter *receive, const struct waiting *message)
{
    struct end *end = &ends[receive->to][receive->kind];

    receive->peer = message->from;
    receive->whole = message->bytes;
    receive->mark = message->mark;
    receive->header = message->header;
    model_complete(receive, message->bytes > receive->bytes ? WM_MESSAGE_TRUNCATED : WM_MESSAGE_DONE);
    if (message->send != NULL)
        model_complete(message->send, WM_MESSAGE_DONE);
    else
        end->kept -= copy_bytes(end, message->bytes);
}

/* The index of the receive that a message is for; -1: none. */
static int find_receive(const struct end *end, int kind, const union any_header *message)
{
    int best = -1;

    for (int i = 0; i < end->receive_count; i++) {
        const union any_header *h = &end->receives[i]->header;

        if (models[kind].fits(h, message) &&
            (best < 0 || models[kind].priority(h) > models[kind].priority(&end->receives[best]->header)))
            best = i;
    }
    return best;
}

static int find_message(const struct end *end, int kind, const union any_header *receive)
{
    int best = -1;

    for (int i = 0; i < end->message_count; i++) {
        const union any_header *h = &end->messages[i].header;

        if (models[kind].fits(receive, h) &&
            (best < 0 || models[kind].priority(h) > models[kind].priority(&end->messages[best].header)))
            best = i;
    }
    return best;
}

static void remove_receive(struct end *end, int i)
{
    end->receive_count--;
    memmove(&end->receives[i], &end->receives[i + 1], sizeof end->receives[0] * (size_t)(end->receive_count - i));
}

static void remove_message(struct end *end, int i)
{
    end->message_count--;
    memmove(&end->messages[i], &end->messages[i + 1], sizeof end->messages[0] * (size_t)(end->message_count - i));
}

static struct letter *free_letter(void)
{
    for (int i = 0; i < LETTERS; i++)
        if (!letters[i].used)
            return &letters[i];
    return NULL;
}

static struct letter *draw_letter(int kind, bool receives, uint32_t range)
{
    struct letter *l = free_letter();
    struct wm_envelope *m;

    if (l == NULL)
        return NULL;
    memset(l, 0, sizeof *l);
    l->used = true;
    l->receives = receives;
    l->kind = kind;
    l->to = (int)next((uint32_t)endpoints);
    l->from = (int)next((uint32_t)endpoints);
    l->bytes = next(LETTER_BYTES + 1);
    models[kind].draw(&l->header, receives, range);
    memcpy(kinds[kind].header(&l->e), &l->header, header_bytes(kind));
    m = kinds[kind].message(&l->e);
    m->buffer = l->buffer;
    m->bytes = l->bytes;
    m->peer = l->to;
    return l;
}

static bool send_one(int kind, uint32_t range)
{
    struct letter *l = draw_letter(kind, false, range);
    struct waiting message;
    struct end *end;
    bool rendezvous = next(8) == 0;
    int i;

    if (l == NULL)
        return true;
    end = &ends[l->to][kind];
    message = (struct waiting){l->header, NULL, l->from, l->bytes, marks += 7};
    fill(l->buffer, l->bytes, message.mark);
    kinds[kind].message(&l->e)->rendezvous = rendezvous;
    if ((i = find_receive(end, kind, &l->header)) >= 0) {
        message.send = l;
        model_receive(end->receives[i], &message);
        remove_receive(end, i);
    } else if (end->message_count == 4 * LETTERS) {
        l->used = false;
        return true;
    } else {
        if (rendezvous || l->bytes > EAGER || end->kept + copy_bytes(end, l->bytes) > KEPT) {
            message.send = l;
        } else {
            model_complete(l, WM_MESSAGE_DONE);
            end->kept += copy_bytes(end, l->bytes);
        }
        end->messages[end->message_count++] = message;
    }
    return kinds[kind].send(&ends[l->from][kind].p, &l->e) == WM_MESSAGE_DONE;
}

static bool receive_one(int kind, uint32_t range)
{
    struct letter *l = draw_letter(kind, true, range);
    struct end *end;
    int i;

    if (l == NULL)
        return true;
    end = &ends[l->to][kind];
    if ((i = find_message(end, kind, &l->header)) >= 0) {
        model_receive(l, &end->messages[i]);
        remove_message(end, i);
    } else {
        end->receives[end->receive_count++] = l;
    }
    return kinds[kind].receive(&end->p, &l->e) == (int)l->error;
}

/* Take it out of the model's queues; false: it is in none. */
static bool model_cancel(struct letter *l)
{
    struct end *end = &ends[l->to][l->kind];

    for (int i = 0; i < end->receive_count; i++)
        if (end->receives[i] == l) {
            remove_receive(end, i);
            return true;
        }
    for (int i = 0; i < end->message_count; i++)
        if (end->messages[i].send == l) {
            remove_message(end, i);
            return true;
        }
    return false;
}

static bool cancel_one(void)
{
    struct letter *l = &letters[next(LETTERS)];
    bool cancelled;

    if (!l->used || l->taken != NULL)
        return true;
    cancelled = model_cancel(l);
    if (cancelled)
        model_complete(l, WM_MESSAGE_CANCELLED);
    return kinds[l->kind].cancel(&ends[l->receives ? l->to : l->from][l->kind].p, &l->e) == cancelled;
}

static bool is_found(int kind, const union any_envelope *found, const struct waiting *expected)
{
    union any_envelope *e = (union any_envelope *)(uintptr_t)found;

    if (expected == NULL || found == NULL)
        return expected == NULL && found == NULL;
    return memcmp(kinds[kind].header(e), &expected->header, header_bytes(kind)) == 0 &&
           kinds[kind].message(e)->bytes == expected->bytes && kinds[kind].message(e)->sender == expected->from;
}

static bool probe_one(int kind, uint32_t range)
{
    struct end *end = &ends[next((uint32_t)endpoints)][kind];
    const union any_envelope *found;
    union any_header h;
    int i;

    models[kind].draw(&h, true, range);
    i = find_message(end, kind, &h);
    return kinds[kind].probe(&end->p, &h, &found) == WM_MESSAGE_DONE &&
           is_found(kind, found, i >= 0 ? &end->messages[i] : NULL);
}

/* Take one, to be received later. */
static bool take_one(int kind, uint32_t range)
{
    struct letter *l = draw_letter(kind, true, range);
    struct waiting *message = NULL;
    struct end *end;
    int i;

    if (l == NULL)
        return true;
    end = &ends[l->to][kind];
    if (kinds[kind].take(&end->p, &l->header, &l->taken) != WM_MESSAGE_DONE)
        return false;
    if ((i = find_message(end, kind, &l->header)) >= 0) {
        message = &taken_messages[l - letters];
        *message = end->messages[i];
        remove_message(end, i);
    }
    l->used = message != NULL;
    return is_found(kind, l->taken, message);
}

static bool receive_taken_one(struct letter *l)
{
    union any_envelope *taken = l->taken;

    if (!l->used || taken == NULL)
        return true;
    l->taken = NULL;
    model_receive(l, &taken_messages[l - letters]);
    return kinds[l->kind].receive_taken(&ends[l->to][l->kind].p, &l->e, taken) == (int)l->error;
}

/* Complete letters can be used again. */
static void collect(void)
{
    for (int i = 0; i < LETTERS; i++)
        if (letters[i].used && letters[i].complete && next(2) == 0)
            letters[i].used = false;
}

static bool step(uint32_t sends, uint32_t range)
{
    uint32_t what = next(100);
    int kind = (int)next(MODELS);

    if (what < 5)
        return cancel_one();
    if (what < 10)
        return probe_one(kind, range);
    if (what < 14)
        return take_one(kind, range);
    if (what < 20)
        return receive_taken_one(&letters[next(LETTERS)]);
    return next(100) < sends ? send_one(kind, range) : receive_one(kind, range);
}

static void open_all(void)
{
    static const struct wm_message_limits limits = {.eager_bytes = EAGER, .unexpected_bytes = KEPT};

    memset(ends, 0, sizeof ends);
    memset(letters, 0, sizeof letters);
    group = wm_endpoints_new(endpoints, &limits);
    for (int i = 0; i < endpoints; i++)
        for (int kind = 0; kind < MODELS; kind++)
            CU_ASSERT_EQUAL(kinds[kind].open(&ends[i][kind].p, group, i, kinds[kind].name), WM_MESSAGE_DONE);
}

/* Closing leaves nothing under way. */
static void close_all(void)
{
    for (int i = 0; i < LETTERS; i++)
        CU_ASSERT(receive_taken_one(&letters[i]));
    for (int i = 0; i < endpoints; i++)
        for (int kind = 0; kind < MODELS; kind++)
            kinds[kind].close(&ends[i][kind].p);
    for (int i = 0; i < LETTERS; i++)
        if (letters[i].used)
            CU_ASSERT(kinds[letters[i].kind].message(&letters[i].e)->complete);
    wm_endpoints_free(group);
}

static void messages__become_what_the_model_says(void)
{
    static const uint32_t sends[] = {50, 75, 25}, ranges[] = {2, 12, 300};
    uint64_t steps = fuzz_steps(STEPS) / 4;
    bool right = true;

    for (endpoints = 1; right && endpoints <= ENDPOINTS_MAX; endpoints *= 2) {
        open_all();
        for (uint64_t i = 0; right && i < steps; i++) {
            right = step(sends[i / PHASE_STEPS % 3], ranges[i / PHASE_STEPS / 3 % 3]) && all_right();
            collect();
        }
        CU_ASSERT(right);
        close_all();
    }
}

/* A group of two endpoints with one protocol. */
static struct number ends_of_two[2];

static void open_two(struct wm_message_limits limits)
{
    group = wm_endpoints_new(2, &limits);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(number_open(&ends_of_two[i], group, i, "number"), WM_MESSAGE_DONE);
}

static void close_two(void)
{
    number_close(&ends_of_two[0]);
    number_close(&ends_of_two[1]);
    wm_endpoints_free(group);
}

static void check_sentence(const struct wm_protocol *p, const struct wm_envelope *e, const char *expected)
{
    char sentence[400];

    CU_ASSERT_STRING_EQUAL(wm_message_sentence(p, e, sentence, sizeof sentence), expected);
}

static struct number_envelope letter(int number, void *buffer, size_t bytes, int peer)
{
    return (struct number_envelope){.header = {number}, .message = {.buffer = buffer, .bytes = bytes, .peer = peer}};
}

static void a_receive__that_is_too_small_says_so(void)
{
    char text[] = "0123456789", room[4] = "";
    struct number_envelope sent = letter(7, text, 10, 1), received = letter(7, room, 3, 0);

    open_two((struct wm_message_limits){0});
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_TRUNCATED);
    CU_ASSERT_STRING_EQUAL(room, "012");
    check_sentence(&ends_of_two[1].common, &received.message,
                   "'number': the message of 10 bytes from endpoint 0 is longer "
                   "than the receive of 3 at endpoint 1");
    close_two();
}

static void a_protocol__that_the_peer_does_not_know_is_named(void)
{
    struct number_envelope sent = letter(7, NULL, 0, 1);
    struct urgent urgent;
    struct number number;

    group = wm_endpoints_new(2, &(struct wm_message_limits){0});
    CU_ASSERT_EQUAL(number_open(&number, group, 0, "number"), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(urgent_open(&urgent, group, 1, "urgent"), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_send(&number, &sent), WM_MESSAGE_UNKNOWN);
    check_sentence(&number.common, &sent.message,
                   "endpoint 0 sends by the protocol 'number', which endpoint 1 "
                   "does not know (it knows: 'urgent')");
    sent.message.peer = 2;
    CU_ASSERT_EQUAL(number_send(&number, &sent), WM_MESSAGE_RANGE);
    check_sentence(&number.common, &sent.message,
                   "'number': endpoint 0 sends to endpoint 2, but there are 2, from 0 on");
    number_close(&number);
    urgent_close(&urgent);
    wm_endpoints_free(group);
}

static void a_protocol__is_opened_once_with_one_header(void)
{
    struct number number, again;
    struct urgent urgent;

    group = wm_endpoints_new(2, &(struct wm_message_limits){0});
    CU_ASSERT_EQUAL(number_open(&number, group, 0, "mail"), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_open(&again, group, 0, "mail"), WM_MESSAGE_TWICE);
    check_sentence(&again.common, NULL, "endpoint 0 opens 'mail': the endpoint has opened the protocol already");
    CU_ASSERT_EQUAL(urgent_open(&urgent, group, 1, "mail"), WM_MESSAGE_HEADER);
    check_sentence(&urgent.common, NULL,
                   "endpoint 1 opens 'mail' with headers of 8 bytes, but others "
                   "have them of 4");
    CU_ASSERT_EQUAL(number_open(&again, group, 2, "mail"), WM_MESSAGE_RANGE);
    check_sentence(&again.common, NULL, "endpoint 2 opens 'mail', but there are 2 endpoints, from 0 on");
    number_close(&number);
    CU_ASSERT_EQUAL(number_open(&number, group, 0, "mail"), WM_MESSAGE_DONE);
    number_close(&number);
    wm_endpoints_free(group);
}

static void an_envelope__that_is_under_way_is_refused(void)
{
    struct number_envelope received = letter(7, NULL, 0, 0), waits = letter(8, NULL, 0, 1);

    open_two((struct wm_message_limits){.receives = 1});
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_BUSY);
    CU_ASSERT_EQUAL(number_send(&ends_of_two[1], &received), WM_MESSAGE_BUSY);
    check_sentence(&ends_of_two[1].common, &received.message, "'number': endpoint 1: the envelope is under way");
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &waits), WM_MESSAGE_FULL);
    check_sentence(&ends_of_two[1].common, &waits.message, "'number': at endpoint 1 1 receives wait, and no more may");
    CU_ASSERT(number_cancel(&ends_of_two[1], &received));
    CU_ASSERT(!number_cancel(&ends_of_two[1], &received));
    close_two();
}

static void a_message__with_wildcards_is_refused(void)
{
    struct urgent_envelope sent = {.header = {ANY, 0}, .message = {.peer = 0}}, received = {.header = {ANY, 0}};
    struct urgent urgent;

    group = wm_endpoints_new(1, &(struct wm_message_limits){0});
    CU_ASSERT_EQUAL(urgent_open(&urgent, group, 0, "urgent"), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(urgent_receive(&urgent, &received), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(urgent_send(&urgent, &sent), WM_MESSAGE_WILD);
    CU_ASSERT(!received.message.complete);
    check_sentence(&urgent.common, &sent.message, "'urgent': endpoint 0: a message has wildcards");
    urgent_close(&urgent);
    wm_endpoints_free(group);
}

/* Whichever end closes it. */
static void what_waits__ends_when_the_protocol_is_closed(void)
{
    struct number_envelope sent = letter(7, NULL, 0, 1), back = letter(7, NULL, 0, 0), received = letter(8, NULL, 0, 0);

    open_two((struct wm_message_limits){0});
    sent.message.rendezvous = back.message.rendezvous = true;
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_send(&ends_of_two[1], &back), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    number_close(&ends_of_two[1]);
    CU_ASSERT(sent.message.complete && sent.message.error == WM_MESSAGE_CLOSED);
    CU_ASSERT(back.message.complete && back.message.error == WM_MESSAGE_CANCELLED);
    CU_ASSERT(received.message.complete && received.message.error == WM_MESSAGE_CANCELLED);
    check_sentence(&ends_of_two[0].common, &sent.message,
                   "'number': endpoint 1 has closed it without receiving what "
                   "endpoint 0 sent");
    CU_ASSERT_EQUAL(ends_of_two[0].common.unexpected.entries, 0);
    number_close(&ends_of_two[0]);
    wm_endpoints_free(group);
}

/* What does not fit stays with its senders; all of it arrives, in order. */
static void unexpected_messages__take_no_more_memory_than_allowed(void)
{
    enum { MANY = 100000, LIMIT = 1000, COPY_BYTES = sizeof(struct number_envelope) + sizeof(int) };
    struct number_envelope *sent = calloc(MANY, sizeof *sent), received;
    static int numbers[MANY];
    int number, waiting = 0, wrong = 0;

    open_two((struct wm_message_limits){.unexpected_bytes = LIMIT * COPY_BYTES});
    for (int i = 0; i < MANY; i++) {
        numbers[i] = i;
        sent[i] = letter(7, &numbers[i], sizeof(int), 1);
        CU_ASSERT_EQUAL_FATAL(number_send(&ends_of_two[0], &sent[i]), WM_MESSAGE_DONE);
        waiting += !sent[i].message.complete;
    }
    CU_ASSERT_EQUAL(waiting, MANY - LIMIT);
    CU_ASSERT_EQUAL(ends_of_two[1].common.kept_bytes, LIMIT * COPY_BYTES);
    for (int i = 0; i < MANY; i++) {
        received = letter(7, &number, sizeof number, 0);
        wrong +=
            number_receive(&ends_of_two[1], &received) != WM_MESSAGE_DONE || number != i || !sent[i].message.complete;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(ends_of_two[1].common.kept_bytes, 0);
    close_two();
    free(sent);
}

static char told[400];
static int told_count;

static void tell(const char *sentence)
{
    strncpy(told, sentence, sizeof told - 1);
    told_count++;
}

/* Before they stay with their senders. */
static void memory__is_told_before_it_is_used_up(void)
{
    enum { LIMIT = 100, COPY_BYTES = sizeof(struct number_envelope) };
    struct number_envelope sent = letter(7, NULL, 0, 1);

    told_count = 0;
    open_two((struct wm_message_limits){.unexpected_bytes = LIMIT * COPY_BYTES, .tell = tell});
    for (int i = 0; i < LIMIT; i++) {
        CU_ASSERT_EQUAL(told_count, i > LIMIT * 3 / 4);
        CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
        CU_ASSERT(sent.message.complete);
    }
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT(!sent.message.complete);
    close_two();
    CU_ASSERT_EQUAL(told_count, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(told, "'number' at endpoint 1: messages that no receive waits for take "));
}

/* All of a group: the key does not tell them apart. */
static void keys__that_are_alike_are_told(void)
{
    enum { MANY = 100 };
    struct range_envelope sent = {.header = {0, 0, 0}}, received = {.header = {0, 0, 0}};
    struct range p;

    told_count = 0;
    group = wm_endpoints_new(1, &(struct wm_message_limits){.tell = tell});
    CU_ASSERT_EQUAL(range_open(&p, group, 0, "range"), WM_MESSAGE_DONE);
    for (sent.header.low = 0; sent.header.low < MANY; sent.header.low++)
        CU_ASSERT_EQUAL(range_send(&p, &sent), WM_MESSAGE_DONE);
    for (int i = MANY - 1; i >= 0; i--) {
        received.header.low = received.header.high = i;
        CU_ASSERT_EQUAL(range_receive(&p, &received), WM_MESSAGE_DONE);
        CU_ASSERT(received.message.complete);
    }
    range_close(&p);
    wm_endpoints_free(group);
    CU_ASSERT_EQUAL(told_count, 1);
    CU_ASSERT_STRING_EQUAL(told, "'range' at endpoint 0: headers of equal keys were searched through, 4950 times one "
                                 "that did not match: more of the header should be in the key");
}

static void numbers__are_converted_exactly_or_refused(void)
{
    int64_t sent_numbers[] = {1, -2, 3, INT64_C(1) << 40};
    double received_numbers[4];
    int32_t narrow[4] = {0};
    struct number_envelope sent = letter(7, sent_numbers, sizeof sent_numbers, 1);
    struct number_envelope received = letter(7, received_numbers, sizeof received_numbers, 0);

    open_two((struct wm_message_limits){0});
    sent.message.number = WM_INT64;
    received.message.number = WM_DOUBLE;
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT(received.message.bytes == 4 * sizeof(double) && received.message.whole == 4 * sizeof(double));
    CU_ASSERT(received_numbers[1] == -2 && received_numbers[3] == 0x1p40);

    received = letter(7, narrow, sizeof narrow, 0);
    received.message.number = WM_INT32;
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT(received.message.complete && received.message.error == WM_MESSAGE_INEXACT);
    CU_ASSERT(received.message.bytes == 3 * sizeof(int32_t) && narrow[1] == -2 && narrow[2] == 3);
    check_sentence(
        &ends_of_two[1].common, &received.message,
        "'number': number 3 of the int64 from endpoint 0 is no int32, which the receive at endpoint 1 wants");

    received = letter(7, narrow, 2 * sizeof(int32_t), 0);
    received.message.number = WM_INT32;
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT(received.message.error == WM_MESSAGE_TRUNCATED && received.message.whole == 4 * sizeof(int32_t));
    CU_ASSERT_EQUAL(received.message.peer, 0);
    close_two();
}

/* Those of one type, and those of which one end says nothing, are taken as they are. */
static void bytes__are_not_converted(void)
{
    float number = 1.5F;
    uint32_t bits = 0;
    struct number_envelope sent = letter(7, &number, sizeof number, 1), received = letter(7, &bits, sizeof bits, 0);

    open_two((struct wm_message_limits){0});
    sent.message.number = WM_FLOAT;
    CU_ASSERT_EQUAL(number_send(&ends_of_two[0], &sent), WM_MESSAGE_DONE);
    CU_ASSERT_EQUAL(number_receive(&ends_of_two[1], &received), WM_MESSAGE_DONE);
    CU_ASSERT(memcmp(&bits, &number, sizeof bits) == 0);
    CU_ASSERT(number_check(&ends_of_two[1], &received) && received.message.sent == WM_FLOAT);
    close_two();
}

static const struct check_case cases[] = {
    CASE(messages__become_what_the_model_says),
    CASE(a_receive__that_is_too_small_says_so),
    CASE(a_protocol__that_the_peer_does_not_know_is_named),
    CASE(a_protocol__is_opened_once_with_one_header),
    CASE(an_envelope__that_is_under_way_is_refused),
    CASE(a_message__with_wildcards_is_refused),
    CASE(what_waits__ends_when_the_protocol_is_closed),
    CASE(unexpected_messages__take_no_more_memory_than_allowed),
    CASE(numbers__are_converted_exactly_or_refused),
    CASE(bytes__are_not_converted),
    CASE(memory__is_told_before_it_is_used_up),
    CASE(keys__that_are_alike_are_told),
};

CHECK_MAIN("message", cases)
