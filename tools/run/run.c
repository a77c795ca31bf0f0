/* waymark run: sets up the preloaded library, map and trace for a program, and becomes that program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/job/without_mpi.h"
#include "core/settings.h"
#include "core/subrank/schedule.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/run/environment.h"
#include "tools/run/maps.h"
#include "tools/run/preload.h"
#include "tools/run/stale.h"
#include "tools/run/subranks.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, TUNER_NICE = 10 };

struct settings {
    const char *map, *trace, *mode, *level, *calls, *time, *guard, *verify, *retune;
    int verbose;
    bool online;
    struct wm_subranks_wish subranks;
    struct wm_launch launch;
};

/* 'auto' would have to run the program several times: what it does before it computes depends on the number of ranks.
 */
static int read_subranks(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    if (strcmp(a->value, "auto") == 0)
        return wm_arguments_misuse(a, "how many subranks are best cannot be tried while a program runs, which has "
                                      "divided its work among its ranks already; give --subranks 2 and -v, and the "
                                      "job says at its end how many to try");
    return wm_option_number(place, a, option);
}

static const struct wm_option options[] = {
    {"map", 'm', "MAP",
     "The path map: a file, or the name of a map that comes with Waymark. Without it, $WAYMARK_MAP, else "
     "'" WM_MAPS_DEFAULT "', or none for subranks.",
     .read = wm_option_name, .place = offsetof(struct settings, map)},
    {"trace", 't', "DIR",
     "Record a trace into DIR, which is made if need be. A trace that is there already is replaced.",
     .read = wm_option_name, .place = offsetof(struct settings, trace)},
    {"mode", 0, "flight|full",
     "What a trace does that has no more room: 'flight' (the default) keeps the newest records, 'full' the first ones.",
     .read = wm_option_one_of, .place = offsetof(struct settings, mode)},
    {"trace-level", 0, "off|calls|detail",
     "How much is recorded: 'off', 'calls' (with marks and waits), or 'detail' (the default: their messages and steps, "
     "too). MPI_Pcontrol with 0, 1 or 2 switches it in the program.",
     .read = wm_option_one_of, .place = offsetof(struct settings, level)},
    {"trace-calls", 0, "FIRST-LAST",
     "Record the collective calls of these numbers alone, counted from 0 on each communicator. '100-' has no end.",
     .read = wm_option_word, .place = offsetof(struct settings, calls)},
    {"trace-time", 0, "BEGIN-END", "Record only what begins so many seconds after MPI_Init. '60-' has no end.",
     .read = wm_option_word, .place = offsetof(struct settings, time)},
    {"guard", 0, "off|on|watch",
     "With 'on' each rank keeps a page that says where it is: 'waymark doctor' tells from the pages which calls do not "
     "match and who waits for whom, while the job runs and, with -t, when it is dead. With 'watch' a process on each "
     "node reads them all the time, and says it on the job's standard error by itself.",
     .read = wm_option_one_of, .place = offsetof(struct settings, guard)},
    {"verify", 0, "off|watch|each|results|full",
     "What becomes of collective calls that do not match. With 'watch' a guard watches, and ranks leave such calls as "
     "soon as it has named them; with 'each' a fingerprint goes with each call's data, too, and is compared before "
     "that "
     "is used; with 'results', of one call in 16 what it gives is compared with what the ranks gave; with 'full', "
     "which costs much "
     "more, that of each call, and buffers that overlap or that are written to too early, counts "
     "between pairs of ranks, and what is never freed are looked at, too. The call ends with an MPI error, or as "
     "$WAYMARK_MISMATCH says.",
     .read = wm_option_one_of, .place = offsetof(struct settings, verify)},
    {"retune", 0, "SECONDS",
     "About so often, at a call, ranks agree whether 'waymark retune' has given the job another map, which then holds: "
     "0.5, say. Unless given, the job keeps its map.",
     .read = wm_option_word, .place = offsetof(struct settings, retune)},
    {"online", 0, NULL,
     "Tune the map while the job runs: a process beside rank 0 tries paths for the calls that take the time, in one "
     "call "
     "of a hundred, keeps what is shown to be faster, and prints what this makes of the map as a patch. The same as "
     "'waymark tune --job', and as WAYMARK_TUNE=online.",
     .read = wm_option_flag, .place = offsetof(struct settings, online)},
    {"subranks", 0, "NUMBER",
     "Run so many ranks of the program in each process, which then are a job of as many ranks in all. With 1 (the "
     "default, unless the map says otherwise) the process is one rank; asked for under a map that delays messages, it "
     "is "
     "one subrank, so that its messages are held, too. The program is built by `waymark cc`.",
     .read = read_subranks, .place = offsetof(struct settings, subranks.count), .least = 1, .most = WM_SUBRANKS_MAX},
    {"workers", 0, "NUMBER",
     "Have so many threads of each process run its subranks, each its own part of them, on processors of their own "
     "where "
     "the process has as many; 1 unless the map or this says otherwise.",
     .read = wm_option_number, .place = offsetof(struct settings, subranks.workers), .least = 1,
     .most = WM_SUBRANKS_MAX},
    {"steal", 0, NULL,
     "Have a worker none of whose subranks can go on take one that waits behind another's that computes. For programs "
     "whose subranks have unequal work, and no thread-local variables.",
     .read = wm_option_flag, .place = offsetof(struct settings, subranks.steals)},
    {"stack", 0, "SIZE", "The stack of each subrank; 256KiB unless the map or this says otherwise.",
     .read = wm_option_size, .place = offsetof(struct settings, subranks.stack_bytes), .least = 1},
    {"verbose", 'v', NULL, "Say at the end what ran, what stayed native, and what the map server cost; -vv says more.",
     .read = wm_option_count, .place = offsetof(struct settings, verbose)},
    {0},
};

