/* waymark-guard: watches over the ranks of its node, and says on the job's standard error what is wrong with them.
 *
 *   waymark-guard JOB PATIENCE   the job's number in hexadecimal; seconds
 *
 * The node's first rank starts it (core/job/guard.c), and the file of the node's pages is open in it as WM_GUARD_FILE.
 * The first process maps that, in a session of its own, opens the ranks, and forks the guard: that has of the job's
 * files only a rank's standard error, until that rank ends, so that no launcher waits for it. It ends with the last
 * rank, and nothing does with it. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tools/doctor/process.h"
#include "tools/doctor/voice.h"
#include "tools/doctor/vigil.h"

/* From one look to the next: a tick of the pages, or longer where a look costs much. */
enum { TICK_MS = 100, PAUSE_MOST_MS = 900, COST_SHARE = 1000 };

/* An interval that lasts so much longer was none of the job's: the guard, or the whole machine, was suspended. */
enum { SUSPENDED_MS = 3000 };

struct guard {
    struct wm_patient patient;
    struct wm_vigil vigil;
    struct pollfd *processes; /* of each page; fd -1: it has gone */
    int alive;
    int voice, speaker; /* the standard error of one of the ranks; -1: of none */
    bool said_gone;     /* somebody went at this look */
    int64_t ticked_ns, pause_ms;
};

static int64_t now_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* --- Pages --- */

static bool map_pages(struct guard *g, uint64_t job)
{
    struct wm_page_map file = wm_page_map(WM_GUARD_FILE, true);

    return wm_patient_take(&g->patient, &file, job) && wm_patient_admit(&g->patient);
}

/* The guard alone writes the tick, who is gone, its verdict, and how many flaws it has told. */
static struct wm_page *writable(const struct wm_page *page)
{
    return (struct wm_page *)page;
}

/* --- Processes --- */

static bool watch_processes(struct guard *g)
{
    if ((g->processes = calloc((size_t)g->patient.pages.count, sizeof *g->processes)) == NULL)
        return false;
    for (int i = 0; i < g->patient.pages.count; i++) {
        g->processes[i] =
            (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, g->patient.pages.list[i]->pid, 0), .events = POLLIN};
        if (g->processes[i].fd < 0)
            g->patient.gone[i] = true;
        else
            g->alive++;
    }
    return true;
}

/* A rank ends the job, and has said why. */
static bool is_ending(const struct guard *g)
{
    for (int i = 0; i < g->patient.pages.count; i++)
        if (__atomic_load_n(&g->patient.pages.list[i]->state, __ATOMIC_ACQUIRE) == WM_PAGE_ENDING)
            return true;
    return false;
}

/* Kept from before it is needed: where one rank is killed, the launcher may end the others before the guard has a turn.
 */
static void find_speaker(struct guard *g)
{
    if (g->voice >= 0)
        close(g->voice);
    g->voice = g->speaker = -1;
    for (int i = 0; i < g->patient.pages.count && g->voice < 0; i++)
        if (!g->patient.gone[i])
            g->voice = wm_voice_open(g->patient.pages.list[g->speaker = i]->pid);
}

static void say(struct guard *g, const char *text)
{
    if (is_ending(g) || wm_voice_say(g->voice, text))
        return;
    find_speaker(g);
    wm_voice_say(g->voice, text);
}

/* At once, for the launcher ends the others soon, and where it was takes a while to find out. */
static void tell_gone(struct guard *g, const struct wm_page *page)
{
    char text[96];

    if (page->state != WM_PAGE_RUNNING)
        return;
    snprintf(text, sizeof text, "waymark: rank %d (pid %d) is gone\n", page->rank, page->pid);
    say(g, text);
}

/* A rank of the communicator is dead. */
static void tell_dead(struct wm_page *page, uint64_t id)
{
    for (uint32_t c = 0; c < WM_PAGE_COMMS && c < page->comm_count; c++)
        if (page->comms[c].id == id)
            __atomic_store_n(&page->comms[c].dead, 1, __ATOMIC_RELEASE);
}

/* All are told before the first one acts by it: who gives up may leave things that the others must not take for data.
 */
static void tell_ranks(struct guard *g, const struct wm_page *gone)
{
    if (gone->state != WM_PAGE_RUNNING)
        return;
    for (uint32_t c = 0; c < WM_PAGE_COMMS && c < gone->comm_count; c++)
        for (int i = 0; i < g->patient.pages.count && gone->comms[c].id != 0; i++)
            tell_dead(writable(g->patient.pages.list[i]), gone->comms[c].id);
    for (int i = 0; i < g->patient.pages.count; i++) {
        struct wm_page *page = writable(g->patient.pages.list[i]);

        __atomic_store_n(&page->deaths, page->deaths + 1, __ATOMIC_RELEASE);
    }
}

