/* neighbor: every rank sends a block along each edge of the communicator's topology. With stages over several axes each
 * edge belongs to the first stage whose groups hold both of its ends, the inner axes counted with it: (neighbor core)
 * (neighbor node) has those within nodes, then those between them. d edges a rank, m bytes each: α + d m β, all at
 * once; (flat W), d/W rounds: at most W sends and W receives of a rank under way. */
#include <stdlib.h>
#include "core/plan/planner.h"
#include "wrappers/parameters.h"

struct edge {
    int peer, block;
    int shift; /* from its source's rank to its destination's */
    int turn;  /* among the edges between the two, alike at both ends */
};

struct edges {
    int count;
    struct edge *list;
};

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;

    return a->shift != b->shift ? a->shift - b->shift : a->turn - b->turn;
}

/* The edges of one side in one order for all ranks, by shift, so that windows of edges cannot wait for each other in a
 * circle, and no rank is everyone's first. What is sent to the one before in a dimension of a grid comes from the one
 * behind there, which matters where both are the same rank. */
static struct edges find_edges(const struct wm_wrapper *self, struct wm_planner *p, bool sources)
{
    const struct wm_neighbours *n = wm_planner_call(p)->neighbours;
    int count = n == NULL ? 0 : sources ? n->source_count : n->destination_count, rank = wm_planner_rank(p);
    struct edges edges = {0, count > 0 ? wm_planner_allocate(p, sizeof *edges.list * (size_t)count) : NULL};

    for (int i = 0; edges.list != NULL && i < count; i++) {
        int peer = sources ? n->sources[i] : n->destinations[i];

        if (peer >= 0 && wm_planner_meeting(p, peer) == self->stage)
            edges.list[edges.count++] =
                (struct edge){peer, i, sources ? rank - peer : peer - rank, n->cartesian && sources ? i ^ 1 : i};
    }
    if (edges.count > 0)
        qsort(edges.list, (size_t)edges.count, sizeof *edges.list, compare_edges);
    return edges;
}

static struct wm_ref block_place(const struct wm_blocks *blocks, int buffer, int block)
{
    return (struct wm_ref){buffer, wm_blocks_offset(blocks, block)};
}

/* To all the same block, or to each its own. */
static int sent_block(const struct wm_plan_call *call, int block)
{
    return call->send.count == 1 ? 0 : block;
}

static void move_edges(struct wm_planner *p, const struct edges *edges, bool sources, int window)
{
    const struct wm_plan_call *call = wm_planner_call(p);
    int *steps = wm_planner_allocate(p, sizeof *steps * (size_t)(edges->count + 1)), moved = 0;

    for (int i = 0; steps != NULL && i < edges->count; i++) {
        const struct edge *e = &edges->list[i];
        int block = sources ? e->block : sent_block(call, e->block), step;

        if (e->shift == 0)
            continue;
        wm_planner_after(p, window > 0 && moved >= window ? steps[moved - window] : -1);
        step = sources ? wm_planner_recv(p, e->peer, block_place(&call->receive, WM_BUFFER_RECEIVE, block),
                                         wm_blocks_count(&call->receive, block))
                       : wm_planner_send(p, e->peer, block_place(&call->send, WM_BUFFER_SEND, block),
                                         wm_blocks_count(&call->send, block));
        if (step >= 0)
            steps[moved++] = step;
    }
}

/* The edges from a rank to itself, those of the one side with those of the other. */
static void copy_own(struct wm_planner *p, const struct edges *out, const struct edges *in)
{
    const struct wm_plan_call *call = wm_planner_call(p);
    int i = 0, j = 0;

    while (i < out->count && j < in->count) {
        if (out->list[i].shift != 0) {
            i++;
        } else if (in->list[j].shift != 0) {
            j++;
        } else {
            int from = sent_block(call, out->list[i++].block), to = in->list[j++].block;

            wm_planner_copy(p, block_place(&call->send, WM_BUFFER_SEND, from),
                            block_place(&call->receive, WM_BUFFER_RECEIVE, to), wm_blocks_count(&call->send, from));
        }
    }
}

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct edges out = find_edges(self, p, false), in = find_edges(self, p, true);
    int window = self->shape->radix;

    move_edges(p, &out, false, window);
    move_edges(p, &in, true, window);
    copy_own(p, &out, &in);
    wm_planner_next(p);
    return 0;
}

static const struct wm_param params[] = {
    WM_AXIS_PARAM,
    WM_SHAPE_PARAM("flat", WM_SHAPE_NEIGHBOURS),
};

/* A fold for the layout, which then tells where two ranks meet, on ragged grids too; but all ranks pass every stage. */
const struct wm_wrapper_class wm_wrapper_neighbor = {
    .name = "neighbor",
    .summary = "every rank sends to its neighbours in the communicator's topology; of several stages each takes the "
               "edges that end within its groups and in none before",
    .source = "MPI-3.1 7.6; Hoefler, Träff, \"Sparse Collective Operations for MPI\", 2009",
    .services = {{WM_NEIGHBOR_BITS, WM_STAGE_FOLD, plan}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
