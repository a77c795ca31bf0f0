/* Messages: queues for any header, several protocols at once.
 *
 * A **protocol** is made from the type of its header (WM_PROTOCOL): typed functions, in which matching is inlined. A
 * group has **endpoints**, numbered from 0; each opens the protocols that it takes part in, by name. What is sent and
 * received is an **envelope**: header, buffer, bytes, peer. Send and receive return at once; `complete` says when an
 * envelope is the caller's again, and until then neither it nor its buffer may be moved or changed.
 *
 *     WM_PROTOCOL(mail, struct mail_header, mail_key, WM_KEY_DECIDES, WM_IN_ORDER, tag);
 *
 *     struct mail mail;
 *     struct mail_envelope letter = {.header = {7}, .message = {.buffer = text, .bytes = bytes, .peer = 3}};
 *
 *     mail_open(&mail, group, self, "mail");
 *     mail_send(&mail, &letter);
 *
 * Four queues:
 *   - *expected*: receives that wait for a message;
 *   - *unexpected*: messages that have been copied, as no receive was there: small ones, whose send is complete;
 *   - *unrequested*: messages whose data is still with the sender: large ones, those whose sender wants a rendezvous,
 *     and those for which the receiver's memory for unexpected ones is used up. A receive that takes one copies once,
 *     from buffer to buffer; then the send is complete;
 *   - *requested*: requests for data that came before their send. Within a process these are the expected receives: the
 *     sender sees them, and its data goes to their buffers at once.
 * The unexpected and the unrequested stand in one matching (waymark/matching.h), since a receive takes the first of
 * both. So what one endpoint sends to another, and what matches alike, is taken in order, also across wildcards.
 *
 * Endpoints of one process are siblings: all goes on when it is sent or received. A group may span processes, too
 * (waymark/message_comm.h). Then what is under way goes on in NAME_check, wm_envelope_wait, wm_endpoints_drain, of any
 * protocol, and in every call that lets the MPI library progress: waiting for one envelope, or for anything else, moves
 * all others. A small message is on its way at once, and its send complete, as long as the receiver has
 * said that it has memory for so many; else when the receiver has taken it or kept it. Of a large one the header goes
 * ahead, and the data when a receive has taken it. A cancelled send ends when the receiver has answered: cancelled, or
 * not, as it was too late. One thread at a time; of many: waymark/message_threads.h. */
#ifndef WM_MESSAGE_H
#define WM_MESSAGE_H

#include <string.h>
#include "waymark/header.h"
#include "waymark/matching.h"
#include "waymark/number.h"

#define WM_MESSAGE_API WM_MATCHING_API
#define WM_MESSAGE_RARE __attribute__((cold)) /* what calls it is laid out as if it did not */

enum { WM_MESSAGE_HEADER_BYTES = 4096, WM_MESSAGE_NAME_BYTES = 255 }; /* at most */
/* Copies of so many bytes are short; the memory of so many of them is kept for the next ones. */
enum { WM_MESSAGE_SHORT_BYTES = 64, WM_MESSAGE_IDLE = 64 };

/* X(name, what): what can become of an envelope, or of opening a protocol. wm_message_sentence says it whole. */
/* clang-format off */
#define WM_MESSAGE_ERRORS(X)                                                                                           \
    X(DONE,      "nothing is wrong")                                                                                   \
    X(TRUNCATED, "the message is longer than the receive")                                                             \
    X(INEXACT,   "a number of the message is none of the receive's type")                                              \
    X(CANCELLED, "it was cancelled")                                                                                   \
    X(CLOSED,    "the peer has closed the protocol")                                                                   \
    X(UNKNOWN,   "the peer does not know the protocol")                                                                \
    X(HEADER,    "the protocol has another header elsewhere")                                                          \
    X(TWICE,     "the endpoint has opened the protocol already")                                                       \
    X(RANGE,     "there is no such endpoint in the group")                                                             \
    X(WILD,      "a message has wildcards")                                                                            \
    X(FORM,      "there are too many kinds of wildcards")                                                              \
    X(FULL,      "there are too many receives")                                                                        \
    X(MEMORY,    "there is no memory")                                                                                 \
    X(BUSY,      "the envelope is under way")                                                                          \
    X(NAME,      "its name is longer than 255 bytes")
/* clang-format on */

enum wm_message_error {
#define X(name, what) WM_MESSAGE_##name,
    WM_MESSAGE_ERRORS(X)
#undef X
};

