/* The conveyor, as its own files see it.
 *
 * A run builds a *pipeline* of the design: hops, each with outlets and inlets (core/convey/carrier.h). Items enter at
 * the outlet that their way names; relays (core/convey/relay.c) move what inlets of a hop bring to outlets of the next;
 * the last hop's inlets are pulled. What moves items one by one are convey_push, convey_pull and the relay's loop; all
 * else works on buffers.
 *
 * The end: a rank that is done closes its first hop's outlets and ends them. A hop whose inlets have all ended, and
 * have been relayed, ends the next hop's outlets. When the last hop's inlets have ended nothing more arrives (CLEANUP);
 * when nothing is left to pull, and nothing that was sent is under way, the conveyor is COMPLETE. */
#ifndef WM_CONVEY_STATE_H
#define WM_CONVEY_STATE_H

#include <mpi.h>
#include "waymark/convey.h"
#include "core/convey/carrier.h"
#include "core/plan/convey/form.h"
#include "core/convey/monster.h"
#include "core/convey/store.h"
#include "core/plan/convey/route.h"
#include "core/path/facts.h"
#include "core/path/grid.h"
#include "core/node/node.h"

struct wm_comm;

/* Items are smaller. */
#define WM_CONVEY_ITEM_MAX (UINT64_C(1) << 40)

/* Tags of the conveyor's communicator: parcels of hop h have h; monsters those from here on. */
enum { WM_CONVEY_MONSTER_TAGS = 64 };

/* What the constructor was told. */
struct wm_convey_wish {
    bool elastic;
    size_t item_bound; /* elastic: the largest item */
    size_t max_bytes, n_local;
    uint64_t options;
    struct wm_convey_design design; /* without a map's word; hops 0: to be chosen for the machine */
    convey_alc8r_t alloc;           /* grab NULL: malloc */
    char name[WM_FACT_TEXT_CHARS];
    bool name_fits;
};

struct wm_convey_hop {
    const struct wm_route_hop *route;
    struct wm_carrier *shm, *mpi; /* NULL: it has no such link */
    struct wm_outlet **outlets;   /* [route->links] NULL: the link is not used */
    struct wm_inlet **inlets;
    int turn;        /* the inlet to be looked at next */
    int open_inlets; /* not ended yet */
    bool ending;     /* nothing more is written to its outlets: close and end them */
    bool ended;      /* all are */
    int end_turn;    /* the outlet to be ended next */
};

struct wm_conveyor {
    struct conveyor head; /* first */
    enum convey_state state;
    struct wm_convey_wish wish;
    struct wm_convey_store store;
    MPI_Comm comm;        /* the conveyor's own */
    unsigned comm_number; /* not 0: another conveyor may have it afterwards */
    int rank, ranks;
    struct wm_grid grid; /* of the constructor's arguments, or the machine's */
    struct wm_node *node;
    struct wm_comm *record; /* of the user's communicator, if its map speaks of conveyors; else NULL */
    int nodes;
    const struct wm_grid *run_grid; /* of the run: the map's, or `grid` */

    struct wm_convey_design design; /* of the run */
    struct wm_route *route;
    struct wm_convey_form form;
    struct wm_convey_hop hops[WM_ROUTE_HOPS_MAX];
    int hop_count;
    bool built;         /* the pipeline of `design` and `form` is there */
    bool lent;          /* of this pipeline some rank has blocks of the user's allocator: all give it back at reset */
    unsigned pipelines; /* built so far */
    struct wm_convey_outlet *hot; /* of all outlets */
    uint32_t *ways;
    int64_t *origins;                     /* see core/convey/ways.c */
    size_t origin_row;                    /* 0: one row serves all inlets */
    char *rings[WM_ROUTE_HOPS_MAX];       /* this rank's inlets' of each hop */
    char *own_rings[WM_ROUTE_HOPS_MAX];   /* those of them that are private, to be freed */
    bool rings_shared[WM_ROUTE_HOPS_MAX]; /* they are the node's memory */
    size_t ring_room[WM_ROUTE_HOPS_MAX];  /* bytes of the part that ring_key names */
    uint64_t ring_key[WM_ROUTE_HOPS_MAX];
    uint64_t ring_keys; /* parts of the node's memory taken so far, the same count at all ranks */
    size_t run_item_bytes;

    /* Pulling: the inlet whose chunk head.next … head.end is a part of, or NULL. */
    struct wm_inlet *pulled;
    int pulled_link;
    size_t align;
    void *bounce; /* copy of the item pulled last, if it could not stay in place */
    size_t bounce_bytes;
    convey_handler_t *handler;
    void *handler_context;
    bool handler_sources;

    /* Elastic items. */
    size_t record_units; /* of the one pulled last, which pulled->used stands behind; 0: there is none to unpull */
    bool monster_pulled; /* it is a monster, kept until the next one that succeeds */
    int monster_source;
    uint64_t monster_number;
    int64_t elastic_pushed, elastic_pulled;
    uint64_t elastic_bytes; /* pushed in this run */
    struct wm_monsters *monsters;
    bool monsters_full; /* a push was refused because too many are under way */

    const convey_codec_t *codec;
    void *codec_arg;
    bool codec_set; /* convey_set_codec was called: NULL then means none */

