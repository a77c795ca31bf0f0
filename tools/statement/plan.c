/* The plan of a statement: how it goes, and what each rank has to do for it. */
#include "tools/statement/plan.h"

#include <stdlib.h>
#include <string.h>
#include "core/statement/items.h"
#include "core/statement/places.h"
#include "core/statement/promises.h"
#include "core/vector.h"
#include "tools/statement/tell.h"

/* ---- a rank's part ---- */

struct cost {
    int64_t of[WM_STATEMENT_FIGURE_COUNT];
    struct wm_statement_loads *loads; /* NULL: they are not wanted */
    int rc;
};

/* The parts of one peer, which travel as one message. */
struct bundle {
    const struct wm_statement_part *parts;
    size_t count;
    int64_t bytes, head_bytes; /* of the data; of what says which parts it is */
    bool own;                  /* from the rank to itself */
};

/* The bundle that begins with part `at` of those that are sent, or received; NULL parts: there is none. */
static struct bundle bundle_at(const struct wm_traffic *x, bool received, size_t at, enum wm_side teller)
{
    const struct wm_parts *list = received ? &x->receives : &x->sends;
    struct bundle b = {.parts = at < list->count ? &list->parts[at] : NULL};

    for (; at < list->count && list->parts[at].peer == b.parts->peer; at++, b.count++)
        b.bytes += (int64_t)wm_part_bytes(x, &list->parts[at]);
    b.head_bytes = (int64_t)wm_items_bytes(x, b.parts, b.count, teller);
    b.own = b.count > 0 && b.parts->peer == x->me;
    return b;
}

static void add_load(struct cost *c, const struct wm_statement_load *load)
{
    struct wm_statement_loads *list = c->loads;

    if (list == NULL || c->rc < 0 ||
        (c->rc = wm_vector_reserve(&list->list, &list->capacity, list->count + 1, sizeof *load)) < 0)
        return;
    list->list[list->count++] = *load;
}

static bool combines(const struct wm_traffic *x, const struct bundle *b)
{
    return x->s->reductions[b->parts->reduction].combiner != WM_OPERATOR_STORE;
}

static void add_message(struct cost *c, const struct bundle *b, bool received, int64_t bytes)
{
    c->of[WM_STATEMENT_FIGURE_MESSAGES] += !received && !b->own;
    c->of[WM_STATEMENT_FIGURE_BYTES] += received || b->own ? 0 : bytes;
    c->of[WM_STATEMENT_FIGURE_DEGREE] += !b->own;
}

/* A side of messages that both ends know of. `apart`: nothing hinders them from travelling without a copy. */
static void add_posted_side(struct cost *c, const struct wm_traffic *x, const struct wm_bound bindings[], bool received,
                            bool apart)
{
    struct bundle b;

    for (size_t at = 0; (b = bundle_at(x, received, at, WM_SENDS)).parts != NULL; at += b.count) {
        bool in_place = apart && !b.own && b.count == 1 && wm_part_is_whole(x, b.parts, bindings, received);

        add_message(c, &b, received, b.bytes);
        add_load(c, &(struct wm_statement_load){.peer = b.parts->peer,
                                                .received = received,
                                                .copies = !in_place,
                                                .combines = received && combines(x, &b),
                                                .bytes = b.bytes});
        c->of[WM_STATEMENT_FIGURE_IN_PLACE] += in_place;
        c->of[WM_STATEMENT_FIGURE_COPIED] += in_place ? 0 : b.bytes;
    }
}

/* A list as it travels, which holds the values of the one that it is of. */
static int fold(const struct wm_traffic *x, struct wm_parts *list, const struct wm_bound bindings[], bool received)
{
    size_t bytes = list->count * sizeof *list->parts;
    struct wm_statement_part *parts = malloc(bytes + 1);

    if (parts == NULL)
        return -WM_ENOMEM;
    if (bytes > 0)
        memcpy(parts, list->parts, bytes);
    list->parts = parts;
    wm_parts_fold(x, list, bindings, received);
    return 0;
}

static int add_posted(struct cost *c, const struct wm_traffic *x, const struct wm_bound bindings[])
{
    bool disjoint = wm_traffic_met(x) == 0;
    struct wm_traffic folded = *x;
    int rc = fold(x, &folded.sends, bindings, false);

    if (rc < 0)
        return rc;
    if ((rc = fold(x, &folded.receives, bindings, true)) == 0) {
        add_posted_side(c, &folded, bindings, false, disjoint);
        add_posted_side(c, &folded, bindings, true, disjoint && !wm_traffic_stores_twice(x));
        free(folded.receives.parts);
    }
    free(folded.sends.parts);
    return rc;
}