/* Where an envelope is. */
enum wm_envelope_place {
    WM_ENVELOPE_FREE,        /* the caller's */
    WM_ENVELOPE_EXPECTED,    /* a receive that waits */
    WM_ENVELOPE_UNEXPECTED,  /* the receiver's own, with a copy of the data */
    WM_ENVELOPE_UNREQUESTED, /* a send that waits */
    WM_ENVELOPE_TAKEN,       /* a send that a matched probe has taken */
    WM_ENVELOPE_SENT,        /* a send to another process, which has not answered */
    WM_ENVELOPE_ANNOUNCED,   /* the receiver's own: the data is with a sender of another process */
    WM_ENVELOPE_MOVING       /* a receive whose data comes from another process */
};

struct wm_envelope {
    void *buffer;
    size_t bytes;    /* to be sent; room for a receive; of a complete receive: received */
    int peer;        /* to whom; of a complete receive: from whom */
    bool rendezvous; /* of a send: complete only when it is received */
    bool complete;
    unsigned char place;  /* enum wm_envelope_place; at first 0 */
    unsigned char error;  /* enum wm_message_error; of a complete envelope, or of what refused it */
    unsigned char number; /* enum wm_number: what the buffer holds; the receive's is what is received, unless one of
                             both is WM_BYTES */
    unsigned char sent;   /* of a complete receive: the message's `number` */
    uint16_t traced;      /* the protocol's `traced`, of what is recorded; 0 */
    int sender;
    size_t whole;    /* of a complete receive: the message's bytes, as they are received; of what is recorded, until
                        then: when it was posted, or kept */
    uint64_t record; /* between processes: what its sender calls it */
    /* Is called once, when it is complete, and sends and receives nothing; set while it is under way. NULL: nobody
     * wants to know. */
    void (*notify)(struct wm_envelope *e);
};

struct wm_endpoints;
struct wm_message_delay;

/* A message that has come from another process. */
struct wm_arrival {
    const void *header;
    struct wm_envelope message; /* buffer, bytes, number, sender, record */
    bool along;                 /* the data is at `buffer`; else that is its address in the sender's process, or NULL */
};

/* How messages of a protocol of up to so many bytes go to some peers. */
struct wm_message_way {
    size_t most_bytes;        /* SIZE_MAX: the last of the ways */
    size_t eager_below;       /* messages of so many bytes, and more, wait with their sender for a receive */
    size_t single_copy_bytes; /* of these, those of so many are read from the sender's memory; 0: as the limits say */
    size_t gather_bytes; /* those by MPI that are so small that it pays wait for others, so many bytes in all, until
                            the sender waits, checks or probes; 0: none do */
    bool by_mpi;         /* to near peers, too */
    bool traced;         /* what becomes of them is recorded, where the job is traced … */
    uint16_t trace_node; /* … as of this place of the map */
    const struct wm_message_delay *delay; /* under which they are (core/message/delay.h); NULL: under none */
};

/* What an endpoint may send to another process without asking. */
struct wm_room {
    size_t bytes;  /* of copies, as the receiver counts them */
    bool asked;    /* for more */
    size_t risked; /* sent without a promise since the last answer; where that promised nothing, all that could be */
};

/* A protocol in a group; what its endpoints have opened. */
struct wm_context {
    struct wm_context *next;
    char *name;
    size_t header_bytes;
    int endpoints;
    uint32_t number;        /* in the group */
    bool *named;            /* by peer (core/message/wire.h): it has been told number and name; NULL: there is none */
    char *elsewhere;        /* what an endpoint that did not know it last does know */
    size_t elsewhere_bytes; /* of the headers of an endpoint that has others */
    bool told;              /* that an endpoint here is sent it, but does not know it */
    void *opened[];         /* by endpoint: its struct NAME, which begins with a struct wm_protocol; NULL: it has not */
};

