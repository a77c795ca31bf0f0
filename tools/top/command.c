/* waymark top: its options, and what its help says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/cli/commands.h"
#include "tools/top/watch.h"

static const char *const synopsis[] = {"top [--once | --until-stuck] [--interval TIME] [--stuck TIME] DIR", NULL};

static const char *const description[] = {
    "Watch a running job through the trace files that 'waymark run -t DIR' has its ranks write: what each rank does, "
    "in "
    "which call and line of the map it is and for how long, and for whom and which message it waits. The job is not "
    "touched. After a hang or a kill the last state of every rank stays in the files, and is shown alike.",
    "A rank whose trace has not moved for the time of --stuck while it is in a call is named on top, with the message "
    "or the ranks that it misses, and with the rank at the end of the chain of waits. Ranks that do the same share a "
    "line "
    "where there are more ranks than lines.",
    "Times are this machine's; ranks of another machine are shown as of their newest record, and whether their "
    "processes "
    "live cannot be seen from here. A nonblocking call counts as open until it is complete.",
    NULL,
};

static const struct wm_option options[] = {
    {.name = "once", .letter = '1', .help = "Print one frame and end; so it is where standard output is no terminal."},
    {.name = "until-stuck",
     .help =
         "Watch until a rank is stuck (exit status 1) or the job is over (0): for scripts and watchdogs. With --once, "
         "look once."},
    {.name = "interval", .letter = 'i', .argument = "TIME", .help = "Between two frames: '1s' (the default), '200ms'."},
    {.name = "stuck",
     .letter = 's',
     .argument = "TIME",
     .help = "How long a rank must stand still in a call to be called stuck: '10s' (the default), '2min'."},
    {0},
};

static const struct wm_command_item keys[] = {
    {"q", "End. The last frame stays on the screen."},
    {"s", "Sort by rank, by time in the state, by share of time in MPI."},
    {"p", "Pause, and go on."},
    {"arrows, page keys", "Scroll."},
    {0},
};

static const struct wm_command_item columns[] = {
    {"for", "Time in this state; of a group of ranks the longest. '>': longer, but not to be known: it began before "
            "what the trace still holds, or the process is gone."},
    {"calls", "Calls that have ended; of a group the mean. '>': at least, for records were overwritten unseen."},
    {"calls/s, in MPI", "Since the last frame; in the first frame since the start."},
    {"mark", "The program's last mark."},
    {0},
};

static const struct wm_command_item statuses[] = {
    {"0", "It was quit, printed its frame, or, with --until-stuck, the job is over."},
    {"1", "With --until-stuck: a rank is stuck."},
    {"2", "The command line was wrong."},
    {"3", "There is no such directory, or, with --once, no trace in it."},
    {0},
};

static const struct wm_command_section sections[] = {
    {"KEYS", keys}, {"COLUMNS", columns}, {"EXIT STATUS", statuses}, {0}};

static const struct wm_command_item examples[] = {
    {"waymark top trace", "Watch the job that 'mpirun -n 4 waymark run -t trace ./program' runs."},
    {"waymark top --once trace", "See once where its ranks are; also after it was killed."},
    {"waymark top --until-stuck --stuck 2min trace; [ $? = 1 ] && scancel $JOB", "End a job that hangs."},
    {0},
};

static bool read_time(const char *text, int *milliseconds)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"min", 60000}};
    char *end;
    double value;

    errno = 0;
    value = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (end != text && errno == 0 && strcmp(end, units[i].name) == 0 && value * units[i].ms >= 1 &&
            value * units[i].ms <= 1e8) {
            *milliseconds = (int)(value * units[i].ms);
            return true;
        }
    return false;
}

/* Returns an exit status, or -1 to go on. */
static int take_option(struct wm_arguments *arguments, int option, struct wm_watch *watch)
{
    const char *name = options[option].name;

    switch (option) {
    case 0:
        watch->once = true;
        return -1;
    case 1:
        watch->until_stuck = true;
        return -1;
    default:
        if (read_time(arguments->value, option == 2 ? &watch->interval_ms : &watch->stuck_ms))
            return -1;
        return wm_arguments_misuse(arguments, "--%s is a time like 200ms, 1s or 2min, not '%s'", name,
                                   arguments->value);
    }
}

static int run(int argc, char **argv)
{
    struct wm_arguments arguments = wm_arguments_begin(&wm_command_top, argc, argv);
    struct wm_watch watch = {.interval_ms = 1000, .stuck_ms = 10000};
    int word, count = 0, status;

    while ((word = wm_arguments_next(&arguments)) >= 0 || word == WM_ARGUMENT_OPERAND) {
        if (word == WM_ARGUMENT_OPERAND) {
            watch.directory = arguments.value;
            count++;
        } else if ((status = take_option(&arguments, word, &watch)) >= 0) {
            return status;
        }
    }
    if (word != WM_ARGUMENT_END)
        return wm_arguments_status(word);
    if (count != 1)
        return wm_arguments_misuse(&arguments,
                                   count == 0 ? "no trace directory is named" : "only one directory can be named");
    if (!isatty(STDOUT_FILENO) && !watch.until_stuck)
        watch.once = true;
    return wm_watch_run(&watch);
}

const struct wm_command wm_command_top = {
    .name = "top",
    .summary = "watch a running job: who is where, and who waits for whom",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .sections = sections,
    .examples = examples,
    .run = run,
};
