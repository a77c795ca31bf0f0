/* Starting the map server, judging why it does not answer, ending it. */
#include "core/map/launch.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Between two words on stderr lies no more than twice this. */
static const int64_t PATIENCE_MAX_NS = 300000000000;

extern char **environ;

/* Variables, or whole families, that load code into the server, or change how Guile, its collector and the C library
 * work; libraries are found by LD_LIBRARY_PATH still. */
static const char *const refused_variables[] = {"LD_", "GC_", "GUILE_", "MALLOC_", "GLIBC_TUNABLES="};

static bool is_refused(const char *variable)
{
    for (size_t i = 0; i < sizeof refused_variables / sizeof refused_variables[0]; i++)
        if (strncmp(variable, refused_variables[i], strlen(refused_variables[i])) == 0)
            return strncmp(variable, "LD_LIBRARY_PATH=", 16) != 0;
    return false;
}

/* The environment without them. Free the array alone. */
static char **server_environment(void)
{
    size_t count = 0, kept = 0;
    char **copy;

    while (environ[count] != NULL)
        count++;
    copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++)
        if (!is_refused(environ[i]))
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

/* The process that sent what can be received next, as the kernel attests; 0 when that is not known. */
static pid_t sender(int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr align;
    } control;
    char first;
    struct iovec data = {.iov_base = &first, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct ucred credentials = {0};
    struct cmsghdr *part;

    if (recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0)
        return 0;
    for (part = CMSG_FIRSTHDR(&message); part != NULL; part = CMSG_NXTHDR(&message, part))
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS)
            memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
    return credentials.pid;
}

/* The first process has nothing more to do; an application that waits for every child may have been faster. */
static void end_first(pid_t first)
{
    if (waitpid(first, NULL, WNOHANG) != 0)
        return;
    kill(first, SIGKILL);
    while (waitpid(first, NULL, 0) < 0 && errno == EINTR)
        ;
}

static enum wm_frame_state receive_hello(struct wm_map_server *s, struct wm_frame_wait *wait)
{
    enum wm_frame_kind kind;
    enum wm_frame_state state = wm_frame_await(s->fd, wait);
    pid_t first = s->pid, pid;
    char *payload;
    size_t bytes;

    if (state != WM_FRAME_DONE)
        return state;
    pid = sender(s->fd);
    state = wm_frame_receive(s->fd, &kind, &payload, &bytes, wait);
    free(payload);
    if (state == WM_FRAME_DONE && (kind != WM_FRAME_HELLO || pid <= 0 || pid == first))
        return WM_FRAME_BROKEN;
    s->pid = pid > 0 ? pid : first;
    return state;
}

static int connect_socket(struct wm_map_server *s, const char *file, struct wm_error *error)
{
    struct stat status;
    int sockets[2], on = 1, rc;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
        return wm_error_set(error, -WM_ESYSTEM, "no socket for the map server: %s", strerror(errno));
    setsockopt(sockets[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    rc = spawn_server(file, sockets[1], &s->pid);
    close(sockets[1]);
    if (rc != 0) {
        close(sockets[0]);
        return wm_error_set(error, -WM_ESYSTEM, "cannot start the map server '%s': %s", file, strerror(rc));
    }
    s->fd = sockets[0];
    s->socket = fstat(s->fd, &status) == 0 ? status.st_ino : 0;
    return 0;
}

int wm_map_server_start(struct wm_map_server *s, const char *file, struct wm_map_vigil *vigil, struct wm_error *error)
{
    enum wm_frame_state state;
    int off = 0, rc = connect_socket(s, file, error);
    pid_t first = s->pid;

    if (rc < 0)
        return rc;
    state = receive_hello(s, &vigil->wait);
    end_first(first);
    if (state == WM_FRAME_DONE) {
        setsockopt(s->fd, SOL_SOCKET, SO_PASSCRED, &off, sizeof off);
        return 0;
    }
    wm_map_server_drop(s);
    return wm_error_set(error, -WM_ESERVER, "the map server does not start: '%s' %s", file,
                        state == WM_FRAME_CLOSED ? "ends without a word" : "is not Waymark's map server");
}

bool wm_map_server_there(const struct wm_map_server *s)
{
    struct stat status;

    return s->fd >= 0 && fstat(s->fd, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == s->socket;
}

void wm_map_server_drop(struct wm_map_server *s)
{
    if (wm_map_server_there(s))
        close(s->fd);
    s->fd = -1;
}

void wm_map_server_kill(struct wm_map_server *s)
{
    if (wm_map_server_there(s))
        kill(s->pid, SIGKILL);
    wm_map_server_drop(s);
}

/* Processor time that a process has had; 0 when it is not known. */
static int64_t processor_ns(pid_t pid)
{
    struct timespec time;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The letter of /proc/PID/stat; '?' when it is not known. */
static char process_state(pid_t pid)
{
    char name[64], text[256] = "";
    const char *end;
    FILE *file;

    snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
    if ((file = fopen(name, "re")) == NULL)
        return '?';
    if (fgets(text, sizeof text, file) == NULL)
        text[0] = '\0';
    fclose(file);
    end = strrchr(text, ')'); /* its name may hold anything */
    return end != NULL && end[1] == ' ' ? end[2] : '?';
}

static void say_waiting(const struct wm_map_vigil *v, int64_t used_ns)
{
    fprintf(stderr,
            "waymark: the map server has not answered for %.1f s, in which it had %.1f s of processor time: "
            "this machine is busy; waiting on\n",
            (double)(wm_frame_now() - v->begin_ns) / 1e9, (double)used_ns / 1e9);
    fflush(stderr);
}

/* A server has work from the question to the answer. One that is stopped will not answer; one that sleeps may wait for
 * a file system, and gets a second term. */
static bool judge(struct wm_frame_wait *wait)
{
    struct wm_map_vigil *v = (struct wm_map_vigil *)wait;
    struct wm_frame_wait moment = {.deadline_ns = wm_frame_now() + 1000000};
    int64_t now_ns = processor_ns(v->server->pid);
    char state = process_state(v->server->pid);
    bool slept = v->slept_ns == now_ns;

    wait->deadline_ns = wm_frame_now() + v->patience_ns;
    if (wm_frame_await(v->server->fd, &moment) == WM_FRAME_DONE) /* the answer is coming */
        return true;
    v->slept_ns = state == 'S' ? now_ns : -1;
    v->asleep = state == 'T' || (state == 'S' && slept);
    if (v->asleep || now_ns - v->before_ns > v->limit_ns + v->grace_ns)
        return false;
    if (state != 'S')
        say_waiting(v, now_ns - v->before_ns);
    v->patience_ns = v->patience_ns < PATIENCE_MAX_NS ? 2 * v->patience_ns : v->patience_ns;
    wait->deadline_ns = wm_frame_now() + v->patience_ns;
    return true;
}

void wm_map_vigil_begin(struct wm_map_vigil *v, const struct wm_map_server *server, unsigned limit_ms,
                        unsigned grace_ms)
{
    *v = (struct wm_map_vigil){.server = server,
                               .limit_ns = (int64_t)limit_ms * 1000000,
                               .grace_ns = (int64_t)grace_ms * 1000000,
                               .before_ns = server->fd >= 0 ? processor_ns(server->pid) : 0,
                               .begin_ns = wm_frame_now(),
                               .slept_ns = -1,
                               .patience_ns = ((int64_t)limit_ms + grace_ms) * 1000000};
    v->wait = (struct wm_frame_wait){.deadline_ns = v->begin_ns + v->patience_ns, .late = judge};
}
