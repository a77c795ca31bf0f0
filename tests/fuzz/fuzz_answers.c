/* Mutated answers, to the readers of what the map server says and to the whole client: tests/fuzz/README.md.
 *
 * This program is the false server, too. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/map/complete.h"
#include "core/map/explain.h"
#include "core/map/reply.h"
#include "core/path/design.h"
#include "core/path/layout.h"
#include "core/plan/convey/form.h"
#include "tests/fuzz/cases.h"
#include "tests/fuzz/json_mutate.h"
#include "tests/fuzz/talk.h"

enum { DEADLINE_MS = 200, MAP_BYTES = 900 };

static struct fuzz_samples samples;
static char self[4096];

/* The answer to a question of this kind, or now and then to another, mutated. */
static void make_answer(struct fuzz_text *text, enum wm_frame_kind kind, struct fuzz_random *random)
{
    int start = (int)fuzz_below(random, (size_t)samples.count), which = start;

    for (int i = 0; i < samples.count && !fuzz_chance(random, 3); i++) {
        which = (start + i) % samples.count;
        if (samples.kinds[which] == kind)
            break;
    }
    fuzz_text_add(text, samples.answers[which].bytes, samples.answers[which].count);
    if (fuzz_chance(random, 90))
        fuzz_json_mutate(text, random);
}

/* The false server: what it says is decided by a seed that comes by the environment. */

static void say(enum wm_frame_kind kind, const struct fuzz_text *text, struct fuzz_random *random)
{
    static const uint32_t kinds[] = {'L', 'L', 'E', 'H', 'O', 0, UINT32_MAX},
                          lengths[] = {0, 1, 7, UINT32_MAX, (64 << 20) + 1, 64 << 20, INT32_MAX};
    size_t count = text->count;
    uint32_t length = (uint32_t)count;

    if (fuzz_chance(random, 6))
        kind = (enum wm_frame_kind)FUZZ_PICK(random, kinds);
    if (fuzz_chance(random, 4))
        length = fuzz_chance(random, 50) ? FUZZ_PICK(random, lengths) : (uint32_t)fuzz_below(random, 2 * count + 2);
    if (fuzz_chance(random, 3))
        count = fuzz_below(random, count + 1);
    fuzz_talk_send(WM_MAP_SERVER_FD, kind, length, text->bytes, count);
    if (fuzz_chance(random, 4))
        _exit(0);
}

static int serve(uint64_t seed)
{
    struct wm_frame_wait wait = {.deadline_ns = wm_frame_now() + 20000000000};
    struct fuzz_random random = {seed};
    struct fuzz_text text = {0};
    enum wm_frame_kind kind;
    char *question;
    size_t bytes;

    if (fork() != 0)
        _exit(0);
    fuzz_talk_send(WM_MAP_SERVER_FD, WM_FRAME_HELLO, 0, "", 0);
    fuzz_text_print(&text, "{}");
    if (fuzz_chance(&random, 3))
        fuzz_json_mutate(&text, &random);
    say(WM_FRAME_READY, &text, &random);
    while (wm_frame_receive(WM_MAP_SERVER_FD, &kind, &question, &bytes, &wait) == WM_FRAME_DONE) {
        fuzz_text_clear(&text);
        make_answer(&text, kind, &random);
        if (kind == WM_FRAME_OPEN && fuzz_chance(&random, 70)) { /* else few come to a question */
            fuzz_text_clear(&text);
            fuzz_text_add(&text, samples.answers[0].bytes, samples.answers[0].count);
        }
        say(WM_FRAME_REPLY, &text, &random);
        free(question);
    }
    fuzz_text_release(&text);
    return 0;
}

/* The client. */

/* A call to ask about, on a machine that the grid of protocol.scm fits. */
struct scene {
    struct wm_facts facts;
    struct wm_grid grid;
    struct wm_error error;
};

