/* The recorder: timestamped 32-byte records in a file-backed shared mapping, one file a rank. Knows no MPI.
 *
 * Files of a trace directory, per rank: `rank-NNNNN.trace` (a header page, then records) and `rank-NNNNN.json`
 * (definitions: one JSON document a line, each written by one write(2) before the first record that needs it).
 * Recording never blocks, never allocates, never enters the kernel: the mapping is allocated (posix_fallocate) and
 * faulted in at the start. After SIGKILL all records written so far are in the file. Pages of a file that somebody cuts
 * are replaced by others, and what is recorded there is lost (tracer/guard.h).
 * A recorder is written by one thread, unless wm_recorder_share was called. Definitions come from one thread at a time.
 */
#ifndef WM_TRACER_H
#define WM_TRACER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"

/* clang-format off */
#define WM_TRACE_KINDS(X)                                                                                         \
    X(ENTER,     "enter",     "a trace wrapper, or a native call (node 0), begins; flags: operation; peer: root or -1; argument: bytes") \
    X(LEAVE,     "leave",     "… ends; the same fields")                                                          \
    X(SEND_POST, "send-post", "a send is posted; peer: destination; argument: WM_TRACE_EDGE(message, bytes)")     \
    X(SEND_DONE, "send-done", "it is complete; the same fields")                                                  \
    X(RECV_POST, "recv-post", "a receive is posted; peer: source; argument: WM_TRACE_EDGE(message, bytes)")       \
    X(RECV_DONE, "recv-done", "it is complete; the same fields")                                                  \
    X(REDUCE,    "reduce",    "an operator was applied; argument: ticks it took, ending at this record's time")   \
    X(COPY,      "copy",      "data was copied locally; argument: ticks it took")                                 \
    X(QUESTION,  "question",  "the map server was asked; flags: operation; argument: nanoseconds until the answer") \
    X(CLOCK,     "clock",     "a pair of clocks: time in ticks, argument CLOCK_MONOTONIC in ns")                  \
    X(SHARED,    "shared",    "a shared step is over: a collective in a node's memory; argument: ticks since this rank came to it") \
    X(CONVEY_STATE,   "convey-state",   "a conveyor enters a state; flags: which; sequence, here and below: its run; argument: WM_TRACE_TURNS(progressed, all)") \
    X(CONVEY_OPEN,    "convey-open",    "a buffer is opened; peer: outlet; flags: 1 for an item of a relay; argument: its first unit's position on the link") \
    X(CONVEY_CLOSE,   "convey-close",   "it is handed over; peer: outlet; flags: reason; argument: WM_TRACE_LOAD(units, bytes)") \
    X(CONVEY_TAKE,    "convey-take",    "a chunk of units has come; peer: inlet; argument: its first unit's position on the link") \
    X(CONVEY_PULL,    "convey-pull",    "the first item of a chunk that was taken before is pulled; peer: inlet; argument: as of the take") \
    X(CONVEY_GIVE,    "convey-give",    "a chunk is used up; peer: inlet; argument: the position behind its last unit") \
    X(CONVEY_BLOCKED, "convey-blocked", "an outlet has room again; peer: outlet; flags: 1 where a relay waits; argument: ticks since it had none") \
    X(CONVEY_COUNT,   "convey-count",   "at the end of a run; flags: enum wm_trace_count; argument: how many")                                 \
    X(CONVEY_SAMPLE,  "convey-sample",  "a watched item; flags: enum wm_trace_step; peer: outlet, or inlet; argument: ticks when its source pushed it") \
    X(SYNC,      "sync",      "clocks were compared; peer: world rank of the clock compared with; argument: its CLOCK_MONOTONIC minus ours, signed, in ns; sequence: half the interval in ns; flags: 1 when the two are one clock") \
    X(LEVEL,     "level",     "recording was switched; flags: enum wm_trace_level from here on")                       \
    X(MARK,      "mark",      "the program says where it is; argument: the mark's id in the definitions")              \
    X(WAIT,      "wait",      "the program waited in MPI_Wait or its like, and this call was complete then; argument: ticks it took, ending at this record's time")                         \
    X(ASK,       "ask",       "a call waits for its path, which the map is asked for; sequence: of the communicator's next call; flags: operation; argument: 1; 0: it is there") \
    X(MESSAGE_POST,  "message-post",  "a send or a receive of a protocol begins; communicator, here and below: the protocol's id; flags: 1 for a receive; peer: to whom, -1 of a receive; argument: bytes") \
    X(MESSAGE_KEPT,  "message-kept",  "a message that no receive waits for has come; flags: enum wm_trace_met; peer: from whom; argument: WM_TRACE_KEPT(ticks of its copy, bytes)") \
    X(MESSAGE_MATCH, "message-match", "a receive takes a message; flags: enum wm_trace_met; peer: from whom; sequence: its bytes, the most where there are more; argument: ticks since the earlier of the two is there") \
    X(MESSAGE_DONE,  "message-done",  "a send or a receive is over; flags: 1 for a receive; peer: the other end; argument: bytes") \
    X(STATEMENT, "statement", "a statement is over; peer: its number in the definitions; argument: ticks since it was called") \
    X(REGION,    "region",    "a superblock comes to this place; communicator: its number in the definitions; flags: enum wm_trace_region; sequence: its pairs of receiving and computing so far; argument: ns that were computed in it since its last such record; of idle: idle ns, peer: the late rank of the world, -1 for a collective, sequence: the late message's tag") \
    X(MAP_EPOCH, "map-epoch", "another map holds on the communicator; sequence: its first call under it; node: the map's first number; flags: 1 where a further map is tried beside it; argument: the epoch") \
    X(P2P_POST,  "p2p-post",  "a send or a receive of the program begins; flags: WM_TRACE_P2P_…; peer: the other end, -1: any; sequence: tag, signed, -1: any; argument: WM_TRACE_EDGE(its number among the rank's, bytes; room of a receive)") \
    X(P2P_DONE,  "p2p-done",  "the program knows that it is over; the same fields, of a receive the message's own where its status is known; argument: WM_TRACE_EDGE(number, of a probe 0; ticks inside of the calls that waited for it or tested it, the last of which ends at this record's time)")