static void find_gone(struct guard *g)
{
    g->said_gone = false;
    for (int i = 0; i < g->patient.pages.count; i++) {
        struct wm_page *page = writable(g->patient.pages.list[i]);

        if (g->processes[i].fd < 0 || g->processes[i].revents == 0)
            continue;
        close(g->processes[i].fd);
        g->processes[i].fd = -1;
        g->patient.gone[i] = g->said_gone = true;
        __atomic_store_n(&page->gone, page->tick + 1, __ATOMIC_RELEASE);
        g->alive--;
        tell_ranks(g, page);
        tell_gone(g, page);
    }
    if (g->speaker >= 0 && g->patient.gone[g->speaker])
        find_speaker(g);
}

/* All ranks that live are stopped, or one is held by a debugger: time does not count. */
static bool is_suspended(const struct wm_patient *p)
{
    bool all_stopped = true;

    for (int i = 0; i < p->pages.count; i++) {
        char state = p->gone[i] ? 'T' : wm_process_state(p->pages.list[i]->pid);

        if (state == 't')
            return true;
        all_stopped = all_stopped && state == 'T';
    }
    return all_stopped;
}

/* --- The watch --- */

/* Count the time up in the pages. False: more has passed than could have. */
static bool tick(struct guard *g)
{
    int64_t now = now_ns(CLOCK_MONOTONIC), passed_ms = (now - g->ticked_ns) / 1000000;
    uint64_t ticks = passed_ms < SUSPENDED_MS ? (uint64_t)(passed_ms / TICK_MS) : 0;

    if (passed_ms >= SUSPENDED_MS)
        g->ticked_ns = now;
    g->ticked_ns += (int64_t)ticks * TICK_MS * 1000000;
    for (int i = 0; ticks > 0 && i < g->patient.pages.count; i++) {
        struct wm_page *page = writable(g->patient.pages.list[i]);

        __atomic_store_n(&page->tick, page->tick + ticks, __ATOMIC_RELAXED);
    }
    return passed_ms < SUSPENDED_MS;
}

/* Its ranks may go by what has just been said. */
static void give_verdict(struct guard *g, uint64_t id)
{
    for (int i = 0; i < g->patient.pages.count; i++) {
        struct wm_page *page = writable(g->patient.pages.list[i]);

        for (int c = 0; c < WM_PAGE_COMMS; c++)
            if (page->comms[c].id == id)
                __atomic_store_n(&page->verdict, id, __ATOMIC_RELEASE);
    }
}

static void look(struct guard *g)
{
    int64_t began_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID), cost_ms;
    char *text = wm_vigil_look(&g->vigil, g->said_gone);
    uint64_t id;

    if (text != NULL)
        say(g, text);
    free(text);
    for (int i = 0; i < g->patient.pages.count; i++)
        __atomic_store_n(&writable(g->patient.pages.list[i])->flaws_told, g->vigil.flaws_told[i], __ATOMIC_RELEASE);
    while (wm_vigil_next_named(&g->vigil, &id))
        give_verdict(g, id);
    cost_ms = (now_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns) * COST_SHARE / 1000000;
    g->pause_ms = cost_ms < TICK_MS ? TICK_MS : cost_ms > PAUSE_MOST_MS ? PAUSE_MOST_MS : cost_ms;
}

static void watch(struct guard *g)
{
    for (int i = 0; i < g->patient.pages.count; i++)
        if (g->patient.gone[i]) /* before its process was opened */
            tell_gone(g, g->patient.pages.list[i]);
    g->ticked_ns = now_ns(CLOCK_MONOTONIC);
    g->pause_ms = TICK_MS;
    while (g->alive > 0) {
        if (poll(g->processes, (nfds_t)g->patient.pages.count, (int)g->pause_ms) < 0)
            continue;
        find_gone(g);
        if (g->alive == 0)
            return;
        if (!tick(g))
            wm_vigil_forget(&g->vigil);
        look(g);
    }
}

/* --- The process --- */

/* Nothing of the job's is kept: a launcher waits for the ends of pipes. */
static void let_go(void)
{
    closefrom(0);
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (open("/dev/null", O_RDWR) != fd)
            _exit(1);
    if (chdir("/") < 0)
        _exit(1);
}

int main(int argc, char **argv)
{
    struct guard g = {.voice = -1};

    if (argc < 3) {
        fprintf(stderr, "waymark-guard: is started by 'waymark run --guard watch'\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    if (!map_pages(&g, strtoull(argv[1], NULL, 16)))
        return 1;
    let_go();
    if (!watch_processes(&g))
        return 1;
    find_speaker(&g);
    switch (fork()) {
    case -1:
        return 1;
    case 0:
        break;
    default:
        _exit(0);
    }
    if (wm_vigil_init(&g.vigil, &g.patient, strtod(argv[2], NULL), is_suspended) < 0)
        return 1;
    watch(&g);
    wm_vigil_release(&g.vigil);
    free(g.processes);
    wm_patient_release(&g.patient);
    return 0;
}
