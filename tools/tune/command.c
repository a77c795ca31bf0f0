/* waymark tune: reads what is to be tuned, and becomes waymark-tune. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/parse.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/gauge/conveyors.h"
#include "tools/run/environment.h"
#include "tools/run/maps.h"
#include "tools/run/preload.h"
#include "tools/tune/begin.h"
#include "tools/tune/launches.h"
#include "tools/tune/online.h"
#include "tools/tune/subranks.h"
#include "tools/tune/traced.h"

#define PROGRAM "waymark-tune"

enum { OPERATIONS = WM_CONVEYOR + 1, LOAD_MOST = 1 << 30 };

struct choice {
    struct wm_tune_task task;
    const char *resume, *check;
    int job, every, points;
    bool verbose;
    int64_t wait_ns;
    struct wm_launch launch;
};

static int read_operations(void *place, const struct wm_arguments *a, const struct wm_option *option);
static int read_sizes(void *place, const struct wm_arguments *a, const struct wm_option *option);

static const struct wm_option options[] = {
    {"op", 0, "OPERATION,...", "The operations: allreduce,bcast; may stand several times.", .read = read_operations},
    {"bytes", 'b', "SIZES",
     "For these sizes: 8, 1KiB-64KiB, or a list of such; 8-1MiB unless given. Of a conveyor they are those of its "
     "items, "
     "8-256 unless given.",
     .read = read_sizes},
    {"load", 0, "SIZE", "Of a conveyor: what a rank pushes in a run; 4MiB unless given.", .read = wm_option_size,
     .place = offsetof(struct choice, task.load_bytes), .least = 1},
    {"from", 0, "DIR",
     "Tune what a program calls, by the directory of a trace of it: operations and conveyors that take 1 % of the time "
     "in them or more, for the sizes that it has, each for its share of the time.",
     .read = wm_option_name, .place = offsetof(struct choice, task.from)},
    {"output", 'o', "FILE",
     "Write the map there, and beside it, as FILE.tune.json (in the place of .scm), what another launch goes on from.",
     .read = wm_option_name, .place = offsetof(struct choice, task.output)},
    {"budget", 0, "TIME",
     "How long all launches may take; 1min unless given. At every size seven rounds at least are flown, whatever that "
     "takes; runs of a conveyor that are far too long for it are refused.",
     .read = wm_option_time, .place = offsetof(struct choice, task.budget_ns), .least = 1,
     .most = INT64_C(86400000000000)},
    {"profile", 'p', "FILE",
     "Race what may be fastest by this profile of the machine alone, as 'waymark profile' writes it.",
     .read = wm_option_name, .place = offsetof(struct choice, task.profile)},
    {"seed", 0, "NUMBER", "Draws the order of the rounds, and sizes and roots; 1 unless given.",
     .read = wm_option_number, .place = offsetof(struct choice, task.seed), .most = 1000000000},
    {"resume", 0, "FILE.json", "Go on from there: with what was interrupted, or to confirm the rules in a launch more.",
     .read = wm_option_name, .place = offsetof(struct choice, resume)},
    {"check", 0, "MAP",
     "Tune nothing: hold this map against the MPI library at operations, sizes and roots that are drawn.",
     .read = wm_option_name, .place = offsetof(struct choice, check)},
    {"job", 0, "PID",
     "Tune the map of a job that runs, and was started by 'waymark run --retune', while it runs: that of a process on "
     "the "
     "host of rank 0, of a rank or of mpirun.",
     .read = wm_option_number, .place = offsetof(struct choice, job), .least = 1, .most = INT32_MAX},
    {"every", 0, "CALLS", "With --job: one call of so many has a path that is tried; 100 unless given.",
     .read = wm_option_number, .place = offsetof(struct choice, every), .least = 2, .most = 1000000},
    {"wait", 0, "TIME",
     "With --job: how long to wait for the job to begin, and for each round of calls; 60s unless given.",
     .read = wm_option_time, .place = offsetof(struct choice, wait_ns), .least = 1, .most = INT64_C(86400000000000)},
    {"verbose", 'v', NULL, "With --job: tell what takes the time, and what comes of each trial.",
     .read = wm_option_flag, .place = offsetof(struct choice, verbose)},
    {"points", 0, "NUMBER", "So many of them; 100 unless given.", .read = wm_option_number,
     .place = offsetof(struct choice, points), .least = 1, .most = 1000000},
    {0},
};

static const char *const synopsis[] = {
    "tune {--op OPERATION,... [--bytes SIZES] [--load SIZE] | --from DIR} -o FILE [--budget TIME] [--profile FILE] "
    "[--seed NUMBER] [-- LAUNCHER ...]",
    "tune --resume FILE.json [-- LAUNCHER ...]",
    "tune --job PID [--every CALLS] [-o FILE] [--wait TIME] [--verbose]",
    "tune --check MAP [--op OPERATION,...] [--bytes SIZES] [--load SIZE] [--points NUMBER] [--seed NUMBER]",
    NULL,
};

static const char *const description[] = {
    "Write a map for a machine and a number of ranks, by races against the MPI library. With a launcher behind '--' "
    "the command starts jobs by it: one that races, and three or more that confirm what it found. Inside a launcher, "
    "as 'waymark run', it is one of them.",
    "The candidates are the paths that serve the operation over all ranks, or over cores, nodes, and clusters of "
    "hosts where such are found, with every shape, whole and in segments. Each is proven on the job's machine, as "
    "'waymark check' does; of those that are one plan under two names, the simpler one is taken. At nine of the "
    "sizes, or at as many as there is time for, they race in rounds, call by call and then in trains of calls, or, "
    "where hosts are far apart, from a common start; who is more than 2 % behind with 95 % leaves. A round draws some "
    "roots, the same for all paths. Where neighbouring sizes have other winners, sizes between them race, too.",
    "A path is safe at a size if it was no slower than the library there, with 95 %, in every race of every launch. "
    "Rules are made of what is safe, fast, and simple. Every launch holds each rule against the library, the path of "
    "'fast' and the next best at sizes, of odd counts, that it draws; where one is not safe, the rules are chosen "
    "anew. A rule that did not hold in four launches is left out. What the library does better has no rule.",
    "Of a conveyor the candidates are routes of one to three hops, each with buffers of 1 to 64 KiB, two to eight a "
    "link, whose routes are proven and which hold no more than a run pushes; what is timed is a run of items for ranks "
    "that are drawn. Number 0 is what a constructor makes that leaves all to the machine.",
    "Where the ranks of a trace are subranks, nothing is raced: the map says how many subranks its superblocks ask "
    "for, and what is to be expected of that.",
    "With --job nothing is started: in a job that runs, the calls that take the time have paths of the list in turns "
    "with the map's own, one call of a hundred; a path that is shown to be faster by 3 % is kept, and what this makes "
    "of the map is printed as a patch. 'waymark run --online' starts this beside a job.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The map is written; with --check, it is nowhere slower."},
    {"1", "Something could not be measured, read or written; the message says why."},
    {"2", "The command line was wrong, or there is no launcher."},
    {"3", "With --check: at some point the map is more than 3 % slower, beyond noise."},
    {"130", "It was interrupted; the map has what was found until then."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark tune --op allreduce,bcast -o mine.scm -- mpirun -n 2", "Tune two operations in a minute."},
    {"waymark tune --from trace --budget 10min -o mine.scm -- mpirun -n 2", "Tune what a traced program calls."},
    {"waymark tune --op conveyor --bytes 8-64 -o mine.scm -- mpirun -n 2", "Tune hops and buffers of conveyors."},
    {"mpirun -n 64 waymark tune --op alltoall --profile cluster.json -o mine.scm",
     "Race what may be fastest by a profile of the machine alone, in this launch."},
    {"mpirun -n 64 waymark tune --resume mine.tune.json", "Confirm what that found, in another launch."},
    {"waymark tune --job $(pgrep -n mpirun) -o mine.scm", "Look for a better map while a job runs."},
    {"mpirun -n 2 waymark tune --check mine.scm --op bcast --points 200 --seed 7",
     "Hold the map against the library where nobody chose."},
    {0},
};

static int read_operations(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    struct choice *c = place;
    const char *names[OPERATIONS];
    char wrong[64];
    uint64_t bits = 0;

    (void)option;
    for (int op = 0; op < OPERATIONS; op++)
        names[op] = wm_operation_name((enum wm_operation)op);
    if (!wm_parse_names(a->value, names, OPERATIONS, &bits, wrong, sizeof wrong))
        return wm_arguments_misuse(
            a, "no operation '%s' is tuned%s", wrong,
            wm_error_suggest(wrong, names, OPERATIONS, "", "name one as in a map, such as 'allreduce'").text);
    for (int op = 0; op < OPERATIONS; op++)
        if ((bits >> op & 1) && !wm_tune_is_tuned(op))
            return wm_arguments_misuse(a, "'%s' is not tuned: its ranks do not share how much it is; leave it out",
                                       names[op]);
    c->task.operations |= (uint32_t)bits;
    return 0;
}

static int read_sizes(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    struct choice *c = place;
    char wrong[WM_SIZES_WRONG_CHARS];

    (void)option;
    if (wm_sizes_read(&c->task.sizes, a->value, wrong) < 0)
        return wm_arguments_misuse(a, "%s", wrong);
    if (c->task.sizes.bytes[0] == 0)
        return wm_arguments_misuse(a, "'%s' moves nothing at 0 bytes; begin with 1 or more", a->value);
    if (c->task.sizes.bytes[c->task.sizes.count - 1] > WM_TUNE_BYTES_MAX)
        return wm_arguments_misuse(a, "'%s' reaches 32 MiB; tune what is smaller, larger calls stay native", a->value);
    return 0;
}

/* "mine.scm" makes "mine.tune.json". NULL: no memory. */
static char *state_name(const char *output)
{
    size_t length = strlen(output);
    char *name;

    length -= length > 4 && strcmp(output + length - 4, ".scm") == 0 ? 4 : 0;
    return asprintf(&name, "%.*s.tune.json", (int)length, output) < 0 ? NULL : name;
}

