/* The path map, seen from C: starts the map server, asks it, and survives it. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/map/map.h"
#include "core/map/protocol.h"

enum { DEADLINE_DEFAULT_MS = 10000, PROCEDURES_PER_SERVER = 1000000 };

struct wm_map {
    char *file_name, *server, *text;
    size_t text_bytes;
    unsigned deadline_ms;
    int fd;        /* -1: no server */
    ino_t socket;  /* what `fd` stands for: an application may close files that are not its own */
    int starts;    /* servers started so far */
    bool vanished; /* the last exchange found that the server had ended without a word */
    struct wm_map_head head;
    char *grid_json;
    unsigned questions;
    uint64_t cost_ns;
};

extern char **environ;

static unsigned deadline_ms(const struct wm_map_options *options)
{
    const char *text = getenv("WAYMARK_MAP_DEADLINE");
    double seconds = text != NULL ? strtod(text, NULL) : 0;

    if (options != NULL && options->deadline_ms > 0)
        return options->deadline_ms;
    return seconds >= 0.001 && seconds <= 1e6 ? (unsigned)(seconds * 1000) : DEADLINE_DEFAULT_MS;
}

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

/* The environment without what would load code into the server. Free the array alone. */
static char **server_environment(void)
{
    size_t count = 0, kept = 0;
    char **copy;

    while (environ[count] != NULL)
        count++;
    copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "LD_AUDIT=", 9) != 0)
            copy[kept++] = environ[i];
    return copy;
}

static int spawn_server(const char *file, int socket, pid_t *pid)
{
    char *arguments[] = {(char *)"waymark-map-server", NULL}, **environment = server_environment();
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int rc;

    if (environment == NULL)
        return ENOMEM;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, socket, WM_MAP_SERVER_FD);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    rc = posix_spawn(pid, file, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return rc;
}

/* The first process of the server ends at once; an application that waits for every child may have been faster. */
static void reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static int start_server(struct wm_map *map, struct wm_error *error)
{
    struct stat status;
    int sockets[2], rc;
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
        return wm_error_set(error, -WM_ESYSTEM, "no socket for the map server: %s", strerror(errno));
    rc = spawn_server(map->server, sockets[1], &pid);
    close(sockets[1]);
    if (rc != 0) {
        close(sockets[0]);
        return wm_error_set(error, -WM_ESYSTEM, "cannot start the map server '%s': %s", map->server, strerror(rc));
    }
    reap(pid);
    map->fd = sockets[0];
    map->socket = fstat(sockets[0], &status) == 0 ? status.st_ino : 0;
    map->starts++;
    return 0;
}

