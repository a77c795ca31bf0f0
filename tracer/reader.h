/* The reader: a trace directory opened for analysis, whatever became of the job that wrote it.
 *
 * Any subset of the ranks is welcome, torn tails, unknown lines, files of an earlier run, files that are none: what
 * cannot be used is left out and said so in a warning. Nothing in a file is trusted: sizes, ids, kinds and
 * ranks are checked here, so that those who use the reader need not. Record files are mapped, never copied;
 * they may belong to a live job, and may even be cut while they are read (tracer/guard.h).
 *
 * Time is nanoseconds since the earliest start of any rank, on one clock for all ranks:
 *   - ticks become CLOCK_MONOTONIC by straight lines through the rank's pairs: start, CLOCK records, closing
 * pair. A rank without a later pair takes the rate of a rank of its machine that has one;
 *   - ranks of one machine share CLOCK_MONOTONIC as it is: as their SYNC records say, or by the same boot id (same host
 * where that is unknown);
 *   - the clocks of several machines are joined by straight lines through the comparisons that SYNC records hold, along
 * the tree in which they were made, up to rank 0's. Machines that were never compared are joined by the wall clocks at
 * the start, which is as good as the machines' time service, and `synchronised` is false.
 * wm_trace_error_ns says how exact that is; how the bound is made stands in tracer/FORMAT.md. */
#ifndef WM_READER_H
#define WM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "tracer/clock.h"
#include "tracer/conveyors.h"
#include "tracer/statements.h"
#include "tracer/tracer.h"

/* A communicator, the same for all its members: the nth one in the order of definition over the same world
 * ranks. */
struct wm_trace_communicator {
    uint32_t key; /* its index in wm_trace.communicators */
    char *name;
    int size;
    int32_t *ranks; /* world rank of each member */
};

/* A place in the map. `wrapper` is NULL where nothing is known of a number. */
struct wm_trace_node {
    char *wrapper, *label, *operation; /* label and operation may be "" */
    char *map_file;                    /* NULL: the trace's; else another's */
    int line, column;                  /* from 1; 0: unknown */
};

/* A map that the job was given while it ran: its nodes have numbers of their own. */
struct wm_trace_map {
    int first_node, last_node;
    char *file, *text;
};

/* The program's word for a place in itself: wm_trace_mark("assembly"). */
struct wm_trace_mark {
    uint32_t id; /* this rank's */
    char *name;
};

/* The superblocks of a name, as this rank calls them. */
struct wm_trace_superblock {
    uint32_t number;
    char *name;
};

/* A protocol at an endpoint, as this rank calls it. */
struct wm_trace_protocol {
    uint32_t id;
    char *name;
    int endpoint, endpoints;
};

enum { WM_TRACE_PROCESSOR_WORDS = 16 };

/* One rank's files. */
struct wm_trace_rank {
    int rank;
    int ranks;                             /* size of the job, 0 if unknown */
    char *host, *program, *version, *boot; /* "" if unknown */
    long pid;
    bool full_mode, tsc, closed;
    uint64_t offered,
        lost;              /* records since the start; those of them that are not here (the newest ones in full mode) */
    uint64_t first, count; /* usable records are number first … first + count - 1 */
    uint64_t unknown_count;   /* usable by position, but of no known kind: the iterator leaves them out */
    double ticks_per_second;  /* as measured at the start */
    size_t comparisons;       /* of this rank's clock with another, but for damaged ones; 0 where it does not lead */
    int clock;                /* the world rank that leads those who share this one's CLOCK_MONOTONIC */
    int64_t start_ns, end_ns; /* on the common clock; end: the closing pair, else the last record */
    struct wm_clock_pair start, close;
    int conveyor_count;
    struct wm_trace_conveyor *conveyors; /* in the order of definition */
    int mark_count;
    struct wm_trace_mark *marks;
    int protocol_count;
    struct wm_trace_protocol *protocols;
    int superblock_count;
    struct wm_trace_superblock *superblocks;
    int statement_count;
    struct wm_trace_statement *statements; /* ascending by number, which may leave some out */
    uint64_t
        mpi_eager_bytes; /* the greatest message that MPI's net to another rank of the node sends at once; 0: unknown */
    uint64_t mpi_eager_far_bytes;   /* the same, to another node */
    uint64_t shm_eager_bytes;       /* the same of Waymark's own net within a node, unless the map says another */
    bool p2p;                       /* the program's own messages are recorded */
    int process, sibling, siblings; /* of a subrank: its process, its place there, of so many; siblings 0: it is none */
    uint64_t processors[WM_TRACE_PROCESSOR_WORDS]; /* that it might use, a bit each; 0: unknown */

    /* Private to the reader. */
    void *mapping;
    size_t mapping_bytes;
    struct wm_guard *guard; /* of the mapping */
    uint64_t capacity;
    const struct wm_trace_record *records;
    uint32_t *communicator_keys; /* id on this rank → key + 1, 0: undefined */
    uint32_t communicator_ids;   /* length of that table */
    struct wm_clock_line *lines; /* tracer/align.c */
    size_t line_count;
    size_t line_hint;
};