static int check_names(const struct choice *c, const struct wm_arguments *a)
{
    if (c->resume == NULL && c->check == NULL && !wm_tune_task_fits(&c->task))
        return wm_arguments_misuse(a,
                                   "a name is longer than %d bytes, or a word of the launcher has blanks; shorten it",
                                   WM_TUNE_TEXT_CHARS - 1);
    return 0;
}

static int check_time(const struct choice *c, const struct wm_arguments *a)
{
    struct wm_error error;
    int rc = 0;

    if (c->check != NULL)
        rc = wm_tune_check_affords(&c->task, c->points, &error);
    else if (c->resume == NULL)
        rc = wm_tune_task_affords(&c->task, &error);
    return rc < 0 ? wm_arguments_misuse(a, "%s", error.text) : 0;
}

static json_t *pack(const struct choice *c, const char *file)
{
    struct wm_size_list sizes =
        wm_tune_task_sizes(&c->task, c->task.operations >> WM_CONVEYOR & 1 ? WM_CONVEYOR : WM_BCAST);

    if (c->check == NULL)
        return json_pack("{ss}", "state", file);
    return json_pack("{ss, sI, sI, sI, sI, si, sI}", "map", c->check, "operations", (json_int_t)c->task.operations,
                     "low", (json_int_t)sizes.bytes[0], "high", (json_int_t)sizes.bytes[sizes.count - 1], "load",
                     (json_int_t)(c->task.load_bytes > 0 ? c->task.load_bytes : WM_TUNE_LOAD_BYTES), "points",
                     c->points, "seed", (json_int_t)c->task.seed);
}

