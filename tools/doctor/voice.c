/* Voice: the standard error of a rank. */
#include "tools/doctor/voice.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000 };

/* The rank's own file, with its offset, where the system lends it; else opened anew, at its end. */
int wm_voice_open(int pid)
{
    char name[48];
    int process = (int)syscall(SYS_pidfd_open, pid, 0), fd = -1;

    if (process >= 0) {
        fd = (int)syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0);
        close(process);
    }
    if (fd >= 0)
        return fd;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", pid, STDERR_FILENO);
    return open(name, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
}

/* As many lines as a pipe that has room takes at once. */
static size_t next_part(const char *text)
{
    size_t end = strlen(text);

    if (end <= PIPE_BUF)
        return end;
    for (end = PIPE_BUF; end > 0 && text[end - 1] != '\n'; end--)
        ;
    return end > 0 ? end : PIPE_BUF;
}

bool wm_voice_say(int voice, const char *text)
{
    struct pollfd room = {.fd = voice, .events = POLLOUT};
    bool said = voice >= 0;

    while (said && text[0] != '\0') {
        size_t part = next_part(text);

        said = poll(&room, 1, PATIENCE_MS) == 1 && (room.revents & POLLOUT) != 0 &&
               write(voice, text, part) == (ssize_t)part;
        text += part;
    }
    return said;
}
