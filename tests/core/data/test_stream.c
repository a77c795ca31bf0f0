/* Streaming copies: every alignment and length, and not a byte more. */
#include <string.h>
#include "core/data/stream.h"
#include "tests/check.h"

enum { ROOM = 1400, SHIFTS = 64, GUARD = 0xa5 };

static void a_stream_copies_what_memcpy_would(void)
{
    static unsigned char source[ROOM + SHIFTS], target[ROOM + SHIFTS], wanted[ROOM + SHIFTS];
    int wrong = 0;

    for (int i = 0; i < ROOM + SHIFTS; i++)
        source[i] = (unsigned char)(i * 31 + i / 256);
    for (size_t shift = 0; shift < SHIFTS; shift++)
        for (size_t bytes = 0; bytes + shift < ROOM; bytes += bytes < 300 ? 1 : 61) {
            size_t from = (shift * 7) % SHIFTS;

            memset(target, GUARD, sizeof target);
            memset(wanted, GUARD, sizeof wanted);
            memcpy(wanted + shift, source + from, bytes);
            wm_stream_copy(target + shift, source + from, bytes);
            wrong += memcmp(target, wanted, sizeof target) != 0;
        }
    CU_ASSERT_EQUAL(wrong, 0);
}

static const struct check_case cases[] = {
    CASE(a_stream_copies_what_memcpy_would),
};

CHECK_MAIN("stream", cases)
