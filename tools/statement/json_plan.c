/* A plan as JSON. */
#include "tools/statement/show.h"

static json_t *call_json(struct wm_statement_call *call, bool counted)
{
    static const char *const ways[] = {
#define X(name, word, text) word,
        WM_STATEMENT_WAYS(X)
#undef X
    };
    static const char *const keys[] = {
#define X(name, key, text, bytes) key,
        WM_STATEMENT_FIGURES(X)
#undef X
    };
    json_t *figures = json_object();

    for (int i = call->way == WM_STATEMENT_COLLECTIVE ? WM_STATEMENT_FIGURE_COPIED : 0;
         i < WM_STATEMENT_FIGURE_COUNT && counted; i++)
        json_object_set_new(figures, keys[i], wm_spread_json(&call->figures[i]));
    return json_pack("{ss si si so}", "way", ways[call->way], "allreduces", call->allreduces, "barriers",
                     call->barriers, "figures", figures);
}

json_t *wm_statement_plan_json(const struct wm_bound_names *names, const struct wm_statement *s,
                               struct wm_statement_plan *plan)
{
    const struct wm_collective *c = &plan->collective;
    json_t *unpromised, *object;

    if (plan->refused)
        return json_null();
    unpromised = json_array();
    for (int i = 0; i < names->count; i++)
        if ((plan->unpromised >> i & 1) != 0)
            json_array_append_new(unpromised, json_string(names->names[i].name));
    object = json_pack("{so so so sb}", "first", call_json(&plan->first, plan->counted), "again",
                       call_json(&plan->again, plan->counted), "unpromised", unpromised, "learned", plan->learns);
    if (plan->again.way == WM_STATEMENT_COLLECTIVE)
        json_object_set_new(object, "operation",
                            json_pack("{ss si sI sb}", "name", wm_operation_name(c->operation), "root", c->root,
                                      "block_bytes", (json_int_t)(c->block * s->reductions[0].element_bytes), "teams",
                                      c->team));
    return object;
}