    struct wm_path *path;                               /* the map's word, kept for as long as it holds; NULL: none */
    unsigned run;                                       /* from 1 to 32767 */
    bool urgent;                                        /* some outlet is */
    unsigned idle;                                      /* advances in a row in which nothing happened */
    uint64_t openings, takings;                         /* of buffers */
    uint64_t seen_openings, seen_takings, seen_written; /* at the last advance */
    int64_t stats[2][convey_CUMULATIVE]; /* of the run so far, of the runs before; see core/convey/statistic.c */
    int64_t relayed;                     /* items that relays have written */
    int64_t refused;
    uint64_t last_load; /* bytes pushed in the run before */
    size_t bytes_held;
    char title[WM_FACT_TEXT_CHARS]; /* its name, or its constructor's and which of this process's conveyors it is */
    uint64_t told;                  /* bit -code: a failure of this code was reported */
    bool alerted;                   /* what costs speed was reported */

    struct wm_convey_trace *trace; /* NULL: this run is not recorded (core/convey/trace.h) */
    struct wm_synchronous *sync;   /* of a synchronous design, else NULL (core/convey/synchronous.h) */
};

static inline struct wm_conveyor *wm_conveyor_of(convey_t *c)
{
    return (struct wm_conveyor *)c;
}

/* Report misuse or failure: one message a code unless QUIET; returns `code`. */
int wm_convey_fail(struct wm_conveyor *c, const char *function, int code);

/* core/convey/life.c. The state changes; the tracer is told. */
void wm_convey_enter(struct wm_conveyor *c, enum convey_state state);

/* core/convey/new.c. Give back all that the constructor took. Collective. */
void wm_conveyor_release(struct wm_conveyor *c);

/* core/convey/design.c. Complete the constructor's design, for any item, and reserve what it takes of the user's
 * memory. Collective; 0 or a negative code, the same at all ranks. */
int wm_convey_design_choose(struct wm_conveyor *c);
/* The design of the next run, from the map or the constructor. Collective. 0 or a negative code,
 * the same at all ranks. */
int wm_convey_design_find(struct wm_conveyor *c, size_t item_bytes, struct wm_convey_design *design);

/* core/convey/pipeline.c. Build or take down hops, links, tables of c->design and c->form. Collective. 0 or a negative
 * code, the same at all ranks, and nothing built. */
int wm_pipeline_build(struct wm_conveyor *c);
void wm_pipeline_free(struct wm_conveyor *c);
/* Bring the links of a pipeline that stays to the beginning of run c->run. Local. */
void wm_pipeline_rewind(struct wm_conveyor *c);

/* core/convey/flow.c: what happens to buffers. Make room at an outlet for `units` units: closes what is full, opens the
 * next. False: there is none now. */
bool wm_flow_room(struct wm_conveyor *c, struct wm_outlet *out, size_t units);
/* Close an outlet's open buffer. False: it cannot go now. */
bool wm_flow_close(struct wm_conveyor *c, struct wm_outlet *out, enum wm_convey_reason reason);
/* Have an outlet's buffer closed as soon as it can go; those of a hop that hold items. */
void wm_flow_urge(struct wm_conveyor *c, struct wm_outlet *out);
void wm_flow_urge_hop(struct wm_conveyor *c, int hop);
/* Close what is urgent. */
void wm_flow_hurry(struct wm_conveyor *c);
/* The next chunk of an inlet, which has none; give back the one it has. */
bool wm_flow_take(struct wm_conveyor *c, struct wm_inlet *in);
void wm_flow_give(struct wm_conveyor *c, struct wm_inlet *in);

/* core/convey/relay.c. Move what hop `hop`'s inlets have to the next hop's outlets. Returns items moved. */
size_t wm_relay(struct wm_conveyor *c, int hop);

/* core/convey/pull.c. The inlet of the last hop that has something to pull becomes c->pulled. False: there is none. */
bool wm_pull_next(struct wm_conveyor *c);
/* Copy what is pulled aside: the copy is aligned, and valid until the next call that succeeds. NULL: no memory. */
void *wm_pull_bounce(struct wm_conveyor *c, const void *data, size_t bytes);
/* A pull would succeed now. What was pulled before is not valid any more. */
bool wm_convey_has_item(struct wm_conveyor *c);
/* Is there anything left to pull? */
bool wm_pull_waiting(const struct wm_conveyor *c);
/* The cursors of the pulled chunk are written back to its inlet. */
void wm_pull_settle(struct wm_conveyor *c);
/* Give the pulled chunk back if it is used up and no pointer into it was lent; all chunks, at the end. */
void wm_pull_let_go(struct wm_conveyor *c);
void wm_pull_drop(struct wm_conveyor *c);

/* core/convey/handler.c. Give the handler all that has arrived. Returns how many items. */
size_t wm_convey_handle(struct wm_conveyor *c);

/* core/convey/ways.c. The tables of inlined push and pull: c->ways, c->origins. 0 or -WM_ENOMEM. */
int wm_ways_make(struct wm_conveyor *c);
void wm_ways_free(struct wm_conveyor *c);
/* How an item for `pe` leaves. */
void wm_ways_find(const struct wm_conveyor *c, int pe, int *outlet, uint32_t *tag);
/* The pulled chunk comes over this inlet: set what its items' sources are made of. */
void wm_ways_face(struct wm_conveyor *c, int link);

/* core/convey/statistic.c. Items pushed and pulled in this run; units written to outlets. */
int64_t wm_convey_pushed(const struct wm_conveyor *c);
int64_t wm_convey_pulled(const struct wm_conveyor *c);
uint64_t wm_convey_written(const struct wm_conveyor *c);
/* The run is over: what it counted goes to the life's. */
void wm_convey_end_counts(struct wm_conveyor *c);

#endif
