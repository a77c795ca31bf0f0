/* Point-to-point calls published in this process's page (core/guard/post.h), as the doors tell of them
 * (waymark/runtime.h), and told to the trace (follow.h). Local, never waits. Under MPI_THREAD_MULTIPLE nothing is
 * published. */
#ifndef WM_WATCH_H
#define WM_WATCH_H

/* Begin, when the page is there, or a trace. */
void wm_watch_open(void);
/* No longer. */
void wm_watch_close(void);

#endif
