/* Asking the map: rank 0 gets the answer and checks it, every rank makes a path of it. */
#include "core/call/ask.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/call/answers.h"
#include "core/call/cache.h"
#include "core/call/kin.h"
#include "core/call/publish.h"
#include "core/call/verify.h"
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/path/fault.h"
#include "core/path/lag.h"
#include "core/path/message_design.h"
#include "core/plan/convey/form.h"
#include "core/map/complete.h"
#include "core/map/explain.h"
#include "core/process/process.h"

/* How far the map is looked at before the job starts: so many questions an operation, up to so many bytes. */
enum { CHECKED_QUESTIONS_MAX = 32, CHECKED_BYTES_MAX = 1 << 30 };

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How far an answer holds: to the last bytes, and the last load or number of items; whether for every call, whatever
 * the communicator's name; and the net of messages (wm_message_design_check). */
struct reach {
    uint64_t bytes, load;
    bool always;
    struct wm_message_net net;
};

static int check_layout(const struct wm_comm *c, const struct wm_path *path, const struct wm_facts *facts,
                        struct wm_error *error)
{
    struct wm_layout *layout = NULL;
    int rc = wm_layout_new(&layout, path, &c->kin->ground->grid, facts->root, false, error);

    wm_layout_free(layout);
    return rc;
}

/* Any rank's route tells whether there is one. */
static int check_route(const struct wm_comm *c, const struct wm_path *path, struct wm_error *error)
{
    struct wm_convey_design design;
    struct wm_route *route;
    int rc = wm_convey_design_read(&design, path, error);

    if (rc == 0 && (rc = wm_convey_design_route(&design, &c->kin->ground->grid, 0, &route, error)) == 0)
        wm_route_free(route);
    return rc;
}

/* A collective's path is the same for every call, and has nothing that is said when it comes first. */
static bool is_always(const struct wm_path *path, const json_t *answer)
{
    return path->operation < WM_COLLECTIVE_COUNT && wm_validity_is_any(&path->validity) &&
           json_object_get(answer, "communicator") == NULL && wm_path_delay(path) == NULL &&
           wm_path_fault(path) == NULL;
}

/* What is wrong with the answer on this grid is said before anything is sent. */
static int check_answer(struct wm_comm *c, const json_t *answer, const struct wm_facts *facts, struct reach *reach,
                        struct wm_error *error)
{
    struct wm_path *path;
    int rc = wm_path_parse(&path, answer, facts->operation, &c->kin->ground->grid, c->map->file, error);

    if (rc == 0)
        *reach = (struct reach){path->validity.bytes.high,
                                facts->operation == WM_STATEMENT ? path->validity.items.high : path->validity.load.high,
                                is_always(path, answer),
                                facts->operation == WM_STATEMENT ? (struct wm_message_net){0} : reach->net};
    if (rc == 0)
        wm_explain_doubt(path, c->map->file, c->map->text, c->map->bytes);
    if (rc == 0 && facts->operation == WM_CONVEYOR)
        rc = check_route(c, path, error);
    else if (rc == 0 && wm_operation_data(facts->operation) == WM_DATA_MESSAGES)
        rc = wm_message_design_check(path, facts->operation == WM_STATEMENT ? c->nodes == 1 : facts->near, &reach->net,
                                     error);
    else if (rc == 0 && !path->native)
        rc = check_layout(c, path, facts, error);
    wm_path_free(path);
    return rc;
}

/* The explanation is for this rank's log, and nobody else's. Asked again, because another communicator of as many ranks
 * came to the same rule, or because the path had to make room: it is said once. Hold the lock. */
static void log_explanation(const struct wm_comm *c, json_t *answer, const struct wm_facts *facts)
{
    char *text = wm_explain_text(answer, facts, c->map->file, "waymark: ");

    if (text != NULL && wm_explain_is_new(text))
        fputs(text, stderr);
    free(text);
    json_object_del(answer, "explanation");
}

/* Ask, complete and check: the answer, a new reference, or NULL with the error filled. `explain`: say why it is this
 * one. Hold the lock. */
