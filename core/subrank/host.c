/* waymark-subranks: runs so many subranks of a program in this process. `waymark-subranks COUNT[/WORKERS[/steal]]
 * STACK PROGRAM …` */
#include "core/subrank/host.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/parse.h"
#include "core/subrank/schedule.h"
#include "core/subrank/world.h"

struct wm_host wm_host = {.loading = -1};

struct wm_host_words {
    int argc;
    char **argv;
};

/* In one block. NULL: no memory. */
static char **copy_words(const struct wm_host_words *words)
{
    size_t table_bytes = ((size_t)words->argc + 1) * sizeof(char *), bytes = table_bytes;
    char **copy, *text;

    for (int i = 0; i < words->argc; i++)
        bytes += strlen(words->argv[i]) + 1;
    if ((copy = malloc(bytes)) == NULL)
        return NULL;
    text = (char *)copy + table_bytes;
    for (int i = 0; i < words->argc; i++) {
        copy[i] = text;
        text = stpcpy(text, words->argv[i]) + 1;
    }
    copy[words->argc] = NULL;
    return copy;
}

static void live(void *with, int number)
{
    const struct wm_host_words *words = with;
    struct wm_host_life *life = &wm_host.lives[number];

    if ((life->arguments = copy_words(words)) == NULL) {
        fprintf(stderr, "waymark: subrank %d: no memory for its arguments; run fewer in a process\n", number);
        exit(EXIT_FAILURE);
    }
    exit(life->copy.main(words->argc, life->arguments, environ));
}

/* As execvp(3) finds it. */
static int find_program(const char *name, char path[PATH_MAX], struct wm_error *error)
{
    const char *folders = getenv("PATH");

    if (strchr(name, '/') != NULL) {
        snprintf(path, PATH_MAX, "%s", name);
        return 0;
    }
    for (const char *at = folders; at != NULL && *at != '\0'; at += strspn(at, ":")) {
        int length = (int)strcspn(at, ":");

        if (snprintf(path, PATH_MAX, "%.*s/%s", length, at, name) < PATH_MAX && access(path, X_OK) == 0)
            return 0;
        at += length;
    }
    return wm_error_set(error, -WM_ESYSTEM, "no program '%s' in PATH; did you mean './%s'?", name, name);
}

static int load_copies(const char *name, bool steals, struct wm_error *error)
{
    char path[PATH_MAX];
    struct wm_program program;
    int objects = wm_program_objects(), rc;

    if ((wm_host.lives = calloc((size_t)wm_host.count, sizeof *wm_host.lives)) == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for %d subranks; run fewer in a process", wm_host.count);
    if ((rc = find_program(name, path, error)) < 0 || (rc = wm_program_open(&program, path, steals, error)) < 0)
        return rc;
    for (int i = 0; rc == 0 && i < wm_host.count; i++) {
        wm_host.loading = i;
        wm_host_begin_own(&wm_host.lives[i]);
        rc = wm_program_load(&program, i, &wm_host.lives[i].copy, error);
    }
    wm_host.loading = -1;
    wm_program_close(&program);
    return rc == 0 ? wm_program_bind(&wm_host.lives[0].copy, objects, error) : rc;
}

static int run(struct wm_schedule_parts *parts, const char *program, struct wm_error *error)
{
    int rc;

    if (!wm_program_needs(&wm_host.lives[0].copy, "libmpi"))
        return wm_schedule_run(parts, error);
    if ((rc = wm_host_mpi_start(program, error)) < 0)
        return rc;
    parts->rest = wm_world_rest;
    parts->processors = wm_host_processors();
    if ((rc = wm_schedule_run(parts, error)) == 0)
        wm_host_mpi_stop();
    return rc;
}

static int misuse(const char *what)
{
    fprintf(stderr,
            "waymark-subranks: %s; write waymark-subranks COUNT[/WORKERS[/steal]] STACK PROGRAM "
            "[ARGUMENT ...]\n",
            what);
    return 2;
}

static int failed(const struct wm_error *error)
{
    fprintf(stderr, "waymark: %s\n", error->text);
    return EXIT_FAILURE;
}

/* COUNT, COUNT/WORKERS or COUNT/WORKERS/steal; the word is cut. */
static bool read_counts(char *word, struct wm_schedule_parts *parts)
{
    const char *first = strsep(&word, "/"), *second = strsep(&word, "/");
    uint64_t count, workers = 1;

    if (!wm_parse_number(first, 1, WM_SUBRANKS_MAX, &count) ||
        (second != NULL && !wm_parse_number(second, 1, count, &workers)))
        return false;
    parts->count = (int)count;
    parts->workers = (int)workers;
    parts->steals = word != NULL && strcmp(word, "steal") == 0;
    return word == NULL || parts->steals;
}

/* The first status that is not 0 is the process's. */
int main(int argc, char **argv)
{
    struct wm_error error = {0};
    uint64_t stack_bytes;
    struct wm_host_words words = {.argc = argc - 3, .argv = argv + 3};
    struct wm_schedule_parts parts = {.run = live, .with = &words};

    if (argc < 4)
        return misuse("no program is named");
    if (!read_counts(argv[1], &parts))
        return misuse(
            "COUNT is a number from 1, WORKERS one from 1 to COUNT, and behind them stands nothing but /steal");
    if (!wm_parse_bytes(argv[2], &stack_bytes))
        return misuse("STACK is a size as 256KiB");
    wm_host.process = getpid();
    wm_host.count = parts.count;
    wm_host.workers = parts.workers;
    parts.stack_bytes = stack_bytes;
    if (load_copies(argv[3], parts.steals, &error) < 0 || run(&parts, argv[3], &error) < 0)
        return failed(&error);
    for (int i = 0; i < wm_host.count; i++)
        if (wm_host.lives[i].status != 0)
            return wm_host.lives[i].status;
    return EXIT_SUCCESS;
}