/* clang-format on */

enum wm_trace_kind {
#define X(id, name, help) WM_TRACE_##id,
    WM_TRACE_KINDS(X)
#undef X
        WM_TRACE_KIND_COUNT
};

/* "send-post". */
const char *wm_trace_kind_name(enum wm_trace_kind kind);

/* An edge's argument: the message's number within its plan and pair of ranks (24 bits), and its bytes (40 bits).
 * (communicator, sequence, source, destination, message) names a message on both sides. */
#define WM_TRACE_EDGE(message, bytes) (((uint64_t)(message) << 40) | ((uint64_t)(bytes)&0xffffffffffu))

/* A closed buffer's argument: units (30 bits, the most where there are more) and bytes (34 bits, likewise). */
#define WM_TRACE_LOAD_UNITS_MAX ((UINT64_C(1) << 30) - 1)
#define WM_TRACE_LOAD_BYTES_MAX ((UINT64_C(1) << 34) - 1)
#define WM_TRACE_LOAD(units, bytes)                                                                                    \
    ((uint64_t)((units) < WM_TRACE_LOAD_UNITS_MAX ? (units) : WM_TRACE_LOAD_UNITS_MAX) << 34 |                         \
     (uint64_t)((bytes) < WM_TRACE_LOAD_BYTES_MAX ? (bytes) : WM_TRACE_LOAD_BYTES_MAX))

/* Calls of convey_advance so far: those in which something happened, and all; both modulo 2^32. */
#define WM_TRACE_TURNS(progressed, all) ((uint64_t)(progressed) << 32 | ((uint64_t)(all)&0xffffffffu))

/* What a message that is kept took: ticks of its copy (24 bits, the most where there are more), and its bytes. */
#define WM_TRACE_KEPT_TICKS_MAX ((UINT64_C(1) << 24) - 1)
#define WM_TRACE_KEPT(ticks, bytes)                                                                                    \
    (((uint64_t)(ticks) < WM_TRACE_KEPT_TICKS_MAX ? (uint64_t)(ticks) : WM_TRACE_KEPT_TICKS_MAX) << 40 |               \
     ((uint64_t)(bytes)&0xffffffffffu))

