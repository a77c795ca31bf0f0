/* Proof of a conveyor's routes: links that agree, pairs that are connected, and nothing that waits in a circle. */
#include "tools/routes/prove.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tools/routes/cycles.h"

enum { CYCLE_SHOWN = 6, SENTENCE_CHARS = 512, PAIRS_MAX = 32768, LINKS_MAX = 1024, LINKS_MIN = 4 };

struct prover {
    struct wm_network *network;
    struct wm_convey_proof *proof;
    struct wm_waits waits;
};

/* Returns false. */
__attribute__((format(printf, 2, 3))) static bool refute(struct prover *p, const char *format, ...)
{
    const struct wm_wrapper *route = p->network->design->route;
    char sentence[SENTENCE_CHARS];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    wm_error_set(&p->proof->error, -WM_EPATH, "%s", sentence);
    if (route != NULL)
        wm_error_place(&p->proof->error, NULL, route->line, route->column);
    return false;
}

/* ---- links ---- */

/* This rank's end of a link; an end of -1, -1 where it has no such link. */
static struct wm_route_end end_of(struct prover *p, int rank, int hop, int link, bool out)
{
    const struct wm_route_hop *h = &wm_network_route(p->network, rank)->hop[hop];

    if (link < 0 || link >= h->links)
        return (struct wm_route_end){-1, -1};
    return out ? h->out[link] : h->in[link];
}

static bool link_agrees(struct prover *p, int rank, int hop, int link, bool out)
{
    struct wm_route_end end = end_of(p, rank, hop, link, out), back;

    if (end.rank < 0)
        return true;
    if (end.rank >= p->network->ranks)
        return refute(p, "rank %d's link %d of hop %d %s rank %d, which is not there", rank, link, hop + 1,
                      out ? "leads to" : "comes from", end.rank);
    back = end_of(p, end.rank, hop, end.link, !out);
    if (back.rank != rank || back.link != link)
        return refute(p,
                      "the ends of a link differ: rank %d's link %d of hop %d %s rank %d as its link %d, which takes "
                      "it for link %d of rank %d",
                      rank, link, hop + 1, out ? "leads to" : "comes from", end.rank, end.link, back.link, back.rank);
    p->proof->links += out;
    return true;
}

/* `most` links of each hop at most. */
static bool rank_agrees(struct prover *p, int rank, int most)
{
    const struct wm_route *route = wm_network_route(p->network, rank);
    bool agrees = true;

    if (route->tag_bits > 8 * route->tag_bytes)
        return refute(p, "tags of %d bits do not go in %d bytes", route->tag_bits, route->tag_bytes);
    for (int hop = 0; agrees && hop < p->network->first->hops; hop++) {
        int links = wm_network_route(p->network, rank)->hop[hop].links, count = links < most ? links : most;

        for (int i = 0; agrees && i < count; i++) {
            int link = wm_network_sample(links, count, i);

            agrees = link_agrees(p, rank, hop, link, true) && link_agrees(p, rank, hop, link, false);
        }
    }
    return agrees;
}

/* Each link takes the route of its other end. */
static bool links_agree(struct prover *p)
{
    int ranks = p->network->ranks, links = p->network->first->outlets;
    int most = ranks <= WM_NETWORK_EVERY || links < LINKS_MAX ? links : LINKS_MIN;
    int count = wm_network_sample_count(p->network, 2 * most);
    bool agrees = true;

    for (int i = 0; agrees && i < count; i++)
        agrees = rank_agrees(p, wm_network_sample(ranks, count, i), most);
    p->proof->sampled |= count < ranks || most < links;
    return agrees;
}

/* ---- what waits for what ---- */

enum kind { RING, SENDS, RECEIVES };

/* A number for a buffer: a ring of a link, or the parcels of a hop, of `rank`. */
static uint64_t buffer(enum kind kind, int rank, int hop, int link)
{
    return (uint64_t)kind << 62 | (uint64_t)rank << 32 | (uint64_t)hop << 28 | (uint64_t)(kind == RING ? link : 0);
}

/* What an item needs to leave, and what it is in when it has come. */
static uint64_t leg_begin(const struct wm_network *n, const struct wm_leg *leg)
{
    bool parcels = wm_network_net(n, leg->rank, leg->end.rank) == WM_NETWORK_MESSAGES;

    return buffer(parcels ? SENDS : RING, leg->rank, leg->hop, leg->link);
}

static uint64_t leg_end(const struct wm_network *n, const struct wm_leg *leg)
{
    bool parcels = wm_network_net(n, leg->rank, leg->end.rank) == WM_NETWORK_MESSAGES;

    return parcels ? buffer(RECEIVES, leg->end.rank, leg->hop, 0) : leg_begin(n, leg);
}

static void add_waits(struct prover *p, const struct wm_journey *journey)
{
    for (int i = 0; i < journey->count; i++) {
        const struct wm_leg *leg = &journey->legs[i];
        uint64_t begin = leg_begin(p->network, leg), end = leg_end(p->network, leg);

        if (begin != end)
            wm_waits_add(&p->waits, begin, end);
        if (i + 1 < journey->count)
            wm_waits_add(&p->waits, end, leg_begin(p->network, leg + 1));
    }
}

