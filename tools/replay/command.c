/* waymark replay: what a traced run would have taken under another map. */
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/replay/answer.h"

enum { EXIT_NO_ANSWER = 3 };

struct choice {
    const char *map, *profile;
    enum { TEXT, JSON } format;
};

static const struct wm_option options[] = {
    {"map", 'm', "MAP", "The other map: a file, or the name of one that comes with Waymark.", .read = wm_option_name,
     .place = offsetof(struct choice, map)},
    {"profile", 'p', "FILE",
     "What things cost on the machine of the trace, as 'waymark profile' writes it; assumed figures unless given.",
     .read = wm_option_name, .place = offsetof(struct choice, profile)},
    {"format", 'f', "text|json", "Text (the default), or one object.", .read = wm_option_choice,
     .place = offsetof(struct choice, format)},
    {0},
};

static const char *const synopsis[] = {"replay TRACE -m MAP [--profile FILE] [--format text|json]", NULL};

static const char *const description[] = {
    "Say what the run of TRACE, a directory that 'waymark run -t' wrote, would have taken under another map. The time "
    "of each rank between its calls is kept as it was; calls are carried out by the other map's plans on the model of "
    "'waymark predict', from the arrivals that then follow.",
    "First the map that ran is replayed. Each kind of call gets a factor there, what it took in the trace over what "
    "the "
    "profile says; they are told. Where the run so replayed is off by more than 5 %, nothing is said of the other map, "
    "but which three calls are worst.",
    "Calls that the library serves under both maps take what they took, from the last arrival that they depend on; so "
    "do those whose sizes the trace does not have (the forms with counts for each rank). Of nonblocking calls the "
    "post, the "
    "work behind it and the wait are replayed. So are the program's own messages, each from its send to its receive, "
    "as "
    "the library carries them under any map. docs/foresight.md says how to believe it.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The answer is shown."},
    {"1", "The trace, a map or the profile is wrong, or a path does not serve a call; the message says where."},
    {"3",
     "There is no answer: the map that ran is replayed with an error of more than 5 %, or the trace does not have the "
     "program's own messages."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark replay trace -m mine.scm -p machine.json", "What the run would have taken under mine.scm."},
    {"waymark replay trace -m native -f json | jq .now_ns", "Without Waymark's plans, for a program."},
    {0},
};

struct telling {
    const struct choice *choice;
    enum wm_replay_refusal refusal;
};

static int tell(const struct wm_replay_report *report, void *context)
{
    struct telling *telling = context;

    telling->refusal = report->refusal;
    (telling->choice->format == JSON ? wm_replay_report_json : wm_replay_report_text)(report, stdout);
    return 0;
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {0};
    struct telling telling = {.choice = &choice};
    struct wm_error error = {0};
    struct wm_trace *trace;
    int status, rc;

    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    if (choice.map == NULL)
        return wm_arguments_misuse(arguments, "no map is named; add -m MAP, the one to replay the run under");
    if (wm_trace_open(&trace, arguments->operands[0], &error) < 0)
        return wm_command_failed(&error);
    for (size_t i = 0; i < trace->warning_count; i++)
        fprintf(stderr, "waymark: %s\n", trace->warnings[i]);
    rc = wm_replay_answer(trace, choice.map, choice.profile, tell, &telling, &error);
    wm_trace_close(trace);
    if (rc < 0)
        return wm_command_failed(&error);
    return telling.refusal == WM_REPLAY_ANSWERS ? 0 : EXIT_NO_ANSWER;
}

const struct wm_command wm_command_replay = {
    .name = "replay",
    .summary = "say what a traced run would have taken under another map",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "trace directory", .least = 1, .most = 1},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
