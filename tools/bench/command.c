/* waymark bench: reads what is to be measured, sets up maps and library, and becomes the program that measures. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/parse.h"
#include "tools/bench/operation.h"
#include "tools/bench/result.h"
#include "tools/bench/settings.h"
#include "tools/bench/show.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/run/environment.h"
#include "tools/run/maps.h"
#include "tools/run/preload.h"

#define PROGRAM "waymark-bench"
#define DEFAULT_SIZES "8-4MiB"
#define DEFAULT_ROTATIONS "32MiB"

struct choice {
    struct wm_bench_settings settings;
    const char *from;
    bool none, list; /* -m none, --list */
    struct wm_launch launch;
};

static int read_map(void *choice, const struct wm_arguments *a, const struct wm_option *option);
static int read_operations(void *operations, const struct wm_arguments *a, const struct wm_option *option);
static int read_sizes(void *sizes, const struct wm_arguments *a, const struct wm_option *option);
static int read_modules(void *settings, const struct wm_arguments *a, const struct wm_option *option);
static int read_rotations(void *rotations, const struct wm_arguments *a, const struct wm_option *option);

static const struct wm_option options[] = {
    {"map", 'm', "MAP",
     "A path map: a file, or the name of a map that comes with Waymark; several are compared in one run. Without it, "
     "'" WM_MAPS_DEFAULT "'; 'none': the MPI library alone.",
     .read = read_map},
    {"op", 0, "OPERATION,...",
     "The operations; without it, all but those with counts by rank; 'all': those, too, and 'copy'.",
     .read = read_operations, .place = offsetof(struct choice, settings.operations)},
    {"bytes", 'b', "SIZES",
     "Sizes and ranges, which are walked in powers of two: 8, 64KiB-1MiB, 8,64,1KiB; " DEFAULT_SIZES " unless given.",
     .read = read_sizes, .place = offsetof(struct choice, settings.sizes)},
    {"against", 0, "MODULE,...",
     "What the maps are held against: modules of Open MPI such as tuned, sm, adapt, each raised above the others on a "
     "communicator of its own, and 'default', those that it chooses itself; default unless given. 'none': nothing.",
     .read = read_modules, .place = offsetof(struct choice, settings)},
    {"rounds", 'n', "NUMBER",
     "Rounds of batches for each size, and so samples; unless given 31, or fewer where that would take long.",
     .read = wm_option_number, .place = offsetof(struct choice, settings.rounds), .least = 1, .most = 1000000},
    {"rotate", 0, "SIZES",
     "Buffers at each rank that calls take in turn, up to 64 pairs, so that they do not stay in the "
     "caches; " DEFAULT_ROTATIONS
     " unless given. 0: one pair, which does. Of several, such as 0,4MiB,32MiB, each is measured for "
     "every operation and size.",
     .read = read_rotations, .place = offsetof(struct choice, settings.rotations)},
    {"format", 'f', "text|json|csv", "How to write the result; text unless given.", .read = wm_option_one_of,
     .place = offsetof(struct choice, settings.format)},
    {"output", 'o', "FILE", "Write the result there instead of to standard output.", .read = wm_option_name,
     .place = offsetof(struct choice, settings.output)},
    {"plot", 'p', "FILE.svg", "Draw the result, too: time over bytes, a panel for each operation.",
     .read = wm_option_name, .place = offsetof(struct choice, settings.plot)},
    {"from", 0, "FILE.json", "Measure nothing: show this result of --format json, without MPI.", .read = wm_option_name,
     .place = offsetof(struct choice, from)},
    {"list", 'l', NULL, "List the operations, and what the bytes of each are.", .read = wm_option_flag,
     .place = offsetof(struct choice, list)},
    {0},
};

static const char *const synopsis[] = {
    "bench [-m MAP ...] [--op OPERATION,...] [--bytes SIZES] [--against MODULE,...] [--rounds NUMBER] [--rotate SIZES] "
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
    "so that drift hits all alike. Each contender has a communicator of its own. Results are checked before and after.",
    "A ratio is the median of the MPI library, by the best of the modules that are named, divided by that of the map: "
    "above 1, the map is the faster one.",
    "Barriers and allreduces of 8 B are told in bare exchanges of flags, too: two ranks of a node write a line of "
    "memory "
    "each and wait for the other's, which no barrier can do without. They are measured in the same rounds.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "All was measured, and every result was right."},
    {"1", "A result was wrong, or something could not be read or written."},
    {"2", "The command line was wrong, or there is no launcher."},
    {"130", "It was interrupted; what there was is shown."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"mpirun -n 2 waymark bench", "Hold the map '" WM_MAPS_DEFAULT "' against the MPI library."},
    {"mpirun -n 8 waymark bench -m mine.scm -m ring --op allreduce --plot a.svg",
     "Compare two maps and the MPI library in allreduces, and draw the result."},
    {"mpirun -n 2 waymark bench --against default,tuned,sm --rotate 0,32MiB",
     "Hold 'fast' against the best of Open MPI's modules, with buffers in the caches and out of them."},
    {"mpirun -n 2 waymark bench -m none --format json -o native.json", "Measure the MPI library alone."},
    {"waymark bench --from native.json", "Show that again."},
    {0},
};

