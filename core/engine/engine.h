/* The engine: runs plans. One engine serves one communicator and keeps several plans in flight. The contract of the
 * room.
 *
 * A flight is a plan bound to a call's buffers. Its states: under way (its first steps are posted when it starts; it
 * progresses whenever wm_engine_progress is called), over (all its steps are done), given back. Steps run as soon as
 * their dependencies are done; receives are taken in the order in which they arrive, those that are held once they are
 * due (core/engine/holding.h). The engine knows plans, nets and
 * shared steps; it knows no paths, caches or requests. One thread at a time: the communicator's lock sees to it
 * (core/call/comm.h). */
#ifndef WM_ENGINE_H
#define WM_ENGINE_H

#include <mpi.h>
#include "waymark/call.h"
#include "core/data/geometry.h"
#include "core/data/kernel.h"
#include "core/shared/lanes.h"
#include "core/net/net.h"
#include "core/plan/plan.h"
#include "tracer/tracer.h"

/* Messages of flights that are under way together are told apart by the flights' numbers. */
enum { WM_FLIGHT_NUMBERS = 1 << (WM_NET_TAG_BITS - WM_MESSAGE_TAG_BITS) };

/* What a plan's names mean in one call. */
struct wm_binding {
    const void *send;
    void *receive;
    struct wm_geometry geometry; /* of a unit */
    size_t unit_bytes;           /* of data: what the trace shows; 0 for barrier */
    MPI_Op op;
    wm_kernel *kernel;          /* of type and operator; NULL: wm_geometry_reduce */
    const struct wm_call *call; /* for the trace */
    uint64_t kinds;    /* of records, as of the call's beginning (core/record/control.h); 0: nothing is recorded */
    uint32_t sequence; /* ordinal of the call on its communicator, for the trace */
    uint32_t number;   /* of the flight, the same on all ranks; below WM_FLIGHT_NUMBERS */
    bool checked;      /* the same on all ranks: before the first message of each pair goes the sender's … */
    uint64_t print;    /* … fingerprint of the call (core/guard/check.h); the flight fails where they differ */
};

struct wm_flight;
struct wm_page;
struct wm_engine;

/* What an engine works with. It owns the nets. */
struct wm_engine_parts {
    struct wm_net *nets[WM_NET_COUNT]; /* that of MPI is there; that of shared memory is made when a message needs it */
    struct wm_node *node;              /* whose memory shared steps and that net use; NULL: there is none */
    bool one_net;                      /* all messages go by the first of the nets */
    struct wm_recorder_ring *ring;     /* NULL: nothing is recorded */
    uint32_t communicator;             /* its id in the trace */
    int self;                          /* this rank */
    struct wm_page *page;              /* is told which step is waited for; NULL: there is none */
    bool watched;                      /* its lanes' check may be stopped while it waits */
};

struct wm_engine *wm_engine_new(const struct wm_engine_parts *parts);
void wm_engine_free(struct wm_engine *engine);
/* The lanes of its shared steps. When their check is stopped (core/guard/check.h) all flights under way end with that
 * error at the next progress, and those that are started end at once. */
struct wm_lanes *wm_engine_lanes(struct wm_engine *engine);

/* Have what a flight of this plan needs, so that the first one waits for no memory. Where there is none, that flight
 * says so. */
void wm_engine_expect(struct wm_engine *engine, const struct wm_plan *plan);

/* Have the caches fetch what the next flight touches first, and do not wait for it. */
void wm_engine_warm(const struct wm_engine *engine);

/* Start a plan. The plan must live, and the buffers stay, until the flight is given back. */
struct wm_flight *wm_engine_start(struct wm_engine *engine, const struct wm_plan *plan,
                                  const struct wm_binding *binding);
/* Run what can be run. `wait`: do not come back before a message is complete, if one is under way. Returns how many
 * messages were. */
int wm_engine_progress(struct wm_engine *engine, bool wait);
/* Where a reference of the plan stands in this flight, until it is given back. */
void *wm_flight_address(const struct wm_flight *flight, struct wm_ref ref);
bool wm_flight_over(const struct wm_flight *flight);
/* Progress until the flight is over. */
void wm_engine_finish(struct wm_engine *engine, struct wm_flight *flight);
/* Give the flight back once it is over. Returns MPI_SUCCESS or the first error of a step. */
int wm_engine_give(struct wm_engine *engine, struct wm_flight *flight);
/* No step of a flight that was given back has failed. */
bool wm_engine_is_sound(const struct wm_engine *engine);

#endif
