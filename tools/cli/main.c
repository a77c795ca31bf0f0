/* The program `waymark`: its table of subcommands, and the way to them. */
#include <stdio.h>
#include <string.h>
#include "tools/cli/command.h"
#include "tools/cli/commands.h"

static const struct wm_command *const commands[] = {
    &wm_command_run,
    &wm_command_show,
    &wm_command_explain,
    &wm_command_check,
    &wm_command_report,
    &wm_command_diff,
    &wm_command_top,
    &wm_command_convert,
    &wm_command_bench,
    &wm_command_wrappers,
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
    "The way goes round: 'show' draws what a map would do, 'explain' says by which rule, 'run' starts a program under "
    "it, 'report' says where the "
    "time went, and 'wrappers' lists what the next map may be made of.",
    NULL,
};

static const struct wm_option options[] = {{.name = "version", .help = "Print the version."}, {0}};

static const struct wm_command_item statuses[] = {
    {"0", "The command did what it was asked."},
    {"1", "It failed; a sentence on standard error says why."},
    {"2", "The command line was wrong."},
    {0},
};

static const struct wm_command_section sections[] = {{"EXIT STATUS", statuses}, {0}};

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
    .sections = sections,
    .examples = examples,
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

static int unknown_command(const struct wm_arguments *arguments, const char *name)
{
    const char *names[sizeof commands / sizeof commands[0]], *near;
    size_t count = 0;

    for (; commands[count] != NULL; count++)
        names[count] = commands[count]->name;
    near = wm_error_nearest(name, names, count);
    if (near != NULL)
        return wm_arguments_misuse(arguments, "unknown command '%s'; did you mean '%s'?", name, near);
    return wm_arguments_misuse(arguments, "unknown command '%s'", name);
}

/* `help` and `man`: print the page of a command, or the program's. */
static int print_page(const struct wm_arguments *arguments, void (*print)(const struct wm_command *command, FILE *out))
{
    const char *name = arguments->next < arguments->argc ? arguments->argv[arguments->next] : NULL;
    const struct wm_command *command = name == NULL ? &program : wm_command_find(name);

    if (command == NULL)
        return unknown_command(arguments, name);
    print(command, stdout);
    return 0;
}

static int dispatch(const struct wm_arguments *arguments)
{
    const char *name = arguments->argv[arguments->next - 1];
    const struct wm_command *command = wm_command_find(name);

    if (strcmp(name, "help") == 0)
        return print_page(arguments, wm_command_help);
    if (strcmp(name, "man") == 0) /* for the build alone, so no help mentions it */
        return print_page(arguments, wm_command_manual);
    if (command == NULL)
        return unknown_command(arguments, name);
    return command->run(arguments->argc - arguments->next + 1, arguments->argv + arguments->next - 1);
}

static int serve(int argc, char **argv)
{
    struct wm_arguments arguments = wm_arguments_begin(&program, argc, argv);
    int word = wm_arguments_next(&arguments);

    switch (word) {
    case WM_ARGUMENT_OPERAND:
        return dispatch(&arguments);
    case WM_ARGUMENT_END:
        wm_command_help(&program, stderr);
        return WM_EXIT_USAGE;
    case WM_ARGUMENT_HELP:
    case WM_ARGUMENT_BAD:
        return wm_arguments_status(word);
    default: /* --version, the only option */
        printf("waymark %s\n", PACKAGE_VERSION);
        return 0;
    }
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
