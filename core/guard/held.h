/* Who is held: ranks that never come out of the calls that they are in.
 *
 * All that stand still are taken for held; then those are let go for which something could still end their wait, and
 * whoever depended on them is asked again, until nothing changes: a greatest fixed point. A rank that is held has a
 * witness, a rank for want of which it is. The pages of those who are held do not change while they are, so what their
 * pages say of messages is compared as it stands; wm_judge looks at the end whether any has moved meanwhile. */
#ifndef WM_GUARD_HELD_H
#define WM_GUARD_HELD_H

#include "core/guard/judge.h"

/* Set `held` and `witness` of all stands. 0 or -WM_ENOMEM. */
int wm_held_find(struct wm_judgement *judgement);

/* The message, or nonblocking call, that a rank waits for with its index; NULL: it is not known any more. */
const struct wm_page_message *wm_held_message(const struct wm_page *page, const struct wm_page_now *now,
                                              uint32_t index);

/* How many of these there are to look at. */
uint32_t wm_held_messages(const struct wm_page_now *now);

/* One of them is enough for it. */
bool wm_held_needs_one(const struct wm_page_now *now);

/* Messages of the pair that are sent, and not received: they are underway, or others than this receive wants. 0, too,
 * where this is not known. */
uint32_t wm_held_underway(const struct wm_judgement *judgement, int page, const struct wm_page_message *receive);

/* The member that is a rank of a communicator, or -1; its page, or -1. */
int wm_held_find_member(const struct wm_judgement *judgement, uint64_t id, int rank);
int wm_held_find_rank(const struct wm_judgement *judgement, uint64_t id, int rank);

#endif
