/* waymark run: sets up the preloaded library, map and trace for a program, and becomes that program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/settings.h"
#include "tools/commands.h"
#include "tools/launcher.h"
#include "tools/maps.h"
#include "tools/stale.h"

#define DEFAULT_MAP "fast"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

enum { OPTION_MAP, OPTION_TRACE, OPTION_MODE, OPTION_VERBOSE };

static const struct wm_option options[] = {
    [OPTION_MAP] = {"map", 'm', "MAP",
                    "The path map: a file, or the name of a map that comes with Waymark. Without "
                    "it, $WAYMARK_MAP, else '" DEFAULT_MAP "'."},
    [OPTION_TRACE] = {"trace", 't', "DIR",
                      "Record a trace into DIR, which is made if need be. A trace that is there already is "
                      "replaced."},
    [OPTION_MODE] = {"mode", 0, "MODE",
                     "What a trace does that has no more room: 'flight' (the default) keeps the newest records, "
                     "'full' the first ones."},
    [OPTION_VERBOSE] = {"verbose", 'v', NULL,
                        "Say at the end what ran, what stayed native, and what the map server cost; -vv says more."},
    {0},
};

static const char *const synopsis[] = {"run [-m MAP] [-t DIR] [--mode flight|full] [-v] [--] PROGRAM [ARGUMENT ...]",
                                       NULL};

static const char *const description[] = {
    "Run an MPI program, unmodified, with its collective operations going through a path map. The command stands "
    "inside the launcher, between mpirun or srun and the program, so that it works with any of them; without a "
    "launcher the program runs as one rank.",
    "The map is read by rank 0 alone, on its host, and sent to the others. A wrong map ends the job with one "
    "message that names file, line and column.",
    "The trace of an earlier run in DIR is replaced: each rank removes its own old files, and the first rank of "
    "each host removes those of ranks that this job does not have. Nothing else in DIR is touched.",
    NULL,
};

/* clang-format off */
static const struct wm_command_item environment[] = {
#define X(name, fallback, help) {"WAYMARK_" #name, sizeof fallback > 1 ? help " (unless set: " fallback ")" : help},
    WM_SETTINGS(X)
#undef X
    {"WAYMARK_PRELOAD", "the library to preload, in the place of the installed libwaymark-mpi.so"},
    {"WAYMARK_SPECS", "the directory of the maps that are found by name"},
    {"WAYMARK_LIBEXEC", "the directory of the map server"},
    {0},
};
/* clang-format on */

static const struct wm_command_item statuses[] = {
    {"1", "The map or the library cannot be read."},
    {"2", "The command line was wrong."},
    {"126, 127", "The program cannot be executed, or was not found. Any other status is the program's own."},
    {0},
};

static const struct wm_command_section sections[] = {{"ENVIRONMENT", environment}, {"EXIT STATUS", statuses}, {0}};

static const struct wm_command_item examples[] = {
    {"mpirun -n 4 waymark run ./program", "Run under the map '" DEFAULT_MAP "'."},
    {"mpirun -n 4 waymark run -m cluster.scm -t trace ./program input",
     "Run under a map of your own, and record a trace."},
    {"srun -n 64 waymark run -m ring -- ./program --help",
     "With another launcher; what follows the program is its own."},
    {0},
};

struct settings {
    const char *map, *trace, *mode;
    int verbose;
    struct wm_launch launch;
    char host[64];
};

static const char *environment_or(const char *variable, const char *fallback)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0' ? value : fallback;
}

/* The path from the root on, so that it stays right when the program changes its directory. The caller frees it. */
static char *absolute(const char *path)
{
    char *here = path[0] != '/' ? getcwd(NULL, 0) : NULL, *out = NULL;

    if (here == NULL)
        return strdup(path);
    if (asprintf(&out, "%s/%s", strcmp(here, "/") == 0 ? "" : here, path) < 0)
        out = NULL;
    free(here);
    return out;
}

static int set(const char *variable, const char *value)
{
    struct wm_error error;

    if (value != NULL && setenv(variable, value, 1) == 0)
        return 0;
    wm_error_set(&error, -WM_ENOMEM, "no memory to set %s", variable);
    return wm_command_failed(&error);
}

static int set_absolute(const char *variable, const char *path)
{
    char *value = absolute(path);
    int status = set(variable, value);

    free(value);
    return status;
}

/* Rank 0 alone needs the map, so it alone looks for it, and says once what is wrong. The others hand on the same name:
 * they may run on a host that does not have the file. */
static int set_map(const struct settings *s)
{
    char *file = NULL, *text = NULL;
    size_t bytes;
    struct wm_error error = {0};
    int status;

    if (s->launch.rank != 0)
        return strchr(s->map, '/') != NULL ? set_absolute("WAYMARK_MAP", s->map) : set("WAYMARK_MAP", s->map);
    if (wm_maps_read(s->map, &file, &text, &bytes, &error) < 0)
        return wm_command_failed(&error);
    status = set_absolute("WAYMARK_MAP", file);
    free(file);
    free(text);
    return status;
}

/* Files of ranks that this job has are removed by these alone, so nobody removes what another has just made. */
static int set_trace(const struct settings *s)
{
    int status;

    if (s->trace == NULL)
        return 0;
    if ((status = set_absolute("WAYMARK_TRACE", s->trace)) != 0)
        return status;
    wm_stale_remove(s->trace, s->launch.rank, s->launch.local_rank == 0 ? s->launch.size : -1);
    return s->mode != NULL ? set("WAYMARK_TRACE_MODE", s->mode) : 0;
}