/* One endpoint's part of a protocol. */
struct wm_protocol {
    struct wm_endpoints *group;
    struct wm_context *context;
    int self;
    enum wm_message_error error;             /* why it is not open */
    struct wm_matching expected, unexpected; /* unexpected: the unrequested, too */
    const struct wm_message_way *ways[2];    /* to peers elsewhere; to those near, of the same node */
    size_t kept_bytes, limit_bytes;          /* of copies, with their headers; and at most */
    size_t tell_bytes;                       /* more of them are told */
    struct wm_match_link *idle;              /* memory of short copies, for the next ones … */
    unsigned idle_count;                     /* … and how many: WM_MESSAGE_IDLE at most */
    size_t header_bytes;
    size_t message_offset;                 /* of `message` in a struct NAME_envelope */
    uint16_t traced;                       /* its number in the trace; 0: nothing of it is recorded */
    void (*notify)(struct wm_protocol *p); /* is called whenever a message has come that no receive waits for */
    /* Of a group that spans processes. */
    bool (*come)(struct wm_protocol *p, const struct wm_arrival *a); /* NAME's, for what arrives */
    struct wm_room *rooms;                                           /* by endpoint; NULL: there is one process */
    uint64_t *delayed;             /* by endpoint: messages that were sent to it under a delay; NULL: to none */
    size_t share_bytes;            /* that another endpoint may send without asking */
    struct wm_match_link passages; /* envelopes under way between processes */
};

/* Limits of a group's endpoints; where they are 0, so many. */
struct wm_message_limits {
    size_t eager_bytes; /* 4 KiB to peers of the node, 512 KiB to others, where their share of memory is as large, and
                           the last answer promised some */
    size_t unexpected_bytes;  /* 64 MiB of copies, of each protocol at each endpoint: what is beyond stays with its
                                 sender */
    uint64_t receives;        /* 2^20, of each protocol at each endpoint */
    size_t single_copy_bytes; /* so large messages of other processes of the node are read from their memory, where
                                 that may be read; as measured (core/node/node.h) */
    /* Are told, in a sentence each, once for a protocol at an endpoint: that copies take three quarters of what they
     * may before messages stay with their senders, which is half of `unexpected_bytes` where the group spans processes;
     * when it is closed, that its keys made matching slow, by colliding or by being alike. NULL: nobody. */
    void (*tell)(const char *sentence), (*tell_keys)(const char *sentence);
    /* The ways of a protocol's messages, in the order of their sizes, which are there until the group is freed; what
     * goes by MPI for one size does so for all. NULL: the same way for all messages, by `eager_bytes`. */
    const struct wm_message_way *(*ways)(void *map, const char *protocol, bool near);
    void (*forget)(void *map); /* the group is freed; NULL: nothing is to be done */
    void *map;
    /* Whether a delay holds, and a trace records, messages with this header; NULL: all. */
    bool (*holds)(const void *header);
    int parcels;   /* 32, of 56 KiB, by which messages go to other nodes; as many for those that come */
    bool mpi_near; /* some way to near peers is by MPI; the same in all processes */
};

/* Make a group of endpoints in this process. `limits` NULL: all are 0. NULL: no memory. */
WM_MESSAGE_API struct wm_endpoints *wm_endpoints_new(int count, const struct wm_message_limits *limits);
/* All protocols are closed. Where the group spans processes, collective over them. */
WM_MESSAGE_API void wm_endpoints_free(struct wm_endpoints *group);
/* Let what is under way between processes go on. True: something did. */
WM_MESSAGE_API bool wm_endpoints_drain(struct wm_endpoints *group);
/* Wait until an envelope is complete, and let everything go on meanwhile; a process that waits yields its processor. */
WM_MESSAGE_API void wm_envelope_wait(const struct wm_protocol *p, const struct wm_envelope *e);

/* What NAME_open and NAME_close call. */
WM_MESSAGE_API int wm_protocol_open(struct wm_protocol *p, struct wm_endpoints *group, int self, const char *name,
                                    size_t header_bytes, size_t message_offset,
                                    bool (*come)(struct wm_protocol *p, const struct wm_arrival *a));
WM_MESSAGE_API void wm_protocol_close(struct wm_protocol *p);
/* What arrivals call, once, when copies take more than `tell_bytes`. */
WM_MESSAGE_API void wm_protocol_tell_kept(struct wm_protocol *p);

/* What NAME_send calls for a peer that is no sibling with this protocol: it is in another process, or an error. */
WM_MESSAGE_API int wm_protocol_send_away(struct wm_protocol *p, struct wm_envelope *e, const void *header);
/* What the protocols' functions call for messages of other processes: a receive takes what has arrived; a receive
 * takes what was announced, which is over then; ask for the end of a send. */
WM_MESSAGE_API void wm_protocol_take_arrival(struct wm_protocol *p, struct wm_envelope *receive,
                                             const struct wm_arrival *a);
WM_MESSAGE_API void wm_protocol_fetch(struct wm_protocol *p, struct wm_envelope *receive,
                                      const struct wm_envelope *message);
