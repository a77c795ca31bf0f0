/* Closes of one end of a link are brought together with takes of the other, by positions of units. */
#include "tools/analysis/conveyors_raw.h"

#include <stdlib.h>

int wm_conveyor_link_compare(const struct wm_conveyor_link *a, const struct wm_conveyor_link *b)
{
    int order = (a->conveyor > b->conveyor) - (a->conveyor < b->conveyor);

    order = order != 0 ? order : (a->run > b->run) - (a->run < b->run);
    order = order != 0 ? order : (a->rank > b->rank) - (a->rank < b->rank);
    order = order != 0 ? order : (a->hop > b->hop) - (a->hop < b->hop);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare_pieces(const void *a, const void *b)
{
    const struct wm_conveyor_piece *x = a, *y = b;
    int order = wm_conveyor_link_compare(&x->link, &y->link);

    return order != 0 ? order : (x->position > y->position) - (x->position < y->position);
}

static int note_latency(struct wm_conveyor_totals *conveyor, struct wm_hop_totals *hop, int64_t ns)
{
    if (ns < 0) {
        conveyor->violations++;
        conveyor->violation_max_ns = -ns > conveyor->violation_max_ns ? -ns : conveyor->violation_max_ns;
    }
    return wm_spread_add(&hop->hop_ns, ns);
}

/* One link: its closes and its takes, in order. */
static int match_link(struct wm_conveyor_totals *conveyor, const struct wm_conveyor_piece *closes, size_t close_count,
                      const struct wm_conveyor_piece *takes, size_t take_count)
{
    struct wm_hop_totals *hop = &conveyor->hops[close_count > 0 ? closes->link.hop : takes->link.hop];
    uint64_t closed = 0, taken = 0;
    size_t at = 0;
    int rc = 0;

    for (size_t i = 0; i < close_count && rc == 0; i++) {
        while (at < take_count && takes[at].end <= closes[i].position)
            at++;
        if (at < take_count && takes[at].position <= closes[i].position)
            rc = note_latency(conveyor, hop, takes[at].ns - closes[i].ns);
        else
            hop->unmatched++;
        closed += closes[i].end - closes[i].position;
    }
    for (size_t i = 0; i < take_count; i++)
        taken += takes[i].end - takes[i].position;
    hop->taken += taken;
    hop->links++;
    hop->uneven_links += closed != taken;
    return rc;
}

/* How many pieces from `at` on are of one link with the first. */
static size_t same_link(const struct wm_conveyor_piece *pieces, size_t at, size_t count)
{
    size_t end = at;

    while (end < count && wm_conveyor_link_compare(&pieces[end].link, &pieces[at].link) == 0)
        end++;
    return end - at;
}

int wm_conveyors_match(struct wm_conveyor_records *raw)
{
    size_t close = 0, take = 0;
    int rc = 0;

    if (raw->close_count > 0)
        qsort(raw->closes, raw->close_count, sizeof *raw->closes, compare_pieces);
    if (raw->take_count > 0)
        qsort(raw->takes, raw->take_count, sizeof *raw->takes, compare_pieces);
    while (rc == 0 && (close < raw->close_count || take < raw->take_count)) {
        int order = close == raw->close_count ? 1
                    : take == raw->take_count
                        ? -1
                        : wm_conveyor_link_compare(&raw->closes[close].link, &raw->takes[take].link);
        size_t closes = order <= 0 ? same_link(raw->closes, close, raw->close_count) : 0;
        size_t takes = order >= 0 ? same_link(raw->takes, take, raw->take_count) : 0;
        uint32_t conveyor = closes > 0 ? raw->closes[close].link.conveyor : raw->takes[take].link.conveyor;

        rc = match_link(&raw->conveyors->conveyors[conveyor], raw->closes + close, closes, raw->takes + take, takes);
        close += closes;
        take += takes;
    }
    return rc;
}
