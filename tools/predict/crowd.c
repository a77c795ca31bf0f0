/* Cores that go from rank to rank. */
#include "tools/predict/crowd.h"

#include "core/hash.h"
#include "tools/predict/simulation.h"

static struct wm_crowd_host *host_of(const struct wm_simulation *s, int rank)
{
    return &s->crowd.hosts[s->program->host[rank]];
}

/* Do ranks of this host wait for cores? */
static bool is_crowded(const struct wm_simulation *s, int rank)
{
    return s->crowd.hosts != NULL && host_of(s, rank)->ranks > s->crowd.cores;
}

static void push(struct wm_simulation *s, int rank)
{
    struct wm_crowd_host *host = host_of(s, rank);

    s->crowd.next[rank] = -1;
    if (host->first < 0)
        host->first = rank;
    else
        s->crowd.next[host->last] = rank;
    host->last = rank;
}

static int pop(struct wm_simulation *s, struct wm_crowd_host *host)
{
    int rank = host->first;

    host->first = s->crowd.next[rank];
    return rank;
}

/* The core's next rank looks, and finds nothing to do. */
static void pass(struct wm_simulation *s, struct wm_crowd_host *host, struct wm_crowd_core *core)
{
    push(s, pop(s, host));
    core->turn += s->model->host[WM_HOST_YIELD];
}

/* Of the cores that no rank has, the one whose turn is next; NULL: there is none. */
static struct wm_crowd_core *next_core(const struct wm_simulation *s, const struct wm_crowd_host *host)
{
    struct wm_crowd_core *next = NULL;

    for (struct wm_crowd_core *core = host->cores; core < host->cores + s->crowd.cores; core++)
        if (core->rank < 0 && (next == NULL || core->turn < next->turn))
            next = core;
    return next;
}

/* Nobody had anything to do until now. A round, in which a core comes to every rank that waits, leaves their order as
 * it is. */
static void catch_up(struct wm_simulation *s, struct wm_crowd_host *host)
{
    struct wm_crowd_core *core;
    int64_t round = 0;

    for (int rank = host->first; rank >= 0; rank = s->crowd.next[rank])
        round += s->model->host[WM_HOST_YIELD];
    for (int i = 0; i < s->crowd.cores; i++)
        if (host->cores[i].rank < 0 && host->cores[i].turn < s->now)
            host->cores[i].turn += (s->now - host->cores[i].turn) / round * round;
    while ((core = next_core(s, host)) != NULL && core->turn < s->now)
        pass(s, host, core);
}

static void tell(struct wm_simulation *s, struct wm_crowd_host *host, struct wm_crowd_core *core)
{
    int at = (int)(host - s->crowd.hosts) * s->crowd.cores + (int)(core - host->cores);

    if (core->told || core->rank >= 0)
        return;
    core->told = true;
    wm_events_add(&s->events, &(struct wm_sim_event){.time = core->turn, .kind = WM_EVENT_TURN, .at = at});
}

static bool has_met(const struct wm_simulation *s, int rank)
{
    const struct wm_rank_state *r = &s->ranks[rank];

    return r->ready.first < 0 && wm_simulation_step(s, r->come.first)->kind == WM_ITEM_MET;
}

bool wm_crowd_lets(struct wm_simulation *s, int rank)
{
    struct wm_crowd_host *host;

    if (!is_crowded(s, rank))
        return true;
    if (has_met(s, rank))
        wm_crowd_yield(s, rank);
    else if (s->crowd.core[rank] < 0 && !s->crowd.wants[rank]) {
        host = host_of(s, rank);
        s->crowd.wants[rank] = true;
        if (host->eager++ == 0)
            catch_up(s, host);
        for (int i = 0; i < s->crowd.cores; i++)
            tell(s, host, &host->cores[i]);
    }
    return has_met(s, rank) || s->crowd.core[rank] >= 0;
}

