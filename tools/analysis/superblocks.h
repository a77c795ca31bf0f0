/* Superblocks: what a trace tells of those of each name: the times of their regions, what was hidden, and how many
 * subranks there should be (docs/definitions.md, "Superblocks"). */
#ifndef WM_SUPERBLOCKS_H
#define WM_SUPERBLOCKS_H

#include "core/subrank/advice.h"
#include "tracer/reader.h"

/* A region of a rank, or a wait in front of one. */
struct wm_region_interval {
    int rank_index;
    int64_t begin_ns, end_ns;
    size_t superblock;          /* its row */
    enum wm_trace_region place; /* never BEGIN, END or IDLE */
};

struct wm_superblock_row {
    const char *name;
    int ranks, processes, siblings; /* siblings: of each process */
    struct wm_superblock_times times;
    int64_t wait_ns;         /* of ranks in front of regions */
    struct wm_advice advice; /* where there are pairs */
};

struct wm_superblock_table {
    size_t count;
    struct wm_superblock_row *rows; /* in the order in which they are found */
    uint64_t unknown;               /* records that no definition explains */
};

/* Of the whole trace, which must live as long. 0 or -WM_ENOMEM; *superblocks is the caller's (wm_superblock_table_free)
 * or NULL. */
int wm_superblock_table_make(struct wm_superblock_table **superblocks, struct wm_trace *trace);
void wm_superblock_table_free(struct wm_superblock_table *superblocks);

/* Call `take` for each interval of a rank, in the order of their ends. A wait that stands between two regions is one of
 * its own. Stops where `take` returns other than 0, and returns that. */
int wm_superblock_intervals(const struct wm_superblock_table *superblocks, struct wm_trace *trace, int rank_index,
                            int (*take)(void *with, const struct wm_region_interval *interval), void *with);

#endif
