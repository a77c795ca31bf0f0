/* A scene: a map is asked about a call on a machine that one need not have, and every rank's plan is made. */
#include "tools/site/scene.h"

#include <stdlib.h>

int wm_scene_facts(const struct wm_map_question *question, const struct wm_site *site, struct wm_facts *facts,
                   struct wm_error *error)
{
    const struct wm_facts *told = &question->facts;
    enum wm_operation operation = told->operation;
    bool rooted = wm_operation_rooted(operation);

    if (rooted && told->root >= site->ranks)
        return wm_error_set(error, -WM_EINVAL, "there is no rank %d: the machine '%s' has %d, from 0", told->root,
                            question->machine, site->ranks);
    *facts = *told;
#define X(field, ...) facts->field = site->facts.field;
    WM_GRID_FACTS(X)
#undef X
    facts->bytes = wm_operation_bytes_shared(operation) && operation != WM_BARRIER ? told->bytes : 0;
    facts->load = operation == WM_CONVEYOR ? told->load : 0;
    facts->near = told->near && operation == WM_MESSAGES;
    facts->items = operation == WM_STATEMENT ? told->items : 0;
    facts->root = rooted ? told->root : -1;
    facts->commutative = told->commutative || !wm_operation_combines(operation) || operation == WM_BARRIER;
    return 0;
}

struct wm_scenario wm_scene_scenario(const struct wm_map_question *question, const struct wm_site *site,
                                     const struct wm_facts *facts)
{
    struct wm_scenario scenario = wm_scenario_of(facts->operation, question->facts.bytes);

    scenario.ranks = site->ranks;
    scenario.root = facts->root;
    scenario.commutative = facts->commutative;
    scenario.traced = true;
    scenario.unshared = question->nonblocking;
    if (facts->operation == WM_BARRIER)
        scenario.unit_bytes = 0;
    if (wm_operation_data(facts->operation) == WM_DATA_EDGES)
        scenario.topology = &site->topologies[0];
    return scenario;
}

static int make_plans(struct wm_scene *s, struct wm_error *error)
{
    int rc = wm_layout_new(&s->layout, s->answer.path, &s->site.grid, s->facts.root, !s->facts.commutative, error);
    struct wm_cast cast;
    size_t weight = 0, room = wm_proof_room();

    if (rc < 0 || (rc = wm_proof_fits(&s->scenario, s->site.ranks, WM_PROOF_STEPS_MAX, error)) < 0)
        return rc;
    cast = wm_cast_make(&s->scenario, s->answer.path, &s->arena);
    s->sizes_ahead = cast.told && !wm_operation_bytes_shared(s->facts.operation) && s->scenario.topology == NULL;
    s->plans = calloc((size_t)s->site.ranks, sizeof(struct wm_plan *));
    if (s->plans == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the plans of %d ranks", s->site.ranks);
    rc = wm_proof_foresee(&cast, s->answer.path, s->layout, s->site.ranks, room, error);
    for (int r = 0; rc == 0 && r < s->site.ranks; r++) {
        struct wm_plan_call call = wm_cast_call(&cast, r, &s->arena);

        rc = wm_plan_make(&s->plans[r], s->answer.path, s->layout, &call, r, error);
        if (rc == 0)
            rc = wm_proof_weigh(&weight, s->plans[r], s->site.ranks, room, error);
    }
    return rc;
}

/* A conveyor has routes instead of plans. */
static int make_network(struct wm_scene *s, struct wm_error *error)
{
    int rc = wm_convey_design_make(&s->design, s->answer.path, &s->site.grid, error);

    if (rc == 0)
        rc = wm_network_init(&s->network, &s->design, &s->site.grid, NULL, error);
    if (rc < 0)
        return rc;
    s->is_conveyor = true;
    s->form = wm_convey_form(&s->design, s->network.first, (size_t)s->question.facts.bytes, s->question.elastic);
    return 0;
}

static int make_message(struct wm_scene *s, struct wm_error *error)
{
    bool near = s->facts.operation == WM_STATEMENT ? s->facts.nodes == 1 : s->facts.near;
    struct wm_message_net net = {0};

    s->is_messages = true;
    s->message = wm_message_design_read(s->answer.path);
    return wm_message_design_check(s->answer.path, near, &net, error);
}

static int fill(struct wm_scene *s, bool explain, struct wm_error *error)
{
    int rc;

    if ((rc = wm_site_map_open(&s->map, s->question.map, error)) < 0 ||
        (rc = wm_site_init(&s->site, &s->map, s->question.machine, error)) < 0 ||
        (rc = wm_scene_facts(&s->question, &s->site, &s->facts, error)) < 0 ||
        (rc = wm_site_ask(&s->map, &s->site, &s->facts, explain, &s->answer, error)) < 0)
        return rc;
    if (s->facts.operation == WM_CONVEYOR)
        return s->answer.has_rule ? make_network(s, error) : 0;
    if (wm_operation_data(s->facts.operation) == WM_DATA_MESSAGES)
        return s->answer.has_rule ? make_message(s, error) : 0;
    s->scenario = wm_scene_scenario(&s->question, &s->site, &s->facts);
    return s->answer.path->native ? 0 : make_plans(s, error);
}

int wm_scene_init(struct wm_scene *s, const struct wm_map_question *question, bool explain, struct wm_error *error)
{
    int rc;

    *s = (struct wm_scene){.question = *question};
    rc = fill(s, explain, error);
    wm_map_close(s->map.map);
    s->map.map = NULL;
    return rc < 0 ? wm_site_map_place(&s->map, error) : 0;
}

void wm_scene_release(struct wm_scene *s)
{
    for (int r = 0; s->plans != NULL && r < s->site.ranks; r++)
        wm_plan_free(s->plans[r]);
    free(s->plans);
    wm_network_release(&s->network);
    wm_layout_free(s->layout);
    wm_site_answer_release(&s->answer);
    wm_site_release(&s->site);
    wm_site_map_close(&s->map);
    wm_arena_release(&s->arena);
    *s = (struct wm_scene){0};
}

const struct wm_wrapper *wm_scene_wrapper(const struct wm_scene *s, int node)
{
    for (int i = 0; i < s->answer.path->wrapper_count; i++)
        if (s->answer.path->wrappers[i].node == node)
            return &s->answer.path->wrappers[i];
    return NULL;
}

uint64_t wm_scene_bytes(const struct wm_scene *s, size_t units)
{
    return (uint64_t)units * s->scenario.unit_bytes;
}
