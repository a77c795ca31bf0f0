/* How large a call is: its steps, weighed as its plans are made, or of a sample of ranks before. */
#include "tools/proof/size.h"

#include "core/hash.h"
#include "core/plan/planner.h"
#include "tools/proof/allowance.h"

enum {
    SAMPLE_RANKS = 64,
    SAMPLE_RANKS_LEAST = 16,
    SCATTER = 27,     /* parts are taken in an order that begins with some of everywhere */
    STEP_EDGES = 2,   /* so many steps wait for one */
    STEP_MEMBERS = 4, /* of a shared step: they take as much memory as a step */
    STEP_BYTES = 320  /* that one takes, with what stands beside it in a run of all */
};

/* Steps, and what the members of the shared ones take beside. */
static size_t weigh(const struct wm_plan *plan)
{
    size_t members = 0;

    for (int i = 0; i < plan->shared_count; i++)
        members += (size_t)plan->shared[i].size;
    return (size_t)plan->step_count + members / STEP_MEMBERS;
}

static int refuse_weight(int ranks, size_t steps_max, struct wm_error *error)
{
    return wm_error_set(error, -WM_ENOMEM,
                        "too large to be carried out here: %d ranks have more than the %.3g million steps that there "
                        "is room for; choose fewer ranks, or a path with fewer messages",
                        ranks, (double)steps_max / 1000000);
}

size_t wm_proof_room(void)
{
    size_t steps = wm_allowance() / 4 * 3 / STEP_BYTES;

    return steps < WM_PROOF_STEPS_MAX ? steps : WM_PROOF_STEPS_MAX;
}

int wm_proof_weigh(size_t *weight, const struct wm_plan *plan, int ranks, size_t steps_max, struct wm_error *error)
{
    *weight += weigh(plan);
    return *weight <= steps_max ? 0 : refuse_weight(ranks, steps_max, error);
}

struct sample {
    const struct wm_cast *cast;
    const struct wm_path *path;
    const struct wm_layout *layout;
    double room; /* of a rank, if all have as many steps */
    int count;
    double sum, squares;
};

/* Add what a rank's plan weighs, up to twice its room: a few that have far more than others do not make it large. */
static void add_rank(struct sample *s, int rank)
{
    struct wm_arena arena = {0};
    struct wm_plan_call call = wm_cast_call(s->cast, rank, &arena);
    struct wm_plan *plan;
    struct wm_error error; /* what is refused is said of the first such rank, when all are planned */
    double weight = 0, most = 2 * s->room;
    int rc;

    call.steps_max = (size_t)most + 1; /* 0 is any number */
    rc = wm_plan_make(&plan, s->path, s->layout, &call, rank, &error);
    if (rc == 0)
        weight = (double)weigh(plan);
    wm_plan_free(plan);
    wm_arena_release(&arena);
    weight = rc == -WM_ENOMEM || weight > most ? most : weight;
    s->sum += weight;
    s->squares += weight * weight;
    s->count++;
}

/* Is the mean of all ranks above the room beyond doubt: by four errors of the sample's, and more the smaller it is? */
static bool is_heavy(const struct sample *s)
{
    double mean = s->sum / s->count, variance = s->squares / s->count - mean * mean, excess = mean - s->room;

    return s->count >= SAMPLE_RANKS_LEAST && excess > 0 &&
           excess * excess * s->count > 16 * variance + 4 * s->room * s->room;
}

int wm_proof_foresee(const struct wm_cast *cast, const struct wm_path *path, const struct wm_layout *layout, int ranks,
                     size_t steps_max, struct wm_error *error)
{
    struct sample sample = {.cast = cast, .path = path, .layout = layout, .room = (double)steps_max / ranks};

    for (int i = 0; ranks >= SAMPLE_RANKS && i < SAMPLE_RANKS; i++) {
        int64_t part = i * SCATTER % SAMPLE_RANKS, low = ranks * part / SAMPLE_RANKS;
        uint64_t size = (uint64_t)(ranks * (part + 1) / SAMPLE_RANKS - low);

        add_rank(&sample, (int)low + (int)(wm_hash_scatter((uint64_t)part) % size));
        if (is_heavy(&sample))
            return refuse_weight(ranks, steps_max, error);
    }
    return 0;
}

static bool refuse(struct wm_machine *m)
{
    m->proof->outcome = WM_TOO_LARGE;
    return false;
}

bool wm_size_foresee(struct wm_machine *m, const struct wm_layout *layout)
{
    return wm_proof_foresee(&m->cast, m->path, layout, m->ranks, m->steps_max, &m->proof->error) == 0 || refuse(m);
}

bool wm_size_fits(struct wm_machine *m, int rank, size_t *weight)
{
    return wm_proof_weigh(weight, m->plans[rank], m->ranks, m->steps_max, &m->proof->error) == 0 || refuse(m);
}

bool wm_size_holds(struct wm_machine *m)
{
    size_t plans = (sizeof(struct wm_step) + STEP_EDGES * sizeof(int)) * m->first[m->ranks];

    if (m->bytes_max == 0 || plans + m->arena->bytes + m->run_arena.bytes + m->event_arena.bytes <= m->bytes_max)
        return true;
    wm_error_set(
        &m->proof->error, -WM_ENOMEM,
        "too large to be carried out here: what %d ranks hold on the way takes more than the %zu MiB that a call "
        "may have of this machine's memory; choose fewer ranks",
        m->ranks, m->bytes_max >> 20);
    m->proof->outcome = WM_TOO_LARGE;
    m->proof->out_of_memory = true;
    return false;
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