struct wm_trace {
    char *directory;
    int rank_count; /* ranks that can be read, ordered by rank */
    struct wm_trace_rank *ranks;
    int job_ranks; /* size of the job: as the headers say, else the highest rank seen + 1 */
    uint32_t communicator_count;
    struct wm_trace_communicator *communicators;
    int node_count; /* nodes[0 … node_count - 1]; 0 is "native call without a rule" */
    struct wm_trace_node *nodes;
    char *map_file, *map_text; /* NULL if unknown */
    int map_count;             /* others' */
    struct wm_trace_map *maps;
    bool several_clocks;    /* ranks ran on several machines, or under several clocks */
    bool synchronised;      /* no wall clock was needed to join them */
    int64_t clock_error_ns; /* the greatest bound (wm_trace_error_ns) of any rank in its life */
    size_t warning_count;
    char **warnings; /* sentences */

    /* Private to the reader. */
    struct wm_trace_index *index; /* tracer/definitions.c */
};

enum { WM_TRACE_NO_COMMUNICATOR = UINT32_MAX };

/* Open all that can be read in `directory`. Returns 0; -WM_ETRACE with a sentence when it is missing or holds
 * no trace; -WM_ENOMEM. *trace is NULL on failure; else wm_trace_close frees it with everything it points to.
 */
int wm_trace_open(struct wm_trace **trace, const char *directory, struct wm_error *error);
void wm_trace_close(struct wm_trace *trace);

/* Warn of files that became shorter since they were opened: what was to be read there came as zeros. To be asked when
 * all is read that will be. 0 or -WM_ENOMEM. */
int wm_trace_check(struct wm_trace *trace);

/* Nanoseconds on the common clock of a time in ticks of this rank. Cheap for times that come roughly in
 * order. */
int64_t wm_trace_ns(struct wm_trace_rank *rank, uint64_t ticks);
/* How far a time on the common clock (of this rank, near `time_ns`) may lie from the truth: the times of two ranks can
 * be told apart when they differ by more than the sum of both bounds. Ranks that share a clock with the trace's
 * reference have the bound of a pair of clocks, some tens of ns. */
int64_t wm_trace_error_ns(const struct wm_trace_rank *rank, int64_t time_ns);
/* How far the times of two ranks near `time_ns` must differ to be told apart: the sum of their bounds, without what
 * they have in common where they share a clock. */
int64_t wm_trace_apart_ns(const struct wm_trace_rank *a, const struct wm_trace_rank *b, int64_t time_ns);
/* A length of time in ticks of this rank as nanoseconds. */
int64_t wm_trace_duration_ns(const struct wm_trace_rank *rank, uint64_t ticks);

/* A time far outside of the rank's life is damage, and would drown all sums. */
bool wm_trace_plausible(const struct wm_trace_rank *rank, int64_t time_ns);

/* The key of the communicator that this rank calls `id`, or WM_TRACE_NO_COMMUNICATOR. */
uint32_t wm_trace_communicator_key(const struct wm_trace_rank *rank, uint32_t id);

/* The text of the map that the node, one of trace->nodes, stands in; NULL: it is not in the trace. */
const char *wm_trace_map_text(const struct wm_trace *trace, const struct wm_trace_node *node);

/* The map that has the number among its nodes, one of trace->maps, or NULL. */
const struct wm_trace_map *wm_trace_map_find(const struct wm_trace *trace, int number);

/* The definition of the conveyor that this rank's record speaks of, one of rank->conveyors, or
 * NULL. */
const struct wm_trace_conveyor *wm_trace_conveyor_find(const struct wm_trace_rank *rank,
                                                       const struct wm_trace_record *record);

/* The index in rank->superblocks of the one that this rank's record speaks of, or -1. */
int wm_trace_superblock_find(const struct wm_trace_rank *rank, const struct wm_trace_record *record);

/* The statement of this number as the rank defines it, one of rank->statements, or NULL. */
const struct wm_trace_statement *wm_trace_statement_find(const struct wm_trace_rank *rank, int64_t number);

/* Record `number` (first <= number < first + count), in the order of writing; NULL if its kind is unknown. The ring of
 * a live job may be written over at any time: who checks a field (but the kind's being known) copies the record before.
 */
const struct wm_trace_record *wm_trace_record_get(const struct wm_trace_rank *rank, uint64_t number);

/* The next record of the rank, in the order of writing; NULL at the end. Begin with *number = 0. */
const struct wm_trace_record *wm_trace_next(const struct wm_trace_rank *rank, uint64_t *number);

/* For the reader's own files. */
__attribute__((format(printf, 2, 3))) int wm_trace_warn(struct wm_trace *trace, const char *format, ...);
/* Read rank-NNNNN.json into the rank and the trace. 0 or -WM_ENOMEM; damage is a warning. */
int wm_trace_define(struct wm_trace *trace, struct wm_trace_rank *rank);
void wm_trace_definitions_free(struct wm_trace *trace);
/* Was `rank` written by a run before that of `newest`? So when the sizes of their jobs differ, or when on one machine
 * the one ended before the other began (if it died: a minute before). Needs their definitions, not the common clock. */
bool wm_trace_is_earlier(const struct wm_trace_rank *rank, const struct wm_trace_rank *newest);
/* Lay the lines of all ranks' clocks. 0 or -WM_ENOMEM. */
int wm_trace_align(struct wm_trace *trace);
/* The numbers of all ranks in the directory, in order; the caller frees them. Returns how many, or a negative code. */
int wm_trace_list_ranks(const char *directory, int **numbers, struct wm_error *error);
struct wm_trace_header;
/* What is wrong with the header of a file of so many bytes, or NULL. */
const char *wm_trace_header_fault(const struct wm_trace_header *header, size_t file_bytes);

#endif
