/* What was in flight when ranks stopped without a closing record, and where each of them was. */
#include "tools/report/parts.h"
#include "tools/text/units.h"

enum { DEATHS_SHOWN = 8, RANKS_CHARS = 120 };

static void print_stuck(const struct wm_sheet *sheet, const struct wm_stuck *stuck)
{
    char inside[RANKS_CHARS], absent[RANKS_CHARS], line[768];

    wm_ranks_text(stuck->inside, stuck->inside_count, inside, sizeof inside);
    wm_ranks_text(stuck->absent, stuck->absent_count, absent, sizeof absent);
    snprintf(line, sizeof line, "%s #%u on %.100s, %s, since %s: inside: %s; %s%s",
             wm_operation_function((enum wm_operation)stuck->operation), stuck->sequence,
             wm_sheet_communicator(sheet, stuck->communicator), wm_bytes_text(stuck->bytes).text,
             wm_time_text(stuck->since_ns).text, inside, stuck->absent_count ? "never came: " : "all ranks had come",
             absent);
    wm_page_wrap(sheet->page, "  ", line);
    for (int i = 0; i < stuck->pending_count && i < WM_PENDING_MAX; i++) {
        const struct wm_pending *pending = &stuck->pending[i];

        fprintf(sheet->page->file, "    rank %d awaits %s rank %d: %s, since %s\n",
                pending->receive ? pending->destination : pending->source,
                pending->receive ? "a message from" : "the end of its send to",
                pending->receive ? pending->source : pending->destination, wm_bytes_text(pending->bytes).text,
                wm_time_text(pending->since_ns).text);
    }
    if (stuck->pending_count > WM_PENDING_MAX)
        fprintf(sheet->page->file, "    and %d more\n", stuck->pending_count - WM_PENDING_MAX);
}

static const char *kind_name(const struct wm_trace_record *record)
{
    static const char *const names[] = {
#define X(id, name, help) name,
        WM_TRACE_KINDS(X)
#undef X
    };

    return names[record->kind];
}

static void print_death(const struct wm_sheet *sheet, const struct wm_death *death)
{
    const struct wm_trace_rank *rank = death->rank;

    fprintf(sheet->page->file, "  rank %d (%s, process %ld): ", rank->rank, rank->host[0] ? rank->host : "?",
            rank->pid);
    if (death->last == NULL)
        fprintf(sheet->page->file, "no call recorded\n");
    else
        fprintf(sheet->page->file, "last record at %s: %s in call #%u, %s\n", wm_time_text(death->last_ns).text,
                kind_name(death->last), death->last->sequence,
                death->inside ? "inside that call" : "outside of any traced call");
}

void wm_sheet_print_ends(const struct wm_sheet *sheet)
{
    const struct wm_analysis *analysis = sheet->analysis;

    if (analysis->death_count == 0)
        return;
    wm_sheet_head(sheet, "In flight at the end: these ranks never closed their trace");
    for (int i = 0; i < analysis->stuck_count; i++)
        print_stuck(sheet, &analysis->stuck[i]);
    if (analysis->stuck_more > 0)
        fprintf(sheet->page->file, "  and %d more calls\n", analysis->stuck_more);
    /* Ranks outside of all calls first: they are why the others wait. */
    for (int pass = 0, shown = 0; pass < 2; pass++)
        for (int i = 0; i < analysis->death_count; i++)
            if (analysis->deaths[i].inside == (pass == 1) && shown++ < DEATHS_SHOWN)
                print_death(sheet, &analysis->deaths[i]);
    if (analysis->death_count > DEATHS_SHOWN)
        fprintf(sheet->page->file, "  and %d more ranks\n", analysis->death_count - DEATHS_SHOWN);
}