static int make_scene(struct scene *s, const json_t *spec, struct fuzz_random *random)
{
    static const char *const machines[] = {"node=2,core=2", "node=1,core=4", "node=4,core=1", "node=2,core=3+1"};
    static const enum wm_operation operations[] = {WM_BCAST, WM_CONVEYOR, WM_ALLREDUCE, WM_SCAN};
    enum wm_operation operation = FUZZ_PICK(random, operations);
    struct wm_place *places = NULL;
    int ranks, rc = wm_grid_parse_machine(FUZZ_PICK(random, machines), &places, &ranks, &s->error);

    if (rc == 0)
        rc = wm_grid_init(&s->grid, spec, ranks, places, &s->error);
    free(places);
    s->facts = (struct wm_facts){.operation = operation,
                                 .bytes = 64,
                                 .root = wm_operation_rooted(operation) ? 0 : -1,
                                 .commutative = operation != WM_ALLREDUCE,
                                 .ranks = ranks,
                                 .nodes = 2};
    return rc;
}

/* What is done with an answer that is one. */
static int use_answer(struct scene *s, const json_t *answer)
{
    struct wm_layout *layout = NULL;
    struct wm_route *route = NULL;
    struct wm_convey_design design;
    struct wm_path *path;
    struct wm_error doubt;
    int rc = wm_path_parse(&path, answer, s->facts.operation, &s->grid, "map.scm", &s->error);

    if (rc < 0)
        return rc;
    wm_path_doubt(path, &doubt);
    wm_path_serves(path, &s->facts);
    if (s->facts.operation != WM_CONVEYOR && !path->native)
        rc = wm_layout_new(&layout, path, &s->grid, s->facts.root, false, &s->error);
    else if (s->facts.operation == WM_CONVEYOR && (rc = wm_convey_design_read(&design, path, &s->error)) == 0)
        rc = wm_convey_design_route(&design, &s->grid, 0, &route, &s->error);
    wm_layout_free(layout);
    wm_route_free(route);
    wm_path_free(path);
    return rc;
}

/* A failure has a sentence, of plain text. */
static const char *judge(int rc, const struct wm_error *error)
{
    char copy[WM_ERROR_TEXT_CHARS];

    if (rc >= 0)
        return NULL;
    if (rc != error->code && rc != -WM_ENOMEM)
        return "a code that is not the error's";
    if (error->text[0] == '\0')
        return "a failure without a sentence";
    memcpy(copy, error->text, sizeof copy);
    wm_plain_text(copy, false);
    return strcmp(copy, error->text) != 0 ? "a sentence that is not plain text" : NULL;
}

/* One reply through the readers, without a server. */
static const char *read_reply(enum wm_frame_kind kind, struct fuzz_text *text, struct fuzz_random *random)
{
    struct scene s = {.error = {0}};
    int parents[4], rc = make_scene(&s, json_null(), random);
    struct wm_map_head head = {0};
    char *grid = NULL, *subranks = NULL, *words;
    json_t *reply;

    wm_map_reply_plain(text->bytes);
    reply = json_loads(text->bytes, 0, NULL);
    if (rc == 0 && reply != NULL && (rc = wm_map_reply_error(reply, "map.scm", "(path-map)", 10, &s.error)) == 0) {
        if (kind == WM_FRAME_OPEN && (rc = wm_map_reply_head(reply, &head, &grid, &subranks, &s.error)) == 0) {
            wm_grid_release(&s.grid);
            s.grid = (struct wm_grid){0};
            rc = make_scene(&s, json_object_get(reply, "grid"), random);
        } else if (kind == WM_FRAME_ASK && (rc = wm_map_reply_answer(reply, MAP_BYTES, &s.facts, &s.error)) == 0) {
            words = wm_explain_text(reply, &s.facts, "map.scm", "");
            free(words);
            rc = use_answer(&s, reply);
        } else if (kind == WM_FRAME_PARENTS) {
            rc = wm_map_reply_parents(reply, 4, parents, &s.error);
        }
    }
    json_decref(reply);
    free(grid);
    free(subranks);
    wm_grid_release(&s.grid);
    return judge(rc, &s.error);
}