/* Flags of a SYNC record. */
enum { WM_TRACE_SYNC_SAME = 1 };

/* Flags of P2P records: it receives; the call blocks until it is over; a send that waits for its receive whatever its
 * size, and one that never does; no message at all, but a probe that found one (which has a DONE alone). */
enum {
    WM_TRACE_P2P_RECEIVE = 1,
    WM_TRACE_P2P_BLOCKING = 2,
    WM_TRACE_P2P_SYNCHRONOUS = 4,
    WM_TRACE_P2P_BUFFERED = 8,
    WM_TRACE_P2P_PROBE = 16
};

/* How a message and its receive meet: the receive waits; a copy does; the header alone does, the data with its sender.
 */
enum wm_trace_met { WM_TRACE_MET_EXPECTED, WM_TRACE_MET_COPY, WM_TRACE_MET_HEADER, WM_TRACE_MET_WAYS };

enum wm_trace_count { WM_TRACE_PUSHED, WM_TRACE_PULLED, WM_TRACE_REFUSED };
/* Where a watched item is: written to an outlet by its source, by a relay; come to an inlet. */
enum wm_trace_step { WM_TRACE_STEP_PUSHED, WM_TRACE_STEP_RELAYED, WM_TRACE_STEP_ARRIVED };

/* Where a superblock is: it begins; a region does; it waits for what the next one needs, or for the processor; it ends.
 * And what a wait is told by, before the region that it was for begins: for so long nothing ran in the process. */
enum wm_trace_region {
    WM_TRACE_REGION_BEGIN,
    WM_TRACE_REGION_RECEIVE,
    WM_TRACE_REGION_SEND,
    WM_TRACE_REGION_COMPUTE,
    WM_TRACE_REGION_PACK,
    WM_TRACE_REGION_UNPACK,
    WM_TRACE_REGION_WAIT,
    WM_TRACE_REGION_END,
    WM_TRACE_REGION_IDLE,
    WM_TRACE_REGION_PLACES
};

/* "receive"; "" for a place that is none. */
const char *wm_trace_region_name(unsigned region);

/* What is recorded: nothing; calls, messages of the program, marks, waits and conveyors' states; all kinds. LEVEL,
 * CLOCK and SYNC records are written at any level. */
enum wm_trace_level { WM_TRACE_OFF, WM_TRACE_CALLS, WM_TRACE_DETAIL };

/* The kinds that are recorded at a level, a bit each. Who writes records of a call asks at its beginning, and keeps to
 * the answer until its end, so that nothing that is entered is never left. */
#define WM_TRACE_KIND_BIT(kind) (UINT64_C(1) << (kind))
static inline uint64_t wm_trace_level_kinds(enum wm_trace_level level);
static inline bool wm_kinds_have(uint64_t kinds, enum wm_trace_kind kind)
{
    return (kinds & WM_TRACE_KIND_BIT(kind)) != 0;
}
_Static_assert(WM_TRACE_KIND_COUNT <= 64, "kinds are bits of 64");

struct wm_trace_record {
    uint64_t time_ticks;
    uint64_t argument;
    uint32_t sequence;     /* ordinal of the collective call on its communicator; the same on all ranks */
    uint32_t communicator; /* id out of the definitions */
    int32_t peer;          /* rank in the communicator, -1: none; of a conveyor: number of a link in the definitions */
    uint16_t node;         /* the map's node, 0: no rule */
    uint8_t kind;
    uint8_t flags;
};
_Static_assert(sizeof(struct wm_trace_record) == 32, "a record is half a cache line");

enum wm_trace_mode {
    WM_TRACE_FLIGHT, /* a ring: the newest records stay, the lost are counted */
    WM_TRACE_FULL    /* up to the quota, then recording stops and the rest is counted as lost */
};

/* What stamps records. */
enum wm_trace_clock {
    WM_CLOCK_TSC, /* the time stamp counter where it is usable (tracer/clock.h), else the other one */
    WM_CLOCK_MONOTONIC
};

struct wm_offset;   /* tracer/interval.h */
struct wm_recorder; /* opaque but for the inline writer below */

