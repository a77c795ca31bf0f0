/* The ranks of a node: processes watched, pages written. */
#include "tools/doctor/wards.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tools/doctor/voice.h"

/* An interval that lasts so much longer was none of the job's: the guard, or the whole machine, was suspended. */
enum { SUSPENDED_MS = 3000 };

static bool is_gone(const struct wm_wards *r, int i)
{
    return r->processes[i].fd < 0;
}

/* Kept from before it is needed: where one rank is killed, the launcher may end the others before the guard has a turn.
 */
static void find_speaker(struct wm_wards *r)
{
    if (r->voice >= 0)
        close(r->voice);
    r->voice = r->speaker = -1;
    for (int i = 0; i < r->count && r->voice < 0; i++)
        if (!is_gone(r, i))
            r->voice = wm_voice_open(r->pages[r->speaker = i]->pid);
}

bool wm_wards_say(struct wm_wards *r, const char *text)
{
    if (wm_voice_say(r->voice, text))
        return true;
    find_speaker(r);
    return wm_voice_say(r->voice, text);
}

static void go(struct wm_wards *r, int i)
{
    r->processes[i].fd = -1;
    __atomic_store_n(&r->pages[i]->gone, r->pages[i]->tick + 1, __ATOMIC_RELEASE);
}

bool wm_wards_init(struct wm_wards *r, const struct wm_page **pages, int count)
{
    *r = (struct wm_wards){.count = count, .voice = -1, .speaker = -1};
    r->pages = calloc((size_t)count, sizeof(struct wm_page *));
    r->processes = calloc((size_t)count, sizeof *r->processes);
    if (r->pages == NULL || r->processes == NULL)
        return false;
    for (int i = 0; i < count; i++) {
        r->pages[i] = (struct wm_page *)pages[i];
        r->processes[i] = (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, pages[i]->pid, 0), .events = POLLIN};
        if (is_gone(r, i))
            go(r, i);
        else
            r->alive++;
    }
    find_speaker(r);
    return true;
}

void wm_wards_release(struct wm_wards *r)
{
    free(r->pages);
    free(r->processes);
    *r = (struct wm_wards){.voice = -1};
}

const struct wm_page *wm_wards_next_gone(struct wm_wards *r)
{
    for (int i = 0; i < r->count; i++) {
        if (is_gone(r, i) || r->processes[i].revents == 0)
            continue;
        close(r->processes[i].fd);
        r->alive--;
        go(r, i);
        return r->pages[i];
    }
    if (r->speaker >= 0 && is_gone(r, r->speaker))
        find_speaker(r);
    return NULL;
}

/* --- Pages --- */

static uint32_t comm_count(const struct wm_page *page)
{
    return page->comm_count < WM_PAGE_COMMS ? page->comm_count : WM_PAGE_COMMS;
}

void wm_wards_describe_death(const struct wm_page *page, struct wm_news_death *death)
{
    *death = (struct wm_news_death){.rank = page->rank};
    for (uint32_t c = 0; c < comm_count(page); c++)
        if (page->comms[c].id != 0)
            death->comms[death->count++] = page->comms[c].id;
}

/* A rank of the communicator is dead. */
static void tell_dead(struct wm_page *page, uint64_t id)
{
    for (uint32_t c = 0; c < comm_count(page); c++)
        if (page->comms[c].id == id)
            __atomic_store_n(&page->comms[c].dead, 1, __ATOMIC_RELEASE);
}

/* All are told before the first one acts by it: who gives up may leave things that the others must not take for data.
 */
void wm_wards_hear_death(struct wm_wards *r, const struct wm_news_death *death)
{
    for (uint32_t c = 0; c < death->count && c < WM_PAGE_COMMS; c++)
        for (int i = 0; i < r->count; i++)
            tell_dead(r->pages[i], death->comms[c]);
    for (int i = 0; i < r->count; i++)
        __atomic_store_n(&r->pages[i]->deaths, r->pages[i]->deaths + 1, __ATOMIC_RELEASE);
}

void wm_wards_hear_verdict(struct wm_wards *r, uint64_t id)
{
    for (int i = 0; i < r->count; i++)
        for (int c = 0; c < WM_PAGE_COMMS; c++)
            if (r->pages[i]->comms[c].id == id)
                __atomic_store_n(&r->pages[i]->verdict, id, __ATOMIC_RELEASE);
}

void wm_wards_hear_told(struct wm_wards *r, const struct wm_news_told *told)
{
    for (int i = 0; i < r->count; i++)
        if (r->pages[i]->rank == told->rank)
            __atomic_store_n(&r->pages[i]->flaws_told, told->flaws, __ATOMIC_RELEASE);
}

bool wm_wards_tick(struct wm_wards *r, int64_t now_ns)
{
    int64_t passed_ms = (now_ns - r->ticked_ns) / 1000000;
    uint64_t ticks = passed_ms < SUSPENDED_MS ? (uint64_t)(passed_ms / WM_WARDS_TICK_MS) : 0;

    if (passed_ms >= SUSPENDED_MS)
        r->ticked_ns = now_ns;
    r->ticked_ns += (int64_t)ticks * WM_WARDS_TICK_MS * 1000000;
    for (int i = 0; ticks > 0 && i < r->count; i++)
        __atomic_store_n(&r->pages[i]->tick, r->pages[i]->tick + ticks, __ATOMIC_RELAXED);
    return passed_ms < SUSPENDED_MS;
}

bool wm_wards_run(const struct wm_wards *r)
{
    for (int i = 0; i < r->count; i++)
        if (!is_gone(r, i) && r->pages[i]->state == WM_PAGE_RUNNING)
            return true;
    return false;
}