/* A whole client with the false server. */
static const char *talk(uint64_t seed, struct fuzz_random *random)
{
    struct wm_map_options options = {
        .server = self, .deadline_ms = DEADLINE_MS, .start_ms = 10 * DEADLINE_MS, .grace_ms = DEADLINE_MS};
    struct scene s = {.error = {0}};
    json_t *answer = NULL, *spec;
    struct wm_map *map;
    char number[24];
    int rc;

    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    setenv("WAYMARK_FUZZ_SERVER", number, 1);
    rc = wm_map_open(&map, "map.scm", "(path-map)", 10, &options, &s.error);
    if (rc < 0)
        return judge(rc, &s.error);
    spec = json_loads(wm_map_get_head(map)->grid_json, JSON_DECODE_ANY, NULL);
    rc = make_scene(&s, spec, random);
    for (int i = 0; rc == 0 && i < 3; i++) {
        rc = wm_map_answer(map, &s.facts, i == 0, &s.grid, &answer, &s.error);
        if (rc == 0)
            rc = use_answer(&s, answer);
        json_decref(answer);
    }
    json_decref(spec);
    wm_grid_release(&s.grid);
    wm_map_close(map);
    return judge(rc, &s.error);
}

static const char *run_case(uint64_t seed, struct fuzz_text *tried)
{
    static const enum wm_frame_kind kinds[] = {WM_FRAME_OPEN, WM_FRAME_ASK, WM_FRAME_ASK, WM_FRAME_ASK,
                                               WM_FRAME_PARENTS};
    struct fuzz_random random = {seed};
    struct fuzz_text text = {0};
    enum wm_frame_kind kind;
    const char *wrong;

    fuzz_next(&random);
    if (fuzz_chance(&random, 2))
        return talk(seed, &random);
    kind = FUZZ_PICK(&random, kinds);
    make_answer(&text, kind, &random);
    fuzz_text_add(tried, text.bytes, text.count);
    wrong = read_reply(kind, &text, &random);
    fuzz_text_release(&text);
    return wrong;
}

/* Samples go from the client to the false server by a file, a line each. */
static void write_samples(FILE *file)
{
    for (int i = 0; i < samples.count; i++)
        fprintf(file, "%d %s\n", (int)samples.kinds[i], samples.answers[i].bytes);
    fflush(file);
}

static void read_samples(const char *name)
{
    FILE *file = fopen(name, "r");
    char *line = NULL;
    size_t room = 0;

    while (file != NULL && getline(&line, &room, file) > 0 && samples.count < FUZZ_SAMPLES_MAX) {
        int kind, at;

        if (sscanf(line, "%d %n", &kind, &at) < 1)
            continue;
        samples.kinds[samples.count] = (enum wm_frame_kind)kind;
        fuzz_text_add(&samples.answers[samples.count++], line + at, strcspn(line + at, "\n"));
    }
    free(line);
}

int main(int argc, char **argv)
{
    const char *seed = getenv("WAYMARK_FUZZ_SERVER"), *srcdir = getenv("srcdir");
    char map[4096], file[] = "/tmp/waymark-fuzz-XXXXXX";
    int fd, status;

    if (seed != NULL) {
        read_samples(getenv("WAYMARK_FUZZ_SAMPLES"));
        return serve(strtoull(seed, NULL, 10));
    }
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || (fd = mkstemp(file)) < 0)
        return 99;
    snprintf(map, sizeof map, "%s/tests/fuzz/protocol.scm", srcdir != NULL ? srcdir : ".");
    fuzz_talk_samples(&samples, map);
    write_samples(fdopen(fd, "w"));
    setenv("WAYMARK_FUZZ_SAMPLES", file, 1);
    status = fuzz_cases_main("fuzz_answers", argc, argv, run_case);
    unlink(file);
    return status;
}
