/* Copying past the caches: for results that are larger than what stays in a core's own cache. */
#ifndef WM_STREAM_H
#define WM_STREAM_H

#include <stddef.h>

/* Results of so many bytes are worth it: about what a core's second-level cache would have to give up for them. */
enum { WM_STREAM_BYTES = 512 << 10 };

/* As memcpy. Where the processor can, the target's lines are written without being read before, and are in no cache
 * afterwards. All that was written is seen by whoever sees a later store of this thread. */
void wm_stream_copy(void *target, const void *source, size_t bytes);

#endif
