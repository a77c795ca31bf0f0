/* Parcels: buffers that are sent and received by MPI, and the requests they are under way with.
 *
 * A parcel is a head, which means something to its user alone, and a body. One pool of them is sent from: every link
 * (a hop's of a conveyor, say) has one for sure, since as many are kept back as there are links that hold none; the
 * rest goes to whom it comes to first. A user with more links than parcels looks at what is left. The other pool is
 * received into: all that are free are posted, from any source, so that what arrives early needs no buffer of the
 * library's. Who sends is known by the head.
 *
 * Sends are synchronous (MPI_Issend): they are over when the receiver has matched them, that is, has given a parcel of
 * its pool for them. So flying sends are the credit: what waits unread at a receiver is bounded by the links' buffers,
 * and no message of ours says so. A credit of our own would be a message more for each, or fewer, but later; the
 * library's acknowledgement goes beside the data, and above its eager limit it sends one anyway.
 *
 * Sends and receives of a pair match in order; large ones may be complete out of order, so heads are numbered. */
#ifndef WM_PARCELS_H
#define WM_PARCELS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_PARCEL_HEAD_BYTES = 64 }; /* of a cache line, so that the body is aligned as the head is */

/* What one link holds of the parcels to send. */
struct wm_parcel_share {
    int held, flying; /* flying: of those held */
};

struct wm_parcel {
    struct wm_parcel *next; /* in the list that it is in */
    void *head;
    struct wm_parcel_share *share; /* whose it is; NULL: it is received into */
};

static inline char *wm_parcel_body(const struct wm_parcel *parcel)
{
    return (char *)parcel->head + WM_PARCEL_HEAD_BYTES;
}

struct wm_parcels;

/* What parcels are made of: `out` to send and `in` to receive, each of `bytes`, a multiple of WM_PARCEL_HEAD_BYTES.
 * They stand in `memory`, which is the caller's and at least a byte, one behind the other. `links`: that have one for
 * sure, at most `out`. Messages go over `comm` (errors are returned there) with `tag`, which is nobody else's. */
struct wm_parcels_form {
    size_t bytes;
    int links, out, in, tag;
    MPI_Comm comm;
    char *memory;
};

/* All ranks meet between one's free and the first send to it over the same tag. Returns 0 or -WM_ENOMEM. Local. */
int wm_parcels_new(struct wm_parcels **parcels, const struct wm_parcels_form *form);
/* Nothing is under way, unless an error was: then what is not idle may still read its memory. NULL is allowed. */
void wm_parcels_free(struct wm_parcels *parcels);

/* A free one to send, for the link of `share`; NULL: none now. */
struct wm_parcel *wm_parcels_get(struct wm_parcels *parcels, struct wm_parcel_share *share);
/* So many are free. */
int wm_parcels_left(const struct wm_parcels *parcels);
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