/* Messages that only their teller knows of: items with data, or without, which are requests. They are packed; the other
 * end stores data. */
static void add_told(struct cost *c, const struct wm_traffic *x, enum wm_side teller)
{
    bool requests = teller == WM_RECEIVES;
    struct bundle b;

    for (size_t at = 0; (b = bundle_at(x, requests, at, teller)).parts != NULL; at += b.count) {
        int64_t bytes = b.head_bytes + (requests ? 0 : b.bytes);

        add_message(c, &b, false, bytes);
        add_load(c, &(struct wm_statement_load){.peer = b.parts->peer, .copies = true, .bytes = bytes});
        c->of[WM_STATEMENT_FIGURE_COPIED] += bytes;
    }
    for (size_t at = 0; (b = bundle_at(x, !requests, at, teller)).parts != NULL; at += b.count) {
        add_message(c, &b, true, 0);
        add_load(c, &(struct wm_statement_load){.peer = b.parts->peer,
                                                .received = true,
                                                .copies = !requests,
                                                .combines = !requests && combines(x, &b),
                                                .bytes = b.bytes});
        c->of[WM_STATEMENT_FIGURE_COPIED] += requests ? 0 : b.bytes;
    }
}

static void add_collective(struct cost *c, const struct wm_traffic *x, const struct wm_bound bindings[],
                           const struct wm_collective *collective)
{
    size_t bytes = collective->block * x->s->reductions[0].element_bytes;
    bool in_place[2];

    wm_collective_in_place(collective, x, bindings, wm_traffic_met(x) == 0, &in_place[false], &in_place[true]);
    for (int received = 0; received < 2; received++) {
        int64_t copied = (int64_t)(bytes * wm_collective_blocks(collective, x, received));

        if (in_place[received] || copied == 0)
            continue;
        add_load(c, &(struct wm_statement_load){.peer = x->me, .received = received, .copies = true, .bytes = copied});
        c->of[WM_STATEMENT_FIGURE_COPIED] += copied;
    }
}

/* ---- all ranks ---- */

struct planning {
    struct wm_statement_plan *plan;
    const struct wm_bound_names *names;
    const struct wm_statement *s;
    struct wm_traffic *arrivals;      /* by rank: of what others tell it; NULL: all ranks list both sides */
    struct wm_statement_loads *loads; /* by rank; NULL: they are not wanted */
    struct wm_error *error;
};

static int add_call(const struct planning *p, struct wm_statement_call *call, const struct wm_traffic *x)
{
    const struct wm_bound *bindings = wm_names_bindings(p->names, x->me);
    struct cost c = {.loads = p->loads != NULL && call == &p->plan->again ? &p->loads[x->me] : NULL};
    int rc = 0;

    if (call->way == WM_STATEMENT_COLLECTIVE)
        add_collective(&c, x, bindings, &p->plan->collective);
    if (call->way == WM_STATEMENT_REQUESTS)
        add_told(&c, x, WM_RECEIVES);
    if (call->way == WM_STATEMENT_NBX)
        add_told(&c, x, WM_SENDS);
    if (call->way == WM_STATEMENT_POSTED || call->way == WM_STATEMENT_REQUESTS)
        rc = add_posted(&c, x, bindings);
    if (rc == 0)
        rc = c.rc;
    for (int i = 0; i < WM_STATEMENT_FIGURE_COUNT && rc == 0; i++)
        rc = wm_spread_add(&call->figures[i], c.of[i]);
    return rc;
}

/* Tell the ranks at the other ends of what a rank tells of. */
static int deliver(const struct planning *p, int rank)
{
    struct wm_traffic x;
    int rc = wm_tell(&x, p->names, p->s, rank, false, p->error);

    if (rc < 0)
        return wm_names_fault(p->error, rank, p->names->ranks);
    for (size_t i = 0; i < wm_told(&x)->count && rc == 0; i++)
        rc = wm_tell_other(&p->arrivals[wm_told(&x)->parts[i].peer], p->names, &x, i, p->error);
    wm_traffic_release(&x);
    return rc;
}

/* Let all ranks hear of what is told to them. */
static int deliver_all(struct planning *p)
{
    int ranks = p->names->ranks, rc = 0;

    if ((p->arrivals = calloc((size_t)ranks, sizeof *p->arrivals)) == NULL)
        return -WM_ENOMEM;
    for (int rank = 0; rank < ranks; rank++)
        p->arrivals[rank] = (struct wm_traffic){.s = p->s, .me = rank, .ranks = ranks};
    for (int rank = 0; rank < ranks && rc == 0; rank++)
        rc = deliver(p, rank);
    return rc;
}