/* False when the application has closed our file; the number may stand for one of its own by now. */
static bool owns_socket(const struct wm_map *map)
{
    struct stat status;

    return map->fd >= 0 && fstat(map->fd, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == map->socket;
}

static void drop_server(struct wm_map *map)
{
    if (owns_socket(map))
        close(map->fd);
    map->fd = -1;
}

/* Turn {"error": …} into `error`. Returns its code, 0 when `reply` is no error. */
static int reply_error(const struct wm_map *map, const json_t *reply, struct wm_error *error)
{
    const json_t *body = json_object_get(reply, "error");
    const char *text = "the map server gave no reason";
    int line = 0, column = 0, code = WM_EMAP;

    if (body == NULL)
        return 0;
    json_unpack((json_t *)body, "{s?i,s?i,s?i,s?s}", "line", &line, "column", &column, "code", &code, "text", &text);
    wm_error_set(error, -code, "%s", text);
    if (code == WM_EMAP) {
        wm_error_place(error, map->file_name, line, column);
        wm_error_quote(error, map->text, map->text_bytes);
    }
    return -code;
}

static int state_error(const struct wm_map *map, enum wm_frame_state state, struct wm_error *error)
{
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

/* Send a request and receive its reply. The server is dropped when it failed or says its last words. */
static int exchange(struct wm_map *map, enum wm_frame_kind kind, const char *request, json_t **reply, char **text,
                    struct wm_error *error)
{
    int64_t deadline_ns = wm_frame_now() + (int64_t)map->deadline_ms * 1000000;
    enum wm_frame_kind came = WM_FRAME_REPLY;
    enum wm_frame_state state, sent;
    size_t bytes;
    int rc;

    *reply = NULL;
    *text = NULL;
    sent = wm_frame_send(map->fd, kind, request, strlen(request), deadline_ns);
    /* A server that died before it read may still have said why. */
    state = wm_frame_receive(map->fd, &came, text, &bytes, deadline_ns);
    if (state == WM_FRAME_DONE && (*reply = json_loadb(*text, bytes, 0, NULL)) == NULL)
        state = WM_FRAME_BROKEN;
    map->vanished = state == WM_FRAME_CLOSED;
    if (state != WM_FRAME_DONE)
        rc = state_error(map, sent != WM_FRAME_DONE ? sent : state, error);
    else
        rc = reply_error(map, *reply, error);
    if (state != WM_FRAME_DONE || came == WM_FRAME_LAST || rc == -WM_ESYSTEM)
        drop_server(map);
    if (rc < 0) {
        json_decref(*reply);
        free(*text);
        *reply = NULL;
        *text = NULL;
    }
    return rc;
}

static int take_head(struct wm_map *map, const json_t *reply, struct wm_error *error)
{
    const json_t *names = json_object_get(reply, "operations");
    char *grid = json_dumps(json_object_get(reply, "grid"), JSON_COMPACT | JSON_ENCODE_ANY);

    if (grid == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    free(map->grid_json);
    map->grid_json = grid;
    map->head.grid_json = grid;
    map->head.operations = 0;
    for (size_t i = 0; i < json_array_size(names); i++) {
        int operation = wm_operation_find(json_string_value(json_array_get(names, i)));
        if (operation >= 0)
            map->head.operations |= WM_OPERATION_BIT(operation);
    }
    return 0;
}

/* Start a server and let it read the map. It stops a question itself somewhat before our deadline, because it can say
 * where. A restarted server numbers shape procedures afresh, so that an old number cannot mean a new procedure. */
static int connect_server(struct wm_map *map, struct wm_error *error)
{
    json_t *request, *reply = NULL;
    char *text = NULL, *answer = NULL;
    int rc = start_server(map, error);

    if (rc < 0)
        return rc;
    request = json_pack("{s:s,s:s%,s:i,s:i}", "file", map->file_name, "text", map->text, map->text_bytes, "limit_ms",
                        (int)(map->deadline_ms - map->deadline_ms / 4), "first_procedure",
                        (map->starts - 1) % 2000 * PROCEDURES_PER_SERVER);
    text = request != NULL ? json_dumps(request, JSON_COMPACT) : NULL;
    if (text == NULL)
        rc = wm_error_set(error, -WM_EMAP, "'%s' is not a text in UTF-8", map->file_name);
    else
        rc = exchange(map, WM_FRAME_OPEN, text, &reply, &answer, error);
    if (rc == 0 && map->head.grid_json == NULL)
        rc = take_head(map, reply, error);
    if (rc < 0)
        drop_server(map);
    json_decref(request);
    json_decref(reply);
    free(text);
    free(answer);
    return rc;
}

int wm_map_open(struct wm_map **map, const char *file_name, const char *text, size_t text_bytes,
                const struct wm_map_options *options, struct wm_error *error)
{
    struct wm_map *new = calloc(1, sizeof *new);
    int rc;

    *map = NULL;
    if (new == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    new->fd = -1;
    new->deadline_ms = deadline_ms(options);
    new->file_name = strdup(file_name);
    new->server = server_file(options);
    new->text = malloc(text_bytes + 1);
    if (new->file_name == NULL || new->server == NULL || new->text == NULL) {
        rc = wm_error_set(error, -WM_ENOMEM, "out of memory");
    } else {
        memcpy(new->text, text, text_bytes);
        new->text[text_bytes] = '\0';
        new->text_bytes = text_bytes;
        rc = connect_server(new, error);
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
    bool asked_before;
    int rc = 0;

    *reply = NULL;
    *answer = NULL;
    if (text == NULL)
        rc = wm_error_set(error, -WM_ENOMEM, "out of memory, or a name that is not UTF-8");
    if (!owns_socket(map))
        map->fd = -1;
    asked_before = map->fd >= 0;
    if (rc == 0 && map->fd < 0)
        rc = connect_server(map, error);
    if (rc == 0)
        rc = exchange(map, kind, text, reply, answer, error);
    /* One that somebody killed between two questions says nothing about the map: ask another. */
    if (rc == -WM_ESERVER && map->vanished && asked_before && (rc = connect_server(map, error)) == 0)
        rc = exchange(map, kind, text, reply, answer, error);
    free(text);
    json_decref(request);
    map->questions++;
    map->cost_ns += (uint64_t)(wm_frame_now() - start_ns);
    return rc;
}

static int ask(struct wm_map *map, const struct wm_facts *facts, bool explain, char **answer_json,
               struct wm_error *error)
{
    json_t *name = json_string(facts->communicator), *reply;
    int rc;

    if (name == NULL) /* a communicator may have any bytes for a name */
        name = json_string("");
    rc = question(map, WM_FRAME_ASK,
                  json_pack("{s:s,s:I,s:i,s:i,s:i,s:b,s:b,s:b,s:o,s:I,s:b,s:b}", "operation",
                            wm_operation_name(facts->operation), "bytes", (json_int_t)facts->bytes, "ranks",
                            facts->ranks, "nodes", facts->nodes, "root", facts->root, "commutative", facts->commutative,
                            "uniform", facts->uniform, "consecutive", facts->consecutive, "communicator", name, "load",
                            (json_int_t)facts->load, "crowded", facts->crowded, "explain", explain),
                  &reply, answer_json, error);
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
    json_t *reply, *list;
    char *text;
    int rc = question(map, WM_FRAME_PARENTS, json_pack("{s:i,s:i}", "procedure", procedure, "size", size), &reply,
                      &text, error);

    if (rc < 0)
        return rc;
    list = json_object_get(reply, "parents");
    if (json_array_size(list) != (size_t)size)
        rc = wm_error_set(error, -WM_ESERVER, "the map server's answer cannot be read");
    for (int i = 0; rc == 0 && i < size; i++)
        parents[i] = (int)json_integer_value(json_array_get(list, (size_t)i));
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
    drop_server(map);
    free(map->grid_json);
    free(map->file_name);
    free(map->server);
    free(map->text);
    free(map);
}
