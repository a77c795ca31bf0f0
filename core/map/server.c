/* waymark-map-server: evaluates a path map behind closed doors and answers questions about it over a socket. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/map/guile.h"
#include "core/map/last_words.h"
#include "core/map/map.h"
#include "core/map/protocol.h"
#include "core/map/sandbox.h"
#include "core/path/wrapper.h"

enum { WRAPPERS_MAX = 64 };

static int client = -1; /* a pidfd; -1: the kernel has none, and the socket alone tells when the client ends */
static const int64_t CLIENT_LOOK_NS = 5000000000;

static bool client_lives(void)
{
    struct pollfd entry = {.fd = client, .events = POLLIN};

    return poll(&entry, 1, 0) <= 0;
}

static bool wait_on(struct wm_frame_wait *wait)
{
    wait->deadline_ns = wm_frame_now() + CLIENT_LOOK_NS;
    return client_lives();
}

static struct wm_frame_wait while_client_lives(void)
{
    return (struct wm_frame_wait){.deadline_ns = wm_frame_now() + CLIENT_LOOK_NS, .late = wait_on};
}

/* Until a frame comes. False: the client has ended, and a process that it forked may hold its socket open. */
static bool await_client(void)
{
    struct pollfd entries[] = {{.fd = WM_MAP_SERVER_FD, .events = POLLIN}, {.fd = client, .events = POLLIN}};

    while (poll(entries, 2, -1) < 0 && (errno == EINTR || errno == EAGAIN))
        ;
    return entries[1].revents == 0;
}

/* The socket was made by the client. */
static void watch_client(void)
{
    struct ucred maker = {0};
    socklen_t bytes = sizeof maker;

    if (getsockopt(WM_MAP_SERVER_FD, SOL_SOCKET, SO_PEERCRED, &maker, &bytes) == 0 && maker.pid > 0)
        client = (int)syscall(SYS_pidfd_open, maker.pid, 0);
}

static void send_frame(enum wm_frame_kind kind, const char *text)
{
    struct wm_frame_wait wait = while_client_lives();

    wm_frame_send(WM_MAP_SERVER_FD, kind, text, strlen(text), &wait);
}

/* A second process, so that the client can wait for the first at once and never has a zombie. */
static void leave_client(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t none;
    pid_t child = fork();

    if (child != 0)
        _exit(child < 0 ? 1 : 0);
    send_frame(WM_FRAME_HELLO, "");
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

/* Limits that the program was given are not for the server, which has its own (core/map/sandbox.h). */
static void raise_limits(void)
{
    static const struct {
        int resource;
        rlim_t enough;
    } limits[] = {{RLIMIT_NOFILE, 256},
                  {RLIMIT_STACK, 8 << 20},
                  {RLIMIT_CPU, RLIM_INFINITY},
                  {RLIMIT_AS, RLIM_INFINITY},
                  {RLIMIT_DATA, RLIM_INFINITY}};

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit limit;

        if (getrlimit(limits[i].resource, &limit) < 0 || limit.rlim_cur >= limits[i].enough)
            continue;
        limit.rlim_cur = limits[i].enough < limit.rlim_max ? limits[i].enough : limit.rlim_max;
        setrlimit(limits[i].resource, &limit);
    }
}

/* Only the socket and stderr stay; stdin and stdout become /dev/null. */
static void close_descriptors(void)
{
    int null = open("/dev/null", O_RDWR);

    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    if (close_range(WM_MAP_SERVER_FD + 1, ~0u, 0) < 0)
        for (int fd = WM_MAP_SERVER_FD + 1; fd < (int)sysconf(_SC_OPEN_MAX) && fd < 65536; fd++)
            close(fd);
}

static void send_error(enum wm_frame_kind kind, const struct wm_error *error)
{
    json_t *json = json_pack("{s:{s:i,s:i,s:i,s:s}}", "error", "code", -error->code, "line", error->line, "column",
                             error->column, "text", error->text);
    char *text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;

    if (text != NULL)
        send_frame(kind, text);
    free(text);
    json_decref(json);
}

/* In a tree that was built but not installed, $WAYMARK_LIBEXEC is the build directory and $WAYMARK_SPECS the sources'.
 */
