/* Superblocks: what the markers of <waymark/superblock.h> call in the host. */
#include "waymark/superblock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/data/allocate.h"
#include "core/subrank/collective.h"
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

    if (__builtin_expect(s == NULL || s->since_ns == 0, 1))
        return false;
    s->record->compute_ns += now_ns() - s->since_ns;
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
    struct wm_superblock_record *r = s->record;

    r->idle_ns += rank->idle_ns;
    if (rank->idle_ns > r->late.idle_ns) {
        r->late.peer = s->needed.peer;
        r->late.tag = s->needed.tag;
        r->late.idle_ns = rank->idle_ns;
    }
}

static void wait_for(struct wm_rank *rank, struct wm_superblock *s, const struct wm_p2p_tally *tally)
{
    uint64_t begin = now_ns();

    rank->idle_ns = 0;
    wm_world.waiting_count++;
    wm_p2p_await(rank->process, tally);
    wm_world.waiting_count--;
    s->record->wait_ns += now_ns() - begin;
    if (rank->idle_ns > 0)
        note_idle(rank, s);
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

/* Siblings that are ready go before a subrank that need not wait: they have been ready for longer. */
static void begin_to_compute(struct wm_rank *rank, struct wm_superblock *s, bool computed)
{
    if (s->needed.pending > 0)
        wait_for(rank, s, &s->needed);
    else if (!computed)
        wm_subrank_yield();
    s->record->pairs += !computed;
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

    while (r != NULL && r->name != name && strcmp(r->name, name) != 0)
        r = r->next;
    if (r != NULL)
        return r;
    r = wm_allocate_zeroed(sizeof *r, "a superblock's record");
    r->name = name;
    r->next = rank->records;
    rank->records = r;
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
}

WM_RANK_DOOR void wm_superblock_end(void)
{
    static const char function[] = "WM_SUPERBLOCK_END";
    WM_RANK_ENTER(function);
    struct wm_superblock *s = rank->superblock;

    if (s == NULL)
        wm_rank_end(rank, function, "no superblock has begun; put WM_SUPERBLOCK_BEGIN before its loop");
    wm_superblock_stop_clock(rank);
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
}

WM_RANK_DOOR void wm_superblock_poll(void)
{
    WM_RANK_ENTER("wm_poll");

    progress(rank);
}
