/* From samples to a profile: tools/profile/machine.h says how parameters make a time, and here it is solved for them.
 */
#include "tools/gauge/build.h"

#include <math.h>
#include <string.h>
#include "core/plan/plan.h"
#include "tools/gauge/conveyors.h"
#include "tools/gauge/messages.h"

/* The first call's time less the second's, round by round, so that what drifts is in neither. */
static struct wm_gauge_estimate difference(const json_t *group, enum wm_gauge_family family, enum wm_operation more,
                                           enum wm_operation less, uint64_t bytes)
{
    double a[WM_GAUGE_SAMPLES_MAX], b[WM_GAUGE_SAMPLES_MAX];
    int n = wm_gauge_samples(group, family, more, bytes, a, WM_GAUGE_SAMPLES_MAX),
        m = wm_gauge_samples(group, family, less, bytes, b, WM_GAUGE_SAMPLES_MAX);

    for (int i = 0; i < n && i < m; i++)
        a[i] -= b[i];
    return wm_gauge_estimate(a, n < m ? n : m);
}

/* What a call costs beside its steps: two calls have it twice, one that does the work of both once. */
static void solve_flight(struct wm_gauge_build *b, const json_t *group, enum wm_gauge_family family)
{
    double reduce[WM_GAUGE_SAMPLES_MAX], bcast[WM_GAUGE_SAMPLES_MAX], both[WM_GAUGE_SAMPLES_MAX],
        most = 0.8 * wm_gauge_estimate_of(group, WM_GAUGE_SHARED, WM_BARRIER, 0).value;
    int n = wm_gauge_samples(group, family, WM_REDUCE, 8, reduce, WM_GAUGE_SAMPLES_MAX);

    wm_gauge_samples(group, family, WM_BCAST, 8, bcast, WM_GAUGE_SAMPLES_MAX);
    wm_gauge_samples(group, family, WM_ALLREDUCE, 8, both, WM_GAUGE_SAMPLES_MAX);
    for (int i = 0; i < n; i++)
        reduce[i] += bcast[i] - both[i];
    b->flight_estimate = wm_gauge_estimate(reduce, n);
    b->flight = fmax(0, b->flight_estimate.value);
    if (most > 0 && b->flight > most)
        b->flight = most;
}

static void add_engine(struct wm_gauge_build *b)
{
    struct wm_gauge_filling f = wm_gauge_add_row(b, WM_PROFILE_ENGINE, "", 0, 0, 0);

    f.n = b->flight_estimate.n;
    f.width = wm_gauge_width(&b->flight_estimate, 1);
    f.probe = "reduce and bcast, less allreduce";
    wm_gauge_set_ns(&f, WM_ENGINE_FLIGHT, b->flight, WM_DERIVED);
    wm_gauge_set_ns(&f, WM_ENGINE_STEP, wm_gauge_step_ns, WM_ASSUMED);
    wm_gauge_set_ns(&f, WM_ENGINE_POLL, wm_gauge_poll_ns, WM_ASSUMED);
}

/* Operations whose bytes are of a share: the whole block has one for each rank. */
static bool has_shares(enum wm_operation op)
{
    return op == WM_GATHER || op == WM_SCATTER || op == WM_ALLGATHER || op == WM_ALLTOALL ||
           op == WM_REDUCE_SCATTER_BLOCK;
}

static void add_shared_row(struct wm_gauge_build *b, const struct wm_gauge_series *s, const char *kind, int members,
                           uint64_t up_to, double base, double slope)
{
    struct wm_gauge_filling f = wm_gauge_add_row(b, WM_PROFILE_SHARED, kind, 0, members, up_to);
    double call = fmax(0, base - b->flight - wm_gauge_step_ns);

    f.n = s->n;
    f.width = s->width;
    f.probe = "the shared step alone";
    wm_gauge_set_ns(&f, WM_SHARED_CALL, call, WM_MEASURED);
    wm_gauge_set_slope(&f, WM_SHARED_BYTE, slope, WM_MEASURED);
    wm_gauge_set_ns(&f, WM_SHARED_POST, wm_gauge_post_ns, WM_ASSUMED);
    wm_gauge_set_ns(&f, WM_SHARED_ORDER, call / members / 2, WM_ASSUMED);
}

