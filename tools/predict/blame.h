/* Blame: where the time of a simulation went, by line of the map and by parameter of the machine.
 *
 * From the last item of the last rank one goes back to what it waited for, and so on to the beginning: what each item
 * took, and what passed between it and the one that it waited for, is given to the parameters that made it up. The
 * parts add up to the whole, to the picosecond. What lay beside this way took no time: to make it faster gains
 * nothing. */
#ifndef WM_PREDICT_BLAME_H
#define WM_PREDICT_BLAME_H

#include "tools/predict/simulation.h"

enum { WM_BLAME_PARTS_MAX = 256, WM_BLAME_CHARS = 128, WM_BLAME_DELAY = -1 };

struct wm_blame_part {
    int line;       /* of the map; 0: no step's */
    int section;    /* enum wm_profile_section, or WM_BLAME_DELAY, what `delay` adds */
    int parameter;  /* of the section */
    int level, net; /* of links, messages and cuts; of kernels level is 1 where data is combined; of shared steps, the
                       kind; else 0 */
    int count;      /* how often it came */
    int64_t time;   /* ps */
};

struct wm_time_blame {
    int count;
    struct wm_blame_part parts[WM_BLAME_PARTS_MAX]; /* the largest first */
    int64_t sections[WM_PROFILE_SECTION_COUNT];     /* the same by section */
};

/* Walk back. Parts beyond the room are added to the last one. */
void wm_blame_walk(struct wm_time_blame *blame, const struct wm_simulation *simulation, const struct wm_path *path);

/* Add what lies outside of the simulation; the largest stay first. */
void wm_blame_add(struct wm_time_blame *blame, enum wm_profile_section section, int parameter, int64_t time);

/* "latency of site by mpi". Returns `out`. */
const char *wm_blame_text(const struct wm_blame_part *part, const struct wm_model *model, char out[WM_BLAME_CHARS]);

#endif
