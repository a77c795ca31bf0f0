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

/* By two stores of which each is read by one load: others would wait until the stores are in the cache. */
static inline void wm_p2p_header_set(struct wm_p2p_header *h, int32_t context, int32_t source, int32_t tag)
{
    uint64_t first = (uint32_t)context | (uint64_t)(uint32_t)source << 32;

    memcpy(h, &first, sizeof first);
    h->tag = tag;
}

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
