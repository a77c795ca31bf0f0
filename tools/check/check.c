/* waymark check: every rule of a map proven on machines that one need not have. */
#include "tools/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/parse.h"
#include "tools/check/table.h"
#include "tools/cli/commands.h"
#include "tools/site/question.h"
#include "tracer/clock.h"

enum { LARGE_RANKS = 1024 }; /* calls of so many may take minutes */

#define PROGRESS_NS UINT64_C(5000000000)

static int read_machine(void *choice, const struct wm_arguments *a, const struct wm_option *option);
static int read_ranks(void *choice, const struct wm_arguments *a, const struct wm_option *option);
static int read_sizes(void *sizes, const struct wm_arguments *a, const struct wm_option *option);

static const struct wm_option options[] = {
    {"grid", 'g', "MACHINE", "A machine to check on, as in 'waymark show': node=4,core=8; may stand several times.",
     .read = read_machine},
    {"ranks", 'n', "LIST", "One node with so many ranks: 8, or 1-64, or 1-9,16,17.", .read = read_ranks},
    {"op", 'o', "OPERATION,...",
     "These operations alone: allreduce, bcast, …, conveyor, messages; may stand several times.",
     .read = wm_option_operations, .place = offsetof(struct wm_check_plan, operations)},
    {"bytes", 'b', "SIZES",
     "These sizes alone; ranges are walked in powers of two: 8, 64KiB-1MiB, 8,64,1KiB. Unless given: both ends of "
     "every range of sizes that the map answers alike; where it answers one by one, powers of two up to 1 MiB.",
     .read = read_sizes, .place = offsetof(struct wm_check_plan, sizes)},
    {"root", 0, "RANK", "This root alone; the first rank and the last unless given.", .read = wm_option_rank,
     .place = offsetof(struct wm_check_plan, root)},
    {"communicator", 0, "NAME",
     "The name of the communicator, or of the conveyor, which a rule may look at; MPI_COMM_WORLD unless given.",
     .read = wm_option_fact_text, .place = offsetof(struct wm_check_plan, communicator)},
    {"protocol", 0, "NAME", "The name of the messages' protocol, which a rule may look at; none unless given.",
     .read = wm_option_fact_text, .place = offsetof(struct wm_check_plan, protocol)},
    {"statement", 0, "NAME", "The name of the statement, which a rule may look at; none unless given.",
     .read = wm_option_fact_text, .place = offsetof(struct wm_check_plan, statement)},
    {"orders", 0, "NUMBER",
     "Random orders of events to try for each call of up to 128 ranks, beside two adversarial ones; 1 unless given.",
     .read = wm_option_number, .place = offsetof(struct wm_check_plan, orders), .least = 0, .most = 1000},
    {0},
};

static const char *const synopsis[] = {
    "check MAP [--grid MACHINE] [--ranks LIST] [--op OPERATION,...] [--bytes SIZES] [--root RANK] "
    "[--communicator NAME] [--protocol NAME] [--statement NAME] [--orders NUMBER]",
    NULL,
};

