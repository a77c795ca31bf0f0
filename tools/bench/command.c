/* waymark bench: reads what is to be measured, sets up maps and library, and becomes the program that measures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/operation.h"
#include "tools/bench/result.h"
#include "tools/bench/settings.h"
#include "tools/bench/show.h"
#include "tools/cli/commands.h"
#include "tools/run/environment.h"
#include "tools/run/maps.h"
#include "tools/run/preload.h"
#include "tools/site/question.h"
#include "tools/text/units.h"

#define PROGRAM "waymark-bench"
#define DEFAULT_SIZES "8-4MiB"

enum {
    OPTION_MAP,
    OPTION_OP,
    OPTION_BYTES,
    OPTION_AGAINST,
    OPTION_ROUNDS,
    OPTION_ROTATE,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_PLOT,
    OPTION_FROM,
    OPTION_LIST
};

static const struct wm_option options[] = {
    [OPTION_MAP] = {"map", 'm', "MAP",
                    "A path map: a file, or the name of a map that comes with Waymark; several are compared in one "
                    "run. Without it, '" WM_MAPS_DEFAULT "'; 'none': the MPI library alone."},
    [OPTION_OP] = {"op", 0, "OPERATION,...",
                   "The operations; without it, all but those with counts by rank; 'all': those, too, and 'copy'."},
    [OPTION_BYTES] = {"bytes", 'b', "SIZES",
                      "Sizes and ranges, which are walked in powers of two: 8, 64KiB-1MiB, 8,64,1KiB; " DEFAULT_SIZES
                      " unless given."},
    [OPTION_AGAINST] = {"against", 0, "native|none",
                        "What the maps are held against: the MPI library's own collectives (the default), or nothing."},
    [OPTION_ROUNDS] = {"rounds", 'n', "NUMBER",
                       "Rounds of batches for each size, and so samples; unless given 31, or fewer where that would "
                       "take long."},
    [OPTION_ROTATE] = {"rotate", 0, "SIZE",
                       "Buffers at each rank that calls take in turn, up to 64 pairs, so that they do not stay in the "
                       "caches; 32MiB unless given. 0: one pair, which does."},
    [OPTION_FORMAT] = {"format", 'f', "text|json|csv", "How to write the result; text unless given."},
    [OPTION_OUTPUT] = {"output", 'o', "FILE", "Write the result there instead of to standard output."},
    [OPTION_PLOT] = {"plot", 'p', "FILE.svg", "Draw the result, too: time over bytes, a panel for each operation."},
    [OPTION_FROM] = {"from", 0, "FILE.json", "Measure nothing: show this result of --format json, without MPI."},
    [OPTION_LIST] = {"list", 'l', NULL, "List the operations, and what the bytes of each are."},
    {0},
};

static const char *const synopsis[] = {
    "bench [-m MAP ...] [--op OPERATION,...] [--bytes SIZES] [--against native|none] [--rounds NUMBER] [--rotate SIZE] "
    "[--format text|json|csv] [-o FILE] [--plot FILE.svg]",
    "bench --from FILE.json [--format text|csv] [-o FILE] [--plot FILE.svg]",
    "bench --list",
    NULL,
};

static const char *const description[] = {
    "Measure collective operations under path maps, side by side with the MPI library's own, in one job. The command "
    "stands inside the launcher, as 'waymark run' does.",
    "For each operation and size, batches of calls are timed at every rank after a barrier; a sample is the mean over "
    "the ranks of what a call of the batch took. Batches of the contenders are interleaved, in an order that changes, "
    "so "
    "that drift hits all alike. Each contender has a communicator of its own. Results are checked before and after.",
    "A ratio is the median of the MPI library divided by that of the map: above 1, the map is the faster one.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "All was measured, and every result was right."},
    {"1", "A result was wrong, or something could not be read or written."},
    {"2", "The command line was wrong, or there is no launcher."},
    {"130", "It was interrupted; what there was is shown."},
    {0},
};

static const struct wm_command_section sections[] = {{"EXIT STATUS", statuses}, {0}};

static const struct wm_command_item examples[] = {
    {"mpirun -n 2 waymark bench", "Hold the map '" WM_MAPS_DEFAULT "' against the MPI library."},
    {"mpirun -n 8 waymark bench -m mine.scm -m ring --op allreduce --plot a.svg",
     "Compare two maps and the MPI library in allreduces, and draw the result."},
    {"mpirun -n 2 waymark bench -m none --format json -o native.json", "Measure the MPI library alone."},
    {"waymark bench --from native.json", "Show that again."},
    {0},
};

struct choice {
    struct wm_bench_settings settings;
    const char *from;
    bool none, list; /* -m none, --list */
    struct wm_launch launch;
};

