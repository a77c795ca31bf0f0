/* The program `waymark`: its table of subcommands, and the way to them. */
#include <stdio.h>
#include <string.h>
#include "tools/cli/command.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"

static const struct wm_command *const commands[] = {
#define WM_COMMAND(record) &record,
#include "tools/cli/commands.def"
#undef WM_COMMAND
    NULL,
};

static const char *const synopsis[] = {
    "COMMAND [ARGUMENT ...]",
    "help [COMMAND]",
    "--version",
    NULL,
};

static const char *const description[] = {
    "Waymark lets those who run MPI programs rebuild the communication of a job from a text file. A path map, "
    "written in Scheme, says for each collective operation through which stack of wrappers a call goes: which ranks "
    "talk to which, in which order, over which axis of the machine. Edit the map, run the same binary again, and "
    "the job communicates differently; a trace puts the time back on the lines of the map.",
    "The way goes round: 'show' draws what a map would do, 'explain' says by which rule, 'check' proves it, 'run' "
    "starts a program under it, 'report' says where the time went, and 'wrappers' lists what the next map may be made "
    "of.",
    NULL,
};

static const struct wm_option options[] = {
    {.name = "version", .help = "Print the version.", .read = wm_option_flag},
    {0},
};

static const struct wm_command_item examples[] = {
    {"mpirun -n 4 waymark run -m hierarchy -t trace ./program",
     "Run a program under a map that comes with Waymark, traced."},
    {"waymark report trace", "See which lines of the map took the time."},
    {"waymark show hierarchy --op allreduce --bytes 8", "See who talks to whom."},
    {"waymark explain hierarchy --op allreduce --bytes 8", "See which rule says so, and why."},
    {0},
};

static const struct wm_command program = {
    .name = "waymark",
    .summary = "rebuild the communication of MPI jobs from a map",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .examples = examples,
    .options_first = true,
};

const struct wm_command *const *wm_commands(void)
{
    return commands;
}

const struct wm_command *wm_command_program(void)
{
    return &program;
}

const struct wm_command *wm_command_find(const char *name)
{
    for (int i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static const struct wm_command_item *find_status(const struct wm_command_item *items, const char *term)
{
    for (; items != NULL && items->term != NULL; items++)
        if (strcmp(items->term, term) == 0)
            return items;
    return NULL;
}

void wm_command_statuses(const struct wm_command *command, struct wm_command_item out[WM_STATUSES_MAX])
{
    static const struct wm_command_item common[] = {
        {"0", "The command did what it was asked."},
        {"1", "It failed; a sentence on standard error says why."},
        {"2", "The command line was wrong."},
        {0},
    };
    int count = 0;

    for (const struct wm_command_item *item = common; item->term != NULL; item++) {
        const struct wm_command_item *own = find_status(command->statuses, item->term);

        out[count++] = own != NULL ? *own : *item;
    }
    for (const struct wm_command_item *own = command->statuses; own != NULL && own->term != NULL; own++)
        if (find_status(common, own->term) == NULL && count < WM_STATUSES_MAX - 1)
            out[count++] = *own;
    out[count] = (struct wm_command_item){0};
}

static int unknown_command(const struct wm_arguments *arguments, const char *name)
{
    const char *names[sizeof commands / sizeof commands[0]];
    size_t count = 0;

    for (; commands[count] != NULL; count++)
        names[count] = commands[count]->name;
    return wm_arguments_misuse(arguments, "unknown command '%s'%s", name,
                               wm_error_suggest(name, names, count, "", NULL).text);
}

/* `help` and `man`: print the page of the command that is named, or the program's. */
static int print_page(const struct wm_arguments *arguments, const char *name,
                      void (*print)(const struct wm_command *command, FILE *out))
{
    const struct wm_command *command = name == NULL ? &program : wm_command_find(name);

    if (command == NULL)
        return unknown_command(arguments, name);
    print(command, stdout);
    return 0;
}

/* `words` ends in NULL, as argv does. */
static int dispatch(const struct wm_arguments *arguments, int count, char **words)
{
    const struct wm_command *command = wm_command_find(words[0]);
    struct wm_arguments rest;

    if (strcmp(words[0], "help") == 0)
        return print_page(arguments, words[1], wm_command_help);
    if (strcmp(words[0], "man") == 0) /* for the build alone, so no help mentions it */
        return print_page(arguments, words[1], wm_command_manual);
    if (command == NULL)
        return unknown_command(arguments, words[0]);
    rest = wm_arguments_begin(command, count, words);
    return command->run(&rest);
}

static int serve(int argc, char **argv)
{
    struct wm_arguments arguments = wm_arguments_begin(&program, argc, argv);
    bool version = false;
    int status;

    if (!wm_arguments_read(&arguments, &version, &status))
        return status;
    if (version) {
        printf("waymark %s\n", PACKAGE_VERSION);
        return 0;
    }
    if (arguments.next < argc)
        return dispatch(&arguments, argc - arguments.next, argv + arguments.next);
    wm_command_help(&program, stderr);
    return WM_EXIT_USAGE;
}

/* A full disk must not pass for success. */
int main(int argc, char **argv)
{
    int status = serve(argc, argv);

    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("waymark: cannot write to standard output");
        return WM_EXIT_FAILED;
    }
    return status;
}
