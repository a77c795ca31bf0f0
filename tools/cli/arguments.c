/* Command lines, read by the options that a command's record lists. */
#include "tools/cli/command.h"

#include <stdarg.h>
#include <string.h>

enum { OPTIONS_MAX = 32 };

int wm_arguments_misuse(const struct wm_arguments *a, const char *format, ...)
{
    bool program = a->command == wm_command_program();
    const char *name = program ? "" : a->command->name, *space = program ? "" : " ";
    va_list arguments;

    if (a->quiet)
        return WM_EXIT_USAGE;
    fprintf(stderr, "waymark%s%s: ", space, name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    wm_command_usage(a->command, stderr);
    fprintf(stderr, "'waymark %s%s--help' tells more\n", name, space);
    return WM_EXIT_USAGE;
}

int wm_arguments_status(int end)
{
    return end == WM_ARGUMENT_HELP ? 0 : end == WM_ARGUMENT_BAD ? WM_EXIT_USAGE : -1;
}

int wm_command_failed(const struct wm_error *error)
{
    char text[WM_ERROR_FILE_CHARS + WM_ERROR_TEXT_CHARS + 2 * WM_ERROR_EXCERPT_CHARS + 64];

    wm_error_format(error, text, sizeof text);
    fprintf(stderr, "waymark: %s%s", text, text[0] != '\0' && text[strlen(text) - 1] == '\n' ? "" : "\n");
    return WM_EXIT_FAILED;
}

struct wm_arguments wm_arguments_begin(const struct wm_command *command, int argc, char **argv)
{
    return (struct wm_arguments){.command = command, .argc = argc, .argv = argv, .next = 1};
}

static int help(const struct wm_arguments *a)
{
    if (!a->quiet)
        wm_command_help(a->command, stdout);
    return WM_ARGUMENT_HELP;
}

static int unknown_option(const struct wm_arguments *a, const char *name, size_t length)
{
    const char *names[OPTIONS_MAX], *near;
    char word[64];
    size_t count = 0;

    for (const struct wm_option *o = a->command->options; o != NULL && o->name != NULL && count < OPTIONS_MAX; o++)
        names[count++] = o->name;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    near = wm_error_nearest(word, names, count);
    if (near != NULL)
        wm_arguments_misuse(a, "unknown option '--%s'; did you mean '--%s'?", word, near);
    else
        wm_arguments_misuse(a, "unknown option '--%s'", word);
    return WM_ARGUMENT_BAD;
}

static int take_value(struct wm_arguments *a, const char *written, const char *argument)
{
    if (a->next < a->argc) {
        a->value = a->argv[a->next++];
        return 0;
    }
    wm_arguments_misuse(a, "'%s' needs its argument %s", written, argument);
    return WM_ARGUMENT_BAD;
}

static int read_long(struct wm_arguments *a, const char *word)
{
    size_t length = strcspn(word + 2, "=");
    const struct wm_option *options = a->command->options;

    if (length == 4 && strncmp(word, "--help", 6) == 0)
        return help(a);
    for (int i = 0; options != NULL && options[i].name != NULL; i++) {
        if (strlen(options[i].name) != length || strncmp(options[i].name, word + 2, length) != 0)
            continue;
        a->value = word[2 + length] == '=' ? word + 3 + length : NULL;
        if (options[i].argument == NULL && a->value != NULL) {
            wm_arguments_misuse(a, "'--%s' takes no argument", options[i].name);
            return WM_ARGUMENT_BAD;
        }
        if (options[i].argument != NULL && a->value == NULL && take_value(a, word, options[i].argument) < 0)
            return WM_ARGUMENT_BAD;
        return i;
    }
    return unknown_option(a, word + 2, length);
}

/* One letter of "-v", "-vv" or "-mMAP". */
static int read_letter(struct wm_arguments *a)
{
    const struct wm_option *options = a->command->options;
    char letter = *a->cluster++, written[] = {'-', letter, '\0'};

    if (letter == 'h')
        return help(a);
    for (int i = 0; options != NULL && options[i].name != NULL; i++) {
        if (options[i].letter != letter)
            continue;
        a->value = NULL;
        if (options[i].argument == NULL)
            return i;
        if (*a->cluster != '\0')
            a->value = a->cluster;
        a->cluster = "";
        return a->value == NULL && take_value(a, written, options[i].argument) < 0 ? WM_ARGUMENT_BAD : i;
    }
    wm_arguments_misuse(a, "unknown option '%s'", written);
    return WM_ARGUMENT_BAD;
}

int wm_arguments_next(struct wm_arguments *a)
{
    const char *word;

    if (a->cluster != NULL && *a->cluster != '\0')
        return read_letter(a);
    if (a->next >= a->argc)
        return WM_ARGUMENT_END;
    word = a->argv[a->next];
    if (!a->operands_only && strcmp(word, "--") == 0) {
        a->next++;
        a->operands_only = true;
        return wm_arguments_next(a);
    }
    if (a->operands_only || word[0] != '-' || word[1] == '\0') {
        if (a->command->options_first)
            return WM_ARGUMENT_END;
        a->value = a->argv[a->next++];
        return WM_ARGUMENT_OPERAND;
    }
    a->next++;
    if (word[1] == '-')
        return read_long(a, word);
    a->cluster = word + 1;
    return read_letter(a);
}
