/* The walls around the map server, tried from inside: what must be refused is refused, whatever runs there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/map/sandbox.h"
#include "tests/check.h"

enum { ENTERED = 100 };

static int client_fd;

/* Run `attempt` behind the walls, in a process of its own. Returns 0 or the errno that it met. */
static int attempt_inside(int (*attempt)(void))
{
    int sockets[2], status;
    pid_t child;

    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    child = fork();
    if (child == 0) {
        client_fd = sockets[1];
        if (wm_sandbox_enter(sockets[1], NULL) < 0)
            _exit(ENTERED + 1);
        errno = 0;
        _exit(attempt() < 0 ? errno : 0);
    }
    waitpid(child, &status, 0);
    close(sockets[0]);
    close(sockets[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : ENTERED + WTERMSIG(status);
}

static int open_file(void)
{
    return open("/dev/null", O_RDONLY);
}

static int start_process(void)
{
    return fork();
}

static int run_program(void)
{
    return execl("/bin/true", "true", (char *)NULL);
}

static int make_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static int signal_parent(void)
{
    return kill(getppid(), 0);
}

static int signal_group(void)
{
    return kill(0, 0);
}

static int map_executable(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1
                                                                                                                  : 0;
}

static int print(void)
{
    return (int)write(STDOUT_FILENO, "x", 1);
}

static int take_a_gibibyte(void)
{
    return mmap(NULL, 1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}

static int use_what_is_needed(void)
{
    char *memory = malloc(1 << 20);

    if (memory == NULL)
        return -1;
    memset(memory, 1, 1 << 20);
    free(memory);
    return (int)send(client_fd, "x", 1, MSG_NOSIGNAL);
}

static int abort_itself(void)
{
    abort();
}

static void walls__refuse_what_reaches_outside(void)
{
    CU_ASSERT_EQUAL(attempt_inside(open_file), EPERM);
    CU_ASSERT_EQUAL(attempt_inside(start_process), EPERM);
    CU_ASSERT_EQUAL(attempt_inside(run_program), EPERM);
    CU_ASSERT_EQUAL(attempt_inside(make_socket), EPERM);
    CU_ASSERT_EQUAL(attempt_inside(signal_parent), EPERM);
    CU_ASSERT_EQUAL(attempt_inside(signal_group), EPERM);
    CU_ASSERT_EQUAL(attempt_inside(map_executable), EPERM);
    CU_ASSERT_EQUAL(attempt_inside(print), EPERM);
}

static void walls__bound_memory(void)
{
    CU_ASSERT_EQUAL(attempt_inside(take_a_gibibyte), ENOMEM);
}

static void walls__leave_the_socket_memory_and_an_end(void)
{
    CU_ASSERT_EQUAL(attempt_inside(use_what_is_needed), 0);
    CU_ASSERT_EQUAL(attempt_inside(abort_itself), ENTERED + SIGABRT);
}

/* What /proc says of a process behind the walls: "CapEff:" and its like. True when there is one, and each is zero. */
static bool capabilities_are_gone(pid_t pid)
{
    char name[64], line[256];
    int sets = 0, left = 0;
    FILE *status;

    snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
    status = fopen(name, "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "CapInh:", 7) == 0 || strncmp(line, "CapPrm:", 7) == 0 || strncmp(line, "CapEff:", 7) == 0) {
            sets++;
            left += strtoull(line + 7, NULL, 16) != 0;
        }
    if (status != NULL)
        fclose(status);
    return sets == 3 && left == 0;
}

static void walls__leave_no_capability(void)
{
    int sockets[2];
    char byte;
    pid_t child;

    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    child = fork();
    if (child == 0) {
        bool entered = wm_sandbox_enter(sockets[1], NULL) == 0;

        send(sockets[1], entered ? "y" : "n", 1, MSG_NOSIGNAL);
        _exit(recv(sockets[1], &byte, 1, 0) < 0);
    }
    CU_ASSERT(recv(sockets[0], &byte, 1, 0) == 1 && byte == 'y');
    CU_ASSERT(capabilities_are_gone(child));
    send(sockets[0], "x", 1, MSG_NOSIGNAL);
    waitpid(child, NULL, 0);
    close(sockets[0]);
    close(sockets[1]);
}

int main(void)
{
    static const struct check_case cases[] = {
        CASE(walls__refuse_what_reaches_outside),
        CASE(walls__bound_memory),
        CASE(walls__leave_no_capability),
        CASE(walls__leave_the_socket_memory_and_an_end),
    };

    return check_main("sandbox", cases, sizeof cases / sizeof cases[0]);
}
