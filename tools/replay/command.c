/* waymark replay: what a traced run would have taken under another map. */
#include <stdlib.h>
#include <string.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/replay/report.h"
#include "tools/run/maps.h"

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

/* The map that ran, from the text that the trace has. */
static int open_then(struct wm_site_map *map, const struct wm_trace *trace, struct wm_error *error)
{
    *map = (struct wm_site_map){.communicator = "MPI_COMM_WORLD"};
    if (trace->map_text == NULL)
        return wm_site_map_open(map, "native", error);
    map->file = strdup(trace->map_file != NULL ? trace->map_file : "map.scm");
    map->text = strdup(trace->map_text);
    if (map->file == NULL || map->text == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the map of the trace");
    map->text_bytes = strlen(map->text);
    if (wm_maps_open(&map->map, map->file, map->text, map->text_bytes, error) < 0)
        return wm_site_map_place(map, error);
    return 0;
}

static int replay_calls(const struct choice *choice, struct wm_trace *trace, struct wm_replay_calls *calls,
                        const struct wm_profile *profile, struct wm_error *error)
{
    struct wm_site_map then = {0}, now = {0};
    struct wm_replay replay = {0};
    struct wm_replay_report report = {.replay = &replay, .profile = choice->profile};
    char *names[2] = {NULL, NULL};
    int rc;

    if ((rc = open_then(&then, trace, error)) == 0 && (rc = wm_site_map_open(&now, choice->map, error)) == 0) {
        names[0] = strdup(then.file);
        names[1] = strdup(now.file);
        rc = wm_replay_init(&replay, calls, profile, &then, &now, error);
    }
    report.refusal = rc == 0 ? wm_replay_judge(&replay) : WM_REPLAY_OFF;
    if (report.refusal == WM_REPLAY_ANSWERS)
        rc = wm_replay_other(&replay, error);
    report.then = names[0] != NULL ? names[0] : "";
    report.now = names[1] != NULL ? names[1] : "";
    if (rc == 0)
        (choice->format == JSON ? wm_replay_report_json : wm_replay_report_text)(&report, stdout);
    wm_replay_release(&replay);
    wm_site_map_close(&then);
    wm_site_map_close(&now);
    free(names[0]);
    free(names[1]);
    if (rc < 0)
        return wm_command_failed(error);
    return report.refusal == WM_REPLAY_ANSWERS ? 0 : EXIT_NO_ANSWER;
}

static int replay_trace(const struct choice *choice, struct wm_trace *trace)
{
    struct wm_replay_calls calls = {0};
    struct wm_profile profile = {0};
    struct wm_error error = {0};
    int rc = choice->profile != NULL ? wm_profile_load(&profile, choice->profile, &error) : wm_profile_assume(&profile);
    int status;

    for (size_t i = 0; i < trace->warning_count; i++)
        fprintf(stderr, "waymark: %s\n", trace->warnings[i]);
    if (rc == 0)
        rc = wm_replay_calls_read(&calls, trace, &error);
    status = rc < 0 ? wm_command_failed(&error) : replay_calls(choice, trace, &calls, &profile, &error);
    wm_replay_calls_release(&calls);
    wm_profile_release(&profile);
    return status;
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {0};
    struct wm_error error = {0};
    struct wm_trace *trace;
    int status;

    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    if (choice.map == NULL)
        return wm_arguments_misuse(arguments, "no map is named; add -m MAP, the one to replay the run under");
    if (wm_trace_open(&trace, arguments->operands[0], &error) < 0)
        return wm_command_failed(&error);
    status = replay_trace(&choice, trace);
    wm_trace_close(trace);
    return status;
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
