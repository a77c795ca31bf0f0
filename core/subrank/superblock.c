/* Superblocks: what the markers of <waymark/superblock.h> call in the host. */
#include "waymark/superblock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/data/allocate.h"
#include "core/subrank/record.h"
#include "core/subrank/schedule.h"
#include "core/subrank/superblock.h"

void wm_superblocks_check_ended(const struct wm_rank *rank, const char *function)
{
    char why[200];

    if (rank->superblock == NULL)
        return;
    snprintf(why, sizeof why, "superblock '%.100s' has not ended; put WM_SUPERBLOCK_END behind its loop",
             rank->superblock->record->name);
    wm_rank_end(rank, function, why);
}

void wm_superblocks_free(struct wm_rank *rank)
{
    for (struct wm_superblock *s = rank->over, *below; s != NULL; s = below) {
        below = s->below;
        free(s);
    }
    for (struct wm_superblock_record *r = rank->records, *next; r != NULL; r = next) {
        next = r->next;
        free(r);
    }
}

bool wm_superblock_receives(const struct wm_rank *rank)
{
    return rank->superblock != NULL && rank->superblock->region == WM_REGION_receive;
}

/* ---- times ---- */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool wm_superblock_stop_clock(struct wm_rank *rank)
{
    struct wm_superblock *s = rank->superblock;
    uint64_t computed_ns;

    if (__builtin_expect(s == NULL || s->since_ns == 0, 1))
        return false;
    computed_ns = now_ns() - s->since_ns;
    s->record->times.compute_ns += computed_ns;
    s->computed_ns += computed_ns;
    s->since_ns = 0;
    return true;
}

void wm_superblock_start_clock(struct wm_rank *rank)
{
    rank->superblock->since_ns = now_ns();
}

void wm_superblocks_idle(void)
{
    if (wm_world.idle_since_ns == 0 && wm_world.waiting_count > 0)
        wm_world.idle_since_ns = now_ns();
}

void wm_superblocks_go_on(struct wm_rank *rank)
{
    if (__builtin_expect(wm_world.idle_since_ns == 0, 1))
        return;
    rank->idle_ns += now_ns() - wm_world.idle_since_ns;
    wm_world.idle_since_ns = 0;
}

/* ---- waiting ---- */

static void note_idle(struct wm_rank *rank, struct wm_superblock *s)
{
    const struct wm_superblock_times idle = {.idle_ns = rank->idle_ns,
                                             .late_ns = rank->idle_ns,
                                             .late_rank = wm_rank_of_world(rank),
                                             .late_peer = s->needed.peer < 0 ? -1 : wm_world_rank_of(s->needed.peer),
                                             .late_tag = s->needed.tag};

    wm_superblock_times_add(&s->record->times, &idle);
    wm_rank_record_region(rank, s, WM_TRACE_REGION_IDLE, &idle);
}

static void wait_for(struct wm_rank *rank, struct wm_superblock *s, const struct wm_p2p_tally *tally)
{
    rank->idle_ns = 0;
    wm_rank_record_region(rank, s, WM_TRACE_REGION_WAIT, NULL);
    wm_world.waiting_count++;
    wm_p2p_await(rank->process, tally);
    wm_world.waiting_count--;
    if (rank->idle_ns > 0)
        note_idle(rank, s);
}

/* Siblings that are ready go before a subrank that need not wait: they have been ready for longer. */
static void let_others_go(struct wm_rank *rank, struct wm_superblock *s)
{
    wm_rank_record_region(rank, s, WM_TRACE_REGION_WAIT, NULL);
    wm_subrank_yield_in_turn();
}

static void progress(struct wm_rank *rank)
{
    wm_p2p_progress(rank->process);
    wm_rank_calls_advance(rank);
}

static bool computes(const struct wm_superblock *s)
{
    return s->region == WM_REGION_compute || s->region == WM_REGION_unpack;
}

static void begin_to_compute(struct wm_rank *rank, struct wm_superblock *s, bool computed)
{
    if (wm_p2p_sends_away(rank->process))
        wm_subrank_go_first();
    if (s->needed.pending > 0)
        wait_for(rank, s, &s->needed);
    else if (!computed)
        let_others_go(rank, s);
    s->record->times.pairs += !computed;
    wm_superblock_start_clock(rank);
}