/* What concerns a host is said by its first rank. */
static int host_failed(const struct settings *s, int status, const struct wm_error *error)
{
    if (s->launch.local_rank == 0)
        wm_command_failed(error);
    return status;
}

/* Is `file` one of the words of `list`, which spaces and colons part? */
static bool lists(const char *list, const char *file)
{
    size_t length = strlen(file);

    for (const char *at = list; *at != '\0'; at += strspn(at, " :")) {
        size_t word = strcspn(at, " :");

        if (word == length && strncmp(at, file, length) == 0)
            return true;
        at += word;
    }
    return false;
}

/* The loader passes over a library that it cannot find with no more than a warning: the program would run without a
 * map. */
static int check_library(const struct settings *s, const char *library)
{
    struct wm_error error;

    if (strpbrk(library, " :") != NULL)
        wm_error_set(&error, -WM_ESYSTEM,
                     "the loader cannot preload '%s': the path holds a space or a colon; install Waymark elsewhere",
                     library);
    else if (access(library, R_OK) != 0)
        wm_error_set(&error, -WM_ESYSTEM,
                     "cannot read the library '%s' on %s: %s; install Waymark there, or set WAYMARK_PRELOAD", library,
                     s->host, strerror(errno));
    else
        return 0;
    return host_failed(s, WM_EXIT_FAILED, &error);
}

/* A sanitizer's runtime must stay the first library of a process. Returns how much of `list` is such a one. */
static size_t sanitizer_length(const char *list)
{
    size_t length = strcspn(list, " :");
    const char *name = memrchr(list, '/', length);

    name = name != NULL ? name + 1 : list;
    return strncmp(name, "libasan.", 8) == 0 || strncmp(name, "libtsan.", 8) == 0 ? length : 0;
}

static int set_preload(const struct settings *s)
{
    const char *library = environment_or("WAYMARK_PRELOAD", WM_LIBDIR "/libwaymark-mpi.so");
    const char *before = environment_or("LD_PRELOAD", NULL);
    char *value = NULL;
    int status = check_library(s, library), first;

    if (status != 0)
        return status;
    if (before == NULL)
        return set("LD_PRELOAD", library);
    if (lists(before, library))
        return 0;
    first = (int)sanitizer_length(before);
    if (asprintf(&value, "%.*s%s%s%s%s", first, before, first > 0 ? ":" : "", library,
                 before[first] != '\0' && before[first] != ':' ? ":" : "", before + first) < 0)
        value = NULL;
    status = set("LD_PRELOAD", value);
    free(value);
    return status;
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
                     words[0], s->host);
    else if (cause == ENOENT && !by_path && access(words[0], F_OK) == 0)
        wm_error_set(&error, -WM_ESYSTEM, "no program '%s' in PATH on %s; did you mean './%s'?", words[0], s->host,
                     words[0]);
    else if (cause == ENOENT)
        wm_error_set(&error, -WM_ESYSTEM, "no program '%s'%s on %s", words[0], by_path ? "" : " in PATH", s->host);
    else
        wm_error_set(&error, -WM_ESYSTEM, "cannot run '%s' on %s: %s", words[0], s->host, strerror(cause));
    return host_failed(s, cause == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE, &error);
}

/* Read the options. Returns -1 to go on, else the exit status. */
static int read_options(struct settings *s, struct wm_arguments *arguments)
{
    int option;

    while ((option = wm_arguments_next(arguments)) >= 0)
        switch (option) {
        case OPTION_MAP:
            s->map = arguments->value;
            break;
        case OPTION_TRACE:
            s->trace = arguments->value;
            break;
        case OPTION_MODE:
            s->mode = arguments->value;
            break;
        case OPTION_VERBOSE:
            s->verbose++;
            break;
        }
    return wm_arguments_status(option);
}

static const char *misuse_of(const struct settings *s, const struct wm_arguments *arguments)
{
    if (arguments->next >= arguments->argc)
        return "no program is named";
    if (s->map[0] == '\0')
        return "the map's name is empty";
    if (s->trace != NULL && s->trace[0] == '\0')
        return "the trace directory's name is empty";
    if (s->mode != NULL && strcmp(s->mode, "flight") != 0 && strcmp(s->mode, "full") != 0)
        return "--mode is 'flight' or 'full'";
    if (s->mode != NULL && s->trace == NULL)
        return "--mode speaks of a trace, but none is asked for; add -t DIR";
    return NULL;
}

static int run(int argc, char **argv)
{
    struct settings s = {.map = environment_or("WAYMARK_MAP", DEFAULT_MAP),
                         .trace = environment_or("WAYMARK_TRACE", NULL),
                         .launch = wm_launch_read()};
    struct wm_arguments arguments = wm_arguments_begin(&wm_command_run, argc, argv);
    const char *misuse;
    int status;

    gethostname(s.host, sizeof s.host - 1);
    arguments.quiet = s.launch.rank != 0; /* all ranks have the same command line: one complains, all end */
    status = read_options(&s, &arguments);
    if (status < 0 && (misuse = misuse_of(&s, &arguments)) != NULL)
        status = wm_arguments_misuse(&arguments, "%s", misuse);
    if (status >= 0)
        return status;
    if ((status = set_map(&s)) != 0 || (status = set_trace(&s)) != 0 || (status = set_preload(&s)) != 0)
        return status;
    if (s.verbose > 0 && (status = set("WAYMARK_VERBOSE", s.verbose > 1 ? "2" : "1")) != 0)
        return status;
    return become(&s, argv + arguments.next);
}

const struct wm_command wm_command_run = {
    .name = "run",
    .summary = "run an MPI program through a path map",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .sections = sections,
    .examples = examples,
    .options_first = true,
    .run = run,
};
