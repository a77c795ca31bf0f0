/* The path map, seen from C: starts the map server, asks it, and survives it. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/map/launch.h"
#include "core/map/map.h"
#include "core/map/protocol.h"
#include "core/map/reply.h"

enum { DEADLINE_DEFAULT_MS = 10000, GRACE_DEFAULT_MS = 2000, PROCEDURES_PER_SERVER = 1000000 };

/* As many servers may be lost over one question before it fails. */
enum { SERVERS_PER_QUESTION = 3 };

struct wm_map {
    char *file_name, *server, *text;
    size_t text_bytes;
    unsigned deadline_ms;
    unsigned start_ms, grace_ms;
    struct wm_map_server process;
    int starts;   /* servers started so far */
    int answered; /* by which of them the last path was */
    bool lost;    /* the last exchange found a server that had ended without a word, was stopped or slept */
    struct wm_map_head head;
    char *grid_json, *subranks_json;
    unsigned questions;
    uint64_t cost_ns;
};

static char *server_file(const struct wm_map_options *options)
{
    const char *libexec = getenv("WAYMARK_LIBEXEC");
    char *file;

    if (options != NULL && options->server != NULL)
        return strdup(options->server);
    if (asprintf(&file, "%s/waymark-map-server", libexec != NULL ? libexec : WM_LIBEXECDIR) < 0)
        return NULL;
    return file;
}

static int state_error(const struct wm_map *map, enum wm_frame_state state, struct wm_error *error)
{
    if (map->lost && state == WM_FRAME_LATE)
        return wm_error_set(error, -WM_ESERVER, "the map server is stopped, or sleeps, and so did those before it");
    switch (state) {
    case WM_FRAME_LATE:
        return wm_error_set(error, -WM_ESERVER, "the map server did not answer within %g s", map->deadline_ms / 1e3);
    case WM_FRAME_BROKEN:
        return wm_error_set(error, -WM_ESERVER, "the map server's answer cannot be read");
    default:
        return wm_error_set(error, -WM_ESERVER,
                            "the map server ended without a word: killed from outside, "
                            "or by the system for want of memory");
    }
}

/* Receive a frame of kind `wanted`, or last words. The server is dropped when it failed, or says these. */
static int receive(struct wm_map *map, enum wm_frame_kind wanted, struct wm_map_vigil *vigil, json_t **reply,
                   char **text, struct wm_error *error)
{
    enum wm_frame_kind came = wanted;
    size_t bytes;
    enum wm_frame_state state = wm_frame_receive(map->process.fd, &came, text, &bytes, &vigil->wait);
    int rc;

    *reply = NULL;
    if (state == WM_FRAME_DONE && came != wanted && came != WM_FRAME_LAST)
        state = WM_FRAME_BROKEN;
    if (state == WM_FRAME_DONE && strlen(*text) == bytes) {
        wm_map_reply_plain(*text);
        *reply = json_loads(*text, 0, NULL);
    }
    if (state == WM_FRAME_DONE && *reply == NULL)
        state = WM_FRAME_BROKEN;
    if (came == WM_FRAME_LAST && json_object_get(*reply, "error") == NULL)
        state = state == WM_FRAME_DONE ? WM_FRAME_BROKEN : state;
    map->lost = state == WM_FRAME_CLOSED || (state == WM_FRAME_LATE && vigil->asleep);
    rc = state == WM_FRAME_DONE ? wm_map_reply_error(*reply, map->file_name, map->text, map->text_bytes, error)
                                : state_error(map, state, error);
    if (state == WM_FRAME_LATE)
        wm_map_server_kill(&map->process);
    else if (state != WM_FRAME_DONE || came == WM_FRAME_LAST || rc == -WM_ESERVER)
        wm_map_server_drop(&map->process);
    if (rc < 0) {
        json_decref(*reply);
        free(*text);
        *reply = NULL;
        *text = NULL;
    }
    return rc;
}

/* Send a request and receive its reply. */
static int exchange(struct wm_map *map, enum wm_frame_kind kind, const char *request, json_t **reply, char **text,
                    struct wm_error *error)
{
    struct wm_map_vigil vigil;