/* From now on, until the region begins that needs it, count what is started. */
static void count(const struct wm_rank *rank, struct wm_superblock *s)
{
    if (s != NULL && !computes(s))
        wm_p2p_count_started(rank->process, wm_world.defers_sends ? &s->deferred : &s->needed, &s->needed);
    else
        wm_p2p_count_started(rank->process, NULL, NULL);
}

/* ---- markers ---- */

/* One that is over, and whose last messages are, too; or a new one. */
static struct wm_superblock *take(struct wm_rank *rank)
{
    struct wm_superblock **link = &rank->over, *s;

    while ((s = *link) != NULL && (s->needed.pending > 0 || s->deferred.pending > 0))
        link = &s->below;
    if (s == NULL)
        return wm_allocate_zeroed(sizeof *s, "a superblock");
    *link = s->below;
    *s = (struct wm_superblock){0};
    return s;
}

static struct wm_superblock_record *record_of(struct wm_rank *rank, const char *name)
{
    struct wm_superblock_record *r = rank->records;

    while (r != NULL && strcmp(r->name, name) != 0)
        r = r->next;
    if (r != NULL)
        return r;
    r = wm_allocate_zeroed(sizeof *r + strlen(name) + 1, "a superblock's record");
    r->name = strcpy((char *)(r + 1), name);
    r->number = rank->records != NULL ? rank->records->number + 1 : 0;
    r->next = rank->records;
    rank->records = r;
    wm_rank_record_superblock(rank, r);
    return r;
}

WM_RANK_DOOR void wm_superblock_begin(const char *name)
{
    WM_RANK_ENTER("WM_SUPERBLOCK_BEGIN");
    struct wm_superblock *s = take(rank);

    if (wm_superblock_stop_clock(rank))
        s->interrupts = true;
    s->record = record_of(rank, name);
    s->region = WM_REGION_receive;
    s->below = rank->superblock;
    rank->superblock = s;
    count(rank, s);
    wm_rank_record_region(rank, s, WM_TRACE_REGION_BEGIN, NULL);
}

WM_RANK_DOOR void wm_superblock_end(void)
{
    static const char function[] = "WM_SUPERBLOCK_END";
    WM_RANK_ENTER(function);
    struct wm_superblock *s = rank->superblock;

    if (s == NULL)
        wm_rank_end(rank, function, "no superblock has begun; put WM_SUPERBLOCK_BEGIN before its loop");
    wm_superblock_stop_clock(rank);
    wm_rank_record_region(rank, s, WM_TRACE_REGION_END, NULL);
    rank->superblock = s->below;
    s->below = rank->over;
    rank->over = s;
    count(rank, rank->superblock);
    if (s->interrupts)
        wm_superblock_start_clock(rank);
}

WM_RANK_DOOR void wm_superblock_region(enum wm_region region)
{
    static const char function[] = "WM_REGION";
    static const enum wm_trace_region places[] = {[WM_REGION_receive] = WM_TRACE_REGION_RECEIVE,
                                                  [WM_REGION_send] = WM_TRACE_REGION_SEND,
                                                  [WM_REGION_compute] = WM_TRACE_REGION_COMPUTE,
                                                  [WM_REGION_pack] = WM_TRACE_REGION_PACK,
                                                  [WM_REGION_unpack] = WM_TRACE_REGION_UNPACK};
    WM_RANK_ENTER(function);
    struct wm_superblock *s = rank->superblock;
    bool computed;

    if (s == NULL)
        wm_rank_end(rank, function, "it stands in no superblock; put WM_SUPERBLOCK_BEGIN before its loop");
    wm_superblock_stop_clock(rank);
    progress(rank);
    computed = computes(s);
    s->region = region;
    count(rank, s);
    if (computes(s))
        begin_to_compute(rank, s, computed);
    else if (region != WM_REGION_receive && s->deferred.pending > 0)
        wait_for(rank, s, &s->deferred);
    wm_rank_record_region(rank, s, places[region], NULL);
}

WM_RANK_DOOR void wm_superblock_poll(void)
{
    WM_RANK_ENTER("wm_poll");

    progress(rank);
}
