/* The values of a statement's variables under which a rank sends, or receives.
 *
 * Clauses are taken in their order, generators from the first member of their set to the last: so both ends of a
 * message come to it in the same order. What a rank has no part in is not enumerated: a variable that is the rank
 * itself is fixed, and a rank that can be told early ends the search early. */
#ifndef WM_ENUMERATE_H
#define WM_ENUMERATE_H

#include "core/statement/evaluate.h"

enum wm_side { WM_SENDS, WM_RECEIVES };

enum { WM_ENUMERATE_STEPS_MAX = 1 << 30 };

/* Call `visit` for all values of the variables, which then stand in the frame's lanes, under which the frame's rank is
 * the sender of `reduction`, or its receiver, until there is a fault. Faults are the frame's; `visit` has no effect
 * where it has one, and is then called again, for one lane after another. */
void wm_enumerate(struct wm_frame *f, const struct wm_reduction *reduction, enum wm_side side,
                  void (*visit)(struct wm_frame *f, void *with), void *with);

#endif