void wm_crowd_yield(struct wm_simulation *s, int rank)
{
    struct wm_crowd_host *host;
    struct wm_crowd_core *core;

    if (!is_crowded(s, rank) || s->crowd.core[rank] < 0)
        return;
    host = host_of(s, rank);
    if (host->eager == 0)
        catch_up(s, host);
    core = &host->cores[s->crowd.core[rank]];
    s->crowd.core[rank] = -1;
    push(s, rank);
    *core = (struct wm_crowd_core){.turn = s->now + s->model->host[WM_HOST_YIELD], .rank = -1};
    if (host->eager > 0)
        tell(s, host, core);
}

void wm_crowd_turn(struct wm_simulation *s, const struct wm_sim_event *event)
{
    struct wm_crowd_host *host = &s->crowd.hosts[event->at / s->crowd.cores];
    struct wm_crowd_core *core = &host->cores[event->at % s->crowd.cores];
    int rank = host->first;

    core->told = false;
    if (s->crowd.wants[rank]) {
        core->rank = pop(s, host);
        s->crowd.core[rank] = (int)(core - host->cores);
        s->crowd.wants[rank] = false;
        host->eager--;
        wm_simulation_touch(s, rank);
        return;
    }
    pass(s, host, core);
    if (host->eager > 0)
        tell(s, host, core);
}

/* --- The first turns --- */

/* All ranks wait. */
static void line_up(struct wm_simulation *s, uint64_t order)
{
    int ranks = s->program->ranks, *line = wm_arena_take(&s->arena, sizeof *line * (size_t)ranks);

    for (int i = 0; i < ranks; i++) {
        int j = order == 0 ? i : (int)(wm_hash_scatter(order * (uint64_t)ranks + (uint64_t)i) % (uint64_t)(i + 1));

        line[i] = line[j];
        line[j] = i;
    }
    for (int i = 0; i < ranks; i++) {
        s->crowd.core[line[i]] = -1;
        push(s, line[i]);
    }
}

static void open_host(struct wm_simulation *s, struct wm_crowd_host *host)
{
    host->first = -1;
    host->cores = wm_arena_take(&s->arena, sizeof *host->cores * (size_t)s->crowd.cores);
    for (int i = 0; i < s->crowd.cores; i++)
        host->cores[i] = (struct wm_crowd_core){.turn = s->now, .rank = -1};
}

/* Ranks of the largest host. */
static int count_ranks(struct wm_simulation *s)
{
    int most = 0;

    for (int rank = 0; rank < s->program->ranks; rank++) {
        struct wm_crowd_host *host = host_of(s, rank);

        most = ++host->ranks > most ? host->ranks : most;
    }
    return most;
}

void wm_crowd_begin(struct wm_simulation *s, uint64_t order)
{
    const struct wm_sim_program *p = s->program;
    struct wm_sim_crowd *c = &s->crowd;
    int most, cores = (int)s->model->host[WM_HOST_CORES];

    if (cores <= 0 || s->model->host[WM_HOST_YIELD] <= 0 || p->alike != NULL)
        return;
    c->cores = cores;
    c->hosts = wm_arena_take(&s->arena, sizeof *c->hosts * (size_t)p->host_count);
    if ((most = count_ranks(s)) <= cores) {
        c->hosts = NULL;
        return;
    }
    c->begin = (most - 1) / cores * s->model->host[WM_HOST_YIELD];
    c->next = wm_arena_take(&s->arena, sizeof *c->next * (size_t)p->ranks);
    c->core = wm_arena_take(&s->arena, sizeof *c->core * (size_t)p->ranks);
    c->wants = wm_arena_take(&s->arena, sizeof *c->wants * (size_t)p->ranks);
    for (int h = 0; h < p->host_count; h++)
        open_host(s, &c->hosts[h]);
    line_up(s, order);
}

void wm_crowd_end(struct wm_simulation *s)
{
    int64_t least = s->model->engine[WM_ENGINE_FLIGHT];

    s->end = s->end - s->crowd.begin > least ? s->end - s->crowd.begin : least;
}
