/* The map server's client among servers that are slow, silent or wrong: this program is each of them, too. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/map/complete.h"
#include "core/map/explain.h"
#include "core/map/protocol.h"
#include "core/map/reply.h"
#include "core/path/grid.h"
#include "core/path/layout.h"
#include "core/path/path.h"
#include "tests/core/map/maps.h"

/* What the client gives the server: enough for these. */
enum { DEADLINE_MS = 100, GRACE_MS = 100, TEST_LIMIT_SECONDS = 120 };

static const char head[] = "{\"operations\":[\"bcast\"],\"native\":[],\"grid\":null,\"subranks\":[]}",
                  native[] = "{\"bytes\":[0,null],\"rule\":null,\"path\":null}";

/* The server: what it does, and the file that wakes it, come by the environment. */

static void say(enum wm_frame_kind kind, const char *text)
{
    struct wm_frame_wait wait = {.deadline_ns = INT64_MAX};

    wm_frame_send(WM_MAP_SERVER_FD, kind, text, strlen(text), &wait);
}

static bool hear(enum wm_frame_kind *kind, char **text)
{
    struct wm_frame_wait wait = {.deadline_ns = INT64_MAX};
    size_t bytes;

    return wm_frame_receive(WM_MAP_SERVER_FD, kind, text, &bytes, &wait) == WM_FRAME_DONE;
}

/* As one that the system does not let run: who has called vfork neither runs nor sleeps until its child has ended. */
static void starve(void)
{
    const char *file = getenv("WAYMARK_TEST_WAKE");

    if (vfork() == 0)
        _exit(open(file, O_RDONLY) < 0); /* a FIFO: when somebody opens it for writing */
}

static void sleep_on(void)
{
    for (;;)
        pause();
}

static void loop_on(void)
{
    for (volatile unsigned turn = 0;; turn++)
        ;
}

/* Frames that no server of ours sends: {kind, length} and what follows, in the machine's order of bytes. */
static const struct frame_case {
    uint32_t kind, length;
    const char *payload;
    size_t bytes; /* of all that is sent */
} frames[] = {
    {'R', 2, "", 1},         {'R', 2, "", 7},          {'R', 2, "", 8},          {'R', 2, "{", 9},
    {'R', 0, "", 8},         {'R', 1, "{", 9},         {'R', 2, "[]", 10},       {'R', 4, "null", 12},
    {'R', 2, "\0\0", 10},    {'R', 2, "\xff\xfe", 10}, {'R', UINT32_MAX, "", 8}, {'R', (64 << 20) + 1, "", 8},
    {'R', 64 << 20, "{", 9}, {'L', 2, "{}", 10},       {'L', 0, "", 8},          {'E', 2, "{}", 10},
    {'H', 0, "", 8},         {'A', 2, "{}", 10},       {0, 2, "{}", 10},         {UINT32_MAX, 2, "{}", 10},
};
enum { FRAMES = sizeof frames / sizeof frames[0] };

static void say_frame(const struct frame_case *frame)
{
    char bytes[64];

    memcpy(bytes, frame, 8);
    memcpy(bytes + 8, frame->payload, frame->bytes > 8 ? frame->bytes - 8 : 0);
    _exit(write(WM_MAP_SERVER_FD, bytes, frame->bytes) < 0);
}

