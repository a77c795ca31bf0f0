/* What costs most in a conveyor, in words, and what to do about it. */
#include "tools/findings/conveyor_advice.h"

#include <stdio.h>
#include "tools/findings/findings.h"
#include "tools/text/units.h"

/* Shares, in per cent, from which on something is worth a sentence. */
enum { BLOCKED_SHARE = 20, ENDGAME_SHARE = 30, MEAGRE_SHARE = 50 };

static bool exceeds(int64_t part, int64_t whole, int percent)
{
    return whole > 0 && (double)part * 100 > (double)whole * percent;
}

/* The rank to which most of the blocked time comes back. */
static int worst_root(const struct wm_conveyor_totals *conveyor, int64_t *ns)
{
    int worst = -1;

    *ns = 0;
    for (size_t i = 0; i < conveyor->block_count; i++) {
        int64_t sum_ns = 0;

        for (size_t k = 0; k < conveyor->block_count; k++)
            sum_ns += conveyor->blocks[k].root == conveyor->blocks[i].root ? conveyor->blocks[k].ns : 0;
        if (sum_ns > *ns) {
            *ns = sum_ns;
            worst = conveyor->blocks[i].root;
        }
    }
    return worst;
}

static bool say_blocked(const struct wm_conveyor_totals *conveyor, const char *where, char *out, size_t out_bytes)
{
    int64_t ns;
    int root;

    if (!exceeds(conveyor->blocked_ns, conveyor->run_ns, BLOCKED_SHARE))
        return false;
    root = worst_root(conveyor, &ns);
    snprintf(
        out, out_bytes,
        "Links of the conveyor '%s'%s waited %s for room while its runs took %s of rank time, %s of it for rank %d "
        "in the end. If that is one rank, it should pull more often or be sent less; if all are alike, give each "
        "link more with (aggregate … #:buffers).",
        conveyor->definition->name, where, wm_time_text(conveyor->blocked_ns).text, wm_time_text(conveyor->run_ns).text,
        wm_share_text(ns, conveyor->blocked_ns).text, root);
    return true;
}

static bool say_endgame(const struct wm_conveyor_totals *conveyor, const char *where, char *out, size_t out_bytes)
{
    if (!exceeds(conveyor->endgame_ns, conveyor->run_ns, ENDGAME_SHARE))
        return false;
    snprintf(out, out_bytes,
             "%s of the rank time in runs of the conveyor '%s'%s is endgame: ranks that are done wait for those that "
             "are not, and for the last buffers. Even out what ranks push; put several short runs into one; use fewer "
             "hops.",
             wm_share_text(conveyor->endgame_ns, conveyor->run_ns).text, conveyor->definition->name, where);
    return true;
}

static bool say_meagre(const struct wm_conveyor_totals *conveyor, const char *where, char *out, size_t out_bytes)
{
    uint64_t buffers = 0, meagre = 0;

    for (int hop = 0; hop < conveyor->hop_count; hop++) {
        buffers += conveyor->hops[hop].buffers;
        meagre += conveyor->hops[hop].meagre;
    }
    if (!exceeds((int64_t)meagre, (int64_t)buffers, MEAGRE_SHARE))
        return false;
    snprintf(out, out_bytes,
             "%s of the buffers of the conveyor '%s'%s go less than a quarter full. More hops share links among more "
             "items; smaller buffers cost less memory; #:flush 'steady sends early on purpose.",
             wm_share_text((int64_t)meagre, (int64_t)buffers).text, conveyor->definition->name, where);
    return true;
}

void wm_conveyors_advise(const struct wm_trace *trace, struct wm_conveyor_table *conveyors, char *out, size_t out_bytes)
{
    const struct wm_conveyor_totals *conveyor = &conveyors->conveyors[0];
    char place[128], where[160] = "";

    for (size_t i = 1; i < conveyors->count; i++)
        if (conveyors->conveyors[i].run_ns > conveyor->run_ns)
            conveyor = &conveyors->conveyors[i];
    if (conveyor->definition->node > 0) {
        wm_place_text(trace, (uint16_t)conveyor->definition->node, place, sizeof place);
        snprintf(where, sizeof where, " at %s", place);
    }
    if (conveyor->finished < conveyor->begun)
        snprintf(out, out_bytes, "The conveyor '%s'%s did not come to its end on %llu of %llu ranks' runs: see below.",
                 conveyor->definition->name, where, (unsigned long long)(conveyor->begun - conveyor->finished),
                 (unsigned long long)conveyor->begun);
    else if (!say_blocked(conveyor, where, out, out_bytes) && !say_endgame(conveyor, where, out, out_bytes) &&
             !say_meagre(conveyor, where, out, out_bytes))
        snprintf(out, out_bytes,
                 "Nothing stands out in the conveyor '%s'%s: buffers are filled, links have room, and the endgame is "
                 "short.",
                 conveyor->definition->name, where);
}
