/* Bruck's alltoall: a bundle travels the distance between its two members digit by digit, least significant first, with
 * all others that have that digit. n members that hold m bytes each, radix k: (k-1) log_k n α + (k-1)/k log_k n m β;
 * the messages of one digit go at once. Nothing is rotated: the plan knows where each bundle stands.
 * Bruck, Ho, Kipnis, Upfal, Weathersby, 1997; Thakur, Rabenseifner, Gropp, 2005, 4.3. */
#include "wrappers/alltoall.h"

/* The bundle that still has to go, or has gone, `distance` in all, at one member. */
struct slot {
    bool packed; /* it has come from another member: it stands at `at` */
    struct wm_ref at;
};

/* The members between which the bundle travels that is at `member` with its digits below `unit` done. */
static struct wm_bundle travelling(const struct wm_exchange *e, int member, int distance, int unit)
{
    int n = e->group->size, from = (member + n - distance % unit) % n;

    return wm_exchange_bundle(e, from, (from + distance) % n);
}

static void give(struct wm_planner *p, const struct wm_exchange *e, const struct slot *slots, int unit, int digit)
{
    int n = e->group->size, self = e->group->self;
    size_t units;
    struct wm_ref at;

    for (int d = digit * unit; d < n; d++) {
        struct wm_bundle bundle = travelling(e, self, d, unit);

        if (d / unit % e->number != digit)
            continue;
        if (slots[d].packed)
            wm_parcel_add_range(p, slots[d].at, wm_bundle_units(p, &bundle));
        else
            wm_parcel_add(p, e->held, &bundle);
    }
    at = wm_parcel_place(p, &units);
    wm_planner_send(p, e->group->members[(self + digit * unit) % n], at, units);
}

static void take(struct wm_planner *p, const struct wm_exchange *e, struct slot *slots, int unit, int digit)
{
    int n = e->group->size, self = e->group->self, count = 0;
    struct wm_bundle *bundles = wm_planner_allocate(p, sizeof *bundles * (size_t)n);
    struct wm_ref at;
    size_t units;

    if (bundles == NULL)
        return;
    for (int d = digit * unit; d < n; d++)
        if (d / unit % e->number == digit)
            bundles[count++] = travelling(e, self, d, unit * e->number);
    at = wm_parcel_room(p, bundles, count, &units);
    wm_planner_recv(p, e->group->members[(self + n - digit * unit) % n], at, units);
    count = 0;
    for (int d = digit * unit; d < n; d++)
        if (d / unit % e->number == digit) {
            slots[d] = (struct slot){true, at};
            at.offset += wm_bundle_units(p, &bundles[count++]);
        }
}

void wm_alltoall_bruck(struct wm_planner *p, const struct wm_exchange *e)
{
    int n = e->group->size, k = e->number;
    struct slot *slots = wm_planner_allocate(p, sizeof *slots * (size_t)n);

    for (int unit = 1; unit < n && slots != NULL; unit *= k) {
        for (int digit = 1; digit < k && digit * unit < n; digit++)
            give(p, e, slots, unit, digit);
        for (int digit = 1; digit < k && digit * unit < n; digit++)
            take(p, e, slots, unit, digit);
    }
    for (int d = 1; d < n && slots != NULL; d++) {
        struct wm_bundle bundle = wm_exchange_bundle(e, (e->group->self + n - d) % n, e->group->self);

        wm_matrix_put(p, e->next, &bundle, &slots[d].at);
    }
}
