/* waymark diff: two traced runs compared. */
#include <stdlib.h>
#include <string.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/diff/show.h"

enum { UNREADABLE = 3 };

static const char *const synopsis[] = {"diff [--threshold PERCENT] [--format text|json] DIR1 DIR2", NULL};

static const char *const description[] = {
    "Compare two traced runs, or one program under two maps: which calls, lines of the map and edges became faster or "
    "slower in DIR2, with the noise of each. DIR1 and DIR2 are directories that 'waymark run -t DIR' wrote.",
    "Whole calls are compared by operation, size of the communicator and size class of their bytes, so a map can be "
    "compared with another, or with none. Lines are the same when they are written alike, wherever they stand; then, "
    "when they stand at the same place. What is in one run alone is shown as such.",
    "A change is called one only where it stands out of the noise within the runs. Noise from run to run (other nodes, "
    "other neighbours) is in no trace: compare two runs of the same map to see it.",
    NULL,
};

struct wishes {
    char **directories;
    double threshold;
    enum { TEXT, JSON } format;
};

static int read_threshold(void *choice, const struct wm_arguments *a, const struct wm_option *option);

static const struct wm_option options[] = {
    {"threshold", 't', "PERCENT",
     "How much slower is a regression; default 5%. The exit status is 1 when the interval of the total, or of a call "
     "or line that takes 1 % of the second run or more, lies above it as a whole.",
     .read = read_threshold},
    {"format", 'f', "text|json", "Text (the default), or json.", .read = wm_option_choice,
     .place = offsetof(struct wishes, format)},
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
    {"3", "A directory holds no trace that can be read, or the comparison could not be made or written."},
    {0},
};

static const struct wm_command_section sections[] = {{"VERDICTS", verdicts}, {0}};

static const struct wm_command_item examples[] = {
    {"waymark diff before after", "What a changed map has changed."},
    {"waymark diff --threshold 10% before after || echo slower", "In a script: tell of slowdowns beyond 10 %."},
    {0},
};

static int complain(const char *sentence)
{
    fprintf(stderr, "waymark diff: %s\n", sentence);
    return UNREADABLE;
}

static int print(const struct wm_diff *diff, bool json)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);
    json_t *object;

    if (json) {
        object = wm_diff_json(diff);
        if (object == NULL)
            return complain("out of memory");
        json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(object);
    } else {
        wm_diff_print(&terminal, diff);
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
        status = print(&diff, wishes->format == JSON);
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

static int read_threshold(void *choice, const struct wm_arguments *a, const struct wm_option *option)
{
    struct wishes *wishes = choice;
    char *end;
    double value = strtod(a->value, &end);

    if (end == a->value || !(value >= 0 && value <= 1e6) || (*end != '\0' && strcmp(end, "%") != 0))
        return wm_arguments_misuse(a, "--%s is per cent like 5%%, not '%s'", option->name, a->value);
    wishes->threshold = value / 100;
    return 0;
}

static int run(struct wm_arguments *arguments)
{
    struct wishes wishes = {.directories = arguments->operands, .threshold = 0.05};
    int status;

    return wm_arguments_read(arguments, &wishes, &status) ? serve(&wishes) : status;
}

const struct wm_command wm_command_diff = {
    .name = "diff",
    .summary = "say what became faster and slower between two traced runs",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "trace directory", .least = 2, .most = 2},
    .sections = sections,
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
