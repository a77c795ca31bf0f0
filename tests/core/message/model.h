/* Envelopes of four protocols between the endpoints of a group, at random; and a model, plain lists that are searched
 * linearly, which says what becomes of each. The endpoints may be in several processes, of which each runs the whole
 * model, and does what is done at its own endpoints. */
#ifndef WM_TESTS_MODEL_H
#define WM_TESTS_MODEL_H

#include <string.h>
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
    bool (*give)(union any_protocol *p, union any_envelope *e);
    int (*receive)(union any_protocol *p, union any_envelope *e);
    bool (*get)(union any_protocol *p, union any_envelope *e);
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
    static bool kind##_do_give(union any_protocol *p, union any_envelope *e)                                           \
    {                                                                                                                  \
        const struct wm_envelope *m = &e->kind.message;                                                                \
                                                                                                                       \
        return kind##_give(&p->kind, &e->kind.header, m->buffer, m->bytes, m->peer, m->rendezvous);                    \
    }                                                                                                                  \
    static int kind##_do_receive(union any_protocol *p, union any_envelope *e)                                         \
    {                                                                                                                  \
        return kind##_receive(&p->kind, &e->kind);                                                                     \
    }                                                                                                                  \
    static bool kind##_do_get(union any_protocol *p, union any_envelope *e)                                            \
    {                                                                                                                  \
        struct wm_envelope *m = &e->kind.message;                                                                      \
                                                                                                                       \
        return kind##_get(&p->kind, &e->kind.header, m->buffer, m->bytes, &m->whole);                                  \
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
#kind, kind##_do_open, kind##_do_close, kind##_do_send, kind##_do_give, kind##_do_receive, kind##_do_get,      \
            kind##_do_cancel, kind##_do_probe, kind##_do_take, kind##_do_receive_taken, kind##_header_of,              \
            kind##_message_of                                                                                          \
    }

KIND_FUNCTIONS(number)
KIND_FUNCTIONS(envelope)
KIND_FUNCTIONS(range)
KIND_FUNCTIONS(urgent)

static const struct kind kinds[MODELS] = {KIND(number), KIND(envelope), KIND(range), KIND(urgent)};

/* An envelope of the test, and what the model says of it. */
struct letter {
    union any_envelope e;
    union any_envelope *taken;
    bool used, receives, complete;
    bool took;          /* a message, which is received later */
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
static int endpoints, each, here; /* of a process, and the process's number */
static size_t kept_bytes_max;
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

/* An endpoint of this process. */
static bool is_here(int endpoint)
{
    return endpoint / each == here;
}

/* Where an envelope is. */
static int owner(const struct letter *l)
{
    return l->receives ? l->to : l->from;
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
        if (letters[i].used && !letters[i].took && is_here(owner(&letters[i])) && !is_right(&letters[i]))
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
    bool rendezvous = next(8) == 0, gives = next(2) == 0 && l != NULL && l->from / each == l->to / each, over = true;
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
        if (rendezvous || l->bytes > EAGER || end->kept + copy_bytes(end, l->bytes) > kept_bytes_max) {
            message.send = l;
            over = false;
        } else {
            model_complete(l, WM_MESSAGE_DONE);
            end->kept += copy_bytes(end, l->bytes);
        }
        end->messages[end->message_count++] = message;
    }
    l->used = !(gives && over);
    if (gives && is_here(l->from) && kinds[kind].give(&ends[l->from][kind].p, &l->e) != over)
        return false;
    return !l->used || !is_here(l->from) || kinds[kind].send(&ends[l->from][kind].p, &l->e) == WM_MESSAGE_DONE;
}

/* What a receive returns. Data that comes from another process has not come yet. */
static bool is_returned(int error, const struct letter *l)
{
    return error == (int)l->error || (error == WM_MESSAGE_DONE && l->complete && !is_here(l->peer));
}

/* What is here as a copy that there is room for is received without an envelope; nothing else is. What has come from
 * another process may be such a copy. */
static bool get_or_receive(struct end *end, struct letter *l, bool copied)
{
    struct wm_envelope *m = kinds[l->kind].message(&l->e);
    bool fits = l->complete && l->error == WM_MESSAGE_DONE;
    bool got = kinds[l->kind].get(&end->p, &l->e);

    if (got ? !fits || (is_here(l->peer) && !copied) : fits && copied && is_here(l->peer) && end->p.common.traced == 0)
        return false;
    if (!got)
        return is_returned(kinds[l->kind].receive(&end->p, &l->e), l);
    m->bytes = m->whole;
    m->peer = l->peer;
    m->error = WM_MESSAGE_DONE;
    m->complete = true;
    return true;
}

static bool receive_one(int kind, uint32_t range)
{
    struct letter *l = draw_letter(kind, true, range);
    bool gets = next(2) == 0, copied = false;
    struct end *end;
    int i;

    if (l == NULL)
        return true;
    end = &ends[l->to][kind];
    if ((i = find_message(end, kind, &l->header)) >= 0) {
        copied = end->messages[i].send == NULL;
        model_receive(l, &end->messages[i]);
        remove_message(end, i);
    } else {
        end->receives[end->receive_count++] = l;
    }
    if (!is_here(l->to))
        return true;
    return gets ? get_or_receive(end, l, copied) : is_returned(kinds[kind].receive(&end->p, &l->e), l);
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

    if (!l->used || l->took)
        return true;
    cancelled = model_cancel(l);
    if (cancelled)
        model_complete(l, WM_MESSAGE_CANCELLED);
    if (!is_here(owner(l)))
        return true;
    if (is_here(l->to))
        return kinds[l->kind].cancel(&ends[owner(l)][l->kind].p, &l->e) == cancelled;
    return !kinds[l->kind].cancel(&ends[owner(l)][l->kind].p, &l->e); /* the receiver is asked */
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
    int at = (int)next((uint32_t)endpoints);
    struct end *end = &ends[at][kind];
    const union any_envelope *found;
    union any_header h;
    int i;

    models[kind].draw(&h, true, range);
    i = find_message(end, kind, &h);
    if (!is_here(at))
        return true;
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
    if (is_here(l->to) && kinds[kind].take(&end->p, &l->header, &l->taken) != WM_MESSAGE_DONE)
        return false;
    if ((i = find_message(end, kind, &l->header)) >= 0) {
        message = &taken_messages[l - letters];
        *message = end->messages[i];
        remove_message(end, i);
    }
    l->used = l->took = message != NULL;
    return !is_here(l->to) || is_found(kind, l->taken, message);
}

static bool receive_taken_one(struct letter *l)
{
    if (!l->used || !l->took)
        return true;
    l->took = false;
    model_receive(l, &taken_messages[l - letters]);
    return !is_here(l->to) || is_returned(kinds[l->kind].receive_taken(&ends[l->to][l->kind].p, &l->e, l->taken), l);
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

    if (what < 5 || free_letter() == NULL)
        return cancel_one();
    if (what < 10)
        return probe_one(kind, range);
    if (what < 14)
        return take_one(kind, range);
    if (what < 20)
        return receive_taken_one(&letters[next(LETTERS)]);
    return next(100) < sends ? send_one(kind, range) : receive_one(kind, range);
}

#endif