static json_t *ask_checked(struct wm_comm *c, const struct wm_facts *facts, bool explain, struct reach *reach,
                           struct wm_error *error)
{
    struct wm_map *map = wm_map_source_open(c->map, error);
    json_t *answer = NULL;
    int rc = map != NULL ? wm_map_answer(map, facts, explain, &c->kin->ground->grid, &answer, error) : -WM_ESERVER;

    if (explain && answer != NULL)
        log_explanation(c, answer, facts);
    if (rc == 0 && check_answer(c, answer, facts, reach, error) == 0)
        return answer;
    wm_map_source_quote(c->map, error);
    json_decref(answer);
    return NULL;
}

/* The same in a job that runs. A communicator for which no server could be had asks no more: the error has no sentence
 * then, for it has been said. Hold the lock. */
static json_t *ask_unless_lost(struct wm_comm *c, const struct wm_facts *facts, struct reach *reach,
                               struct wm_error *error)
{
    json_t *answer;

    if (c->serverless) {
        *error = (struct wm_error){.code = -WM_ESERVER};
        return NULL;
    }
    answer = ask_checked(c, facts, c->rank == 0 && wm_process.settings.verbose > 1, reach, error);
    c->serverless = answer == NULL && wm_process_survives(error->code);
    return answer;
}

char *wm_ask_server(struct wm_comm *c, const struct wm_facts *facts, uint64_t *cost_ns, struct wm_error *error)
{
    uint64_t begin = now_ns();
    struct reach reach = {0};
    json_t *answer;
    char *text;

    pthread_mutex_lock(&wm_process.lock);
    if ((text = wm_answers_find(c, facts)) == NULL && (answer = ask_unless_lost(c, facts, &reach, error)) != NULL) {
        text = json_dumps(answer, JSON_COMPACT);
        wm_answers_keep(c, facts, text);
        json_decref(answer);
    }
    pthread_mutex_unlock(&wm_process.lock);
    *cost_ns = now_ns() - begin;
    return text;
}

/* The next number behind a range; numbers that are answered one by one are taken in doubling steps. */
static uint64_t step(uint64_t number, uint64_t high)
{
    return high == number && high > 0 ? 2 * high : high + 1;
}

/* Go on to the next call behind the answer: the next load, and when they are done the next size, so far as the answers
 * for all loads held (*bytes_high). False: all is walked. */
static bool step_facts(struct wm_facts *facts, const struct reach *reach, uint64_t *bytes_high)
{
    *bytes_high = reach->bytes < *bytes_high ? reach->bytes : *bytes_high;
    if (facts->operation == WM_CONVEYOR && reach->load < CHECKED_BYTES_MAX) {
        facts->load = step(facts->load, reach->load);
        return true;
    }
    if (facts->operation == WM_STATEMENT && reach->load < CHECKED_BYTES_MAX) {
        facts->items = (int)step((uint64_t)facts->items, reach->load);
        return true;
    }
    if (*bytes_high >= CHECKED_BYTES_MAX)
        return false;
    facts->load = 0;
    facts->items = 0;
    facts->bytes = step(facts->bytes, *bytes_high);
    *bytes_high = UINT64_MAX;
    return true;
}

/* The walk over a map before the job starts. It may take as long as one answer may. */
struct walk {
    uint64_t begin_ns;
    int questions;
    bool cut;
    json_t *always; /* [[OPERATION, ANSWER], …] of the answers that hold for every call */
};

static void note_always(struct walk *walk, enum wm_operation operation, json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT);

    json_array_append_new(walk->always, json_pack("[is]", (int)operation, text));
    free(text);
}

static bool is_over(struct walk *walk)
{
    walk->cut = now_ns() - walk->begin_ns > wm_process.settings.map_deadline_ms * UINT64_C(1000000);
    return walk->cut;
}

static void say_cut(const struct wm_comm *c, const struct walk *walk)
{
    if (walk->cut)
        fprintf(stderr,
                "waymark: the map '%s' took %.1f s to answer %d questions and is used before all of its rules are "
                "checked; a fault in the others shows when a call falls under them\n",
                c->map->file, (double)(now_ns() - walk->begin_ns) * 1e-9, walk->questions);
}

