/* waymark-guard: watches over the ranks of its node, and says on the job's standard error what is wrong with them.
 *
 *   waymark-guard JOB PATIENCE [tree]   the job's number in hexadecimal; seconds
 *
 * The node's first rank starts it (core/job/guard.c), and the file of the node's pages is open in it as WM_GUARD_FILE.
 * The first process maps that, in a session of its own, opens the ranks, and forks the guard: that has of the job's
 * files only a rank's standard error, until that rank ends, so that no launcher waits for it. It ends with the last
 * rank, and nothing does with it.
 *
 * The guards of a job on several nodes are a tree (tree.h). Its root judges the pages of all ranks, the others judge
 * those of their node when the root is lost. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tools/doctor/copies.h"
#include "tools/doctor/wards.h"
#include "tools/doctor/vigil.h"

/* From one look to the next: a tick of the pages, or longer where a look costs much; and from one round to the next. */
enum { PAUSE_MOST_MS = 900, COST_SHARE = 1000, ROUND_MS = 300 };

/* So long nothing is heard of a rank before its page counts no more. */
enum { UNHEARD_MS = 5000 };

struct guard {
    struct wm_patient patient; /* what is judged: the pages of its node, at the root those of all ranks */
    struct wm_vigil vigil;
    struct wm_wards wards;
    struct wm_tree tree;
    struct wm_changes changes; /* of its own pages, where it is not the root */
    struct wm_copies copies;   /* of the others', at the root */
    bool hurry;                /* somebody has gone since the last look */
    bool joined, said_alone;
    uint64_t looked; /* the round that was looked at last */
    int64_t now_ns, pause_ms, heard_from_ns;
};

static int64_t read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* --- What is said --- */

/* A rank ends the job, and has said why. */
static bool is_ending(const struct guard *g)
{
    for (int i = 0; i < g->patient.pages.count; i++)
        if (__atomic_load_n(&g->patient.pages.list[i]->state, __ATOMIC_ACQUIRE) == WM_PAGE_ENDING)
            return true;
    return false;
}

/* The root may have outlived all of its ranks. */
static void say(struct guard *g, const char *text)
{
    if (!is_ending(g) && !wm_wards_say(&g->wards, text) && g->tree.is_root)
        wm_tree_tell_one(&g->tree, WM_NEWS_SAY, text, strnlen(text, WM_NEWS_PAYLOAD_BYTES - 1) + 1);
}

/* At once, for the launcher ends the others soon, and where it was takes a while to find out. Of the root's last rank
 * other nodes are told only if it is the first one to go. */
static void say_gone(struct guard *g, const struct wm_page *page)
{
    char text[96];

    if (page->state != WM_PAGE_RUNNING || (g->wards.alive == 0 && g->tree.death_count > 1))
        return;
    snprintf(text, sizeof text, "waymark: rank %d (pid %d) is gone\n", page->rank, page->pid);
    say(g, text);
}

static void tell_death(struct guard *g, const struct wm_page *page)
{
    struct wm_news_death death;

    if (page->state != WM_PAGE_RUNNING)
        return;
    wm_wards_describe_death(page, &death);
    wm_wards_hear_death(&g->wards, &death);
    wm_tree_tell_all(&g->tree, WM_NEWS_DEATH, &death, sizeof death);
}

/* Those above have the page of who is dead before they hear of it. */
static void find_gone(struct guard *g)
{
    for (const struct wm_page *page; (page = wm_wards_next_gone(&g->wards)) != NULL; g->hurry = true) {
        if (wm_tree_is_joined(&g->tree))
            wm_changes_tell(&g->changes, &g->tree);
        tell_death(g, page);
        say_gone(g, page);
    }
}

/* All ranks that live are stopped, or one is held by a debugger: time does not count. */
static bool is_suspended(const struct wm_patient *p)
{
    bool all_stopped = true;

    for (int i = 0; i < p->pages.count; i++) {
        char state = p->gone[i] ? 'T' : wm_patient_process(p->pages.list[i]);

        if (state == 't')
            return true;
        all_stopped = all_stopped && state == 'T';
    }
    return all_stopped;
}

/* --- What is heard --- */

