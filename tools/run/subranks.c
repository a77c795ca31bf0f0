/* Subranks of `waymark run`: asked of the map before the program starts. */
#include "tools/run/subranks.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/map/map.h"
#include "core/map/subranks.h"
#include "core/subrank/stack.h"
#include "tools/run/environment.h"
#include "tools/run/maps.h"

static int ask(struct wm_subranks *said, bool *messages, const char *program, const char *file, const char *text,
               size_t bytes, struct wm_error *error)
{
    struct wm_map *map;
    int rc = wm_maps_open(&map, file, text, bytes, error);
    json_t *clauses;

    if (rc < 0)
        return rc;
    clauses = json_loads(wm_map_get_head(map)->subranks_json, 0, NULL);
    *said = wm_subranks_choose(clauses, program);
    json_decref(clauses);
    *messages = (wm_map_get_head(map)->operations & WM_OPERATION_BIT(WM_MESSAGES)) != 0;
    wm_map_close(map);
    return 0;
}

int wm_subranks_wish_read(struct wm_subranks_wish *wish, const char *map, const char *program, struct wm_error *error)
{
    char *file = NULL, *text = NULL;
    struct wm_subranks said = {0};
    bool messages = false, delays;
    size_t bytes;
    int rc = wm_maps_read(map, &file, &text, &bytes, error);

    delays = rc == 0 && strstr(text, "delay") != NULL;
    if (rc == 0 && (delays || strstr(text, "subranks") != NULL))
        rc = ask(&said, &messages, program, file, text, bytes, error);
    if (wish->count == 0)
        wish->count = said.count;
    if (wish->workers == 0)
        wish->workers = said.workers < wish->count ? said.workers : wish->count;
    wish->steals = wish->steals || (said.steals && wish->workers > 1);
    if (wish->stack_bytes == 0)
        wish->stack_bytes = said.stack_bytes;
    wish->hosted = wish->count == 1 && delays && messages;
    free(file);
    free(text);
    return rc;
}

char **wm_subranks_wish_words(const struct wm_subranks_wish *wish, char *const *program, int count)
{
    const char *libexec = wm_environment_or("WAYMARK_LIBEXEC", WM_LIBEXECDIR);
    uint64_t stack_bytes = wish->stack_bytes > 0 ? wish->stack_bytes : WM_STACK_DEFAULT_BYTES;
    int workers = wish->workers > 0 ? wish->workers : 1;
    char **words = calloc((size_t)count + 4, sizeof *words);

    if (words == NULL || asprintf(&words[0], "%s/waymark-subranks", libexec) < 0 ||
        asprintf(&words[1], "%d/%d%s", wish->count, workers, wish->steals ? "/steal" : "") < 0 ||
        asprintf(&words[2], "%" PRIu64, stack_bytes) < 0)
        return NULL;
    memcpy(words + 3, program, (size_t)count * sizeof *words);
    return words;
}
