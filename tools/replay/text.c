/* A replay as text. */
#include <math.h>
#include <string.h>
#include "tools/replay/report.h"
#include "tools/text/table.h"
#include "tools/text/units.h"

static const char *short_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash != NULL ? slash + 1 : file;
}

static struct wm_text line_text(int line)
{
    struct wm_text text = {"library"};

    if (line > 0)
        snprintf(text.text, sizeof text.text, "line %d", line);
    else if (line < 0)
        snprintf(text.text, sizeof text.text, "several");
    return text;
}

static struct wm_text percent_text(int64_t now, int64_t then)
{
    struct wm_text text;

    snprintf(text.text, sizeof text.text, "%+.1f %%", then > 0 ? ((double)now - (double)then) / (double)then * 100 : 0);
    return text;
}

static void print_kept(const struct wm_replay *r, FILE *out)
{
    const struct wm_replay_calls *c = r->calls;
    int64_t gaps_ns = r->ranks_ns - r->inside_ns;

    fprintf(out, "%s on %d ranks; of what they take themselves, %s was the library's\n",
            wm_number_text(c->kept, "call").text, c->trace->rank_count, wm_share_text(r->kept_ns, r->service_ns).text);
    fprintf(out,
            "%s of the time between them is communication that stays as it was: %s that are not whole or that nobody "
            "waited for, %s whose other end is not in the trace, and statements\n",
            wm_share_text(c->left_ns + c->apart_ns, gaps_ns).text, wm_number_text(c->left, "call").text,
            wm_number_text(c->apart, "message").text);
    if (c->messages > 0)
        fprintf(out, "%s of the program's own, replayed as the library carries them\n",
                wm_number_text(c->messages, "message").text);
    if (r->unserved_calls > 0)
        fprintf(out, "%s served by the library though a rule fits, and will be under any map\n",
                wm_number_text(r->unserved_calls, "call").text);
    if (c->lost > 0)
        fprintf(out, "%s lost: the trace is not the whole run\n", wm_number_text(c->lost, "record").text);
}

static void print_identity(const struct wm_replay *r, FILE *out)
{
    fprintf(out, "  the run        %10s\n", wm_time_text(r->run_ns).text);
    fprintf(out, "  by the profile %10s  %s, replayed under the map that ran\n", wm_time_text(r->raw_ns).text,
            percent_text(r->raw_ns, r->run_ns).text);
    fprintf(out, "  calibrated     %10s  %s, with a factor for each kind of call (below)\n",
            wm_time_text(r->again_ns).text, percent_text(r->again_ns, r->run_ns).text);
}

static void print_refusal(const struct wm_replay *r, enum wm_replay_refusal refusal, FILE *out)
{
    if (refusal == WM_REPLAY_UNTRACED) {
        fprintf(
            out,
            "\nThe trace does not have the messages that the program may send itself, so nothing is said of another "
            "map: it is of an earlier version, or of subranks. Record the run again\n");
        return;
    }
    if (refusal == WM_REPLAY_APART) {
        fprintf(out,
                "\nMore than a tenth of the time between calls is spent on messages whose other end is not in the "
                "trace, so "
                "nothing is said of another map. Record all of the run: WAYMARK_TRACE_BYTES, WAYMARK_TRACE_MODE\n");
        return;
    }
    fprintf(out, "\nThat is more than 5 %%, so nothing is said of another map. The worst calls:\n");
    for (int i = 0; i < r->worst_count; i++) {
        const struct wm_replay_worst *w = &r->worst[i];

        fprintf(out, "  %s of %s on %d ranks (line %d), %s: took %s, replayed %s, summed over ranks\n",
                wm_operation_name(w->operation), wm_bytes_text(w->bytes).text, w->ranks, w->line,
                wm_number_text(w->calls, "time").text, wm_time_text(w->service_ns).text,
                wm_time_text(w->again_ns).text);
    }
    if (r->worst_count == 0)
        fprintf(out, "  none was carried out: what is off is between calls that the library served\n");
}

