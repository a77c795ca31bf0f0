/* waymark retune: another map for a job that runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/parse.h"
#include "tools/check/check.h"
#include "tools/check/table.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/retune/job.h"
#include "tools/retune/trial.h"
#include "tools/retune/verdict.h"

struct choice {
    const char *map;
    bool back, unproven, keep;
    int trial;
    int64_t wait_ns;
};

static const char *const synopsis[] = {"retune PID -m MAP [--trial ROUNDS [--keep]] [--unproven] [--wait TIME]",
                                       "retune PID --back [--wait TIME]", NULL};

static const char *const description[] = {
    "Change the map of a job that 'waymark run --retune SECONDS' runs, without a restart. The job is named by the "
    "process "
    "of any of its ranks, or of the mpirun that started it, on the host of rank 0; only its user may do so.",
    "The map is proven first, as by 'waymark check', for the machine that the job runs on, and read by a map server of "
    "the job's own: if anything is wrong with it, that is said, and nothing is changed. Then the ranks of each "
    "communicator agree at one of their next calls that the new map holds from that call on. What is in flight ends "
    "under "
    "its old plan, and persistent requests keep theirs; a conveyor changes at its next begin. Communicators that were "
    "given a map of their own keep it. The new map must declare the same '#:grid'.",
    "With --trial both maps serve the blocking calls of the communicators of rank 0 in turns, and what they take is "
    "compared: a round is up to 64 calls of one operation and size under the old map, twice as many under the new one, "
    "and as many under the old one again. The new map then holds if it is not slower by more than 2 %, as the interval "
    "of 95 % of the total says; the old one does as soon as the new one is, where neither is shown, and where the "
    "command is interrupted or gone. What was measured is told as a table.",
    "Otherwise the command ends when the job has taken the map. With --verbose the job itself says from which call on "
    "the map "
    "holds "
    "on which communicator.",
    NULL,
};

static const struct wm_option options[] = {
    {"map", 'm', "MAP", "The new map: a file, or the name of a map that comes with Waymark.", .read = wm_option_name,
     .place = offsetof(struct choice, map)},
    {"back", 0, NULL, "Go back to the map before.", .read = wm_option_flag, .place = offsetof(struct choice, back)},
    {"trial", 0, "ROUNDS", "Try the map beside the old one, in at most so many rounds, 3 to 4096.",
     .read = wm_option_number, .place = offsetof(struct choice, trial), .least = WM_TRIAL_ROUNDS_MIN,
     .most = WM_MAILBOX_ROUNDS_MAX},
    {"keep", 0, NULL, "After a trial that shows neither, keep the new map.", .read = wm_option_flag,
     .place = offsetof(struct choice, keep)},
    {"unproven", 0, NULL, "Do not prove the map first: on large machines that may take minutes.",
     .read = wm_option_flag, .place = offsetof(struct choice, unproven)},
    {"wait", 0, "TIME",
     "How long to wait for the job to come to a call, or to a further round, as 10s; 60s unless given.",
     .read = wm_option_time, .place = offsetof(struct choice, wait_ns)},
    {0},
};

static const struct wm_command_item statuses[] = {
    {"0", "The job has taken the map."},
    {"1", "Nothing is changed: the map is wrong or not proven, or the job takes none."},
    {"3", "The trial is over, and the old map holds."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark retune $(pgrep -n mpirun) -m new.scm", "Give the job that was started last on this host another map."},
    {"waymark retune $(pgrep -n mpirun) -m new.scm --trial 200", "The same, if the map is not slower."},
    {"waymark retune $(pgrep -n mpirun) --back", "Give it the one before again."},
    {0},
};

static void say_progress(const struct wm_site *site, enum wm_operation operation, size_t calls)
{
    (void)site, (void)operation, (void)calls;
}

/* What is not proven is printed as 'waymark check' does. */
static int prove(const struct wm_site_map *map, const char *machine, struct wm_error *error)
{
    char machines[1][WM_CHECK_MACHINE_CHARS];
    struct wm_check_plan plan = {.machines = machines,
                                 .machine_count = 1,
                                 .machines_named = true,
                                 .operations = WM_EVERY_OPERATION,
                                 .root = -1,
                                 .communicator = "MPI_COMM_WORLD",
                                 .orders = 1};
    struct wm_check_result result = {0};
    int rc;

    snprintf(machines[0], sizeof machines[0], "%s", machine);
    rc = wm_check_sweep(&result, &plan, map, say_progress, error);
    if (rc == 0 && result.failures > 0) {
        for (int i = 0; i < result.row_count; i++)
            wm_check_shrink(&result.rows[i].first, map, &result.rows[i]);
        wm_check_print(stdout, map, &result);
        rc = wm_error_set(error, -WM_EMAP, "%zu of %zu calls of the map are not proven on %s; nothing is changed",
                          result.failures, result.calls, machine);
    }
    wm_check_result_release(&result);
    return rc;
}

