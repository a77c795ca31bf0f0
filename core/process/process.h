/* The process: what all communicators share, filled at the start and read only after it. */
#ifndef WM_PROCESS_H
#define WM_PROCESS_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include "core/path/grid.h"
#include "core/process/map_source.h"
#include "core/settings.h"
#include "tracer/tracer.h"

/* What the trace has of one rank. */
struct wm_recording {
    int rank; /* of MPI_COMM_WORLD; of subranks, of theirs */
    struct wm_recorder *recorder;
    struct wm_recorder_ring *ring;
    unsigned char *defined_nodes; /* by node number: it is in the definitions */
    int defined_room;
    _Atomic enum wm_trace_level wished; /* inside of the windows (core/record/control.h) */
};

struct wm_process {
    atomic_bool awake;
    struct wm_settings settings;
    int world_rank, world_ranks; /* of subranks: the first one's here, and all */
    int each;                    /* subranks in each process; 0: it is a rank. Set before the runtime starts */
    MPI_Group world_group;
    struct wm_place *places; /* of MPI_COMM_WORLD, of all subranks where there are some */

    struct wm_map_source map;   /* WAYMARK_MAP's: of all communicators that were given no other */
    struct wm_map_source *maps; /* the others', newest first; under comms_lock */
    int map_count;              /* of the others, as far as numbers of nodes were given */
    bool verifies;              /* paths say how calls are verified */
    bool sockets;               /* places tell sockets and NUMA domains */

    struct wm_recording *recordings;       /* the rank's, or one of each subrank; NULL: no trace */
    struct wm_recording *(*running)(void); /* that of the subrank that runs; NULL: there is one recording */
    bool windows; /* recording depends on calls' numbers or on the time (core/record/control.h) */
    uint32_t next_communicator;

    bool expected; /* the program has conveyors, messages or ports */
    bool threads;  /* MPI_THREAD_MULTIPLE: locks are taken */
    bool workers;  /* several threads run its subranks, one at a time inside of MPI: no locks are taken */

    pthread_mutex_t lock;       /* map and recorders' definitions; held while the server thinks */
    pthread_mutex_t comms_lock; /* lists of communicators and of maps, and the counts of those that are gone */
    struct wm_comm *comms;
    uint64_t planned_calls[WM_OPERATION_COUNT], native_calls[WM_OPERATION_COUNT]; /* of communicators that are gone */
    _Atomic uint64_t plans;
};

extern struct wm_process wm_process;

/* Lock what threads share, but nothing where there is one thread. */
static inline void wm_process_lock(pthread_mutex_t *lock)
{
    if (wm_process.threads)
        pthread_mutex_lock(lock);
}

static inline void wm_process_unlock(pthread_mutex_t *lock)
{
    if (wm_process.threads)
        pthread_mutex_unlock(lock);
}

/* End the job with one message, or, when the settings say so, warn and return. `speaker`: this rank prints. The other
 * ranks wait for the end in `comm`. */
void wm_process_fail(MPI_Comm comm, const struct wm_error *error, bool speaker);

/* The same in a job that runs, where all ranks know the error's code. What the operating system refuses, or does to the
 * map server, does not end it: the speaker says that what this concerns runs natively, unless there is no sentence. */
void wm_process_miss(MPI_Comm comm, const struct wm_error *error, bool speaker);

/* Rank 0 of a communicator has no answer from its map, so that a call runs natively on all ranks: say so once, or end
 * the job where the settings want that of faults of the map. Nothing is said without a sentence. */
void wm_process_unanswered(const struct wm_error *error);

/* Is it an error that ends no job that runs? */
bool wm_process_survives(int code);

/* As wm_process_fail for an error that every rank sees by itself and that no setting can mend: print it and end the
 * job. */
_Noreturn void wm_process_abort(const struct wm_error *error);

/* Operations that some communicator's map has rules for. */
uint32_t wm_process_planned(void);

/* Write the files of the first maps, with `between` between them, and how many more there are; "(none)" where there is
 * none. */
void wm_process_map_files(const char *between, char *out, size_t out_bytes);

/* Native calls are recorded, counted or watched; otherwise their doors may go straight to PMPI. */
bool wm_process_watches(void);

/* The recording of the rank that calls; NULL: no trace. */
static inline struct wm_recording *wm_process_recording(void)
{
    return __builtin_expect(wm_process.running == NULL, 1) ? wm_process.recordings : wm_process.running();
}

/* Its ring. There is a trace. */
static inline struct wm_recorder_ring *wm_process_ring(void)
{
    return wm_process_recording()->ring;
}

/* How many recordings a trace has here. */
static inline int wm_process_recording_count(void)
{
    return wm_process.each > 0 ? wm_process.each : 1;
}

/* Add a definition to the caller's recording, if there is a trace. */
void wm_process_define(json_t *definition);
/* Add it to this one; NULL: there is no trace. */
void wm_recording_define(struct wm_recording *recording, json_t *definition);

/* The definition of a communicator, or a conveyor's; `world`: the ranks of its ranks, NULL: they are of other worlds.
 */
void wm_process_define_communicator(struct wm_recording *recording, uint32_t id, const char *name, const int *world,
                                    int ranks);

#endif
