/* Leaks, verified with `full`: requests, communicators, datatypes and operators of the program's that are there still
 * when MPI_Finalize is over with MPI_COMM_SELF's attributes, whose delete functions may free some. Each kind is told as
 * a flaw (core/call/flaw.h), with its number and the site of the first; the job ends as it would.
 *
 * Datatypes and operators are known from when a collective call first has them. Any thread. */
#ifndef WM_LEAK_H
#define WM_LEAK_H

#include "core/call/comm.h"

enum wm_leak { WM_LEAK_REQUEST, WM_LEAK_COMMUNICATOR, WM_LEAK_TYPE, WM_LEAK_OPERATOR, WM_LEAK_KINDS };

/* Begin, if the settings want that; after wm_flaws_start. */
void wm_leaks_start(void);

/* An object is there, by its handle, as of the site; one that is known stays as it is. It is gone. */
void wm_leak_list(enum wm_leak kind, const void *handle, const void *site);
void wm_leak_unlist(enum wm_leak kind, const void *handle);
extern _Atomic bool wm_leaks_kept;

static inline void wm_leak_add(enum wm_leak kind, const void *handle, const void *site)
{
    if (__builtin_expect(wm_leaks_kept, false))
        wm_leak_list(kind, handle, site);
}

static inline void wm_leak_remove(enum wm_leak kind, const void *handle)
{
    if (__builtin_expect(wm_leaks_kept, false))
        wm_leak_unlist(kind, handle);
}

/* The same of the datatypes and the operator of a call. */
void wm_leak_add_call(const struct wm_comm *comm, const struct wm_call *call);

#endif
