/* A map held against the MPI library at points that are drawn: operations, sizes and roots. */
#ifndef WM_TUNE_CHECK_H
#define WM_TUNE_CHECK_H

#include <jansson.h>
#include "tools/tune/hunt.h"

/* Draw, race and tell what `words` ask for: "map", "operations", "low" and "high" bytes, "points". Returns the exit
 * status: 0, or WM_TUNE_SLOWER where the map is more than 3 % slower at some point, beyond noise. */
enum { WM_TUNE_SLOWER = 3 };
int wm_tune_check(struct wm_tune_hunt *hunt, const json_t *words);

#endif
