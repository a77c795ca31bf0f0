/* waymark report, as a record: what its help and its manual page say. */
#include <stddef.h>
#include "tools/commands.h"
#include "tools/report.h"

static const char *const synopsis[] = {"report DIR", NULL};

static const char *const description[] = {
    "Say where the time of a traced run went, on the lines of its path map. DIR is the directory that 'waymark run "
    "-t DIR' wrote; the job may have crashed or been killed, for a trace is readable up to its last record.",
    "The first sentence is the finding: what costs most, and what to change. Then, for each line of the map: calls, "
    "bytes, time, and how it divides; the slowest instances; and what was lost. A conveyor has a section of its own: "
    "its "
    "buffers by hop, what waits for room and because of whom, the way of the items that were watched, and who hands "
    "how "
    "much to whom.",
    NULL,
};

static const struct wm_command_item columns[] = {
    {"late", "Waiting for the last rank that the result depends on to arrive."},
    {"inside", "Waiting for the other side of a message after that."},
    {"transfer", "From when both sides of a message were ready until it was there."},
    {"own", "Operators, copies and steps on the rank itself."},
    {"for rank", "The rank that was waited for most, and its share of that wait."},
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
    {"0", "The report is printed."},
    {"1", "The directory holds no trace that can be read."},
    {"2", "The command line was wrong."},
    {0},
};

static const struct wm_command_section sections[] = {
    {"COLUMNS (times are sums over ranks)", columns},
    {"COLUMNS OF CONVEYORS (times: median, 95th percentile)", conveyors},
    {"EXIT STATUS", statuses},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark report trace", "Report on the trace that 'mpirun -n 4 waymark run -t trace ./program' left."},
    {0},
};

static int run(int argc, char **argv)
{
    struct wm_arguments arguments = wm_arguments_begin(&wm_command_report, argc, argv);
    const char *directory = NULL;
    int word, count = 0;

    while ((word = wm_arguments_next(&arguments)) == WM_ARGUMENT_OPERAND)
        if (count++ == 0)
            directory = arguments.value;
    if (word != WM_ARGUMENT_END)
        return wm_arguments_status(word);
    if (count != 1)
        return wm_arguments_misuse(&arguments,
                                   count == 0 ? "no trace directory is named" : "only one directory can be named");
    return wm_report_directory(directory);
}

const struct wm_command wm_command_report = {
    .name = "report",
    .summary = "say where the time of a traced run went, by the lines of the map",
    .synopsis = synopsis,
    .description = description,
    .sections = sections,
    .examples = examples,
    .run = run,
};
