/* Which ranks stand for all. */
#include "tools/predict/quotient.h"

#include <limits.h>
#include "tools/predict/folds.h"
#include "tools/proof/images.h"
#include "tools/proof/prove.h"

enum { WAYS = 4, WHOLE_STEPS = 2000000 };

struct search {
    struct wm_quotient *q;
    struct wm_plan **plans;
    struct wm_cast cast;
    struct wm_arena *arena, room;
    int rounds;   /* that a plan has of those that are alike, 0: all */
    int too_many; /* so many representatives, or more, have more steps than there is room for */
    size_t steps; /* compared */
    struct wm_error *error;
};

static int make_plan(const struct search *s, struct wm_plan **plan, int rank, struct wm_arena *arena)
{
    struct wm_plan_call call = wm_cast_call(&s->cast, rank, arena);
    int rc;

    call.rounds_max = s->rounds;
    call.steps_max = s->q->steps_max;
    rc = wm_plan_make(plan, s->q->path, s->q->layout, &call, rank, s->error);
    if (rc == 0)
        wm_folds_thin(*plan);
    return rc;
}

/* 1: it is alike, 0: it is not. */
static int compare_rank(struct search *s, int rank)
{
    struct wm_plan *plan;
    int step, rc = make_plan(s, &plan, rank, &s->room);
    struct wm_imaging imaging = {.symmetry = &s->q->symmetry,
                                 .scenario = &s->q->scenario,
                                 .displacement = wm_symmetry_of(&s->q->symmetry, rank),
                                 .from = s->plans[rank % s->q->symmetry.step],
                                 .to = plan};

    if (rc < 0)
        return rc;
    rc = wm_image_check(&imaging, &s->room, &step);
    s->steps += (size_t)plan->step_count;
    wm_plan_free(plan);
    wm_arena_clear(&s->room);
    return rc;
}

static int compare_ranks(struct search *s)
{
    uint64_t random = 1;
    int rc = 1;

    s->steps = 0;
    for (int n = 0, rank; rc > 0 && (rank = wm_image_sample(&s->q->symmetry, n, s->steps, &random)) >= 0; n++)
        rc = compare_rank(s, rank);
    return rc;
}

/* Members of its shared steps are representatives, too, and no message is longer or shorter than the other of its pair.
 */
static bool stands_alone(const struct search *s, const struct wm_plan *plan)
{
    if (plan->held_messages > 0 && plan->lag.jitter_ppm > 0)
        return false;
    for (int i = 0; i < plan->shared_count; i++)
        for (int j = 0; j < plan->shared[i].size; j++)
            if (plan->shared[i].members[j] >= s->q->symmetry.step)
                return false;
    return true;
}

static int make_representatives(struct search *s)
{
    size_t weight = 0;
    int step = s->q->symmetry.step, rc = 1;

    for (int rank = 0; rc > 0 && rank < step; rank++) {
        if ((rc = make_plan(s, &s->plans[rank], rank, s->arena)) < 0 ||
            (rc = wm_proof_weigh(&weight, s->plans[rank], step, s->q->steps_max, s->error)) < 0)
            return rc;
        rc = stands_alone(s, s->plans[rank]);
        if (rc > 0 && rank == 0)
            rc = compare_rank(s, step);
    }
    return rc;
}

static void drop_plans(struct search *s)
{
    for (int rank = 0; rank < s->q->symmetry.step; rank++) {
        wm_plan_free(s->plans[rank]);
        s->plans[rank] = NULL;
    }
}

