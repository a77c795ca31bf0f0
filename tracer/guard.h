/* Guards: a mapped file that becomes shorter while it is read or written, or whose disk fails, must not kill the
 * process.
 *
 * The kernel answers an access to a page that is gone with SIGBUS. A guarded page is then given zeros in its place, and
 * counted; who reads on must be able to make sense of zeros. SIGBUS for any other cause goes where it went before. One
 * thread at a time adds and frees. */
#ifndef WM_GUARD_H
#define WM_GUARD_H

#include <stddef.h>

struct wm_guard;

/* Guard a mapping of so many bytes, which begins at a page, and has this protection of mmap's. NULL: out of memory. */
struct wm_guard *wm_guard_new(void *mapping, size_t bytes, int protection);

/* Before the mapping goes. NULL is allowed. */
void wm_guard_free(struct wm_guard *guard);

/* Bytes that were not there when they were read, in whole pages; since the last question. */
size_t wm_guard_take_lost(struct wm_guard *guard);

#endif
