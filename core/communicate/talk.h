/* Talks: what the statements on one communicator share: endpoints, a protocol, and the number of the next statement.
 *
 * A talk is made by the first statement on its communicator, and ends with it, or with the job. All ranks make the same
 * statements in the same order, so a statement's number tells its messages from those of others: a rank that is ahead
 * sends to one that is behind, where the message waits. */
#ifndef WM_TALK_H
#define WM_TALK_H

#include <mpi.h>
#include "waymark/message_comm.h"

/* `source`: the sender's rank; a receive may have -1, for any. `site`: a hash of the statement, the same at both ends.
 */
struct wm_talk_header {
    uint32_t number, site;
    int32_t source;
};

static inline struct wm_key wm_talk_key(const struct wm_talk_header *h)
{
    struct wm_key key = {.word = {(uint64_t)h->number << 32 | (uint32_t)h->source, 0}};

    if (h->source < 0)
        key.open[0] = UINT32_MAX;
    return key;
}

WM_PROTOCOL(wm_talk_mail, struct wm_talk_header, wm_talk_key, WM_KEY_DECIDES, WM_IN_ORDER, number, site, source);

enum { WM_DEAL_SLOTS = 64 };

struct wm_comm;
struct wm_deal;
struct wm_conduit;
struct wm_turn;

struct wm_talk {
    struct wm_talk *next; /* of the process, the newest first */
    MPI_Comm comm;
    MPI_Comm own; /* of the same ranks, for what they ask each other */
    int rank, ranks;
    struct wm_comm *record; /* whose map has rules for statements; NULL: it has none */
    struct wm_endpoints *group;
    struct wm_talk_mail mail;
    const struct wm_message_way *ways[2]; /* of the mail, where no rule says another one */
    uint32_t number;                      /* of the last statement; each has two */
    struct wm_conduit *conduits;          /* conveyors, in the order of first calls */
    struct wm_turn *turns;                /* nonblocking, not over, in the order of their calls */
    struct wm_deal *deals[WM_DEAL_SLOTS]; /* by site */
};

/* The communicator's, made if there is none: then collective. Ends the job where the MPI library gives no communicator,
 * or `comm` is an intercommunicator. */
struct wm_talk *wm_talk_on(MPI_Comm comm);
/* That was asked for last; NULL: it is gone. */
extern struct wm_talk *wm_talk_recent;
/* The talks of the process, linked by `next`. */
struct wm_talk *wm_talks(void);
/* End all: before MPI_Finalize. Collective over each communicator. */
void wm_talks_stop(void);

#endif
