/* A simulation: a program carried out on a model of a machine, event by event.
 *
 * A rank has a core, which does one thing at a time, an item: it runs the steps that are ready, in the order in which
 * they became so, and, when none is left, takes what has come, in the order of its coming; as the engine does.
 * Messages, requests and answers are under way meanwhile; those with bytes share links (tools/predict/fluid.h). What
 * parameters mean is said in tools/profile/machine.h. Whole numbers: equal programs and models give equal times, bit
 * for bit.
 *
 * Every item knows what it waited for, so that the way to the last one can be walked back (tools/predict/blame.h). */
#ifndef WM_PREDICT_SIMULATION_H
#define WM_PREDICT_SIMULATION_H

#include "tools/predict/crowd.h"
#include "tools/predict/events.h"
#include "tools/predict/fluid.h"
#include "tools/predict/folds.h"
#include "tools/predict/model.h"
#include "tools/predict/program.h"

enum wm_item_kind {
    WM_ITEM_RUN,      /* a step begins: all there is to a local one, and to an eager send */
    WM_ITEM_LANDED,   /* a receive's message is there */
    WM_ITEM_ASKED,    /* … or the request for it */
    WM_ITEM_ANSWERED, /* a send's request is answered */
    WM_ITEM_SENT,     /* a send's last byte has left */
    WM_ITEM_MET,      /* of a shared step, all have come that this member needs */
    WM_ITEM_KINDS
};

enum { WM_ITEM_STEP_BITS = 29 };

struct wm_sim_item {
    int64_t start, end;
    int cause; /* the item that the start waited for, of this or of another rank; -1: the call's beginning */
    unsigned step : WM_ITEM_STEP_BITS, kind : 3;
};

struct wm_queue {
    int first, last; /* steps; -1 */
};

/* What is looked at of a rank that stays, in one line of cache. */
struct wm_rank_state {
    _Alignas(64) struct wm_queue ready, come, held; /* held: sends that wait for earlier flows */
    int64_t end;                                    /* of the item */
    int64_t next_out;                               /* no message leaves before */
    int item, step;                                 /* under way, or the last one, -1; and what it is about */
    int posted;                                     /* receives that wait */
    uint8_t kind;                                   /* of the item */
    uint8_t flows;                                  /* sends that flow */
    bool busy, listed, begun;
    bool taken; /* the item under way is a receive whose message was there before */
    bool goes;  /* it posts the call, goes away, and computes */
    bool away;
    int sent_to; /* the peer of the last message that left, if those that cross cost more; -1 */
    int64_t sent_lands;
    int64_t away_since;
    int64_t uplink; /* no message that `delay` holds leaves before */
};

struct wm_simulation {
    const struct wm_sim_program *program;
    const struct wm_model *model;
    int64_t now, end; /* end: when the last rank is through, but for what was skipped */
    int64_t skipped;
    int last; /* its last item */
    size_t event_count;
    struct wm_events events;
    struct wm_fluid fluid;
    struct wm_sim_crowd crowd;
    struct wm_arena arena; /* of the arrays that do not grow */
    struct wm_rank_state *ranks;
    int64_t *due; /* by step, of messages held by `delay`; NULL: there are none */
    size_t item_count, item_room;
    struct wm_sim_item *items;
    size_t touched_count;
    int *touched; /* ranks whose core may have something to do */
    struct wm_sim_folding folding;
    int skip_count;
    struct wm_sim_skip skips[WM_GAPS_MAX];
};

/* Carry a program out. Where hosts have more ranks than cores, these share them, in an order that is drawn by a number
 * (tools/predict/crowd.h), or, by 0, by rank. Program and model must outlive the simulation. Returns 0, or -WM_ENEVER
 * with a sentence where ranks wait for each other. Release it in any case. */
int wm_simulation_run(struct wm_simulation *simulation, const struct wm_sim_program *program,
                      const struct wm_model *model, uint64_t order, struct wm_error *error);
/* When ranks are in the call, ps from 0. Who comes back goes away once it has begun all that can begin; meanwhile its
 * messages go on, its steps do not. */
struct wm_sim_presence {
    const int64_t *begin; /* by rank; NULL: all at 0 */
    const int64_t *back;  /* by rank, not before it begins; NULL: all stay */
};

/* The same of ranks that come, and go, and have a core each. */
int wm_simulation_run_from(struct wm_simulation *simulation, const struct wm_sim_program *program,
                           const struct wm_model *model, const struct wm_sim_presence *presence,
                           struct wm_error *error);
/* When the rank was through; of one that has nothing to do, when it began plus the cost of a flight. */
int64_t wm_simulation_rank_end(const struct wm_simulation *simulation, int rank, int64_t begin);
void wm_simulation_release(struct wm_simulation *simulation);

/* For the files that make it up. */

static inline uint64_t wm_simulation_bytes(const struct wm_simulation *s, const struct wm_program_step *step)
{
    return (uint64_t)step->count * s->program->unit_bytes;
}
static inline struct wm_step_state *wm_simulation_step(const struct wm_simulation *s, int step)
{
    return &s->program->steps[step].state;
}
/* The link of a message: of the net and level of its two ranks. */
const struct wm_model_link *wm_simulation_link(const struct wm_simulation *s, int step);
/* Is it sent only when it is asked for? */
bool wm_simulation_asks(const struct wm_simulation *s, int step);
/* Does the receiver, once asked, read the data from the sender's memory? Who shares cores does not wait for the sender
 * to have one. */
bool wm_simulation_reads(const struct wm_simulation *s, int step);
/* The cost of an item that would begin now. */
int64_t wm_simulation_cost(const struct wm_simulation *s, int step, enum wm_item_kind kind);
/* The shared step of a member: which one, and the member's number there. */
struct wm_program_shared *wm_simulation_shared(const struct wm_simulation *s, int step, int *seat);

/* Give the rank something to do about a step, because of an item. */
void wm_simulation_come(struct wm_simulation *s, int step, enum wm_item_kind kind, int cause);
/* A step is done, by this item: what waited for it alone is ready. */
void wm_simulation_complete(struct wm_simulation *s, int step, int item);
/* The rank may have something to do. */
void wm_simulation_touch(struct wm_simulation *s, int rank);

/* A queue of a rank. */
void wm_queue_push(struct wm_simulation *s, struct wm_queue *queue, int step);
int wm_queue_pop(struct wm_simulation *s, struct wm_queue *queue);

/* Messages (messages.c): how many resources they share; the core is through with an item, or an event is there. */
size_t wm_messages_resources(const struct wm_simulation *s);
void wm_messages_done(struct wm_simulation *s, int step, enum wm_item_kind kind, int item);
void wm_messages_event(struct wm_simulation *s, const struct wm_sim_event *event);
/* Shared steps (meetings.c): a member has come; who needs no others goes on. */
void wm_meetings_arrive(struct wm_simulation *s, int step, int item);

#endif
