/* The net over shared memory, as its files see it.
 *
 * A message is a line in the ring of its pair. Up to the eager size it has its data with it. Above, the line only names
 * it; the receiver, when a receive matches, asks for the data (GRANT), and the sender passes it in chunks through a
 * pool of buffers of its own, each told by a line and freed by a flag that the receiver writes; or the receiver reads
 * it from the sender's memory and says so (ACK). So nothing large waits in a ring, and what comes behind can be taken
 * out: messages that nobody waits for yet go to the heap.
 *
 * A ring is looked at while something is pending with that peer: a receive that is posted, a send that is not over.
 * Whoever waits for a line of a peer thus empties that peer's ring until the line comes. A line for which the ring has
 * no room stands in a queue, and what it belongs to is pending until it is written: a ticket is given back only when
 * nobody needs this rank for the message any more. As MPI's own, sends may wait until they are received. */
#ifndef WM_NET_SHM_STATE_H
#define WM_NET_SHM_STATE_H

#include "core/data/geometry.h"
#include "core/net/net.h"
#include "core/net/shm_pool.h"
#include "core/net/shm_ring.h"
#include "core/node/node.h"

/* What lines say; words[…] of their data. */
enum wm_shm_kind {
    WM_SHM_INLINE, /* a message and its data */
    WM_SHM_EAGER,  /* a message, its data in the payload at words[0] */
    WM_SHM_LARGE,  /* a message of words[0] bytes, the sender's record words[1], the data's address words[2] or 0 */
    WM_SHM_GRANT,  /* send words[1] bytes of record words[0] to record words[2] */
    WM_SHM_ACK,    /* record words[0] has been read */
    WM_SHM_CHUNK   /* words[1] bytes for record words[0] in the pool's buffer words[2] */
};

/* A message under way. It stands in one list of its peer at most, and then `next` leads on. */
struct wm_shm_record {
    struct wm_shm_record *next;
    struct wm_ticket ticket;
    uint8_t kind; /* the line to be written for it */
    int tag;
    char *data;   /* contiguous: the user's, or `packed` */
    char *packed; /* on the heap, to be freed; NULL: none */
    size_t bytes; /* that the message has, or that fit into a receive */
    size_t moved; /* of them so far */
    size_t chunk_bytes;
    uint64_t other; /* the peer's record */
    bool single;    /* the peer may read it */
    /* Of a receive whose data is not contiguous. */
    MPI_Datatype type;
    void *address;
};

struct wm_shm_list {
    struct wm_shm_record *first, **end;
};

/* A message that came before its receive. */
struct wm_shm_unexpected {
    struct wm_shm_unexpected *next;
    struct wm_ring_line line;
    char payload[];
};

struct wm_shm_peer {
    struct wm_ring_reader in;
    struct wm_ring_writer out;
    struct wm_shm_list posted;  /* receives */
    struct wm_shm_list queue;   /* lines to be written */
    struct wm_shm_list streams; /* sends that have been granted */
    struct wm_shm_unexpected *unexpected, **unexpected_end;
    struct wm_shm_chunk *pool; /* the peer's, from which it sends to this rank */
    int pending;               /* tickets to come */
    bool listed;               /* in `polled` */
};

struct wm_shm_net {
    struct wm_net net;
    struct wm_node *node;
    struct wm_shm_peer *peers; /* by local number */
    int *polled, polled_count; /* those with something pending */
    int pending;               /* of all */
    struct wm_shm_chunk *pool;
    struct wm_shm_record *idle;
    MPI_Datatype plain; /* the last datatype that was found to be predefined and without gaps */
    int complete, first, room;
    struct wm_ticket *tickets; /* [room] `complete` of them from `first` on, to be collected */
};

static inline void wm_shm_append(struct wm_shm_list *list, struct wm_shm_record *record)
{
    record->next = NULL;
    *list->end = record;
    list->end = &record->next;
}

static inline struct wm_shm_record *wm_shm_pop(struct wm_shm_list *list)
{
    struct wm_shm_record *record = list->first;

    if ((list->first = record->next) == NULL)
        list->end = &list->first;
    return record;
}

/* core/net/shm_queue.c. A record for a message, whose ticket is to come. Its peer's ring is looked at
 * from now on. It is idle again when its ticket has been given back, or, for what never was begun, when it is retired.
 */
struct wm_shm_record *wm_shm_record_new(struct wm_shm_net *net, struct wm_shm_peer *peer,
                                        const struct wm_message *message, struct wm_ticket ticket);
void wm_shm_complete(struct wm_shm_net *net, struct wm_shm_peer *peer, struct wm_shm_record *record);
void wm_shm_retire(struct wm_shm_net *net, struct wm_shm_peer *peer, struct wm_shm_record *record);

/* Write a message with its data. False: there is no room. */
bool wm_shm_write_eager(struct wm_ring_writer *out, int tag, const char *data, size_t bytes);
/* Write the record's line, and do what follows from it; if the ring is full, or others wait already, in the queue. */
void wm_shm_enqueue(struct wm_shm_net *net, struct wm_shm_peer *peer, struct wm_shm_record *record);
/* Write what is queued. True: there was room for some. */
bool wm_shm_flush(struct wm_shm_net *net, struct wm_shm_peer *peer);

/* core/net/shm_large.c. A receive has met a large message's line; a grant, an acknowledgement, a chunk has come. */
void wm_shm_meet(struct wm_shm_net *net, struct wm_shm_peer *peer, struct wm_shm_record *receive,
                 const struct wm_ring_line *line);
void wm_shm_granted(struct wm_shm_net *net, struct wm_shm_peer *peer, const struct wm_ring_line *line);
void wm_shm_acknowledged(struct wm_shm_net *net, struct wm_shm_peer *peer, const struct wm_ring_line *line);
void wm_shm_take_chunk(struct wm_shm_net *net, struct wm_shm_peer *peer, const struct wm_ring_line *line);
/* Pass on a chunk of a send. False: there is no free buffer, or no line. */
bool wm_shm_pass_chunk(struct wm_shm_net *net, struct wm_shm_peer *peer);
/* All bytes of a receive are at `data`: put them where they belong, and complete it. */
void wm_shm_received(struct wm_shm_net *net, struct wm_shm_peer *peer, struct wm_shm_record *receive);

#endif