/* Leave rounds out where the representatives' plans would be large, if they have rounds that are alike. */
static int choose_rounds(struct search *s)
{
    struct wm_plan *plan;
    size_t steps;
    int step = s->q->symmetry.step, rc;

    s->rounds = 0;
    if (s->q->rounds == WM_ROUNDS_ALL)
        return 0;
    s->rounds = wm_folds_rounds(step);
    if ((rc = make_plan(s, &plan, 0, &s->room)) < 0)
        return rc;
    steps = (size_t)plan->step_count;
    for (int i = 0; i < plan->gap_count; i++)
        steps += (size_t)plan->gaps[i].rounds * (size_t)(plan->gaps[i].last - plan->gaps[i].first) / (size_t)s->rounds;
    if (plan->gap_count == 0 || (steps * (size_t)step <= WHOLE_STEPS && s->q->rounds == WM_ROUNDS_BEST))
        s->rounds = 0;
    wm_plan_free(plan);
    wm_arena_clear(&s->room);
    return 0;
}

/* With so many units. Rounds that are left out are alike where shares are even. */
static int try_units(struct search *s, size_t each)
{
    int rc;

    s->q->scenario.each = s->q->symmetry.each = each;
    s->cast = wm_cast_make(&s->q->scenario, s->q->path, s->arena);
    if ((rc = choose_rounds(s)) < 0 ||
        (s->rounds > 0 && wm_symmetry_round(&s->q->symmetry, s->q->scenario.operation, each) != each))
        return rc;
    if ((rc = make_representatives(s)) > 0)
        rc = compare_ranks(s);
    s->q->found = rc > 0;
    if (rc <= 0)
        drop_plans(s);
    return rc;
}

static int try_group(struct search *s, bool flips, int least)
{
    struct wm_quotient *q = s->q;
    size_t each = q->scenario.each, even;
    int rc;

    if (!wm_symmetry_find(&q->symmetry, q->path, q->grid, &q->scenario, flips, least) || q->symmetry.apart ||
        q->symmetry.step >= s->too_many)
        return 0;
    wm_symmetry_lay(&q->symmetry, q->path, q->layout);
    even = wm_symmetry_round(&q->symmetry, q->scenario.operation, each);
    rc = try_units(s, each);
    if (rc == 0 && even != each && (rc = try_units(s, even)) > 0)
        q->bounds = true;
    if (rc <= 0)
        q->scenario.each = each;
    if (rc != -WM_ENOMEM)
        return rc;
    s->too_many = q->symmetry.step;
    return 0;
}

int wm_quotient_find(struct wm_quotient *q, struct wm_plan **plans, struct wm_arena *arena, struct wm_error *error)
{
    struct search s = {.q = q, .plans = plans, .arena = arena, .too_many = INT_MAX, .error = error};
    int together = 1, rc = 0;

    while (together < q->grid->ranks && q->grid->node[together] == q->grid->node[0])
        together++;
    for (int way = 0; way < WAYS && rc == 0; way++)
        if (way < 2 || together > 1)
            rc = try_group(&s, way % 2 == 0, way < 2 ? 1 : together);
    wm_arena_release(&s.room);
    return rc < 0 ? rc : 0;
}

bool wm_quotient_serves(const struct wm_profile *profile)
{
    for (size_t i = 0; i < profile->row_count; i++)
        if (profile->rows[i].section == WM_PROFILE_CUT)
            return false;
    return true;
}

int wm_quotient_hosts(const struct wm_quotient *q, int ranks, int **host, int **alike, struct wm_arena *arena)
{
    const int *node = q->grid->node;
    int most = 0, count = 0, *seen;

    for (int r = 0; r < q->grid->ranks; r++)
        most = node[r] > most ? node[r] : most;
    *host = wm_arena_take(arena, sizeof **host * (size_t)ranks);
    seen = wm_arena_take(arena, sizeof *seen * ((size_t)most + 1));
    for (int r = 0; r < ranks; r++) {
        int *number = &seen[node[r]];

        *number = *number > 0 ? *number : ++count;
        (*host)[r] = *number - 1;
    }
    *alike = NULL;
    if (!q->found)
        return count;
    *alike = wm_arena_take(arena, sizeof **alike * (size_t)ranks);
    for (int r = 0; r < q->grid->ranks; r++)
        (*alike)[r % ranks] += node[r] == node[r % ranks];
    return count;
}