static int load_module(struct wm_error *error)
{
    const char *libexec = getenv("WAYMARK_LIBEXEC"), *specs = getenv("WAYMARK_SPECS");
    struct wm_guile_places places = {WM_GUILE_SITE_DIR, WM_GUILE_CCACHE_DIR};
    const char *names[WRAPPERS_MAX];
    char compiled[4096];
    size_t count = 0;

    if (libexec != NULL && specs != NULL) {
        snprintf(compiled, sizeof compiled, "%s/specs", libexec);
        places = (struct wm_guile_places){specs, compiled};
    }
    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++)
        if (count < WRAPPERS_MAX)
            names[count++] = (*class)->name;
    return wm_guile_load(&places, names, count, error);
}

static char *open_map(const json_t *request, unsigned *limit_ms)
{
    const char *file, *text;
    size_t text_bytes;
    int first_procedure, limit;

    if (json_unpack((json_t *)request, "{s:s,s:s%,s:i,s:i}", "file", &file, "text", &text, &text_bytes, "limit_ms",
                    &limit, "first_procedure", &first_procedure) < 0)
        return NULL;
    *limit_ms = (unsigned)limit;
    wm_last_words_limit(*limit_ms);
    return wm_guile_open(file, text, text_bytes, first_procedure);
}

static char *ask(const json_t *request)
{
    struct wm_facts facts;
    bool explain = json_is_true(json_object_get(request, "explain"));

    return wm_facts_read(&facts, json_object_get(request, "facts")) ? wm_guile_ask(&facts, explain) : NULL;
}

static char *parents(const json_t *request)
{
    int procedure, size;

    if (json_unpack((json_t *)request, "{s:i,s:i}", "procedure", &procedure, "size", &size) < 0)
        return NULL;
    return wm_guile_parents(procedure, size);
}

static void answer(enum wm_frame_kind kind, const char *payload, size_t bytes, unsigned *limit_ms)
{
    json_t *request = json_loadb(payload, bytes, JSON_ALLOW_NUL, NULL);
    char *text = NULL;

    wm_last_words_limit(*limit_ms);
    if (request != NULL && kind == WM_FRAME_OPEN)
        text = open_map(request, limit_ms);
    else if (request != NULL && kind == WM_FRAME_ASK)
        text = ask(request);
    else if (request != NULL && kind == WM_FRAME_PARENTS)
        text = parents(request);
    wm_last_words_limit(0);
    if (text != NULL && strlen(text) <= WM_FRAME_BYTES_MAX) {
        send_frame(WM_FRAME_REPLY, text);
    } else {
        struct wm_error error;
        wm_error_set(&error, -WM_EMAP, "this takes too much memory (the limit is %d MiB)", WM_GUILE_HEAP_MIB);
        wm_guile_entered(&error.line, &error.column);
        send_error(WM_FRAME_REPLY, &error);
    }
    free(text);
    json_decref(request);
}

static bool receive(enum wm_frame_kind *kind, char **payload, size_t *bytes)
{
    struct wm_frame_wait wait;

    if (!await_client())
        return false;
    wait = while_client_lives();
    return wm_frame_receive(WM_MAP_SERVER_FD, kind, payload, bytes, &wait) == WM_FRAME_DONE;
}

static int serve(void *context)
{
    struct wm_error error;
    unsigned limit_ms = WM_MAP_START_MS;
    enum wm_frame_kind kind;
    char *payload;
    size_t bytes;

    (void)context;
    if (load_module(&error) < 0) {
        send_error(WM_FRAME_LAST, &error);
        return 1;
    }
    /* What GMP or the collector print before they abort is said better by the last words. */
    dup2(STDOUT_FILENO, STDERR_FILENO);
    if (wm_sandbox_enter(WM_MAP_SERVER_FD, &error) < 0) {
        send_error(WM_FRAME_LAST, &error);
        return 1;
    }
    wm_last_words_limit(0);
    wm_last_words_ready();
    send_frame(WM_FRAME_READY, "{}");
    while (receive(&kind, &payload, &bytes)) {
        answer(kind, payload, bytes, &limit_ms);
        free(payload);
    }
    return 0;
}

int main(void)
{
    struct stat status;

    if (fstat(WM_MAP_SERVER_FD, &status) < 0 || !S_ISSOCK(status.st_mode)) {
        fprintf(stderr, "waymark-map-server: started by Waymark, with a socket; not by hand\n");
        return 2;
    }
    leave_client();
    raise_limits();
    close_descriptors();
    watch_client();
    setlocale(LC_CTYPE, "C.UTF-8");
    json_object_seed(0);
    wm_last_words_prepare(WM_MAP_SERVER_FD);
    wm_last_words_limit(WM_MAP_START_MS);
    _exit(wm_guile_run(serve, NULL));
}
