/* Factors: what calls took in the trace over what the model says, by shape, and of all; and noise, what is left of
 * that.
 *
 * A call is compared on the arrivals that the trace has. What its members take is summed up from when the last one is
 * there on which they depend, and they wait themselves: waiting for late ranks does not count, nor what goes on behind
 * their work. A factor is what is usual of a kind of call; where too little is not hidden, that of all. By how much
 * each member then leaves later than the model says is the model's error, which all calls of the kind have, and the
 * machine's noise. A replay of the map that ran gives a call the noise of the one before it of its kind, so that the
 * run's noise is in it, and nothing that would make it right by itself; under another map each call has its own. */
#ifndef WM_REPLAY_FACTORS_H
#define WM_REPLAY_FACTORS_H

#include "tools/replay/replay.h"

/* The shape that carries an instance out; NULL: it is kept. */
struct wm_replay_shape *wm_replay_shape_of(struct wm_replay *replay, enum wm_replay_cast cast, size_t instance);
/* When the members of an instance leave by its shape. Whoever sends a message and waits for it does so until it is
 * received. 0 or -WM_E…. In replay.c. */
int wm_replay_run(const struct wm_replay *replay, size_t instance, struct wm_replay_shape *shape,
                  const struct wm_replay_times *times, int64_t *leaves, struct wm_error *error);
/* One call more of a pass: tell it. In replay.c. */
void wm_replay_tell(struct wm_replay *replay);
/* Add what its members wait for, and what they take then. */
void wm_replay_divide(const struct wm_replay_calls *calls, size_t number, const struct wm_replay_times *times,
                      const int64_t *leaves, int64_t *service_ns, int64_t *wait_ns);

/* Find the factors of all shapes that ran, the general one, and the noise. `room`: three times a rank of the job. 0 or
 * -WM_E…. */
int wm_replay_find_factors(struct wm_replay *replay, int64_t *room, struct wm_error *error);
/* Give an instance that the model carried out its noise. */
void wm_replay_add_noise(struct wm_replay *replay, size_t number, enum wm_replay_cast cast,
                         const struct wm_replay_times *times, int64_t *leaves);
/* Tell the factors by row. */
void wm_replay_fill_factors(struct wm_replay *replay);
/* Give them to a stage of the other map: plans that ran have theirs, others the general one. */
void wm_replay_set_factors(struct wm_replay *replay, struct wm_replay_stage *stage);

#endif