/* Walk the ranges of bytes of one operation's rules, and for each those of loads. */
static int check_ranges(struct wm_comm *c, struct wm_facts facts, struct walk *walk, struct wm_error *error)
{
    uint64_t bytes_high = UINT64_MAX;
    struct reach reach = {0};

    for (int questions = 0; questions < CHECKED_QUESTIONS_MAX && !is_over(walk); questions++) {
        json_t *answer = ask_checked(c, &facts, false, &reach, error);

        walk->questions++;
        if (answer == NULL)
            return error->code < 0 ? error->code : -WM_EMAP;
        if (reach.always)
            note_always(walk, facts.operation, answer);
        json_decref(answer);
        if (!step_facts(&facts, &reach, &bytes_high))
            return 0;
    }
    return 0;
}

/* Of messages those to near peers, and to others where there are some. */
static int check_operation(struct wm_comm *c, enum wm_operation operation, struct walk *walk, struct wm_error *error)
{
    struct wm_facts facts = {
        .operation = operation, .root = wm_operation_rooted(operation) ? 0 : -1, .commutative = true};
    int rc;

    wm_comm_facts(c, &facts);
    facts.near = operation == WM_MESSAGES;
    rc = check_ranges(c, facts, walk, error);
    facts.near = false;
    return rc == 0 && operation == WM_MESSAGES && c->nodes > 1 ? check_ranges(c, facts, walk, error) : rc;
}

/* True the first time that a node of the map is asked about, on this recording. */
static bool node_is_new(struct wm_recording *recording, int node)
{
    if (node >= recording->defined_room) {
        int room = 2 * node + 16;
        unsigned char *grown = realloc(recording->defined_nodes, (size_t)room);

        if (grown == NULL)
            return false;
        memset(grown + recording->defined_room, 0, (size_t)(room - recording->defined_room));
        recording->defined_nodes = grown;
        recording->defined_room = room;
    }
    if (recording->defined_nodes[node])
        return false;
    recording->defined_nodes[node] = 1;
    return true;
}

static void define_nodes(const struct wm_comm *c, const struct wm_path *path)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    for (int i = 0; wm_process.recordings != NULL && i < path->wrapper_count; i++) {
        const struct wm_wrapper *w = &path->wrappers[i];
        char label[128] = "";
        bool new;

        pthread_mutex_lock(&lock);
        new = node_is_new(wm_process_recording(), w->node);
        pthread_mutex_unlock(&lock);
        if (!new)
            continue;
        wm_wrapper_describe(w, &c->kin->ground->grid, label, sizeof label);
        wm_process_define(json_pack("{ss, si, ss, si, si, ss, ss, ss*}", "define", "node", "node", w->node, "wrapper",
                                    w->class->name, "line", w->line, "column", w->column, "label", label, "operation",
                                    wm_operation_name(path->operation), "map_file",
                                    c->map == &wm_process.map ? NULL : c->map->file));
    }
}

static void publish_wrappers(const struct wm_comm *c, const struct wm_path *path)
{
    char arguments[128], label[160];

    for (int i = 0; wm_published != NULL && i < path->wrapper_count; i++) {
        const struct wm_wrapper *w = &path->wrappers[i];

        wm_wrapper_describe(w, &c->kin->ground->grid, arguments, sizeof arguments);
        snprintf(label, sizeof label, "%s%s%s", w->class->name, arguments[0] != '\0' ? " " : "", arguments);
        wm_publish_wrapper(w->node, label, c->map->file != NULL ? c->map->file : "", w->line, w->column);
    }
}

static void tell_once(const char *text)
{
    pthread_mutex_lock(&wm_process.lock);
    if (wm_explain_is_new(text))
        fputs(text, stderr);
    pthread_mutex_unlock(&wm_process.lock);
}

static void tell_delay(const struct wm_comm *c, const struct wm_path *path)
{
    const struct wm_wrapper *delay = wm_process.settings.verbose > 0 && c->rank == 0 ? wm_path_delay(path) : NULL;
    char lag_text[WM_LAG_CHARS], text[WM_ERROR_TEXT_CHARS];
    struct wm_lag lag;

    if (delay == NULL)
        return;
    lag = wm_lag_of(delay);
    snprintf(text, sizeof text, "waymark: a slow network is emulated for %s, by line %d of %.300s: %s\n",
             wm_operation_name(path->operation), delay->line, c->map->file,
             wm_lag_describe(&lag, &c->kin->ground->grid, lag_text));
    tell_once(text);
}