static const char *const synopsis[] = {
    "run [-m MAP] [-t DIR] [--mode flight|full] [--trace-level off|calls|detail] [--trace-calls FIRST-LAST] "
    "[--trace-time BEGIN-END] [--guard off|on|watch] [--verify off|watch|each|results|full] [--retune SECONDS] "
    "[--online] "
    "[-v] [--] "
    "PROGRAM "
    "[ARGUMENT ...]",
    "run --subranks NUMBER [--workers NUMBER [--steal]] [--stack SIZE] [-m MAP] [-t DIR] [-v] [--] PROGRAM "
    "[ARGUMENT ...]",
    NULL,
};

static const char *const description[] = {
    "Run an MPI program, unmodified, with its collective operations going through a path map. The command stands "
    "inside the launcher, between mpirun or srun and the program, so that it works with any of them; without a "
    "launcher the program runs as one rank.",
    "The map is read by rank 0 alone, on its host, and sent to the others. A wrong map ends the job with one "
    "message that names file, line and column.",
    "Where a job of several ranks, or one with -t or -v, ends without MPI_Init, one line says so: the program is built "
    "without MPI, or with another MPI library, and the map did not serve it.",
    "With --subranks each rank of the program has its own globals, and one that waits lets the others of its process "
    "run. "
    "Their messages and collectives are Waymark's: they go by the map, if one is given by -m or $WAYMARK_MAP; else the "
    "latter by those of the map 'subranks', in which the subranks of a process combine first. "
    "One-sided communication, MPI's files and spawned processes are refused, by name, when they are first used.",
    "The trace of an earlier run in DIR is replaced: each rank removes its own old files, and the first rank of "
    "each host removes those of ranks that this job does not have. Nothing else in DIR is touched.",
    NULL,
};

/* clang-format off */
static const struct wm_command_item environment[] = {
#define X(name, field, type, fallback, help) {"WAYMARK_" #name, sizeof fallback > 1 ? help " (unless set: " fallback ")" : help},
    WM_SETTINGS(X)
#undef X
    {"WAYMARK_PRELOAD", "the library to preload, in the place of the installed libwaymark-mpi.so"},
    {"WAYMARK_SPECS", "the directory of the maps that are found by name"},
    {"WAYMARK_LIBEXEC", "the directory of the map server, and of what runs subranks"},
    {0},
};
/* clang-format on */

static const struct wm_command_item statuses[] = {
    {"0", "The program's own, as any status that does not stand here."},
    {"1", "The map or the library cannot be read."},
    {"126, 127", "The program cannot be executed, or was not found."},
    {0},
};

static const struct wm_command_section sections[] = {{"ENVIRONMENT", environment}, {0}};

static const struct wm_command_item examples[] = {
    {"mpirun -n 4 waymark run ./program", "Run under the map '" WM_MAPS_DEFAULT "'."},
    {"mpirun -n 4 waymark run -m cluster.scm -t trace ./program input",
     "Run under a map of your own, and record a trace."},
    {"mpirun -n 2 waymark run --subranks 4 ./program", "8 ranks in 2 processes."},
    {"srun -n 64 waymark run -m ring -- ./program --help",
     "With another launcher; what follows the program is its own."},
    {0},
};

/* Rank 0 alone needs the map, so it alone looks for it, and says once what is wrong. The others hand on the same name:
 * they may run on a host that does not have the file. */
