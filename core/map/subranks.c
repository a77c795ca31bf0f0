/* A map's clauses on subranks: chosen by program, and the numbers of ranks that they make. */
#include "core/map/subranks.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool is_number(const json_t *number, json_int_t least, json_int_t most)
{
    return json_is_integer(number) && json_integer_value(number) >= least && json_integer_value(number) <= most;
}

/* The processes of a table have so many ranks each, all of them once. */
static bool is_table(const json_t *table, size_t count)
{
    size_t total = json_array_size(table) * count, i, k;
    json_t *process, *rank, *seen = json_object();
    bool right = json_is_array(table);

    json_array_foreach ((json_t *)table, i, process) {
        right = right && json_is_array(process) && json_array_size(process) == count;
        json_array_foreach (process, k, rank) {
            char key[32];

            right = right && is_number(rank, 0, (json_int_t)total - 1);
            snprintf(key, sizeof key, "%lld", (long long)json_integer_value(rank));
            json_object_set_new(seen, key, json_true());
        }
    }
    right = right && json_object_size(seen) == total;
    json_decref(seen);
    return right;
}

static bool is_map(const json_t *map, json_int_t count)
{
    const char *word = json_string_value(map);

    if (map == NULL || json_is_array(map))
        return map == NULL || is_table(map, (size_t)count);
    return word != NULL && (strcmp(word, "block") == 0 || strcmp(word, "cyclic") == 0);
}

static bool is_clause(const json_t *clause)
{
    const json_t *count = json_object_get(clause, "count"), *program = json_object_get(clause, "program");
    const json_t *stack = json_object_get(clause, "stack"), *workers = json_object_get(clause, "workers");
    const json_t *steal = json_object_get(clause, "steal");

    return is_number(count, 1, INT_MAX) && is_number(json_object_get(clause, "line"), 0, INT_MAX) &&
           is_number(json_object_get(clause, "column"), 0, INT_MAX) && (program == NULL || json_is_string(program)) &&
           (stack == NULL || is_number(stack, 1, INT_MAX)) &&
           (workers == NULL || is_number(workers, 1, json_integer_value(count))) &&
           (steal == NULL || json_is_boolean(steal)) &&
           is_map(json_object_get(clause, "map"), json_integer_value(count));
}

bool wm_subranks_are_clauses(const json_t *clauses)
{
    json_t *clause;
    size_t i;

    json_array_foreach ((json_t *)clauses, i, clause)
        if (!is_clause(clause))
            return false;
    return json_is_array(clauses);
}

static struct wm_subranks read_clause(const json_t *clause)
{
    const json_t *map = json_object_get(clause, "map");
    const char *word = json_string_value(map);

    return (struct wm_subranks){
        .count = (int)json_integer_value(json_object_get(clause, "count")),
        .workers = (int)json_integer_value(json_object_get(clause, "workers")),
        .steals = json_is_true(json_object_get(clause, "steal")),
        .stack_bytes = (uint64_t)json_integer_value(json_object_get(clause, "stack")),
        .cyclic = word != NULL && strcmp(word, "cyclic") == 0,
        .table = json_is_array(map) ? map : NULL,
        .line = (int)json_integer_value(json_object_get(clause, "line")),
        .column = (int)json_integer_value(json_object_get(clause, "column")),
    };
}

/* Those for a program stand first. */
struct wm_subranks wm_subranks_choose(const json_t *clauses, const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash != NULL ? slash + 1 : program;
    json_t *clause;
    size_t i;

    json_array_foreach ((json_t *)clauses, i, clause) {
        const char *own = json_string_value(json_object_get(clause, "program"));

        if (own == NULL || strcmp(own, name) == 0)
            return read_clause(clause);
    }
    return (struct wm_subranks){0};
}

static int refuse_table(const struct wm_subranks *s, int processes, int count, struct wm_error *error)
{
    wm_error_set(
        error, -WM_EMAP,
        "the table of subranks is for %zu processes of %d subranks each, but the job has %d of %d; write another, "
        "or #:map 'block",
        json_array_size(s->table), s->count, processes, count);
    wm_error_place(error, NULL, s->line, s->column);
    return -WM_EMAP;
}

int wm_subranks_number(const struct wm_subranks *s, int processes, int count, int *endpoint, struct wm_error *error)
{
    if (s->table != NULL && (json_array_size(s->table) != (size_t)processes || s->count != count))
        return refuse_table(s, processes, count, error);
    for (int i = 0; i < processes * count; i++) {
        const json_t *process = s->table != NULL ? json_array_get(s->table, (size_t)(i / count)) : NULL;

        if (process != NULL)
            endpoint[json_integer_value(json_array_get(process, (size_t)(i % count)))] = i;
        else
            endpoint[i] = s->cyclic ? i % processes * count + i / processes : i;
    }
    return 0;
}
