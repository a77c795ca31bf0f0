/* The wire: lines between the processes of a group, by rings in a node's memory, or by parcels of MPI between nodes.
 *
 * A line is a head of 32 bytes and a body. Lines of a pair of processes come in the order in which they were written. A
 * line is written at once or not at all: there may be no room, and then what belongs to the pair waits
 * (core/message/far.c). Which of the two carriers a pair has is known when the wire is opened; nothing else differs. */
#ifndef WM_MESSAGE_WIRE_H
#define WM_MESSAGE_WIRE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/net/parcels.h"
#include "core/net/shm_pool.h"
#include "core/net/shm_ring.h"
#include "core/node/node.h"

enum wm_line_kind {
    WM_LINE_NAME,  /* body: the name of protocol `context`, whose headers have so many bytes */
    WM_LINE_DUE,   /* body: when the next message, which stands in the next EAGER or ANNOUNCE, is due */
    WM_LINE_PART,  /* body: the first, or the next, data of the EAGER line to come, whose message has `bytes` */
    WM_LINE_EAGER, /* body: header and data, of which PARTs may have brought some; with a record an answer is wanted */
    WM_LINE_ANNOUNCE, /* body: header, and the address of the data; `bytes` of it wait with the sender */
    WM_LINE_GRANT,    /* body: a grant; send `bytes` of the message `record` */
    WM_LINE_DATA,     /* body: the next bytes for the receiver's record */
    WM_LINE_DONE,     /* the message `record` is received, or kept; so many bytes may be sent without asking */
    WM_LINE_REFUSE,   /* the message `record` ends with the error `number`; body: what the receiver knows */
    WM_LINE_CANCEL    /* take the message `record` out of the queue, and refuse it; where it is in none, nothing */
};

struct wm_line_head {
    uint32_t context;         /* the sender's number of the protocol */
    int32_t sender, receiver; /* endpoints */
    uint8_t kind, number;     /* number: enum wm_number of the data, or an error */
    uint16_t header_bytes;
    uint64_t record; /* the sender's of a message; 0: none */
    uint64_t bytes;
};
_Static_assert(sizeof(struct wm_line_head) == 32, "as the rings' lines have room for");

struct wm_grant {
    uint64_t record, promise; /* the receiver's; so many bytes may be sent without asking */
};

enum { WM_LINE_BODY_BYTES = WM_RING_EAGER_BYTES }; /* at most; of data, as much as there is room for */

/* What has come; `body` is there until the line is taken. */
struct wm_wire_line {
    struct wm_line_head head;
    const char *body, *data; /* data: behind the header, of a message's */
    size_t body_bytes;
};

/* Two pieces that stand behind one another in a body. */
struct wm_line_body {
    const void *first, *second;
    size_t first_bytes, second_bytes;
};

struct wm_passage;

struct wm_passages {
    struct wm_passage *first, **end;
};

/* Another process, as it is written to by one carrier. */
struct wm_wire_peer {
    int number; /* of peers */
    int process;
    bool near; /* by rings */
    struct wm_ring_reader in;
    struct wm_ring_writer out;
    struct wm_shm_chunk *pool; /* from which it sends to this process */
    long id;                   /* its process id */
    bool watched;              /* which tells when it ends */
    /* By parcels. */
    struct wm_parcel_share share;
    uint32_t next_out, next_in; /* numbers of parcels */
    struct wm_parcel *waiting;  /* that have arrived, by number */
    size_t read_bytes;          /* of the first of them */
    struct wm_wire_peer *ready; /* the next of those for which a parcel has arrived */
    bool is_ready;
    struct wm_parcel *gathered;     /* that waits for more lines */
    struct wm_wire_peer *gathering; /* the next of those with one */
    /* core/message/far.c */
    struct wm_passages queue;     /* lines to be written */
    struct wm_passages streams;   /* sends that have been granted */
    bool is_busy;                 /* there are some */
    struct wm_context **contexts; /* by the peer's numbers */
    uint32_t context_count;
    char *parts; /* data of the next message, with room for all of it; NULL where none came in parts */
    size_t part_bytes, whole_bytes; /* so much of it so far; and in all */
    bool is_delayed;                /* the message that comes next is due at a time */
    uint64_t due_ns;                /* of what came last of those */
};

struct wm_wire {
    MPI_Comm comm;
    int self, processes;
    struct wm_node *node;
    struct wm_shm_chunk *pool;
    struct wm_parcels *parcels; /* NULL: all processes are near */
    bool in_mpi;                /* a call about parcels is under way, beneath which the library may make progress */
    char *memory;               /* of parcels */
    struct wm_wire_peer *peers; /* by process; behind them near ones by MPI, if they may be written to so */
    int peer_count;
    struct wm_wire_peer **near;
    int near_count;
    struct wm_wire_peer *ready, *gathering;
};

/* Open it between the ranks of `comm`, whose places are `places`; `mpi_near`: near ones may be written to by MPI, too;
 * `parcels`: to send, and as many to receive. Collective. Returns 0 or -WM_EMPI. */
int wm_wire_open(struct wm_wire *wire, MPI_Comm comm, const struct wm_place *places, bool mpi_near, int parcels);
/* Nothing is under way at any process. Local, but for the communicator that is freed. */
void wm_wire_close(struct wm_wire *wire);

/* The same process, written to by MPI. */
static inline struct wm_wire_peer *wm_wire_peer_by_mpi(struct wm_wire *wire, struct wm_wire_peer *peer)
{
    return peer->near ? &wire->peers[wire->processes + peer->process] : peer;
}

/* Write a line whose body has at most WM_LINE_BODY_BYTES. False: there is no room. */
bool wm_wire_write(struct wm_wire *wire, struct wm_wire_peer *peer, const struct wm_line_head *head,
                   const struct wm_line_body *body);
/* The same; lines by MPI wait for others, up to so many bytes in all, until the peer is written to otherwise, or the
 * wire makes progress. */
bool wm_wire_gather(struct wm_wire *wire, struct wm_wire_peer *peer, const struct wm_line_head *head,
                    const struct wm_line_body *body, size_t most_bytes);
/* Write as much of the data as there is room for: so many bytes. */
size_t wm_wire_write_data(struct wm_wire *wire, struct wm_wire_peer *peer, const struct wm_line_head *head,
                          const char *data, size_t bytes);

/* The next line of a peer; false: there is none. */
bool wm_wire_look(struct wm_wire_peer *peer, struct wm_wire_line *line);
/* The line that was looked at is the writer's again. */
void wm_wire_take(struct wm_wire *wire, struct wm_wire_peer *peer);

/* Let MPI go on. True: something did. An error of MPI ends the job, with a sentence. */
bool wm_wire_progress(struct wm_wire *wire);
/* All that this process wrote by MPI has arrived. */
bool wm_wire_idle(const struct wm_wire *wire);

#endif
