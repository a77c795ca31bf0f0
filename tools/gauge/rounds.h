/* Rounds of another machine: a hypervisor moves the processors of a virtual one now and then, and for as long as they
 * stay there all calls take other times. Pure. */
#ifndef WM_GAUGE_ROUNDS_H
#define WM_GAUGE_ROUNDS_H

#include <stdbool.h>

enum { WM_GAUGE_ROUNDS_MAX = 200 };

/* Which rounds are usual: those in which half of the probes took no other time than in most rounds, to 15 %, or to what
 * half of the rounds are off, where that is more. `samples` is [probe][round] with room for WM_GAUGE_ROUNDS_MAX rounds
 * a probe, of which `rounds` are flown; `usual` has as many places. A probe whose median is 0 is too short to tell. At
 * least half of the rounds are usual; without probes all are. At most WM_GAUGE_PROBES_MAX probes. */
void wm_gauge_find_usual(bool *usual, const double *samples, int probes, int rounds);

#endif
