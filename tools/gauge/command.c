/* waymark profile: has a machine measured by waymark-gauge, makes a profile of the samples, and tests it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/gauge/build.h"
#include "tools/gauge/check.h"
#include "tools/gauge/probes.h"
#include "tools/gauge/conveyors.h"
#include "tools/gauge/selftest.h"
#include "tools/run/environment.h"
#include "tools/run/preload.h"
#include "tools/text/output.h"

#define PROGRAM "waymark-gauge"

enum { TESTS = 120, CHECKS = 240, CALLS_MAX = 600, FILE_CHARS = 32 };

struct choice {
    const char *output, *check;
    int64_t budget_ns;
    int seed, calls, held_out;
    struct wm_launch launch;
};

static const struct wm_option options[] = {
    {"output", 'o', "FILE", "Write the profile there.", .read = wm_option_name,
     .place = offsetof(struct choice, output)},
    {"budget", 0, "TIME",
     "How long to measure; 35s unless given. Every probe is flown three times at least, whatever that takes.",
     .read = wm_option_time, .place = offsetof(struct choice, budget_ns), .least = 1, .most = INT64_C(3600000000000)},
    {"seed", 0, "NUMBER", "Draws the order of the probes and the calls of the self-test; 1 unless given.",
     .read = wm_option_number, .place = offsetof(struct choice, seed), .most = 1000000000},
    {"check", 0, "FILE",
     "Measure no profile: hold this one against calls that are drawn anew, and tell how far off it is and where most.",
     .read = wm_option_name, .place = offsetof(struct choice, check)},
    {"calls", 0, "NUMBER", "How many calls are drawn; 120 unless given, 240 with --check.", .read = wm_option_number,
     .place = offsetof(struct choice, calls), .least = 1, .most = CALLS_MAX},
    {"held-out", 0, "NUMBER",
     "Time so many further calls in the same rounds, and hold the profile against them as --check does.",
     .read = wm_option_number, .place = offsetof(struct choice, held_out), .most = CALLS_MAX},
    {0},
};

static const char *const synopsis[] = {
    "profile -o FILE [--budget TIME] [--seed NUMBER] [--calls NUMBER] [--held-out NUMBER]",
    "profile --check FILE [--budget TIME] [--seed NUMBER] [--calls NUMBER]",
    NULL,
};

static const char *const description[] = {
    "Measure what messages, shared steps, copies and the engine cost on this machine, for 'waymark predict --profile'. "
    "The command stands inside the launcher, as 'waymark run' does, with as many ranks on each host as programs have "
    "there.",
    "Small plans are flown by the engine that serves programs, in rounds of an order that changes: of two ranks of a "
    "host, of two hosts, of two clusters of hosts, of all ranks of the first host. A value is the median of the "
    "rounds, or is solved for from medians; it stands in the file with its interval, and with whether it was "
    "measured, derived or assumed.",
    "Then calls on which nothing was fitted, drawn by the seed, are predicted and held against what they took in the "
    "same rounds. How far off they were becomes the ± of predictions.",
    "With --check calls are drawn and timed alone, and a profile is held against them: how far off half and nine of "
    "ten of "
    "its predictions are, for how many its ± holds, and how far two measurements of the same calls are apart.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The profile is written, or checked."},
    {"1", "It could not be measured or written; the message says why."},
    {"2", "The command line was wrong, or there is no launcher."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"mpirun -n 2 waymark profile -o machine.json", "Measure this host."},
    {"mpirun -n 8 --hostfile hosts waymark profile -o cluster.json --budget 20s",
     "Hosts and the network, in less time."},
    {"mpirun -n 2 waymark profile --check machine.json --seed 7", "How far off the profile is, on 240 further calls."},
    {"waymark predict fast --op bcast --grid core=2 --profile machine.json", "What a profile is for."},
    {0},
};

/* A file without a name that a child sees, too. Returns its descriptor, or -1; `file` is how to open it. */
static int new_file(const char *what, char file[FILE_CHARS])
{
    int fd = memfd_create(what, 0);

    snprintf(file, FILE_CHARS, "/proc/self/fd/%d", fd);
    return fd;
}

static bool write_map(const struct choice *c, const char *file)
{
    static struct wm_gauge_conveyors conveyors[3];
    FILE *out = fopen(file, "w");

    if (out == NULL)
        return false;
    wm_gauge_conveyors_pair(&conveyors[0], true);
    wm_gauge_conveyors_pair(&conveyors[1], false);
    wm_gauge_conveyors_test(&conveyors[2], (uint64_t)c->seed, (c->calls + c->held_out) / WM_GAUGE_CONVEYORS_EVERY);
    wm_gauge_print_map(out);
    wm_gauge_conveyors_print(out, conveyors, 3);
    fputs(")\n", out);
    return fclose(out) == 0;
}

/* Returns only to say why the program did not start. The process's map is that of the probes, so that the runtime
 * wakes; rank 0 alone reads it. */