static void add_shared_kind(struct wm_gauge_build *b, const json_t *group, enum wm_operation op,
                            enum wm_shared_kind kind)
{
    struct wm_gauge_series s = wm_gauge_list_series(group, WM_GAUGE_SHARED, op, 0, UINT64_MAX);
    struct wm_gauge_piece pieces[WM_GAUGE_POINTS_MAX + 1];
    int members = (int)wm_gauge_number(group, "ranks"),
        count = wm_gauge_fit(pieces, s.points, s.count, b->flight + wm_gauge_step_ns, wm_gauge_tolerance);
    uint64_t shares = has_shares(op) ? (uint64_t)members : 1;

    for (int i = 0; i < count; i++)
        add_shared_row(b, &s, wm_shared_name(kind), members, pieces[i].up_to * shares, pieces[i].base,
                       pieces[i].slope / (double)shares);
}

/* A barrier is an allreduce of no bytes. */
static void add_shared_barrier(struct wm_gauge_build *b, const json_t *group)
{
    struct wm_gauge_series s = {0};

    wm_gauge_add_point(&s, 0, wm_gauge_estimate_of(group, WM_GAUGE_SHARED, WM_BARRIER, 0));
    if (s.count > 0)
        add_shared_row(b, &s, wm_shared_name(WM_SHARED_ALLREDUCE), (int)wm_gauge_number(group, "ranks"), 1,
                       s.points[0].ns, 0);
}

static void add_shared(struct wm_gauge_build *b, const json_t *group)
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

static void add_kernel(struct wm_gauge_build *b, const char *name, struct wm_gauge_series *s, const char *probe,
                       enum wm_profile_origin origin, double factor)
{
    struct wm_gauge_piece pieces[WM_GAUGE_POINTS_MAX + 1];
    int count = wm_gauge_fit(pieces, s->points, s->count, 0, wm_gauge_tolerance);

    for (int i = 0; i < count; i++) {
        struct wm_gauge_filling f = wm_gauge_add_row(b, WM_PROFILE_KERNEL, name, 0, 0, pieces[i].up_to);

        f.n = s->n;
        f.width = s->width;
        f.probe = probe;
        wm_gauge_set_ns(&f, WM_KERNEL_CALL, pieces[i].base * factor, origin);
        wm_gauge_set_slope(&f, WM_KERNEL_BYTE, pieces[i].slope * factor, origin);
    }
}

static struct wm_gauge_estimate estimate_list(const json_t *samples)
{
    double ns[WM_GAUGE_SAMPLES_MAX];
    const json_t *sample;
    size_t i;
    int n = 0;

    json_array_foreach (samples, i, sample)
        if (n < WM_GAUGE_SAMPLES_MAX)
            ns[n++] = json_number_value(sample);
    return wm_gauge_estimate(ns, n);
}

/* Combining is what a reduce does and a bcast does not. */
static void add_kernels(struct wm_gauge_build *b, const json_t *near)
{
    struct wm_gauge_series copies = {0}, sums = {0};
    const json_t *copy;
    size_t i;

    json_array_foreach (json_object_get(b->samples, "copies"), i, copy)
        wm_gauge_add_point(&copies, (uint64_t)wm_gauge_number(copy, "bytes"),
                           estimate_list(json_object_get(copy, "ns")));
    for (uint64_t bytes = 8; near != NULL && bytes <= UINT64_C(1) << 30; bytes = wm_gauge_next_bytes(bytes)) {
        struct wm_gauge_estimate e = difference(near, WM_GAUGE_SHM, WM_REDUCE, WM_BCAST, bytes);

        e.value -= e.n > 0 ? wm_gauge_step_ns : 0;
        wm_gauge_add_point(&sums, bytes, e);
    }
    if (sums.count > 0)
        add_kernel(b, "combine", &sums, "reduce less bcast", WM_DERIVED, 1);
    else
        add_kernel(b, "combine", &copies, "1.5 copies", WM_ASSUMED, 1.5);
    add_kernel(b, "copy", &copies, "copies alone", WM_MEASURED, 1);
}

