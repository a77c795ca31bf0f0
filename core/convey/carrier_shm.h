/* Rings in a node's memory: a conveyor's link between two ranks that share it, or from a rank to itself.
 *
 * The outlet writes units where the inlet will read them. Two lines of counters stand before them, one written by the
 * outlet (units handed over, and the mark of the run in which nothing more comes), one by the inlet (units given back).
 * Both only grow, over all runs. Where a record must stand in one piece and the ring's end is too near, the outlet
 * skips to the ring's beginning, and says from which unit on. */
#ifndef WM_CONVEY_CARRIER_SHM_H
#define WM_CONVEY_CARRIER_SHM_H

#include <stdatomic.h>
#include "core/convey/carrier.h"

enum { WM_RING_HEAD_BYTES = 192 };

/* Written by the outlet: units handed over in the low 48 bits, above them the number of the run that is over, or 0. */
struct wm_convey_ring {
    _Alignas(64) _Atomic uint64_t head;
    _Atomic uint64_t skip; /* the unit at which the outlet skipped last */
    _Alignas(64) _Atomic uint64_t tail;
    _Alignas(64) _Atomic uint64_t sample_ticks; /* 0: the place is free */
    uint64_t sample_position;
    _Atomic uint64_t urgent;   /* what was handed over up to this unit is */
    _Alignas(64) char units[]; /* form.units × form.buffers, their tags behind them */
};

_Static_assert(offsetof(struct wm_convey_ring, units) == WM_RING_HEAD_BYTES, "three lines");

#endif
