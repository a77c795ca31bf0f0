/* waymark doctor: look twice, judge, say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/doctor/case.h"
#include "tools/doctor/words.h"

enum { EXIT_UNSEEN = 5 };

/* Between the two looks: a call that lasts is none that lasts for ever. */
static const struct timespec BETWEEN = {.tv_nsec = 300000000};

struct choice {
    const char *format;
};

static const char *const synopsis[] = {"doctor [--format text|json] PID|DIR", NULL};

static const char *const description[] = {
    "Say what is wrong with a job that 'waymark run --guard on' runs: which collective calls do not match, which ranks "
    "are gone, who waits for whom, in collective calls and for messages, and whether it can ever come. The ranks are "
    "not touched: each keeps a page that "
    "says "
    "where it is, and these are read, twice.",
    "A running job is named by the process of any of its ranks, or of the mpirun that started it on this host. A job "
    "with a trace leaves the pages in its directory, DIR, and can be judged when it is dead.",
    "What is said is proven (calls that do not match, ranks that wait for each other, ranks that are gone or have "
    "ended "
    "MPI), explained (those who are waited for are outside of MPI: they may still come), or unknown; these are never "
    "mixed. Ranks are those of MPI_COMM_WORLD; calls are counted from 1 on each communicator. Files and lines are "
    "found by addr2line (of binutils), where the program has debug information.",
    NULL,
};

static const struct wm_option options[] = {
    {"format", 'f', "text|json", "How to say it: 'text' (the default), or 'json', with all that is known.",
     .read = wm_option_one_of, .place = offsetof(struct choice, format)},
    {0},
};

static const struct wm_command_item statuses[] = {
    {"0", "Nothing is wrong."},
    {"1", "Calls do not match, or a rank has ended MPI without one: proven."},
    {"2", "Ranks wait for each other: proven. Or the command line is wrong."},
    {"3", "A rank is gone."},
    {"4", "Ranks wait, and those that they wait for are outside of MPI, or nothing more is known."},
    {"5", "There are no pages to look at."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark doctor $(pgrep -n mpirun)", "Ask the job that was started last on this host."},
    {"waymark doctor trace", "Judge the job that 'mpirun -n 4 waymark run --guard on -t trace ./program' was."},
    {"waymark doctor --format json trace | jq .verdict", "For a script."},
    {0},
};

static int judge(struct wm_patient *p, struct wm_judgement *j)
{
    uint64_t *earlier = calloc((size_t)p->pages.count, sizeof *earlier);
    int rc = -WM_ENOMEM;

    if (earlier == NULL)
        return rc;
    wm_patient_look(p, earlier);
    if (!p->over) {
        nanosleep(&BETWEEN, NULL);
        wm_patient_look(p, NULL);
    }
    rc = wm_judge(j, &p->pages, p->gone, p->over ? NULL : earlier);
    free(earlier);
    return rc;
}

static int print(const struct wm_patient *p, const struct wm_judgement *j, bool as_json)
{
    enum wm_case_status status;
    json_t *object = wm_case_make(p, j, &status);

    if (as_json) {
        json_dumpf(object, stdout, JSON_INDENT(1));
        putchar('\n');
    } else
        wm_words_print(stdout, object);
    json_decref(object);
    return (int)status;
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {.format = "text"};
    struct wm_patient patient;
    struct wm_judgement judgement;
    struct wm_error error = {0};
    int status;

    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    if (wm_patient_open(&patient, arguments->operands[0], &error) < 0) {
        wm_command_failed(&error);
        return EXIT_UNSEEN;
    }
    if (judge(&patient, &judgement) == 0) {
        status = print(&patient, &judgement, strcmp(choice.format, "json") == 0);
        wm_judgement_release(&judgement);
    } else {
        wm_error_set(&error, -WM_ENOMEM, "no memory to judge %d pages", patient.pages.count);
        status = wm_command_failed(&error);
    }
    wm_patient_release(&patient);
    return status;
}

const struct wm_command wm_command_doctor = {
    .name = "doctor",
    .summary = "say which calls of a job do not match, and who waits for whom",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "process or trace directory", .least = 1, .most = 1},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