/* Line `number` of a file, from 0, without its end; "" when there is none. The line lives until the next call. */
static const char *line_of(const char *file, int number)
{
    static char *line;
    static size_t room;
    FILE *in = fopen(file, "r");

    for (int i = 0; in != NULL && i <= number; i++)
        if (getline(&line, &room, in) < 0)
            number = -1;
    if (in != NULL)
        fclose(in);
    if (number < 0 || line == NULL)
        return "";
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static const char *const odd_parents[] = {
    "{}",
    "[]",
    "{\"parents\":null}",
    "{\"parents\":[]}",
    "{\"parents\":[-1]}",
    "{\"parents\":[-1,0]}",
    "{\"parents\":[0,0]}",
    "{\"parents\":[1,0]}",
    "{\"parents\":[-1,2147483647]}",
    "{\"parents\":[-1,-2147483648]}",
    "{\"parents\":[-1,99999999999]}",
    "{\"parents\":[-1,\"0\"]}",
    "{\"parents\":{\"0\":-1,\"1\":0}}",
    "{\"error\":{}}",
};

/* The answer to a question about N bytes is line N of a file. */
static void say_line(const char *request)
{
    json_t *question = json_loads(request, 0, NULL),
           *bytes = json_object_get(json_object_get(question, "facts"), "bytes");
    static int number;

    if (bytes != NULL)
        number = (int)json_integer_value(bytes);
    say(WM_FRAME_REPLY, bytes != NULL ? line_of(getenv("WAYMARK_TEST_ANSWERS"), number)
                                      : odd_parents[number % (int)(sizeof odd_parents / sizeof odd_parents[0])]);
    json_decref(question);
}

static void answer(const char *mode, const char *request)
{
    int number;

    if (strcmp(mode, "says lines") == 0) {
        say_line(request);
        return;
    }
    if (sscanf(mode, "says frame %d", &number) == 1)
        say_frame(&frames[number]);
    if (strcmp(mode, "starves") == 0)
        starve();
    else if (strcmp(mode, "sleeps") == 0)
        sleep_on();
    else if (strcmp(mode, "loops") == 0)
        loop_on();
    say(WM_FRAME_REPLY, native);
}

static int serve(const char *mode)
{
    enum wm_frame_kind kind;
    char *request;
    pid_t child;

    if (strcmp(mode, "never forks") == 0) {
        say(WM_FRAME_HELLO, "");
        sleep_on();
    }
    child = fork();
    if (child > 0 && strcmp(mode, "stays") == 0)
        sleep_on();
    if (child != 0)
        return child < 0;
    say(WM_FRAME_HELLO, "");
    if (strcmp(mode, "is never ready") == 0)
        sleep_on();
    say(WM_FRAME_READY, "{}");
    while (hear(&kind, &request)) {
        if (kind == WM_FRAME_OPEN)
            say(WM_FRAME_REPLY, getenv("WAYMARK_TEST_HEAD") != NULL ? getenv("WAYMARK_TEST_HEAD") : head);
        else
            answer(mode, request);
        free(request);
    }
    return 0;
}

/* The client */

static char self[4096];

static int open_mode(struct wm_map **map, const char *mode, struct wm_error *error)
{
    struct wm_map_options options = {
        .server = self, .deadline_ms = DEADLINE_MS, .start_ms = DEADLINE_MS, .grace_ms = GRACE_MS};

    setenv("WAYMARK_TEST_SERVER", mode, 1);
    return wm_map_open(map, "map.scm", "(path-map)", 10, &options, error);
}

/* What comes of one question to a server of this kind; *answer, the caller's to free, is NULL without one. */
static int ask_mode(const char *mode, char **answer, struct wm_error *error)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map;
    int rc = open_mode(&map, mode, error);

    *answer = NULL;
    if (rc == 0)
        rc = wm_map_ask(map, &facts, answer, error);
    wm_map_close(map);
    return rc;
}

static void expect_refusal(const char *mode, int code, const char *sentence)
{
    struct wm_error error = {0};
    char *answer;

    CU_ASSERT_EQUAL(ask_mode(mode, &answer, &error), code);
    CU_ASSERT_PTR_NULL(answer);
    CU_ASSERT_STRING_EQUAL(error.text, sentence);
}

/* Wakes the server when the client has said on stderr that it waits on. */
struct waker {
    FILE *said;
    char line[256];
};

static void *wake(void *argument)
{
    struct waker *waker = argument;
    int fd;

    if (fgets(waker->line, sizeof waker->line, waker->said) == NULL)
        waker->line[0] = '\0';
    fd = open(getenv("WAYMARK_TEST_WAKE"), O_WRONLY);
    close(fd);
    return NULL;
}

static void server__that_gets_no_processor_is_waited_for_with_a_word(void)
{
    char directory[] = "/tmp/waymark-test-XXXXXX", fifo[64], *answer;
    int saved = dup(STDERR_FILENO), ends[2], rc;
    struct wm_error error = {0};
    struct waker waker = {0};
    pthread_t thread;

    CU_ASSERT_FATAL(mkdtemp(directory) != NULL && pipe(ends) == 0);
    snprintf(fifo, sizeof fifo, "%s/wake", directory);
    CU_ASSERT_EQUAL_FATAL(mkfifo(fifo, 0600), 0);
    setenv("WAYMARK_TEST_WAKE", fifo, 1);
    waker.said = fdopen(ends[0], "r");
    dup2(ends[1], STDERR_FILENO);
    pthread_create(&thread, NULL, wake, &waker);
    rc = ask_mode("starves", &answer, &error);
    dup2(saved, STDERR_FILENO);
    close(ends[1]);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(rc, 0);
    CU_ASSERT_PTR_NOT_NULL(answer);
    CU_ASSERT_PTR_NOT_NULL(strstr(waker.line, "waymark: the map server has not answered for "));
    CU_ASSERT_PTR_NOT_NULL(strstr(waker.line, ": this machine is busy; waiting on"));
    free(answer);
    fclose(waker.said);
    close(saved);
    unlink(fifo);
    rmdir(directory);
}

