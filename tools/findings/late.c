/* Who comes late: one rank, the root, or all in turn; and what it did instead. */
#include <ctype.h>
#include "tools/analysis/crowd.h"
#include "tools/findings/finding.h"
#include "tools/text/units.h"

/* What is known of those that a line's calls wait for. */
struct lateness {
    int rank; /* the dearest; -1: none */
    int64_t total_ns, of_rank_ns;
    double share;                   /* of the rank */
    const struct wm_delay *because; /* the dearest of the rank's delays, or NULL */
};

static bool is_of(const struct wm_delay *delay, const struct wm_line *line)
{
    return delay->node == line->node && delay->operation == line->operation;
}

/* What others waited for the rank, less what is not its own doing. */
static int64_t own_ns(const struct wm_inquiry *inquiry, const struct wm_line *line, int rank)
{
    int64_t sum_ns = line->wait_by_rank[rank];

    for (int i = 0; i < inquiry->blame_count; i++)
        if (inquiry->blames[i].delay->rank == rank && is_of(inquiry->blames[i].delay, line))
            sum_ns -= inquiry->blames[i].passed_on_ns;
    return sum_ns;
}

static void take_rank(const struct wm_inquiry *inquiry, const struct wm_line *line, int rank, struct lateness *late)
{
    int64_t rank_ns = own_ns(inquiry, line, rank);

    if (rank_ns <= late->of_rank_ns)
        return;
    late->rank = rank;
    late->of_rank_ns = rank_ns;
}

/* The dearest of the rank's delays, other than those that are put down to another call. */
static const struct wm_delay *reason_of(const struct wm_inquiry *inquiry, const struct wm_line *line, int rank)
{
    for (int i = 0; i < inquiry->blame_count; i++) {
        const struct wm_blame *blame = &inquiry->blames[i];

        if (blame->delay->rank == rank && is_of(blame->delay, line) && 2 * blame->passed_on_ns <= blame->delay->cost_ns)
            return blame->delay;
    }
    return NULL;
}

static struct lateness lateness_of(const struct wm_inquiry *inquiry, const struct wm_line *line)
{
    struct lateness late = {.rank = -1, .total_ns = line->late_ns};
    int first = wm_line_late_rank(line, inquiry->trace->job_ranks, &late.share);

    if (first < 0)
        return late;
    take_rank(inquiry, line, first, &late);
    for (int i = 0; i < inquiry->blame_count; i++) {
        const struct wm_blame *blame = &inquiry->blames[i];

        if (!is_of(blame->delay, line))
            continue;
        late.total_ns -= blame->passed_on_ns;
        if (blame->delay->computing)
            take_rank(inquiry, line, blame->delay->rank, &late);
    }
    late.share = late.rank >= 0 && late.total_ns > 0 ? (double)late.of_rank_ns / (double)late.total_ns : 0;
    if (late.rank >= 0)
        late.because = reason_of(inquiry, line, late.rank);
    return late;
}

/* The succession of `seen` in `count`: one of one is not yet sure. */
static double likelihood(uint64_t seen, uint64_t count)
{
    return (double)(seen + 1) / (double)(count + 2);
}

/* Of the waits, those that the clocks resolve. */
static double resolved_share(const struct wm_line *line)
{
    size_t waits = line->wait_ns.count;

    return waits > 0 && line->unresolved < waits ? 1 - (double)line->unresolved / (double)waits : 1;
}

static void say_reason(struct wm_finding *finding, const struct wm_inquiry *inquiry, const struct wm_delay *because)
{
    int64_t each_ns = because != NULL && because->instances > 0 ? because->excess_ns / (int64_t)because->instances : 0;
    char place[128];

    if (each_ns <= 0)
        return;
    if (because->computing) {
        wm_finding_say(
            finding, ", because it computed %s longer than the others before the call%s", wm_time_text(each_ns).text,
            inquiry->analysis->efficiency.messages ? "" : " (or was in point-to-point calls, which are not on record)");
        return;
    }
    wm_place_text(inquiry->trace, because->cause_node, place, sizeof place);
    wm_finding_say(finding, ", because it was %s longer than the others in %s%s%s", wm_time_text(each_ns).text,
                   wm_operation_function((enum wm_operation)because->cause_operation),
                   because->cause_node > 0 ? " at " : "", because->cause_node > 0 ? place : "");
}

