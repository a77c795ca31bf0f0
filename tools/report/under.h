/* What a traced run would have taken under other maps, for the report's section of them. */
#ifndef WM_REPORT_UNDER_H
#define WM_REPORT_UNDER_H

#include <jansson.h>
#include "core/error.h"

enum { WM_UNDER_MAPS_MAX = 8 };

struct wm_under_choice {
    const char *maps[WM_UNDER_MAPS_MAX], *profile; /* profile: NULL, an assumed machine */
    int count;
};

/* Replay the trace in `directory` under each of the maps: a new array of what `waymark replay --format json` says, or
 * NULL with a sentence. */
json_t *wm_under_maps(const char *directory, const struct wm_under_choice *choice, struct wm_error *error);

#endif
