/* The recorder's clock: the processor's time stamp counter where it is invariant, CLOCK_MONOTONIC elsewhere.
 *
 * A pair is one instant read on all clocks; two pairs give the rate between them. The monotonic clock is
 * shared by all processes of one machine and is therefore what ranks of a machine are compared by. */
#ifndef WM_CLOCK_H
#define WM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct wm_clock_pair {
    uint64_t ticks; /* the recorder's clock: TSC ticks, or the same as monotonic_ns */
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
};

/* May rdtsc be used? The processor calls it invariant (cpuid 0x80000007), the kernel has not given it up,
 * and prctl has not forbidden it. */
bool wm_clock_tsc_usable(void);

/* Read all clocks at one instant: the tightest of several tries, exact to some tens of nanoseconds. */
struct wm_clock_pair wm_clock_pair_take(bool tsc);

/* Ticks per second, measured from `start` until now; waits until 2 ms have passed since. Good to some ten
 * parts in a million; the closing pair of a trace does better. 1e9 without TSC, at once. */
double wm_clock_calibrate(bool tsc, const struct wm_clock_pair *start);

/* Nanoseconds of a clock; of CLOCK_MONOTONIC. */
uint64_t wm_clock_ns(clockid_t clock);
uint64_t wm_clock_monotonic_ns(void);

/* The kernel's boot id (36 characters and NUL), which tells whether two processes share CLOCK_MONOTONIC; ""
 * if unknown. */
void wm_clock_boot_id(char id[37]);

#endif
