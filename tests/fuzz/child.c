/* A program that is run under limits, and what it said. */
#include "tests/fuzz/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAID_MAX = 4 << 20 };

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static pid_t start(char *const *words, int *output)
{
    int ends[2], null;
    pid_t pid;

    if (pipe(ends) < 0 || (pid = fork()) < 0)
        abort();
    if (pid == 0) {
        setpgid(0, 0);
        null = open("/dev/null", O_RDONLY);
        dup2(null, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], words);
        _exit(127);
    }
    close(ends[1]);
    *output = ends[0];
    return pid;
}

/* Take what it says until it says no more, or the time is over: false. */
static bool listen_until(struct fuzz_text *said, int output, int64_t end_ms)
{
    struct pollfd entry = {.fd = output, .events = POLLIN};
    char bytes[65536];
    ssize_t count;

    for (;;) {
        int64_t left_ms = end_ms - now_ms();

        if (left_ms <= 0 || poll(&entry, 1, (int)left_ms) == 0)
            return false;
        count = read(output, bytes, sizeof bytes);
        if (count <= 0)
            return true;
        if (said->count < SAID_MAX)
            fuzz_text_add(said, bytes, (size_t)count);
    }
}

void fuzz_child_run(struct fuzz_child *child, char *const *words, int seconds)
{
    int output;
    pid_t pid = start(words, &output);

    *child = (struct fuzz_child){0};
    fuzz_text_add(&child->said, "", 0);
    child->late = !listen_until(&child->said, output, now_ms() + (int64_t)seconds * 1000);
    if (child->late)
        kill(-pid, SIGKILL);
    waitpid(pid, &child->status, 0);
    close(output);
}
