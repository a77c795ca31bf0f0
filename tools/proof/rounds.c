/* Rounds: all ranks' plans run together on paper, each message and shared step as early as may be. */
#include "tools/proof/rounds.h"

#include <stdlib.h>
#include "tools/proof/seats.h"

/* One end of a message, by which the two are brought together. */
struct end {
    int source, target, rank, step;
    uint32_t number;
};

struct running {
    struct wm_rounds *rounds;
    struct wm_plan *const *plans;
    int **waits;       /* waits[rank][step]: dependencies that are not done */
    int **message_of;  /* message_of[rank][step]: index of its message or joint, -1 where it has none */
    bool *half_ready;  /* half_ready[message]: one end is ready */
    struct end *ready; /* steps that are ready (rank and step), a stack */
    size_t ready_count, done_count;
};

static int compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;

    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_messages(const void *left, const void *right)
{
    const struct wm_round_message *a = left, *b = right;
    const int keys[][2] = {
        {a->round, b->round}, {a->node, b->node}, {a->source, b->source}, {a->target, b->target}, {a->send, b->send}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static int compare_joints(const void *left, const void *right)
{
    const struct wm_joint *a = left, *b = right;
    const int keys[][2] = {{a->round, b->round},
                           {a->node, b->node},
                           {a->shared->kind, b->shared->kind},
                           {a->shared->members[0], b->shared->members[0]}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return a->steps[0] - b->steps[0];
}

static size_t count_steps(struct wm_plan *const *plans, int ranks, int kind)
{
    size_t count = 0;

    for (int r = 0; r < ranks; r++)
        for (int s = 0; s < plans[r]->step_count; s++)
            count += kind < 0 || plans[r]->steps[s].kind == kind;
    return count;
}

/* The ends of one kind in the order of sources, targets and numbers. */
static void list_ends(struct wm_plan *const *plans, int ranks, int kind, struct end *ends)
{
    size_t count = 0;

    for (int r = 0; r < ranks; r++)
        for (int s = 0; s < plans[r]->step_count; s++) {
            const struct wm_step *step = &plans[r]->steps[s];

            if (step->kind == kind)
                ends[count++] = (struct end){kind == WM_STEP_SEND ? r : step->peer,
                                             kind == WM_STEP_SEND ? step->peer : r, r, s, step->message};
        }
    qsort(ends, count, sizeof *ends, compare_ends);
}

/* Does a reduction take what the receive brought? */
static bool is_combined(const struct wm_plan *plan, int receive)
{
    const struct wm_step *step = &plan->steps[receive];

    for (int i = 0; i < step->successors; i++) {
        const struct wm_step *next = &plan->steps[plan->successors[step->first_successor + i]];

        if (next->kind == WM_STEP_REDUCE &&
            (next->source.buffer == step->target.buffer || next->target.buffer == step->target.buffer))
            return true;
    }
    return false;
}

static int misfit(struct wm_error *error, const char *what, const struct end *end)
{
    return wm_error_set(error, -WM_EPATH,
                        "the plans do not fit together: %s message %u from rank %d to rank %d; please report it", what,
                        end->number, end->source, end->target);
}

static int pair_ends(struct running *run, const struct end *sends, const struct end *receives, struct wm_error *error)
{
    struct wm_round_message *messages = run->rounds->messages;

    for (size_t m = 0; m < run->rounds->message_count; m++) {
        const struct end *send = &sends[m], *receive = &receives[m];
        int order = compare_ends(send, receive);

        if (order != 0)
            return order < 0 ? misfit(error, "nobody receives", send) : misfit(error, "nobody sends", receive);
        if (run->plans[send->rank]->steps[send->step].count != run->plans[receive->rank]->steps[receive->step].count)
            return misfit(error, "the two ends disagree on the length of", send);
        messages[m] = (struct wm_round_message){
            .source = send->source,
            .target = send->target,
            .send = send->step,
            .receive = receive->step,
            .node = run->plans[send->rank]->steps[send->step].node,
            .units = run->plans[send->rank]->steps[send->step].count,
            .net = run->plans[send->rank]->steps[send->step].net,
            .combined = is_combined(run->plans[receive->rank], receive->step),
        };
        run->message_of[send->rank][send->step] = run->message_of[receive->rank][receive->step] = (int)m;
    }
    return 0;
}

static int find_messages(struct running *run, struct wm_error *error)
{
    size_t sent = count_steps(run->plans, run->rounds->ranks, WM_STEP_SEND);
    size_t received = count_steps(run->plans, run->rounds->ranks, WM_STEP_RECV);
    struct end *sends = calloc(sent + 1, sizeof *sends), *receives = calloc(received + 1, sizeof *receives);
    int rc = -WM_ENOMEM;

    run->rounds->message_count = sent;
    run->rounds->messages = calloc(sent + 1, sizeof *run->rounds->messages);
    run->half_ready = calloc(sent + 1, sizeof *run->half_ready);
    if (sends != NULL && receives != NULL && run->rounds->messages != NULL && run->half_ready != NULL) {
        list_ends(run->plans, run->rounds->ranks, WM_STEP_SEND, sends);
        list_ends(run->plans, run->rounds->ranks, WM_STEP_RECV, receives);
        rc = sent == received ? pair_ends(run, sends, receives, error)
                              : wm_error_set(error, -WM_EPATH,
                                             "the plans do not fit together: %zu sends, %zu receives; please report "
                                             "it",
                                             sent, received);
    }
    free(sends);
    free(receives);
    return rc;
}

/* All members of one shared step. Their numbers stand where it points. */
static int add_joint(struct running *run, const struct wm_seat *seats, size_t together, int *steps,
                     struct wm_error *error)
{
    struct wm_rounds *rounds = run->rounds;
    int missing = wm_seats_missing(seats, together);

    if (missing >= 0)
        return wm_error_set(error, -WM_EPATH,
                            "the plans do not fit together: rank %d does not come to the shared step %d of rank %d; "
                            "please report it",
                            missing, seats[0].step, seats[0].rank);
    for (size_t i = 0; i < together; i++) {
        steps[i] = seats[i].step;
        run->message_of[seats[i].rank][seats[i].step] = (int)rounds->joint_count;
    }
    rounds->joints[rounds->joint_count++] = (struct wm_joint){
        .node = run->plans[seats[0].rank]->steps[seats[0].step].node, .shared = seats[0].shared, .steps = steps};
    return 0;
}

static int find_joints(struct running *run, struct wm_error *error)
{
    struct wm_rounds *rounds = run->rounds;
    struct wm_seat *seats;
    size_t count, together;
    int rc = wm_seats_list(run->plans, rounds->ranks, &seats, &count);

    rounds->joints = calloc(count + 1, sizeof *rounds->joints);
    rounds->joint_steps = calloc(count + 1, sizeof *rounds->joint_steps);
    if (rounds->joints == NULL || rounds->joint_steps == NULL)
        rc = -WM_ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i += together) {
        together = wm_seats_together(&seats[i], count - i);
        rc = add_joint(run, &seats[i], together, &rounds->joint_steps[i], error);
    }
    free(seats);
    return rc;
}

static void make_ready(struct running *run, int rank, int step)
{
    run->ready[run->ready_count++] = (struct end){.rank = rank, .step = step};
}

/* A step is done in `round`: those that waited for it alone are ready. */
static void finish(struct running *run, int rank, int number, int round)
{
    const struct wm_plan *plan = run->plans[rank];
    const struct wm_step *step = &plan->steps[number];
    int *rounds = run->rounds->step_rounds[rank];

    rounds[number] = round;
    run->done_count++;
    if (round > run->rounds->round_count)
        run->rounds->round_count = round;
    for (int i = 0; i < step->successors; i++) {
        int next = plan->successors[step->first_successor + i];

        if (rounds[next] < round)
            rounds[next] = round;
        if (--run->waits[rank][next] == 0)
            make_ready(run, rank, next);
    }
}

/* A shared step goes when all its members are ready. */
static void advance_joint(struct running *run, struct wm_joint *joint)
{
    const struct wm_shared *shared = joint->shared;

    if (++joint->ready < shared->size)
        return;
    for (int i = 0; i < shared->size; i++) {
        int before = run->rounds->step_rounds[shared->members[i]][joint->steps[i]];

        joint->round = before + 1 > joint->round ? before + 1 : joint->round;
    }
    for (int i = 0; i < shared->size; i++)
        finish(run, shared->members[i], joint->steps[i], joint->round);
}

/* A message goes when both of its ends are ready, and is done at both. */
static void advance(struct running *run, int rank, int number)
{
    int **rounds = run->rounds->step_rounds, index = run->message_of[rank][number];
    struct wm_round_message *m = index >= 0 ? &run->rounds->messages[index] : NULL;

    if (run->plans[rank]->steps[number].kind == WM_STEP_SHARED) {
        advance_joint(run, &run->rounds->joints[index]);
        return;
    }
    if (m == NULL) {
        finish(run, rank, number, rounds[rank][number]);
        return;
    }
    if (!run->half_ready[index]) {
        run->half_ready[index] = true;
        return;
    }
    m->round = 1 + (rounds[m->source][m->send] > rounds[m->target][m->receive] ? rounds[m->source][m->send]
                                                                               : rounds[m->target][m->receive]);
    finish(run, m->source, m->send, m->round);
    finish(run, m->target, m->receive, m->round);
}

static int run_all(struct running *run, size_t steps, struct wm_error *error)
{
    for (int r = 0; r < run->rounds->ranks; r++)
        for (int i = 0; i < run->plans[r]->root_count; i++)
            make_ready(run, r, run->plans[r]->roots[i]);
    while (run->ready_count > 0) {
        struct end next = run->ready[--run->ready_count];

        advance(run, next.rank, next.step);
    }
    if (run->done_count < steps)
        return wm_error_set(error, -WM_EPATH,
                            "the plans wait for each other for ever: %zu of %zu steps can be done; please report it",
                            run->done_count, steps);
    return 0;
}

static int **new_rows(struct wm_plan *const *plans, int ranks, int filler)
{
    int **rows = calloc((size_t)ranks + 1, sizeof *rows);

    for (int r = 0; rows != NULL && r < ranks; r++) {
        rows[r] = malloc(sizeof(int) * ((size_t)plans[r]->step_count + 1));
        if (rows[r] == NULL)
            return rows; /* the caller sees the gap */
        for (int s = 0; s < plans[r]->step_count; s++)
            rows[r][s] = filler;
    }
    return rows;
}

static void free_rows(int **rows, int ranks)
{
    for (int r = 0; rows != NULL && r < ranks; r++)
        free(rows[r]);
    free(rows);
}

static bool allocate(struct running *run, struct wm_rounds *rounds, size_t steps)
{
    int ranks = rounds->ranks;

    run->waits = new_rows(run->plans, ranks, 0);
    run->message_of = new_rows(run->plans, ranks, -1);
    rounds->step_rounds = new_rows(run->plans, ranks, 0);
    run->ready = calloc(steps + 1, sizeof *run->ready);
    if (run->ready == NULL || run->waits == NULL || run->message_of == NULL || rounds->step_rounds == NULL ||
        run->waits[ranks - 1] == NULL || run->message_of[ranks - 1] == NULL || rounds->step_rounds[ranks - 1] == NULL)
        return false;
    for (int r = 0; r < ranks; r++)
        for (int s = 0; s < run->plans[r]->step_count; s++)
            run->waits[r][s] = run->plans[r]->steps[s].dependencies;
    return true;
}

int wm_rounds_init(struct wm_rounds *rounds, struct wm_plan *const *plans, int ranks, struct wm_error *error)
{
    struct running run = {.rounds = rounds, .plans = plans};
    size_t steps = count_steps(plans, ranks, -1);
    int rc = -WM_ENOMEM;

    *rounds = (struct wm_rounds){.ranks = ranks};
    if (allocate(&run, rounds, steps))
        rc = find_messages(&run, error);
    if (rc == 0)
        rc = find_joints(&run, error);
    if (rc == 0)
        rc = run_all(&run, steps, error);
    if (rc == 0) {
        qsort(rounds->messages, rounds->message_count, sizeof *rounds->messages, compare_messages);
        qsort(rounds->joints, rounds->joint_count, sizeof *rounds->joints, compare_joints);
    }
    if (rc == -WM_ENOMEM)
        wm_error_set(error, rc, "no memory to run the plans of %d ranks", ranks);
    free_rows(run.waits, ranks);
    free_rows(run.message_of, ranks);
    free(run.half_ready);
    free(run.ready);
    if (rc < 0)
        wm_rounds_release(rounds);
    return rc;
}

void wm_rounds_release(struct wm_rounds *rounds)
{
    free(rounds->messages);
    free(rounds->joints);
    free(rounds->joint_steps);
    free_rows(rounds->step_rounds, rounds->ranks);
    *rounds = (struct wm_rounds){0};
}
