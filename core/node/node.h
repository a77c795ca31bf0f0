/* Nodes: the ranks of a communicator that share memory with this one, and the memory.
 *
 * The processes of one MPI_COMM_WORLD on one machine map one anonymous file (memfd): its first process makes it, the
 * others open it through /proc, and nothing has a name that could be left behind, whatever kills them. It is sparse:
 * pages count when they are touched. Communicators take parts of it; a part is named by a key and made by whoever of
 * the node's ranks asks for it first, so no message is needed. A part begins zeroed, at a multiple of 4096 bytes. Where
 * the memory cannot be had (memfd or /proc forbidden, another PID namespace, no address space, ranks of another
 * MPI_COMM_WORLD), all ranks of that node see it alike, it is said once, and messages go through MPI. */
#ifndef WM_NODE_H
#define WM_NODE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "core/path/grid.h"

/* Map the memory. Collective over MPI_COMM_WORLD; `places` of its ranks, each of which is a process with `each` ranks
 * of the user's. Nothing here fails the job. */
void wm_node_start(const struct wm_place *places, int each);
/* On some node of the job, ranks outnumber the processors that they may use; the same at all ranks. Once started. */
bool wm_node_job_crowded(void);
/* Unmap it. Local; no node of a communicator is left. */
void wm_node_stop(void);

struct wm_node {
    int size, self; /* ranks of the communicator on this node, and which of them this one is; size 1, self 0: alone or
                       no shared memory */
    int *ranks;     /* [size] ranks of the communicator, ascending */
    int *local;     /* [ranks of the communicator] index in `ranks`, -1: elsewhere, or no memory shared with it */
    bool crowded;   /* the machine's ranks are more than the processors that they may use: do not spin */
    size_t area;    /* offset of the communicator's head in the memory; 0: none */
    int *process;   /* [size] which of the node's processes each is */
    void (*rest)(
        void); /* what one does that waits for another, so that those of its process go on; NULL: wm_node_wait */
};

/* A communicator's, as rank `self` of it sees it, without memory so far. `places` of its ranks, NULL: of unknown
 * worlds; a rank's world_rank is its process's. Local. */
struct wm_node *wm_node_new(const struct wm_place *places, int ranks, int self);
/* Take a communicator's area, in which parts of `bytes` in all are sure to find room: at the first of the node's
 * ranks, which tells the others. Returns its offset, 0: elsewhere, alone, or where there is no room, which is said once
 * on the node, unless `bytes` is 0. `before`: another one, not told yet, that leads to it; 0: none. */
uint64_t wm_node_take_area(const struct wm_node *node, uint64_t bytes, uint64_t before);
/* The area that one leads to, 0: none. Any rank of the node. */
uint64_t wm_node_next_area(uint64_t area);
/* Give an area back that nobody has used. Local. */
void wm_node_give_area(uint64_t area);
/* Use the area that the first of the node's ranks has taken. 0: each rank is alone from here on. */
void wm_node_use_area(struct wm_node *node, uint64_t area);
/* Both, with nothing sure; messages on `comm` carry the offset. Collective over it. */
void wm_node_share_area(struct wm_node *node, MPI_Comm comm);
/* The last of the node's ranks to do this gives the communicator's parts back. Local. */
void wm_node_free(struct wm_node *node);

/* The part called `key`, below 2^63, of this communicator, of `bytes`, always the same for a key; the same wherever a
 * rank of the node asks. NULL: there is no shared memory, or no more of it; then it is NULL at all the node's ranks,
 * for good. Any thread; never blocks for long. */
void *wm_node_part(struct wm_node *node, uint64_t key, size_t bytes);

/* Another process's memory may be read here (process_vm_readv), and from which message size on that was measured to be
 * faster than two copies; SIZE_MAX: it never was, or may not. The same at all the node's ranks. The first to ask takes
 * a few ms. */
size_t wm_node_single_copy_bytes(void);
/* May it be read at all? Else why not, as in "Operation not permitted". */
bool wm_node_single_copy_allowed(const char **why);
/* A read that the map asked for failed with this errno, and chunks do it: said once for the node. */
void wm_node_tell_single_copy(int error);
/* The process of a rank of this node, for process_vm_readv. */
long wm_node_process_id(const struct wm_node *node, int local);

/* Wait a little: `turn` counts from 0 while one waits for the same thing. The first turns spin for some 27 µs,
 * fewer where the node is crowded; later ones let the MPI library progress and yield the processor. */
void wm_node_wait(bool crowded, unsigned turn);

#endif
