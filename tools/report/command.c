/* waymark report, as a record: what its help and its manual page say. */
#include <stddef.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/report/report.h"
#include "tools/report/under.h"

struct choice {
    struct wm_report_request request;
    struct wm_under_choice under;
};

static const char *const synopsis[] = {"report DIR [-f text|html|json] [-o FILE] [--under MAP] [-p FILE]", NULL};

static const char *const description[] = {
    "Say where the time of a traced run went, on the lines of its path map. DIR is the directory that 'waymark run "
    "-t DIR' wrote; the job may have crashed or been killed, for a trace is readable up to its last record.",
    "The first sentence is the finding: what costs most, and what to change; a change of the map stands there word for "
    "word. Then, for each line of the map: calls, bytes, time, and how it divides; who made whom wait, and what it did "
    "instead; the slowest instances; and what was lost. A conveyor has a section of its own: its buffers by hop, what "
    "waits for room and because of whom, the way of the items that were watched, and who hands how much to whom.",
    NULL,
};

static int read_under(void *place, const struct wm_arguments *arguments, const struct wm_option *option)
{
    struct wm_under_choice *under = place;

    if (under->count == WM_UNDER_MAPS_MAX)
        return wm_arguments_misuse(arguments, "there are more than %d maps to tell of", WM_UNDER_MAPS_MAX);
    return wm_option_name(&under->maps[under->count++], arguments, option);
}

static const struct wm_option options[] = {
    {"under", 'u', "MAP",
     "Say what the run would have taken under this map, too, as 'waymark replay' does: a file, or the name of a map "
     "that "
     "comes with Waymark. May be given several times.",
     .read = read_under, .place = offsetof(struct choice, under)},
    {"profile", 'p', "FILE",
     "For --under: what things cost on the machine of the trace, as 'waymark profile' writes it; assumed figures "
     "unless "
     "given.",
     .read = wm_option_name, .place = offsetof(struct choice, under.profile)},
    {"format", 'f', "text|html|json",
     "Text (the default) for a terminal; html, a page of its own with charts, without any other file; json, whose keys "
     "docs/report.md describes.",
     .read = wm_option_choice, .place = offsetof(struct choice, request.format)},
    {"output", 'o', "FILE", "Write to FILE instead of standard output: completely, or not at all.",
     .read = wm_option_name, .place = offsetof(struct choice, request.output)},
    {0},
};

static const struct wm_command_item columns[] = {
    {"late", "Waiting for the last rank that the result depends on to arrive."},
    {"inside", "Waiting for the other side of a message after that."},
    {"transfer", "From when both sides of a message were ready until it was there."},
    {"own", "Operators, copies and steps on the rank itself."},
    {"critical",
     "The part of all critical paths that lies there; of an edge: of its calls, those whose path takes it."},
    {"for rank", "The rank that was waited for most, and its share of that wait."},
    {0},
};

static const struct wm_command_item calls[] = {
    {"call", "From the first rank in to the last rank out."},
    {"wait, service", "A rank's stay: until the last rank it depends on had come; and the rest."},
    {"excess", "The part of the service that is above what calls of that size can do."},
    {"uneven", "The busiest rank's own time over the mean, less one."},
    {"overlap", "Of a nonblocking call, the part during which the program did not wait for it."},
    {"too long by", "Than the mean of the other ranks, since a call that synchronised them, on the mean of the calls."},
    {"slack", "By how much the messages could have come later and delayed nothing: the median."},
    {0},
};

static const struct wm_command_item conveyors[] = {
    {"full … endgame", "Buffers, by why they were handed over."},
    {"fill, under ¼", "How full they were: median and 95th percentile; the share that was under a quarter full."},
    {"filling", "From when a buffer was opened until it was handed over."},
    {"under way", "From there until the other end took the chunk with its first unit."},
    {"at inlet", "From there until the chunk was used up, by a relay or by pulls."},
    {"closed, taken",
     "Units at both ends of the hop's links; of fixed items a unit is an item, of elastic ones 8 bytes."},
    {"because of", "The last of the chain of ranks that waited for each other meanwhile: it waited for nobody."},
    {0},
};

static const struct wm_command_item statuses[] = {
    {"0", "The report is written."},
    {"1", "The directory holds no trace that can be read, or the report cannot be written."},
    {0},
};

static const struct wm_command_section sections[] = {
    {"COLUMNS (times are sums over ranks)", columns},
    {"COLUMNS OF CALLS, DELAYS AND EDGES", calls},
    {"COLUMNS OF CONVEYORS (times: median, 95th percentile)", conveyors},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark report trace", "Report on the trace that 'mpirun -n 4 waymark run -t trace ./program' left."},
    {"waymark report trace --format html -o trace.html", "Make a page to look at in a browser."},
    {"waymark report trace --under native --under mine.scm -f html -o trace.html",
     "The page has a section that compares the run with what it would have taken under two other maps."},
    {"waymark report trace -f json | jq '.findings[0].edit'", "The first finding's change of the map, for a program."},
    {0},
};

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {0};
    struct wm_error error = {0};
    int status;

    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    choice.request.directory = arguments->operands[0];
    if (choice.under.count > 0 &&
        (choice.request.under = wm_under_maps(choice.request.directory, &choice.under, &error)) == NULL)
        return wm_command_failed(&error);
    status = wm_report_run(&choice.request);
    json_decref(choice.request.under);
    return status;
}

const struct wm_command wm_command_report = {
    .name = "report",
    .summary = "say where the time of a traced run went, by the lines of the map",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "trace directory", .least = 1, .most = 1},
    .sections = sections,
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
