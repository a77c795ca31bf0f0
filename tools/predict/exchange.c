/* Exchanges as plans. */
#include "tools/predict/exchange.h"

#include <stdlib.h>
#include "core/search.h"
#include "core/vector.h"

enum { FAR = 1, NEAR, TRANSPORTS }; /* 0 is all zero */

struct edge {
    int from, to;
};

struct builder {
    const struct wm_sim_exchange *e;
    struct wm_plan *plan;
    int rank, *roots, root_count;
    size_t step_room, root_room, edge_count, edge_room;
    struct edge *edges;
    int rc;
};

static int add_step(struct builder *b, enum wm_step_kind kind, int peer, uint32_t message, int64_t bytes)
{
    struct wm_plan *plan = b->plan;

    if (b->rc < 0 ||
        (b->rc = wm_vector_reserve(&plan->steps, &b->step_room, (size_t)plan->step_count + 1, sizeof *plan->steps)) < 0)
        return 0;
    plan->steps[plan->step_count] =
        (struct wm_step){.kind = (uint8_t)kind, .peer = peer, .message = message, .count = (size_t)bytes};
    plan->message_steps += kind == WM_STEP_SEND || kind == WM_STEP_RECV;
    return plan->step_count++;
}

static int add_message(struct builder *b, enum wm_step_kind kind, int peer, int64_t bytes)
{
    bool near = b->e->grid->node[b->rank] == b->e->grid->node[peer];
    int step = add_step(b, kind, peer, 0, bytes);

    if (b->rc < 0)
        return 0;
    b->plan->steps[step].net = wm_message_design_by_mpi(b->e->designs[near], near) ? WM_NET_MPI : WM_NET_SHM;
    b->plan->steps[step].transport = near ? NEAR : FAR;
    return step;
}

static void add_edge(struct builder *b, int from, int to)
{
    if (b->rc < 0 || (b->rc = wm_vector_reserve(&b->edges, &b->edge_room, b->edge_count + 1, sizeof *b->edges)) < 0)
        return;
    b->edges[b->edge_count++] = (struct edge){from, to};
}

/* Behind `before`; -1: behind nothing. */
static void add_behind(struct builder *b, int before, int step)
{
    if (before >= 0) {
        add_edge(b, before, step);
        return;
    }
    if (b->rc < 0 ||
        (b->rc = wm_vector_reserve(&b->roots, &b->root_room, (size_t)b->root_count + 1, sizeof *b->roots)) < 0)
        return;
    b->roots[b->root_count++] = step;
}

/* What the peer sends the rank. */
static int64_t sent_bytes(const struct builder *b, int peer)
{
    const struct wm_statement_loads *loads = &b->e->loads[peer];

    size_t at = WM_COUNT_WHILE(i, loads->count, !loads->list[i].received && loads->list[i].peer < b->rank);

    return at < loads->count ? loads->list[at].bytes : 0;
}

static void post(struct builder *b, const struct wm_statement_loads *loads)
{
    for (size_t i = 0; i < loads->count; i++)
        if (loads->list[i].received && loads->list[i].peer != b->rank)
            add_behind(b, -1, add_message(b, WM_STEP_RECV, loads->list[i].peer, sent_bytes(b, loads->list[i].peer)));
}

/* Each behind the last one that was packed, so that cores come to them in this order. */
static void send(struct builder *b, const struct wm_statement_loads *loads)
{
    int packed = -1;

    for (size_t i = 0; i < loads->count; i++) {
        const struct wm_statement_load *load = &loads->list[i];
        int step;

        if (load->received)
            continue;
        if (load->copies) {
            add_behind(b, packed, step = add_step(b, WM_STEP_COPY, -1, 0, load->bytes));
            packed = step;
        }
        if (load->peer != b->rank)
            add_behind(b, packed, add_message(b, WM_STEP_SEND, load->peer, load->bytes));
    }
}

