/* convey_advance: relays, flushes, the end of a run, and the processor given away when nothing happens. */
#include "core/convey/state.h"
#include "core/node/progress_library.h"
#include "core/node/rest.h"
#include "core/convey/synchronous.h"
#include "core/convey/trace.h"
#include "core/call/progress.h"

/* Advances without any event before buffers that nobody waits for are closed, and between two sweeps of a steady
 * conveyor; the outlets up to which pushes are counted one by one; those after which MPI gets its turn again. */
enum { IDLE_BEFORE_FLUSH = 1, SWEEP_PERIOD = 16, COUNTED_OUTLETS = 128, IDLE_BEFORE_YIELD = 64, YIELDS_PER_WORK = 64 };

static bool progress_carriers(struct wm_conveyor *c)
{
    bool any = c->monsters != NULL && wm_monsters_progress(c->monsters);

    for (int hop = 0; hop < c->hop_count; hop++)
        if (c->hops[hop].mpi != NULL)
            any |= c->hops[hop].mpi->class->progress(c->hops[hop].mpi);
    return any;
}

static size_t relay_all(struct wm_conveyor *c)
{
    size_t moved = 0;

    for (int hop = c->hop_count - 2; hop >= 0; hop--) { /* later hops first: they make room */
        moved += wm_relay(c, hop);
        if (c->hops[hop].open_inlets == 0 && c->state != convey_WORKING) /* pushes may leave out hops */
            c->hops[hop + 1].ending = true;
    }
    return moved;
}

/* Close what holds items for a reader that has none. */
static void flush_hop(struct wm_conveyor *c, struct wm_convey_hop *h)
{
    for (int link = 0; link < h->route->links; link++) {
        struct wm_outlet *out = h->outlets[link];

        if (out == NULL || out->open_at == NULL || out->hot->at == out->open_at)
            continue;
        if ((c->design.steady || out->carrier == h->shm) && out->carrier->class->hungry(out))
            wm_flow_close(c, out, WM_REASON_FLUSH);
    }
}

/* Over MPI only a steady conveyor sends buffers that are not full. */
static void flush(struct wm_conveyor *c)
{
    for (int hop = 0; hop < c->hop_count; hop++)
        flush_hop(c, &c->hops[hop]);
}

static void end_hop(struct wm_conveyor *c, struct wm_convey_hop *h)
{
    bool all = true;

    for (int i = 0, links = h->route->links; i < links; i++) { /* each rank begins with another */
        struct wm_outlet *out = h->outlets[(h->end_turn + i) % links];

        if (out != NULL && !out->ended)
            out->ended = wm_flow_close(c, out, WM_REASON_ENDGAME) && out->carrier->class->end(out);
        all = all && (out == NULL || out->ended);
    }
    h->ended = all;
}

static bool all_sent(const struct wm_conveyor *c)
{
    for (int hop = 0; hop < c->hop_count; hop++) {
        const struct wm_carrier *mpi = c->hops[hop].mpi;

        if (!c->hops[hop].ended || (mpi != NULL && !mpi->class->idle(mpi)))
            return false;
    }
    return c->monsters == NULL || wm_monsters_idle(c->monsters);
}

/* Inlets of the last hop that have nothing tell whether they have ended. */
static void look_for_end(struct wm_conveyor *c)
{
    struct wm_convey_hop *h = &c->hops[c->hop_count - 1];

    for (int link = 0; link < h->route->links; link++) {
        struct wm_inlet *in = h->inlets[link];

        if (in == NULL || in->ended || in->chunk.units > 0)
            continue;
        if (!wm_flow_take(c, in))
            h->open_inlets -= in->ended;
    }
}

static void move_on(struct wm_conveyor *c)
{
    wm_pull_settle(c);
    if (c->state == convey_ENDGAME) {
        wm_pull_let_go(c);
        look_for_end(c);
        if (c->hops[c->hop_count - 1].open_inlets == 0)
            wm_convey_enter(c, convey_CLEANUP);
    }
    if (c->state == convey_CLEANUP && !wm_pull_waiting(c) && all_sent(c))
        wm_convey_enter(c, convey_COMPLETE);
}

/* Did anything happen since the last time? Pushes are looked for where that is cheap. */
static bool has_happened(struct wm_conveyor *c)
{
    uint64_t written = c->route->outlets <= COUNTED_OUTLETS ? wm_convey_written(c) : 0;
    bool any = c->openings != c->seen_openings || c->takings != c->seen_takings || written != c->seen_written;

    c->seen_openings = c->openings;
    c->seen_takings = c->takings;
    c->seen_written = written;
    return any;
}

/* Others may need the processor to bring what this rank waits for. */
static void rest(struct wm_conveyor *c)
{
    c->idle++;
    if (c->idle < (c->node->crowded ? 2 : IDLE_BEFORE_YIELD))
        return;
    if (wm_node_rest() || c->idle % YIELDS_PER_WORK == 0)
        wm_progress_work();
}

static void step(struct wm_conveyor *c)
{
    bool any = progress_carriers(c);

    any |= relay_all(c) > 0;
    for (int hop = 0; hop < c->hop_count; hop++)
        if (c->hops[hop].ending && !c->hops[hop].ended)
            end_hop(c, &c->hops[hop]);
    if (c->handler != NULL)
        any |= wm_convey_handle(c) > 0;
    any |= has_happened(c);
    if (c->urgent)
        wm_flow_hurry(c);
    if (c->idle >= IDLE_BEFORE_FLUSH || (c->design.steady && c->stats[0][convey_ADVANCES] % SWEEP_PERIOD == 0))
        flush(c);
    if (any)
        c->idle = 0;
    if (c->state != convey_WORKING)
        move_on(c);
    if (!any && c->state != convey_COMPLETE) {
        wm_pull_settle(c);
        wm_pull_let_go(c);
        rest(c);
    }
    if (c->trace != NULL)
        wm_convey_trace_advance(c, any);
}

/* A carrier that failed cannot bring the run to its end. */
static int carrier_error(const struct wm_conveyor *c)
{
    for (int hop = 0; hop < c->hop_count; hop++) {
        const struct wm_carrier *mpi = c->hops[hop].mpi;
        int error = mpi != NULL ? mpi->class->error(mpi) : 0;

        if (error != 0)
            return error < 0 ? error : convey_error_MPI;
    }
    return 0;
}

static int outcome(struct wm_conveyor *c)
{
    int error = c->sync == NULL ? carrier_error(c) : 0;

    if (error < 0)
        return wm_convey_fail(c, "convey_advance", error);
    return c->state == convey_COMPLETE ? convey_DONE : c->state == convey_CLEANUP ? convey_NEAR : convey_OK;
}

int convey_advance(convey_t *self, bool done)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = c == NULL ? convey_error_NULL : c->state == convey_DORMANT ? convey_error_STATE : 0;

    if (rc < 0)
        return wm_convey_fail(c, "convey_advance", rc);
    c->stats[0][convey_ADVANCES]++;
    if (c->state == convey_COMPLETE)
        return convey_DONE;
    if (done && c->state == convey_WORKING) {
        c->head.reach = 0;
        c->hops[0].ending = true;
        wm_convey_enter(c, convey_ENDGAME);
    }
    if (c->sync == NULL) {
        step(c);
        return outcome(c);
    }
    rc = wm_sync_advance(c);
    return rc < 0 ? wm_convey_fail(c, "convey_advance", rc) : outcome(c);
}