static void server__that_loops_and_does_not_say_so_is_given_up(void)
{
    expect_refusal("loops", -WM_ESERVER, "the map server did not answer within 0.1 s");
}

static void server__that_sleeps_is_given_up_when_the_third_does(void)
{
    expect_refusal("sleeps", -WM_ESERVER, "the map server is stopped, or sleeps, and so did those before it");
}

static void start__fails_when_the_server_never_forks(void)
{
    char sentence[8192];

    snprintf(sentence, sizeof sentence, "the map server does not start: '%s' is not Waymark's map server", self);
    sentence[WM_ERROR_TEXT_CHARS - 1] = '\0';
    expect_refusal("never forks", -WM_ESERVER, sentence);
    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
}

static void start__fails_when_the_server_is_never_ready(void)
{
    expect_refusal("is never ready", -WM_ESERVER, "the map server is stopped, or sleeps, and so did those before it");
}

static void start__does_not_wait_for_a_first_process_that_stays(void)
{
    struct wm_error error = {0};
    char *answer;

    CU_ASSERT_EQUAL(ask_mode("stays", &answer, &error), 0);
    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    free(answer);
}

static void frames__that_are_none_are_refused(void)
{
    struct wm_error error = {0};
    char mode[32], *answer;

    for (int i = 0; i < FRAMES; i++) {
        snprintf(mode, sizeof mode, "says frame %d", i);
        CU_ASSERT_EQUAL(ask_mode(mode, &answer, &error), -WM_ESERVER);
        CU_ASSERT_PTR_NULL(answer);
    }
}

static void texts__obey_no_terminal(void)
{
    static const struct {
        const char *json, *plain;
    } texts[] = {
        {"\"a\\u001b[2J\\n\\tb\"", "\"a [2J  b\""},
        {"\"\\u007f\\u0080\\u009F\\u00a0\\u1b\"", "\"   \\u00a0\\u1b\""},
        {"\"\\\\n\\\"\\\\u001b\"", "\"\\\\n\\\"\\\\u001b\""}, /* no escapes: backslashes before them */
        {"\"\x1b\x7f\xc2\x9b\xc3\xa4\"", "\"    \xc3\xa4\""},
        {"\"\\", "\"\\"},
        {"\"\\u00", "\"\\u00"},
    };
    char text[64];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        strcpy(text, texts[i].json);
        wm_map_reply_plain(text);
        CU_ASSERT_STRING_EQUAL(text, texts[i].plain);
    }
}

/* Heads: opened, and the grid made of four ranks, as a job would. */
static int open_head(const char *text, struct wm_error *error)
{
    struct wm_place *places = NULL;
    struct wm_grid grid = {0};
    struct wm_map *map;
    int ranks, rc;

    setenv("WAYMARK_TEST_HEAD", text, 1);
    rc = open_mode(&map, "answers", error);
    unsetenv("WAYMARK_TEST_HEAD");
    if (rc == 0) {
        json_t *spec = json_loads(wm_map_get_head(map)->grid_json, JSON_DECODE_ANY, NULL);

        CU_ASSERT_EQUAL(wm_grid_parse_machine("node=2,core=2", &places, &ranks, NULL), 0);
        rc = wm_grid_init(&grid, spec, ranks, places, error);
        wm_grid_release(&grid);
        free(places);
        json_decref(spec);
    }
    wm_map_close(map);
    return rc;
}

