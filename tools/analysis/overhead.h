/* The recording overhead: what it cost to write a record, measured on the machine that reads them. */
#ifndef WM_OVERHEAD_H
#define WM_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

/* An estimate of the time that recording `records` records took: the least mean of a few thousand, written to a buffer
 * of this process by the runtime's own inline writer; `tsc`: stamped by rdtsc, where this machine can. Takes about a
 * millisecond. 0: unknown (no memory). */
uint64_t wm_recording_overhead_ns(uint64_t records, bool tsc);

#endif
