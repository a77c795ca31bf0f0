/* A replay as JSON. */
#include "tools/replay/report.h"

static json_t *row_json(const struct wm_replay_row *row)
{
    return json_pack("{ss, si, si, sI, sf, sI, sI, sI, sI, sI, sI}", "operation", wm_operation_name(row->operation),
                     "line_then", row->line, "line_now", row->now, "calls", (json_int_t)row->calls, "factor",
                     row->factor, "service_then_ns", (json_int_t)row->service_ns[WM_REPLAY_THEN], "service_replayed_ns",
                     (json_int_t)row->again_ns, "service_now_ns", (json_int_t)row->service_ns[WM_REPLAY_NOW],
                     "wait_then_ns", (json_int_t)row->wait_ns[WM_REPLAY_THEN], "wait_replayed_ns",
                     (json_int_t)row->waited_ns, "wait_now_ns", (json_int_t)row->wait_ns[WM_REPLAY_NOW]);
}

static json_t *worst_json(const struct wm_replay_worst *w)
{
    return json_pack("{ss, sI, si, si, sI, sI, sI}", "operation", wm_operation_name(w->operation), "bytes",
                     (json_int_t)w->bytes, "ranks", w->ranks, "line", w->line, "calls", (json_int_t)w->calls,
                     "service_then_ns", (json_int_t)w->service_ns, "service_replayed_ns", (json_int_t)w->again_ns);
}

/* In a sentence, behind "no answer, for". */
static const char *const refusals[] = {
    [WM_REPLAY_ANSWERS] = NULL,
    [WM_REPLAY_OFF] = "the run's own map, replayed, is off by more than 5 %",
    [WM_REPLAY_UNTRACED] = "the trace does not have the messages that the program may send itself",
    [WM_REPLAY_APART] = "too much of the time between calls is spent on messages whose other end is not in the trace"};

json_t *wm_replay_report_object(const struct wm_replay_report *report)
{
    const struct wm_replay *r = report->replay;
    json_t *rows = json_array(), *worst = json_array(), *object;

    for (size_t i = 0; i < r->row_count; i++)
        json_array_append_new(rows, row_json(&r->rows[i]));
    for (int i = 0; i < r->worst_count; i++)
        json_array_append_new(worst, worst_json(&r->worst[i]));
    object = json_pack("{ss, ss, ss?, si, sI, sI, sI, sI, sI, sI, sf, sb, ss?, so, so}", "map_then", report->then,
                       "map_now", report->now, "profile", report->profile, "ranks", r->calls->trace->rank_count,
                       "calls", (json_int_t)r->calls->kept, "unserved_calls", (json_int_t)r->unserved_calls,
                       "frozen_ns", (json_int_t)r->calls->left_ns, "run_ns", (json_int_t)r->run_ns, "profile_ns",
                       (json_int_t)r->raw_ns, "replayed_ns", (json_int_t)r->again_ns, "identity", wm_replay_identity(r),
                       "answered", report->refusal == WM_REPLAY_ANSWERS, "refusal", refusals[report->refusal], "lines",
                       rows, "worst", worst);
    json_object_set_new(object, "messages",
                        r->calls->has_messages ? json_integer((json_int_t)r->calls->messages) : json_null());
    json_object_set_new(object, "messages_apart", json_integer((json_int_t)r->calls->apart));
    if (report->refusal == WM_REPLAY_ANSWERS) {
        json_object_set_new(object, "now_ns", json_integer(r->now_ns));
        json_object_set_new(object, "error_ns", r->error_ns >= 0 ? json_integer(r->error_ns) : json_null());
        json_object_set_new(object, "stamp", json_string(wm_stamp_name(r->stamp)));
        json_object_set_new(object, "general_factor", json_real(r->general));
        json_object_set_new(object, "modelled_calls", json_integer((json_int_t)r->modelled_calls));
        json_object_set_new(object, "averaged_calls", json_integer((json_int_t)r->averaged));
    }
    return object;
}

void wm_replay_report_json(const struct wm_replay_report *report, FILE *out)
{
    json_t *object = wm_replay_report_object(report);

    json_dumpf(object, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(object);
}