static void buffer_text(uint64_t number, char *out, size_t out_bytes)
{
    static const char *const what[] = {[RING] = "ring", [SENDS] = "parcels to send", [RECEIVES] = "parcels to receive"};
    enum kind kind = (enum kind)(number >> 62);
    int rank = (int)(number >> 32 & ((1u << 30) - 1)), hop = (int)(number >> 28 & 15) + 1;

    if (kind == RING)
        snprintf(out, out_bytes, "the ring of rank %d's link %d of hop %d", rank, (int)(number & ((1u << 28) - 1)),
                 hop);
    else
        snprintf(out, out_bytes, "rank %d's %s of hop %d", rank, what[kind], hop);
}

static bool none_circles(struct prover *p)
{
    uint64_t cycle[CYCLE_SHOWN];
    size_t length = wm_waits_cycle(&p->waits, cycle, CYCLE_SHOWN), used = 0;
    char text[SENTENCE_CHARS - 64], one[80];

    p->proof->waits = p->waits.count;
    for (size_t i = 0; i < length && i < CYCLE_SHOWN && used < sizeof text; i++) {
        buffer_text(cycle[i], one, sizeof one);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? ", for " : "", one);
    }
    return length == 0 || refute(p, "%zu buffers wait for each other: %s%s, for the first", length, text,
                                 length > CYCLE_SHOWN ? ", …" : "");
}

/* ---- pairs ---- */

static bool goes_one_way(struct prover *p, const struct wm_journey *journey)
{
    struct wm_journey again;
    const char *fault = wm_network_follow(p->network, journey->source, journey->destination, &again);

    if (fault == NULL && again.count == journey->count &&
        memcmp(again.legs, journey->legs, sizeof *again.legs * (size_t)again.count) == 0)
        return true;
    return refute(p, "two items from rank %d to rank %d go different ways, so that one may overtake the other",
                  journey->source, journey->destination);
}

static bool pair_connects(struct prover *p, int source, int destination)
{
    struct wm_journey j;
    const char *fault = wm_network_follow(p->network, source, destination, &j);
    int arrived = j.count > 0 ? j.legs[j.count - 1].end.rank : source;

    if (fault != NULL)
        return refute(p, "an item from rank %d to rank %d %s, at rank %d behind hop %d", source, destination, fault,
                      arrived < 0 ? j.legs[j.count - 1].rank : arrived, j.count);
    if (arrived != destination)
        return refute(p, "an item from rank %d to rank %d comes to rank %d", source, destination, arrived);
    if (j.told != source)
        return refute(p, "an item from rank %d to rank %d is taken there to come from rank %d", source, destination,
                      j.told);
    if (j.count > p->network->first->hops)
        return refute(p, "an item from rank %d to rank %d takes %d hops", source, destination, j.count);
    add_waits(p, &j);
    p->proof->hops_least = p->proof->pairs == 0 || j.count < p->proof->hops_least ? j.count : p->proof->hops_least;
    p->proof->hops_most = j.count > p->proof->hops_most ? j.count : p->proof->hops_most;
    p->proof->hops_sum += (size_t)j.count;
    p->proof->pairs++;
    return goes_one_way(p, &j);
}

static bool all_pairs_connect(struct prover *p)
{
    bool connect = true;

    for (int s = 0; connect && s < p->network->ranks; s++)
        for (int d = 0; connect && d < p->network->ranks; d++)
            connect = pair_connects(p, s, d);
    return connect;
}

/* To ranks far and near, and to itself. */
static bool some_pairs_connect(struct prover *p)
{
    int ranks = p->network->ranks, hops = p->network->first->hops;
    int count = wm_network_sample_count(p->network, hops), pairs = count < PAIRS_MAX / 4 ? count : PAIRS_MAX / 4;
    bool connect = true;

    for (int i = 0; connect && i < pairs; i++) {
        int source = wm_network_sample(ranks, count, i);
        int far = wm_network_sample(ranks, count, (int)((i * 7l + 1) % count));

        connect = pair_connects(p, source, far) && pair_connects(p, source, (source + 1) % ranks) &&
                  pair_connects(p, source, source) && pair_connects(p, far, source);
    }
    p->proof->sampled = true;
    return connect;
}

bool wm_convey_prove(struct wm_convey_proof *proof, struct wm_network *network)
{
    struct prover p = {.network = network, .proof = proof};
    const struct wm_route *first = network->first;

    *proof =
        (struct wm_convey_proof){.ranks = network->ranks, .tag_bits = first->tag_bits, .tag_bytes = first->tag_bytes};
    proof->proven = links_agree(&p) &&
                    (network->ranks <= WM_NETWORK_EVERY ? all_pairs_connect(&p) : some_pairs_connect(&p)) &&
                    none_circles(&p);
    wm_waits_release(&p.waits);
    return proof->proven;
}