static void print_answer(const struct wm_replay_report *report, FILE *out)
{
    const struct wm_replay *r = report->replay;
    struct wm_text error = {"?"};

    if (r->error_ns >= 0)
        error = wm_time_text(r->error_ns);
    fprintf(out, "\nUnder %s: %s -> %s ± %s, %.2f times as fast (%s)\n", short_name(report->now),
            wm_time_text(r->run_ns).text, wm_time_text(r->now_ns).text, error.text,
            r->now_ns > 0 ? (double)r->run_ns / (double)r->now_ns : 0, wm_stamp_name(r->stamp));
    fprintf(out, "Plans that did not run are taken to be %.2f times what the profile says, as those that did\n",
            r->general);
    if (r->modelled_calls > 0)
        fprintf(out, "To the library it leaves %s that plans served: modelled by what Open MPI's tables would choose\n",
                wm_number_text(r->modelled_calls, "call").text);
    if (r->averaged > 0)
        fprintf(out, "%s took the mean of those with other arrivals\n", wm_number_text(r->averaged, "call").text);
}

static void print_rows(const struct wm_replay *r, FILE *out)
{
    struct wm_terminal terminal = wm_terminal_of(out);
    struct wm_table table;

    fprintf(out, "\n");
    wm_table_init(&table, "lllrrrrrr");
    for (int i = 0; i < 9; i++)
        wm_table_cell(&table, "%s",
                      (const char *[]){"operation", "then", "now", "calls", "factor", "service then", "now",
                                       "waiting then", "now"}[i]);
    for (size_t i = 0; i < r->row_count; i++) {
        const struct wm_replay_row *row = &r->rows[i];

        wm_table_cell(&table, "%s", wm_operation_name(row->operation));
        wm_table_cell(&table, "%s", line_text(row->line).text);
        wm_table_cell(&table, "%s", line_text(row->now).text);
        wm_table_cell(&table, "%s", wm_count_text(row->calls).text);
        if (row->factor > 0)
            wm_table_cell(&table, "%.2f", row->factor);
        else
            wm_table_cell(&table, "kept");
        for (int k = 0; k < WM_REPLAY_CASTS; k++)
            wm_table_cell(&table, "%s", wm_time_text(row->service_ns[k]).text);
        for (int k = 0; k < WM_REPLAY_CASTS; k++)
            wm_table_cell(&table, "%s", wm_time_text(row->wait_ns[k]).text);
    }
    wm_table_print(&table, &terminal);
}

/* Where a gain went: the service that is saved, and the waiting that is more, summed over ranks. */
static void print_turned(const struct wm_replay *r, FILE *out)
{
    int64_t saved_ns = 0, waited_ns = 0, most_ns = 0;
    const struct wm_replay_row *most = NULL;

    for (size_t i = 0; i < r->row_count; i++) {
        const struct wm_replay_row *row = &r->rows[i];
        int64_t more_ns = row->wait_ns[WM_REPLAY_NOW] - row->waited_ns;

        saved_ns += row->again_ns - row->service_ns[WM_REPLAY_NOW];
        waited_ns += more_ns;
        if (more_ns > most_ns) {
            most_ns = more_ns;
            most = row;
        }
    }
    if (saved_ns > 0 && waited_ns > 0 && most != NULL)
        fprintf(out, "Of %s saved in calls, summed over ranks, %s turns into waiting, most of it in %s (%s)\n",
                wm_time_text(saved_ns).text, wm_share_text(waited_ns, saved_ns).text,
                wm_operation_name(most->operation), line_text(most->line).text);
}

void wm_replay_report_text(const struct wm_replay_report *report, FILE *out)
{
    const struct wm_replay *r = report->replay;

    print_identity(r, out);
    print_kept(r, out);
    if (report->refusal != WM_REPLAY_ANSWERS) {
        print_refusal(r, report->refusal, out);
        return;
    }
    print_answer(report, out);
    print_rows(r, out);
    print_turned(r, out);
}
