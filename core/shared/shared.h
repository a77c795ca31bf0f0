/* Shared steps: collectives of a node's ranks in the memory that they share.
 *
 * The members of a group go through rounds together, numbered from 1 for as long as the group lives. In a round some
 * members post: each writes up to a slot's payload, then the number of the round into the flag before it. Others read:
 * they wait for the flags of those they want, then copy or combine the payloads. A step is a series of rounds that all
 * members count alike. Each member has many slots in turn, so it may post ahead. A slot is used again once every member
 * has read it: a member reports how far it has read in its flag, or in its own line if nobody reads its flag. Small
 * payloads stand behind the flag in its pair of cache lines. Nothing here is locked, allocated per round, or changed by
 * an atomic read-modify-write.
 *
 * Of a task, a step under way at this member, the states are planned, begun and over.
 *
 * The steps of a lane come strictly in order; steps that shall overlap (segments) use other lanes.
 *
 * Costs, n members, m bytes, α a cache line's way, β and γ a byte's copy and reduction:
 *   small allreduce, barrier: α + (n-1) m γ at every member, who reads all others; with many members, those and small
 *   bcasts and reduces: core/shared/tree.h
 *   small scan: α + i m γ at member i, who reads those before it; in a crowded node along a chain
 *   large scan: along a chain, (n-1) α + m (β + γ), once the first chunk has come; chunks overlap
 *   large allreduce: chunk by chunk, every member combines its share: 2 α + m β + m γ, and m/n β back; chunks overlap
 *   bcast, gather, …: α + what a member gives and gets, m β; chunks overlap
 *   large bcast, scatter, gather, allgather, alltoall and exscan of two: core/shared/direct.h
 * Graham and Shipman, "MPI Support for Multi-core Architectures: Optimized Shared Memory Collectives", 2008. */
#ifndef WM_SHARED_H
#define WM_SHARED_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/data/geometry.h"
#include "core/data/kernel.h"
#include "core/guard/check.h"
#include "core/plan/plan.h"
#include "core/path/transport.h"

/* A payload stands in the flag's line, or in a slot of the smallest class that holds it; the last class is of
 * WM_SHARED_PAYLOAD bytes, or more where every member has to find its part of an element there. Of two
 * members, a class has so many slots that payloads of its size, or of a chunk, go round in 256 KiB each. Then a giver
 * may be so far ahead that its first-level cache has lost what is read, which takes half the time: 16 to 64 KiB went
 * over at 10 GB/s through rings of 16 to 128 KiB, at 18 through those of 256 KiB to 1 MiB, two cores with 48 KiB each.
 * More members share as much, because their second-level caches hold it: 8 ranks on 2 cores, allgather of 4 KiB, 8 %.
 * Slots of 512 B in rings of 64 KiB: a reduce of 128 B took 27 % longer, of two ranks whose processors are far apart.
 * Lines stand apart by two, because processors fetch them in pairs. */
enum {
    WM_SHARED_SLOTS = 64,
    WM_SHARED_LARGE_SLOTS = 8,
    WM_SHARED_CLASS_BYTES = 512 << 10,
    WM_SHARED_CLASSES = 5,
    WM_SHARED_LINE = 128,
    WM_SHARED_INLINE = 112,
    WM_SHARED_SMALL = 2048,
    WM_SHARED_PAGE = 4096,
    WM_SHARED_PAYLOAD = 128 << 10
};

/* Slots of one size, all members' of each in a row. */
struct wm_shared_slots {
    size_t offset;  /* in the area */
    size_t bytes;   /* that each holds */
    uint64_t count; /* of each member, a power of two */
    uint64_t ready; /* the last round whose pages this process has asked for; UINT64_MAX: it asks for no more */
    uint64_t ahead; /* for how many rounds it asks next */
};

/* One member's view of a lane. */
struct wm_shared_lane {
    int size, self;
    bool crowded;       /* more ranks than processors: do not spin */
    void (*rest)(void); /* what a member does that waits (core/node/node.h); NULL: wm_node_wait */
    size_t payload;     /* bytes that a slot can hold */
    char *area;         /* lines, then slots */
    struct wm_shared_slots slots[WM_SHARED_CLASSES];
    uint64_t round;              /* the last that was given to a step */
    uint64_t done;               /* this member is through with all up to here */
    uint64_t quiet;              /* all members are known to be */
    uint64_t *known;             /* known[m]: member m is known to be */
    int (*find_cache)(void);     /* a number for this process's last-level cache, -1: unknown; NULL: so are all */
    bool told;                   /* … and it stands in the area */
    long other_process;          /* of two members: the other's, whose memory may be read and written; 0: it may not */
    struct wm_check *check;      /* of the call that this member is in; never NULL */
    struct wm_shared_tree *tree; /* of groups larger than their fan (core/shared/tree.h); NULL: too few members */
};

/* Shared memory that a lane of `size` members needs, zeroed at first. */
size_t wm_shared_area_bytes(int size);
/* `area` is mapped by all members. */
void wm_shared_lane_init(struct wm_shared_lane *lane, void *area, int size, int self, bool crowded);
void wm_shared_lane_release(struct wm_shared_lane *lane);
/* Have the pages of a first small round, before it comes. */
void wm_shared_lane_expect(struct wm_shared_lane *lane);

/* What a step's names mean in one call. */
struct wm_shared_data {
    uintptr_t send, receive;
    char *const *temporaries;           /* address of unit 0 */
    const struct wm_geometry *geometry; /* of a unit */
    size_t unit_bytes;                  /* 0: nothing is moved, and nobody goes on before all have come */
    MPI_Op op;
    wm_kernel *kernel; /* of type and operator; NULL: wm_geometry_reduce */
};

/* A step under way at this member. */
struct wm_shared_task {
    const struct wm_shared *step;
    struct wm_shared_lane *lane;
    struct wm_shared_data data;
    const struct wm_shared_phase *phases; /* NULL: of a tree that is not ready yet */
    int phase_count;
    size_t units;                 /* of a round, at most */
    uint64_t first;               /* the round before the step's */
    uint32_t total, posted, read; /* rounds */
    int turn;                     /* members read in the round under way */
    uint8_t direct;               /* enum wm_shared_direct */
    bool moved;                   /* … and this member's moves went well */
    const struct wm_transport *transport;
    bool has_value; /* of a tree: earlier phases' result stands in its place */
    int error;      /* MPI_SUCCESS, or the first error of an operator */
    char *scratch;  /* values under way, of types and operators without a kernel; NULL: none needed yet */
};

/* Units of the largest stream, or part, of the step. */
size_t wm_shared_largest_count(const struct wm_shared *step);

/* A reduction's result goes where this member's contribution stands, which must be out of the way before. */
bool wm_shared_in_place(const struct wm_shared *step);

/* Find out how a step goes, and in how many rounds (`total`; 0: those of a tree, which is not made yet). Pure, and the
 * same at all members but for `data`. `transport`, the same at all members, lives as long as the task: its chunk_bytes
 * bound a round's payload, 0: the lane's own choice; its copy says whether two members may move large data without
 * slots (core/shared/direct.h). */
void wm_shared_plan(struct wm_shared_task *task, struct wm_shared_lane *lane, const struct wm_shared *step,
                    const struct wm_shared_data *data, const struct wm_transport *transport);
/* Begin a planned step. The earlier steps of its lane are over. */
void wm_shared_begin(struct wm_shared_task *task);
/* Do what can be done. True: the step is over at this member, and the task is released. Waits for others no longer than
 * some cache lines take, and not at all in a crowded node. */
bool wm_shared_advance(struct wm_shared_task *task);

#endif
