/* An inquiry's bookkeeping: what was offered, what is claimed, and the words that all findings share. */
#include "tools/findings/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/search.h"
#include "tools/text/units.h"

struct wm_finding wm_finding_of(enum wm_finding_kind kind, const struct wm_line *line, int64_t lost_ns)
{
    struct wm_finding finding = {
        .kind = kind, .lost_ns = lost_ns, .operation = WM_OPERATION_COUNT, .rank = -1, .source = -1, .destination = -1};

    if (line != NULL) {
        finding.node = line->node;
        finding.operation = line->operation;
    }
    return finding;
}

static void say_more(char *text, size_t bytes, const char *format, va_list arguments)
{
    size_t length = strlen(text);

    vsnprintf(text + length, bytes - length, format, arguments);
}

void wm_finding_say(struct wm_finding *finding, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_more(finding->sentence, sizeof finding->sentence, format, arguments);
    va_end(arguments);
}

void wm_finding_open(struct wm_finding *finding, const struct wm_inquiry *inquiry)
{
    wm_finding_say(finding, "%s of the run's rank time (%s",
                   wm_share_text(finding->lost_ns, inquiry->analysis->run_ns).text,
                   wm_time_text(finding->lost_ns).text);
    if (finding->error_ns > 0)
        wm_finding_say(finding, " ± %s", wm_time_text(finding->error_ns).text);
    wm_finding_say(finding, ") goes into ");
}

void wm_finding_say_place(struct wm_finding *finding, const struct wm_inquiry *inquiry)
{
    char place[128], source[96];

    if (finding->node == 0)
        return;
    wm_place_text(inquiry->trace, finding->node, place, sizeof place);
    wm_source_text(inquiry->trace, finding->node, source, sizeof source);
    wm_finding_say(finding, " at %s %s", place, source);
}

void wm_finding_trust(struct wm_finding *finding, double share, const char *format, ...)
{
    va_list arguments;

    finding->confidence = share >= 1 ? 100 : share > 0 ? (int)(100 * share) : 0; /* of nothing: 0 */
    finding->because[0] = '\0';
    va_start(arguments, format);
    say_more(finding->because, sizeof finding->because, format, arguments);
    va_end(arguments);
}

void wm_finding_say_edit(struct wm_finding *finding)
{
    if (finding->edit.line > 0)
        wm_finding_say(finding, " In line %d write %s for %s.", finding->edit.line, finding->edit.after,
                       finding->edit.before);
}

static bool is_resolved(const struct wm_finding *finding)
{
    return finding->error_ns < finding->lost_ns;
}

static bool comes_before(const struct wm_finding *a, const struct wm_finding *b)
{
    return is_resolved(a) != is_resolved(b) ? is_resolved(a) : a->lost_ns > b->lost_ns;
}

void wm_inquiry_offer(struct wm_inquiry *inquiry, struct wm_finding *finding)
{
    int at = inquiry->count;

    if (finding->lost_ns <= 0)
        return;
    if (!is_resolved(finding)) {
        wm_finding_trust(finding, 0, "below the clock's resolution: ± %s", wm_time_text(finding->error_ns).text);
        wm_finding_say(finding, " But that is below the clock's resolution.");
    }
    while (at > 0 && comes_before(finding, &inquiry->best[at - 1]))
        at--;
    if (at == WM_FINDINGS_MAX)
        return;
    inquiry->count += inquiry->count < WM_FINDINGS_MAX;
    memmove(&inquiry->best[at + 1], &inquiry->best[at], (size_t)(inquiry->count - 1 - at) * sizeof *finding);
    inquiry->best[at] = *finding;
}

void wm_inquiry_claim(struct wm_inquiry *inquiry, const struct wm_claim *claim)
{
    if (inquiry->claim_count < WM_CLAIMS_MAX)
        inquiry->claims[inquiry->claim_count++] = *claim;
}

/* All that is claimed of a line. */
static struct wm_claim claims_of(const struct wm_inquiry *inquiry, const struct wm_line *line)
{
    struct wm_claim sum = {.line = line};

    for (int i = 0; i < inquiry->claim_count; i++) {
        const struct wm_claim *claim = &inquiry->claims[i];

        if (claim->line != line)
            continue;
        sum.inside_ns += claim->inside_ns;
        sum.transfer_ns += claim->transfer_ns;
        sum.caused_ns += claim->caused_ns;
    }
    return sum;
}

static int64_t what_is_left(int64_t whole_ns, int64_t claimed_ns)
{
    return whole_ns > claimed_ns ? whole_ns - claimed_ns : 0;
}

int64_t wm_inquiry_inside_ns(const struct wm_inquiry *inquiry, const struct wm_line *line)
{
    return what_is_left(line->inside_ns, claims_of(inquiry, line).inside_ns);
}

int64_t wm_inquiry_transfer_ns(const struct wm_inquiry *inquiry, const struct wm_line *line)
{
    return what_is_left(line->transfer_ns, claims_of(inquiry, line).transfer_ns);
}

/* What was passed on by calls through the stage; without the map's text, by calls of its operation. */
int64_t wm_inquiry_caused_ns(const struct wm_inquiry *inquiry, const struct wm_line *line)
{
    const char *path = wm_inquiry_path(inquiry->trace, line->node);
    double sum_ns = 0;

    for (int i = 0; i < inquiry->blame_count; i++) {
        const struct wm_blame *blame = &inquiry->blames[i];
        const struct wm_line *cause = blame->cause;

        if (cause == NULL || cause->operation != line->operation ||
            (path != NULL && blame->path != NULL && path != blame->path))
            continue;
        sum_ns += (double)blame->passed_on_ns *
                  (cause->time_ns <= line->time_ns ? 1 : (double)line->time_ns / (double)cause->time_ns);
    }
    return what_is_left((int64_t)sum_ns, claims_of(inquiry, line).caused_ns);
}

const char *wm_inquiry_host(const struct wm_inquiry *inquiry, int rank)
{
    const struct wm_trace *trace = inquiry->trace;
    int at = (int)WM_COUNT_WHILE(i, trace->rank_count, trace->ranks[i].rank < rank);

    return at < trace->rank_count && trace->ranks[at].rank == rank && trace->ranks[at].host[0] != '\0'
               ? trace->ranks[at].host
               : NULL;
}
