/* Faults in flight: what a fault of the map does to a message that has come, and to this process. */
#ifndef WM_ENGINE_FAULT_H
#define WM_ENGINE_FAULT_H

#include <stddef.h>
#include <stdint.h>
#include "core/data/geometry.h"
#include "core/path/fault.h"

/* Change a bit of `count` elements, chosen by `chance`. */
void wm_fault_flip(const struct wm_geometry *geometry, char *data, size_t count, uint64_t chance);
/* Stop or kill this process, if it is call number `sequence`'s time, and say so; once. */
void wm_fault_strike(const struct wm_fault *fault, uint32_t sequence);

#endif
