/* The ways of messages: a table for each protocol that the map tells from others, and each kind of peer. */
#include "core/call/ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/ask.h"
#include "core/call/kin.h"
#include "core/call/wait.h"
#include "core/data/allocate.h"

enum { WAYS_MAX = 32 };

struct table {
    struct table *next;
    char protocol[WM_FACT_TEXT_CHARS];
    bool near;
    struct wm_message_way ways[WAYS_MAX];
    struct wm_message_delay delays[WAYS_MAX];
};

/* Of a delay's axis, by endpoint. */
struct groups {
    struct groups *next;
    int of[];
};

struct ways {
    struct wm_comm asker; /* what is asked for of the communicator's record, which may go before the group */
    struct wm_facts facts;
    size_t eager_bytes; /* where the map says nothing; 0: those of wm_eager_bytes */
    bool named;         /* a rule looks at the name */
    struct table *tables;
    bool (*holds)(const void *header); /* as of the limits */
    bool several;                      /* processes have several endpoints, and ranks are numbered otherwise */
    struct groups *groups;
};

static size_t eager_below(const struct wm_message_design *design, bool near, size_t eager_bytes)
{
    return design->rendezvous ? 0
                              : wm_eager_bytes(design->eager_bytes > 0 ? design->eager_bytes : eager_bytes, near) + 1;
}

/* Shared memory alone has one copy. */
static size_t single_copy_bytes(const struct wm_message_design *design, bool by_mpi)
{
    return by_mpi || design->copy == WM_COPY_DOUBLE ? SIZE_MAX : design->copy == WM_COPY_SINGLE ? 1 : 0;
}

struct wm_message_way wm_way_of(const struct wm_message_design *design, bool near, size_t eager_bytes,
                                const struct wm_message_delay *delay)
{
    bool by_mpi = wm_message_design_by_mpi(design, near);

    return (struct wm_message_way){.most_bytes = SIZE_MAX,
                                   .eager_below = eager_below(design, near, eager_bytes),
                                   .single_copy_bytes = single_copy_bytes(design, by_mpi),
                                   .gather_bytes = by_mpi ? design->gather_bytes : 0,
                                   .by_mpi = by_mpi,
                                   .delay = delay,
                                   .traced = design->traced,
                                   .trace_node = (uint16_t)design->trace_node};
}

static struct wm_path *ask_together(struct wm_comm *c, const struct wm_facts *facts)
{
    struct wm_path *path;

    wm_comm_lock(c);
    path = wm_requests_ask(c, facts);
    wm_comm_unlock(c);
    return path;
}

static char *ask_server(struct wm_comm *c, const struct wm_facts *facts)
{
    struct wm_error error = {0};
    uint64_t cost_ns;
    char *text = wm_ask_server(c, facts, &cost_ns, &error);

    if (text == NULL)
        wm_process_unanswered(&error);
    return text;
}

/* Rank 0's answer, over the user's communicator. */
static struct wm_path *ask_by_library(struct wm_comm *c, const struct wm_facts *facts)
{
    char *text = c->rank == 0 ? ask_server(c, facts) : NULL;
    int bytes = text != NULL ? (int)strlen(text) + 1 : 0;
    struct wm_path *path;

    PMPI_Bcast(&bytes, 1, MPI_INT, 0, c->user);
    if (c->rank > 0 && bytes > 0)
        text = wm_allocate((size_t)bytes, "messages");
    PMPI_Bcast(text, bytes, MPI_CHAR, 0, c->user);
    path = wm_ask_parse(c, text, facts);
    free(text);
    return path;
}

static struct wm_path *ask_alone(struct wm_comm *c, const struct wm_facts *facts)
{
    char *text = ask_server(c, facts);
    struct wm_path *path = wm_ask_parse(c, text, facts);

    free(text);
    return path;
}

/* The last size before the next question; those that are answered one by one are asked in doubling steps. */
static uint64_t end_of(uint64_t bytes, uint64_t high)
{
    return high == bytes && high > 0 ? 2 * bytes - 1 : high;
}

/* The groups between which it holds messages, by endpoint. */
static const int *groups_of(struct ways *w, const struct wm_lag *lag)
{
    const struct wm_ground *ground = w->asker.kin->ground;
    const int *groups = wm_lag_groups(lag, &ground->grid);
    struct groups *own;

    if (!w->several)
        return groups;
    own = wm_allocate(sizeof *own + sizeof own->of[0] * (size_t)ground->ranks, "messages");
    own->next = w->groups;
    w->groups = own;
    for (int r = 0; r < ground->ranks; r++)
        own->of[ground->world[r]] = groups[r];
    return own->of;
}

