/* What the suites on maps share: a server out of the build tree, a call's facts, a map that must open. */
#ifndef WM_TESTS_MAPS_H
#define WM_TESTS_MAPS_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/map/map.h"
#include "tests/check.h"

/* The place of the sources, from where tests run. */
static inline const char *maps_source_dir(void)
{
    const char *directory = getenv("srcdir");

    return directory != NULL ? directory : ".";
}

/* Use the server and the module that were just built, not installed ones. */
static inline void maps_use_build_tree(void)
{
    char specs[4096];

    snprintf(specs, sizeof specs, "%s/specs", maps_source_dir());
    setenv("WAYMARK_LIBEXEC", ".", 0);
    setenv("WAYMARK_SPECS", specs, 0);
}

static inline struct wm_facts maps_facts(enum wm_operation operation, uint64_t bytes)
{
    return (struct wm_facts){.operation = operation,
                             .bytes = bytes,
                             .ranks = 16,
                             .nodes = 4,
                             .clusters = 1,
                             .root = wm_operation_rooted(operation) ? 0 : -1,
                             .commutative = true,
                             .uniform = true,
                             .consecutive = true,
                             .communicator = "MPI_COMM_WORLD"};
}

static inline void maps_print(const struct wm_error *error)
{
    char text[2048];

    wm_error_format(error, text, sizeof text);
    printf("\n%s", text);
}

static inline struct wm_map *maps_open(const char *text)
{
    struct wm_error error = {0};
    struct wm_map *map;

    if (wm_map_open(&map, "map.scm", text, strlen(text), NULL, &error) < 0)
        maps_print(&error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(map);
    return map;
}

/* The answer to a question that must be answered. The caller releases it. */
static inline json_t *maps_ask(struct wm_map *map, const struct wm_facts *facts)
{
    struct wm_error error = {0};
    char *text = NULL;
    json_t *answer;

    if (wm_map_ask(map, facts, &text, &error) < 0)
        maps_print(&error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    answer = json_loads(text, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(answer);
    free(text);
    return answer;
}

/* Part of an answer as compact JSON with sorted keys; "" when it is not there. The caller frees it. */
static inline char *maps_text(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

    return text != NULL ? text : strdup("");
}

#endif
