/* A race held: rounds of batches, in an order that is drawn, in one state of the machine. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "tools/gauge/probes.h"
#include "tools/text/units.h"
#include "tools/tune/hunt.h"
#include "tracer/clock.h"

/* So often a race begins anew, and after so many rounds in a row of another state. */
enum { RESTARTS = 2, STRANGE_ROUNDS = 2 };

static const double other_state = 1.5;

static volatile sig_atomic_t interrupted;

void wm_tune_interrupt(void)
{
    interrupted = 1;
}

double wm_tune_now_s(void)
{
    return (double)wm_clock_monotonic_ns() * 1e-9;
}

bool wm_tune_goes_on(struct wm_tune_hunt *h)
{
    h->interrupted = h->interrupted || interrupted != 0;
    return !h->interrupted && h->fault == NULL;
}

void wm_tune_show(const struct wm_tune_hunt *h, enum wm_operation operation, const char *doing, uint64_t bytes)
{
    if (!h->shows)
        return;
    fprintf(stderr, "\rtune: launch %d, %s %s of %s, %.0f s of %.0f\033[K", h->launch, doing,
            wm_operation_name(operation), wm_bytes_text(bytes).text, wm_tune_now_s() - h->begin_s,
            h->end_s - h->begin_s);
    fflush(stderr);
}

/* A race that is being held. */
struct play {
    struct wm_tune_hunt *hunt;
    struct wm_tune_race *race;
    const struct wm_tune_heat *heat;
    enum wm_operation operation;
    const struct wm_tune_kind *kind;
    int roots[WM_TUNE_ROOTS], root_count; /* of this round */
    int64_t items;                        /* of a conveyor's run */
    int calls[WM_TUNE_PATHS_MAX], fence_calls;
    double state_ns; /* a barrier, in the rounds that count */
    int strange, restarts;
};

static bool is_slow(const struct play *p)
{
    return p->race->slow_ns > 0;
}

/* How many calls make a batch: the most of three answers, for who is kept from the processor meanwhile finds too few;
 * of one where a call takes longer than that. Finding it out warms the buffers, too. Negative: memory is short. */
static int find_calls(const struct play *p, const struct wm_tune_flight *flight)
{
    int calls = -1;

    for (int i = 0; i < (is_slow(p) ? 1 : 3); i++) {
        int found = (int)wm_tune_fly(p->hunt->session, flight);

        calls = found > calls ? found : calls;
    }
    return calls;
}

static double fence(struct play *p)
{
    struct wm_tune_flight flight = {.who = WM_TUNE_FENCE};
    struct wm_tune_hunt *h = p->hunt;
    double ns;

    if (p->fence_calls == 0)
        p->fence_calls = find_calls(p, &flight);
    flight.calls = p->fence_calls;
    flight.manner = p->fence_calls == 1 ? WM_TUNE_STARTED : WM_TUNE_FENCED;
    ns = wm_tune_fly(h->session, &flight);
    p->race->slow_ns = p->fence_calls == 1 ? ns : 0;
    h->barrier_low_ns = h->barrier_low_ns == 0 || ns < h->barrier_low_ns ? ns : h->barrier_low_ns;
    h->barrier_high_ns = ns > h->barrier_high_ns ? ns : h->barrier_high_ns;
    return ns;
}

/* A batch, less what its fences took. Never nothing: a call that hides behind the fence counts as a twentieth. */
static double sample(struct play *p, int path, double fence_ns)
{
    const struct wm_tune_heat *heat = p->heat;
    struct wm_tune_flight flight = {.who = heat->map && path == 1 ? WM_TUNE_MAP : path,
                                    .operation = (int)p->operation,
                                    .root_count = p->root_count,
                                    .bytes = heat->bytes,
                                    .items = p->items,
                                    .manner = wm_tune_manner_of(p->kind, heat->manner, is_slow(p)),
                                    .calls = p->calls[path]};
    double took;

    memcpy(flight.roots, p->roots, sizeof p->roots);
    if (flight.calls == 0)
        flight.calls = p->calls[path] = find_calls(p, &flight);
    took = flight.calls < 0 ? -1 : wm_tune_fly(p->hunt->session, &flight);
    if (took < 0)
        p->hunt->fault = p->kind->refused;
    if (flight.manner != WM_TUNE_FENCED || !p->kind->fenced)
        return took;
    return took - fence_ns > took / 20 ? took - fence_ns : took / 20;
}