static void forget(struct planning *p)
{
    for (int rank = 0; rank < p->names->ranks && p->arrivals != NULL; rank++)
        wm_traffic_release(&p->arrivals[rank]);
    free(p->arrivals);
}

/* Both sides of what a rank does. */
static int complete(const struct planning *p, struct wm_traffic *x, int rank)
{
    bool sends = wm_teller(p->s) == WM_SENDS;
    int rc = wm_tell(x, p->names, p->s, rank, p->arrivals == NULL, p->error);
    struct wm_parts *arrived;

    if (rc < 0)
        return wm_names_fault(p->error, rank, p->names->ranks);
    if (p->arrivals == NULL)
        return 0;
    arrived = sends ? &p->arrivals[rank].receives : &p->arrivals[rank].sends;
    *(sends ? &x->receives : &x->sends) = *arrived;
    *arrived = (struct wm_parts){0};
    return 0;
}

static int add_rank(const struct planning *p, int rank)
{
    struct wm_traffic x;
    int rc = complete(p, &x, rank);

    if (rc < 0)
        return rc;
    if ((rc = add_call(p, &p->plan->first, &x)) == 0)
        rc = add_call(p, &p->plan->again, &x);
    wm_traffic_release(&x);
    return rc;
}

/* ---- how it goes ---- */

static enum wm_statement_way first_way(const struct wm_statement_survey *survey)
{
    if (survey->knowledge == WM_KNOWLEDGE_RECEIVER)
        return WM_STATEMENT_REQUESTS;
    if (survey->knowledge == WM_KNOWLEDGE_SENDER)
        return WM_STATEMENT_NBX;
    return survey->collective.operation != WM_OPERATION_COUNT && !survey->collective.team ? WM_STATEMENT_COLLECTIVE
                                                                                          : WM_STATEMENT_POSTED;
}

static void decide(struct wm_statement_plan *plan, const struct wm_statement *s, const struct wm_bound bindings[],
                   const struct wm_statement_survey *survey)
{
    enum wm_statement_way way = first_way(survey);
    bool one_sided = way == WM_STATEMENT_NBX || way == WM_STATEMENT_REQUESTS;

    plan->refused = s->hint != WM_KNOWLEDGE_UNSAID && s->hint < WM_KNOWLEDGE_SENDER && survey->found > s->hint;
    plan->collective = survey->collective;
    plan->learns = one_sided && wm_statement_is_steady(s, bindings);
    plan->unpromised = wm_bindings_unpromised(s, bindings, one_sided ? s->choosing | s->sizing : s->choosing);
    plan->first.way = way;
    plan->first.allreduces = s->hint < WM_KNOWLEDGE_SENDER;
    plan->first.barriers = one_sided;
    plan->again.way = plan->learns                                                       ? WM_STATEMENT_POSTED
                      : !one_sided && survey->collective.operation != WM_OPERATION_COUNT ? WM_STATEMENT_COLLECTIVE
                                                                                         : way;
    plan->again.allreduces = !one_sided && plan->unpromised != 0;
    plan->again.barriers = one_sided && !plan->learns;
}

int wm_statement_plan_init(struct wm_statement_plan *plan, const struct wm_bound_names *names,
                           const struct wm_statement *s, const struct wm_statement_survey *survey,
                           struct wm_statement_loads *loads, struct wm_error *error)
{
    struct planning p = {.plan = plan, .names = names, .s = s, .loads = loads, .error = error};
    int64_t messages = wm_spread_sum(&survey->figures[WM_SURVEY_MESSAGES_SENT]);
    bool one_sided;
    int rc = 0;

    *plan = (struct wm_statement_plan){.refused = false};
    decide(plan, s, names->bindings, survey);
    one_sided = plan->first.barriers > 0;
    plan->counted = !plan->refused && (!one_sided || messages <= WM_STATEMENT_MESSAGES_MAX);
    if (!plan->counted)
        return 0;
    if (one_sided)
        rc = deliver_all(&p);
    for (int rank = 0; rank < names->ranks && rc == 0; rank++)
        rc = add_rank(&p, rank);
    forget(&p);
    return rc == -WM_ENOMEM ? wm_error_set(error, rc, "out of memory") : rc;
}

void wm_statement_plan_release(struct wm_statement_plan *plan)
{
    for (int i = 0; i < WM_STATEMENT_FIGURE_COUNT; i++) {
        wm_spread_release(&plan->first.figures[i]);
        wm_spread_release(&plan->again.figures[i]);
    }
}
