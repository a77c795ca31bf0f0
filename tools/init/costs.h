/* Costs: what the calls of each operation took in a trace, and the machine on which that was. */
#ifndef WM_TOOLS_COSTS_H
#define WM_TOOLS_COSTS_H

#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"
#include "waymark/operation.h"

/* Calls by size: of those of 2^i bytes and more, up to twice as many, number i + 1; number 0 of those without any. */
enum { WM_COST_SIZES = 42 };

struct wm_size_service {
    uint64_t bytes; /* the most */
    int64_t ns;     /* from the last arrival on */
};

struct wm_operation_cost {
    uint64_t calls;
    int64_t time_ns, late_ns;                    /* summed over ranks; late: of that, waiting for the last to come */
    uint64_t bytes_least, bytes_most;            /* of what a rank brings; known where the data is one whole */
    struct wm_size_service sizes[WM_COST_SIZES]; /* of calls of all ranks together */
};

/* Runs of conveyors of one name and size of items, over all ranks. */
struct wm_conveyor_cost {
    char name[64];
    uint64_t item_bytes, runs, pushed; /* runs of each rank that are complete; bytes that were pushed in them */
    int64_t ns;                        /* summed over ranks */
};

enum { WM_CONVEYOR_COSTS_MAX = 32 };

struct wm_job_costs {
    char machine[512]; /* wm_grid_parse_machine */
    bool likened;      /* no text says how the ranks stand: the machine has as many on each host */
    char map[256];     /* under which it ran */
    int ranks;
    int64_t time_ns; /* of all */
    struct wm_operation_cost operations[WM_OPERATION_COUNT];
    int conveyor_count; /* of those that cost most where there are more; items that differ in size are left out */
    struct wm_conveyor_cost conveyors[WM_CONVEYOR_COSTS_MAX];
};

/* Read a trace directory. Returns 0 or -WM_E… with a sentence. */
int wm_job_costs_read(struct wm_job_costs *costs, const char *directory, struct wm_error *error);

#endif