    wm_map_vigil_begin(&vigil, &map->process, map->deadline_ms, map->grace_ms);
    if (wm_frame_send(map->process.fd, kind, request, strlen(request), &vigil.wait) == WM_FRAME_BROKEN)
        return wm_error_set(error, -WM_EMAP, "'%s' is too large", map->file_name);
    /* A server that died before it read may still have said why. */
    return receive(map, WM_FRAME_REPLY, &vigil, reply, text, error);
}

/* Start a server and wait until it is ready to read the map. */
static int start_server(struct wm_map *map, struct wm_error *error)
{
    struct wm_map_vigil vigil;
    json_t *reply;
    char *text;
    int rc;

    map->starts++;
    wm_map_vigil_begin(&vigil, &map->process, map->start_ms, map->grace_ms);
    rc = wm_map_server_start(&map->process, map->server, &vigil, error);
    map->lost = rc == -WM_ESERVER;
    if (rc < 0)
        return rc;
    rc = receive(map, WM_FRAME_READY, &vigil, &reply, &text, error);
    if (rc == 0) {
        json_decref(reply);
        free(text);
    }
    return rc;
}

/* The first character that is none is the fault's place. */
static int refuse_text(const struct wm_map *map, struct wm_error *error)
{
    int line = 1, column = 1, rc = wm_error_set(error, -WM_EMAP, "'%s' is not a text in UTF-8", map->file_name);
    const char *end = map->text + map->text_bytes;
    size_t bytes;

    for (const char *at = map->text; at < end && (bytes = wm_utf8_bytes(at)) > 0; at += bytes) {
        column = *at == '\n' ? 1 : column + 1;
        line += *at == '\n';
    }
    wm_error_place(error, map->file_name, line, column);
    wm_error_quote(error, map->text, map->text_bytes);
    return rc;
}

/* Start a server and let it read the map. A restarted server numbers shape procedures afresh, so that an old number
 * cannot mean a new procedure. */
static int connect_server(struct wm_map *map, struct wm_error *error)
{
    json_t *request, *reply = NULL;
    char *text = NULL, *answer = NULL;
    int rc = start_server(map, error);

    if (rc < 0)
        return rc;
    request = json_pack("{s:s,s:s%,s:i,s:i}", "file", map->file_name, "text", map->text, map->text_bytes, "limit_ms",
                        (int)map->deadline_ms, "first_procedure", (map->starts - 1) % 2000 * PROCEDURES_PER_SERVER);
    text = request != NULL ? json_dumps(request, JSON_COMPACT) : NULL;
    if (text == NULL)
        rc = refuse_text(map, error);
    else
        rc = exchange(map, WM_FRAME_OPEN, text, &reply, &answer, error);
    if (rc == 0 && map->grid_json == NULL)
        rc = wm_map_reply_head(reply, &map->head, &map->grid_json, &map->subranks_json, error);
    map->head.grid_json = map->grid_json;
    map->head.subranks_json = map->subranks_json;
    if (rc < 0)
        wm_map_server_drop(&map->process);
    json_decref(request);
    json_decref(reply);
    free(text);
    free(answer);
    return rc;
}

/* Ask the server, or one that is started for it; without a `request` only see that there is one. A server that is lost
 * says nothing about the map: another is asked. */
static int ask_some_server(struct wm_map *map, enum wm_frame_kind kind, const char *request, json_t **reply,
                           char **answer, struct wm_error *error)
{
    int rc, lost = 0;

    *reply = NULL;
    *answer = NULL;
    if (!wm_map_server_there(&map->process))
        map->process.fd = -1;
    do {
        rc = map->process.fd < 0 ? connect_server(map, error) : 0;
        if (rc == 0 && request != NULL)
            rc = exchange(map, kind, request, reply, answer, error);
    } while (rc == -WM_ESERVER && map->lost && ++lost < SERVERS_PER_QUESTION);
    return rc;
}

static void set_limits(struct wm_map *map, const struct wm_map_options *options)
{
    static const struct wm_map_options none;

    if (options == NULL)
        options = &none;
    map->start_ms = options->start_ms > 0 ? options->start_ms : WM_MAP_START_MS;
    map->grace_ms = options->grace_ms > 0 ? options->grace_ms : GRACE_DEFAULT_MS;
    map->deadline_ms = options->deadline_ms > 0 ? options->deadline_ms : DEADLINE_DEFAULT_MS;
}

