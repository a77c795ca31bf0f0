/* A lane's lines and slots, for the files that make shared steps up.
 *
 * In the area stand, a line each: what each member is through with, and its cache; then, slot by slot, each member's
 * flag; then the classes of payloads, slot by slot and member by member. A flag holds the round in its upper 56
 * bits and below it how many rounds the member is behind with reading, so that those who read flags need no other line.
 */
#ifndef WM_SHARED_LANE_H
#define WM_SHARED_LANE_H

#include <stdatomic.h>
#include <string.h>
#include "core/node/own_line.h"
#include "core/node/pause.h"
#include "core/shared/shared.h"

enum { WM_SHARED_BEHIND_BITS = 8, WM_SHARED_BEHIND_MAX = 255, WM_SHARED_POLLS = 4, WM_SHARED_PAUSES = 64 };

struct wm_shared_line {
    _Atomic uint64_t flag;
    uint64_t print; /* of the call that posts */
    char payload[WM_SHARED_INLINE];
};

static inline struct wm_shared_line *wm_shared_line(const struct wm_shared_lane *lane, uint64_t round, int member)
{
    size_t line = (size_t)lane->size * (1 + round % WM_SHARED_SLOTS) + (size_t)member;

    return (struct wm_shared_line *)(lane->area + line * WM_SHARED_LINE);
}

/* The member is about to post the next round. */
static inline void wm_shared_claim(const struct wm_shared_lane *lane)
{
    wm_own_line(wm_shared_line(lane, lane->round + 1, lane->self));
}

static inline _Atomic uint64_t *wm_shared_done(const struct wm_shared_lane *lane, int member)
{
    return (_Atomic uint64_t *)(lane->area + (size_t)member * WM_SHARED_LINE);
}

/* The member's cache + 2, 0: not told yet. Apart from what changes with every round. */
static inline _Atomic uint64_t *wm_shared_cache(const struct wm_shared_lane *lane, int member)
{
    return (_Atomic uint64_t *)(lane->area + (size_t)member * WM_SHARED_LINE + WM_SHARED_LINE / 2);
}

/* The slots of payloads of so many bytes. */
static inline struct wm_shared_slots *wm_shared_slots(struct wm_shared_lane *lane, size_t bytes)
{
    struct wm_shared_slots *slots = lane->slots;

    while (bytes > slots->bytes)
        slots++;
    return slots;
}

/* Ask for the pages of this round's slots and of some that follow, twice as many each time, up to the last slot: a
 * fault for each round would cost more than the round. */
void wm_shared_prepare(const struct wm_shared_lane *lane, struct wm_shared_slots *slots, uint64_t round);

/* Where the payload of a round stands; `bytes` as all members know it. */
static inline char *wm_shared_payload(struct wm_shared_lane *lane, uint64_t round, int member, size_t bytes)
{
    struct wm_shared_slots *slots;

    if (bytes <= WM_SHARED_INLINE)
        return wm_shared_line(lane, round, member)->payload;
    slots = wm_shared_slots(lane, bytes);
    if (round > slots->ready)
        wm_shared_prepare(lane, slots, round);
    return lane->area + slots->offset +
           ((size_t)lane->size * (round & (slots->count - 1)) + (size_t)member) * slots->bytes;
}

static inline void wm_shared_move(char *target, const char *source, size_t bytes)
{
    if (bytes == sizeof(uint64_t)) /* the most frequent of all */
        memcpy(target, source, sizeof(uint64_t));
    else
        memcpy(target, source, bytes);
}

static inline uint64_t wm_shared_slot_count(struct wm_shared_lane *lane, size_t bytes)
{
    return bytes <= WM_SHARED_SMALL ? WM_SHARED_SLOTS : wm_shared_slots(lane, bytes)->count;
}

/* All are through with the round that was in the slot of this one? */
bool wm_shared_look(struct wm_shared_lane *lane, uint64_t round, uint64_t slots);
static inline bool wm_shared_may_post(struct wm_shared_lane *lane, uint64_t round, size_t bytes)
{
    uint64_t slots = wm_shared_slot_count(lane, bytes);

    return round <= lane->quiet + slots || wm_shared_look(lane, round, slots);
}

/* `line`: this member's, of this round. */
static inline void wm_shared_post_line(const struct wm_shared_lane *lane, struct wm_shared_line *line, uint64_t round)
{
    uint64_t behind = round - 1 - lane->done;

    line->print = lane->check->print;
    atomic_store_explicit(
        &line->flag, round << WM_SHARED_BEHIND_BITS | (behind < WM_SHARED_BEHIND_MAX ? behind : WM_SHARED_BEHIND_MAX),
        memory_order_release);
}

static inline void wm_shared_post(const struct wm_shared_lane *lane, uint64_t round)
{
    wm_shared_post_line(lane, wm_shared_line(lane, round, lane->self), round);
}

/* Has the member posted? Looks for some cache lines' time, where it is not crowded. */
static inline bool wm_shared_posted(struct wm_shared_lane *lane, uint64_t round, int member)
{
    struct wm_shared_line *line = wm_shared_line(lane, round, member);
    int polls = lane->crowded ? 1 : WM_SHARED_POLLS + WM_SHARED_PAUSES;

    for (int i = 0; i < polls; i++) {
        uint64_t seen = atomic_load_explicit(&line->flag, memory_order_acquire);

        if (seen >> WM_SHARED_BEHIND_BITS == round) {
            lane->known[member] = round - 1 - (seen & WM_SHARED_BEHIND_MAX);
            if (wm_check_fails(lane->check->print, line->print))
                lane->check->differs = true;
            return true;
        }
        if (i >= WM_SHARED_POLLS)
            wm_pause();
    }
    return false;
}

/* This member is through with the rounds up to here. */
static inline void wm_shared_pass(struct wm_shared_lane *lane, uint64_t round)
{
    lane->done = round;
    atomic_store_explicit(wm_shared_done(lane, lane->self), round, memory_order_release);
}

#endif
