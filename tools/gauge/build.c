/* From samples to a profile: tools/profile/machine.h says how parameters make a time, and here it is solved for them.
 */
#include "tools/gauge/build.h"

#include <math.h>
#include <string.h>
#include "core/path/transport.h"
#include "core/plan/plan.h"
#include "tools/gauge/conveyors.h"
#include "tools/gauge/fit.h"

enum { ROUNDS_MAX = 256, POINTS_MAX = 64, WIRE_BYTES = 16 << 10 };

/* Parts of the engine's work that no probe tells apart, in ns. */
static const double step_ns = 10, poll_ns = 10, post_ns = 50;

/* Pieces of a fit that agree so well are one. */
static const double tolerance = 0.02;

struct build {
    struct wm_profile *profile;
    const json_t *samples;
    double flight, wire; /* ns, ns a byte */
    struct wm_gauge_estimate flight_estimate;
    bool short_of_memory;
};

/* Values of one row, as they are set one after the other. */
struct filling {
    struct wm_profile_row *row;
    double width; /* relative half of the interval */
    int n;
    const char *probe;
};

static double of(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

int wm_gauge_samples(const json_t *group, enum wm_gauge_family family, enum wm_operation operation, uint64_t bytes,
                     double *ns, int room)
{
    const json_t *probe, *sample;
    size_t i, j;

    json_array_foreach (json_object_get(group, "probes"), i, probe) {
        const char *name = json_string_value(json_object_get(probe, "family"));

        if (name == NULL || strcmp(name, wm_gauge_family_name(family)) != 0 || of(probe, "operation") != operation ||
            of(probe, "bytes") != (double)bytes)
            continue;
        json_array_foreach (json_object_get(probe, "ns"), j, sample)
            if ((int)j < room)
                ns[j] = json_number_value(sample);
        return (int)j < room ? (int)j : room;
    }
    return 0;
}

static struct wm_gauge_estimate estimate(const json_t *group, enum wm_gauge_family family, enum wm_operation operation,
                                         uint64_t bytes)
{
    double ns[ROUNDS_MAX];
    int n = wm_gauge_samples(group, family, operation, bytes, ns, ROUNDS_MAX);

    return wm_gauge_estimate(ns, n);
}

/* The first call's time less the second's, round by round, so that what drifts is in neither. */
static struct wm_gauge_estimate difference(const json_t *group, enum wm_gauge_family family, enum wm_operation more,
                                           enum wm_operation less, uint64_t bytes)
{
    double a[ROUNDS_MAX], b[ROUNDS_MAX];
    int n = wm_gauge_samples(group, family, more, bytes, a, ROUNDS_MAX),
        m = wm_gauge_samples(group, family, less, bytes, b, ROUNDS_MAX);

    for (int i = 0; i < n && i < m; i++)
        a[i] -= b[i];
    return wm_gauge_estimate(a, n < m ? n : m);
}

static void set(const struct filling *f, int parameter, double value, enum wm_profile_origin origin)
{
    struct wm_profile_value *v;

    if (f->row == NULL)
        return;
    v = &f->row->values[parameter];
    v->value = value > 0 ? llround(value) : 0;
    v->low = value > 0 && f->width < 1 ? llround(value * (1 - f->width)) : 0;
    v->high = value > 0 ? llround(value * (1 + f->width)) : 0;
    v->n = origin == WM_ASSUMED ? 0 : f->n;
    v->origin = (uint8_t)origin;
    if (origin == WM_ASSUMED)
        v->low = v->high = v->value;
    else
        snprintf(v->probe, sizeof v->probe, "%s", f->probe);
}

static void set_ns(const struct filling *f, int parameter, double ns, enum wm_profile_origin origin)
{
    set(f, parameter, ns * 1e3, origin);
}

static void set_slope(const struct filling *f, int parameter, double ns_per_byte, enum wm_profile_origin origin)
{
    set(f, parameter, ns_per_byte * 1e6, origin);
}

static struct filling add_row(struct build *b, enum wm_profile_section section, const char *name, int net, int members,
                              uint64_t up_to)
{
    struct filling f = {.row = wm_profile_add(b->profile, section, name, net, members, up_to), .probe = ""};

    b->short_of_memory = b->short_of_memory || f.row == NULL;
    return f;
}

/* What was timed of a call at all its sizes. */
struct series {
    int count, n;
    double width;
    struct wm_gauge_point points[POINTS_MAX + 1];
};

static void add_point(struct series *s, uint64_t bytes, struct wm_gauge_estimate e)
{
    if (e.n == 0 || s->count == POINTS_MAX)
        return;
    s->points[s->count++] = (struct wm_gauge_point){bytes, e.value > 0 ? e.value : 0};
    s->n = e.n;
    s->width = fmax(s->width, wm_gauge_width(&e, 1));
}

/* From `low`, which is not in it, to `high`. */
static struct series list_series(const json_t *group, enum wm_gauge_family family, enum wm_operation operation,
                                 uint64_t low, uint64_t high)
{
    struct series s = {0};

    for (uint64_t bytes = 8; bytes <= UINT64_C(1) << 30 && bytes <= high; bytes = wm_gauge_next_bytes(bytes))
        if (bytes > low)
            add_point(&s, bytes, estimate(group, family, operation, bytes));
    return s;
}

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
static void solve_ends(struct net *n, const struct build *b)
{
    double one = estimate(n->group, n->pieces, WM_BCAST, WM_GAUGE_PIECE_BYTES).value,
           many = estimate(n->group, n->pieces, WM_BCAST, WM_GAUGE_PIECE_BYTES * WM_GAUGE_PIECES).value,
           each = fmax(0, (many - one) / (WM_GAUGE_PIECES - 1)),
           whole = fmax(0, estimate(n->group, n->family, WM_BCAST, 8).value - b->flight - step_ns - poll_ns);

    n->send = fmin(fmax(0, each - step_ns), 0.45 * whole);
    n->receive = fmin(fmax(0, each - poll_ns), 0.45 * whole);
    n->latency = whole - n->send - n->receive;
}

static struct filling add_message(struct build *b, const struct net *n, const struct series *s, uint64_t up_to)
{
    struct filling f = add_row(b, WM_PROFILE_MESSAGE, n->level, n->net, 0, up_to);

    f.width = s->width;
    f.n = s->n;
    f.probe = "bcast to one; in 16 pieces";
    set_ns(&f, WM_MESSAGE_SEND, n->send, WM_DERIVED);
    set_ns(&f, WM_MESSAGE_RECEIVE, n->receive, WM_DERIVED);
    return f;
}

static bool is_near(const struct net *n)
{
    return strcmp(n->level, "core") == 0;
}

/* What a message in a row of bulky pieces takes. */
static double bulk_ns(const struct net *n)
{
    double one = estimate(n->group, n->bulk, WM_BCAST, WM_GAUGE_BULK_BYTES).value,
           many = estimate(n->group, n->bulk, WM_BCAST, WM_GAUGE_BULK_BYTES * WM_GAUGE_PIECES).value;

    return many > 0 ? (many - one) / (WM_GAUGE_PIECES - 1) : 0;
}

/* The least that a byte took in any probe: the wire takes no more. */
static double wire_of(const struct net *n)
{
    double first = estimate(n->group, n->family, WM_BCAST, 8).value, bulk = bulk_ns(n),
           least = bulk > 0 ? bulk / WM_GAUGE_BULK_BYTES : INFINITY;
    struct series s = list_series(n->group, n->family, WM_BCAST, WIRE_BYTES - 1, UINT64_MAX);

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
    double flies = wm_gauge_fit_ns(pieces, count, WM_GAUGE_BULK_BYTES) - ends, busy = bulk_ns(n) - poll_ns - n->receive;

    return n->eager >= WM_GAUGE_BULK_BYTES && flies > 0 ? fmin(1, fmax(0, busy / flies)) : 0;
}

/* Within a node both ends copy. */
static void set_copies(struct filling *f, const struct wm_gauge_piece *piece, double ends)
{
    set_ns(f, WM_MESSAGE_LATENCY, piece->base - ends, WM_MEASURED);
    set_slope(f, WM_MESSAGE_BYTE, 0, WM_MEASURED);
    set_slope(f, WM_MESSAGE_SEND_BYTE, piece->slope / 2, WM_DERIVED);
    set_slope(f, WM_MESSAGE_RECEIVE_BYTE, piece->slope / 2, WM_DERIVED);
}

/* Between nodes the receiver copies what the wire brings. */
static void set_wire(struct filling *f, const struct net *n, const struct wm_gauge_piece *piece, double ends,
                     double busy)
{
    double flies = fmax(0, piece->base - ends), copied = fmin(busy * piece->slope, piece->slope - n->wire);

    set_ns(f, WM_MESSAGE_RECEIVE, n->receive + busy * flies, WM_DERIVED);
    set_ns(f, WM_MESSAGE_LATENCY, (1 - busy) * flies, WM_MEASURED);
    set_slope(f, WM_MESSAGE_BYTE, piece->slope - copied, WM_MEASURED);
    set_slope(f, WM_MESSAGE_SEND_BYTE, 0, WM_DERIVED);
    set_slope(f, WM_MESSAGE_RECEIVE_BYTE, copied, WM_DERIVED);
}

static void add_eager(struct build *b, struct net *n)
{
    struct series s = list_series(n->group, n->family, WM_BCAST, 0, n->eager);
    struct wm_gauge_piece pieces[POINTS_MAX + 1];
    double ends = b->flight + step_ns + n->send + poll_ns + n->receive;
    int count = wm_gauge_fit(pieces, s.points, s.count, ends, tolerance);
    double busy = is_near(n) ? 0 : solve_eager_busy(n, pieces, count, ends);

    for (int i = 0; i < count; i++) {
        uint64_t up_to = i + 1 < count ? pieces[i].up_to : n->eager;
        struct filling f = add_message(b, n, &s, up_to);

        keep_to_wire(n, &pieces[i], pieces[i].up_to > 0 ? pieces[i].up_to : s.points[s.count - 1].bytes, ends);
        if (is_near(n))
            set_copies(&f, &pieces[i], ends);
        else
            set_wire(&f, n, &pieces[i], ends, busy);
    }
}

/* What a receive takes more where both send at once. */
static double solve_cross(const struct net *n)
{
    double more[POINTS_MAX];
    int count = 0;

    for (uint64_t bytes = 8; bytes <= n->eager && count < POINTS_MAX; bytes = wm_gauge_next_bytes(bytes)) {
        struct wm_gauge_estimate both = estimate(n->group, n->family, WM_ALLGATHER, bytes),
                                 one = estimate(n->group, n->family, WM_BCAST, bytes);

        if (both.n > 0 && one.n > 0)
            more[count++] = both.value - one.value - step_ns;
    }
    return count > 0 ? fmax(0, wm_gauge_estimate(more, count).value) : 0;
}

/* How much longer data take when both ranks send at once, at sizes above `from` up to `to`: 1 to 2. Where it is more
 * than the slope can be blamed for, what seems not to depend on the size does: the line is turned about its middle. */
static double turn_both_ways(const struct net *n, struct wm_gauge_piece *piece, uint64_t from, uint64_t to,
                             double least)
{
    double ratios[POINTS_MAX + 1], bases[POINTS_MAX], base, middle = sqrt((double)from * (double)to);
    int count = 0;

    for (uint64_t bytes = 8; bytes <= to; bytes = wm_gauge_next_bytes(bytes)) {
        struct wm_gauge_estimate both = estimate(n->group, n->family, WM_ALLGATHER, bytes);

        if (both.n > 0 && bytes >= from)
            bases[count++] = 2 * (piece->base + piece->slope * (double)bytes) - both.value;
    }
    base = fmax(least, wm_gauge_estimate(bases, count).value);
    if (count > 0 && base < piece->base) {
        piece->slope += (piece->base - base) / middle;
        piece->base = base;
    }
    count = 0;
    for (uint64_t bytes = 8; bytes <= to; bytes = wm_gauge_next_bytes(bytes)) {
        struct wm_gauge_estimate both = estimate(n->group, n->family, WM_ALLGATHER, bytes);

        if (both.n > 0 && bytes >= from && piece->slope > 0)
            ratios[count++] = (both.value - piece->base) / (piece->slope * (double)bytes);
    }
    return count > 0 ? fmin(2, fmax(1, wm_gauge_estimate(ratios, count).value)) : 1;
}

/* The same of a rendezvous, beside its bytes. */
static double solve_busy(const struct net *n, const struct build *b, const struct wm_gauge_piece *pieces, int count)
{
    double whole = wm_gauge_fit_ns(pieces, count, WM_GAUGE_BULK_BYTES),
           bytes = whole - wm_gauge_fit_ns(pieces, count, WM_GAUGE_BULK_BYTES / 2), rest;

    bytes = fmin(2 * bytes, whole);
    rest = whole - bytes - b->flight - step_ns;
    return rest > 0 ? fmin(1, fmax(0, (bulk_ns(n) - bytes) / rest)) : 0;
}

/* Above the eager limit: send, request, poll, answer, poll, data, latency, poll, receive. Returns the handshake. */
static double add_rendezvous(struct build *b, struct net *n)
{
    struct series s = list_series(n->group, n->family, WM_BCAST, n->eager, UINT64_MAX);
    struct wm_gauge_piece pieces[POINTS_MAX + 1];
    double ends = b->flight + step_ns + n->send + 3 * poll_ns + n->receive, least = INFINITY, handshake,
           shares[POINTS_MAX + 1];
    int count = wm_gauge_fit(pieces, s.points, s.count, ends, tolerance);

    for (int i = 0; i < count; i++) {
        uint64_t from = i > 0 ? pieces[i - 1].up_to : s.points[0].bytes,
                 to = pieces[i].up_to > 0 ? pieces[i].up_to : s.points[s.count - 1].bytes;

        keep_to_wire(n, &pieces[i], to, ends);
        shares[i] = turn_both_ways(n, &pieces[i], from, to, ends) / 2;
        least = fmin(least, pieces[i].base - ends);
    }
    n->busy = solve_busy(n, b, pieces, count);
    handshake = count > 0 ? fmax(0, least * (1 - n->busy) - 2 * n->latency) : 0;
    for (int i = 0; i < count; i++) {
        struct filling f = add_message(b, n, &s, pieces[i].up_to);
        double busy = fmax(0, pieces[i].base - ends) * n->busy;

        set_ns(&f, WM_MESSAGE_RECEIVE, n->receive + busy, WM_DERIVED);
        set_ns(&f, WM_MESSAGE_LATENCY, fmax(0, pieces[i].base - ends - busy - handshake) / 2, WM_MEASURED);
        set_slope(&f, WM_MESSAGE_BYTE, pieces[i].slope, WM_MEASURED);
        set_slope(&f, WM_MESSAGE_SEND_BYTE, pieces[i].slope * shares[i], WM_DERIVED);
        set_slope(&f, WM_MESSAGE_RECEIVE_BYTE, pieces[i].slope * shares[i], WM_DERIVED);
    }
    return handshake;
}

/* Where a message takes half as long again as one of the size before, it begins to be asked for: below that size. 0:
 * nowhere up to 64 KiB. A sender may be kept waiting from a smaller size on, for its data to be copied out of a
 * buffer between, while the message itself goes at once. */
static uint64_t find_jump(const struct net *n)
{
    struct series s = list_series(n->group, n->family, WM_BCAST, n->eager, 64 << 10);

    for (int i = 1; i < s.count; i++)
        if (s.points[i].ns > 1.5 * s.points[i - 1].ns)
            return s.points[i].bytes - 1;
    return 0;
}

static void add_net(struct build *b, const json_t *group, int net)
{
    struct net n = {.group = group,
                    .level = json_string_value(json_object_get(group, "level")),
                    .net = net,
                    .family = net == WM_NET_SHM ? WM_GAUGE_SHM : WM_GAUGE_MPI,
                    .bulk = net == WM_NET_SHM ? WM_GAUGE_SHM_BULK : WM_GAUGE_MPI_BULK,
                    .pieces = net == WM_NET_SHM ? WM_GAUGE_SHM_PIECES : WM_GAUGE_MPI_PIECES,
                    .eager = net == WM_NET_SHM ? WM_SHM_EAGER_BYTES : (uint64_t)of(group, "eager")};
    struct wm_gauge_estimate first = estimate(group, n.family, WM_BCAST, 8);
    struct filling f;
    uint64_t jump;
    double handshake;

    if (first.n == 0)
        return;
    jump = net == WM_NET_SHM ? 0 : find_jump(&n);
    n.eager = jump > n.eager ? jump : n.eager;
    n.wire = is_near(&n) ? 0 : wire_of(&n);
    b->wire = fmax(b->wire, n.wire);
    solve_ends(&n, b);
    add_eager(b, &n);
    handshake = add_rendezvous(b, &n);
    f = add_row(b, WM_PROFILE_LINK, n.level, net, 0, 0);
    f.n = first.n;
    f.width = wm_gauge_width(&first, 1);
    f.probe = "bcast to one";
    set_ns(&f, WM_LINK_HANDSHAKE, handshake, WM_DERIVED);
    if (!is_near(&n))
        set_ns(&f, WM_LINK_CROSS, solve_cross(&n), WM_DERIVED);
    f.width = 1.0 / 64;
    f.probe = jump == n.eager ? "bcast to one" : "a late receiver";
    set(&f, WM_LINK_EAGER, (double)n.eager, net == WM_NET_SHM || jump == n.eager ? WM_DERIVED : WM_MEASURED);
}

/* What a call costs beside its steps: two calls have it twice, one that does the work of both once. */
static void solve_flight(struct build *b, const json_t *group, enum wm_gauge_family family)
{
    double reduce[ROUNDS_MAX], bcast[ROUNDS_MAX], both[ROUNDS_MAX],
        most = 0.8 * estimate(group, WM_GAUGE_SHARED, WM_BARRIER, 0).value;
    int n = wm_gauge_samples(group, family, WM_REDUCE, 8, reduce, ROUNDS_MAX);

    wm_gauge_samples(group, family, WM_BCAST, 8, bcast, ROUNDS_MAX);
    wm_gauge_samples(group, family, WM_ALLREDUCE, 8, both, ROUNDS_MAX);
    for (int i = 0; i < n; i++)
        reduce[i] += bcast[i] - both[i];
    b->flight_estimate = wm_gauge_estimate(reduce, n);
    b->flight = fmax(0, b->flight_estimate.value);
    if (most > 0 && b->flight > most)
        b->flight = most;
}

static void add_engine(struct build *b)
{
    struct filling f = add_row(b, WM_PROFILE_ENGINE, "", 0, 0, 0);

    f.n = b->flight_estimate.n;
    f.width = wm_gauge_width(&b->flight_estimate, 1);
    f.probe = "reduce and bcast, less allreduce";
    set_ns(&f, WM_ENGINE_FLIGHT, b->flight, WM_DERIVED);
    set_ns(&f, WM_ENGINE_STEP, step_ns, WM_ASSUMED);
    set_ns(&f, WM_ENGINE_POLL, poll_ns, WM_ASSUMED);
}

/* Operations whose bytes are of a share: the whole block has one for each rank. */
static bool has_shares(enum wm_operation op)
{
    return op == WM_GATHER || op == WM_SCATTER || op == WM_ALLGATHER || op == WM_ALLTOALL ||
           op == WM_REDUCE_SCATTER_BLOCK;
}

static void add_shared_row(struct build *b, const struct series *s, const char *kind, int members, uint64_t up_to,
                           double base, double slope)
{
    struct filling f = add_row(b, WM_PROFILE_SHARED, kind, 0, members, up_to);
    double call = fmax(0, base - b->flight - step_ns);

    f.n = s->n;
    f.width = s->width;
    f.probe = "the shared step alone";
    set_ns(&f, WM_SHARED_CALL, call, WM_MEASURED);
    set_slope(&f, WM_SHARED_BYTE, slope, WM_MEASURED);
    set_ns(&f, WM_SHARED_POST, post_ns, WM_ASSUMED);
    set_ns(&f, WM_SHARED_ORDER, call / members / 2, WM_ASSUMED);
}

static void add_shared_kind(struct build *b, const json_t *group, enum wm_operation op, enum wm_shared_kind kind)
{
    struct series s = list_series(group, WM_GAUGE_SHARED, op, 0, UINT64_MAX);
    struct wm_gauge_piece pieces[POINTS_MAX + 1];
    int members = (int)of(group, "ranks"),
        count = wm_gauge_fit(pieces, s.points, s.count, b->flight + step_ns, tolerance);
    uint64_t shares = has_shares(op) ? (uint64_t)members : 1;

    for (int i = 0; i < count; i++)
        add_shared_row(b, &s, wm_shared_name(kind), members, pieces[i].up_to * shares, pieces[i].base,
                       pieces[i].slope / (double)shares);
}

/* A barrier is an allreduce of no bytes. */
static void add_shared_barrier(struct build *b, const json_t *group)
{
    struct series s = {0};

    add_point(&s, 0, estimate(group, WM_GAUGE_SHARED, WM_BARRIER, 0));
    if (s.count > 0)
        add_shared_row(b, &s, wm_shared_name(WM_SHARED_ALLREDUCE), (int)of(group, "ranks"), 1, s.points[0].ns, 0);
}

static void add_shared(struct build *b, const json_t *group)
{
    add_shared_barrier(b, group);
    add_shared_kind(b, group, WM_BCAST, WM_SHARED_BCAST);
    add_shared_kind(b, group, WM_GATHER, WM_SHARED_GATHER);
    add_shared_kind(b, group, WM_SCATTER, WM_SHARED_SCATTER);
    add_shared_kind(b, group, WM_ALLGATHER, WM_SHARED_ALLGATHER);
    add_shared_kind(b, group, WM_ALLTOALL, WM_SHARED_ALLTOALL);
    add_shared_kind(b, group, WM_REDUCE, WM_SHARED_REDUCE);
    add_shared_kind(b, group, WM_ALLREDUCE, WM_SHARED_ALLREDUCE);
    add_shared_kind(b, group, WM_REDUCE_SCATTER_BLOCK, WM_SHARED_REDUCE_SCATTER);
    add_shared_kind(b, group, WM_SCAN, WM_SHARED_SCAN);
    add_shared_kind(b, group, WM_SCAN, WM_SHARED_EXSCAN);
}

static void add_kernel(struct build *b, const char *name, struct series *s, const char *probe,
                       enum wm_profile_origin origin, double factor)
{
    struct wm_gauge_piece pieces[POINTS_MAX + 1];
    int count = wm_gauge_fit(pieces, s->points, s->count, 0, tolerance);

    for (int i = 0; i < count; i++) {
        struct filling f = add_row(b, WM_PROFILE_KERNEL, name, 0, 0, pieces[i].up_to);

        f.n = s->n;
        f.width = s->width;
        f.probe = probe;
        set_ns(&f, WM_KERNEL_CALL, pieces[i].base * factor, origin);
        set_slope(&f, WM_KERNEL_BYTE, pieces[i].slope * factor, origin);
    }
}

/* Combining is what a reduce does and a bcast does not. */
static void add_kernels(struct build *b, const json_t *near)
{
    struct series copies = {0}, sums = {0};
    const json_t *copy, *sample;
    size_t i, j;

    json_array_foreach (json_object_get(b->samples, "copies"), i, copy) {
        double ns[ROUNDS_MAX];
        int n = 0;

        json_array_foreach (json_object_get(copy, "ns"), j, sample)
            if (n < ROUNDS_MAX)
                ns[n++] = json_number_value(sample);
        add_point(&copies, (uint64_t)of(copy, "bytes"), wm_gauge_estimate(ns, n));
    }
    for (uint64_t bytes = 8; near != NULL && bytes <= UINT64_C(1) << 30; bytes = wm_gauge_next_bytes(bytes)) {
        struct wm_gauge_estimate e = difference(near, WM_GAUGE_SHM, WM_REDUCE, WM_BCAST, bytes);

        e.value -= e.n > 0 ? step_ns : 0;
        add_point(&sums, bytes, e);
    }
    if (sums.count > 0)
        add_kernel(b, "combine", &sums, "reduce less bcast", WM_DERIVED, 1);
    else
        add_kernel(b, "combine", &copies, "1.5 copies", WM_ASSUMED, 1.5);
    add_kernel(b, "copy", &copies, "copies alone", WM_MEASURED, 1);
}

/* One flow between two hosts is taken for all that their cards carry. */
static void add_host(struct build *b)
{
    struct filling f = add_row(b, WM_PROFILE_HOST, "", 0, 0, 0);

    f.n = 1;
    f.probe = "the operating system";
    set(&f, WM_HOST_CORES, of(b->samples, "cores"), WM_MEASURED);
    set_ns(&f, WM_HOST_YIELD, 1000, WM_ASSUMED);
    f.probe = "bcast to one";
    set_slope(&f, WM_HOST_OUT, b->wire, b->wire > 0 ? WM_DERIVED : WM_ASSUMED);
    set_slope(&f, WM_HOST_IN, b->wire, b->wire > 0 ? WM_DERIVED : WM_ASSUMED);
}

static void fill_fingerprint(struct build *b)
{
    struct wm_fingerprint *f = &b->profile->fingerprint;
    const char *const keys[] = {"host", "cpu", "kernel", "mpi"};
    char *const texts[] = {f->hosts, f->cpu, f->kernel, f->mpi};
    json_t *groups = json_object_get(b->samples, "groups"), *last = json_array_get(groups, json_array_size(groups) - 1);
    const char *machine = json_string_value(json_object_get(last, "machine"));

    for (int i = 0; i < 4; i++) {
        const char *text = json_string_value(json_object_get(b->samples, keys[i]));

        snprintf(texts[i], WM_FINGERPRINT_CHARS, "%s", text != NULL ? text : "");
    }
    snprintf(f->ranks_per_host, WM_FINGERPRINT_CHARS, "%.0f", of(b->samples, "local_ranks"));
    snprintf(f->grid, WM_FINGERPRINT_CHARS, "%s", machine != NULL ? machine : "");
    snprintf(f->waymark, WM_FINGERPRINT_CHARS, "%s", PACKAGE_VERSION);
}

static const json_t *group_of(const json_t *samples, const char *level)
{
    const json_t *group;
    size_t i;

    json_array_foreach (json_object_get(samples, "groups"), i, group)
        if (strcmp(json_string_value(json_object_get(group, "level")), level) == 0)
            return group;
    return NULL;
}

static bool is_complete(const json_t *samples)
{
    const json_t *group;
    size_t i;

    json_array_foreach (json_object_get(samples, "groups"), i, group)
        if (!json_is_string(json_object_get(group, "level")) || !json_is_array(json_object_get(group, "probes")))
            return false;
    return i > 0;
}

int wm_gauge_build(struct wm_profile *profile, const json_t *samples, struct wm_error *error)
{
    struct build b = {.profile = profile, .samples = samples};
    const json_t *group, *near, *far;
    size_t i;

    if (!is_complete(samples))
        return wm_error_set(error, -WM_EINVAL, "the samples are not complete; measure again");
    near = group_of(samples, "core");
    far = group_of(samples, "node");
    solve_flight(&b, near != NULL ? near : far, near != NULL ? WM_GAUGE_SHM : WM_GAUGE_MPI);
    fill_fingerprint(&b);
    add_engine(&b);
    for (int net = 0; net < WM_NET_COUNT; net++)
        for (int level = 0; level < 2; level++)
            if ((level == 0 ? near : far) != NULL)
                add_net(&b, level == 0 ? near : far, net);
    json_array_foreach (json_object_get(samples, "groups"), i, group)
        add_shared(&b, group);
    add_kernels(&b, near);
    add_host(&b);
    if (wm_gauge_conveyors_build(profile, near, far) < 0)
        b.short_of_memory = true;
    return b.short_of_memory ? wm_error_set(error, -WM_ENOMEM, "no memory for the profile") : 0;
}