static void say_advice(struct wm_finding *finding, const struct wm_line *line, int rank, bool root)
{
    const char *function = wm_operation_function((enum wm_operation)line->operation);

    if (!root)
        wm_finding_say(finding, ". Give rank %d less to do before the call; no change of the map mends that.", rank);
    else /* MPI_Bcast, MPI_Ibcast */
        wm_finding_say(finding,
                       ". Let rank %d call %s before it computes, or use MPI_I%c%s; no change of the map mends "
                       "that.",
                       rank, function, tolower((unsigned char)function[4]), function + 5);
}

static void look_at_one(struct wm_inquiry *inquiry, const struct wm_line *line, const struct lateness *late)
{
    bool root = wm_operation_flow((enum wm_operation)line->operation) == WM_FLOW_DOWN;
    struct wm_finding finding = wm_finding_of(root ? WM_FINDING_LATE_ROOT : WM_FINDING_LATE_RANK, line, late->total_ns);
    uint64_t last = line->last_by_rank != NULL ? line->last_by_rank[late->rank] : 0;

    finding.rank = late->rank;
    finding.error_ns = line->error_ns;
    wm_finding_trust(&finding, likelihood(last, line->calls) * resolved_share(line), "it came last in %s of %s",
                     wm_count_text(last).text, wm_number_text(line->calls, "call").text);
    wm_finding_open(&finding, inquiry);
    wm_finding_say(&finding, "waiting in %s for rank %d%s to arrive",
                   wm_operation_function((enum wm_operation)line->operation), late->rank, root ? ", its root," : "");
    wm_finding_say_place(&finding, inquiry);
    wm_finding_say(&finding, ": %s", finding.because);
    say_reason(&finding, inquiry, late->because);
    say_advice(&finding, line, late->rank, root);
    wm_inquiry_offer(inquiry, &finding);
}

static void look_at_turns(struct wm_inquiry *inquiry, const struct wm_line *line, const struct lateness *late)
{
    struct wm_finding finding = wm_finding_of(WM_FINDING_LATE_TURNS, line, late->total_ns);
    struct wm_crowd crowd = wm_crowd_find(inquiry->trace);
    char who[128];

    finding.rank = late->rank;
    finding.error_ns = line->error_ns;
    wm_finding_trust(&finding, (1 - late->share) * resolved_share(line), "no rank costs more than %.0f %% of the wait",
                     100 * late->share);
    wm_finding_open(&finding, inquiry);
    wm_finding_say(&finding, "waiting in %s for the last rank to arrive",
                   wm_operation_function((enum wm_operation)line->operation));
    wm_finding_say_place(&finding, inquiry);
    wm_crowd_text(&crowd, who, sizeof who);
    wm_finding_say(
        &finding,
        ": the ranks take turns in coming last (rank %d costs most, %.0f %% of the wait). The work before the "
        "call is uneven, or something disturbs the ranks%s%s; no change of the map mends that.",
        late->rank, 100 * late->share, who[0] != '\0' ? ": " : "", who);
    wm_inquiry_offer(inquiry, &finding);
}

void wm_finding_look_late(struct wm_inquiry *inquiry)
{
    for (size_t i = 0; i < inquiry->analysis->line_count; i++) {
        const struct wm_line *line = &inquiry->analysis->lines[i];
        struct lateness late;

        if (!line->visited || !line->outermost || line->late_ns <= 0 || line->wait_by_rank == NULL)
            continue;
        late = lateness_of(inquiry, line);
        if (late.rank < 0 || late.total_ns <= 0)
            continue;
        if (late.share >= 0.5 && late.share * inquiry->trace->job_ranks >= 1.5)
            look_at_one(inquiry, line, &late);
        else
            look_at_turns(inquiry, line, &late);
    }
}
