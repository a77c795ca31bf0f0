/* What the trace is told of subranks: each is a rank of it, with files of its own (core/record/recordings.h). */
#ifndef WM_SUBRANK_RECORD_H
#define WM_SUBRANK_RECORD_H

#include "core/subrank/collective.h"
#include "core/subrank/superblock.h"

/* Open the traces of this process's subranks, if the job is traced. Their numbers in the world are known; none runs.
 * Collective over the processes. `program`: its file's name. */
void wm_rank_record_start(const char *program);
/* The recording of a rank, whoever runs; NULL: no trace. */
struct wm_recording *wm_rank_recording(const struct wm_rank *rank);

/* A communicator is made: number it, and define it. */
void wm_rank_record_comm(struct wm_rank_comm *comm);
/* It has another name. */
void wm_rank_record_name(const struct wm_rank_comm *comm);

/* The first superblock of a name begins: define it. */
void wm_rank_record_superblock(const struct wm_rank *rank, const struct wm_superblock_record *record);
/* A superblock has come to a place. `idle`: of WM_TRACE_REGION_IDLE. */
void wm_rank_record_region(const struct wm_rank *rank, struct wm_superblock *superblock, enum wm_trace_region place,
                           const struct wm_superblock_times *idle);

/* A call of the user's begins: its number, and what is to be recorded of it. */
void wm_rank_record_begin(struct wm_rank_call *call);
/* It has a path: `said` is what the map says, NULL: nothing. What goes by a built-in path is recorded as the library's
 * own calls are. */
void wm_rank_record_path(struct wm_rank_call *call, const struct wm_path *said);
/* It has a plan. */
void wm_rank_record_plan(struct wm_rank_call *call, const struct wm_plan *plan);
/* It is over. */
void wm_rank_record_end(const struct wm_rank_call *call);

#endif