/* Messages within a process go from buffer to buffer. */
static void refuse_delay(const struct ways *w, const struct wm_wrapper *delay)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EMAP,
                 "'delay' cannot hold messages between subranks of a process, which its axis tells apart; name an axis "
                 "such as process or node");
    wm_error_place(&error, w->asker.map->file, delay->line, delay->column);
    wm_map_source_quote(w->asker.map, &error);
    wm_process_fail(MPI_COMM_WORLD, &error, w->asker.rank == 0);
}

static const struct wm_message_delay *delay_of(struct ways *w, const struct wm_message_design *design,
                                               struct wm_message_delay *delay)
{
    if (design->delay == NULL)
        return NULL;
    *delay = (struct wm_message_delay){wm_uplink_find(&design->lag), groups_of(w, &design->lag), w->holds};
    if (!w->several || !wm_message_delay_parts(delay, w->asker.kin->ground->ranks, wm_process.each))
        return delay;
    refuse_delay(w, design->delay);
    return NULL;
}

/* Sizes of the last way have no end. */
static void fill(struct ways *w, struct table *t, struct wm_comm *asker,
                 struct wm_path *(*ask)(struct wm_comm *, const struct wm_facts *))
{
    struct wm_facts facts = w->facts;
    uint64_t high = 0;

    facts.near = t->near;
    memcpy(facts.protocol, t->protocol, sizeof facts.protocol);
    for (int i = 0; i < WAYS_MAX && high != UINT64_MAX; i++) {
        struct wm_path *path = ask(asker, &facts);
        struct wm_message_design design = wm_message_design_read(path);

        w->named |= path->named;
        high = i + 1 < WAYS_MAX ? end_of(facts.bytes, path->validity.bytes.high) : UINT64_MAX;
        t->ways[i] = wm_way_of(&design, t->near, w->eager_bytes, delay_of(w, &design, &t->delays[i]));
        t->ways[i].most_bytes = high;
        facts.bytes = high + 1;
        wm_path_free(path);
    }
}

static struct table *new_table(struct ways *w, const char *protocol, bool near)
{
    struct table *t = wm_allocate_zeroed(sizeof *t, "messages");

    snprintf(t->protocol, sizeof t->protocol, "%s", protocol);
    t->near = near;
    t->next = w->tables;
    w->tables = t;
    return t;
}

/* Names that the map cannot tell apart have one table. */
static const struct wm_message_way *find(void *map, const char *protocol, bool near)
{
    char name[WM_FACT_TEXT_CHARS];
    struct ways *w = map;
    struct table *t = w->tables;

    snprintf(name, sizeof name, "%s", w->named ? protocol : "");
    while (t != NULL && (t->near != near || strcmp(t->protocol, name) != 0))
        t = t->next;
    if (t == NULL)
        fill(w, t = new_table(w, name, near), &w->asker, ask_alone);
    return t->ways;
}

static void forget(void *map)
{
    struct ways *w = map;

    for (struct table *t = w->tables, *next; t != NULL; t = next) {
        next = t->next;
        free(t);
    }
    for (struct groups *g = w->groups, *next; g != NULL; g = next) {
        next = g->next;
        free(g);
    }
    wm_kin_give(w->asker.kin);
    free(w);
}

void wm_ways_ask(struct wm_comm *record, struct wm_message_limits *limits)
{
    struct ways *w = wm_allocate_zeroed(sizeof *w, "messages");
    struct wm_path *(*ask)(struct wm_comm *, const struct wm_facts *) =
        record->end != NULL ? ask_together : ask_by_library;

    w->asker = (struct wm_comm){.user = MPI_COMM_NULL,
                                .map = record->map,
                                .rank = record->rank,
                                .ranks = record->ranks,
                                .nodes = record->nodes,
                                .clusters = record->clusters,
                                .kin = wm_kin_take(record->kin)};
    w->facts = (struct wm_facts){.operation = WM_MESSAGES, .root = -1, .commutative = true};
    wm_comm_facts(record, &w->facts);
    w->holds = limits->holds;
    w->several = record->end == NULL;
    w->eager_bytes = limits->eager_bytes;
    fill(w, new_table(w, "", true), record, ask);
    limits->mpi_near = w->named || w->tables->ways[0].by_mpi;
    if (record->nodes > 1)
        fill(w, new_table(w, "", false), record, ask);
    limits->ways = find;
    limits->forget = forget;
    limits->map = w;
}