/* Fields that the inline writer needs; the rest is in tracer/recorder.c. */
struct wm_recorder_ring {
    struct wm_trace_record *records;
    _Atomic uint64_t *head; /* in the file's header: records written since the start */
    uint64_t next;          /* the writer's copy of head */
    uint64_t capacity;      /* records; a power of two */
    bool shared;            /* several threads write: they take turns by `busy` */
    atomic_flag busy;
    bool full_mode;
    bool tsc;                      /* time by rdtsc, else CLOCK_MONOTONIC */
    _Atomic uint64_t kinds;        /* recorded at the level of now; the writer below does not look at it */
    const _Atomic uint32_t *asked; /* in the file's header: a watcher's wish */
    _Atomic uint32_t heard;        /* of it, the last that was answered */
};

/* Create `directory` if need be and open both files of `rank`. `bytes` is rounded to a power of two of records.
 * Returns 0; -WM_ETRACE with a sentence (directory not writable, disk full, …); *recorder is NULL then. */
int wm_recorder_open(struct wm_recorder **recorder, const char *directory, int rank, size_t bytes,
                     enum wm_trace_mode mode, enum wm_trace_clock clock, struct wm_error *error);

/* Append one definition, a JSON object (borrowed), to rank-NNNNN.json. The first one must be the header; its form
 * and that of all others is in tracer/FORMAT.md. Returns 0 or -WM_ETRACE. */
int wm_recorder_define(struct wm_recorder *recorder, const json_t *definition);

/* Are both files still those that were opened, and whole? Before they are closed. Returns 0, or -WM_ETRACE with a
 * sentence. */
int wm_recorder_check(const struct wm_recorder *recorder, struct wm_error *error);

/* Several threads will write records; call it before they do. */
void wm_recorder_share(struct wm_recorder *recorder);

/* Switch the level, and say so by a LEVEL record; nothing where it is the same. A recorder begins at detail. Any
 * thread, if the recorder is shared. */
void wm_recorder_set_level(struct wm_recorder_ring *ring, enum wm_trace_level level);

/* Has a watcher asked for a level since the last time that wm_recorder_hear told it? Then to be told: it is for the
 * caller to switch. */
static inline bool wm_recorder_is_asked(const struct wm_recorder_ring *ring);
enum wm_trace_level wm_recorder_hear(struct wm_recorder_ring *ring);

/* Record that the clock of world rank `peer`, always a lower one, was compared with ours: a CLOCK record, now, and a
 * SYNC record at the time of the comparison. Both are kept in the header page as well, where a ring that comes round
 * does not overwrite them. One thread at a time. */
void wm_recorder_sync(struct wm_recorder *recorder, int peer, const struct wm_offset *offset);
/* Record that world rank `leader`, a lower one, has the same CLOCK_MONOTONIC. */
void wm_recorder_share_clock(struct wm_recorder *recorder, int leader);

/* Write the closing clock pair and unmap. NULL is allowed. */
void wm_recorder_close(struct wm_recorder *recorder);

struct wm_recorder_ring *wm_recorder_get_ring(struct wm_recorder *recorder);

/* The kinds that are recorded now, as bits. */
static inline uint64_t wm_recorder_kinds(const struct wm_recorder_ring *ring);
/* Is this kind recorded now? */
static inline bool wm_recorder_wants(const struct wm_recorder_ring *ring, enum wm_trace_kind kind);

/* Ticks now, by the recorder's clock. */
static inline uint64_t wm_recorder_now(const struct wm_recorder_ring *ring);
/* How many ticks a second has (1e9 without an invariant TSC). */
double wm_recorder_ticks_per_second(const struct wm_recorder *recorder);

/* Write one record, with a time taken earlier. */
static inline void wm_record_at(struct wm_recorder_ring *ring, uint64_t time_ticks, enum wm_trace_kind kind,
                                uint8_t flags, uint16_t node, uint32_t communicator, int32_t peer, uint32_t sequence,
                                uint64_t argument);
/* Write one record, stamped now. */
static inline void wm_record(struct wm_recorder_ring *ring, enum wm_trace_kind kind, uint8_t flags, uint16_t node,
                             uint32_t communicator, int32_t peer, uint32_t sequence, uint64_t argument);

#include "tracer/record.inc.h"

#endif
