/* What `waymark replay` tells. */
#ifndef WM_REPLAY_REPORT_H
#define WM_REPLAY_REPORT_H

#include <jansson.h>
#include <stdio.h>
#include "tools/replay/replay.h"

struct wm_replay_report {
    const struct wm_replay *replay;
    const char *then, *now, *profile; /* the files; profile NULL: assumed */
    enum wm_replay_refusal refusal;   /* if none, the other map was replayed */
};

void wm_replay_report_text(const struct wm_replay_report *report, FILE *out);
/* A new object (the caller's), NULL where memory runs out; docs/foresight.md describes its keys. */
json_t *wm_replay_report_object(const struct wm_replay_report *report);
/* That object. */
void wm_replay_report_json(const struct wm_replay_report *report, FILE *out);

#endif
