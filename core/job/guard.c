/* The guard: a node's pages, who starts the process, and what that is given. */
#include "core/job/guard.h"

#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/call/publish.h"
#include "core/job/guard_tree.h"
#include "core/process/process.h"

extern char **environ;

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

/* What the process has open: under these numbers, from WM_GUARD_FILE on. */
struct files {
    int pages;
    struct wm_guard_tree tree;
};

static int hand_over(posix_spawn_file_actions_t *actions, int file, int number)
{
    return file >= 0 ? posix_spawn_file_actions_adddup2(actions, file, number) : 0;
}

/* It has a session of its own: launchers end ranks by their groups. */
static int spawn(const char *file, const struct files *files, char **words, pid_t *pid)
{
    char **environment = guard_environment();
    posix_spawn_file_actions_t actions;
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
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_init(&actions);
    if ((rc = hand_over(&actions, files->pages, WM_GUARD_FILE)) == 0 &&
        (rc = hand_over(&actions, files->tree.start, WM_GUARD_START)) == 0 &&
        (rc = hand_over(&actions, files->tree.door, WM_GUARD_DOOR)) == 0)
        rc = posix_spawn(pid, file, &actions, &attributes, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    return rc;
}

/* The first process forks the guard and ends when that has the pages, so that the program never has a child of ours.
 * Returns 0 or an error's number; ECHILD: it did not get the pages. */
static int launch(const char *file, const struct files *files, char **words)
{
    pid_t pid, ended;
    int status = 0, rc = spawn(file, files, words, &pid);

    if (rc != 0)
        return rc;
    while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (ended < 0) /* the program waits for all children, and was faster */
        return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECHILD;
}

static int start(const struct files *files)
{
    char file[4096], job[32], patience[32], *words[] = {"waymark-guard", job, patience, NULL, NULL};

    snprintf(job, sizeof job, "%llx", (unsigned long long)wm_published->job);
    snprintf(patience, sizeof patience, "%.3f", wm_process.settings.patience_s);
    snprintf(file, sizeof file, "%s/waymark-guard", wm_environment_or("WAYMARK_LIBEXEC", WM_LIBEXECDIR));
    if (files->tree.start >= 0 && files->tree.door >= 0)
        words[3] = "tree";
    return launch(file, files, words);
}

/* `seen`: all pages of the node are in this file. */
static void watch(const struct files *files, bool seen)
{
    int rc = seen ? start(files) : ECHILD;

    if (rc != 0)
        fprintf(stderr,
                "waymark: no guard on %s: %s; the job goes on, and 'waymark doctor' can be asked where pages can be "
                "read\n",
                wm_published->host,
                rc == ECHILD ? "it cannot read the pages of ranks" : "waymark-guard does not start");
}

/* --- The node's pages --- */

struct node {
    MPI_Comm comm;
    int rank, ranks;
    int file;      /* that this rank's page is in */
    bool is_alone; /* a file of its own, as the first rank's cannot be opened */
};

/* A file for so many ranks, and this one's page in it. */
static int make_pages(struct node *n, int pages, uint64_t job, struct wm_error *error)
{
    const char *trace = wm_process.settings.trace;

    n->file = wm_page_file_new(trace[0] != '\0' ? trace : NULL, wm_process.world_rank, pages, error);
    return n->file < 0 ? error->code : wm_publish_start(n->file, 0, job, error);
}

/* The first rank makes the file and begins its page, so that the others know the file by it. */
static int open_pages(struct node *n, uint64_t job, struct wm_error *error)
{
    int rc = n->rank == 0 ? make_pages(n, n->ranks, job, error) : 0, first[2] = {getpid(), rc == 0 ? n->file : -1};

    PMPI_Bcast(first, 2, MPI_INT, 0, n->comm);
    if (n->rank == 0)
        return rc;
    n->file = first[1] >= 0 ? wm_page_file_open(first[0], first[1], n->ranks, job) : -1;
    n->is_alone = n->file < 0;
    return n->is_alone ? make_pages(n, 1, job, error) : wm_publish_start(n->file, n->rank, job, error);
}

/* What tells the job from others, and what no other has. */
struct job {
    uint64_t number;
    uint8_t key[WM_KEY_BYTES];
    bool has_key;
};

static struct job number_job(void)
{
    struct job job = {0};

    if (getrandom(&job.number, sizeof job.number, GRND_NONBLOCK) < 0)
        job.number = (uint64_t)getpid();
    job.has_key = getrandom(job.key, sizeof job.key, GRND_NONBLOCK) == sizeof job.key;
    PMPI_Bcast(&job, sizeof job, MPI_BYTE, 0, MPI_COMM_WORLD);
    return job;
}

/* Start the process, on the first rank of each node, where `rc` says that it has its page. */
static void start_watch(const struct node *n, const struct job *job, int rc)
{
    int unseen = rc < 0 || n->is_alone, any = 0;
    struct files files = {n->file, {-1, -1}};

    PMPI_Reduce(&unseen, &any, 1, MPI_INT, MPI_MAX, 0, n->comm);
    if (job->has_key)
        wm_guard_tree_make(&files.tree, n->rank == 0, job->key);
    if (rc == 0 && n->rank == 0)
        watch(&files, !any);
    wm_guard_tree_release(&files.tree);
}

int wm_guard_start(struct wm_error *error)
{
    struct wm_settings *settings = &wm_process.settings;
    struct node n = {.file = -1};
    struct job job;
    int rc;

    if (wm_process.each > 0) /* a page is of a process, and so are these */
        settings->guard = WM_GUARD_OFF;
    if (settings->guard == WM_GUARD_OFF)
        return 0;
    job = number_job();
    if (PMPI_Comm_split(MPI_COMM_WORLD, wm_process.places[wm_process.world_rank].node, 0, &n.comm) != MPI_SUCCESS)
        return wm_error_set(error, -WM_EMPI, "the MPI library gives no communicator");
    PMPI_Comm_rank(n.comm, &n.rank);
    PMPI_Comm_size(n.comm, &n.ranks);
    rc = open_pages(&n, job.number, error);
    if (settings->guard == WM_GUARD_WATCH)
        start_watch(&n, &job, rc);
    PMPI_Barrier(n.comm); /* nobody dies before it is watched */
    PMPI_Comm_free(&n.comm);
    return rc;
}
