/* waymark top: its options, and what its help says. */
#include <unistd.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/top/watch.h"

/* Between a millisecond and a day. */
#define LEAST_NS 1000000
#define MOST_NS 86400000000000

static const char *const synopsis[] = {
    "top [--once | --until-stuck] [--level off|calls|detail] [--interval TIME] [--stuck TIME] DIR", NULL};

static const char *const description[] = {
    "Watch a running job through the trace files that 'waymark run -t DIR' has its ranks write: what each rank does, "
    "in which call and line of the map it is and for how long, and for whom and which message it waits. The job is not "
    "touched, except by --level. After a hang or a kill the last state of every rank stays in the files, and is shown "
    "alike.",
    "A rank whose trace has not moved for the time of --stuck while it is in a call is named on top, with the message "
    "or the ranks that it misses, and with the rank at the end of the chain of waits. Ranks that do the same share a "
    "line where there are more ranks than lines.",
    "A job that was started without -t keeps nothing of its calls that could be seen from outside, which is why it "
    "costs "
    "nothing, and why there is nothing to attach to. One that may have to be watched is started with '-t DIR "
    "--trace-level off', which costs a planned call a look at one word and a native one some 50 ns, and is asked by "
    "--level to record while it runs. A rank hears at its next call.",
    "Times are this machine's; ranks of another machine are shown as of their newest record, and whether their "
    "processes live cannot be seen from here. A nonblocking call counts as open until it is complete.",
    NULL,
};

static const struct wm_option options[] = {
    {"once", '1', NULL, "Look once, print what is seen and end; so it is where standard output is no terminal.",
     .read = wm_option_flag, .place = offsetof(struct wm_watch, once)},
    {"until-stuck", 0, NULL,
     "Watch until a rank is stuck (exit status 1) or the job is over (0): for scripts and watchdogs. With --once, look "
     "once.",
     .read = wm_option_flag, .place = offsetof(struct wm_watch, until_stuck)},
    {"interval", 'i', "TIME", "Between two looks: '1s' (the default), '200ms'.", .read = wm_option_time,
     .place = offsetof(struct wm_watch, interval_ns), .least = LEAST_NS, .most = MOST_NS},
    {"level", 'l', "off|calls|detail",
     "Ask the ranks to record so much, each from its next call on: what --trace-level of 'waymark run' says at the "
     "start.",
     .read = wm_option_choice, .place = offsetof(struct wm_watch, level)},
    {"stuck", 's', "TIME",
     "How long a rank must stand still in a call to be called stuck: '10s' (the default), '2min'.",
     .read = wm_option_time, .place = offsetof(struct wm_watch, stuck_ns), .least = LEAST_NS, .most = MOST_NS},
    {0},
};

static const struct wm_command_item keys[] = {
    {"q", "End. What was shown last stays on the screen."},
    {"s", "Sort by rank, by time in the state, by share of time in MPI."},
    {"p", "Pause, and go on."},
    {"arrows, page keys", "Scroll."},
    {0},
};

static const struct wm_command_item columns[] = {
    {"for", "Time in this state; of a group of ranks the longest. '>': longer, but not to be known: it began before "
            "what the trace still holds, or the process is gone."},
    {"calls", "Calls that have ended; of a group the mean. '>': at least, for records were overwritten unseen."},
    {"calls/s, in MPI", "Since the last look; at the first one since the start."},
    {"mark", "The program's last mark."},
    {0},
};

static const struct wm_command_item statuses[] = {
    {"0", "It was quit, printed its snapshot, or, with --until-stuck, the job is over."},
    {"1", "With --until-stuck: a rank is stuck."},
    {"3", "There is no such directory, or, with --once, no trace in it."},
    {0},
};

static const struct wm_command_section sections[] = {{"KEYS", keys}, {"COLUMNS", columns}, {0}};

static const struct wm_command_item examples[] = {
    {"waymark top trace", "Watch the job that 'mpirun -n 4 waymark run -t trace ./program' runs."},
    {"waymark top --level calls trace",
     "Have a job record that was started with '-t trace --trace-level off', and watch."},
    {"waymark top --once trace", "See once where its ranks are; also after it was killed."},
    {"waymark top --until-stuck --stuck 2min trace; [ $? = 1 ] && scancel $JOB", "End a job that hangs."},
    {0},
};

static int run(struct wm_arguments *arguments)
{
    struct wm_watch watch = {.level = -1, .interval_ns = 1000000000, .stuck_ns = 10000000000};
    int status;

    if (!wm_arguments_read(arguments, &watch, &status))
        return status;
    watch.directory = arguments->operands[0];
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
    .operands = {.what = "trace directory", .least = 1, .most = 1},
    .sections = sections,
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
