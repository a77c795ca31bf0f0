/* The map server's client among servers that are slow, silent or wrong: this program is each of them, too. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/map/protocol.h"
#include "tests/core/map/maps.h"

/* What the client gives the server: enough for these. */
enum { DEADLINE_MS = 100, GRACE_MS = 100, TEST_LIMIT_SECONDS = 120 };

static const char head[] = "{\"operations\":[\"bcast\"],\"grid\":null}",
                  native[] = "{\"bytes\":[0,null],\"path\":null}";

/* The server: what it does, and the file that wakes it, come by the environment. */

static void say(enum wm_frame_kind kind, const char *text)
{
    struct wm_frame_wait wait = {.deadline_ns = INT64_MAX};

    wm_frame_send(WM_MAP_SERVER_FD, kind, text, strlen(text), &wait);
}

static bool hear(enum wm_frame_kind *kind)
{
    struct wm_frame_wait wait = {.deadline_ns = INT64_MAX};
    size_t bytes;
    char *text;
    bool heard = wm_frame_receive(WM_MAP_SERVER_FD, kind, &text, &bytes, &wait) == WM_FRAME_DONE;

    free(text);
    return heard;
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
    for (volatile int turn = 0;; turn++)
        ;
}

static void answer(const char *mode)
{
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
    while (hear(&kind))
        if (kind == WM_FRAME_OPEN)
            say(WM_FRAME_REPLY, head);
        else
            answer(mode);
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

int main(int argc, char **argv)
{
    static const struct check_case cases[] = {
        CASE(server__that_gets_no_processor_is_waited_for_with_a_word),
        CASE(server__that_loops_and_does_not_say_so_is_given_up),
        CASE(server__that_sleeps_is_given_up_when_the_third_does),
        CASE(start__fails_when_the_server_never_forks),
        CASE(start__fails_when_the_server_is_never_ready),
        CASE(start__does_not_wait_for_a_first_process_that_stays),
    };

    if (argc > 0 && strcmp(argv[0], "waymark-map-server") == 0)
        return serve(getenv("WAYMARK_TEST_SERVER"));
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    alarm(TEST_LIMIT_SECONDS);
    return check_main("map client", cases, sizeof cases / sizeof cases[0]);
}