WM_MESSAGE_API void wm_protocol_cancel_away(struct wm_protocol *p, struct wm_envelope *e);
/* The envelope of a message that no receive waits for, with the data, if it has come and there is room; NULL: there is
 * no memory. And what follows from its being filed. */
WM_MESSAGE_API void *wm_protocol_keep_arrival(struct wm_protocol *p, const struct wm_arrival *a);
WM_MESSAGE_API void wm_protocol_kept_arrival(struct wm_protocol *p, const struct wm_envelope *kept);

/* What a traced protocol's functions call, and others never: ticks now; a send or a receive begins; a message that no
 * receive waits for is kept, after a copy that began then, or where it began no copy, 0; a receive takes a message,
 * where it is; an envelope is complete. */
WM_MESSAGE_API WM_MESSAGE_RARE uint64_t wm_message_trace_now(void);
WM_MESSAGE_API WM_MESSAGE_RARE void wm_message_trace_send(const struct wm_protocol *p, struct wm_envelope *e);
WM_MESSAGE_API WM_MESSAGE_RARE void wm_message_trace_receive(const struct wm_protocol *p, struct wm_envelope *e);
WM_MESSAGE_API WM_MESSAGE_RARE void wm_message_trace_kept(const struct wm_protocol *p, struct wm_envelope *e,
                                                          uint64_t copied_from);
WM_MESSAGE_API WM_MESSAGE_RARE void wm_message_trace_match(const struct wm_protocol *p, struct wm_envelope *receive,
                                                           const struct wm_envelope *message);
WM_MESSAGE_API WM_MESSAGE_RARE void wm_message_trace_done(const struct wm_envelope *e);

/* Receive numbers of another type. Those before one that the receive's type has not are received. */
WM_MESSAGE_API void wm_envelope_convert(struct wm_envelope *receive, const struct wm_envelope *message);

/* Say what is wrong with an envelope of this endpoint, or, where `e` is NULL, why the protocol is not open, naming both
 * ends. Returns `out`. */
WM_MESSAGE_API const char *wm_message_sentence(const struct wm_protocol *p, const struct wm_envelope *e, char *out,
                                               size_t out_bytes);

/* Tell who wants to know that an envelope is complete; that a message has come that no receive waits for. */
WM_MESSAGE_API void wm_envelope_notify(struct wm_envelope *e);
WM_MESSAGE_API void wm_protocol_notify(struct wm_protocol *p);

#include "waymark/message_inline.h"

/* Make the protocol NAME of a header's type: struct NAME (one endpoint's part), struct NAME_envelope, and NAME_… . What
 * key, test and before are says WM_MATCHING; behind them come the names of all members of the header. Functions that
 * return an int return 0 or an enum wm_message_error, which the envelope has, too. */
