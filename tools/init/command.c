/* waymark init: a first map, written for a machine, or for the calls of a trace. */
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/init/write.h"
#include "tools/run/maps.h"
#include "tools/text/output.h"

struct choice {
    const char *machine, *output;
    bool force;
};

static const struct wm_option options[] = {
    {"grid", 'g', "MACHINE", "The machine, as in 'waymark show': node=4,core=8. This host's processors unless given.",
     .read = wm_option_name, .place = offsetof(struct choice, machine)},
    {"output", 'o', "FILE", "The file to write: map.scm unless given; - for standard output.", .read = wm_option_name,
     .place = offsetof(struct choice, output)},
    {"force", 0, NULL, "Replace a file that is there.", .read = wm_option_flag,
     .place = offsetof(struct choice, force)},
    {0},
};

static const char *const synopsis[] = {"init [--grid MACHINE] [-o FILE] [--force]", "init [-o FILE] [--force] TRACE",
                                       NULL};

static const char *const description[] = {
    "Write a first map to change. It does what '" WM_MAPS_DEFAULT "' does, the map that runs where none is named: its "
    "rules stand there as they are, with comments that say which of them calls on this machine fall under, and for "
    "which sizes, and which shapes each stage may have instead.",
    "With the directory of a trace the machine is the traced job's, or, where its ranks stand in no order that a text "
    "can "
    "say, one with as many on each host, which is told; and operations stand in the order of what their "
    "calls took there, with their costs; those that were not called follow. The trace may be of a run under any map.",
    NULL,
};

static const struct wm_command_item examples[] = {
    {"waymark init", "Write map.scm for the processors of this host."},
    {"waymark init --grid node=16,core=64 -o cluster.scm", "For a machine that one need not have."},
    {"mpirun -n 8 waymark run -t trace ./program; waymark init trace", "For what a program does."},
    {0},
};

/* "core=8": one node with the processors that this process may use. */
static void describe_host(char *machine, size_t bytes)
{
    cpu_set_t set;
    long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);

    snprintf(machine, bytes, "core=%ld", count > 0 ? count : 1);
}

static int write_file(const struct wm_init_source *source, struct wm_error *error)
{
    struct wm_output output;
    int rc = wm_output_open(&output, source->file, error);

    if (rc < 0)
        return rc;
    rc = wm_init_write(source, output.file, error);
    if (rc == 0)
        return wm_output_commit(&output, error);
    wm_output_abandon(&output);
    return rc;
}

static int write_map(struct wm_init_source *source, const char *machine, struct wm_error *error)
{
    struct wm_site_map map;
    struct wm_site site = {0};
    int rc = wm_site_map_open(&map, source->name, error);

    if (rc == 0)
        rc = wm_site_init(&site, &map, machine, error);
    source->map = &map;
    source->site = &site;
    if (rc == 0)
        rc = write_file(source, error);
    if (rc == 0 && source->file != NULL)
        printf("%s is for %s, and says how to go on\n", source->file, machine);
    if (rc == 0 && source->costs->likened)
        fprintf(stderr,
                "waymark init: no text says how the ranks of '%s' stand; %s has as many on each host, in order\n",
                source->trace, machine);
    wm_site_release(&site);
    wm_site_map_close(&map);
    return rc;
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {.output = "map.scm"};
    struct wm_job_costs costs = {0};
    struct wm_init_source source = {.name = WM_MAPS_DEFAULT, .costs = &costs};
    struct wm_error error = {0};
    char host[32];
    int status;

    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    source.file = strcmp(choice.output, "-") != 0 ? choice.output : NULL;
    source.trace = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    if (source.trace != NULL && choice.machine != NULL)
        return wm_arguments_misuse(arguments, "a trace says which machine it is of; take --grid or '%s' out",
                                   source.trace);
    if (source.file != NULL && !choice.force && access(source.file, F_OK) == 0) {
        wm_error_set(&error, -WM_EINVAL, "'%s' is there already: name another file with -o, or replace it with --force",
                     source.file);
        return wm_command_failed(&error);
    }
    if (source.trace != NULL && wm_job_costs_read(&costs, source.trace, &error) < 0)
        return wm_command_failed(&error);
    describe_host(host, sizeof host);
    if (write_map(&source,
                  choice.machine != NULL ? choice.machine
                  : source.trace != NULL ? costs.machine
                                         : host,
                  &error) < 0)
        return wm_command_failed(&error);
    return 0;
}

const struct wm_command wm_command_init = {
    .name = "init",
    .summary = "write a first map, for a machine or for the calls of a trace",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "trace directory", .most = 1},
    .examples = examples,
    .run = run,
};
