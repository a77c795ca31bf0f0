/* Whether a rank's process lives, and what time it is there. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tracer/clock.h"
#include "tracer/live.h"

/* A process of this number that began after the trace is another one, and a zombie is none. */
static bool process_lives(long pid, uint64_t trace_began_ns)
{
    static const uint64_t slack_ns = 2000000000;
    uint64_t asleep_ns = wm_clock_ns(CLOCK_BOOTTIME) - wm_clock_ns(CLOCK_MONOTONIC);
    unsigned long long began = 0;
    char path[64], line[1024], state = '?';
    const char *behind;
    size_t length;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (file == NULL)
        return access("/proc/self/stat", R_OK) != 0 && kill((pid_t)pid, 0) == 0;
    length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    behind = strrchr(line, ')'); /* the name may hold blanks */
    if (behind == NULL || sscanf(behind + 1,
                                 " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                                 "%*d %*d %llu",
                                 &state, &began) != 2)
        return true;
    began = began * (1000000000ull / (unsigned long long)sysconf(_SC_CLK_TCK));
    return state != 'Z' && state != 'X' && began <= trace_began_ns + asleep_ns + slack_ns;
}

static bool on_this_host(const struct wm_trace_rank *definition)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    return definition->host[0] == '\0' || strcmp(host, definition->host) == 0;
}

static void find_life(struct wm_live_rank *rank, const struct wm_trace_rank *definition, bool same_machine, bool moved)
{
    if (rank->life == WM_LIFE_CLOSED)
        return;
    rank->life = moved ? WM_LIFE_ALIVE : WM_LIFE_UNKNOWN;
    if (moved || !same_machine || definition->pid <= 0)
        return;
    if (process_lives(definition->pid, definition->start.monotonic_ns))
        rank->life = WM_LIFE_ALIVE;
    else if (on_this_host(definition))
        rank->life = WM_LIFE_GONE;
}

static bool same_clock(const struct wm_live *live, int a, int b)
{
    return live->ranks[a].begun && live->ranks[b].begun && live->ranks[a].tsc == live->ranks[b].tsc &&
           strcmp(live->definitions->ranks[a].boot, live->definitions->ranks[b].boot) == 0;
}

/* The newest record of the ranks that share this rank's clock, and what has passed here since it was first seen, where
 * somebody there may live. */
static uint64_t estimate_now(const struct wm_live *live, int index)
{
    uint64_t newest = 0, passed_ns = 0;
    bool alive = false;

    for (int i = 0; i < live->count; i++) {
        const struct wm_live_rank *rank = &live->ranks[i];

        if (!same_clock(live, index, i))
            continue;
        alive |= rank->life == WM_LIFE_ALIVE || rank->life == WM_LIFE_UNKNOWN;
        if (rank->last_ticks < newest)
            continue;
        newest = rank->last_ticks;
        passed_ns = live->now_ns - rank->seen_ns;
    }
    return newest + (alive ? (uint64_t)((double)passed_ns * live->ranks[index].ticks_per_second / 1e9) : 0);
}

static bool any_alive(const struct wm_live *live, int index)
{
    for (int i = 0; i < live->count; i++)
        if (live->ranks[i].life == WM_LIFE_ALIVE && same_clock(live, index, i))
            return true;
    return false;
}

void wm_live_look(struct wm_live *live)
{
    struct wm_clock_pair monotonic = wm_clock_pair_take(false);
    bool tsc_usable = wm_clock_tsc_usable();
    struct wm_clock_pair tsc = tsc_usable ? wm_clock_pair_take(true) : monotonic;
    char boot[37];

    wm_clock_boot_id(boot);
    live->now_ns = monotonic.monotonic_ns;
    live->here = true;
    for (int i = 0; i < live->count; i++) {
        struct wm_live_rank *rank = &live->ranks[i];
        bool same = boot[0] != '\0' && strcmp(boot, live->definitions->ranks[i].boot) == 0;

        live->here &= same;
        find_life(rank, &live->definitions->ranks[i], same, rank->watched && rank->seen_ns == UINT64_MAX);
        rank->watched = rank->begun;
        if (rank->seen_ns == UINT64_MAX)
            rank->seen_ns = live->now_ns;
    }
    for (int i = 0; i < live->count; i++) {
        struct wm_live_rank *rank = &live->ranks[i];
        bool same = strcmp(boot, live->definitions->ranks[i].boot) == 0 && (!rank->tsc || tsc_usable);

        if (!rank->begun)
            continue;
        rank->now_ticks =
            same && any_alive(live, i) ? (rank->tsc ? tsc.ticks : monotonic.ticks) : estimate_now(live, i);
    }
}
