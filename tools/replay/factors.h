/* Factors: what calls took in the trace over what the model says; by shape, and of all.
 *
 * A call is compared on the arrivals that the trace has. What its members take is summed up from when the last one is
 * there on which they depend, so that waiting for late ranks does not count. */
#ifndef WM_REPLAY_FACTORS_H
#define WM_REPLAY_FACTORS_H

#include "tools/replay/replay.h"

/* The shape that carries an instance out; NULL: it is kept. */
struct wm_replay_shape *wm_replay_shape_of(struct wm_replay *replay, enum wm_replay_cast cast, size_t instance);
/* When the members came to an instance, in the trace. */
void wm_replay_arrivals(const struct wm_replay_calls *calls, size_t number, int64_t *arrivals_ns);
/* Add what its members wait for, and what they take then. */
void wm_replay_divide(const struct wm_replay_calls *calls, size_t number, const int64_t *arrivals,
                      const int64_t *leaves, int64_t *service_ns, int64_t *wait_ns);

/* Find the factors of all shapes that ran, and the general one. `arrivals` and `leaves`: room for an instance. 0 or
 * -WM_E…. */
int wm_replay_find_factors(struct wm_replay *replay, int64_t *arrivals, int64_t *leaves, struct wm_error *error);
/* Tell them by row. */
void wm_replay_fill_factors(struct wm_replay *replay);
/* Give them to a stage of the other map: plans that ran have theirs, others the general one. */
void wm_replay_set_factors(struct wm_replay *replay, struct wm_replay_stage *stage);

#endif
