/* Tags as they stand beside units: 1, 2 or 4 bytes wide, in the machine's order; 0: there are none. */
#ifndef WM_CONVEY_TAG_H
#define WM_CONVEY_TAG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "waymark/convey.h"

/* Tag `i` of those at `tags`. */
static inline uint32_t wm_tag_read(const char *tags, size_t i, size_t tag_bytes)
{
    uint16_t two;
    uint32_t four;

    if (tag_bytes == 0)
        return 0;
    if (tag_bytes == 1)
        return (unsigned char)tags[i];
    if (tag_bytes == 2) {
        memcpy(&two, tags + 2 * i, 2);
        return two;
    }
    memcpy(&four, tags + 4 * i, 4);
    return four;
}

/* Put the tag of the unit that was just written. */
static inline void wm_tag_write(struct wm_convey_outlet *out, uint32_t tag, size_t tag_bytes)
{
    uint16_t two = (uint16_t)tag;

    if (tag_bytes == 1)
        *out->tag = (char)tag;
    else if (tag_bytes == 2)
        memcpy(out->tag, &two, 2);
    else if (tag_bytes == 4)
        memcpy(out->tag, &tag, 4);
    out->tag += tag_bytes;
}

#endif
