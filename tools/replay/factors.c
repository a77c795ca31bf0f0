/* Factors: what calls took in the trace over what the model says. */
#include "tools/replay/factors.h"

static struct wm_replay_stage *stage_of(struct wm_replay *r, enum wm_replay_cast cast, size_t instance)
{
    if (cast == WM_REPLAY_THEN)
        return &r->then;
    return r->modelled[instance] ? &r->library : &r->now;
}

struct wm_replay_shape *wm_replay_shape_of(struct wm_replay *r, enum wm_replay_cast cast, size_t instance)
{
    int shape = r->shapes[cast][instance];

    return shape != WM_REPLAY_NO_SHAPE ? stage_of(r, cast, instance)->shapes[shape] : NULL;
}

void wm_replay_arrivals(const struct wm_replay_calls *calls, size_t number, int64_t *arrivals_ns)
{
    const struct wm_replay_instance *instance = &calls->instances[number];

    for (int m = 0; m < wm_replay_size(calls, instance); m++)
        arrivals_ns[m] = wm_replay_call_of(calls, instance, m)->enter_ns;
}

/* Sum up what the members wait for, and what they take then. */
void wm_replay_divide(const struct wm_replay_calls *calls, size_t number, const int64_t *arrivals,
                      const int64_t *leaves, int64_t *service_ns, int64_t *wait_ns)
{
    const struct wm_replay_instance *instance = &calls->instances[number];
    const struct wm_replay_call *first = wm_replay_call_of(calls, instance, 0);
    int ranks = wm_replay_size(calls, instance);

    for (int m = 0; m < ranks; m++) {
        int64_t there = wm_replay_dependency((enum wm_operation)first->operation, first->root, ranks, m, arrivals);

        there = there < leaves[m] ? there : leaves[m];
        *service_ns += leaves[m] - there;
        *wait_ns += there - arrivals[m];
    }
}

/* By how much the model is off where the trace has it: what members take behind the last arrival that they depend on,
 * summed over calls. */
static int compare_model(struct wm_replay *r, size_t number, int64_t *arrivals, int64_t *leaves, struct wm_error *error)
{
    struct wm_replay_shape *shape = wm_replay_shape_of(r, WM_REPLAY_THEN, number);
    const struct wm_replay_instance *instance = &r->calls->instances[number];
    int64_t measured_ns = 0, found_ns = 0, wait_ns = 0;
    int rc;

    wm_replay_arrivals(r->calls, number, arrivals);
    if ((rc = wm_replay_shape_run(shape, arrivals, leaves, error)) < 0)
        return rc;
    wm_replay_divide(r->calls, number, arrivals, leaves, &found_ns, &wait_ns);
    for (int m = 0; m < wm_replay_size(r->calls, instance); m++)
        leaves[m] = wm_replay_call_of(r->calls, instance, m)->leave_ns;
    wm_replay_divide(r->calls, number, arrivals, leaves, &measured_ns, &wait_ns);
    shape->measured += (double)measured_ns;
    shape->found += (double)found_ns;
    shape->measured_calls++;
    return 0;
}

/* Twice: the factor changes the patterns that it is found by. */
int wm_replay_find_factors(struct wm_replay *r, int64_t *arrivals, int64_t *leaves, struct wm_error *error)
{
    double measured = 0, found = 0;

    for (int turn = 0; turn < 2; turn++) {
        for (size_t s = 0; s < r->then.shape_count; s++)
            r->then.shapes[s]->measured = r->then.shapes[s]->found = 0, r->then.shapes[s]->measured_calls = 0;
        for (size_t i = 0; i < r->calls->instance_count; i++)
            if (r->shapes[WM_REPLAY_THEN][i] != WM_REPLAY_NO_SHAPE) {
                int rc = compare_model(r, i, arrivals, leaves, error);

                if (rc < 0)
                    return rc;
            }
        for (size_t s = 0; s < r->then.shape_count; s++) {
            struct wm_replay_shape *shape = r->then.shapes[s];

            if (shape->found <= 0 || shape->measured <= 0)
                continue;
            if (turn == 0) {
                measured += shape->measured;
                found += shape->found;
            }
            shape->corrected *= shape->measured / shape->found;
            shape->factor *= shape->measured / shape->found;
        }
    }
    r->general = found > 0 ? measured / found : 1;
    return 0;
}

void wm_replay_fill_factors(struct wm_replay *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        double measured = 0, model = 0;

        for (size_t s = 0; s < r->then.shape_count; s++) {
            const struct wm_replay_shape *shape = r->then.shapes[s];

            if (shape->operation != r->rows[i].operation || shape->rule_line != r->rows[i].line || shape->measured <= 0)
                continue;
            measured += shape->measured;
            model += shape->measured / shape->corrected;
        }
        r->rows[i].factor = model > 0 ? measured / model : 0;
    }
}

/* The same plans have the factor that they had; others, that of all. */
void wm_replay_set_factors(struct wm_replay *r, struct wm_replay_stage *stage)
{
    for (size_t i = 0; i < stage->shape_count; i++) {
        struct wm_replay_shape *shape = stage->shapes[i];
        double factor = r->general;

        for (size_t s = 0; s < r->then.shape_count; s++)
            if (r->then.shapes[s]->plans_hash == shape->plans_hash && r->then.shapes[s]->found > 0 &&
                r->then.keys[s].bytes == stage->keys[i].bytes && r->then.shapes[s]->operation == shape->operation)
                factor = r->then.shapes[s]->corrected;
        shape->factor *= factor;
    }
}