static int read_map(void *choice, const struct wm_arguments *a, const struct wm_option *option)
{
    struct choice *c = choice;
    struct wm_bench_settings *s = &c->settings;
    const char *map;
    int status = wm_option_name(&map, a, option);

    if (status != 0)
        return status;
    if (strcmp(map, "none") == 0) {
        c->none = true;
        return 0;
    }
    if (strcmp(map, "native") == 0 && access(map, F_OK) != 0)
        return wm_arguments_misuse(
            a, "the map 'native' is the MPI library, which --against default measures; leave it out");
    for (int i = 0; i < s->map_count; i++)
        if (strcmp(s->maps[i], map) == 0)
            return wm_arguments_misuse(a, "the map '%s' is named twice", map);
    if (s->map_count == WM_BENCH_MAPS_MAX)
        return wm_arguments_misuse(a, "more than %d maps; measure them in several runs", WM_BENCH_MAPS_MAX);
    s->maps[s->map_count++] = map;
    return 0;
}

static int read_operations(void *operations, const struct wm_arguments *a, const struct wm_option *option)
{
    const char *names[WM_BENCH_OPERATION_COUNT];
    char wrong[64];
    uint64_t bits = 0;

    (void)option;
    for (int op = 0; op < WM_BENCH_OPERATION_COUNT; op++)
        names[op] = wm_bench_operation_name(op);
    if (!wm_parse_names(a->value, names, WM_BENCH_OPERATION_COUNT, &bits, wrong, sizeof wrong))
        return wm_arguments_misuse(
            a, "no operation '%s' is measured%s", wrong,
            wm_error_suggest(wrong, names, WM_BENCH_OPERATION_COUNT, "", "--list shows which are").text);
    *(uint32_t *)operations |= (uint32_t)bits;
    return 0;
}

/* A size is a count of MPI. */
static int read_sizes(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    struct wm_size_list *sizes = place;
    char wrong[WM_SIZES_WRONG_CHARS];

    (void)option;
    if (wm_sizes_read(sizes, a->value, wrong) < 0)
        return wm_arguments_misuse(a, "%s", wrong);
    if (sizes->bytes[0] == 0)
        return wm_arguments_misuse(a, "'%s' moves nothing at 0 bytes; begin with 1 or more", a->value);
    if (sizes->bytes[sizes->count - 1] > INT32_MAX)
        return wm_arguments_misuse(a, "'%s' goes beyond 2 GiB, more than one MPI count tells; stay below", a->value);
    return 0;
}

static int read_modules(void *settings, const struct wm_arguments *a, const struct wm_option *option)
{
    char wrong[WM_BENCH_WRONG_CHARS];

    (void)option;
    return wm_bench_modules_read(settings, a->value, wrong) < 0 ? wm_arguments_misuse(a, "%s", wrong) : 0;
}

static int read_rotations(void *rotations, const struct wm_arguments *a, const struct wm_option *option)
{
    char wrong[WM_SIZES_WRONG_CHARS];

    (void)option;
    return wm_sizes_read(rotations, a->value, wrong) < 0 ? wm_arguments_misuse(a, "%s", wrong) : 0;
}

/* What no single option can say, and what holds when nothing is said. Returns 0 or an exit status. */
static int check_choice(struct choice *c, const struct wm_arguments *a)
{
    char wrong[WM_SIZES_WRONG_CHARS];
    struct wm_bench_settings *s = &c->settings;

    if (c->list || c->from != NULL)
        return 0;
    if (c->none && s->map_count > 0)
        return wm_arguments_misuse(a, "-m none stands beside another map; leave one of them out");
    if (c->none && s->module_count == 0)
        return wm_arguments_misuse(a, "-m none and --against none leave nothing to measure");
    if (!c->launch.launched)
        return wm_arguments_misuse(a, "there is no MPI job; start it in one, for example: mpirun -n 2 waymark bench");
    if (!c->none && s->map_count == 0)
        s->maps[s->map_count++] = WM_MAPS_DEFAULT;
    if (s->sizes.count == 0)
        wm_sizes_read(&s->sizes, DEFAULT_SIZES, wrong);
    if (s->rotations.count == 0)
        wm_sizes_read(&s->rotations, DEFAULT_ROTATIONS, wrong);
    if (s->operations == 0)
        s->operations = wm_bench_operations_default();
    return 0;
}

static int list(void)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);
    struct wm_table table;

    wm_table_init(&table, "lll");
    wm_table_cell(&table, "operation");
    wm_table_cell(&table, "unless named");
    wm_table_cell(&table, "its bytes are those");
    for (int op = 0; op < WM_BENCH_OPERATION_COUNT; op++) {
        wm_table_cell(&table, "%s", wm_bench_operation_name(op));
        wm_table_cell(&table, "%s", wm_bench_operation(op).by_default ? "measured" : "-");
        wm_table_cell(&table, "%s", wm_bench_operation(op).meaning);
    }
    wm_table_print(&table, &terminal);
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

static int run(struct wm_arguments *arguments)
{
    struct choice c = {.settings = {.module_count = 1, .modules = {"default"}, .format = "text"},
                       .launch = wm_launch_read()};
    int status;

    arguments->quiet = c.launch.rank != 0; /* all ranks have the same command line: one complains, all end */
    if (!wm_arguments_read(arguments, &c, &status) || (status = check_choice(&c, arguments)) != 0)
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
    .operands = {.instead = "a map is named by -m"},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
