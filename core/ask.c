/* A path miss: the communicator's rank 0 asks the map, all ranks get the answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/cache.h"
#include "core/map/complete.h"
#include "core/process.h"

/* How far the map is looked at before the job starts: so many questions an operation, up to so many bytes. */
enum { CHECKED_QUESTIONS_MAX = 32, CHECKED_BYTES_MAX = 1 << 30 };

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What is wrong with the answer on this grid is said before anything is sent. *high: the last byte for which it holds.
 */
static int check_answer(struct wm_comm *c, const json_t *answer, const struct wm_facts *facts, uint64_t *high,
                        struct wm_error *error)
{
    struct wm_layout *layout = NULL;
    struct wm_path *path;
    int rc = wm_path_parse(&path, answer, facts->operation, &c->grid, wm_process.map_file, error);

    if (rc == 0)
        *high = path->bytes_high;
    if (rc == 0 && !path->native)
        rc = wm_layout_new(&layout, path, &c->grid, facts->root, false, error);
    wm_layout_free(layout);
    wm_path_free(path);
    return rc;
}

/* Ask, complete and check: the answer, a new reference, or NULL with the error filled. Hold the lock. */
static json_t *ask_checked(struct wm_comm *c, const struct wm_facts *facts, uint64_t *high, struct wm_error *error)
{
    struct wm_map *map = wm_process_map(error);
    json_t *answer;
    char *text;

    if (map == NULL || wm_map_ask(map, facts, &text, error) < 0)
        return NULL;
    answer = json_loads(text, 0, NULL);
    free(text);
    if (answer == NULL)
        wm_error_set(error, -WM_ESERVER, "the map server's answer is no JSON");
    else if (wm_map_complete(map, answer, facts->operation, &c->grid, facts->root, error) == 0 &&
             check_answer(c, answer, facts, high, error) == 0)
        return answer;
    json_decref(answer);
    return NULL;
}

/* Rank 0: the answer as text, the caller's to free; NULL with the error filled. */
static char *ask_server(struct wm_comm *c, const struct wm_facts *facts, struct wm_error *error)
{
    uint64_t begin = now_ns(), high;
    json_t *answer;
    char *text = NULL;

    pthread_mutex_lock(&wm_process.lock);
    answer = ask_checked(c, facts, &high, error);
    pthread_mutex_unlock(&wm_process.lock);
    if (answer != NULL)
        text = json_dumps(answer, JSON_COMPACT);
    json_decref(answer);
    if (wm_process.ring != NULL)
        wm_record(wm_process.ring, WM_TRACE_QUESTION, (uint8_t)facts->operation, 0, c->id, -1, c->sequence,
                  now_ns() - begin);
    return text;
}

/* Walk the ranges of bytes of one operation's rules; sizes that are answered one by one are taken in doubling steps. */
static int check_operation(struct wm_comm *c, enum wm_operation operation, struct wm_error *error)
{
    struct wm_facts facts = {
        .operation = operation, .root = wm_operation_rooted(operation) ? 0 : -1, .commutative = true};

    wm_comm_facts(c, &facts);
    for (int questions = 0; questions < CHECKED_QUESTIONS_MAX; questions++) {
        uint64_t high = 0;
        json_t *answer = ask_checked(c, &facts, &high, error);

        if (answer == NULL)
            return error->code < 0 ? error->code : -WM_EMAP;
        json_decref(answer);
        if (high >= CHECKED_BYTES_MAX)
            return 0;
        facts.bytes = high == facts.bytes && high > 0 ? 2 * high : high + 1;
    }
    return 0;
}

int wm_comm_check_map(struct wm_comm *c, struct wm_error *error)
{
    int rc = 0;

    for (int op = 0; c->rank == 0 && rc == 0 && op < WM_OPERATION_COUNT; op++)
        if (wm_process.planned & WM_OPERATION_BIT(op))
            rc = check_operation(c, (enum wm_operation)op, error);
    PMPI_Bcast(&rc, 1, MPI_INT, 0, c->shadow);
    return rc;
}

/* Give rank 0's text to all; NULL stands for none. */
static char *share_text(struct wm_comm *c, char *text)
{
    int length = text != NULL ? (int)strlen(text) : -1;

    PMPI_Bcast(&length, 1, MPI_INT, 0, c->shadow);
    if (length < 0)
        return NULL;
    if (c->rank > 0)
        text = calloc(1, (size_t)length + 1);
    if (text == NULL)
        WM_BUG("no memory for a path");
    PMPI_Bcast(text, length, MPI_CHAR, 0, c->shadow);
    return text;
}

static void define_nodes(const struct wm_comm *c, const struct wm_path *path)
{
    for (int i = 0; wm_process.recorder != NULL && i < path->wrapper_count; i++) {
        const struct wm_wrapper *w = &path->wrappers[i];
        char label[128] = "";

        if (w->node < wm_process.defined_room && wm_process.defined_nodes[w->node])
            continue;
        if (w->node >= wm_process.defined_room) {
            int room = 2 * w->node + 16;
            unsigned char *grown = realloc(wm_process.defined_nodes, (size_t)room);

            if (grown == NULL)
                return;
            memset(grown + wm_process.defined_room, 0, (size_t)(room - wm_process.defined_room));
            wm_process.defined_nodes = grown;
            wm_process.defined_room = room;
        }
        wm_process.defined_nodes[w->node] = 1;
        wm_wrapper_describe(w, &c->grid, label, sizeof label);
        wm_process_define(json_pack("{ss, si, ss, si, si, ss, ss}", "define", "node", "node", w->node, "wrapper",
                                    w->class->name, "line", w->line, "column", w->column, "label", label, "operation",
                                    wm_operation_name(path->operation)));
    }
}

/* Without an answer the job ends here, or the operation stays native. */
static struct wm_path *path_of_text(struct wm_comm *c, const char *text, const struct wm_facts *facts,
                                    struct wm_error *error)
{
    json_t *answer;
    struct wm_path *path = NULL;

    if (text == NULL)
        wm_process_fail(c->shadow, error, c->rank == 0);
    answer = text != NULL ? json_loads(text, 0, NULL) : json_pack("{s[in], sn}", "bytes", 0, "path");
    if (answer == NULL || wm_path_parse(&path, answer, facts->operation, &c->grid, wm_process.map_file, error) < 0)
        WM_BUG("a path that rank 0 has checked is wrong here");
    json_decref(answer);
    return path;
}

static struct wm_path *path_miss(struct wm_comm *c, struct wm_facts facts)
{
    struct wm_error error = {0};
    struct wm_path *path;
    char *text = NULL;

    wm_comm_facts(c, &facts);
    if (c->rank == 0)
        text = ask_server(c, &facts, &error);
    text = share_text(c, text);
    path = path_of_text(c, text, &facts, &error);
    free(text);
    wm_cache_keep(c, path);
    define_nodes(c, path);
    if (path->native && path->bytes_low == 0 && path->bytes_high == UINT64_MAX && path->root < 0 &&
        path->commutative < 0)
        c->silent[facts.operation] = !wm_process_watches();
    return path;
}

struct wm_path *wm_comm_path(struct wm_comm *c, const struct wm_facts *facts)
{
    struct wm_path *path = wm_cache_path(c, facts);

    return path != NULL ? path : path_miss(c, *facts);
}
