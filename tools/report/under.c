/* The trace of a report replayed under other maps. */
#include "tools/report/under.h"

#include "tools/replay/answer.h"

static int append(const struct wm_replay_report *report, void *array)
{
    return json_array_append_new(array, wm_replay_report_object(report)) < 0 ? -WM_ENOMEM : 0;
}

static int replay_all(struct wm_trace *trace, const struct wm_under_choice *choice, json_t *array,
                      struct wm_error *error)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < choice->count; i++)
        rc = wm_replay_answer(trace, choice->maps[i], choice->profile, append, array, error);
    return rc == -WM_ENOMEM ? wm_error_set(error, rc, "no memory for what other maps would take") : rc;
}

json_t *wm_under_maps(const char *directory, const struct wm_under_choice *choice, struct wm_error *error)
{
    struct wm_trace *trace;
    json_t *array;
    int rc;

    if (wm_trace_open(&trace, directory, error) < 0)
        return NULL;
    array = json_array();
    rc = array != NULL ? replay_all(trace, choice, array, error) : wm_error_set(error, -WM_ENOMEM, "out of memory");
    wm_trace_close(trace);
    if (rc == 0)
        return array;
    json_decref(array);
    return NULL;
}