static int set_map(const struct settings *s)
{
    char *file = NULL, *text = NULL;
    size_t bytes;
    struct wm_error error = {0};
    struct stat what;
    int status;

    if (s->launch.rank != 0)
        return strchr(s->map, '/') != NULL ? wm_environment_set_absolute("WAYMARK_MAP", s->map)
                                           : wm_environment_set("WAYMARK_MAP", s->map);
    if (stat(s->map, &what) == 0 && S_ISFIFO(what.st_mode)) {
        wm_error_set(&error, -WM_EMAP, "the map '%s' is a pipe, and the job would read it again: give a file", s->map);
        return wm_command_failed(&error);
    }
    if (wm_maps_read(s->map, &file, &text, &bytes, &error) < 0)
        return wm_command_failed(&error);
    status = wm_environment_set_absolute("WAYMARK_MAP", file);
    free(file);
    free(text);
    return status;
}

/* Files of ranks that this job has are removed by these alone, so nobody removes what another has just made. */
static int set_trace(const struct settings *s)
{
    const struct {
        const char *name, *value;
    } more[] = {{"WAYMARK_TRACE_MODE", s->mode},
                {"WAYMARK_TRACE_LEVEL", s->level},
                {"WAYMARK_TRACE_CALLS", s->calls},
                {"WAYMARK_TRACE_TIME", s->time}};
    int status;

    if (s->trace == NULL)
        return 0;
    if ((status = wm_environment_set_absolute("WAYMARK_TRACE", s->trace)) != 0)
        return status;
    if (!s->launch.spawned) /* else these are its parents' */
        wm_stale_remove(s->trace, s->launch.rank, s->launch.local_rank == 0 ? s->launch.size : -1);
    for (size_t i = 0; status == 0 && i < sizeof more / sizeof more[0]; i++)
        if (more[i].value != NULL)
            status = wm_environment_set(more[i].name, more[i].value);
    return status;
}

/* Rank 0 is to say it when the program cannot have Waymark, or ends without MPI_Init. */
static int set_program(const struct settings *s, const char *program)
{
    char pid[16];

    if (s->launch.rank != 0 || (s->launch.size == 1 && s->verbose == 0 && s->trace == NULL))
        return 0;
    if (!wm_preload_is_heeded(program))
        fprintf(stderr,
                "waymark: '%s' is linked statically, so Waymark is not loaded into it; link it with the shared MPI "
                "library\n",
                program);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    return wm_environment_set(WM_PROGRAM_PID, pid);
}

/* Returns only to say why the program did not start. */
static int become(const struct settings *s, char **words)
{
    bool by_path = strchr(words[0], '/') != NULL;
    struct wm_error error;
    int cause;

    execvp(words[0], words);
    cause = errno;
    if (cause == ENOENT && by_path && access(words[0], F_OK) == 0)
        wm_error_set(&error, -WM_ESYSTEM, "cannot run '%s' on %s: the interpreter or loader that it names is not there",
                     words[0], wm_preload_host());
    else if (cause == ENOENT && !by_path && access(words[0], F_OK) == 0)
        wm_error_set(&error, -WM_ESYSTEM, "no program '%s' in PATH on %s; did you mean './%s'?", words[0],
                     wm_preload_host(), words[0]);
    else if (cause == ENOENT)
        wm_error_set(&error, -WM_ESYSTEM, "no program '%s'%s on %s", words[0], by_path ? "" : " in PATH",
                     wm_preload_host());
    else
        wm_error_set(&error, -WM_ESYSTEM, "cannot run '%s' on %s: %s", words[0], wm_preload_host(), strerror(cause));
    return wm_preload_host_failed(&s->launch, cause == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE, &error);
}

static int run_subranks(const struct settings *s, const struct wm_arguments *arguments)
{
    char **words =
        wm_subranks_wish_words(&s->subranks, arguments->argv + arguments->next, arguments->argc - arguments->next);
    struct wm_error error;

    if (words != NULL)
        return become(s, words);
    wm_error_set(&error, -WM_ENOMEM, "no memory to start the program");
    return wm_command_failed(&error);
}

/* Before the program starts every rank has to know what it becomes. A rank that cannot read the map becomes itself, and
 * the ranks find out that they do not agree (core/job/agreement.h). */
static int ask_subranks(struct settings *s, const char *program)
{
    struct wm_error error = {0};
    int rc = s->map != NULL ? wm_subranks_wish_read(&s->subranks, s->map, program, &error) : 0;

    s->subranks.hosted = s->subranks.hosted || s->subranks.count > 1;
    if (rc < 0 && s->launch.rank == 0)
        return wm_command_failed(&error);
    return 0;
}

