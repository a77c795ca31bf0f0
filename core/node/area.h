/* Areas: what one communicator has of its node's memory, a list of parts by key.
 *
 * An area is one piece of memory, with more of them when the list grows. Looking a part up takes no lock; making one
 * does, so two makers end with one part. That there was no memory for a part is recorded like a part, and where not
 * even that can be recorded the area is full: nothing more is made in it. So all ranks see the same, for good. */
#ifndef WM_NODE_AREA_H
#define WM_NODE_AREA_H

#include <stddef.h>
#include <stdint.h>

/* Keys from here on are for areas within areas; UINT64_MAX is no key. */
#define WM_AREA_KEYS ((uint64_t)1 << 63)

/* Make one; its offset, 0: no memory. A zeroed part of WM_AREA_BYTES is an area, too. */
enum { WM_AREA_BYTES = 4096 };
uint64_t wm_area_make(void);

/* The part's offset, 0: none. It is made if it is not there, always of the same size. */
uint64_t wm_area_part(uint64_t area, uint64_t key, size_t bytes);

/* The area at `area` is the part of `parent` called `key`, for the same `size` ranks, each of which says so once: it
 * holds the parent while it lives. */
void wm_area_adopt(uint64_t area, uint64_t parent, uint64_t key);
/* One of `size` ranks needs the area no more. With the last of them, when no part that is an area lives, it is given
 * back, with its parts, and lets go of its parent. */
void wm_area_release(uint64_t area, int size);

#endif
