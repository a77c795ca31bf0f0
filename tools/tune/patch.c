/* Patches: by diff(1). */
#include "tools/tune/patch.h"

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A file of the text that a child finds by the same name. */
static int write_text(const char *text, char name[32])
{
    int fd = memfd_create("map", 0);

    snprintf(name, 32, "/proc/self/fd/%d", fd);
    if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
        return fd;
    return -1;
}

static int diff(const char *label, const char *old, const char *new)
{
    char *words[] = {"diff", "-u", "--label", (char *)label, "--label", (char *)label, (char *)old, (char *)new, NULL};
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (posix_spawnp(&pid, words[0], &actions, NULL, words, environ) != 0 || waitpid(pid, &status, 0) < 0)
        status = -1;
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) && WEXITSTATUS(status) <= 1 ? 0 : -1;
}

void wm_patch_print(const char *file, const char *old, const char *new)
{
    char old_name[32], new_name[32];
    int old_fd = write_text(old, old_name), new_fd = write_text(new, new_name);

    fflush(stderr);
    if (old_fd < 0 || new_fd < 0 || diff(file, old_name, new_name) < 0)
        fputs(new, stderr);
    close(old_fd);
    close(new_fd);
}