/* Whoever sees the job break is to know why, so that is said without being asked for. */
static void tell_fault(const struct wm_comm *c, const struct wm_path *path)
{
    const struct wm_wrapper *fault = c->rank == 0 ? wm_path_fault(path) : NULL;
    char arguments[128], text[WM_ERROR_TEXT_CHARS];

    if (fault == NULL)
        return;
    wm_wrapper_describe(fault, &c->kin->ground->grid, arguments, sizeof arguments);
    snprintf(text, sizeof text, "waymark: faults are made for %s, by line %d of %.300s: (%s %s)\n",
             wm_operation_name(path->operation), fault->line, c->map->file, fault->class->name, arguments);
    tell_once(text);
}

/* A trace knows nodes by number alone, of whatever map; one that has no number of its own stays nameless there. */
static void number_nodes(struct wm_path *path, const struct wm_map_source *map)
{
    for (int i = 0; map->first_node > 0 && i < path->wrapper_count; i++) {
        struct wm_wrapper *w = &path->wrappers[i];
        int node = map->first_node + w->node;

        w->node = w->node > 0 && w->node < WM_MAP_SOURCE_NODES && node <= UINT16_MAX ? node : 0;
    }
}

struct wm_path *wm_ask_parse(struct wm_comm *c, const char *text, const struct wm_facts *facts)
{
    json_t *answer = text != NULL ? json_loads(text, 0, NULL) : json_pack("{s[in], sn}", "bytes", 0, "path");
    struct wm_error error = {0};
    struct wm_path *path = NULL;

    if (answer == NULL ||
        wm_path_parse(&path, answer, facts->operation, &c->kin->ground->grid, c->map->file, &error) < 0)
        wm_verify_unlike(wm_operation_function(facts->operation)); /* rank 0 asked about another one */
    number_nodes(path, c->map);
    path->failed = text == NULL;
    path->hash = text != NULL ? wm_hash_add_text((uint64_t)facts->operation, text) : 0;
    json_decref(answer);
    define_nodes(c, path);
    publish_wrappers(c, path);
    tell_delay(c, path);
    tell_fault(c, path);
    return path;
}

/* All ranks have these paths from here on, and know so: calls that are not blocking need not reserve a place among the
 * library's. */
static void keep_always(struct wm_comm *c, const char *text)
{
    json_t *always = json_loads(text, 0, NULL), *entry;
    size_t i;

    wm_comm_lock(c);
    json_array_foreach (always, i, entry) {
        struct wm_facts facts = {.operation = (enum wm_operation)json_integer_value(json_array_get(entry, 0))};

        wm_cache_keep(c, wm_ask_parse(c, json_string_value(json_array_get(entry, 1)), &facts), true);
    }
    wm_cache_settle(c);
    wm_comm_unlock(c);
    json_decref(always);
}

/* What rank 0 has found. Where each choice is to be explained it is asked for when it comes. */
static int share(struct wm_comm *c, int rc, const struct walk *walk)
{
    bool keeps = rc == 0 && c->end != NULL && wm_process.settings.verbose < 2;
    char *text = c->rank == 0 && keeps ? json_dumps(walk->always, JSON_COMPACT) : NULL;
    int words[2] = {rc, text != NULL ? (int)strlen(text) + 1 : 0};

    PMPI_Bcast(words, 2, MPI_INT, 0, c->user);
    if (c->rank > 0 && words[1] > 0)
        text = wm_allocate((size_t)words[1], "the map's answers");
    if (words[1] > 0) {
        PMPI_Bcast(text, words[1], MPI_CHAR, 0, c->user);
        keep_always(c, text);
    }
    free(text);
    return words[0];
}

int wm_ask_check_map(struct wm_comm *c, struct wm_error *error)
{
    struct walk walk = {.begin_ns = now_ns(), .always = json_array()};
    int rc = 0;

    for (int op = 0; c->rank == 0 && rc == 0 && !walk.cut && op < WM_OPERATION_COUNT; op++)
        if (c->map->planned & WM_OPERATION_BIT(op))
            rc = check_operation(c, (enum wm_operation)op, &walk, error);
    say_cut(c, &walk);
    rc = share(c, rc, &walk);
    json_decref(walk.always);
    return rc;
}
