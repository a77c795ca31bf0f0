/* The program's own messages in the trace: a record when a point-to-point call begins, and one when the program knows
 * that it is over.
 *
 * A message of a blocking call is posted and done by its door. That of a request is posted, then followed: the request
 * stands in the table of those that are waited for (core/record/waiting.h) until a completion call has completed it. A
 * persistent one is kept by its handle until it is freed, and posted each time it is started. Who records a post
 * records the done, whatever the level is then. Local; any thread. */
#ifndef WM_OWN_MESSAGE_H
#define WM_OWN_MESSAGE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct wm_own_message {
    uint32_t communicator; /* the trace's number */
    int32_t peer, tag;     /* -1: any */
    uint8_t flags;         /* WM_TRACE_P2P_… */
    uint32_t number;       /* 0: it has no post */
    uint64_t bytes;
};

/* Are such calls recorded now? */
bool wm_own_message_is_wanted(void);
/* Record the post of one that begins at that time in ticks, and give it a number. */
void wm_own_message_post(struct wm_own_message *message, uint64_t ticks);
/* Record that it is over, after `ticks` in the calls that waited for it or tested it. Without a status, or of a send,
 * peer and tag are those of the post. */
void wm_own_message_done(const struct wm_own_message *message, uint64_t ticks, const MPI_Status *status);

/* A request stands for a message that was posted; or for each that is posted by a start. */
void wm_own_message_follow(const struct wm_own_message *message, MPI_Request request, bool persistent);
/* A request is started: nothing, unless it is persistent, and followed. */
void wm_own_message_start(MPI_Request request);
/* It is freed, or cancelled: nobody waits for the message. */
void wm_own_message_forget(MPI_Request request, bool cancelled);

#endif
