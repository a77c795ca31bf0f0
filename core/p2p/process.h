/* Processes, communicators and requests, as the room sees them. */
#ifndef WM_P2P_PROCESS_H
#define WM_P2P_PROCESS_H

#include "core/p2p/data.h"
#include "core/p2p/header.h"
#include "core/p2p/p2p.h"

WM_P2P_PROTOCOL(wm_p2p_protocol);

/* The tallies that a request may count in: of what a call waits for, of what was started since (wm_p2p_count_started).
 */
enum { WM_P2P_AWAITED, WM_P2P_STARTED, WM_P2P_TALLIES };

/* Data of sends that are counted (wm_p2p_count_started) is copied, up to so much of it at once. */
enum { WM_P2P_COPIES_MOST = 4 << 20 };

struct wm_p2p_process {
    struct wm_p2p_protocol protocol;
    struct wm_p2p_rest rest;
    bool asleep;
    bool sends_away;
    unsigned turn;                         /* of waiting without siblings (wm_endpoints_rest) */
    struct wm_p2p_tally *sends, *receives; /* count what is started; NULL: nobody does */
    const struct wm_p2p_tally *awaits;     /* the one for which it waits; NULL: for none */
    struct wm_p2p_tally always;            /* of what is in it, each that is complete wakes the process */
    struct wm_p2p_request *idle, *orphans;
    struct wm_p2p_request *sent; /* of all sends that were over when they had begun */
    bool has_buffer;             /* that is attached */
    char *buffer;
    size_t buffer_bytes;
    struct wm_p2p_request *buffered;      /* what is in it, by address */
    int32_t next_context, failed_context; /* failed: of the request that went wrong last */
};

struct wm_p2p_comm {
    struct wm_p2p_process *process;
    int32_t context;
    int self, size;
    bool apart; /* its messages are a collective's */
    int endpoints[];
};

struct wm_p2p_request {
    _Alignas(64) struct wm_p2p_process *process;
    struct wm_p2p_request *next; /* idle, or orphan */
    struct wm_p2p_protocol_envelope e;
    struct wm_p2p_packed *packed;
    bool receives, nobody, active; /* nobody: its peer is MPI_PROC_NULL */
    union {
        struct {
            bool persistent, buffered, cancelled;
            bool stays; /* it is for ever active and complete, and is not released */
        };
        uint32_t rare; /* 0: it is none of these */
    };
    struct wm_p2p_tally *tallies[WM_P2P_TALLIES]; /* that it counts in; NULL: in none */
    struct wm_p2p_request *next_buffered;
    struct wm_p2p_protocol_envelope *taken; /* of a message that a probe has taken */
    /* Of a persistent one, as it was made. */
    enum wm_p2p_mode mode;
    wm_p2p_words words; /* the header: context, source, tag */
    size_t bytes;
    const struct wm_p2p_other_class *other; /* of one that something else completes, else NULL */
    void *with;
    int number; /* by which its user's language names it, idle or not; 0: none so far */
};
_Static_assert(offsetof(struct wm_p2p_protocol_envelope, message) >=
                   offsetof(struct wm_p2p_protocol_envelope, header) + sizeof(wm_p2p_words),
               "words of a header fall on nothing else");
_Static_assert(offsetof(struct wm_p2p_request, e.header) / 64 ==
                   (offsetof(struct wm_p2p_request, e.header) + sizeof(wm_p2p_words) - 1) / 64,
               "a header is in one cache line");

/* An idle request; NULL: no memory. */
struct wm_p2p_request *wm_p2p_request_allocate(struct wm_p2p_process *process);
static inline struct wm_p2p_request *wm_p2p_request_new(struct wm_p2p_process *process)
{
    struct wm_p2p_request *r = process->idle;

    if (__builtin_expect(r == NULL, 0))
        return wm_p2p_request_allocate(process);
    process->idle = r->next;
    return r;
}
/* It is not under way. */
void wm_p2p_request_release(struct wm_p2p_request *r);
/* It is active, and nobody's: it is released when its envelope is complete. */
void wm_p2p_request_leave(struct wm_p2p_request *r);
/* Set the status of one that is done, without finishing it. */
void wm_p2p_request_status(const struct wm_p2p_request *r, MPI_Status *status);

