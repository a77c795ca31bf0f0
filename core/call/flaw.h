/* Flaws: what this rank has found to be wrong in its own calls, published in its page for the guard to name
 * (core/guard/page.h). */
#ifndef WM_FLAW_H
#define WM_FLAW_H

#include "core/call/comm.h"

/* Flaws may be published from here on, until the process ends. The page has been made. */
void wm_flaws_start(void);

/* Publish a flaw, as printf does: @0 stands for the ranks that find the same, @1 and @2 for the sites, addresses that
 * calls return to; NULL: unknown. The same one is published once, and no more than the page has room for. Local. */
void wm_flaw_add(const void *first, const void *second, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Wait until the guard has named what was published; where there is none in time, say it here. */
void wm_flaws_await(void);

/* "MPI_Iallreduce", of a form of a call. */
const char *wm_flaw_function(enum wm_operation operation, bool blocking, char *name, size_t room);

#endif
