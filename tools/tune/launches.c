/* Jobs of a launcher, one after the other. */
#include "tools/tune/launches.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/cli/command.h"
#include "tools/tune/state.h"

enum { WORDS_MAX = 128, NOT_FOUND = 127, BY_SIGNAL = 128 };

static volatile sig_atomic_t child, stopped;

static void on_signal(int number)
{
    stopped = number;
    if (child > 0)
        kill((pid_t)child, SIGTERM);
}

/* The words of a line that blanks separate, in its place. */
static int split(char *line, char **words)
{
    int count = 0;

    for (char *word = strtok(line, " "); word != NULL && count < WORDS_MAX - 5; word = strtok(NULL, " "))
        words[count++] = word;
    return count;
}

/* The program that runs, under the name that it was started by on other hosts, too. */
static const char *program(char *found, size_t found_bytes)
{
    ssize_t length = readlink("/proc/self/exe", found, found_bytes - 1);

    if (length < 0)
        return "waymark";
    found[length] = '\0';
    return found;
}

/* Returns an exit status. */
static int launch(char *const *words)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execvp(words[0], words);
        fprintf(stderr, "waymark tune: cannot start '%s': %s; name a launcher behind --\n", words[0], strerror(errno));
        _exit(NOT_FOUND);
    }
    child = pid;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return WM_EXIT_FAILED;
    child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : BY_SIGNAL + WTERMSIG(status);
}

int wm_tune_launches_run(char *const *given, int count, const char *file)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct wm_tune_state *state = malloc(sizeof *state);
    char self[4096], line[WM_TUNE_TEXT_CHARS], *words[WORDS_MAX];
    struct wm_error error;
    int status = 0;

    if (state == NULL)
        wm_error_set(&error, -WM_ENOMEM, "no memory for the state");
    if (state == NULL || wm_tune_state_load(state, file, &error) < 0) {
        free(state);
        return wm_command_failed(&error);
    }
    strcpy(line, state->launcher);
    if (count > 0)
        memcpy(words, given, (size_t)count * sizeof *words);
    else
        count = split(line, words);
    memcpy(words + count, (char *[]){(char *)program(self, sizeof self), "tune", "--resume", (char *)file, NULL},
           5 * sizeof *words);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    do {
        status = launch(words);
    } while (status == 0 && !stopped && wm_tune_state_load(state, file, &error) == 0 && !wm_tune_state_done(state));
    free(state);
    return status == 0 && stopped ? 130 : status;
}
