/* What messages cost: tools/profile/machine.h says how parameters make a time, and here it is solved for them. */
#include "tools/gauge/messages.h"

#include <math.h>
#include <string.h>
#include "core/path/transport.h"

enum { WIRE_BYTES = 16 << 10 };

/* Messages of a net at a level, while they are solved for. */
struct net {
    const json_t *group;
    const char *level;
    int net;
    enum wm_gauge_family family, pieces, bulk;
    uint64_t eager;
    double send, receive, latency; /* ns */
    double wire;                   /* ns a byte: what one flow shows that the cards carry; 0 within a node */
    double busy;                   /* of what a message takes beside its ends, the receiver's core; 0 to 1 */
};

/* A call's time is flight + step + send + latency + poll + receive: messages in a row tell the ends, the rest flies. */
static void solve_ends(struct net *n, const struct wm_gauge_build *b)
{
    double one = wm_gauge_estimate_of(n->group, n->pieces, WM_BCAST, WM_GAUGE_PIECE_BYTES).value,
           many = wm_gauge_estimate_of(n->group, n->pieces, WM_BCAST, WM_GAUGE_PIECE_BYTES * WM_GAUGE_PIECES).value,
           each = fmax(0, (many - one) / (WM_GAUGE_PIECES - 1)),
           whole = fmax(0, wm_gauge_estimate_of(n->group, n->family, WM_BCAST, 8).value - b->flight - wm_gauge_step_ns -
                               wm_gauge_poll_ns);

    n->send = fmin(fmax(0, each - wm_gauge_step_ns), 0.45 * whole);
    n->receive = fmin(fmax(0, each - wm_gauge_poll_ns), 0.45 * whole);
    n->latency = whole - n->send - n->receive;
}

static struct wm_gauge_filling add_message(struct wm_gauge_build *b, const struct net *n,
                                           const struct wm_gauge_series *s, uint64_t up_to)
{
    struct wm_gauge_filling f = wm_gauge_add_row(b, WM_PROFILE_MESSAGE, n->level, n->net, 0, up_to);

    f.width = s->width;
    f.n = s->n;
    f.probe = "bcast to one; in 16 pieces";
    wm_gauge_set_ns(&f, WM_MESSAGE_SEND, n->send, WM_DERIVED);
    wm_gauge_set_ns(&f, WM_MESSAGE_RECEIVE, n->receive, WM_DERIVED);
    return f;
}

static bool is_near(const struct net *n)
{
    return strcmp(n->level, "core") == 0;
}

/* Between clusters it is the line that takes time, and no rank's core. */
static bool is_line(const struct net *n)
{
    return strcmp(n->level, "cluster") == 0;
}

/* What a message in a row of bulky pieces takes. */
static double bulk_ns(const struct net *n)
{
    double one = wm_gauge_estimate_of(n->group, n->bulk, WM_BCAST, WM_GAUGE_BULK_BYTES).value,
           many = wm_gauge_estimate_of(n->group, n->bulk, WM_BCAST, WM_GAUGE_BULK_BYTES * WM_GAUGE_PIECES).value;

    return many > 0 ? (many - one) / (WM_GAUGE_PIECES - 1) : 0;
}

/* The least that a byte took in any probe: the wire takes no more. */
static double wire_of(const struct net *n)
{
    double first = wm_gauge_estimate_of(n->group, n->family, WM_BCAST, 8).value, bulk = bulk_ns(n),
           least = bulk > 0 ? bulk / WM_GAUGE_BULK_BYTES : INFINITY;
    struct wm_gauge_series s = wm_gauge_list_series(n->group, n->family, WM_BCAST, WIRE_BYTES - 1, UINT64_MAX);

    for (int i = 0; i < s.count; i++)
        least = fmin(least, (s.points[i].ns - first) / (double)s.points[i].bytes);
    return least < INFINITY ? fmax(0, least) : 0;
}

