/* What `waymark replay` tells. */
#ifndef WM_REPLAY_REPORT_H
#define WM_REPLAY_REPORT_H

#include <stdio.h>
#include "tools/replay/replay.h"

struct wm_replay_report {
    const struct wm_replay *replay;
    const char *then, *now, *profile; /* the files; profile NULL: assumed */
    enum wm_replay_refusal refusal;   /* if none, the other map was replayed */
};

void wm_replay_report_text(const struct wm_replay_report *report, FILE *out);
/* One object; docs/foresight.md describes its keys. */
void wm_replay_report_json(const struct wm_replay_report *report, FILE *out);

#endif
