/* What the MPI library lets us do with its progress: be called back from it, and call it. */
#ifndef WM_PROGRESS_LIBRARY_H
#define WM_PROGRESS_LIBRARY_H

#include <stdbool.h>

/* NULL: not there. */
struct wm_progress_library {
    int (*start)(int (*callback)(void));
    int (*stop)(int (*callback)(void));
    void (*work)(void);
    bool (*let_yield)(bool yield); /* in `work`, when it finds nothing to do; returns what was before */
};

extern struct wm_progress_library wm_progress_library;

/* Find the library's functions; wm_node_start does. */
void wm_progress_find(void);

/* Does the library have the hook? */
bool wm_progress_possible(void);

/* Calls to the library do not yield the processor, until they may again if they did before; the caller rests. */
bool wm_progress_stop_yields(void);
void wm_progress_let_yield(bool yields);
/* Let the library work; the caller rests. */
void wm_progress_work(void);
/* Let the library work, and yield the processor if it has nothing to do. */
void wm_progress_idle(void);

#endif
