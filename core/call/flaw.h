/* Flaws: what this rank has found to be wrong in its own calls, published in its page for the guard to name
 * (core/guard/page.h). */
#ifndef WM_FLAW_H
#define WM_FLAW_H

#include "core/call/comm.h"
#include "core/guard/page.h"

/* Flaws may be published from here on, until the process ends. The page has been made. */
void wm_flaws_start(void);

/* Publish a flaw, as printf does: @0 stands for the ranks that find the same, @1 and @2 for the sites, addresses that
 * calls return to; NULL: unknown. What says the same of the same sites is published once, as of the first call, and no
 * more than the page has room for. `format`: lasts. Local. */
void wm_flaw_add(const void *first, const void *second, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Wait until the guard has named what was published; where there is none in time, say it here. */
void wm_flaws_await(void);

/* "MPI_Allreduce, call 12 on 'row'": the newest call of a communicator. */
struct wm_flaw_call {
    char text[112];
};
const char *wm_flaw_call(const struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form,
                         struct wm_flaw_call *out);

/* "MPI_Iallreduce", of a form of a call. */
const char *wm_flaw_function(enum wm_operation operation, enum wm_page_form form, char *name, size_t room);

#endif
