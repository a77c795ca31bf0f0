/* The guard's process: who starts it, and what it is given. */
#include "core/job/guard.h"

#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/call/publish.h"
#include "core/process/process.h"

extern char **environ;

/* Where a rank's page is: /proc/PID/fd/FD. */
struct holding {
    int pid, fd;
};

enum { WORD_CHARS = 32, FIRST_WORDS = 3 };

/* What the guard may know of the environment: it finds addr2line and libraries; nothing is preloaded. Free the array.
 */
static char **guard_environment(void)
{
    static const char *const kept[] = {"PATH=", "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS="};
    size_t most = sizeof kept / sizeof kept[0], count = 0;
    char **copy = calloc(most + 1, sizeof *copy);

    for (char **variable = environ; copy != NULL && *variable != NULL; variable++)
        for (size_t i = 0; i < most && count < most; i++)
            if (strncmp(*variable, kept[i], strlen(kept[i])) == 0)
                copy[count++] = *variable;
    return copy;
}

static int spawn(const char *file, char **words, pid_t *pid)
{
    char **environment = guard_environment();
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int rc;

    if (environment == NULL)
        return ENOMEM;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    rc = posix_spawn(pid, file, NULL, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    return rc;
}

/* The job, the patience, and where each page is. One block of memory; NULL: there is none. */
static char **make_words(const struct holding *holdings, int count)
{
    size_t pointers = (size_t)(FIRST_WORDS + count + 1) * sizeof(char *);
    char **words = malloc(pointers + (size_t)(FIRST_WORDS + count) * WORD_CHARS), *text;

    if (words == NULL)
        return NULL;
    text = (char *)words + pointers;
    for (int i = 0; i < FIRST_WORDS + count; i++)
        words[i] = text + (size_t)i * WORD_CHARS;
    words[FIRST_WORDS + count] = NULL;
    snprintf(words[0], WORD_CHARS, "waymark-guard");
    snprintf(words[1], WORD_CHARS, "%llx", (unsigned long long)wm_published->job);
    snprintf(words[2], WORD_CHARS, "%.3f", wm_process.settings.patience_s);
    for (int i = 0; i < count; i++)
        snprintf(words[FIRST_WORDS + i], WORD_CHARS, "%d/%d", holdings[i].pid, holdings[i].fd);
    return words;
}

/* The first process forks the guard and ends when that has the pages, so that the program never has a child of ours.
 * Returns 0 or an error's number; ECHILD: it did not get the pages. */
static int launch(const char *file, char **words)
{
    pid_t pid, ended;
    int status = 0, rc = spawn(file, words, &pid);

    if (rc != 0)
        return rc;
    while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (ended < 0) /* the program waits for all children, and was faster */
        return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECHILD;
}

static void start(const struct holding *holdings, int count)
{
    char file[4096], **words = make_words(holdings, count);
    int rc = words == NULL ? ENOMEM : 0;

    snprintf(file, sizeof file, "%s/waymark-guard", wm_environment_or("WAYMARK_LIBEXEC", WM_LIBEXECDIR));
    if (rc == 0)
        rc = launch(file, words);
    if (rc != 0)
        fprintf(stderr,
                "waymark: no guard on %s: %s%s; the job goes on, and 'waymark doctor' can be asked where pages can be "
                "read\n",
                wm_published->host, rc == ECHILD ? "it cannot read the pages of ranks" : file,
                rc == ECHILD ? "" : " does not start");
    free(words);
}

void wm_guard_start(void)
{
    struct holding mine = {.pid = getpid(), .fd = wm_publish_file()}, *all = NULL;
    MPI_Comm node;
    int rank, ranks;

    if (wm_process.settings.guard != WM_GUARD_WATCH || wm_published == NULL ||
        PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return;
    PMPI_Comm_rank(node, &rank);
    PMPI_Comm_size(node, &ranks);
    if (rank == 0)
        all = calloc((size_t)ranks, sizeof *all);
    PMPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, node);
    if (all != NULL)
        start(all, ranks);
    free(all);
    PMPI_Barrier(node); /* nobody dies before it is watched */
    PMPI_Comm_free(&node);
}