/* Where the ranks stand in no order that a text can say: so many on one node. */
static void find_machine(const struct wm_mailbox *m, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%.*s", (int)sizeof m->machine - 1, m->machine);
    if (out[0] == '\0')
        snprintf(out, out_bytes, "core=%d", (int)m->ranks);
}

static int ask(struct wm_mailbox *m, const struct choice *choice, struct wm_error *error)
{
    char machine[WM_CHECK_MACHINE_CHARS];
    struct wm_site_map map;
    int rc;

    if (choice->back)
        return wm_mailbox_ask(m, WM_MAILBOX_BACK, NULL, NULL, 0, NULL, error);
    if ((rc = wm_site_map_open(&map, choice->map, error)) < 0)
        return rc;
    strcpy(map.communicator, "MPI_COMM_WORLD");
    find_machine(m, machine, sizeof machine);
    if (!choice->unproven)
        rc = prove(&map, machine, error);
    if (rc == 0)
        rc = wm_mailbox_ask(m, choice->trial > 0 ? WM_MAILBOX_TRY : WM_MAILBOX_MAP, map.file, map.text, map.text_bytes,
                            NULL, error);
    wm_site_map_close(&map);
    return rc;
}

/* The job has answered. Returns the exit status. */
static int go_on(struct wm_mailbox *m, const struct choice *choice)
{
    const struct wm_trial_choice trial = {choice->trial, choice->keep, choice->wait_ns};
    struct wm_error error = {0};
    bool kept;

    if (choice->trial == 0) {
        printf("epoch %u: '%.*s' holds on each communicator from one of its next calls on\n", m->epoch,
               (int)sizeof m->map_file - 1, m->map_file);
        return 0;
    }
    if (wm_trial_watch(m, choice->map, &trial, &kept, &error) < 0)
        return wm_command_failed(&error);
    return kept ? 0 : 3;
}

static int retune(int pid, const struct choice *choice)
{
    struct wm_error error = {0};
    struct wm_mailbox *m = wm_retune_job(pid, &error);
    int status;

    if (m == NULL)
        return wm_command_failed(&error);
    if (choice->trial > 0)
        wm_trial_catch_signals();
    status = ask(m, choice, &error) < 0 || wm_retune_await(m, choice->wait_ns, &error) < 0 ? wm_command_failed(&error)
                                                                                           : go_on(m, choice);
    wm_mailbox_free(m, -1);
    return status;
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {.wait_ns = INT64_C(60000000000)};
    uint64_t pid;
    int status;

    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    if (!wm_parse_count(arguments->operands[0], &pid) || pid == 0 || pid > INT32_MAX)
        return wm_arguments_misuse(arguments, "'%s' is no process; name that of a rank, or of mpirun",
                                   arguments->operands[0]);
    if (choice.back == (choice.map != NULL))
        return wm_arguments_misuse(arguments, "say either -m MAP or --back");
    if (choice.trial > 0 && choice.back)
        return wm_arguments_misuse(arguments, "--trial tries the map of -m; --back goes back without a trial");
    if (choice.keep && choice.trial == 0)
        return wm_arguments_misuse(arguments, "--keep says what follows a trial; add --trial 200, say");
    return retune((int)pid, &choice);
}

const struct wm_command wm_command_retune = {
    .name = "retune",
    .summary = "change the map of a job that runs",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "process", .least = 1, .most = 1},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