/* Behind all from step `first` on and before `end`, of a kind or of any. */
static void add_behind_all(struct builder *b, int first, int end, bool sends_alone, int step)
{
    int count = 0;

    for (int before = first; before < end; before++)
        if (!sends_alone || b->plan->steps[before].kind == WM_STEP_SEND) {
            add_edge(b, before, step);
            count++;
        }
    if (count == 0)
        add_behind(b, -1, step);
}

/* In each round a rank tells the one so far behind it, and is told by the one before. */
static void join_barrier(struct builder *b)
{
    int ranks = b->e->grid->ranks, first = 0, end = b->plan->step_count;
    uint32_t round = 1;

    for (int far = 1; far < ranks; far *= 2, round++) {
        int sent = add_step(b, WM_STEP_SEND, (b->rank + far) % ranks, round, 0);
        int told = add_step(b, WM_STEP_RECV, (b->rank + ranks - far) % ranks, round, 0);

        add_behind_all(b, first, end, round == 1, sent);
        add_behind_all(b, first, end, round == 1, told);
        first = sent;
        end = told + 1;
    }
}

static void store(struct builder *b, const struct wm_statement_loads *loads)
{
    int end = b->plan->step_count, stored = -1;

    for (size_t i = 0; i < loads->count; i++) {
        const struct wm_statement_load *load = &loads->list[i];
        int step;

        if (!load->received || !load->copies)
            continue;
        step = add_step(b, load->combines ? WM_STEP_REDUCE : WM_STEP_COPY, -1, 0, load->bytes);
        if (stored >= 0)
            add_edge(b, stored, step);
        else
            add_behind_all(b, 0, end, false, step);
        stored = step;
    }
}

/* Larger ones ask for their receive first; 0 would be the net's own limit. */
static size_t eager_bytes(const struct builder *b, bool near)
{
    const struct wm_message_design *d = b->e->designs[near];

    return b->e->taken || d->rendezvous ? 1 : wm_eager_bytes_held(d->eager_bytes, near, b->e->grid->ranks);
}

/* Successors of a step stand in the order in which edges were added. */
static int finish(struct builder *b)
{
    struct wm_plan *plan = b->plan;

    plan->successors = malloc(sizeof *plan->successors * (b->edge_count + 1));
    plan->transports = calloc(TRANSPORTS, sizeof *plan->transports);
    if (plan->successors == NULL || plan->transports == NULL)
        return -WM_ENOMEM;
    plan->transport_count = TRANSPORTS;
    for (int near = 0; near < 2; near++)
        plan->transports[near ? NEAR : FAR].eager_bytes = eager_bytes(b, near);
    for (size_t i = 0; i < b->edge_count; i++) {
        plan->steps[b->edges[i].from].successors++;
        plan->steps[b->edges[i].to].dependencies++;
    }
    for (int s = 1; s < plan->step_count; s++)
        plan->steps[s].first_successor = plan->steps[s - 1].first_successor + plan->steps[s - 1].successors;
    for (int s = 0; s < plan->step_count; s++)
        plan->steps[s].successors = 0;
    for (size_t i = 0; i < b->edge_count; i++) {
        struct wm_step *from = &plan->steps[b->edges[i].from];

        plan->successors[from->first_successor + from->successors++] = b->edges[i].to;
    }
    return 0;
}

int wm_exchange_plan(struct wm_plan **plan, const struct wm_sim_exchange *e, int rank)
{
    struct builder b = {.e = e, .plan = calloc(1, sizeof *b.plan), .rank = rank};

    *plan = b.plan;
    if (b.plan == NULL)
        return -WM_ENOMEM;
    post(&b, &e->loads[rank]);
    send(&b, &e->loads[rank]);
    if (e->taken)
        join_barrier(&b);
    store(&b, &e->loads[rank]);
    if (b.rc == 0)
        b.rc = finish(&b);
    b.plan->roots = b.roots;
    b.plan->root_count = b.root_count;
    free(b.edges);
    return b.rc;
}
