/* A trace replayed under another map. */
#include "tools/replay/answer.h"

#include <stdlib.h>
#include <string.h>
#include "tools/run/maps.h"

/* The map that ran, from the text that the trace has. */
static int open_then(struct wm_site_map *map, const struct wm_trace *trace, struct wm_error *error)
{
    *map = (struct wm_site_map){.communicator = "MPI_COMM_WORLD"};
    if (trace->map_text == NULL)
        return wm_site_map_open(map, "native", error);
    map->file = strdup(trace->map_file != NULL ? trace->map_file : "map.scm");
    map->text = strdup(trace->map_text);
    if (map->file == NULL || map->text == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the map of the trace");
    map->text_bytes = strlen(map->text);
    if (wm_maps_open(&map->map, map->file, map->text, map->text_bytes, error) < 0)
        return wm_site_map_place(map, error);
    return 0;
}

/* Everything that one replay is made of. */
struct run {
    struct wm_replay_calls calls;
    struct wm_profile profile;
    struct wm_site_map then, now;
    struct wm_replay replay;
    char *names[WM_REPLAY_CASTS]; /* the maps' files */
};

static int prepare(struct run *r, struct wm_trace *trace, const char *map, const char *profile, struct wm_error *error)
{
    int rc = profile != NULL ? wm_profile_load(&r->profile, profile, error) : wm_profile_assume(&r->profile);

    if (rc < 0 || (rc = wm_replay_calls_read(&r->calls, trace, error)) < 0 ||
        (rc = open_then(&r->then, trace, error)) < 0 || (rc = wm_site_map_open(&r->now, map, error)) < 0)
        return rc;
    r->names[WM_REPLAY_THEN] = strdup(r->then.file);
    r->names[WM_REPLAY_NOW] = strdup(r->now.file);
    if (r->names[WM_REPLAY_THEN] == NULL || r->names[WM_REPLAY_NOW] == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the maps' names");
    return wm_replay_init(&r->replay, &r->calls, &r->profile, &r->then, &r->now, error);
}

static void release(struct run *r)
{
    wm_replay_release(&r->replay);
    wm_site_map_close(&r->then);
    wm_site_map_close(&r->now);
    wm_replay_calls_release(&r->calls);
    wm_profile_release(&r->profile);
    for (int cast = 0; cast < WM_REPLAY_CASTS; cast++)
        free(r->names[cast]);
}

int wm_replay_answer(struct wm_trace *trace, const char *map, const char *profile,
                     int (*tell)(const struct wm_replay_report *report, void *context), void *context,
                     struct wm_error *error)
{
    struct run run = {0};
    struct wm_replay_report report = {.replay = &run.replay, .profile = profile};
    int rc = prepare(&run, trace, map, profile, error);

    if (rc == 0) {
        report.then = run.names[WM_REPLAY_THEN];
        report.now = run.names[WM_REPLAY_NOW];
        report.refusal = wm_replay_judge(&run.replay);
        if (report.refusal == WM_REPLAY_ANSWERS)
            rc = wm_replay_other(&run.replay, error);
    }
    wm_share_line_end(&run.calls.line);
    if (rc == 0)
        rc = tell(&report, context);
    release(&run);
    return rc;
}
