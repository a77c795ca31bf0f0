/* The recording overhead: writes records in a tight loop, and takes the time. */
#include "tools/analysis/overhead.h"

#include <math.h>
#include <stdlib.h>
#include "tracer/clock.h"
#include "tracer/tracer.h"

enum { ROUNDS = 5, RECORDS = 2048 };    /* fewer than until the writer's next clock record, which costs more */
static const double TIME_MAX_NS = 9e17; /* what a damaged head says ends here */

uint64_t wm_recording_overhead_ns(uint64_t records, bool tsc)
{
    _Atomic uint64_t head = 0;
    struct wm_recorder_ring ring = {.head = &head, .capacity = RECORDS, .tsc = tsc && wm_clock_tsc_usable()};
    uint64_t least_ns = UINT64_MAX;

    ring.records = calloc(RECORDS, sizeof *ring.records); /* faulted in by the first round, as the recorder's is */
    if (ring.records == NULL)
        return 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin_ns = wm_clock_monotonic_ns(), took_ns;

        ring.next = 0;
        for (int i = 0; i < RECORDS; i++)
            wm_record(&ring, WM_TRACE_SEND_POST, 0, 1, 1, i, 1, WM_TRACE_EDGE(i, 8));
        took_ns = wm_clock_monotonic_ns() - begin_ns;
        least_ns = took_ns < least_ns ? took_ns : least_ns;
    }
    free(ring.records);
    return (uint64_t)fmin(TIME_MAX_NS, (double)records * ((double)least_ns / RECORDS));
}
