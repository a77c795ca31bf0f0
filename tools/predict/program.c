/* Plans of all ranks, matched. */
#include "tools/predict/program.h"

#include <limits.h>
#include <string.h>
#include "tools/proof/machine.h"

static size_t count_successors(const struct wm_sim_program *p)
{
    size_t count = 0;

    for (int rank = 0; rank < p->ranks; rank++)
        for (int s = 0; s < p->plans[rank]->step_count; s++)
            count += (size_t)p->plans[rank]->steps[s].successors;
    return count;
}

static void list_steps(struct wm_sim_program *p)
{
    int listed = 0;

    p->steps = wm_arena_take(&p->arena, sizeof *p->steps * (p->first[p->ranks] + 1));
    p->successors = wm_arena_take(&p->arena, sizeof *p->successors * (count_successors(p) + 1));
    for (int rank = 0; rank < p->ranks; rank++) {
        for (int i = 0; i < p->plans[rank]->transport_count; i++)
            p->eager |= p->plans[rank]->transports[i].eager_bytes > 0;
        for (int s = 0; s < p->plans[rank]->step_count; s++) {
            const struct wm_step *step = &p->plans[rank]->steps[s];

            p->steps[p->first[rank] + (size_t)s] = (struct wm_program_step){.count = step->count,
                                                                            .owner = rank,
                                                                            .partner = -1,
                                                                            .peer = step->peer,
                                                                            .first_successor = listed,
                                                                            .successors = step->successors,
                                                                            .kind = step->kind,
                                                                            .net = step->net,
                                                                            .transport = step->transport,
                                                                            .held = step->held > 0};
            for (int i = 0; i < step->successors; i++)
                p->successors[listed++] = (int)p->first[rank] + p->plans[rank]->successors[step->first_successor + i];
            if (step->successors == 1)
                p->steps[p->first[rank] + (size_t)s].first_successor = p->successors[--listed];
        }
    }
}

static int number_of(const struct wm_sim_program *p, struct wm_at at)
{
    return (int)(p->first[at.rank] + (size_t)at.step);
}

static void take_messages(struct wm_sim_program *p, const struct wm_machine *m)
{
    for (int i = 0; i < m->message_count; i++) {
        int send = number_of(p, m->messages[i].send), recv = number_of(p, m->messages[i].recv);

        p->steps[send].partner = recv;
        p->steps[recv].partner = send;
    }
}

static void take_shared(struct wm_sim_program *p, const struct wm_machine *m)
{
    p->shared_count = m->instance_count;
    p->shared = wm_arena_take(&p->arena, sizeof *p->shared * ((size_t)m->instance_count + 1));
    for (int i = 0; i < m->instance_count; i++) {
        const struct wm_shared_instance *instance = &m->instances[i];
        struct wm_program_shared *shared = &p->shared[i];

        shared->size = instance->size;
        shared->steps = wm_arena_take(&p->arena, sizeof *shared->steps * (size_t)instance->size);
        shared->came = wm_arena_take(&p->arena, sizeof *shared->came * (size_t)instance->size);
        shared->shared = wm_machine_shared(m, instance->members[0]);
        for (int j = 0; j < instance->size; j++) {
            shared->steps[j] = number_of(p, instance->members[j]);
            p->steps[shared->steps[j]].partner = i;
        }
    }
}

int wm_program_init(struct wm_sim_program *p, struct wm_plan **plans, int ranks, const int *host, int host_count,
                    size_t unit_bytes, const struct wm_path *path, const struct wm_symmetry *symmetry,
                    struct wm_error *error)
{
    struct wm_proof proof = {0};
    struct wm_machine m = {
        .arena = &p->arena, .ranks = ranks, .plans = plans, .path = path, .symmetry = symmetry, .proof = &proof};

    *p = (struct wm_sim_program){
        .ranks = ranks, .plans = plans, .host = host, .host_count = host_count, .unit_bytes = unit_bytes};
    if (!wm_machine_match_messages(&m) || !wm_machine_match_shared(&m))
        return wm_error_set(error, -WM_EPATH, "the plans do not fit together: %s; please report it", proof.error.text);
    p->first = m.first;
    if (p->first[ranks] >= INT_MAX / 8)
        return wm_error_set(error, -WM_EPATH, "too many steps, %zu, to be timed", p->first[ranks]);
    list_steps(p);
    take_messages(p, &m);
    take_shared(p, &m);
    return wm_folds_find(p, error);
}

void wm_program_release(struct wm_sim_program *p)
{
    wm_arena_release(&p->arena);
    *p = (struct wm_sim_program){0};
}
