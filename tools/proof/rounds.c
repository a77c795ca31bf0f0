/* Rounds: all ranks' plans carried out without data, each message and shared step as early as may be. */
#include "tools/proof/rounds.h"

#include <stdlib.h>
#include "tools/proof/machine.h"

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

static int compare_shared(const void *left, const void *right)
{
    const struct wm_round_shared *a = left, *b = right;
    const int keys[][2] = {{a->round, b->round},
                           {a->node, b->node},
                           {a->shared->kind, b->shared->kind},
                           {a->shared->members[0], b->shared->members[0]}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return (a->shared > b->shared) - (a->shared < b->shared);
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

static void list_messages(struct wm_rounds *rounds, const struct wm_machine *m)
{
    rounds->message_count = (size_t)m->message_count;
    rounds->messages = wm_arena_take(&rounds->arena, sizeof *rounds->messages * rounds->message_count);
    for (int i = 0; i < m->message_count; i++) {
        struct wm_at send = m->messages[i].send, receive = m->messages[i].recv;
        const struct wm_step *step = wm_machine_step(m, send);

        rounds->messages[i] = (struct wm_round_message){
            .source = send.rank,
            .target = receive.rank,
            .send = send.step,
            .receive = receive.step,
            .round = wm_rounds_of_step(rounds, send.rank, send.step),
            .node = step->node,
            .units = step->count,
            .net = step->net,
            .combined = is_combined(m->plans[receive.rank], receive.step),
        };
    }
    qsort(rounds->messages, rounds->message_count, sizeof *rounds->messages, compare_messages);
}

static void list_shared(struct wm_rounds *rounds, const struct wm_machine *m)
{
    rounds->shared_count = (size_t)m->instance_count;
    rounds->shared = wm_arena_take(&rounds->arena, sizeof *rounds->shared * rounds->shared_count);
    for (int i = 0; i < m->instance_count; i++) {
        struct wm_at first = m->instances[i].members[0];

        rounds->shared[i] = (struct wm_round_shared){
            .round = wm_rounds_of_step(rounds, first.rank, first.step),
            .node = wm_machine_step(m, first)->node,
            .shared = wm_machine_shared(m, first),
        };
    }
    qsort(rounds->shared, rounds->shared_count, sizeof *rounds->shared, compare_shared);
}

static void ignore(struct wm_machine *m)
{
    (void)m;
}

static void ignore_step(struct wm_machine *m, struct wm_at at)
{
    (void)m, (void)at;
}

static bool pass_message(struct wm_machine *m, const struct wm_proof_message *message)
{
    (void)m, (void)message;
    return true;
}

static bool pass_shared(struct wm_machine *m, const struct wm_shared_instance *instance)
{
    (void)m, (void)instance;
    return true;
}

static bool run_step(struct wm_machine *m, struct wm_at at)
{
    (void)m, (void)at;
    return true;
}

static bool end(struct wm_machine *m)
{
    (void)m;
    return true;
}

static const struct wm_machine_data nothing = {
    .begin = ignore,
    .post = ignore_step,
    .pass_message = pass_message,
    .pass_shared = pass_shared,
    .run_step = run_step,
    .end = end,
};

int wm_rounds_init(struct wm_rounds *rounds, struct wm_plan **plans, int ranks, const struct wm_path *path,
                   struct wm_error *error)
{
    struct wm_proof proof = {0};
    struct wm_machine m = {
        .data = &nothing, .arena = &rounds->arena, .ranks = ranks, .plans = plans, .path = path, .proof = &proof};
    bool done;

    *rounds = (struct wm_rounds){0};
    done = wm_machine_match_messages(&m) && wm_machine_match_shared(&m) && wm_machine_run(&m, WM_FIRST_READY, 0);
    rounds->run_arena = m.run_arena;
    if (!done) {
        wm_rounds_release(rounds);
        return wm_error_set(error, -WM_EPATH, "the plans do not fit together: %s; please report it", proof.error.text);
    }
    rounds->round_count = proof.rounds;
    rounds->first = m.first;
    rounds->step_rounds = m.rounds;
    list_messages(rounds, &m);
    list_shared(rounds, &m);
    return 0;
}

void wm_rounds_release(struct wm_rounds *rounds)
{
    wm_arena_release(&rounds->arena);
    wm_arena_release(&rounds->run_arena);
    *rounds = (struct wm_rounds){0};
}

int wm_rounds_of_step(const struct wm_rounds *rounds, int rank, int step)
{
    return rounds->step_rounds[rounds->first[rank] + (size_t)step];
}