/* No flow is faster than the wire. The piece stays right at `up_to`. */
static void keep_to_wire(const struct net *n, struct wm_gauge_piece *piece, uint64_t up_to, double ends)
{
    if (piece->slope >= n->wire)
        return;
    piece->base = fmax(ends, piece->base - (n->wire - piece->slope) * (double)up_to);
    piece->slope = n->wire;
}

/* Pieces in a row overlap what flies, and no more: the rest of what is not the ends' keeps the receiver's core busy. */
static double solve_eager_busy(const struct net *n, const struct wm_gauge_piece *pieces, int count, double ends)
{
    double flies = wm_gauge_fit_ns(pieces, count, WM_GAUGE_BULK_BYTES) - ends,
           busy = bulk_ns(n) - wm_gauge_poll_ns - n->receive;

    return n->eager >= WM_GAUGE_BULK_BYTES && flies > 0 ? fmin(1, fmax(0, busy / flies)) : 0;
}

/* Within a node both ends copy. */
static void set_copies(struct wm_gauge_filling *f, const struct wm_gauge_piece *piece, double ends)
{
    wm_gauge_set_ns(f, WM_MESSAGE_LATENCY, piece->base - ends, WM_MEASURED);
    wm_gauge_set_slope(f, WM_MESSAGE_BYTE, 0, WM_MEASURED);
    wm_gauge_set_slope(f, WM_MESSAGE_SEND_BYTE, piece->slope / 2, WM_DERIVED);
    wm_gauge_set_slope(f, WM_MESSAGE_RECEIVE_BYTE, piece->slope / 2, WM_DERIVED);
}

/* Between nodes the receiver copies what the wire brings. */
static void set_wire(struct wm_gauge_filling *f, const struct net *n, const struct wm_gauge_piece *piece, double ends,
                     double busy)
{
    double flies = fmax(0, piece->base - ends), copied = fmin(busy * piece->slope, piece->slope - n->wire);

    wm_gauge_set_ns(f, WM_MESSAGE_RECEIVE, n->receive + busy * flies, WM_DERIVED);
    wm_gauge_set_ns(f, WM_MESSAGE_LATENCY, (1 - busy) * flies, WM_MEASURED);
    wm_gauge_set_slope(f, WM_MESSAGE_BYTE, piece->slope - copied, WM_MEASURED);
    wm_gauge_set_slope(f, WM_MESSAGE_SEND_BYTE, 0, WM_DERIVED);
    wm_gauge_set_slope(f, WM_MESSAGE_RECEIVE_BYTE, copied, WM_DERIVED);
}

/* What a receive takes more where both send at once, of messages above `from` up to `to`. Negative: nothing tells. */
static double cross_between(const struct net *n, uint64_t from, uint64_t to)
{
    double more[WM_GAUGE_POINTS_MAX];
    int count = 0;

    for (uint64_t bytes = 8; bytes <= to && count < WM_GAUGE_POINTS_MAX; bytes = wm_gauge_next_bytes(bytes)) {
        struct wm_gauge_estimate both = wm_gauge_estimate_of(n->group, n->family, WM_ALLGATHER, bytes),
                                 one = wm_gauge_estimate_of(n->group, n->family, WM_BCAST, bytes);

        if (both.n > 0 && one.n > 0 && bytes > from)
            more[count++] = both.value - one.value - wm_gauge_step_ns;
    }
    return count > 0 ? fmax(0, wm_gauge_estimate(more, count).value) : -1;
}

