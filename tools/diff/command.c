/* waymark diff: two traced runs compared. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/commands.h"
#include "tools/diff/show.h"

enum { UNREADABLE = 3 };

static const char *const synopsis[] = {"diff [--threshold PERCENT] [--format text|json] DIR1 DIR2", NULL};

static const char *const description[] = {
    "Compare two traced runs, or one program under two maps: which calls, lines of the map and edges became faster or "
    "slower in DIR2, with the noise of each. DIR1 and DIR2 are directories that 'waymark run -t DIR' wrote.",
    "Whole calls are compared by operation, size of the communicator and size class of their bytes, so a map can be "
    "compared with another, or with none. Lines are the same when they are written alike, wherever they stand; then, "
    "when "
    "they stand at the same place. What is in one run alone is shown as such.",
    "A change is called one only where it stands out of the noise within the runs. Noise from run to run (other nodes, "
    "other neighbours) is in no trace: compare two runs of the same map to see it.",
    NULL,
};

static const struct wm_option options[] = {
    {.name = "threshold",
     .letter = 't',
     .argument = "PERCENT",
     .help =
         "How much slower is a regression; default 5%. The exit status is 1 when the interval of the total, or of a "
         "call or line that takes 1 % of the second run or more, lies above it as a whole."},
    {.name = "format", .letter = 'f', .argument = "FORMAT", .help = "'text' (the default) or 'json'."},
    {0},
};

static const struct wm_command_item verdicts[] = {
#define X(id, name, help) {name, help},
    WM_VERDICTS(X)
#undef X
        {0},
};

static const struct wm_command_item statuses[] = {
    {"0", "The runs are compared, and nothing became slower by more than the threshold."},
    {"1", "Something did: a regression."},
    {"2", "The command line was wrong."},
    {"3", "A directory holds no trace that can be read, or the comparison could not be made or written."},
    {0},
};

static const struct wm_command_section sections[] = {{"VERDICTS", verdicts}, {"EXIT STATUS", statuses}, {0}};

static const struct wm_command_item examples[] = {
    {"waymark diff before after", "What a changed map has changed."},
    {"waymark diff --threshold 10% before after || echo slower", "In a script: tell of slowdowns beyond 10 %."},
    {0},
};

struct wishes {
    const char *directories[2];
    double threshold;
    bool json;
};

static int complain(const char *sentence)
{
    fprintf(stderr, "waymark diff: %s\n", sentence);
    return UNREADABLE;
}

static int print(const struct wm_diff *diff, bool json)
{
    struct wm_page page = wm_page_of(stdout);
    json_t *object;

    if (json) {
        object = wm_diff_json(diff);
        if (object == NULL)
            return complain("out of memory");
        json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(object);
    } else {
        wm_diff_print(&page, diff);
    }
    if (fflush(stdout) != 0)
        return complain("the comparison could not be written");
    return diff->regressed ? WM_EXIT_FAILED : 0;
}

static int compare(struct wm_trace *const traces[2], const struct wishes *wishes)
{
    struct wm_samples samples[2] = {0};
    struct wm_diff diff = {0};
    int status = UNREADABLE;

    if (wm_samples_take(&samples[0], traces[0]) < 0 || wm_samples_take(&samples[1], traces[1]) < 0 ||
        wm_diff_make(&diff, &samples[0], &samples[1], wishes->threshold) < 0)
        complain("out of memory");
    else
        status = print(&diff, wishes->json);
    wm_diff_release(&diff);
    for (int i = 0; i < 2; i++)
        if (samples[i].trace != NULL)
            wm_samples_release(&samples[i]);
    return status;
}

static int serve(const struct wishes *wishes)
{
    struct wm_trace *traces[2] = {NULL, NULL};
    struct wm_error error = {0};
    int status = 0;

    for (int i = 0; i < 2 && status == 0; i++)
        if (wm_trace_open(&traces[i], wishes->directories[i], &error) < 0)
            status = complain(error.text);
    if (status == 0)
        status = compare(traces, wishes);
    wm_trace_close(traces[0]);
    wm_trace_close(traces[1]);
    return status;
}

static bool read_percent(const char *text, double *share)
{
    char *end;
    double value;

    errno = 0;
    value = strtod(text, &end);
    if (end == text || errno != 0 || !(value >= 0 && value <= 1e6) || (*end != '\0' && strcmp(end, "%") != 0))
        return false;
    *share = value / 100;
    return true;
}

static int take_option(struct wm_arguments *arguments, int option, struct wishes *wishes)
{
    if (option == 0 && !read_percent(arguments->value, &wishes->threshold))
        return wm_arguments_misuse(arguments, "--threshold is per cent like 5%%, not '%s'", arguments->value);
    if (option != 1)
        return -1;
    wishes->json = strcmp(arguments->value, "json") == 0;
    if (!wishes->json && strcmp(arguments->value, "text") != 0)
        return wm_arguments_misuse(arguments, "--format is 'text' or 'json', not '%s'", arguments->value);
    return -1;
}

static int run(int argc, char **argv)
{
    struct wm_arguments arguments = wm_arguments_begin(&wm_command_diff, argc, argv);
    struct wishes wishes = {.threshold = 0.05};
    int word, count = 0, status;

    while ((word = wm_arguments_next(&arguments)) >= 0 || word == WM_ARGUMENT_OPERAND) {
        if (word == WM_ARGUMENT_OPERAND) {
            if (count < 2)
                wishes.directories[count] = arguments.value;
            count++;
        } else if ((status = take_option(&arguments, word, &wishes)) >= 0) {
            return status;
        }
    }
    if (word != WM_ARGUMENT_END)
        return wm_arguments_status(word);
    if (count != 2)
        return wm_arguments_misuse(&arguments, "two trace directories are to be named, not %d", count);
    return serve(&wishes);
}

const struct wm_command wm_command_diff = {
    .name = "diff",
    .summary = "say what became faster and slower between two traced runs",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .sections = sections,
    .examples = examples,
    .run = run,
};
