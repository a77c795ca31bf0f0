/* waymark check: a smaller call that fails in the same way. */
#include "tools/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MAX = 400, NODES_MAX = 9, CORES_MAX = 9 };

/* Does the call fail there, by the same rule? Then it takes the failure's place. */
static bool fails(struct wm_check_failure *failure, const struct wm_site_map *map, const struct wm_check_row *row,
                  const char *machine, uint64_t bytes, int root)
{
    struct wm_site site;
    struct wm_site_answer answer = {0};
    struct wm_scenario smaller = wm_scenario_of(row->operation, bytes), *s = &failure->scenario;
    struct wm_check_figures figures = {0};
    struct wm_facts facts;
    struct wm_error error = {0};
    bool found;

    if (wm_site_init(&site, map, machine, &error) < 0) {
        wm_site_release(&site);
        return false;
    }
    facts = wm_check_facts(&site, row->operation, wm_operation_bytes_shared(row->operation) ? bytes : 0, failure->load,
                           root, s->commutative);
    found = root < site.ranks && wm_site_ask(map, &site, &facts, false, &answer, &error) == 0 && answer.has_rule &&
            !answer.path->native && answer.path->rule_line == row->rule_line;
    smaller.root = root;
    smaller.commutative = s->commutative;
    smaller.in_place = s->in_place;
    smaller.uneven = s->uneven;
    smaller.scattered = s->scattered;
    smaller.topology = failure->topology >= 0 ? &site.topologies[failure->topology] : NULL;
    found = found && wm_check_call(&figures, &site, answer.path, &smaller, 1, 0) == failure->outcome;
    if (found) {
        smaller.topology = NULL;
        failure->scenario = smaller;
        failure->error = figures.error;
        snprintf(failure->machine, sizeof failure->machine, "%s", machine);
    }
    wm_site_answer_release(&answer);
    wm_site_release(&site);
    return found;
}

static uint64_t bytes_of(const struct wm_check_failure *failure)
{
    return (uint64_t)failure->scenario.each * failure->scenario.unit_bytes;
}

/* Machines of the same make with fewer ranks, the smallest first. */
static void shrink_machine(struct wm_check_failure *failure, const struct wm_site_map *map,
                           const struct wm_check_row *row, int ranks)
{
    char machine[WM_CHECK_MACHINE_CHARS];
    int tries = 0;

    for (int wanted = 2; wanted < ranks && wanted <= NODES_MAX * CORES_MAX; wanted++)
        for (int nodes = 1; nodes <= wanted && nodes <= NODES_MAX; nodes++) {
            if (wanted % nodes != 0 || wanted / nodes > CORES_MAX || ++tries > TRIES_MAX)
                continue;
            snprintf(machine, sizeof machine, "node=%d,core=%d", nodes, wanted / nodes);
            if (fails(failure, map, row, machine, bytes_of(failure), 0) ||
                (wm_operation_rooted(row->operation) &&
                 fails(failure, map, row, machine, bytes_of(failure), wanted - 1)))
                return;
        }
}

void wm_check_shrink(struct wm_check_failure *failure, const struct wm_site_map *map, const struct wm_check_row *row)
{
    struct wm_place *places;
    char machine[WM_CHECK_MACHINE_CHARS];
    int ranks;

    if (failure->outcome != WM_CHECK_REFUTED || wm_grid_parse_machine(failure->machine, &places, &ranks, NULL) < 0)
        return;
    free(places);
    shrink_machine(failure, map, row, ranks);
    snprintf(machine, sizeof machine, "%s", failure->machine);
    for (uint64_t bytes = row->bytes_low, step = 8; bytes < bytes_of(failure); bytes += step, step *= 2)
        if (fails(failure, map, row, machine, bytes, failure->scenario.root))
            return;
}
