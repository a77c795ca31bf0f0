/* Carriers: what brings a conveyor's buffers over the links of one hop.
 *
 * A link has two ends. At the *outlet* there is a buffer being filled: `hot` says where the next unit goes; whoever
 * writes moves hot->at (and hot->tag), and when hot->at equals hot->limit asks `open` for room. `close` hands over what
 * was written. At the *inlet* `take` gives a chunk of units that have arrived, in order, in place, and `give` returns
 * it. Units of a link come out in the order in which they went in; `end` says that no more will come, behind all that
 * was written. Three carriers: shared memory (the outlet writes into the ring that the inlet reads: nothing is copied;
 * links to the own rank, too), MPI (parcels), and bulk exchanges (core/convey/carrier_sync.h).
 *
 * A hop has one carrier of each kind that its links need. No function here waits. */
#ifndef WM_CONVEY_CARRIER_H
#define WM_CONVEY_CARRIER_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/convey.h"
#include "core/convey/store.h"
#include "core/process/uplink.h"
#include "core/plan/convey/form.h"

struct wm_carrier;

/* An item that is watched on its way. ticks 0: none. */
struct wm_convey_sample {
    uint64_t ticks;    /* when its source pushed it */
    uint64_t position; /* its unit's number on the link */
};

/* The cold part of an outlet; a carrier's own begins with it. */
struct wm_outlet {
    struct wm_convey_outlet *hot;
    struct wm_carrier *carrier;
    int peer;                       /* rank in the conveyor's communicator */
    int inlet;                      /* the link's number at the peer */
    char *open_at;                  /* hot->at when `open` succeeded last; NULL: no buffer is open */
    uint64_t handed;                /* units handed over by `close` so far */
    bool ended;                     /* `end` succeeded */
    bool urgent;                    /* to be closed at the next opportunity, and what it holds at its next hops */
    struct wm_convey_sample sample; /* of the open buffer */
    uint64_t opened_ticks;          /* when it was opened, if the conveyor is traced */
};

struct wm_chunk {
    char *items;
    const char *tags; /* NULL without */
    size_t units;
};

struct wm_inlet {
    struct wm_carrier *carrier;
    int peer;
    int number;                     /* among the inlets of all hops, where the conveyor is traced */
    bool ended;                     /* after the last `take`: nothing will come any more, and nothing is there */
    uint64_t taken;                 /* units of all chunks given back */
    struct wm_chunk chunk;          /* that is taken; units 0: none */
    bool urgent;                    /* its outlet was */
    size_t used;                    /* units of it that have gone on */
    struct wm_convey_sample sample; /* in it */
};

/* Why a buffer was closed. */
enum wm_convey_reason { WM_REASON_FULL, WM_REASON_FLUSH, WM_REASON_URGENT, WM_REASON_ENDGAME, WM_REASON_COUNT };

struct wm_carrier_class {
    const char *name;
    /* Give the outlet room for one unit at least, `units` in one piece for elastic records (0: any): sets hot->at,
     * limit and tag. No buffer is open. False: there is no room now. */
    bool (*open)(struct wm_outlet *out, size_t units);
    /* Hand over what was written since `open`, if anything, and leave no buffer open: hot->at = hot->limit. *bytes:
     * handed over. False: the buffer stays open, since it cannot go now. */
    bool (*close)(struct wm_outlet *out, enum wm_convey_reason reason, size_t *bytes);
    /* No buffer is open. Tell the inlet that nothing more comes. False: not yet, ask again. */
    bool (*end)(struct wm_outlet *out);
    /* The reader has seen, or soon will see, all that was handed over: what is open should be closed now. */
    bool (*hungry)(const struct wm_outlet *out);
    /* The next chunk: fills inlet->chunk, ->used = 0 and ->sample. False: there is none now (look at ->ended). */
    bool (*take)(struct wm_inlet *in);
    /* Give the chunk back; all its units are used. */
    void (*give)(struct wm_inlet *in);
    /* Another run begins; nothing is under way. Both ends do it, and collective calls stand between the runs. `run`:
     * from 1 to 32767, another than before. Fields of the links' common parts are the caller's. */
    void (*rewind)(struct wm_carrier *carrier, unsigned run);
    /* Receive, complete sends. Returns whether something happened. */
    bool (*progress)(struct wm_carrier *carrier);
    /* Nothing that this rank sent is under way. */
    bool (*idle)(const struct wm_carrier *carrier);
    /* What went wrong since the start: an MPI error code, a negative convey_error_, or MPI_SUCCESS. */
    int (*error)(const struct wm_carrier *carrier);
    void (*free)(struct wm_carrier *carrier);
};

struct wm_carrier {
    const struct wm_carrier_class *class;
    bool uncounted; /* its hop stays within a group of ranks: statistics leave out what it brings */
};

/* All classes; ends in NULL. No slot of any is NULL. */
extern const struct wm_carrier_class wm_carrier_mpi, wm_carrier_shm, wm_carrier_sync;
extern const struct wm_carrier_class *const wm_carrier_classes[];

/* The slots of a carrier that has nothing under way of its own: what is written is there. */
bool wm_carrier_no_progress(struct wm_carrier *carrier);
bool wm_carrier_is_idle(const struct wm_carrier *carrier);
int wm_carrier_no_error(const struct wm_carrier *carrier);

/* What a carrier is made of. Its arrays belong to the conveyor; outlets and inlets that are not its own are left alone.
 */
struct wm_carrier_links {
    const struct wm_route_hop *hop;
    int number;                     /* of the hop, from 0 */
    const bool *out_mine, *in_mine; /* [hop->links] which links are this carrier's */
    struct wm_convey_outlet *hot;   /* [hop->links] */
    struct wm_outlet **outlets;     /* [hop->links] the carrier fills those that are its own */
    struct wm_inlet **inlets;       /* [hop->links] likewise */
    struct wm_convey_form form;
    int self;
    const int *apart; /* as of the design; NULL: nothing is held, and there is no uplink */
    struct wm_uplink *uplink;
};

/* The codec between nodes; `codec` NULL: none. */
struct wm_convey_packing {
    const convey_codec_t *codec;
    void *arg;
    bool elastic;
    size_t item_bytes;
};

/* Parcels by MPI over `comm`, which no other carrier of this hop uses: tags are hop number and so on. Their
 * memory is the store's. Memory as wm_convey_parcels_… say. At most as many sends of a link are outstanding as it
 * has buffers. Collective only in that both ends make it. Returns 0, -WM_ENOMEM (the allocator failed), -WM_EINVAL (the
 * codec cannot: its layout is out of range). */
int wm_carrier_mpi_new(struct wm_carrier **carrier, const struct wm_carrier_links *links, MPI_Comm comm,
                       struct wm_convey_store *store, const struct wm_convey_packing *packing);

/* Rings in memory that both ends see: that of an inlet link of this hop stands at rings_of_rank[rank] + link ×
 * wm_convey_ring_bytes. Who has the inlet makes the ring empty; the other end may use it after all ranks have made
 * their carriers. Returns 0 or -WM_ENOMEM. */
int wm_carrier_shm_new(struct wm_carrier **carrier, const struct wm_carrier_links *links, char *const *rings_of_rank,
                       int self);

#endif