static bool hear(void *context, const struct wm_news *news)
{
    struct guard *g = context;
    struct wm_news_death death;
    struct wm_news_told told;
    uint64_t id;

    switch (news->kind) {
    case WM_NEWS_ROUND:
        wm_changes_tell(&g->changes, &g->tree);
        return true;
    case WM_NEWS_PAGES:
        return wm_copies_take(&g->copies, news, g->now_ns);
    case WM_NEWS_DEATH:
        if (!wm_news_take(news, &death, sizeof death))
            return false;
        wm_wards_hear_death(&g->wards, &death);
        return g->hurry = true;
    case WM_NEWS_NAMED:
        if (!wm_news_take(news, &id, sizeof id))
            return false;
        wm_wards_hear_verdict(&g->wards, id);
        return true;
    case WM_NEWS_TOLD:
        if (!wm_news_take(news, &told, sizeof told))
            return false;
        wm_wards_hear_told(&g->wards, &told);
        return true;
    case WM_NEWS_SAY:
        if (news->bytes == 0 || news->payload[news->bytes - 1] != '\0')
            return false;
        say(g, (const char *)news->payload);
        return true;
    default:
        return false;
    }
}

/* --- The watch --- */

static void give_verdicts(struct guard *g)
{
    uint64_t id;

    while (wm_vigil_next_named(&g->vigil, &id)) {
        wm_wards_hear_verdict(&g->wards, id);
        wm_tree_tell_down(&g->tree, WM_NEWS_NAMED, &id, sizeof id);
    }
}

static void tell_flaws(struct guard *g)
{
    for (int i = 0; i < g->patient.pages.count; i++) {
        const struct wm_page *page = g->patient.pages.list[i];
        struct wm_news_told told = {page->rank, g->vigil.flaws_told[i]};

        if (page->flaws_told == told.flaws)
            continue;
        wm_wards_hear_told(&g->wards, &told);
        wm_tree_tell_down(&g->tree, WM_NEWS_TOLD, &told, sizeof told);
    }
}

static void look(struct guard *g)
{
    int64_t began_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID), cost_ms;
    char *text;

    for (int i = 0; i < g->patient.pages.count; i++)
        g->patient.gone[i] = g->patient.pages.list[i]->gone != 0;
    if ((text = wm_vigil_look(&g->vigil, g->hurry)) != NULL)
        say(g, text);
    free(text);
    g->hurry = false;
    tell_flaws(g);
    give_verdicts(g);
    cost_ms = (read_clock(CLOCK_PROCESS_CPUTIME_ID) - began_ns) * COST_SHARE / 1000000;
    g->pause_ms = cost_ms < WM_WARDS_TICK_MS ? WM_WARDS_TICK_MS : cost_ms > PAUSE_MOST_MS ? PAUSE_MOST_MS : cost_ms;
}

/* Time has passed that was not the job's. */
static void forgive(struct guard *g)
{
    wm_vigil_forget(&g->vigil);
    wm_tree_forgive(&g->tree, g->now_ns);
    g->heard_from_ns = g->now_ns;
}

static void find_unheard(struct guard *g)
{
    int64_t before_ns = g->now_ns - UNHEARD_MS * INT64_C(1000000);
    const struct wm_page *page;
    char text[256];

    while (before_ns > g->heard_from_ns && (page = wm_copies_hide(&g->copies, before_ns)) != NULL) {
        if (page->state != WM_PAGE_RUNNING)
            continue;
        snprintf(text, sizeof text,
                 "waymark: the guard of %.63s is silent: its ranks, rank %d and others, are not seen\n", page->host,
                 page->rank);
        say(g, text);
    }
}

/* The root begins a round, and looks when all have told of it. */
static void look_at_all(struct guard *g)
{
    int64_t pause_ms = g->pause_ms > ROUND_MS ? g->pause_ms : ROUND_MS;

    find_unheard(g);
    if (g->looked == g->tree.round && (g->hurry || g->now_ns - g->tree.begun_ns >= pause_ms * 1000000))
        wm_tree_begin_round(&g->tree, g->now_ns);
    if (g->looked != g->tree.round && wm_tree_is_round_done(&g->tree)) {
        look(g);
        g->looked = g->tree.round;
    }
}

static void say_alone(struct guard *g)
{
    char text[256];

    if (g->said_alone || !wm_wards_run(&g->wards))
        return;
    snprintf(text, sizeof text,
             "waymark: the guard of %.63s does not hear that of rank 0's host: it judges its own ranks\n",
             g->wards.pages[0]->host);
    say(g, text);
    g->said_alone = true;
}

