/* waymark predict: what calls take by maps, on a machine that one need not have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/predict/conveyors.h"
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
    int items;        /* of a conveyor, a rank; 0: not said */
    const char *text; /* of a statement, NULL: not said */
    struct wm_said said;
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
    {"items", 0, "NUMBER", "Of a conveyor: how many items each rank pushes; 1,000,000 unless given.",
     .read = wm_option_number, .place = offsetof(struct choice, items), .least = 1, .most = INT_MAX},
    {"text", 't', "TEXT", "A statement, as a program gives it to WM_COMMUNICATE, instead of operations.",
     .read = wm_option_name, .place = offsetof(struct choice, text)},
    {"let", 'l', "LET", "Of a statement: say what a name of the program is, as for 'waymark statement'; several times.",
     .read = wm_option_let, .place = offsetof(struct choice, said)},
    {"stable", 's', "NAME", "Of a statement: the program promises WM_STABLE of this name; several times.",
     .read = wm_option_stable, .place = offsetof(struct choice, said)},
    {"communicator", 0, "NAME", "The name of the communicator, or of the conveyor, which a rule may look at.",
     .read = wm_option_fact_text, .place = offsetof(struct choice, question.facts.communicator)},
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
    "predict MAP… --op conveyor --profile FILE [--communicator NAME] [--bytes SIZES] [--items NUMBER] [--grid "
    "MACHINE]… "
    "[--format text|json]",
    "predict MAP… --text TEXT [--let LET]… [--stable NAME]… [--grid MACHINE]… [--profile FILE] [--plot FILE.svg] "
    "[--format text|json]",
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
    "With --op conveyor: what a run of a conveyor takes that is made by the map's rule, where every rank pushes so "
    "many "
    "items to ranks that are drawn: items a second, memory, the time to drain. Only what was measured tells that: "
    "it needs a profile.",
    "With --text: what a call of a statement takes that comes again, as the map's rules have it made: as a collective "
    "operation, or as messages, with the copies to pack and to store. It is told how it goes, and what is not in the "
    "time. The profile's own test has no such messages, so that they have no ±.",
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
    {"waymark predict mine.scm -o conveyor -b 8,64 -g core=8 -p machine.json",
     "Items a second that a conveyor carries, memory, and why."},
    {"waymark predict fast -t 'A@(i+1)%ranks <<= B@i where i in world' -g core=4", "A statement, and how it goes."},
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
        if (choice->text != NULL)
            rc = wm_predict_report_fill_statement(&reports[i], &question, &choice->said, choice->text, maps, map_count,
                                                  &error);
        else
            rc = wm_predict_report_fill(&reports[i], &question, choice->operations, &choice->sizes, maps, map_count,
                                        &error);
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

enum { ITEMS = 1000000 };

/* One map on one machine: a prediction for each size. */
static int predict_sizes(struct wm_convey_prediction *out, const struct choice *choice, const char *file,
                         const char *machine, const struct wm_profile *profile, struct wm_error *error)
{
    struct wm_map_question question = choice->question;
    struct wm_site_map map = {0};
    struct wm_site site = {0};
    int rc = wm_site_map_open(&map, file, error);

    if (rc < 0)
        return rc;
    question.map = file;
    rc = wm_site_init(&site, &map, machine, error);
    for (int i = 0; rc == 0 && i < choice->sizes.count; i++) {
        question.facts.bytes = choice->sizes.bytes[i];
        rc = wm_convey_predict(&out[i], &map, &site, &question, choice->items > 0 ? (uint64_t)choice->items : ITEMS,
                               profile, error);
    }
    wm_site_release(&site);
    wm_site_map_close(&map);
    return rc;
}

static int predict_conveyors(const struct choice *choice, char **maps, int map_count)
{
    int count = choice->sizes.count * choice->machine_count * map_count, done = 0;
    struct wm_convey_prediction *all = calloc((size_t)count, sizeof *all);
    struct wm_profile profile = {0};
    struct wm_error error = {0};
    int rc = all != NULL ? wm_profile_load(&profile, choice->profile, &error)
                         : wm_error_set(&error, -WM_ENOMEM, "no memory for %d predictions", count);

    for (int i = 0; rc == 0 && i < choice->machine_count * map_count; i++) {
        rc = predict_sizes(&all[done], choice, maps[i % map_count], choice->machines[i / map_count], &profile, &error);
        done += choice->sizes.count;
    }
    if (rc == 0 && choice->format == JSON)
        wm_convey_predictions_json(all, count, choice->profile, stdout);
    else if (rc == 0)
        wm_convey_predictions_text(all, count, choice->profile, stdout);
    wm_profile_release(&profile);
    free(all);
    return rc < 0 ? wm_command_failed(&error) : 0;
}

/* Conveyors have options of their own. Returns 0 or an exit status. */
static int check_conveyors(const struct choice *choice, const struct wm_arguments *arguments)
{
    bool asked = (choice->operations >> WM_CONVEYOR & 1) != 0;

    if (!asked && choice->items > 0)
        return wm_arguments_misuse(arguments, "'--items' is of conveyors; add --op conveyor");
    if (!asked)
        return 0;
    if (choice->operations != UINT32_C(1) << WM_CONVEYOR)
        return wm_arguments_misuse(arguments, "conveyors are predicted apart; name --op conveyor alone");
    if (choice->plot != NULL)
        return wm_arguments_misuse(arguments, "there is no picture of conveyors; take '--plot' out");
    if (choice->question.facts.root >= 0)
        return wm_arguments_misuse(arguments, "a conveyor has no root; take '--root' out");
    if (choice->no_library)
        return wm_arguments_misuse(arguments, "the MPI library has no conveyors; take '--no-library' out");
    if (choice->profile == NULL)
        return wm_arguments_misuse(arguments,
                                   "what a conveyor takes is not assumed; measure the machine, mpirun -n 2 waymark "
                                   "profile -o machine.json, and add --profile machine.json");
    return 0;
}

/* Statements likewise. */
static int check_statement(const struct choice *choice, const struct wm_arguments *arguments)
{
    if (choice->text == NULL && (choice->said.let_count > 0 || choice->said.stable_count > 0))
        return wm_arguments_misuse(arguments, "'--let' and '--stable' are of statements; add --text");
    if (choice->text == NULL)
        return 0;
    if (choice->operations != 0 || choice->sizes.count > 0 || choice->question.facts.root >= 0)
        return wm_arguments_misuse(arguments, "a statement says itself what is sent; take '--op', '--bytes' and "
                                              "'--root' out, and say sizes by --let");
    return 0;
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {.question = wm_question_default()};
    int status;

    choice.question.facts.root = -1; /* not said */
    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    if (choice.machine_count == 0)
        choice.machines[choice.machine_count++] = choice.question.machine;
    if ((status = check_conveyors(&choice, arguments)) != 0 || (status = check_statement(&choice, arguments)) != 0)
        return status;
    if (choice.question.facts.root < 0)
        choice.question.facts.root = 0;
    if (choice.operations >> WM_CONVEYOR & 1) {
        if (choice.sizes.count == 0)
            choice.sizes = (struct wm_size_list){.count = 1, .bytes = {8}};
        return predict_conveyors(&choice, arguments->operands, arguments->operand_count);
    }
    for (int i = 0; choice.sizes.count == 0 && i < 3; i++)
        choice.sizes.bytes[i] = (uint64_t[]){8, 8 << 10, 1 << 20}[i];
    if (choice.sizes.count == 0)
        choice.sizes.count = 3;
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