static inline void wm_p2p_request_put_idle(struct wm_p2p_request *r)
{
    r->active = r->cancelled = false;
    r->next = r->process->idle;
    r->process->idle = r;
}

/* Most requests are of straight data, started once, and went well: nothing is left to do for them. */
static inline bool wm_p2p_request_is_plain(const struct wm_p2p_request *r)
{
    return r->rare == 0 && r->e.message.error == WM_MESSAGE_DONE && r->packed == NULL && r->other == NULL;
}

/* It is done: what was received is where it shall be, the status, if it is wanted, is set, and the request inactive or
 * gone. Returns MPI_SUCCESS or the class of what went wrong. */
int wm_p2p_request_finish_any(struct wm_p2p_request *r, MPI_Status *status);
static inline int wm_p2p_request_finish(struct wm_p2p_request *r, MPI_Status *status)
{
    if (r->stays && status == MPI_STATUS_IGNORE)
        return MPI_SUCCESS;
    if (__builtin_expect(!wm_p2p_request_is_plain(r), 0))
        return wm_p2p_request_finish_any(r, status);
    if (status != MPI_STATUS_IGNORE)
        wm_p2p_request_status(r, status);
    wm_p2p_request_put_idle(r);
    return MPI_SUCCESS;
}
/* Finish those at the beginning of a list that are the process's, done, and plain; no status is wanted. Returns how
 * many. */
static inline int wm_p2p_finish_plain(const struct wm_p2p_process *process, int count,
                                      struct wm_p2p_request *requests[])
{
    int i = 0;

    for (; i < count; i++) {
        struct wm_p2p_request *r = requests[i];

        if (r == WM_P2P_REQUEST_NULL)
            continue;
        if (__builtin_expect(r == NULL || r->process != process, 0))
            break;
        if (!r->stays) {
            if (!r->active || !r->e.message.complete || !wm_p2p_request_is_plain(r))
                break;
            wm_p2p_request_put_idle(r);
        }
        requests[i] = WM_P2P_REQUEST_NULL;
    }
    return i;
}
/* Wait until it is done, and finish it. */
int wm_p2p_request_wait(struct wm_p2p_request *r, MPI_Status *status);

static inline bool wm_p2p_request_is_done(const struct wm_p2p_request *r)
{
    return r->e.message.complete || (r->buffered && !r->cancelled);
}

/* A status as MPI has it for requests that are not active. NULL-like statuses are left alone. */
void wm_p2p_status_set(MPI_Status *status, const struct wm_p2p_header *header, size_t bytes, bool cancelled);
void wm_p2p_status_clear(MPI_Status *status);

/* Count a request that is under way. */
void wm_p2p_count(struct wm_p2p_request *r, int which, struct wm_p2p_tally *tally);
/* A request that begins: count it where what is started is counted. */
static inline void wm_p2p_started(struct wm_p2p_request *r)
{
    struct wm_p2p_tally *tally = r->receives ? r->process->receives : r->process->sends;

    if (__builtin_expect(tally != NULL, 0) && !r->e.message.complete && !r->buffered)
        wm_p2p_count(r, WM_P2P_STARTED, tally);
}
/* Take it out of its tally, if it is in one, without waking anybody. */
void wm_p2p_uncount(struct wm_p2p_request *r, int which);
/* wm_p2p_sleep for a probe: a message that no receive waits for wakes the process, too. */
void wm_p2p_sleep_for_message(struct wm_p2p_process *process);
/* Progress, and where nothing moved let siblings go on, without waiting. True: something did. */
bool wm_p2p_poll(struct wm_p2p_process *process);

/* Put the data of a buffered send into the buffer. Returns MPI_SUCCESS, MPI_ERR_BUFFER, or MPI's error. */
int wm_p2p_buffer_put(struct wm_p2p_request *r, const struct wm_p2p_data *data);
/* Take out what is complete. */
void wm_p2p_buffer_sweep(struct wm_p2p_process *process);

#endif