/* Is the machine in the state of the rounds before? When it is in another one for good, they count no more. */
static bool same_state(struct play *p, double fence_ns)
{
    struct wm_tune_race *r = p->race;
    bool same = p->state_ns == 0 || (fence_ns < p->state_ns * other_state && fence_ns > p->state_ns / other_state);

    if (p->state_ns == 0)
        p->state_ns = fence_ns;
    p->strange = same ? 0 : p->strange + 1;
    if (same || p->restarts == RESTARTS)
        return true;
    if (p->strange == STRANGE_ROUNDS) {
        p->state_ns = fence_ns;
        p->restarts++;
        r->rounds = 0;
        memset(r->sampled, 0, sizeof r->sampled);
        for (int i = 1; i < r->count; i++)
            r->runs[i] = p->heat->runs[i];
    }
    return false;
}

/* Roots for a round: fewer where calls take long. */
static void choose_roots(struct play *p)
{
    if (p->heat->root == NULL) {
        p->root_count = wm_tune_draw_roots(p->hunt, p->operation, is_slow(p) ? 2 : WM_TUNE_ROOTS, p->roots);
    } else {
        p->roots[0] = *p->heat->root;
        p->root_count = 1;
    }
}

/* One round, in an order that is drawn. */
static void fly_round(struct play *p)
{
    struct wm_tune_race *r = p->race;
    double fence_ns = fence(p);
    int order[WM_TUNE_PATHS_MAX], count = 0;

    if (!same_state(p, fence_ns))
        return;
    choose_roots(p);
    for (int i = 0; i < r->count; i++)
        if (r->runs[i]) {
            int j = (int)(wm_gauge_draw(&p->hunt->seed) % (uint64_t)(count + 1));

            order[count++] = order[j];
            order[j] = i;
        }
    for (int i = 0; i < count && wm_tune_goes_on(p->hunt); i++)
        r->ns[order[i]][r->rounds] = sample(p, order[i], fence_ns);
    if (!wm_tune_goes_on(p->hunt))
        return;
    r->rounds++;
    for (int i = 0; i < count; i++)
        r->sampled[order[i]] = r->rounds;
    wm_tune_race_judge(r);
}

bool wm_tune_hold_heat(struct wm_tune_hunt *h, struct wm_tune_race *r, const struct wm_tune_field *f,
                       const struct wm_tune_heat *heat)
{
    static struct play p;

    p = (struct play){.hunt = h,
                      .race = r,
                      .heat = heat,
                      .operation = f->operation,
                      .kind = wm_tune_kind(f->operation),
                      .items = wm_tune_field_items(f, heat->bytes)};
    p.restarts = h->session->local_ranks > h->session->cores ? RESTARTS : 0; /* a crowd has no states */
    memset(r, 0, sizeof *r);
    r->count = heat->map ? 2 : f->list.count;
    r->fast = heat->fast;
    for (int i = 0; i < r->count; i++)
        r->runs[i] = i == 0 || heat->runs[i];
    while (wm_tune_goes_on(h) && r->rounds < WM_TUNE_ROUNDS_MAX && !wm_tune_race_settled(r) &&
           (r->rounds < WM_TUNE_ROUNDS_LEAST || wm_tune_now_s() < heat->end_s))
        fly_round(&p);
    return r->rounds >= WM_TUNE_ROUNDS_LEAST;
}
