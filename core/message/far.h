/* Groups that span processes: what is under way, and how it goes on.
 *
 * A **passage** is an envelope under way between processes, or a line that cannot be written yet. A send is queued,
 * then waits for an answer (its address is the message's record), then streams, if the data was asked for. A receive is
 * a passage from when it asks for the data until it has it. */
#ifndef WM_MESSAGE_FAR_H
#define WM_MESSAGE_FAR_H

#include <pthread.h>
#include "core/message/endpoints.h"
#include "core/message/wire.h"

struct wm_passage {
    struct wm_match_link link; /* in its protocol's passages, if it has an envelope */
    struct wm_passage *next;   /* in its peer's queue or streams, or of the idle ones */
    struct wm_wire_peer *peer;
    struct wm_protocol *p;
    struct wm_envelope *e; /* NULL: it is a line and nothing else */
    struct wm_line_head head;
    struct wm_line_body body;
    uint64_t word;         /* a body */
    struct wm_grant grant; /* another */
    bool waits;            /* for an answer, when its line is written */
    bool asks;             /* and that says how much may be sent without asking */
    uint64_t record;       /* the other process's */
    char *data;            /* that streams, from here or to here */
    size_t bytes, moved;
    char *memory;               /* of a body, or of data that is to be converted: to be freed */
    struct wm_envelope message; /* of a receive: what it takes */
};

struct wm_far {
    struct wm_wire wire;
    int each; /* endpoints of a process */
    size_t single_copy_bytes;
    struct wm_wire_peer **busy; /* those with a queue or streams */
    int busy_count;
    struct wm_held *held, *held_last; /* core/message/delay.h: by when they are due */
    long watched_second;              /* when the others were last looked at */
    struct wm_passage *idle;
    struct wm_endpoints *next; /* core/message/progress.c */
    bool threads;              /* there may be others beside `thread`, which made the group */
    pthread_t thread;
};

static inline struct wm_wire_peer *wm_far_peer(struct wm_far *far, int endpoint)
{
    return &far->wire.peers[endpoint / far->each];
}

/* core/message/passage.c. */
struct wm_passage *wm_passage_new(struct wm_far *far, struct wm_wire_peer *peer);
/* Of an envelope of a protocol. */
struct wm_passage *wm_passage_begin(struct wm_protocol *p, struct wm_envelope *e, struct wm_wire_peer *peer);
/* It is over: if it was a send, complete with an error or none. */
void wm_passage_end(struct wm_far *far, struct wm_passage *f, int error);
/* Write its line, now or when there is room. */
void wm_passage_write(struct wm_far *far, struct wm_passage *f);
/* The data was asked for: so many bytes. */
void wm_passage_stream(struct wm_far *far, struct wm_passage *f, size_t bytes, uint64_t record);
/* Write a line that belongs to no envelope; the body is copied if it cannot be written now. */
void wm_far_say(struct wm_far *far, struct wm_wire_peer *peer, const struct wm_line_head *head,
                const struct wm_line_body *body);
/* Write what waits. True: there was room for some. */
bool wm_far_write_waiting(struct wm_far *far);

/* core/message/far_send.c. Send to an endpoint of another process. An answer has come. */
int wm_far_send(struct wm_protocol *p, struct wm_envelope *e, const void *header);
void wm_far_granted(struct wm_far *far, const struct wm_wire_line *line);
void wm_far_done(struct wm_far *far, const struct wm_wire_line *line);
void wm_far_refused(struct wm_far *far, const struct wm_wire_line *line);
/* A protocol is closed: cancel what it sends, and wait for all that is under way. */
void wm_far_settle(struct wm_protocol *p);

/* core/message/far_receive.c. A message has come; false: there is no memory for it. Data has come. A sender cancels. */
bool wm_far_message(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line);
void wm_far_data(struct wm_far *far, const struct wm_wire_line *line);
void wm_far_cancelled(struct wm_far *far, struct wm_wire_peer *peer, const struct wm_wire_line *line);
/* The protocol that a line is for, at its receiver; NULL: it has not opened it. */
struct wm_protocol *wm_far_receiver(const struct wm_wire_peer *peer, const struct wm_wire_line *line);
/* The message `record`, if it is one, is received or kept. */
void wm_far_say_done(const struct wm_protocol *p, int sender, uint64_t record);
/* A message that was announced ends with an error at its sender. */
void wm_far_refuse(const struct wm_protocol *p, const struct wm_envelope *announced, enum wm_message_error error);

/* core/message/progress.c. From now on, or no longer, the MPI library's progress drains the group. */
void wm_far_begin_progress(struct wm_endpoints *group);
void wm_far_end_progress(struct wm_endpoints *group);
/* What the library calls back may use the group: not beneath a call of the wire's to MPI, when its tables are between
 * two states; and a group that is not many threads' in its maker alone. */
bool wm_far_may_drain(const struct wm_endpoints *group);

/* core/message/lost.c. A rank that waits looks once a second whether the node's other processes are there; where one is
 * gone the job ends with a sentence. */
void wm_far_begin_watch(struct wm_far *far);
void wm_far_watch(struct wm_far *far);

/* core/message/far.c. Drain, or rest where nothing moved, for the `turn`th time in a row. */
void wm_endpoints_rest(struct wm_endpoints *group, unsigned *turn);
/* The same for one that rests elsewhere. True: something moved. */
bool wm_endpoints_look(struct wm_endpoints *group, unsigned *turn);
/* All that this process wrote has arrived, and nothing waits to be written, or to be due here. A send that waits for
 * its receive is not under way. */
bool wm_endpoints_idle(const struct wm_endpoints *group);
void wm_far_free(struct wm_endpoints *group);

#endif