static int become(const struct choice *c, const char *map, const char *samples)
{
    json_t *json = json_pack("{ss, sf, sI, si, sb}", "output", samples, "budget", (double)c->budget_ns * 1e-9, "seed",
                             (json_int_t)c->seed, "tests", c->calls + c->held_out, "check", c->check != NULL);
    char *words = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL, *program = NULL;
    struct wm_error error;

    if (wm_environment_set("WAYMARK_ON_ERROR", "abort") != 0 || wm_environment_set("WAYMARK_MAP", map) != 0 ||
        wm_preload_set(&c->launch) != 0)
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

/* Rank 0's program, which this process outlives. Returns its exit status. */
static int measure(const struct choice *c, const char *map, const char *samples)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(become(c, map, samples));
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        fprintf(stderr, "waymark profile: rank 0 has no second process: %s; give the job more processes or memory\n",
                strerror(errno));
        return WM_EXIT_FAILED;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : WM_EXIT_FAILED;
}

static void stamp(struct wm_profile *profile)
{
    time_t now = time(NULL);
    struct tm utc;

    strftime(profile->fingerprint.made, sizeof profile->fingerprint.made, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

static void tell(const struct choice *c, const json_t *samples, const struct wm_gauge_verdict *v)
{
    printf(
        "%s: measured in %.0f s; of %d calls on which nothing was fitted, half are predicted within %.0f %%, nine of "
        "ten within %.0f %%\n",
        c->output, json_number_value(json_object_get(samples, "seconds")), v->count, 100 * v->median, 100 * v->ninety);
}

static int make_profile(const struct choice *c, const char *map, const char *file)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);
    struct wm_profile profile = {0};
    struct wm_gauge_verdict verdict;
    struct wm_error error = {0};
    json_t *samples = json_load_file(file, 0, NULL);
    int rc = samples != NULL ? wm_gauge_build(&profile, samples, &error)
                             : wm_error_set(&error, -WM_ESYSTEM, "there are no samples; measure again");

    if (rc == 0)
        rc = wm_gauge_test(&verdict, &profile, samples, c->calls, map, &error);
    stamp(&profile);
    if (rc == 0)
        rc = wm_profile_save(&profile, c->output, &error);
    if (rc == 0)
        tell(c, samples, &verdict);
    if (rc == 0 && c->held_out > 0)
        rc = wm_gauge_check(&profile, samples, c->calls, map, &terminal, &error);
    wm_profile_release(&profile);
    json_decref(samples);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

static int check_profile(const struct choice *c, const char *map, const char *file)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);
    struct wm_profile profile = {0};
    struct wm_error error = {0};
    json_t *samples = json_load_file(file, 0, NULL);
    int rc = samples != NULL ? wm_profile_load(&profile, c->check, &error)
                             : wm_error_set(&error, -WM_ESYSTEM, "there are no samples; measure again");

    if (rc == 0)
        rc = wm_gauge_check(&profile, samples, 0, map, &terminal, &error);
    wm_profile_release(&profile);
    json_decref(samples);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

/* What would end it is said before anything is measured. */
static int look_ahead(const struct choice *c)
{
    struct wm_profile profile = {0};
    struct wm_output output;
    struct wm_error error;
    int rc =
        c->check != NULL ? wm_profile_load(&profile, c->check, &error) : wm_output_open(&output, c->output, &error);

    if (rc == 0 && c->check == NULL)
        wm_output_abandon(&output);
    wm_profile_release(&profile);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

static int lead(const struct choice *c)
{
    char map[FILE_CHARS], samples[FILE_CHARS];
    int status = look_ahead(c);

    if (status != 0)
        return status;
    if (new_file("profile.scm", map) < 0 || new_file("samples", samples) < 0 || !write_map(c, map)) {
        fprintf(stderr, "waymark profile: no memory for the map of the probes: %s; give the job more\n",
                strerror(errno));
        return WM_EXIT_FAILED;
    }
    status = measure(c, map, samples);
    if (status != 0)
        return status;
    return c->check != NULL ? check_profile(c, map, samples) : make_profile(c, map, samples);
}

static int run(struct wm_arguments *arguments)
{
    struct choice c = {.budget_ns = INT64_C(35000000000), .seed = 1, .launch = wm_launch_read()};
    int status;

    arguments->quiet = c.launch.rank != 0; /* all ranks have the same command line: one complains, all end */
    if (!wm_arguments_read(arguments, &c, &status))
        return status;
    if ((c.output == NULL) == (c.check == NULL))
        return wm_arguments_misuse(arguments,
                                   "name one file: where to write the profile, -o machine.json, or which one "
                                   "to check, --check machine.json");
    if (!c.launch.launched)
        return wm_arguments_misuse(
            arguments, "there is no MPI job; start it in one, for example: mpirun -n 2 waymark profile %s %s",
            c.check != NULL ? "--check" : "-o", c.check != NULL ? c.check : c.output);
    if (c.calls == 0)
        c.calls = c.check != NULL ? CHECKS : TESTS;
    if (c.calls + c.held_out > CALLS_MAX)
        return wm_arguments_misuse(arguments, "%d calls are drawn, more than %d; give --calls or --held-out less",
                                   c.calls + c.held_out, CALLS_MAX);
    return c.launch.rank == 0 ? lead(&c) : become(&c, "profile", "");
}

const struct wm_command wm_command_profile = {
    .name = "profile",
    .summary = "measure a machine, for predictions",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.instead = "the file is named by -o"},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