static int read_map(struct choice *c, const struct wm_arguments *a)
{
    struct wm_bench_settings *s = &c->settings;

    if (a->value[0] == '\0')
        return wm_arguments_misuse(a, "the map's name is empty");
    if (strcmp(a->value, "none") == 0) {
        c->none = true;
        return -1;
    }
    if (strcmp(a->value, WM_BENCH_NATIVE) == 0 && access(a->value, F_OK) != 0)
        return wm_arguments_misuse(
            a, "the map 'native' is the MPI library, which --against native measures; leave it out");
    for (int i = 0; i < s->map_count; i++)
        if (strcmp(s->maps[i], a->value) == 0)
            return wm_arguments_misuse(a, "the map '%s' is named twice", a->value);
    if (s->map_count == WM_BENCH_MAPS_MAX)
        return wm_arguments_misuse(a, "more than %d maps; measure them in several runs", WM_BENCH_MAPS_MAX);
    s->maps[s->map_count++] = a->value;
    return -1;
}

static int read_operations(struct choice *c, const struct wm_arguments *a)
{
    const char *names[WM_BENCH_OPERATION_COUNT], *near;
    char wrong[64];
    uint32_t bits = wm_bench_operations_read(a->value, wrong, sizeof wrong);

    c->settings.operations |= bits;
    if (bits != 0)
        return -1;
    for (int op = 0; op < WM_BENCH_OPERATION_COUNT; op++)
        names[op] = wm_bench_operation_name(op);
    near = wm_error_nearest(wrong, names, WM_BENCH_OPERATION_COUNT);
    if (near != NULL)
        return wm_arguments_misuse(a, "no operation '%s' is measured; did you mean '%s'?", wrong, near);
    return wm_arguments_misuse(a, "no operation '%s' is measured; --list shows which are", wrong);
}

static int read_sizes(struct choice *c, const struct wm_arguments *a)
{
    char wrong[WM_BENCH_SIZES_WRONG_CHARS];

    return wm_bench_sizes_read(&c->settings.sizes, a->value, wrong) == 0 ? -1 : wm_arguments_misuse(a, "%s", wrong);
}

static int read_rounds(struct choice *c, const struct wm_arguments *a)
{
    char *end;
    long rounds = strtol(a->value, &end, 10);

    c->settings.rounds = (int)rounds;
    if (end != a->value && *end == '\0' && rounds >= 1 && rounds <= 1000000)
        return -1;
    return wm_arguments_misuse(a, "'%s' is no number of rounds; write a whole number from 1 on", a->value);
}

static int read_against(struct choice *c, const struct wm_arguments *a)
{
    int which = wm_question_choose(a->value, "none", "native");

    c->settings.native = which == 1;
    return which >= 0 ? -1 : wm_arguments_misuse(a, "--against is 'native' or 'none', not '%s'", a->value);
}

static int read_format(struct choice *c, const struct wm_arguments *a)
{
    c->settings.format = a->value;
    if (strcmp(a->value, "text") == 0 || strcmp(a->value, "json") == 0 || strcmp(a->value, "csv") == 0)
        return -1;
    return wm_arguments_misuse(a, "--format is 'text', 'json' or 'csv', not '%s'", a->value);
}

static int read_file(const char **file, const struct wm_arguments *a, const char *what)
{
    *file = a->value;
    return a->value[0] != '\0' ? -1 : wm_arguments_misuse(a, "the name of the %s is empty", what);
}

static int read_option(struct choice *c, const struct wm_arguments *a, int option)
{
    switch (option) {
    case OPTION_MAP:
        return read_map(c, a);
    case OPTION_OP:
        return read_operations(c, a);
    case OPTION_BYTES:
        return read_sizes(c, a);
    case OPTION_AGAINST:
        return read_against(c, a);
    case OPTION_ROUNDS:
        return read_rounds(c, a);
    case OPTION_ROTATE:
        return wm_bytes_read(a->value, &c->settings.rotate_bytes)
                   ? -1
                   : wm_arguments_misuse(a, "'%s' is no size; write a whole number, such as 0 or 32MiB", a->value);
    case OPTION_FORMAT:
        return read_format(c, a);
    case OPTION_OUTPUT:
        return read_file(&c->settings.output, a, "file to write");
    case OPTION_PLOT:
        return read_file(&c->settings.plot, a, "plot");
    case OPTION_FROM:
        return read_file(&c->from, a, "file to show");
    case OPTION_LIST:
        c->list = true;
        return -1;
    default: /* an operand */
        return wm_arguments_misuse(a, "'%s' is no option; a map is named by -m", a->value);
    }
}

/* -1 to go on, else the exit status. */
static int check_choice(struct choice *c, const struct wm_arguments *a)
{
    char wrong[WM_BENCH_SIZES_WRONG_CHARS];
    struct wm_bench_settings *s = &c->settings;

    if (c->list || c->from != NULL)
        return -1;
    if (c->none && s->map_count > 0)
        return wm_arguments_misuse(a, "-m none stands beside another map; leave one of them out");
    if (c->none && !s->native)
        return wm_arguments_misuse(a, "-m none and --against none leave nothing to measure");
    if (!c->launch.launched)
        return wm_arguments_misuse(a, "there is no MPI job; start it in one, for example: mpirun -n 2 waymark bench");
    if (!c->none && s->map_count == 0)
        s->maps[s->map_count++] = WM_MAPS_DEFAULT;
    if (s->sizes.count == 0)
        wm_bench_sizes_read(&s->sizes, DEFAULT_SIZES, wrong);
    if (s->operations == 0)
        s->operations = wm_bench_operations_default();
    return -1;
}