static const char *const description[] = {
    "Prove that the paths of a map are right, without running anything: all ranks' plans are made as they would be in "
    "a job, and carried out together on symbols. Every message is a rendezvous, and steps come in adversarial orders; "
    "of more than 128 ranks in one, which stands for all where no two steps race. "
    "Proven means: every message is sent and received with one size, nobody waits for ever, each rank ends with the "
    "right data in the right place, combined in rank order where the operator does not commute, nothing is read before "
    "it is written nor written out of bounds, and no two steps race. MAP is a file, or the name of a map that comes "
    "with Waymark.",
    "Without --grid and --ranks, machines of 1 to 9, 16 and 17 ranks are tried as one node, and some of several nodes, "
    "up to 18 ranks: uniform, ragged, and with ranks dealt out round-robin. Each operation is called with its first "
    "and its last rank as root, in place and not, with even and uneven blocks, and with operators that commute and "
    "that do not, where it has these.",
    "The table has a line for each rule and range of sizes: in it 'rounds' is the longest chain of messages that wait "
    "for each other, 'messages' is their number, 'rank' the bytes that the busiest rank sends or receives, and 'link' "
    "the bytes that leave or enter the busiest group of the outermost axis that divides the ranks, the busiest node's "
    "link for example. All four are of the largest call that was proven. Rules that none of the calls falls under are "
    "named behind it.",
    "Calls of many ranks are proven by symmetry where they have one, and that is said. A call has one if turning all "
    "ranks by so many, or flipping bits of their numbers, makes of each rank's plan another rank's: then a few ranks, "
    "which are carried out, stand for all, and a message brings them what their representative has of the sender. That "
    "the plans are alike is looked at of a part of the ranks, or of all of up to 128. Data is then of a size that the "
    "path cuts into even shares. An operator that does not commute leaves messages alike, in a reduce-scatter by flat "
    "or pairwise, but not what ranks combine: that is looked at of the first ranks and the last, or of all of up to "
    "128. "
    "What has no symmetry (a root, a scan, another call with such an operator) and too many steps is said to be too "
    "large.",
    "Sizes of uneven blocks are drawn rank by rank, and so is where they stand. Where that is too large, or calls are "
    "proven by symmetry, sizes repeat after the ranks of a node, or some more, and nothing is proven of others; where "
    "all ranks are carried out then, many blocks stand together. That is said, too.",
    "A conveyor's routes are proven instead of plans: both ends of every link name each other; an item for any rank "
    "comes there, and is taken for its source's; all items of a pair go one way, so that they stay in order; and no "
    "buffers wait for each other in a circle, which is looked for. That is done for all pairs of up to 2048 ranks; of "
    "larger machines for a sample, spread over all axes, and said. Its 'rounds' are the hops of an item; what was "
    "proven on the largest machine stands beneath the table.",
    "Of messages it is proven that their nets reach all peers, of the same node and of others, and that those of one "
    "protocol to one peer take one net, whatever their size, so that they stay in order. "
    "Of statements, known to all ranks, to both ends, to senders and to receivers alone: that their nets reach all "
    "ranks.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "Every call is proven."},
    {"1", "A call is refuted, refused, or too large to be carried out, or the map is wrong."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark check my.scm", "Prove all rules of a map on machines of up to 18 ranks."},
    {"waymark check my.scm --grid node=16,core=64 --op allreduce",
     "Prove the allreduce for the machine on which it is to run."},
    {"waymark check my.scm --op conveyor --grid node=4096,core=32", "Prove a sample of a large machine's routes."},
    {"waymark check my.scm --communicator solver", "Prove the rules that look at this name."},
    {"waymark check my.scm --ranks 1-64 --op bcast --bytes 8,1MiB", "Two sizes of a bcast on 1 to 64 ranks."},
    {0},
};

static const char *const usual_machines[] = {
    "core=1",
    "core=2",
    "core=3",
    "core=4",
    "node=2,core=2",
    "core=5",
    "core=6",
    "node=2,core=2+4",
    "node=3,core=2,order=cyclic",
    "core=7",
    "core=8",
    "node=3,core=2+4+1,order=cyclic",
    "core=9",
    "node=3,core=3",
    "core=16",
    "node=4,core=4",
    "core=17",
    "node=3,core=6",
    "cluster=2,node=4,core=2,order=cyclic",
    "cluster=2,node=3,core=2",
};

enum { SIBLINGS_MAX = 8 };

static bool add_machine(struct wm_check_plan *plan, const char *machine)
{
    if (plan->machine_count == WM_CHECK_MACHINES_MAX || strlen(machine) >= WM_CHECK_MACHINE_CHARS)
        return false;
    strcpy(plan->machines[plan->machine_count++], machine);
    return true;
}

static int read_machine(void *choice, const struct wm_arguments *a, const struct wm_option *option)
{
    (void)option;
    if (add_machine(choice, a->value))
        return 0;
    return wm_arguments_misuse(a, "--grid '%s' is more than %d characters long, or one of more than %d machines",
                               a->value, WM_CHECK_MACHINE_CHARS - 1, WM_CHECK_MACHINES_MAX);
}

/* "1-9,16": one node each. */
static bool add_ranks(struct wm_check_plan *plan, const char *list)
{
    char machine[WM_CHECK_MACHINE_CHARS];
    uint64_t first, last;

    while (list != NULL) {
        if (!wm_parse_range(&list, wm_parse_count, &first, &last) || first < 1 || last < first)
            return false;
        for (uint64_t ranks = first; ranks <= last; ranks++) {
            snprintf(machine, sizeof machine, "core=%d", (int)ranks);
            if (!add_machine(plan, machine))
                return false;
        }
    }
    return true;
}

static int read_ranks(void *choice, const struct wm_arguments *a, const struct wm_option *option)
{
    (void)option;
    if (add_ranks(choice, a->value))
        return 0;
    return wm_arguments_misuse(
        a, "'%s' is no list of numbers of ranks; write 8, or 1-64, or 1-9,16,17 (up to %d machines in all)", a->value,
        WM_CHECK_MACHINES_MAX);
}

static int read_sizes(void *sizes, const struct wm_arguments *a, const struct wm_option *option)
{
    char wrong[WM_SIZES_WRONG_CHARS];

    (void)option;
    return wm_sizes_read(sizes, a->value, wrong) == 0 ? 0 : wm_arguments_misuse(a, "%s", wrong);
}

/* Rewritten in its place on a terminal; elsewhere a line now and then, and before what may take minutes. */
static void show_progress(const struct wm_site *site, enum wm_operation operation, size_t calls)
{
    static uint64_t told_ns;
    static enum wm_operation told = WM_OPERATION_COUNT;
    uint64_t now_ns = wm_clock_monotonic_ns();

    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%zu calls; %s on %s", calls, wm_operation_name(operation), site->machine);
        return;
    }
    if (told_ns == 0)
        told_ns = now_ns;
    if (now_ns - told_ns < PROGRESS_NS && (site->ranks < LARGE_RANKS || operation == told))
        return;
    told_ns = now_ns;
    told = operation;
    fprintf(stderr, "waymark check: %zu calls done; now %s on %s\n", calls, wm_operation_name(operation),
            site->machine);
}

