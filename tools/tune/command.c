/* waymark tune: reads what is to be tuned, and becomes waymark-tune. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/parse.h"
#include "tools/bench/operation.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/run/environment.h"
#include "tools/run/maps.h"
#include "tools/run/preload.h"
#include "tools/text/output.h"
#include "tools/text/sizes.h"

#define PROGRAM "waymark-tune"

struct choice {
    const char *output, *profile, *names, *span;
    uint32_t operations;
    struct wm_size_list sizes;
    int64_t budget_ns;
    int seed;
    struct wm_launch launch;
};

static int read_operations(void *place, const struct wm_arguments *a, const struct wm_option *option);
static int read_sizes(void *place, const struct wm_arguments *a, const struct wm_option *option);

static const struct wm_option options[] = {
    {"op", 0, "OPERATION,...", "The operations: allreduce,bcast; may stand several times.", .read = read_operations},
    {"bytes", 'b', "SIZES", "For these sizes: 8, 1KiB-64KiB, or a list of such; 8-1MiB unless given.",
     .read = read_sizes},
    {"output", 'o', "FILE", "Write the map there.", .read = wm_option_name, .place = offsetof(struct choice, output)},
    {"budget", 0, "TIME",
     "How long it may take; 1min unless given. At every size seven rounds at least are flown, whatever that takes.",
     .read = wm_option_time, .place = offsetof(struct choice, budget_ns), .least = 1, .most = INT64_C(86400000000000)},
    {"profile", 'p', "FILE",
     "Race what may be fastest by this profile of the machine alone, as 'waymark profile' writes it.",
     .read = wm_option_name, .place = offsetof(struct choice, profile)},
    {"seed", 0, "NUMBER", "Draws the order of the rounds; 1 unless given.", .read = wm_option_number,
     .place = offsetof(struct choice, seed), .most = 1000000000},
    {0},
};

static const char *const synopsis[] = {
    "tune --op OPERATION,... -o FILE [--bytes SIZES] [--budget TIME] [--profile FILE] [--seed NUMBER]",
    NULL,
};

static const char *const description[] = {
    "Write a map for the machine and the ranks that it is started on. The command stands inside the launcher, as "
    "'waymark run' does.",
    "The candidates are the paths that serve the operation over all ranks, or over cores and nodes, with every shape, "
    "whole and in segments. Each is proven on the job's machine, as 'waymark check' does; of those that are one plan "
    "under two names, the simpler one is taken. They race in rounds against the MPI library and the map 'fast', at "
    "nine of the sizes; who is more than 2 % behind with 95 % leaves. Where neighbouring sizes have other winners, "
    "sizes between them race, too.",
    "A path serves a size if it is within 3 % of the best and no slower than the library; rules are made of what "
    "serves most sizes, and is simplest. They are then held against the library at sizes that nothing was chosen by, "
    "call by call and in trains of calls; where a rule is not surely as fast, the call stays native. What the library "
    "does better has no rule.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The map is written."},
    {"1", "Something could not be measured, read or written; the message says why."},
    {"2", "The command line was wrong, or there is no launcher."},
    {"130", "It was interrupted; the map has what was found until then."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"mpirun -n 2 waymark tune --op allreduce,bcast -o mine.scm", "Tune two operations in a minute."},
    {"mpirun -n 64 waymark tune --op alltoall --profile cluster.json -o mine.scm",
     "Race what may be fastest by a profile of the machine alone."},
    {"waymark check mine.scm", "Prove what was written on other machines, too."},
    {0},
};

/* Rules look at `bytes`: operations whose bytes the ranks do not share cannot be tuned by size. */
static bool is_tuned(int operation)
{
    return operation < WM_BENCH_COPY &&
           (operation == WM_BARRIER || wm_operation_bytes_shared((enum wm_operation)operation));
}

static int read_operations(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    struct choice *c = place;
    const char *names[WM_BENCH_COPY];
    char wrong[64];
    uint64_t bits = 0;

    (void)option;
    for (int op = 0; op < WM_BENCH_COPY; op++)
        names[op] = wm_operation_name((enum wm_operation)op);
    if (!wm_parse_names(a->value, names, WM_BENCH_COPY, &bits, wrong, sizeof wrong))
        return wm_arguments_misuse(
            a, "no operation '%s' is tuned%s", wrong,
            wm_error_suggest(wrong, names, WM_BENCH_COPY, "", "name one as in a map, such as 'allreduce'").text);
    for (int op = 0; op < WM_BENCH_COPY; op++)
        if ((bits >> op & 1) && !is_tuned(op))
            return wm_arguments_misuse(a, "'%s' is not tuned: its ranks do not share how much it is; leave it out",
                                       names[op]);
    c->names = a->value;
    c->operations |= (uint32_t)bits;
    return 0;
}

