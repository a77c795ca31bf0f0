/* waymark convert: its command line, and the last line that it prints. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/convert/convert.h"
#include "tools/text/units.h"

enum { MAX_BYTES_UNLESS_SAID = 1 << 30 };

static const char *const synopsis[] = {
    "convert DIR --to FORMAT [-o OUTPUT] [--ranks LIST] [--begin TIME] [--end TIME] [--max-bytes SIZE]", NULL};

static const char *const description[] = {
    "Write a trace in the format of another tool. DIR is the directory that 'waymark run -t DIR' wrote; of a job that "
    "crashed or was killed all is converted that is there, and calls that had not ended are ended and marked as cut.",
    "Events are streamed, so memory does not grow with the trace, and the output appears under its name only when it "
    "is whole. docs/convert.md says what each format carries and how to open it.",
    NULL,
};

static int read_format(void *place, const struct wm_arguments *a, const struct wm_option *option);

static const struct wm_option options[] = {
    {"to", 0, "perfetto|chrome|otf2|csv|paje", "The format; FORMATS says who reads it.", .read = read_format,
     .place = offsetof(struct wm_conversion, class)},
    {"output", 'o', "OUTPUT",
     "The file, or for otf2 the directory, to write; - for standard output. Without it: DIR with the format's suffix.",
     .read = wm_option_name, .place = offsetof(struct wm_conversion, output)},
    {"ranks", 0, "LIST", "These ranks only, as in 0-3,8.", .read = wm_option_name,
     .place = offsetof(struct wm_conversion, ranks)},
    {"begin", 0, "TIME",
     "Leave out what is earlier: time since the first rank's start, in seconds or as in 200ms, 2min.",
     .read = wm_option_time, .place = offsetof(struct wm_conversion, begin_ns)},
    {"end", 0, "TIME", "Leave out what is later.", .read = wm_option_time,
     .place = offsetof(struct wm_conversion, end_ns)},
    {"max-bytes", 0, "SIZE", "Give up when the output would be larger, as in 500MiB; 1GiB unless said.",
     .read = wm_option_size, .place = offsetof(struct wm_conversion, max_bytes), .least = 1},
    {0},
};

static const struct wm_command_item formats[] = {
    {"perfetto", "Trace packets, for ui.perfetto.dev and trace_processor."},
    {"chrome", "Trace Event JSON, for chrome://tracing, ui.perfetto.dev and scripts."},
    {"otf2", "An OTF2 archive, for Vampir, Scalasca, ViTE and otf2-print; where Waymark was built with OTF2."},
    {"csv", "A row for every record, for spreadsheets and data frames."},
    {"paje", "The Pajé format, for ViTE and pajeng."},
    {0},
};

static const struct wm_command_item statuses[] = {
    {"0", "The output is written, and whole."},
    {"1", "It could not be written, or would be too large; a sentence on standard error says why."},
    {0},
};

static const struct wm_command_section sections[] = {{"FORMATS", formats}, {0}};

static const struct wm_command_item examples[] = {
    {"waymark convert trace --to perfetto", "Write trace.perfetto-trace; open it in ui.perfetto.dev."},
    {"waymark convert trace --to otf2 -o archive && otf2-print archive/traces.otf2", "Make an archive and list it."},
    {"waymark convert trace --to csv --ranks 0-3 --begin 1.5 --end 2 -o - | head",
     "Look at half a second of four ranks."},
    {0},
};

/* There is no such format: which there are is said from the table. */
static int refuse_format(const struct wm_arguments *arguments, const char *name)
{
    char list[128] = "";
    size_t length = 0;

    for (int i = 0; wm_converter_classes[i] != NULL && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i == 0 ? "" : ", ",
                                   wm_converter_classes[i]->name);
    return wm_arguments_misuse(arguments, "'%s' is no format; there are %s", name, list);
}

static int read_format(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    const struct wm_converter_class *class = wm_converter_find(a->value);

    (void)option;
    *(const struct wm_converter_class **)place = class;
    return class != NULL ? 0 : refuse_format(a, a->value);
}

/* What no single option can say. Returns 0 or an exit status. */
static int check_choice(const struct wm_conversion *conversion, const struct wm_arguments *arguments)
{
    if (conversion->class == NULL)
        return wm_arguments_misuse(arguments, "no format is named; choose one by --to");
    if (conversion->begin_ns > conversion->end_ns)
        return wm_arguments_misuse(arguments, "--begin is later than --end");
    return 0;
}

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    stopped = number;
}

/* What is half written is to be removed when the user has had enough. A signal that was ignored stays so. */
static void mind_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (signal(signals[i], stop) == SIG_IGN)
            signal(signals[i], SIG_IGN);
}

static uint64_t sum_records(const struct wm_converter_counts *counts)
{
    uint64_t sum = 0;

    for (int i = 0; i < WM_TRACE_KIND_COUNT; i++)
        sum += counts->records[i];
    return sum;
}

static int run(struct wm_arguments *arguments)
{
    struct wm_conversion conversion = {
        .stop = &stopped, .begin_ns = INT64_MIN, .end_ns = INT64_MAX, .max_bytes = MAX_BYTES_UNLESS_SAID};
    struct wm_converter_counts counts;
    struct wm_error error = {0};
    char name[PATH_MAX];
    uint64_t bytes = 0;
    int status;

    if (!wm_arguments_read(arguments, &conversion, &status) || (status = check_choice(&conversion, arguments)) != 0)
        return status;
    conversion.directory = arguments->operands[0];
    mind_signals();
    if (wm_convert(&conversion, &counts, &bytes, name, &error) < 0) {
        fprintf(stderr, "waymark convert: %s\n", error.text);
        return error.code == -WM_EINVAL ? WM_EXIT_USAGE : WM_EXIT_FAILED;
    }
    if (strcmp(name, "-") != 0)
        printf("%s: %s, %s\n", name, wm_number_text(sum_records(&counts), "record").text, wm_bytes_text(bytes).text);
    return 0;
}

const struct wm_command wm_command_convert = {
    .name = "convert",
    .summary = "write a trace in the format of another tool",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "trace directory", .least = 1, .most = 1},
    .sections = sections,
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