/* Processes with as many subranks as the map says, up to a few. */
static void add_subranks(struct wm_check_plan *plan, const struct wm_map *map)
{
    static const char *const forms[] = {"core=2,sibling=%d", "node=2,core=2,sibling=%d"};
    json_t *clauses = json_loads(wm_map_get_head(map)->subranks_json, 0, NULL), *clause;
    char machine[WM_CHECK_MACHINE_CHARS];
    size_t i;

    json_array_foreach (clauses, i, clause) {
        int count = (int)json_integer_value(json_object_get(clause, "count"));

        for (size_t form = 0; count > 1 && form < sizeof forms / sizeof *forms; form++) {
            snprintf(machine, sizeof machine, forms[form], count < SIBLINGS_MAX ? count : SIBLINGS_MAX);
            add_machine(plan, machine);
        }
    }
    json_decref(clauses);
}

static int check(struct wm_check_plan *plan, const char *name)
{
    struct wm_site_map map;
    struct wm_check_result result = {0};
    struct wm_error error = {0};
    int status = 1, rc = wm_site_map_open(&map, name, &error);

    if (rc < 0)
        return wm_command_failed(&error);
    memcpy(map.communicator, plan->communicator, sizeof map.communicator);
    memcpy(map.protocol, plan->protocol, sizeof map.protocol);
    memcpy(map.statement, plan->statement, sizeof map.statement);
    if (!plan->machines_named)
        add_subranks(plan, map.map);
    rc = wm_check_sweep(&result, plan, &map, show_progress, &error);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (rc < 0) {
        wm_command_failed(&error);
    } else {
        for (int i = 0; i < result.row_count; i++)
            wm_check_shrink(&result.rows[i].first, &map, &result.rows[i]);
        wm_check_print(stdout, &map, &result);
        status = result.failures > 0 ? WM_EXIT_FAILED : 0;
    }
    wm_check_result_release(&result);
    wm_site_map_close(&map);
    return status;
}

static int run(struct wm_arguments *arguments)
{
    struct wm_check_plan plan = {.root = -1, .communicator = "MPI_COMM_WORLD", .orders = 1};
    int status = WM_EXIT_FAILED;

    plan.machines = calloc(WM_CHECK_MACHINES_MAX, sizeof *plan.machines);
    if (plan.machines != NULL && wm_arguments_read(arguments, &plan, &status)) {
        plan.machines_named = plan.machine_count > 0;
        for (size_t i = 0; !plan.machines_named && i < sizeof usual_machines / sizeof *usual_machines; i++)
            add_machine(&plan, usual_machines[i]);
        if (plan.operations == 0)
            plan.operations = WM_EVERY_OPERATION;
        status = check(&plan, arguments->operands[0]);
    }
    free(plan.machines);
    return status;
}

const struct wm_command wm_command_check = {
    .name = "check",
    .summary = "prove that a map's paths are right, without running anything",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "map", .least = 1, .most = 1},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
