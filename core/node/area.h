/* Areas: what one communicator has of its node's memory, a list of parts by key.
 *
 * An area is one piece of memory, with more of them when the list grows. Looking a part up takes no lock; making one
 * does, so two makers end with one part. That there was no memory for a part is recorded like a part, and where not
 * even that can be recorded the area is full: nothing more is made in it. So all ranks see the same, for good. */
#ifndef WM_NODE_AREA_H
#define WM_NODE_AREA_H

#include <stddef.h>
#include <stdint.h>

/* Make one, in which parts of `reserved` bytes in all are sure to find room; its offset, 0: no memory. `before`: an
 * area of this rank's, not told to anybody yet, that leads to it; 0: none. */
uint64_t wm_area_make(uint64_t reserved, uint64_t before);

/* The area that this one leads to, 0: none. */
uint64_t wm_area_next(uint64_t area);

/* The part's offset, 0: none. It is made if it is not there, always of the same size. */
uint64_t wm_area_part(uint64_t area, uint64_t key, size_t bytes);

/* One of `size` ranks needs the area no more. With the last of them it is given back, with its parts. */
void wm_area_release(uint64_t area, int size);

#endif