/* One above is new: it is told all. */
static void look_from_below(struct guard *g)
{
    if (wm_tree_is_joined(&g->tree) && !g->joined) {
        wm_changes_forget(&g->changes);
        for (int i = 0; i < g->wards.count; i++)
            if (g->wards.pages[i]->gone != 0)
                tell_death(g, g->wards.pages[i]);
        g->said_alone = false;
        wm_vigil_forget(&g->vigil);
    }
    g->joined = wm_tree_is_joined(&g->tree);
    if (!wm_tree_is_alone(&g->tree, g->now_ns))
        return;
    say_alone(g);
    look(g);
}

static void turn(struct guard *g)
{
    g->now_ns = read_clock(CLOCK_MONOTONIC);
    find_gone(g);
    if (g->wards.alive == 0)
        return;
    if (!wm_wards_tick(&g->wards, g->now_ns))
        forgive(g);
    if (g->tree.door < 0) {
        look(g);
        return;
    }
    wm_tree_progress(&g->tree, g->now_ns);
    if (g->tree.is_root)
        look_at_all(g);
    else
        look_from_below(g);
}

static void watch(struct guard *g)
{
    for (int i = 0; i < g->wards.count; i++)
        if (g->wards.pages[i]->gone != 0) /* before its process was opened */
            say_gone(g, g->wards.pages[i]);
    g->wards.ticked_ns = read_clock(CLOCK_MONOTONIC);
    g->pause_ms = WM_WARDS_TICK_MS;
    while (g->wards.alive > 0) {
        int count = g->wards.count, pause_ms = g->joined || g->tree.is_root ? WM_WARDS_TICK_MS : (int)g->pause_ms;
        struct pollfd *list = wm_tree_list(&g->tree, g->wards.processes, &count);

        if (list != NULL)
            g->wards.processes = list;
        if (poll(g->wards.processes, (nfds_t)count, pause_ms) >= 0)
            turn(g);
    }
}

/* --- The process --- */

/* Nothing of the job's is kept: a launcher waits for the ends of pipes. */
static void let_go(bool has_door)
{
    int nothing = open("/dev/null", O_RDWR);

    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (dup2(nothing, fd) < 0)
            _exit(1);
    close(WM_GUARD_FILE);
    close(WM_GUARD_START);
    if (!has_door)
        close(WM_GUARD_DOOR);
    closefrom(WM_GUARD_DOOR + 1);
    if (chdir("/") < 0)
        _exit(1);
}

/* Map the pages, and, at the root, make room for those of the others. */
static bool open_pages(struct guard *g, uint64_t job, bool in_tree)
{
    struct wm_page_map file = wm_page_map(WM_GUARD_FILE, true);
    struct wm_tree *t = &g->tree;

    if (!wm_patient_take(&g->patient, &file, job) ||
        (in_tree && !wm_tree_init(t, hear, g, read_clock(CLOCK_MONOTONIC))))
        return false;
    let_go(t->door >= 0);
    if (!wm_wards_init(&g->wards, g->patient.pages.list, g->patient.pages.count))
        return false;
    if (t->door < 0)
        return wm_patient_admit(&g->patient);
    if (!t->is_root)
        return wm_changes_init(&g->changes, g->wards.pages, g->wards.count) && wm_patient_admit(&g->patient);
    if (!wm_copies_init(&g->copies, t->start.ranks, &g->patient.pages) ||
        !wm_patient_take(&g->patient, &g->copies.file, job))
        return false;
    wm_copies_hide(&g->copies, INT64_MAX);
    return wm_patient_admit(&g->patient);
}

static void release(struct guard *g)
{
    wm_tree_release(&g->tree);
    wm_vigil_release(&g->vigil);
    wm_wards_release(&g->wards);
    wm_changes_release(&g->changes);
    wm_copies_release(&g->copies);
    wm_patient_release(&g->patient);
}

int main(int argc, char **argv)
{
    struct guard g = {.tree = {.door = -1, .up = {.fd = -1}}, .copies = {.memory = -1}};

    if (argc < 3) {
        fprintf(stderr, "waymark-guard: is started by 'waymark run --guard watch'\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    if (!open_pages(&g, strtoull(argv[1], NULL, 16), argc > 3))
        return 1;
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
    release(&g);
    return 0;
}
