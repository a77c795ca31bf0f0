/* How large a call is: its steps, weighed as its plans are made, or of a sample of ranks before. */
#include "tools/proof/size.h"

#include "core/hash.h"
#include "core/plan/planner.h"

enum {
    SAMPLE_RANKS = 4,
    FORESEEN_RANKS = 64,
    FORESEEN_SPARE = 4, /* the mean of a sample may be off by such a part */
    STEP_MEMBERS = 4    /* of a shared step: they take as much memory as a step */
};

/* Steps, and what the members of the shared ones take beside. */
static size_t weigh(const struct wm_plan *plan)
{
    size_t members = 0;

    for (int i = 0; i < plan->shared_count; i++)
        members += (size_t)plan->shared[i].size;
    return (size_t)plan->step_count + members / STEP_MEMBERS;
}

static int refuse_weight(int ranks, struct wm_error *error)
{
    return wm_error_set(error, -WM_ENOMEM,
                        "too large to be carried out here: %d ranks have more than the %d million steps that there is "
                        "room for; choose fewer ranks, or a path with fewer messages",
                        ranks, WM_PROOF_STEPS_MAX / 1000000);
}

int wm_proof_weigh(size_t *weight, struct wm_plan *const *plans, int rank, int ranks, struct wm_error *error)
{
    size_t least = SIZE_MAX, estimate;

    *weight += weigh(plans[rank]);
    if (rank < SAMPLE_RANKS)
        return 0;
    for (int r = rank - SAMPLE_RANKS + 1; r <= rank; r++) {
        size_t steps = weigh(plans[r]);

        least = steps < least ? steps : least;
    }
    estimate = *weight + least * (size_t)(ranks - rank - 1);
    return estimate <= WM_PROOF_STEPS_MAX ? 0 : refuse_weight(ranks, error);
}

static bool refuse_steps(struct wm_machine *m)
{
    refuse_weight(m->ranks, &m->proof->error);
    m->proof->outcome = WM_TOO_LARGE;
    return false;
}

/* What a rank's plan weighs, up to `most`. */
static size_t foresee_rank(struct wm_machine *m, const struct wm_layout *layout, int rank, size_t most)
{
    struct wm_plan_call call = wm_cast_call(&m->cast, rank, &m->run_arena);
    struct wm_plan *plan;
    struct wm_error error; /* what is refused is said of the first such rank, when all are planned */
    size_t weight = 0;
    int rc;

    call.steps_max = most;
    rc = wm_plan_make(&plan, m->path, layout, &call, rank, &error);
    if (rc == 0)
        weight = weigh(plan);
    wm_plan_free(plan);
    wm_arena_clear(&m->run_arena);
    return rc == -WM_ENOMEM || weight > most ? most : weight;
}

bool wm_size_foresee(struct wm_machine *m, const struct wm_layout *layout)
{
    size_t room = m->steps_max / (size_t)m->ranks, weight = 0;
    int64_t ranks = m->ranks;

    for (int i = 0; ranks >= FORESEEN_RANKS && i < FORESEEN_RANKS; i++) {
        int low = (int)(ranks * i / FORESEEN_RANKS), part = (int)(ranks * (i + 1) / FORESEEN_RANKS) - low;

        weight += foresee_rank(m, layout, low + (int)(wm_hash_scatter((uint64_t)i) % (uint64_t)part), 2 * room);
        if (weight > (room + room / FORESEEN_SPARE) * FORESEEN_RANKS)
            return refuse_steps(m);
    }
    return true;
}

bool wm_size_fits(struct wm_machine *m, int rank, size_t *weight)
{
    return (wm_proof_weigh(weight, m->plans, rank, m->ranks, &m->proof->error) == 0 && *weight <= m->steps_max) ||
           refuse_steps(m);
}

int wm_proof_fits(const struct wm_scenario *s, int ranks, int pairs_max, struct wm_error *error)
{
    size_t pairs = wm_operation_data(s->operation) == WM_DATA_PAIRS ? (size_t)ranks * (size_t)ranks : 0;

    if (pairs <= (size_t)pairs_max)
        return 0;
    return wm_error_set(error, -WM_ENOMEM,
                        "too large to be carried out here: %d ranks have blocks for %zu million pairs, and there is "
                        "room for %d million; choose fewer ranks",
                        ranks, pairs / 1000000, pairs_max / 1000000);
}
