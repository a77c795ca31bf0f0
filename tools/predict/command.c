/* waymark predict: what calls take by maps, on a machine that one need not have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/predict/report.h"
#include "tools/site/question.h"
#include "tools/text/sizes.h"

struct choice {
    struct wm_map_question question; /* what all calls have in common */
    uint32_t operations;
    struct wm_size_list sizes;
    const char *machines[WM_PREDICT_MACHINES_MAX];
    int machine_count;
    const char *profile, *plot;
    bool no_library;
    enum { TEXT, JSON } format;
};

static int read_sizes(void *place, const struct wm_arguments *arguments, const struct wm_option *option)
{
    char wrong[WM_SIZES_WRONG_CHARS];

    (void)option;
    if (wm_sizes_read(place, arguments->value, wrong) == 0)
        return 0;
    return wm_arguments_misuse(arguments, "%s", wrong);
}

static int read_machine(void *place, const struct wm_arguments *arguments, const struct wm_option *option)
{
    struct choice *choice = place;

    (void)option;
    if (choice->machine_count == WM_PREDICT_MACHINES_MAX)
        return wm_arguments_misuse(arguments, "more than %d machines; ask about some of them first",
                                   WM_PREDICT_MACHINES_MAX);
    if (arguments->value[0] == '\0')
        return wm_arguments_misuse(arguments, "'--grid' needs its argument MACHINE, and that is empty");
    choice->machines[choice->machine_count++] = arguments->value;
    return 0;
}

static const struct wm_option options[] = {
    {"op", 'o', "OPERATIONS",
     "The operations, a list such as allreduce,bcast. All that the first map has rules for unless given.",
     .read = wm_option_operations, .place = offsetof(struct choice, operations)},
    {"bytes", 'b', "SIZES",
     "Their sizes, as in a map's rules: 8, 1KiB-1MiB, or a list of such. 8,8KiB,1MiB unless given.", .read = read_sizes,
     .place = offsetof(struct choice, sizes)},
    {"grid", 'g', "MACHINE",
     "The machine: node=4,core=4 (the default); as for 'waymark show'. Several times: each of them.",
     .read = read_machine},
    {"root", 0, "RANK", "The root of what has one; 0 unless given.", .read = wm_option_rank, .most = INT_MAX,
     .place = offsetof(struct choice, question.facts.root)},
    {"profile", 'p', "FILE",
     "What things cost on the machine, as 'waymark profile' writes it; assumed figures unless given.",
     .read = wm_option_name, .place = offsetof(struct choice, profile)},
    {"no-library", 0, NULL, "Without what Open MPI would choose.", .read = wm_option_flag,
     .place = offsetof(struct choice, no_library)},
    {"plot", 0, "FILE.svg", "Draw the predictions, too: time over bytes and, of several machines, over ranks.",
     .read = wm_option_name, .place = offsetof(struct choice, plot)},
    {"format", 'f', "text|json",
     "Text (the default), or an object as 'waymark bench' writes it, with where the time goes.",
     .read = wm_option_choice, .place = offsetof(struct choice, format)},
    {0},
};

static const char *const synopsis[] = {
    "predict MAP… [--op OPERATIONS] [--bytes SIZES] [--grid MACHINE]… [--root RANK] [--profile FILE] "
    "[--no-library] [--plot FILE.svg] [--format text|json]",
    NULL,
};

static const char *const description[] = {
    "Predict what calls take by each MAP, a file or the name of a map that comes with Waymark: the plans of all ranks "
    "are "
    "made as a job would make them, and carried out event by event on a model of the machine. Nothing is run.",
    "The figures are stamped: calibrated, where the profile was measured on so many ranks, nets and levels; "
    "transferred, where some of that is not so; assumed, where nothing was measured. Behind ± stands what nine of ten "
    "calls of the "
    "profile's own test were off by, or ? where it made none.",
    "Beside the maps stands 'Open MPI (modelled)': what Open MPI 4.1 would choose by its fixed tables, flown by our "
    "engine over MPI's messages (models/open-mpi.scm among the maps says it, rule by rule). What is 'too large' there "
    "has too many messages to be carried out.",
    "For a single call it is told where the time goes, by line of the map and by parameter of the profile: what lies "
    "on the way to the last rank's end. The shares add up to the whole. docs/foresight.md says how to believe it.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The predictions are shown."},
    {"1", "A map or the profile is wrong, or a path does not serve a call; the message says where."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark predict hierarchy --op allreduce --bytes 8 --grid node=64,core=32", "How long, and why."},
    {"waymark predict mine.scm fast -o allreduce,bcast -b 8-1MiB -p machine.json", "Two maps side by side."},
    {"waymark predict fast -b 8 -g core=8 -g node=4,core=8 --plot ranks.svg",
     "How they fare on larger machines, as a picture."},
    {0},
};

static int plot(const struct wm_predict_report *reports, int count, const char *file, struct wm_error *error)
{
    FILE *out = fopen(file, "w");

    if (out == NULL)
        return wm_error_set(error, -WM_ESYSTEM, "cannot write '%s': %s", file, strerror(errno));
    wm_predict_reports_plot(reports, count, out);
    return fclose(out) != 0 ? wm_error_set(error, -WM_ESYSTEM, "cannot write '%s': %s", file, strerror(errno)) : 0;
}

static void print(const struct choice *choice, const struct wm_predict_report *reports)
{
    if (choice->format == JSON)
        wm_predict_reports_json(reports, choice->machine_count, stdout);
    for (int i = 0; i < choice->machine_count && choice->format == TEXT; i++) {
        if (i > 0)
            putchar('\n');
        wm_predict_report_text(&reports[i], stdout);
    }
}

static int predict_all(const struct choice *choice, char **maps, int map_count)
{
    struct wm_predict_report reports[WM_PREDICT_MACHINES_MAX] = {0};
    struct wm_profile profile = {0};
    struct wm_error error = {0};
    int rc = choice->profile != NULL ? wm_profile_load(&profile, choice->profile, &error) : wm_profile_assume(&profile);

    for (int i = 0; rc == 0 && i < choice->machine_count; i++) {
        struct wm_map_question question = choice->question;

        question.machine = choice->machines[i];
        reports[i] = (struct wm_predict_report){.machine = choice->machines[i],
                                                .library = !choice->no_library,
                                                .profile = &profile,
                                                .profile_name = choice->profile};
        rc =
            wm_predict_report_fill(&reports[i], &question, choice->operations, &choice->sizes, maps, map_count, &error);
    }
    if (rc == 0)
        print(choice, reports);
    if (rc == 0 && choice->plot != NULL)
        rc = plot(reports, choice->machine_count, choice->plot, &error);
    for (int i = 0; i < choice->machine_count; i++)
        wm_predict_report_release(&reports[i]);
    wm_profile_release(&profile);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {.question = wm_question_default()};
    int status;

    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    for (int i = 0; choice.sizes.count == 0 && i < 3; i++)
        choice.sizes.bytes[i] = (uint64_t[]){8, 8 << 10, 1 << 20}[i];
    if (choice.sizes.count == 0)
        choice.sizes.count = 3;
    if (choice.machine_count == 0)
        choice.machines[choice.machine_count++] = choice.question.machine;
    return predict_all(&choice, arguments->operands, arguments->operand_count);
}

const struct wm_command wm_command_predict = {
    .name = "predict",
    .summary = "predict what calls take by a map, and why, without running any",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "map", .least = 1, .most = WM_PREDICT_MAPS_MAX},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