static int list(void)
{
    struct wm_page page = wm_page_of(stdout);
    struct wm_table table;

    wm_table_init(&table, "lll");
    wm_table_cell(&table, "operation");
    wm_table_cell(&table, "unless named");
    wm_table_cell(&table, "its bytes are those");
    for (int op = 0; op < WM_BENCH_OPERATION_COUNT; op++) {
        wm_table_cell(&table, "%s", wm_bench_operation_name(op));
        wm_table_cell(&table, "%s", wm_bench_operation(op)->by_default ? "measured" : "-");
        wm_table_cell(&table, "%s", wm_bench_operation(op)->meaning);
    }
    wm_table_print(&table, &page);
    return 0;
}

static int show(const struct choice *c)
{
    struct wm_error error;
    json_t *result = wm_bench_load(c->from, &error);
    int rc = result != NULL ? wm_bench_write(result, c->settings.format, c->settings.output, c->settings.plot,
                                             isatty(STDOUT_FILENO), &error)
                            : -WM_EINVAL;

    json_decref(result);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

/* Rank 0 alone needs the maps; the others hand the names on. What it finds lives until the program is another. */
static int find_maps(struct choice *c)
{
    struct wm_bench_settings *s = &c->settings;
    struct wm_error error = {0};

    for (int i = 0; i < s->map_count; i++) {
        char *file, *text;
        size_t bytes;

        s->files[i] = s->maps[i];
        if (c->launch.rank != 0)
            continue;
        if (wm_maps_read(s->maps[i], &file, &text, &bytes, &error) < 0)
            return wm_command_failed(&error);
        s->files[i] = wm_environment_absolute(file);
        free(file);
        free(text);
    }
    return 0;
}

/* The process's map is the first one, so that the runtime wakes. A map that fails is to end the job, not to be measured
 * as the library. */
static int set_up(struct choice *c)
{
    int status = find_maps(c);

    unsetenv("WAYMARK_MAP");
    unsetenv("WAYMARK_ON_ERROR");
    if (status == 0 && c->settings.map_count > 0)
        status = wm_environment_set("WAYMARK_MAP", c->settings.files[0]);
    if (status == 0 && c->settings.map_count > 0)
        status = wm_preload_set(&c->launch);
    return status;
}

/* Returns only to say why the program did not start. */
static int become(const struct choice *c)
{
    json_t *settings = wm_bench_settings_pack(&c->settings);
    char *words = settings != NULL ? json_dumps(settings, JSON_COMPACT) : NULL, *program = NULL;
    struct wm_error error;

    if (words == NULL || asprintf(&program, "%s/" PROGRAM, wm_environment_or("WAYMARK_LIBEXEC", WM_LIBEXECDIR)) < 0) {
        wm_error_set(&error, -WM_ENOMEM, "no memory for the settings");
    } else {
        execv(program, (char *[]){PROGRAM, words, NULL});
        wm_error_set(&error, -WM_ESYSTEM, "cannot run '%s' on %s: %s; install Waymark there, or set WAYMARK_LIBEXEC",
                     program, wm_preload_host(), strerror(errno));
    }
    json_decref(settings);
    free(words);
    free(program);
    return wm_preload_host_failed(&c->launch, WM_EXIT_FAILED, &error);
}

static int run(int argc, char **argv)
{
    struct choice c = {.settings = {.native = true, .rotate_bytes = 32 << 20, .format = "text"},
                       .launch = wm_launch_read()};
    struct wm_arguments arguments = wm_arguments_begin(&wm_command_bench, argc, argv);
    int option = 0, status = -1;

    arguments.quiet = c.launch.rank != 0; /* all ranks have the same command line: one complains, all end */
    while (status < 0 && ((option = wm_arguments_next(&arguments)) >= 0 || option == WM_ARGUMENT_OPERAND))
        status = read_option(&c, &arguments, option);
    if (status < 0)
        status = wm_arguments_status(option);
    if (status < 0)
        status = check_choice(&c, &arguments);
    if (status >= 0)
        return status;
    if (c.list)
        return c.launch.rank == 0 ? list() : 0;
    if (c.from != NULL)
        return c.launch.rank == 0 ? show(&c) : 0;
    return (status = set_up(&c)) != 0 ? status : become(&c);
}

const struct wm_command wm_command_bench = {
    .name = "bench",
    .summary = "measure collectives under maps, against the MPI library",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .sections = sections,
    .examples = examples,
    .run = run,
};