static void heads__that_are_none_are_refused(void)
{
    static const char *const heads[] = {
        "[]",
        "{}",
        "{\"operations\":[\"bcast\"],\"native\":[],\"subranks\":[]}",
        "{\"operations\":{},\"native\":[],\"grid\":null,\"subranks\":[]}",
        "{\"operations\":[1],\"native\":[],\"grid\":null,\"subranks\":[]}",
        "{\"operations\":[null],\"native\":[],\"grid\":null,\"subranks\":[]}",
        "{\"operations\":[\"cast\"],\"native\":[],\"grid\":null,\"subranks\":[]}",
        "{\"operations\":[\"bcast\"],\"grid\":null,\"subranks\":[]}",
        "{\"operations\":[\"bcast\"],\"native\":[1],\"grid\":null,\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":1,\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":null}",
        "{\"operations\":[],\"native\":[],\"grid\":null,\"subranks\":[{}]}",
        "{\"operations\":[],\"native\":[],\"grid\":{},\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[1,2,{\"axis\":5}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[{\"axis\":5}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[{\"axis\":\"node\",\"line\":-1}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[{\"axis\":\"node\",\"count\":\"4\"}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[{\"axis\":\"node\",\"count\":-4}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[{\"axis\":\"node\",\"ranks\":[]}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[{\"axis\":\"node\",\"ranks\":[0,1]}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[{\"axis\":\"node\",\"ranks\":[[\"0\"]]}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[{\"axis\":\"node\",\"hosts\":[[1]]}],\"subranks\":[]}",
        "{\"operations\":[],\"native\":[],\"grid\":[[\"axis\",\"node\"]],\"subranks\":[]}",
        "{\"error\":1}",
        "{\"error\":{}}",
        "{\"error\":{\"code\":-7,\"text\":\"x\"}}",
        "{\"error\":{\"code\":0,\"text\":\"x\"}}",
        "{\"error\":{\"code\":\"3\",\"text\":\"x\"}}",
        "{\"error\":{\"line\":-1,\"text\":\"x\"}}",
        "{\"error\":{\"line\":99999999999,\"text\":\"x\"}}",
        "{\"error\":{\"text\":[]}}",
        "{\"error\":{\"text\":\"\"}}",
    };
    struct wm_error error = {0};

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        if (open_head(heads[i], &error) != -WM_ESERVER)
            printf("\n%s: %s\n", heads[i], error.text);
        CU_ASSERT_EQUAL(error.code, -WM_ESERVER);
        CU_ASSERT_STRING_EQUAL(error.text, "the map server's answer cannot be read");
    }
    CU_ASSERT_EQUAL(open_head("{\"error\":{\"line\":2147483647,\"column\":9,\"text\":\"x\"}}", &error), -WM_EMAP);
    CU_ASSERT_EQUAL(open_head(head, &error), 0);
}

/* An answer with all that answers have. */
static const char whole[] =
    "{\"bytes\":[0,null],\"load\":[0,null],\"root\":[0,0],\"commutative?\":[1,1],\"rule\":{\"line\":1,\"column\":2},"
    "\"path\":"
    "["
    "{\"wrapper\":\"trace\",\"node\":1,\"line\":1,\"column\":2,\"arguments\":[],\"keywords\":{\"label\":{\"symbol\":"
    "\"a\"}},"
    "\"places\":{\"label\":[1,2,1,3]}},"
    "{\"wrapper\":\"segment\",\"node\":2,\"line\":1,\"column\":2,\"arguments\":[65536],\"keywords\":{},\"places\":"
    "{\"0\":[1,2]}},"
    "{\"wrapper\":\"bcast\",\"node\":3,\"line\":1,\"column\":2,\"arguments\":[{\"axis\":\"node\"}],\"keywords\":{"
    "\"shape\":"
    "{\"tree\":[0,[1]]}},\"places\":{\"0\":[1,2],\"shape\":[1,2,1,3]}},"
    "{\"wrapper\":\"bcast\",\"node\":4,\"line\":1,\"column\":2,\"arguments\":[{\"axis\":\"core\"}],\"keywords\":{"
    "\"shape\":"
    "{\"procedure\":0}},\"places\":{}}],"
    "\"explanation\":{\"line\":1,\"rules\":[{\"line\":1,\"column\":1,\"text\":\"(< bytes "
    "8)\",\"holds\":false,\"facts\":"
    "{\"bytes\":8,\"operation\":\"bcast\"}}],\"untried\":1,\"facts\":{\"ranks\":4}}}";

static const char *const odd_values[] = {
    "null",
    "true",
    "-1",
    "0",
    "1",
    "4",
    "2147483647",
    "2147483648",
    "-9223372036854775808",
    "9223372036854775807",
    "1e300",
    "\"\"",
    "\"node\"",
    "\"all\"",
    "\"\\u001b[2J\\n\"",
    "[]",
    "[[]]",
    "[-1,-1]",
    "[0,[0]]",
    "[0,1,2,3,4,5]",
    "{}",
    "{\"axis\":5}",
    "{\"symbol\":\"tree\"}",
    "{\"procedure\":-1}",
    "{\"parents\":{\"x\":[]}}",
    "{\"parents\":{\"2\":[5,7]}}",
    "{\"tree\":[99999999]}",
};
enum { ODD_VALUES = sizeof odd_values / sizeof odd_values[0] };

/* Put `value` in the place of part `*number` of `json`, counted depth first; true when that part was there. */
static bool replace(json_t *json, int *number, json_t *value)
{
    const char *key;
    json_t *part;
    size_t i;

    json_object_foreach (json, key, part) {
        if ((*number)-- == 0)
            return json_object_set(json, key, value) == 0;
        if (replace(part, number, value))
            return true;
    }
    json_array_foreach (json, i, part) {
        if ((*number)-- == 0)
            return json_array_set(json, i, value) == 0;
        if (replace(part, number, value))
            return true;
    }
    return false;
}

