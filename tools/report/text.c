/* The report as text: the findings first, then sections in order. */
#include "tools/report/text.h"

#include <string.h>
#include "tools/report/json.h"
#include "tools/report/report.h"
#include "tools/text/units.h"

/* How sure that is, and of what, unless the sentence says so. */
static void print_confidence(const struct wm_terminal *terminal, const json_t *finding)
{
    const char *because = wm_text_get_string(finding, "because");
    int confidence = (int)wm_text_get(finding, "confidence");
    char line[256];

    if (strstr(wm_text_get_string(finding, "sentence"), because) != NULL)
        snprintf(line, sizeof line, "(%d %% sure)", confidence);
    else
        snprintf(line, sizeof line, "(%d %% sure: %s)", confidence, because);
    fputs(wm_terminal_dim(terminal), terminal->file);
    wm_terminal_wrap(terminal, "         ", line);
    fputs(wm_terminal_plain(terminal), terminal->file);
}

static void print_findings(const struct wm_text_report *text)
{
    const struct wm_terminal *terminal = text->terminal;
    const json_t *finding;
    size_t i;

    json_array_foreach (json_object_get(text->report, "findings"), i, finding) {
        if (i == 0)
            fputs(wm_terminal_bold(terminal), terminal->file);
        wm_terminal_wrap(terminal, i == 0 ? "Finding: " : "   Then: ", wm_text_get_string(finding, "sentence"));
        if (i == 0)
            fputs(wm_terminal_plain(terminal), terminal->file);
        if (wm_text_get(finding, "confidence") < 100)
            print_confidence(terminal, finding);
    }
    fputc('\n', terminal->file);
}

static double percent(const json_t *object, const char *key)
{
    return 100 * json_real_value(json_object_get(object, key));
}

static void print_efficiency(const struct wm_text_report *text)
{
    const json_t *e = json_object_get(text->report, "efficiency");
    char line[256];

    if (e == NULL)
        return;
    snprintf(line, sizeof line,
             "efficiency %.0f %%: load balance %.0f %%, and communication %.0f %% (serialisation %.0f %%, transfer "
             "%.0f %%)%s",
             percent(e, "parallel"), percent(e, "load_balance"), percent(e, "communication"),
             percent(e, "serialisation"), percent(e, "transfer"),
             json_is_true(json_object_get(e, "messages"))
                 ? ""
                 : "; point-to-point calls are not on record, and count as useful");
    wm_terminal_wrap(text->terminal, "", line);
}

/* The maps that the job was given while it ran. */
static void print_epochs(const struct wm_text_report *text)
{
    const json_t *epoch;
    char line[512];
    size_t i;

    json_array_foreach (json_object_get(text->report, "epochs"), i, epoch) {
        const char *map = wm_text_get_string(epoch, "map");

        snprintf(line, sizeof line, "epoch %lld from %s on, first at call %lld on '%.100s': map %.250s%s",
                 (long long)wm_text_get(epoch, "epoch"), wm_time_text(wm_text_get(epoch, "at_ns")).text,
                 (long long)wm_text_get(epoch, "call"), wm_text_get_string(epoch, "communicator"),
                 *map != '\0' ? map : "(unknown)",
                 json_is_true(json_object_get(epoch, "tries")) ? ", beside which another one is tried" : "");
        wm_terminal_wrap(text->terminal, "", line);
    }
    if (wm_text_get(text->report, "epochs_more") > 0)
        wm_terminal_wrap(text->terminal, "", "… and further ones");
}

static void print_summary(const struct wm_text_report *text)
{
    const json_t *run = json_object_get(text->report, "run");
    const char *program = wm_text_get_string(run, "program");
    const char *map = wm_text_get_string(json_object_get(text->report, "map"), "file");
    uint64_t lost = (uint64_t)wm_text_get(run, "lost");
    const json_t *sentence;
    char line[768], processes[64] = "";
    size_t i;

    if (wm_text_get(run, "siblings") > 0)
        snprintf(processes, sizeof processes, ", %lld in each of %lld process%s,",
                 (long long)wm_text_get(run, "siblings"), (long long)wm_text_get(run, "processes"),
                 wm_text_get(run, "processes") == 1 ? "" : "es");
    snprintf(line, sizeof line, "%.200s: %s%s on %s for %s; map: %.200s; %s, %s lost",
             *program != '\0' ? program : "(unknown program)",
             wm_number_text((uint64_t)wm_text_get(run, "ranks"), "rank").text, processes,
             wm_number_text((uint64_t)wm_text_get(run, "hosts_total"), "host").text,
             wm_time_text(wm_text_get(run, "span_ns")).text, *map != '\0' ? map : "none",
             wm_number_text((uint64_t)wm_text_get(run, "events"), "event").text,
             lost > 0 ? wm_count_text(lost).text : "none");
    wm_terminal_wrap(text->terminal, "", line);
    json_array_foreach (json_object_get(text->report, "emulated"), i, sentence)
        wm_terminal_wrap(text->terminal, "", json_string_value(sentence));
    print_epochs(text);
    print_efficiency(text);
}

void wm_report_print(const struct wm_terminal *terminal, const json_t *report)
{
    const struct wm_text_report text = {terminal, report};

    print_findings(&text);
    print_summary(&text);
    wm_text_print_ends(&text);
    wm_text_print_lines(&text);
    wm_text_print_native(&text);
    wm_text_print_spreads(&text);
    wm_text_print_delays(&text);
    wm_text_print_slow(&text);
    wm_text_print_edges(&text);
    wm_text_print_conveyors(&text);
    wm_text_print_protocols(&text);
    wm_text_print_statements(&text);
    wm_text_print_superblocks(&text);
    wm_text_print_under(&text);
    wm_text_print_facts(&text);
}
