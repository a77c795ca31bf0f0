/* Four protocols, and for each, what a test needs to drive it beside the others and beside a model: a number is its own
 * key; MPI's, with two wildcards; a range of values, which its own test decides; and priorities. */
#ifndef WM_TESTS_PROTOCOLS_H
#define WM_TESTS_PROTOCOLS_H

#include <stdbool.h>
#include <stdint.h>
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

#endif
