/* What is said instead of where time goes: calls do not match, the job died, conveyors prevail, or there is little to
 * say. */
#include <stdio.h>
#include "tools/findings/conveyor_advice.h"
#include "tools/findings/finding.h"
#include "tools/text/units.h"

enum { RANKS_CHARS = 96 };

/* "MPI_Bcast with root 2 at ranks 0-1" */
static void say_side(struct wm_finding *finding, const struct wm_mismatch_side *side)
{
    char ranks[RANKS_CHARS];

    wm_ranks_text(side->ranks, side->count, ranks, sizeof ranks);
    wm_finding_say(finding, "%s", wm_operation_function((enum wm_operation)side->operation));
    if (side->root >= 0)
        wm_finding_say(finding, " with root %d", side->root);
    wm_finding_say(finding, " at rank%s %s", side->count == 1 ? "" : "s", ranks);
}

bool wm_finding_of_mismatch(const struct wm_inquiry *inquiry, struct wm_finding *finding)
{
    const struct wm_mismatch *mismatch = &inquiry->analysis->mismatch;

    if (mismatch->instances == 0)
        return false;
    *finding = wm_finding_of(WM_FINDING_MISMATCH, NULL, 0);
    finding->rank = mismatch->sides[1].count == 1 ? mismatch->sides[1].ranks[0] : -1;
    wm_finding_trust(finding, 1, "of %s the ranks' records differ", wm_number_text(mismatch->instances, "call").text);
    wm_finding_say(finding, "The program's calls do not match: number %u on %s is ", mismatch->sequence,
                   wm_communicator_text(&inquiry->trace->communicators[mismatch->communicator]));
    say_side(finding, &mismatch->sides[0]);
    wm_finding_say(finding, ", and ");
    say_side(finding, &mismatch->sides[1]);
    wm_finding_say(finding, ". All ranks of a communicator must make the same collective calls in the same order (only "
                            "persistent ones may be started in another); results may be wrong from there on.");
    return true;
}

static void say_death(const struct wm_inquiry *inquiry, const struct wm_stuck *stuck, struct wm_finding *finding)
{
    char inside[RANKS_CHARS], absent[RANKS_CHARS];

    finding->node = stuck->node;
    finding->operation = stuck->operation;
    finding->rank = stuck->absent_count == 1 ? stuck->absent[0] : -1;
    wm_ranks_text(stuck->inside, stuck->inside_count, inside, sizeof inside);
    wm_ranks_text(stuck->absent, stuck->absent_count, absent, sizeof absent);
    wm_finding_say(
        finding, "The job died in %s number %u on %s: rank%s %s %s inside%s%s%s. Look at what %s did last, below%s.",
        wm_operation_function((enum wm_operation)stuck->operation), stuck->sequence,
        wm_communicator_text(&inquiry->trace->communicators[stuck->communicator]), stuck->inside_count == 1 ? "" : "s",
        inside, stuck->inside_count == 1 ? "was" : "were", stuck->absent_count ? ", rank " : "", absent,
        stuck->absent_count ? " never came" : "", stuck->absent_count ? "the missing ones" : "they",
        stuck->absent_count ? "; they may have waited in point-to-point calls of the program's own" : "");
}

bool wm_finding_of_death(const struct wm_inquiry *inquiry, struct wm_finding *finding)
{
    const struct wm_analysis *analysis = inquiry->analysis;

    if (analysis->death_count == 0)
        return false;
    *finding = wm_finding_of(WM_FINDING_DEATH, NULL, 0);
    wm_finding_trust(finding, 1, "%s without a closing record",
                     wm_number_text((uint64_t)analysis->death_count, "rank").text);
    if (analysis->stuck_count > 0)
        say_death(inquiry, &analysis->stuck[0], finding);
    else
        wm_finding_say(finding,
                       "%d of %d ranks ended without closing their trace, outside of any traced call: see below.",
                       analysis->death_count, inquiry->trace->rank_count);
    return true;
}

/* Do conveyors take more of the ranks' time than traced collectives? */
bool wm_finding_of_conveyors(const struct wm_inquiry *inquiry, struct wm_finding *finding)
{
    const struct wm_conveyor_table *conveyors = inquiry->analysis->conveyors;
    int64_t run_ns = 0;

    for (size_t i = 0; i < conveyors->count; i++)
        run_ns += conveyors->conveyors[i].run_ns;
    if (conveyors->count == 0 || run_ns < inquiry->in_calls_ns)
        return false;
    *finding = wm_finding_of(WM_FINDING_CONVEYOR, NULL, 0);
    wm_finding_trust(finding, 1, "conveyors ran for %s of the run's rank time",
                     wm_share_text(run_ns, inquiry->analysis->run_ns).text);
    wm_conveyors_advise(inquiry->trace, inquiry->analysis->conveyors, finding->sentence, sizeof finding->sentence);
    return true;
}

bool wm_finding_of_little(const struct wm_inquiry *inquiry, struct wm_finding *finding)
{
    int64_t run_ns = inquiry->analysis->run_ns;

    if (inquiry->count == 0 || inquiry->in_calls_ns >= run_ns / 100)
        return false;
    *finding = wm_finding_of(WM_FINDING_NOTHING, NULL, inquiry->in_calls_ns);
    wm_finding_trust(finding, 1, "all calls were summed up");
    wm_finding_say(finding, "Nothing in the map is worth a change: all collectives together took %s, %s of the run.",
                   wm_time_text(inquiry->in_calls_ns).text, wm_share_text(inquiry->in_calls_ns, run_ns).text);
    return true;
}

void wm_finding_of_nothing(const struct wm_inquiry *inquiry, struct wm_finding *finding)
{
    bool none = inquiry->analysis->line_count == 0;

    *finding = wm_finding_of(WM_FINDING_NOTHING, NULL, 0);
    wm_finding_trust(finding, 1, none ? "no call is in the trace" : "no call has an end in the trace");
    wm_finding_say(finding, "%s",
                   none
                       ? "No collective call was traced: either the program makes none, or its calls went past Waymark."
                       : "No call that was traced came to its end.");
}