static int check_subranks(const struct settings *s, const struct wm_arguments *arguments)
{
    const struct wm_subranks_wish *wish = &s->subranks;

    if (!wish->hosted && (wish->stack_bytes > 0 || wish->workers > 1))
        return wm_arguments_misuse(arguments, "--%s is for subranks, but none are asked for; add --subranks NUMBER",
                                   wish->stack_bytes > 0 ? "stack" : "workers");
    if (wish->hosted && wish->workers > wish->count)
        return wm_arguments_misuse(arguments,
                                   "%d workers cannot share %d subranks of a process; give --workers %d or less",
                                   wish->workers, wish->count, wish->count);
    if (wish->steals && wish->workers < 2)
        return wm_arguments_misuse(arguments, "--steal is for several workers; add --workers NUMBER");
    return 0;
}

static int check(const struct settings *s, const struct wm_arguments *arguments)
{
    if (arguments->next >= arguments->argc)
        return wm_arguments_misuse(arguments, "no program is named");
    if (s->trace == NULL && (s->mode != NULL || s->level != NULL || s->calls != NULL || s->time != NULL))
        return wm_arguments_misuse(arguments, "--%s speaks of a trace, but none is asked for; add -t DIR",
                                   s->mode != NULL    ? "mode"
                                   : s->level != NULL ? "trace-level"
                                   : s->calls != NULL ? "trace-calls"
                                                      : "trace-time");
    return 0;
}

/* A process beside rank 0 tunes the job; nobody has to wait for it. It finds its job by the process that becomes the
 * program. */
static void start_tuning(const struct settings *s)
{
    char pid[16];
    pid_t child;

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if ((child = fork()) == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        if (fork() == 0 && setpriority(PRIO_PROCESS, 0, TUNER_NICE) == 0)
            execl("/proc/self/exe", "waymark", "tune", "--job", pid, "--wait", "86400s", s->verbose > 0 ? "-v" : NULL,
                  NULL);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    else
        perror("waymark: the job is not tuned, there is no process for it");
}

static int set_tuning(struct settings *s, struct wm_arguments *arguments)
{
    const char *said = wm_environment_or("WAYMARK_TUNE", "off");

    if (strcmp(said, "off") != 0 && strcmp(said, "online") != 0)
        return wm_arguments_misuse(arguments, "WAYMARK_TUNE is '%s'; write off or online", said);
    if (!s->online && strcmp(said, "off") == 0)
        return 0;
    if (s->subranks.hosted)
        return wm_arguments_misuse(arguments, "subranks keep the map that they begin with; leave --online out");
    if (s->retune == NULL)
        s->retune = wm_environment_or("WAYMARK_RETUNE", "0.5");
    if (s->launch.rank == 0)
        start_tuning(s);
    return 0;
}

static int run(struct wm_arguments *arguments)
{
    struct settings s = {.trace = wm_environment_or("WAYMARK_TRACE", NULL), .launch = wm_launch_read()};
    int status;

    arguments->quiet = s.launch.rank != 0; /* all ranks have the same command line: one complains, all end */
    if (!wm_arguments_read(arguments, &s, &status) || (status = check(&s, arguments)) != 0)
        return status;
    if (s.map == NULL)
        s.map = wm_environment_or("WAYMARK_MAP", s.subranks.count > 1 ? NULL : WM_MAPS_DEFAULT);
    if (s.map != NULL && (status = set_map(&s)) != 0)
        return status;
    if ((status = ask_subranks(&s, arguments->argv[arguments->next])) != 0 ||
        (status = check_subranks(&s, arguments)) != 0 || (status = set_tuning(&s, arguments)) != 0)
        return status;
    if (s.verbose > 0 && (status = wm_environment_set("WAYMARK_VERBOSE", s.verbose > 1 ? "2" : "1")) != 0)
        return status;
    if ((status = set_trace(&s)) != 0 ||
        (s.guard != NULL && (status = wm_environment_set("WAYMARK_GUARD", s.guard)) != 0) ||
        (s.verify != NULL && (status = wm_environment_set("WAYMARK_VERIFY", s.verify)) != 0) ||
        (s.retune != NULL && (status = wm_environment_set("WAYMARK_RETUNE", s.retune)) != 0))
        return status;
    if (s.subranks.hosted)
        return run_subranks(&s, arguments);
    if ((status = wm_preload_set(&s.launch)) != 0 || (status = set_program(&s, arguments->argv[arguments->next])) != 0)
        return status;
    return become(&s, arguments->argv + arguments->next);
}

const struct wm_command wm_command_run = {
    .name = "run",
    .summary = "run an MPI program through a path map",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .sections = sections,
    .statuses = statuses,
    .examples = examples,
    .options_first = true,
    .run = run,
};