/* Where each rank had a core it is not known. */
static const double usual_yield_ns = 1000;

static void set_yield(const struct wm_gauge_build *b, struct wm_gauge_filling f)
{
    struct wm_gauge_estimate e = estimate_list(json_object_get(b->samples, "yields"));

    f.n = e.n > 0 ? e.n : 1;
    f.width = wm_gauge_width(&e, 1);
    f.probe = "yields of all ranks of a host";
    wm_gauge_set_ns(&f, WM_HOST_YIELD, e.n > 0 ? e.value : usual_yield_ns, e.n > 0 ? WM_MEASURED : WM_ASSUMED);
}

/* One flow between two hosts is taken for all that their cards carry. */
static void add_host(struct wm_gauge_build *b, double wire)
{
    struct wm_gauge_filling f = wm_gauge_add_row(b, WM_PROFILE_HOST, "", 0, 0, 0);

    f.n = 1;
    f.probe = "the operating system";
    wm_gauge_set(&f, WM_HOST_CORES, wm_gauge_number(b->samples, "cores"), WM_MEASURED);
    set_yield(b, f);
    f.probe = "bcast to one";
    wm_gauge_set_slope(&f, WM_HOST_OUT, wire, wire > 0 ? WM_DERIVED : WM_ASSUMED);
    wm_gauge_set_slope(&f, WM_HOST_IN, wire, wire > 0 ? WM_DERIVED : WM_ASSUMED);
}

/* And one between two clusters, for all that the lines between them carry. */
static void add_cut(struct wm_gauge_build *b, const char *level, double wire)
{
    struct wm_gauge_filling f = wm_gauge_add_row(b, WM_PROFILE_CUT, level, 0, 0, 0);

    f.n = 1;
    f.probe = "bcast to one";
    wm_gauge_set_slope(&f, WM_CUT_OUT, wire, WM_DERIVED);
    wm_gauge_set_slope(&f, WM_CUT_IN, wire, WM_DERIVED);
}

static void fill_fingerprint(struct wm_gauge_build *b)
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
    snprintf(f->ranks_per_host, WM_FINGERPRINT_CHARS, "%.0f", wm_gauge_number(b->samples, "local_ranks"));
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
    struct wm_gauge_build b = {.profile = profile, .samples = samples};
    const json_t *group, *near, *far, *farthest;
    double wire = 0, line = 0;
    size_t i;

    if (!is_complete(samples))
        return wm_error_set(error, -WM_EINVAL, "the samples are not complete; measure again");
    near = group_of(samples, "core");
    farthest = group_of(samples, "cluster");
    far = group_of(samples, "node");
    solve_flight(&b, near != NULL ? near : far != NULL ? far : farthest, near != NULL ? WM_GAUGE_SHM : WM_GAUGE_MPI);
    fill_fingerprint(&b);
    add_engine(&b);
    for (int net = 0; net < WM_NET_COUNT && near != NULL; net++)
        wm_gauge_add_messages(&b, near, net);
    if (far != NULL)
        wire = wm_gauge_add_messages(&b, far, WM_NET_MPI);
    if (farthest != NULL)
        line = wm_gauge_add_messages(&b, farthest, WM_NET_MPI);
    json_array_foreach (json_object_get(samples, "groups"), i, group)
        add_shared(&b, group);
    add_kernels(&b, near);
    add_host(&b, wire);
    if (line > 0)
        add_cut(&b, "cluster", line);
    if (wm_gauge_conveyors_build(profile, near, far, farthest) < 0)
        b.short_of_memory = true;
    return b.short_of_memory ? wm_error_set(error, -WM_ENOMEM, "no memory for the profile") : 0;
}