int wm_map_open(struct wm_map **map, const char *file_name, const char *text, size_t text_bytes,
                const struct wm_map_options *options, struct wm_error *error)
{
    struct wm_map *new = calloc(1, sizeof *new);
    json_t *reply;
    char *answer;
    int rc;

    *map = NULL;
    if (new == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    new->process.fd = -1;
    set_limits(new, options);
    new->file_name = strdup(file_name);
    new->server = server_file(options);
    new->text = malloc(text_bytes + 1);
    if (new->file_name == NULL || new->server == NULL || new->text == NULL) {
        rc = wm_error_set(error, -WM_ENOMEM, "out of memory");
    } else {
        memcpy(new->text, text, text_bytes);
        new->text[text_bytes] = '\0';
        new->text_bytes = text_bytes;
        rc = ask_some_server(new, WM_FRAME_OPEN, NULL, &reply, &answer, error);
        new->answered = new->starts;
    }
    if (rc < 0)
        wm_map_close(new);
    else
        *map = new;
    return rc;
}

const struct wm_map_head *wm_map_get_head(const struct wm_map *map)
{
    return &map->head;
}

/* One question: connects when there is no server, and counts time and number. */
static int question(struct wm_map *map, enum wm_frame_kind kind, json_t *request, json_t **reply, char **answer,
                    struct wm_error *error)
{
    int64_t start_ns = wm_frame_now();
    char *text = request != NULL ? json_dumps(request, JSON_COMPACT) : NULL;
    int rc = 0;

    *reply = NULL;
    *answer = NULL;
    if (text == NULL)
        rc = wm_error_set(error, -WM_ENOMEM, "out of memory, or a name that is not UTF-8");
    else
        rc = ask_some_server(map, kind, text, reply, answer, error);
    free(text);
    json_decref(request);
    map->questions++;
    map->cost_ns += (uint64_t)(wm_frame_now() - start_ns);
    return rc;
}

static int ask(struct wm_map *map, const struct wm_facts *facts, bool explain, char **answer_json,
               struct wm_error *error)
{
    json_t *reply;
    int rc = question(map, WM_FRAME_ASK, json_pack("{s:o,s:b}", "facts", wm_facts_write(facts), "explain", explain),
                      &reply, answer_json, error);

    map->answered = map->starts;
    if (rc == 0)
        rc = wm_map_reply_answer(reply, map->text_bytes, facts, error);
    if (rc < 0) {
        free(*answer_json);
        *answer_json = NULL;
    }
    json_decref(reply);
    return rc;
}

int wm_map_ask(struct wm_map *map, const struct wm_facts *facts, char **answer_json, struct wm_error *error)
{
    return ask(map, facts, false, answer_json, error);
}

int wm_map_explain(struct wm_map *map, const struct wm_facts *facts, char **answer_json, struct wm_error *error)
{
    return ask(map, facts, true, answer_json, error);
}

int wm_map_parents(struct wm_map *map, int procedure, int size, int *parents, struct wm_error *error)
{
    json_t *reply;
    char *text;
    int rc = question(map, WM_FRAME_PARENTS, json_pack("{s:i,s:i}", "procedure", procedure, "size", size), &reply,
                      &text, error);

    if (rc == -WM_EMAP && map->starts != map->answered) /* one that took its place knows nothing of the path */
        return wm_error_set(error, -WM_ESERVER, "the map server was lost between a path and its shape procedures");
    if (rc < 0)
        return rc;
    rc = wm_map_reply_parents(reply, size, parents, error);
    json_decref(reply);
    free(text);
    return rc;
}

void wm_map_cost(const struct wm_map *map, unsigned *questions, uint64_t *cost_ns)
{
    *questions = map->questions;
    *cost_ns = map->cost_ns;
}

void wm_map_close(struct wm_map *map)
{
    if (map == NULL)
        return;
    wm_map_server_drop(&map->process);
    free(map->grid_json);
    free(map->subranks_json);
    free(map->file_name);
    free(map->server);
    free(map->text);
    free(map);
}
