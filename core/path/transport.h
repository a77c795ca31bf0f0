/* Transports: which net carries a message between two ranks, and how. Named by `remote` in a map, carried by plans. */
#ifndef WM_TRANSPORT_H
#define WM_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_net_kind {
    WM_NET_MPI, /* point-to-point messages of the MPI library: any rank */
    WM_NET_SHM, /* memory that the ranks of a node share */
    WM_NET_COUNT
};

/* What a map asks for. */
enum wm_net_choice {
    WM_CHOOSE_AUTO, /* shared memory between ranks of one node, the MPI library's messages between others */
    WM_CHOOSE_MPI,
    WM_CHOOSE_SHM /* ranks of different nodes are refused */
};

/* How a message too large to be sent eagerly, or a large shared step of two members, crosses shared memory. */
enum wm_copy {
    WM_COPY_AUTO,   /* what the node's ranks measured to be faster for its size */
    WM_COPY_DOUBLE, /* in chunks: into shared memory by the sender, out of it by the receiver */
    WM_COPY_SINGLE  /* by the receiver, out of the sender's memory (process_vm_readv); double where that is forbidden */
};

/* Sizes of 0 stand for the net's own. */
struct wm_transport {
    uint8_t copy;       /* enum wm_copy */
    size_t eager_bytes; /* messages up to here are complete at the sender at once */
    size_t chunk_bytes; /* of a pipelined message, and of a shared step */
};

/* For eager_bytes of 0: shared memory's own, and that of messages to other nodes, where it takes a round trip to ask.
 */
enum { WM_SHM_EAGER_BYTES = 4 << 10, WM_FAR_EAGER_BYTES = 512 << 10 };

/* A message between processes that is no longer, with its header, may go at once; the larger ones do so between nodes
 * alone, and no more of them than the receiver promises: its limit for unexpected ones, which is this unless the
 * program or the user gives another, halved, in equal shares. */
enum { WM_LINE_EAGER_BYTES = 16 << 10, WM_UNEXPECTED_BYTES = 64 << 20, WM_PROMISED_BYTES = WM_UNEXPECTED_BYTES / 2 };

/* `given`, or where it is 0 what holds for messages to peers of the node, or to others. */
static inline size_t wm_eager_bytes(size_t given, bool near)
{
    return given > 0 ? given : near ? WM_SHM_EAGER_BYTES : WM_FAR_EAGER_BYTES;
}

/* What of it holds among so many ranks: no more than a line holds; to other nodes no more than a line, or than what the
 * receiver promises each. For tools, which know of no limits that the program gives. */
static inline size_t wm_eager_bytes_held(size_t given, bool near, int ranks)
{
    size_t bytes = wm_eager_bytes(given, near), most = WM_LINE_EAGER_BYTES;

    if (!near && ranks > 1 && WM_PROMISED_BYTES / (size_t)(ranks - 1) > most)
        most = WM_PROMISED_BYTES / (size_t)(ranks - 1);
    return bytes < most ? bytes : most;
}

#endif
