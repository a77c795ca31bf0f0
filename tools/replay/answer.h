/* A trace replayed under another map: all that is read for it, the replay, and what is told of it. */
#ifndef WM_REPLAY_ANSWER_H
#define WM_REPLAY_ANSWER_H

#include "tools/replay/report.h"

/* Replay an open trace under `map`, a file or the name of one that comes with Waymark, on the machine of `profile`,
 * NULL: an assumed one. `tell` is given the report, which lives as long as that call; what it returns is returned.
 * 0, or -WM_E… with a sentence. */
int wm_replay_answer(struct wm_trace *trace, const char *map, const char *profile,
                     int (*tell)(const struct wm_replay_report *report, void *context), void *context,
                     struct wm_error *error);

#endif