static void add_eager(struct wm_gauge_build *b, struct net *n)
{
    struct wm_gauge_series s = wm_gauge_list_series(n->group, n->family, WM_BCAST, 0, n->eager);
    struct wm_gauge_piece pieces[WM_GAUGE_POINTS_MAX + 1];
    double ends = b->flight + wm_gauge_step_ns + n->send + wm_gauge_poll_ns + n->receive;
    int count = wm_gauge_fit(pieces, s.points, s.count, ends, wm_gauge_tolerance);
    double busy = is_near(n) || is_line(n) ? 0 : solve_eager_busy(n, pieces, count, ends), cross = 0;

    for (int i = 0; i < count; i++) {
        uint64_t up_to = i + 1 < count ? pieces[i].up_to : n->eager;
        struct wm_gauge_filling f = add_message(b, n, &s, up_to);
        double own;

        keep_to_wire(n, &pieces[i], pieces[i].up_to > 0 ? pieces[i].up_to : s.points[s.count - 1].bytes, ends);
        own = cross_between(n, i > 0 ? pieces[i - 1].up_to : 0, up_to);
        cross = own >= 0 ? own : cross; /* else as of the sizes before */
        wm_gauge_set_ns(&f, WM_MESSAGE_CROSS, cross, WM_DERIVED);
        if (is_near(n))
            set_copies(&f, &pieces[i], ends);
        else
            set_wire(&f, n, &pieces[i], ends, busy);
    }
}

/* Data that both ranks send at once take so many times as long, 1 to 2, and so much more. */
struct both_ways {
    double times, more;
};

/* What an allgather takes beyond the line with its slope taken `times`, at sizes from `from` to `to`. Returns how many
 * there are; `both`: what it takes. */
static int list_beyond(const struct net *n, const struct wm_gauge_piece *piece, uint64_t from, uint64_t to,
                       double times, double *beyond, double *both)
{
    int count = 0;

    for (uint64_t bytes = 8; bytes <= to && count < WM_GAUGE_POINTS_MAX; bytes = wm_gauge_next_bytes(bytes)) {
        struct wm_gauge_estimate e = wm_gauge_estimate_of(n->group, n->family, WM_ALLGATHER, bytes);

        if (e.n == 0 || bytes < from)
            continue;
        both[count] = e.value;
        beyond[count++] = e.value - piece->base - wm_gauge_step_ns - times * piece->slope * (double)bytes;
    }
    return count;
}

/* Of the slopes one that leaves the least to be explained, with the median of what it leaves. */
static struct both_ways solve_both_ways(const struct net *n, const struct wm_gauge_piece *piece, uint64_t from,
                                        uint64_t to)
{
    enum { TRIES = 20 };
    struct both_ways best = {1, 0};
    double least = INFINITY;

    for (int i = 0; i <= TRIES; i++) {
        double beyond[WM_GAUGE_POINTS_MAX], sorted[WM_GAUGE_POINTS_MAX], both[WM_GAUGE_POINTS_MAX],
            left = 0, times = 1 + (double)i / TRIES, more;
        int count = list_beyond(n, piece, from, to, times, beyond, both);

        if (count == 0)
            return best;
        memcpy(sorted, beyond, (size_t)count * sizeof *sorted);
        more = fmax(0, wm_gauge_estimate(sorted, count).value);
        for (int k = 0; k < count; k++)
            left += fabs(beyond[k] - more) / both[k];
        if (left < least) {
            least = left;
            best = (struct both_ways){times, more};
        }
    }
    return best;
}

/* The same of a rendezvous, beside its bytes. */
static double solve_busy(const struct net *n, const struct wm_gauge_build *b, const struct wm_gauge_piece *pieces,
                         int count)
{
    double whole = wm_gauge_fit_ns(pieces, count, WM_GAUGE_BULK_BYTES),
           bytes = whole - wm_gauge_fit_ns(pieces, count, WM_GAUGE_BULK_BYTES / 2), rest;

    bytes = fmin(2 * bytes, whole);
    rest = whole - bytes - b->flight - wm_gauge_step_ns;
    return rest > 0 ? fmin(1, fmax(0, (bulk_ns(n) - bytes) / rest)) : 0;
}