/* Line 0 is the answer as it is; then each of its parts in turn is each of the odd values. Returns how many lines. */
static int write_answers(FILE *file)
{
    bool more = true;
    int lines = 1;

    fprintf(file, "%s\n", whole);
    for (int part = 0; more; part++)
        for (int v = 0; v < ODD_VALUES && more; v++) {
            json_t *json = json_loads(whole, 0, NULL), *value = json_loads(odd_values[v], JSON_DECODE_ANY, NULL);
            int number = part;

            more = replace(json, &number, value);
            if (more)
                lines += json_dumpf(json, file, JSON_COMPACT) == 0 && fputc('\n', file) != EOF;
            json_decref(value);
            json_decref(json);
        }
    return lines;
}

/* From the question to the layout, and to the explanation. */
static int walk(struct wm_map *map, const struct wm_grid *grid, uint64_t bytes, struct wm_error *error)
{
    struct wm_facts facts = maps_facts(WM_BCAST, bytes);
    struct wm_layout *layout = NULL;
    struct wm_path *path = NULL;
    json_t *answer;
    char *text, *explained;
    int rc = wm_map_explain(map, &facts, &text, error);

    if (rc < 0)
        return rc;
    answer = json_loads(text, 0, NULL);
    explained = wm_explain_text(answer, &facts, "map.scm", "");
    rc = wm_map_complete(map, answer, WM_BCAST, grid, 0, error);
    if (rc == 0)
        rc = wm_path_parse(&path, answer, WM_BCAST, grid, "map.scm", error);
    if (rc == 0)
        rc = wm_layout_new(&layout, path, grid, 0, false, error);
    if (rc == 0)
        for (int i = 0; i < path->wrapper_count; i++) /* what grows with it is bounded */
            CU_ASSERT(path->wrappers[i].node >= 0 && path->wrappers[i].node <= 4096);
    wm_layout_free(layout);
    wm_path_free(path);
    json_decref(answer);
    free(explained);
    free(text);
    return rc;
}

static void answers__with_any_part_spoilt_are_taken_or_refused(void)
{
    char name[] = "/tmp/waymark-test-XXXXXX", text[4096];
    FILE *file = fdopen(mkstemp(name), "w");
    int lines = write_answers(file), ranks, refused = 0;
    struct wm_place *places = NULL;
    struct wm_error error = {0};
    struct wm_grid grid = {0};
    struct wm_map *map;

    fclose(file);
    setenv("WAYMARK_TEST_ANSWERS", name, 1);
    memset(text, ' ', sizeof text); /* a map that is long enough for its nodes */
    CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine("node=2,core=2", &places, &ranks, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(wm_grid_init(&grid, NULL, ranks, places, NULL), 0);
    setenv("WAYMARK_TEST_SERVER", "says lines", 1);
    CU_ASSERT_EQUAL_FATAL(
        wm_map_open(&map, "map.scm", text, sizeof text, &(struct wm_map_options){.server = self}, &error), 0);
    for (int i = 0; i < lines; i++) {
        int rc = walk(map, &grid, (uint64_t)i, &error);

        CU_ASSERT(rc == 0 || (rc < 0 && rc == error.code && error.text[0] != '\0'));
        refused += rc < 0;
    }
    CU_ASSERT(lines > 1000 && refused > lines / 2 && refused < lines);
    wm_map_close(map);
    wm_grid_release(&grid);
    free(places);
    unlink(name);
}

int main(int argc, char **argv)
{
    static const struct check_case cases[] = {
        CASE(server__that_gets_no_processor_is_waited_for_with_a_word),
        CASE(server__that_loops_and_does_not_say_so_is_given_up),
        CASE(server__that_sleeps_is_given_up_when_the_third_does),
        CASE(start__fails_when_the_server_never_forks),
        CASE(start__fails_when_the_server_is_never_ready),
        CASE(start__does_not_wait_for_a_first_process_that_stays),
        CASE(frames__that_are_none_are_refused),
        CASE(texts__obey_no_terminal),
        CASE(heads__that_are_none_are_refused),
        CASE(answers__with_any_part_spoilt_are_taken_or_refused),
    };

    if (argc > 0 && strcmp(argv[0], "waymark-map-server") == 0)
        return serve(getenv("WAYMARK_TEST_SERVER"));
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    alarm(TEST_LIMIT_SECONDS);
    return check_main("map client", cases, sizeof cases / sizeof cases[0]);
}