static int read_sizes(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    struct choice *c = place;
    char wrong[WM_SIZES_WRONG_CHARS];

    (void)option;
    if (wm_sizes_read(&c->sizes, a->value, wrong) < 0)
        return wm_arguments_misuse(a, "%s", wrong);
    if (c->sizes.bytes[0] == 0)
        return wm_arguments_misuse(a, "'%s' moves nothing at 0 bytes; begin with 1 or more", a->value);
    if (c->sizes.bytes[c->sizes.count - 1] > INT32_MAX / 64)
        return wm_arguments_misuse(a, "'%s' goes beyond 32 MiB; tune up to there, larger calls stay native", a->value);
    c->span = a->value;
    return 0;
}

static json_t *pack(const struct choice *c)
{
    json_t *sizes = json_array();
    char again[512];

    for (int i = 0; i < c->sizes.count; i++)
        json_array_append_new(sizes, json_integer((json_int_t)c->sizes.bytes[i]));
    snprintf(again, sizeof again, "mpirun -n %d waymark tune --op %s --bytes %s --budget %.0fs -o %s", c->launch.size,
             c->names, c->span, (double)c->budget_ns * 1e-9, c->output);
    return json_pack("{ss, ss, ss*, sI, sf, sI, so}", "output", c->output, "again", again, "profile", c->profile,
                     "operations", (json_int_t)c->operations, "budget", (double)c->budget_ns * 1e-9, "seed",
                     (json_int_t)c->seed, "sizes", sizes);
}

/* Returns only to say why the program did not start. The process's map is `fast`, so that the runtime wakes. */
static int become(const struct choice *c)
{
    json_t *json = pack(c);
    char *words = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL, *program = NULL;
    struct wm_error error;

    if (wm_environment_set("WAYMARK_ON_ERROR", "abort") != 0 ||
        wm_environment_set("WAYMARK_MAP", WM_MAPS_DEFAULT) != 0 || wm_preload_set(&c->launch) != 0)
        return WM_EXIT_FAILED;
    if (words == NULL || asprintf(&program, "%s/" PROGRAM, wm_environment_or("WAYMARK_LIBEXEC", WM_LIBEXECDIR)) < 0) {
        wm_error_set(&error, -WM_ENOMEM, "no memory for the settings");
    } else {
        execv(program, (char *[]){PROGRAM, words, NULL});
        wm_error_set(&error, -WM_ESYSTEM, "cannot run '%s' on %s: %s; install Waymark there, or set WAYMARK_LIBEXEC",
                     program, wm_preload_host(), strerror(errno));
    }
    return wm_preload_host_failed(&c->launch, WM_EXIT_FAILED, &error);
}

/* What no single option can say, and what holds when nothing is said. Returns 0 or an exit status. */
static int check_choice(struct choice *c, const struct wm_arguments *a)
{
    char wrong[WM_SIZES_WRONG_CHARS];
    struct wm_output output;
    struct wm_error error;

    if (c->operations == 0)
        return wm_arguments_misuse(a, "no operation is named; say what to tune: --op allreduce,bcast");
    if (c->output == NULL)
        return wm_arguments_misuse(a, "no file is named; say where to write the map: -o mine.scm");
    if (!c->launch.launched)
        return wm_arguments_misuse(a,
                                   "there is no MPI job; start it in one, for example: mpirun -n 2 waymark tune --op "
                                   "allreduce -o %s",
                                   c->output);
    if (c->sizes.count == 0) {
        c->span = "8-1MiB";
        wm_sizes_read(&c->sizes, c->span, wrong);
    }
    if (c->launch.rank != 0)
        return 0;
    if (wm_output_open(&output, c->output, &error) < 0) /* say so before it is measured */
        return wm_command_failed(&error);
    wm_output_abandon(&output);
    return 0;
}

static int run(struct wm_arguments *arguments)
{
    struct choice c = {.budget_ns = INT64_C(60000000000), .seed = 1, .launch = wm_launch_read()};
    int status;

    arguments->quiet = c.launch.rank != 0; /* all ranks have the same command line: one complains, all end */
    if (!wm_arguments_read(arguments, &c, &status) || (status = check_choice(&c, arguments)) != 0)
        return status;
    return become(&c);
}

const struct wm_command wm_command_tune = {
    .name = "tune",
    .summary = "write a map for this machine, by races",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.instead = "operations are named by --op"},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
