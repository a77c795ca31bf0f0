/* Four protocols, and for each, what a test needs to drive it beside the others and beside a model: a number is its own
 * key; MPI's, with two wildcards; a range of values, which its own test decides; and priorities. */
#ifndef WM_TESTS_PROTOCOLS_H
#define WM_TESTS_PROTOCOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "waymark/matching.h"

enum { ANY = -1 };

struct number_header {
    int32_t number;
};

static inline struct wm_key number_key(const struct number_header *h)
{
    return (struct wm_key){.word = {(uint32_t)h->number}};
}

struct envelope_header {
    int32_t context, source, tag;
};

static inline struct wm_key envelope_key(const struct envelope_header *h)
{
    struct wm_key key = {.word = {(uint64_t)(uint32_t)h->context << 32 | (uint32_t)h->source, (uint32_t)h->tag}};

    if (h->source == ANY)
        key.open[0] = UINT32_MAX;
    if (h->tag == ANY)
        key.open[1] = UINT64_MAX;
    return key;
}

/* A receive takes values from `low` to `high` of a group; a message has the value `low`. */
struct range_header {
    int32_t group, low, high;
};

static inline struct wm_key range_key(const struct range_header *h)
{
    return (struct wm_key){.word = {(uint32_t)h->group}};
}

static inline bool range_test(const struct range_header *receive, const struct range_header *message)
{
    return receive->low <= message->low && message->low <= receive->high;
}

/* The highest priority goes first, of receives as of messages. */
struct urgent_header {
    int32_t tag, priority;
};

static inline struct wm_key urgent_key(const struct urgent_header *h)
{
    struct wm_key key = {.word = {(uint32_t)h->tag}};

    if (h->tag == ANY)
        key.open[0] = UINT64_MAX;
    return key;
}

static inline bool urgent_before(const struct urgent_header *late, const struct urgent_header *early)
{
    return late->priority > early->priority;
}

union any_header {
    struct number_header number;
    struct envelope_header envelope;
    struct range_header range;
    struct urgent_header urgent;
};

/* What the model knows of a protocol: how to draw a header, of values below `range`; which match; and which goes first.
 */
struct model {
    void (*draw)(union any_header *h, bool receive, uint32_t range);
    bool (*fits)(const union any_header *receive, const union any_header *message);
    int (*priority)(const union any_header *h);
};

static uint64_t random_state = 1;

/* Steps of a test at random: WM_FUZZ_STEPS, which begins elsewhere if it is given, or so many. */
static inline uint64_t fuzz_steps(uint64_t steps)
{
    const char *wanted = getenv("WM_FUZZ_STEPS");

    if (wanted == NULL)
        return steps;
    random_state = strtoull(wanted, NULL, 10);
    return random_state;
}

static inline uint32_t next(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(random_state >> 33) % below;
}

/* A value below `range`, or, in a receive, now and then any. */
static inline int32_t value(uint32_t range, bool receive)
{
    return receive && next(4) == 0 ? ANY : (int32_t)next(range);
}

static inline bool fits(int32_t receive, int32_t message)
{
    return receive == ANY || receive == message;
}

static inline void number_draw(union any_header *h, bool receive, uint32_t range)
{
    (void)receive;
    h->number.number = (int32_t)next(range);
}

static inline bool number_fits(const union any_header *receive, const union any_header *message)
{
    return receive->number.number == message->number.number;
}

static inline void envelope_draw(union any_header *h, bool receive, uint32_t range)
{
    h->envelope = (struct envelope_header){(int32_t)next(2), value(range, receive), value(range, receive)};
}

static inline bool envelope_fits(const union any_header *receive, const union any_header *message)
{
    const struct envelope_header *r = &receive->envelope, *m = &message->envelope;

    return r->context == m->context && fits(r->source, m->source) && fits(r->tag, m->tag);
}

static inline void range_draw(union any_header *h, bool receive, uint32_t range)
{
    int32_t low = (int32_t)next(range);

    h->range = (struct range_header){(int32_t)next(2), low, low + (receive ? (int32_t)next(range) : 0)};
}

static inline bool range_fits(const union any_header *receive, const union any_header *message)
{
    const struct range_header *r = &receive->range, *m = &message->range;

    return r->group == m->group && r->low <= m->low && m->low <= r->high;
}

static inline void urgent_draw(union any_header *h, bool receive, uint32_t range)
{
    h->urgent = (struct urgent_header){value(range, receive), (int32_t)next(3)};
}

static inline bool urgent_fits(const union any_header *receive, const union any_header *message)
{
    return fits(receive->urgent.tag, message->urgent.tag);
}

static inline int no_priority(const union any_header *h)
{
    (void)h;
    return 0;
}

static inline int urgent_priority(const union any_header *h)
{
    return h->urgent.priority;
}

enum { MODELS = 4 };

static const struct model models[MODELS] = {
    {number_draw, number_fits, no_priority},
    {envelope_draw, envelope_fits, no_priority},
    {range_draw, range_fits, no_priority},
    {urgent_draw, urgent_fits, urgent_priority},
};

#endif