#define WM_PROTOCOL(name, header_type, key, test, before, ...)                                                         \
    WM_HEADER_IS_PLAIN(header_type, __VA_ARGS__);                                                                      \
    struct name##_envelope {                                                                                           \
        struct wm_match match;                                                                                         \
        header_type header; /* of a complete receive: the message's */                                                 \
        struct wm_envelope message;                                                                                    \
    };                                                                                                                 \
    struct name {                                                                                                      \
        struct wm_protocol common;                                                                                     \
    };                                                                                                                 \
    WM_MATCHING(name, struct name##_envelope, header_type, key, test, before);                                         \
                                                                                                                       \
    /* A message comes from another process. False: there is no memory for it. */                                      \
    static __attribute__((unused)) bool wm_##name##_come(struct wm_protocol *p, const struct wm_arrival *a)            \
    {                                                                                                                  \
        struct name##_envelope *e = name##_posted_find(&p->expected, (const header_type *)a->header);                  \
                                                                                                                       \
        if (e != NULL) {                                                                                               \
            name##_posted_remove(&p->expected, e);                                                                     \
            memcpy(&e->header, a->header, sizeof e->header);                                                           \
            wm_protocol_take_arrival(p, &e->message, a);                                                               \
            return true;                                                                                               \
        }                                                                                                              \
        if ((e = (struct name##_envelope *)wm_protocol_keep_arrival(p, a)) == NULL)                                    \
            return false;                                                                                              \
        if (name##_arrived_put(&p->unexpected, e) != 0) {                                                              \
            free(e);                                                                                                   \
            return false;                                                                                              \
        }                                                                                                              \
        wm_protocol_kept_arrival(p, &e->message);                                                                      \
        wm_protocol_come_unexpected(p);                                                                                \
        return true;                                                                                                   \
    }                                                                                                                  \
    /* Open it at an endpoint of a group, as nobody has so far; it stays where                                         \
     * it is. */                                                                                                       \
    WM_MATCHING_TYPED int name##_open(struct name *p, struct wm_endpoints *group, int self, const char *called)        \
    {                                                                                                                  \
        return wm_protocol_open(&p->common, group, self, called, sizeof(header_type),                                  \
                                offsetof(struct name##_envelope, message), wm_##name##_come);                          \
    }                                                                                                                  \
    /* Close it: receives that wait are cancelled, sends that wait for this                                            \
     * endpoint end with WM_MESSAGE_CLOSED. */                                                                         \
    WM_MATCHING_TYPED void name##_close(struct name *p)                                                                \
    {                                                                                                                  \
        wm_protocol_close(&p->common);                                                                                 \
    }                                                                                                                  \
                                                                                                                       \
    /* A copy of a message that no receive waits for; NULL: no memory. */                                              \
    WM_MATCHING_INLINED struct name##_envelope *wm_##name##_copy(struct name *to, const header_type *header,           \
                                                                 const struct wm_envelope *message)                    \
    {                                                                                                                  \
        struct name##_envelope *copy = (struct name##_envelope *)wm_protocol_keep(&to->common, message->bytes);        \
                                                                                                                       \
        if (copy == NULL)                                                                                              \
            return NULL;                                                                                               \
        copy->header = *header;                                                                                        \
        copy->message.buffer = &copy->message + 1;                                                                     \
        copy->message.bytes = message->bytes;                                                                          \
        copy->message.place = WM_ENVELOPE_UNEXPECTED;                                                                  \
        copy->message.number = message->number;                                                                        \
        copy->message.sender = message->sender;                                                                        \
        wm_message_move(&copy->message + 1, message->buffer, message->bytes);                                          \
        return copy;                                                                                                   \
    }                                                                                                                  \
    /* No receive waits for it: a copy arrives. False: it is not to be copied, or there is no room. */                 \
    WM_MATCHING_INLINED bool wm_##name##_leave(struct name *to, const header_type *header,                             \
                                               const struct wm_envelope *message)                                      \
    {                                                                                                                  \
        uint64_t from = __builtin_expect(message->traced != 0, 0) ? wm_message_trace_now() : 0;                        \
        struct name##_envelope *copy =                                                                                 \
            wm_protocol_copies(&to->common, message) ? wm_##name##_copy(to, header, message) : NULL;                   \
                                                                                                                       \
        if (copy == NULL)                                                                                              \
            return false;                                                                                              \
        if (__builtin_expect(name##_arrived_put(&to->common.unexpected, copy) != 0, 0)) {                              \
            wm_protocol_let_go(&to->common, copy, message->bytes);                                                     \
            return false;                                                                                              \
        }                                                                                                              \
        if (__builtin_expect(message->traced != 0, 0))                                                                 \
            wm_message_trace_kept(&to->common, &copy->message, from);                                                  \
        wm_protocol_come_unexpected(&to->common);                                                                      \
        to->common.kept_bytes += wm_protocol_copy_bytes(&to->common, message->bytes);                                  \
        if (__builtin_expect(to->common.kept_bytes > to->common.tell_bytes, 0))                                        \
            wm_protocol_tell_kept(&to->common);                                                                        \
        return true;                                                                                                   \
    }                                                                                                                  \
    /* No receive waits for it: a copy arrives, or the envelope itself. */                                             \
    WM_MATCHING_TYPED int wm_##name##_arrive(struct name *to, struct name##_envelope *e)                               \
    {                                                                                                                  \
        int refusal;                                                                                                   \
                                                                                                                       \
        if (wm_##name##_leave(to, &e->header, &e->message))                                                            \
            return wm_envelope_complete(&e->message, WM_MESSAGE_DONE);                                                 \
        if ((refusal = name##_arrived_put(&to->common.unexpected, e)) != 0)                                            \
            return wm_envelope_complete(&e->message, wm_message_refusal(refusal));                                     \
        if (__builtin_expect(e->message.traced != 0, 0))                                                               \
            wm_message_trace_kept(&to->common, &e->message, 0);                                                        \
        wm_protocol_come_unexpected(&to->common);                                                                      \
        e->message.place = WM_ENVELOPE_UNREQUESTED;                                                                    \
        return WM_MESSAGE_DONE;                                                                                        \
    }                                                                                                                  \
    /* The receive that waits for a message, which it is about to get; NULL: none does. */                             \
    WM_MATCHING_INLINED struct wm_envelope *wm_##name##_waiting(struct name *to, const header_type *header)            \
    {                                                                                                                  \
        struct name##_envelope *receive = name##_posted_find(&to->common.expected, header);                            \
                                                                                                                       \
        if (receive == NULL)                                                                                           \
            return NULL;                                                                                               \
        name##_posted_remove(&to->common.expected, receive);                                                           \
        receive->header = *header;                                                                                     \
        return &receive->message;                                                                                      \
    }                                                                                                                  \
    /* Send: header, buffer, bytes, peer, rendezvous are the caller's to set. */                                       \
    WM_MATCHING_TYPED int name##_send(struct name *p, struct name##_envelope *e)                                       \
    {                                                                                                                  \
        struct name *to;                                                                                               \
        struct wm_envelope *receive;                                                                                   \
        struct wm_key k = key(&e->header);                                                                             \
                                                                                                                       \
        if (!wm_envelope_begin(&e->message, p->common.self))                                                           \
            return WM_MESSAGE_BUSY;                                                                                    \
        if ((k.open[0] | k.open[1]) != 0)                                                                              \
            return wm_envelope_complete(&e->message, WM_MESSAGE_WILD);                                                 \
        if (__builtin_expect(p->common.traced != 0, 0))                                                                \
            wm_message_trace_send(&p->common, &e->message);                                                            \
        if ((to = (struct name *)wm_protocol_sibling(&p->common, e->message.peer)) == NULL)                            \
            return wm_protocol_send_away(&p->common, &e->message, &e->header);                                         \
        if ((receive = wm_##name##_waiting(to, &e->header)) == NULL)                                                   \
            return wm_##name##_arrive(to, e);                                                                          \
        if (__builtin_expect(receive->traced != 0, 0))                                                                 \
            wm_message_trace_match(&to->common, receive, &e->message);                                                 \
        wm_envelope_deliver(receive, &e->message);                                                                     \
        return wm_envelope_complete(&e->message, WM_MESSAGE_DONE);                                                     \
    }                                                                                                                  \
    /* A copy of so many bytes is no longer needed. */                                                                 \
    WM_MATCHING_INLINED void wm_##name##_let_go(struct name *p, struct name##_envelope *copy, size_t bytes)            \
    {                                                                                                                  \
        p->common.kept_bytes -= wm_protocol_copy_bytes(&p->common, bytes);                                             \
        wm_protocol_let_go(&p->common, copy, bytes);                                                                   \
    }                                                                                                                  \
    /* No receive waits for bytes that are given: a copy arrives. False: it does not. */                               \
    static __attribute__((noinline, unused)) bool wm_##name##_give_copy(                                               \
        struct name *to, const header_type *header, void *data, size_t bytes, int sender, bool rendezvous)             \
    {                                                                                                                  \
        struct wm_envelope message;                                                                                    \
                                                                                                                       \
        message.buffer = data;                                                                                         \
        message.bytes = bytes;                                                                                         \
        message.rendezvous = rendezvous;                                                                               \
        message.number = WM_BYTES;                                                                                     \
        message.traced = 0;                                                                                            \
        message.sender = sender;                                                                                       \
        return wm_##name##_leave(to, header, &message);                                                                \
    }                                                                                                                  \
    /* Send bytes, without an envelope, to a sibling, if that is over at once: a                                       \
     * receive gets them, or, unless it is a rendezvous, a copy is kept. False: it                                     \
     * is not, or what becomes of it is recorded; nothing is sent. */                                                  \
    WM_MATCHING_TYPED bool name##_give(struct name *p, const header_type *header, void *data, size_t bytes, int peer,  \
                                       bool rendezvous)                                                                \
    {                                                                                                                  \
        struct name *to = (struct name *)wm_protocol_sibling(&p->common, peer);                                        \
        struct wm_envelope *receive;                                                                                   \
                                                                                                                       \
        if (to == NULL || p->common.traced != 0)                                                                       \
            return false;                                                                                              \
        if ((receive = wm_##name##_waiting(to, header)) == NULL)                                                       \
            return wm_##name##_give_copy(to, header, data, bytes, p->common.self, rendezvous);                         \
        wm_envelope_hand(receive, p->common.self, data, bytes, WM_BYTES);                                              \
        return true;                                                                                                   \
    }                                                                                                                  \
    /* Receive bytes, without an envelope, if a copy of them is here that there is                                     \
     * room for: their header and `bytes` are set. False: there is none, or what                                       \
     * becomes of it is recorded; nothing is received. */                                                              \
    WM_MATCHING_TYPED bool name##_get(struct name *p, header_type *header, void *data, size_t room, size_t *bytes)     \
    {                                                                                                                  \
        struct name##_envelope *copy;                                                                                  \
        size_t given;                                                                                                  \
                                                                                                                       \
        if (p->common.traced != 0 || name##_arrived_find(&p->common.unexpected, header, &copy) != 0 || copy == NULL || \
            copy->message.place != WM_ENVELOPE_UNEXPECTED || (given = copy->message.bytes) > room)                     \
            return false;                                                                                              \
        name##_arrived_remove(&p->common.unexpected, copy);                                                            \
        *header = copy->header;                                                                                        \
        *bytes = given;                                                                                                \
        wm_message_move(data, copy->message.buffer, given);                                                            \
        wm_##name##_let_go(p, copy, given);                                                                            \
        return true;                                                                                                   \
    }                                                                                                                  \
    /* Receive a message that is out of the queues: its send is complete, or                                           \
     * what was kept of it freed. */                                                                                   \
    WM_MATCHING_TYPED int wm_##name##_meet(struct name *p, struct name##_envelope *e, struct name##_envelope *message) \
    {                                                                                                                  \
        unsigned char place = message->message.place;                                                                  \
                                                                                                                       \
        e->header = message->header;                                                                                   \
        if (__builtin_expect(e->message.traced != 0, 0))                                                               \
            wm_message_trace_match(&p->common, &e->message, &message->message);                                        \
        if (__builtin_expect(place == WM_ENVELOPE_ANNOUNCED, 0)) {                                                     \
            wm_protocol_fetch(&p->common, &e->message, &message->message);                                             \
            free(message);                                                                                             \
            return e->message.error;                                                                                   \
        }                                                                                                              \
        wm_envelope_deliver(&e->message, &message->message);                                                           \
        if (place == WM_ENVELOPE_UNEXPECTED)                                                                           \
            wm_##name##_let_go(p, message, message->message.bytes);                                                    \
        else                                                                                                           \
            wm_envelope_complete(&message->message, WM_MESSAGE_DONE);                                                  \
        return e->message.error;                                                                                       \
    }                                                                                                                  \
    /* Receive: header (perhaps with wildcards), buffer and bytes are the                                              \
     * caller's to set. */                                                                                             \
    WM_MATCHING_TYPED int name##_receive(struct name *p, struct name##_envelope *e)                                    \
    {                                                                                                                  \
        struct name##_envelope *message;                                                                               \
        int refusal;                                                                                                   \
                                                                                                                       \
        if (!wm_envelope_begin(&e->message, p->common.self))                                                           \
            return WM_MESSAGE_BUSY;                                                                                    \
        if (__builtin_expect(p->common.traced != 0, 0))                                                                \
            wm_message_trace_receive(&p->common, &e->message);                                                         \
        refusal = name##_arrived_find(&p->common.unexpected, &e->header, &message);                                    \
        if (message != NULL) {                                                                                         \
            name##_arrived_remove(&p->common.unexpected, message);                                                     \
            return wm_##name##_meet(p, e, message);                                                                    \
        }                                                                                                              \
        if (refusal != 0 || (refusal = name##_posted_put(&p->common.expected, e)) != 0)                                \
            return wm_envelope_complete(&e->message, wm_message_refusal(refusal));                                     \
        e->message.place = WM_ENVELOPE_EXPECTED;                                                                       \
        return WM_MESSAGE_DONE;                                                                                        \
    }                                                                                                                  \
                                                                                                                       \
    /* Is it complete? What is under way goes on meanwhile. */                                                         \
    WM_MATCHING_TYPED bool name##_check(struct name *p, const struct name##_envelope *e)                               \
    {                                                                                                                  \
        if (!e->message.complete && p->common.rooms != NULL)                                                           \
            wm_endpoints_drain(p->common.group);                                                                       \
        return e->message.complete;                                                                                    \
    }                                                                                                                  \
    /* Wait for it. */                                                                                                 \
    WM_MATCHING_TYPED void name##_wait(struct name *p, const struct name##_envelope *e)                                \
    {                                                                                                                  \
        if (!e->message.complete)                                                                                      \
            wm_envelope_wait(&p->common, &e->message);                                                                 \
    }                                                                                                                  \
    /* Take it out of every queue: it is complete, with WM_MESSAGE_CANCELLED.                                          \
     * False: it is too late, or too early, or the peer in another process is                                          \
     * asked: then it is complete some time, with WM_MESSAGE_CANCELLED or without. */                                  \
    WM_MATCHING_TYPED bool name##_cancel(struct name *p, struct name##_envelope *e)                                    \
    {                                                                                                                  \
        if (e->message.place == WM_ENVELOPE_EXPECTED) {                                                                \
            name##_posted_remove(&p->common.expected, e);                                                              \
        } else if (e->message.place == WM_ENVELOPE_UNREQUESTED) {                                                      \
            name##_arrived_remove(&((struct name *)p->common.context->opened[e->message.peer])->common.unexpected, e); \
        } else {                                                                                                       \
            if (e->message.place == WM_ENVELOPE_SENT)                                                                  \
                wm_protocol_cancel_away(&p->common, &e->message);                                                      \
            return false;                                                                                              \
        }                                                                                                              \
        wm_envelope_complete(&e->message, WM_MESSAGE_CANCELLED);                                                       \
        return true;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    /* Look for a message, and if there is none let what is under way go on, and                                       \
     * look again. */                                                                                                  \
    WM_MATCHING_TYPED int wm_##name##_look(struct name *p, const header_type *header, struct name##_envelope **found)  \
    {                                                                                                                  \
        int refusal = name##_arrived_find(&p->common.unexpected, header, found);                                       \
                                                                                                                       \
        if (*found == NULL && refusal == 0 && p->common.rooms != NULL && wm_endpoints_drain(p->common.group))          \
            refusal = name##_arrived_find(&p->common.unexpected, header, found);                                       \
        return refusal != 0 ? wm_message_refusal(refusal) : WM_MESSAGE_DONE;                                           \
    }                                                                                                                  \
    /* The message that a receive with this header would take now, where it is:                                        \
     * its header, message.bytes and message.sender may be read. *found NULL:                                          \
     * there is none. Returns 0, WM_MESSAGE_FORM or WM_MESSAGE_MEMORY. */                                              \
    WM_MATCHING_TYPED int name##_probe(struct name *p, const header_type *header,                                      \
                                       const struct name##_envelope **found)                                           \
    {                                                                                                                  \
        struct name##_envelope *message;                                                                               \
        int error = wm_##name##_look(p, header, &message);                                                             \
                                                                                                                       \
        *found = message;                                                                                              \
        return error;                                                                                                  \
    }                                                                                                                  \
    /* The same, and no other receive gets it: it is for NAME_receive_taken                                            \
     * alone, which has to come. */                                                                                    \
    WM_MATCHING_TYPED int name##_take(struct name *p, const header_type *header, struct name##_envelope **taken)       \
    {                                                                                                                  \
        int error = wm_##name##_look(p, header, taken);                                                                \
                                                                                                                       \
        if (*taken != NULL) {                                                                                          \
            name##_arrived_remove(&p->common.unexpected, *taken);                                                      \
            if ((*taken)->message.place == WM_ENVELOPE_UNREQUESTED)                                                    \
                (*taken)->message.place = WM_ENVELOPE_TAKEN;                                                           \
        }                                                                                                              \
        return error;                                                                                                  \
    }                                                                                                                  \
    /* Receive what was taken: buffer and bytes are the caller's to set. `taken`                                       \
     * is no longer. */                                                                                                \
    WM_MATCHING_TYPED int name##_receive_taken(struct name *p, struct name##_envelope *e,                              \
                                               struct name##_envelope *taken)                                          \
    {                                                                                                                  \
        if (!wm_envelope_begin(&e->message, p->common.self))                                                           \
            return WM_MESSAGE_BUSY;                                                                                    \
        if (__builtin_expect(p->common.traced != 0, 0))                                                                \
            wm_message_trace_receive(&p->common, &e->message);                                                         \
        return wm_##name##_meet(p, e, taken);                                                                          \
    }                                                                                                                  \
    _Static_assert(offsetof(struct name##_envelope, header) == sizeof(struct wm_match), "as what arrives is kept");    \
    _Static_assert(sizeof(header_type) <= WM_MESSAGE_HEADER_BYTES, #header_type " is too large")

#endif