/* Above the eager limit: send, request, poll, answer, poll, data, latency, poll, receive. Returns the handshake. */
static double add_rendezvous(struct wm_gauge_build *b, struct net *n)
{
    struct wm_gauge_series s = wm_gauge_list_series(n->group, n->family, WM_BCAST, n->eager, UINT64_MAX);
    struct wm_gauge_piece pieces[WM_GAUGE_POINTS_MAX + 1];
    struct both_ways both[WM_GAUGE_POINTS_MAX + 1];
    double ends = b->flight + wm_gauge_step_ns + n->send + 3 * wm_gauge_poll_ns + n->receive, least = INFINITY,
           handshake;
    int count = wm_gauge_fit(pieces, s.points, s.count, ends, wm_gauge_tolerance);

    for (int i = 0; i < count; i++) {
        uint64_t from = i > 0 ? pieces[i - 1].up_to : s.points[0].bytes,
                 to = pieces[i].up_to > 0 ? pieces[i].up_to : s.points[s.count - 1].bytes;

        keep_to_wire(n, &pieces[i], to, ends);
        both[i] = solve_both_ways(n, &pieces[i], from, to);
        least = fmin(least, pieces[i].base - ends);
    }
    n->busy = is_line(n) ? 0 : solve_busy(n, b, pieces, count);
    handshake = count > 0 ? fmax(0, least * (1 - n->busy) - 2 * n->latency) : 0;
    for (int i = 0; i < count; i++) {
        struct wm_gauge_filling f = add_message(b, n, &s, pieces[i].up_to);
        double busy = fmax(0, pieces[i].base - ends) * n->busy,
               pushed = is_line(n) ? 0 : pieces[i].slope * both[i].times / 2; /* by either core */

        wm_gauge_set_ns(&f, WM_MESSAGE_RECEIVE, n->receive + busy, WM_DERIVED);
        wm_gauge_set_ns(&f, WM_MESSAGE_LATENCY, fmax(0, pieces[i].base - ends - busy - handshake) / 2, WM_MEASURED);
        wm_gauge_set_slope(&f, WM_MESSAGE_BYTE, pieces[i].slope, WM_MEASURED);
        wm_gauge_set_slope(&f, WM_MESSAGE_SEND_BYTE, pushed, WM_DERIVED);
        wm_gauge_set_slope(&f, WM_MESSAGE_RECEIVE_BYTE, pushed, WM_DERIVED);
        wm_gauge_set_ns(&f, WM_MESSAGE_CROSS, both[i].more, WM_DERIVED);
    }
    return handshake;
}

double wm_gauge_add_messages(struct wm_gauge_build *b, const json_t *group, int net)
{
    struct net n = {.group = group,
                    .level = json_string_value(json_object_get(group, "level")),
                    .net = net,
                    .family = net == WM_NET_SHM ? WM_GAUGE_SHM : WM_GAUGE_MPI,
                    .bulk = net == WM_NET_SHM ? WM_GAUGE_SHM_BULK : WM_GAUGE_MPI_BULK,
                    .pieces = net == WM_NET_SHM ? WM_GAUGE_SHM_PIECES : WM_GAUGE_MPI_PIECES,
                    .eager = net == WM_NET_SHM ? WM_SHM_EAGER_BYTES : (uint64_t)wm_gauge_number(group, "eager")};
    struct wm_gauge_estimate first = wm_gauge_estimate_of(group, n.family, WM_BCAST, 8);
    struct wm_gauge_filling f;
    double handshake;

    if (first.n == 0)
        return 0;
    n.wire = is_near(&n) ? 0 : wire_of(&n);
    solve_ends(&n, b);
    add_eager(b, &n);
    handshake = add_rendezvous(b, &n);
    f = wm_gauge_add_row(b, WM_PROFILE_LINK, n.level, net, 0, 0);
    f.n = first.n;
    f.width = wm_gauge_width(&first, 1);
    f.probe = "bcast to one";
    wm_gauge_set_ns(&f, WM_LINK_HANDSHAKE, handshake, WM_DERIVED);
    f.width = 0;
    f.probe = "a late receiver";
    wm_gauge_set(&f, WM_LINK_EAGER, (double)n.eager, net == WM_NET_SHM ? WM_DERIVED : WM_MEASURED);
    return n.wire;
}
