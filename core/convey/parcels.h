/* Parcels: the buffers that a hop sends and receives by MPI, and the requests they are under way with.
 *
 * A parcel is a head and a body. One pool of them is sent from: every link has one for sure, since as many are kept
 * back as there are links that hold none; the rest goes to whom it comes to first. The other pool is received into: all
 * that are free are posted, from any source, so that what arrives early needs no buffer of the library's. Who sends is
 * known by the head.
 *
 * Sends are synchronous (MPI_Issend): they are over when the receiver has matched them, that is, has given a parcel of
 * its pool for them. So flying sends are the credit: what waits unread at a receiver is bounded by the links' buffers,
 * and no message of ours says so. A credit of our own would be a message more for each, or fewer, but later; the
 * library's acknowledgement goes beside the data, and above its eager limit it sends one anyway.
 *
 * Sends and receives of a pair match in order; large ones may be complete out of order, so heads are numbered. */
#ifndef WM_CONVEY_PARCELS_H
#define WM_CONVEY_PARCELS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/convey.h"
#include "core/convey/store.h"
#include "core/plan/convey/form.h"

enum wm_parcel_flags { WM_PARCEL_LAST = 1, WM_PARCEL_PACKED = 2, WM_PARCEL_URGENT = 4 };

struct wm_parcel_head {
    uint32_t inlet;        /* the link's number at the receiver */
    uint32_t number;       /* of this parcel on its link; wraps */
    uint32_t flags, sum;   /* sum: of the plain body, if a codec that is not ours packed it */
    uint64_t first, units; /* number of the first unit on the link in this run */
    uint64_t packed_bytes;
    uint64_t sample_ticks, sample_position;
    uint64_t opened_ticks; /* when its outlet opened it, by the sender's clock; 0: not traced */
};
_Static_assert(sizeof(struct wm_parcel_head) == WM_CONVEY_HEADER_BYTES, "the body is aligned as the head is");

/* What one link holds of the parcels to send. */
struct wm_parcel_share {
    int held, flying; /* flying: of those held */
};

struct wm_parcel {
    struct wm_parcel *next; /* in the list that it is in */
    struct wm_parcel_head *head;
    struct wm_parcel_share *share; /* whose it is; NULL: it is received into */
};

static inline char *wm_parcel_body(const struct wm_parcel *parcel)
{
    return (char *)(parcel->head + 1);
}

struct wm_parcels;

/* Messages go over `comm` (errors are returned there) with `tag`, which is nobody else's. `links`: that send, at most
 * `out`. All ranks meet between one's free and the first send to it over the same tag. Returns 0 or -WM_ENOMEM. Local.
 */
int wm_parcels_new(struct wm_parcels **parcels, size_t parcel_bytes, int links, int out, int in, MPI_Comm comm, int tag,
                   struct wm_convey_store *store);
/* Nothing is under way, unless an error was; NULL is allowed. */
void wm_parcels_free(struct wm_parcels *parcels);

/* A free one to send, for the link of `share`; NULL: none now. */
struct wm_parcel *wm_parcels_get(struct wm_parcels *parcels, struct wm_parcel_share *share);
/* Give it back unsent. */
void wm_parcels_put(struct wm_parcels *parcels, struct wm_parcel *parcel);
/* Send its head and `bytes` of its body; it is put back when it has been matched. */
void wm_parcels_send(struct wm_parcels *parcels, struct wm_parcel *parcel, int peer, size_t bytes);

/* The next one that has arrived, in any order; it is the caller's until it is posted. NULL: none. */
struct wm_parcel *wm_parcels_arrived(struct wm_parcels *parcels);
void wm_parcels_post(struct wm_parcels *parcels, struct wm_parcel *parcel);

/* Complete what can be completed. Returns whether anything was. */
bool wm_parcels_progress(struct wm_parcels *parcels);
/* No send is flying. */
bool wm_parcels_idle(const struct wm_parcels *parcels);
/* The class of the first MPI error, or MPI_SUCCESS. */
int wm_parcels_error(const struct wm_parcels *parcels);

#endif
