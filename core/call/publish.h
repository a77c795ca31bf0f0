/* What the guard is told: this process's page (core/guard/page.h), its communicators and their calls. Local, never
 * waits.
 */
#ifndef WM_PUBLISH_H
#define WM_PUBLISH_H

#include "core/call/comm.h"
#include "core/guard/page.h"
#include "waymark/call.h"

/* The page of this process; NULL: there is none. */
extern struct wm_page *wm_published;

/* Map the page, the `index`-th of a file, of a job of this number. Returns 0 or -WM_E… with a sentence. */
int wm_publish_start(int file, int index, uint64_t job, struct wm_error *error);
void wm_publish_stop(void);

/* Publish a communicator, whose rank, ranks and world are known, under its name. */
void wm_publish_comm(struct wm_comm *comm, const char *name);
/* It has another name; it is gone. */
void wm_publish_name(struct wm_comm *comm, const char *name);
void wm_publish_gone(struct wm_comm *comm);

/* An operator is freed: its handle may come to mean another. */
void wm_publish_op_free(void);

/* A wrapper of a path, with its place in the map. */
void wm_publish_wrapper(int node, const char *label, const char *file, int line, int column);

/* Publish a call on a communicator that is published (comm->shown). A blocking one goes on until wm_publish_left. */
void wm_publish_call(const struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form);

/* A blocking call that comes again, to be published when its rank is about to wait (core/guard/check.h). */
struct wm_late_call {
    const struct wm_comm *comm;
    const struct wm_call *call;
    struct wm_last_call *last; /* its equal */
};
void wm_publish_late(void *late_call);
/* The chain that it will then leave. */
uint64_t wm_publish_foresee(const struct wm_late_call *late);

static inline void wm_publish_left(void)
{
    if (!wm_process.threads)
        wm_page_leave(wm_published);
}

#endif
