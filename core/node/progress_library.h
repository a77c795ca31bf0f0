/* What the MPI library lets us do with its progress: be called back from it, and call it. */
#ifndef WM_PROGRESS_LIBRARY_H
#define WM_PROGRESS_LIBRARY_H

/* Found by wm_progress_possible; NULL: not there. */
struct wm_progress_library {
    int (*start)(int (*callback)(void));
    int (*stop)(int (*callback)(void));
    void (*work)(void);
};

extern struct wm_progress_library wm_progress_library;

#endif
