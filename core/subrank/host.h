/* The host: the process in which the subranks of a program live, each in a copy of it; what each has of its own. */
#ifndef WM_SUBRANK_HOST_H
#define WM_SUBRANK_HOST_H

#include <stdlib.h>
#include <sys/types.h>
#include "core/subrank/program.h"

/* What a program has registered for its end. */
struct wm_host_handler {
    void (*call)(void *with);
    void *with;
    struct wm_host_handler *before;
};

/* Of a subrank: what one process alone would have in the C library. */
struct wm_host_life {
    struct wm_program_copy copy;
    char **arguments;                 /* its own, and behind them their text: programs reorder and cut them */
    struct wm_host_handler *handlers; /* the last one first */
    int status;                       /* of its exit */
    int option_index, option_error, option_letter;
    char *option_argument;
    struct random_data random;
    struct drand48_data drand48;
    char random_state[128]; /* as long as the C library's own (random(3)) */
};

extern struct wm_host {
    pid_t process; /* a child that a subrank forks is no host */
    int count, workers, loading /* the subrank whose copy is being loaded, or -1 */;
    struct wm_host_life *lives;
} wm_host;

/* The life of the subrank that runs, or that is being loaded; NULL: there is none. */
struct wm_host_life *wm_host_life(void);
/* MPI of a program that needs it: the library's is started before the first subrank runs, and stopped behind the last
 * one. Returns 0, -WM_EMPI or as wm_world_start. */
int wm_host_mpi_start(const char *program, struct wm_error *error);
void wm_host_mpi_stop(void);
/* The processor of each worker, where the processes of this node have enough of them; else NULL. Until the process
 * ends. MPI has started. */
const int *wm_host_processors(void);
/* The subrank that runs is about to end: where it is inside MPI, the others would wait for it for ever, and the job
 * ends with a sentence. */
void wm_host_mpi_leave(int status);
/* Give it what a process begins with. */
void wm_host_begin_own(struct wm_host_life *life);

#endif
