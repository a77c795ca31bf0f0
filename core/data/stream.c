/* Copying past the caches by SSE2's streaming stores, which every x86-64 has; elsewhere memcpy. */
#include "core/data/stream.h"

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LINE = 64, SHORT_BYTES = 4 * LINE };

#ifdef __SSE2__
/* Whole lines, the target's aligned. */
static void stream_lines(char *target, const char *source, size_t lines)
{
    for (size_t i = 0; i < lines; i++, target += LINE, source += LINE)
        for (int part = 0; part < LINE; part += 16)
            _mm_stream_si128((__m128i *)(target + part), _mm_loadu_si128((const __m128i *)(source + part)));
    _mm_sfence();
}

void wm_stream_copy(void *target, const void *source, size_t bytes)
{
    size_t head = -(uintptr_t)target % LINE, lines;

    if (bytes < SHORT_BYTES) {
        memcpy(target, source, bytes);
        return;
    }
    lines = (bytes - head) / LINE;
    memcpy(target, source, head);
    stream_lines((char *)target + head, (const char *)source + head, lines);
    head += lines * LINE;
    memcpy((char *)target + head, (const char *)source + head, bytes - head);
}
#else
void wm_stream_copy(void *target, const void *source, size_t bytes)
{
    memcpy(target, source, bytes);
}
#endif
