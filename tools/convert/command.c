/* waymark convert: its command line, and the last line that it prints. */
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/cli/commands.h"
#include "tools/convert/convert.h"
#include "tools/text/units.h"

enum { MAX_BYTES_UNLESS_SAID = 1 << 30 };

static const char *const synopsis[] = {
    "convert DIR --to FORMAT [-o OUTPUT] [--ranks LIST] [--begin SECONDS] [--end SECONDS] [--max-bytes SIZE]", NULL};

static const char *const description[] = {
    "Write a trace in the format of another tool. DIR is the directory that 'waymark run -t DIR' wrote; of a job that "
    "crashed or was killed all is converted that is there, and calls that had not ended are ended and marked as cut.",
    "Events are streamed, so memory does not grow with the trace, and the output appears under its name only when it "
    "is whole. docs/convert.md says what each format carries and how to open it.",
    NULL,
};

enum { TO, OUTPUT, RANKS, BEGIN, END, MAX_BYTES };

static const struct wm_option options[] = {
    [TO] = {.name = "to", .argument = "FORMAT", .help = "perfetto, chrome, otf2, csv or paje."},
    [OUTPUT] = {.name = "output",
                .letter = 'o',
                .argument = "OUTPUT",
                .help = "The file, or for otf2 the directory, to write; - for standard output. Without it: DIR with "
                        "the format's suffix."},
    [RANKS] = {.name = "ranks", .argument = "LIST", .help = "These ranks only, as in 0-3,8."},
    [BEGIN] = {.name = "begin",
               .argument = "SECONDS",
               .help = "Leave out what is earlier, in seconds since the first rank's start."},
    [END] = {.name = "end", .argument = "SECONDS", .help = "Leave out what is later."},
    [MAX_BYTES] = {.name = "max-bytes",
                   .argument = "SIZE",
                   .help = "Give up when the output would be larger, as in 500MiB; 1GiB unless said."},
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
    {"2", "The command line was wrong."},
    {0},
};

static const struct wm_command_section sections[] = {{"FORMATS", formats}, {"EXIT STATUS", statuses}, {0}};

static const struct wm_command_item examples[] = {
    {"waymark convert trace --to perfetto", "Write trace.perfetto-trace; open it in ui.perfetto.dev."},
    {"waymark convert trace --to otf2 -o archive && otf2-print archive/traces.otf2", "Make an archive and list it."},
    {"waymark convert trace --to csv --ranks 0-3 --begin 1.5 --end 2 -o - | head",
     "Look at half a second of four ranks."},
    {0},
};

/* Seconds as nanoseconds. */
static bool read_seconds(const char *text, int64_t *ns)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !(seconds >= 0 && seconds < 1e8))
        return false;
    *ns = llround(seconds * 1e9);
    return true;
}

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

/* Take one option over. Returns 0, or the exit status of a misuse. */
static int take_option(const struct wm_arguments *arguments, int option, struct wm_conversion *conversion)
{
    const char *value = arguments->value;

    switch (option) {
    case TO:
        conversion->class = wm_converter_find(value);
        return conversion->class != NULL ? 0 : refuse_format(arguments, value);
    case OUTPUT:
        conversion->output = value;
        return value[0] != '\0' ? 0 : wm_arguments_misuse(arguments, "the name of the output is empty");
    case RANKS:
        conversion->ranks = value;
        return 0;
    case BEGIN:
    case END:
        if (read_seconds(value, option == BEGIN ? &conversion->begin_ns : &conversion->end_ns))
            return 0;
        return wm_arguments_misuse(arguments, "'%s' is no time in seconds", value);
    default:
        if (wm_bytes_read(value, &conversion->max_bytes) && conversion->max_bytes > 0)
            return 0;
        return wm_arguments_misuse(arguments, "'%s' is no size; write it like 500MiB", value);
    }
}

/* Read the command line. Returns -1, or the exit status with which to end. */
static int read_arguments(struct wm_arguments *arguments, struct wm_conversion *conversion)
{
    int word;

    while ((word = wm_arguments_next(arguments)) >= 0 || word == WM_ARGUMENT_OPERAND) {
        int status = 0;

        if (word >= 0)
            status = take_option(arguments, word, conversion);
        else if (conversion->directory != NULL)
            status = wm_arguments_misuse(arguments, "only one directory can be named");
        else
            conversion->directory = arguments->value;
        if (status != 0)
            return status;
    }
    if (word != WM_ARGUMENT_END)
        return wm_arguments_status(word);
    if (conversion->directory == NULL)
        return wm_arguments_misuse(arguments, "no trace directory is named");
    if (conversion->class == NULL)
        return wm_arguments_misuse(arguments, "no format is named; choose one by --to");
    if (conversion->begin_ns > conversion->end_ns)
        return wm_arguments_misuse(arguments, "--begin is later than --end");
    return -1;
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

static int run(int argc, char **argv)
{
    struct wm_arguments arguments = wm_arguments_begin(&wm_command_convert, argc, argv);
    struct wm_conversion conversion = {.stop = &stopped,
                                       .begin_ns = INT64_MIN,
                                       .end_ns = INT64_MAX,
                                       .max_bytes = MAX_BYTES_UNLESS_SAID,
                                       .progress = isatty(STDERR_FILENO)};
    struct wm_converter_counts counts;
    struct wm_error error = {0};
    char name[PATH_MAX];
    uint64_t bytes = 0;
    int status = read_arguments(&arguments, &conversion);

    if (status >= 0)
        return status;
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
    .sections = sections,
    .examples = examples,
    .run = run,
};
