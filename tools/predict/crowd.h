/* Hosts with more ranks than cores: a core goes from rank to rank.
 *
 * A rank that has a core does all that it has to do, and then yields it to the rank that has waited longest, which
 * takes the host's `yield`. Ranks that have nothing to do look for work in their turn as others do, so the cores go
 * round all the time. Turns in which nobody has any work are not carried out: where the cores are is worked out when
 * somebody has. What a shared step takes was measured among ranks that share cores: it needs none.
 *
 * Time counts from when the last rank would first have a core if none had anything to do: in a program that wait
 * belongs to the call before, whose end no two ranks of a core see at once. */
#ifndef WM_PREDICT_CROWD_H
#define WM_PREDICT_CROWD_H

#include <stdbool.h>
#include <stdint.h>

struct wm_sim_event;
struct wm_simulation;

struct wm_crowd_core {
    int64_t turn; /* when the next rank has it */
    int rank;     /* that has it, -1 */
    bool told;    /* the turn is among the events */
};

struct wm_crowd_host {
    int ranks;
    int first, last; /* ranks that wait for a core, by `next` */
    int eager;       /* how many of them have something to do */
    struct wm_crowd_core *cores;
};

struct wm_sim_crowd {
    struct wm_crowd_host *hosts; /* NULL: no rank waits for a core */
    int cores;                   /* of a host */
    int64_t begin;               /* when time begins to count */
    int *next;                   /* by rank */
    int *core;                   /* by rank: the one that it has, -1 */
    bool *wants;                 /* by rank: it waits for a core, and has something to do */
};

/* In which order ranks have a core for the first time is drawn by a number; 0: by rank. */
void wm_crowd_begin(struct wm_simulation *simulation, uint64_t order);
/* The time of the run. */
void wm_crowd_end(struct wm_simulation *simulation);
/* May the rank do now what it has to do? If not, it is touched when it has a core. */
bool wm_crowd_lets(struct wm_simulation *simulation, int rank);
/* The rank has nothing more to do on its core, if it has one. */
void wm_crowd_yield(struct wm_simulation *simulation, int rank);
/* A core has come to its next rank. */
void wm_crowd_turn(struct wm_simulation *simulation, const struct wm_sim_event *event);

#endif