/* Returns only to say why the program did not start. The process's map is `fast`, so that the runtime wakes. */
static int become(const struct choice *c, const char *file)
{
    json_t *json = pack(c, file);
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

/* One of --op, --from, --resume and --check says what is done. Returns 0 or an exit status. */
static int check_task(const struct choice *c, const struct wm_arguments *a)
{
    bool fresh = c->resume == NULL && c->check == NULL;

    if (c->resume != NULL &&
        (c->check != NULL || c->task.from != NULL || c->task.operations != 0 || c->task.output != NULL))
        return wm_arguments_misuse(a, "'%s' says what to tune and where to write it; name nothing beside --resume",
                                   c->resume);
    if (c->check != NULL && (c->task.from != NULL || c->task.output != NULL))
        return wm_arguments_misuse(a, "--check writes and reads nothing else; leave --from and -o out");
    if (c->task.from != NULL && (c->task.operations != 0 || c->task.sizes.count > 0))
        return wm_arguments_misuse(a, "a trace says what is called; leave --op and --bytes out, or --from");
    if (fresh && c->task.operations == 0 && c->task.from == NULL)
        return wm_arguments_misuse(a, "no operation is named; say what to tune: --op allreduce,bcast");
    if (fresh && c->task.output == NULL)
        return wm_arguments_misuse(a, "no file is named; say where to write the map: -o mine.scm");
    return 0;
}

/* Returns 0 or an exit status. */
static int check_conveyor(const struct choice *c, const struct wm_arguments *a)
{
    bool named = c->task.operations >> WM_CONVEYOR & 1;

    if (named && c->task.sizes.count > 0 && c->task.sizes.bytes[c->task.sizes.count - 1] > WM_GAUGE_ITEM_BYTES_MAX)
        return wm_arguments_misuse(a, "items of conveyors are tuned up to 1 KiB; give --bytes 8-256, and tune other "
                                      "operations apart");
    if (c->task.load_bytes > 0 && !named)
        return wm_arguments_misuse(a, "--load is of conveyors that --op names; add --op conveyor, or leave --load out");
    if (c->task.load_bytes > LOAD_MOST)
        return wm_arguments_misuse(a, "a run of a conveyor pushes 1GiB at most; give a smaller --load");
    return 0;
}

/* With --job nothing else is said. Returns 0 or an exit status. */
static int check_job(const struct choice *c, const struct wm_arguments *a)
{
    if (c->job > 0 &&
        (c->resume != NULL || c->check != NULL || c->task.from != NULL || c->task.operations != 0 ||
         c->task.sizes.count > 0 || c->task.load_bytes > 0 || c->task.profile != NULL || a->operand_count > 0))
        return wm_arguments_misuse(a, "the job says what is called; leave all but --every, -o, --wait and -v out");
    if (c->job == 0 && (c->every > 0 || c->verbose))
        return wm_arguments_misuse(a, "--%s is for a job that runs; add --job PID", c->every > 0 ? "every" : "verbose");
    return 0;
}

static int tune_job(const struct choice *c)
{
    const struct wm_online_choice choice = {.every = c->every > 0 ? (uint32_t)c->every : 100,
                                            .patience_ns = c->wait_ns,
                                            .output = c->task.output,
                                            .verbose = c->verbose};
    struct wm_error error;

    return wm_online_tune(c->job, &choice, &error) < 0 ? wm_command_failed(&error) : 0;
}

static int check_launcher(const struct choice *c, const struct wm_arguments *a)
{
    if (c->launch.launched && a->operand_count > 0)
        return wm_arguments_misuse(a, "this is an MPI job already; leave '%s' out, or start the command outside of one",
                                   a->operands[0]);
    if (c->check != NULL && a->operand_count > 0)
        return wm_arguments_misuse(a, "a check is one launch; start the command in it: %s ... waymark tune --check %s",
                                   a->operands[0], c->check);
    if (!c->launch.launched && a->operand_count == 0 && c->resume == NULL)
        return wm_arguments_misuse(a, "there is no MPI job; say how to start one at the end: -- mpirun -n 2");
    return 0;
}

/* What is checked when nothing is named: all but conveyors, whose items are no sizes of calls. */
static uint32_t checked_operations(void)
{
    uint32_t bits = 0;

    for (int op = 0; op < WM_CONVEYOR; op++)
        bits |= wm_tune_is_tuned(op) ? UINT32_C(1) << op : 0;
    return bits;
}

/* A trace of subranks says how many there are to be, and nothing else: no job is needed, and where there is one its
 * rank 0 ends it by its status. Returns whether it is one, or cannot be read. */
static bool tune_subranks(const struct choice *c, const struct wm_arguments *a, int *status)
{
    bool found = false;
    struct wm_error error;
    int rc;

    if (c->task.from == NULL || c->launch.rank != 0)
        return false;
    rc = wm_tune_subranks(c->task.from, c->launch.launched ? NULL : c->task.output, &found, &error);
    if (rc < 0)
        *status = wm_command_failed(&error);
    else if (found && c->launch.launched)
        *status = wm_arguments_misuse(a,
                                      "the ranks of '%s' are subranks, for which nothing is raced; start the command "
                                      "outside of a job",
                                      c->task.from);
    return rc < 0 || found;
}

static int run(struct wm_arguments *arguments)
{
    struct choice c = {.task = {.budget_ns = INT64_C(60000000000), .seed = 1},
                       .points = 100,
                       .wait_ns = INT64_C(60000000000),
                       .launch = wm_launch_read()};
    struct wm_error error;
    char *file = NULL;
    int status;

    arguments->quiet = c.launch.rank != 0; /* all ranks have the same command line: one complains, all end */
    if (!wm_arguments_read(arguments, &c, &status) || (status = check_job(&c, arguments)) != 0)
        return status;
    if (c.job > 0)
        return tune_job(&c);
    c.task.launcher = arguments->operands;
    c.task.words = arguments->operand_count;
    if ((status = check_task(&c, arguments)) != 0 || (status = check_names(&c, arguments)) != 0 ||
        (status = check_conveyor(&c, arguments)) != 0 || tune_subranks(&c, arguments, &status) ||
        (status = check_launcher(&c, arguments)) != 0 || (status = check_time(&c, arguments)) != 0)
        return status;
    if (c.check != NULL && c.task.operations == 0)
        c.task.operations = checked_operations();
    if (c.check == NULL)
        file = c.resume != NULL ? strdup(c.resume) : state_name(c.task.output);
    if (c.check == NULL && c.resume == NULL && c.launch.rank == 0 && wm_tune_begin(&c.task, file, &error) < 0)
        status = wm_command_failed(&error);
    if (status == 0 && c.launch.launched)
        status = become(&c, file);
    else if (status == 0)
        status = wm_tune_launches_run(arguments->operands, arguments->operand_count, file);
    free(file);
    return status;
}

const struct wm_command wm_command_tune = {
    .name = "tune",
    .summary = "write a map for this machine, by races",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "launcher", .most = 100},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
