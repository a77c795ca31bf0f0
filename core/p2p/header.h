/* MPI's header as a protocol of core/message: WM_P2P_PROTOCOL(NAME). The destination is the envelope's peer: each
 * endpoint has queues of its own. */
#ifndef WM_P2P_HEADER_H
#define WM_P2P_HEADER_H

#include <mpi.h>
#include "waymark/message.h"

/* `source`: the sender's rank in its group. A receive may have MPI_ANY_SOURCE and MPI_ANY_TAG. */
struct wm_p2p_header {
    int32_t context, source, tag;
};

/* The same as it is put into an envelope, by one store, not by three. The last word falls on what stands between header
 * and message. */
typedef int32_t wm_p2p_words __attribute__((vector_size(16)));

static inline struct wm_key wm_p2p_key(const struct wm_p2p_header *h)
{
    struct wm_key key = {.word = {(uint64_t)(uint32_t)h->context << 32 | (uint32_t)h->source, (uint32_t)h->tag}};

    if (h->source == MPI_ANY_SOURCE)
        key.open[0] = UINT32_MAX;
    if (h->tag == MPI_ANY_TAG)
        key.open[1] = UINT64_MAX;
    return key;
}

#define WM_P2P_PROTOCOL(name)                                                                                          \
    WM_PROTOCOL(name, struct wm_p2p_header, wm_p2p_key, WM_KEY_DECIDES, WM_IN_ORDER, context, source, tag)

#endif
