/* Command lines, read by the options that a command's record lists. */
#include "tools/cli/command.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* A launcher ends all ranks when one has ended badly: that has to be the one that complains. */
enum { OPTIONS_MAX = 32, SPEAK_S = 5 };

/* What a word of the command line is, where it is not an option: then its index in the command's table. */
enum {
    END = -1,
    OPERAND = -2,
    MISUSED = -3, /* the sentence is printed */
    HELPED = -4   /* the help is printed */
};

int wm_arguments_misuse(const struct wm_arguments *a, const char *format, ...)
{
    bool program = a->command == wm_command_program();
    const char *name = program ? "" : a->command->name, *space = program ? "" : " ";
    va_list arguments;

    if (a->quiet) {
        sleep(SPEAK_S);
        return WM_EXIT_USAGE;
    }
    fprintf(stderr, "waymark%s%s: ", space, name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    wm_command_usage(a->command, stderr);
    fprintf(stderr, "'waymark %s%s--help' tells more\n", name, space);
    return WM_EXIT_USAGE;
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
    return (struct wm_arguments){.command = command, .argc = argc, .argv = argv, .next = 1, .operands = argv + 1};
}

static int help(const struct wm_arguments *a)
{
    if (!a->quiet)
        wm_command_help(a->command, stdout);
    return HELPED;
}

static int unknown_option(const struct wm_arguments *a, const char *name, size_t length)
{
    const char *names[OPTIONS_MAX];
    char word[64];
    size_t count = 0;

    for (const struct wm_option *o = a->command->options; o != NULL && o->name != NULL && count < OPTIONS_MAX; o++)
        names[count++] = o->name;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    wm_arguments_misuse(a, "unknown option '--%s'%s", word, wm_error_suggest(word, names, count, "--", NULL).text);
    return MISUSED;
}

static int take_value(struct wm_arguments *a, const char *written, const char *argument)
{
    if (a->next < a->argc) {
        a->value = a->argv[a->next++];
        return 0;
    }
    wm_arguments_misuse(a, "'%s' needs its argument %s", written, argument);
    return MISUSED;
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
            return MISUSED;
        }
        if (options[i].argument != NULL && a->value == NULL && take_value(a, word, options[i].argument) < 0)
            return MISUSED;
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
        return a->value == NULL && take_value(a, written, options[i].argument) < 0 ? MISUSED : i;
    }
    wm_arguments_misuse(a, "unknown option '%s'", written);
    return MISUSED;
}

/* Read the next word, or the next letter of a word: the index of an option, whose argument is then a->value, or what
 * else there is. */
static int next(struct wm_arguments *a)
{
    const char *word;

    if (a->cluster != NULL && *a->cluster != '\0')
        return read_letter(a);
    if (a->next >= a->argc)
        return END;
    word = a->argv[a->next];
    if (!a->operands_only && strcmp(word, "--") == 0) {
        a->next++;
        a->operands_only = true;
        return next(a);
    }
    if (a->operands_only || word[0] != '-' || word[1] == '\0') {
        if (a->command->options_first)
            return END;
        a->operands[a->operand_count++] = a->argv[a->next++];
        return OPERAND;
    }
    a->next++;
    if (word[1] == '-')
        return read_long(a, word);
    a->cluster = word + 1;
    return read_letter(a);
}

/* As many as the record says? Returns 0 or an exit status. */
static int check_operands(const struct wm_arguments *a)
{
    const struct wm_operands *takes = &a->command->operands;

    if (a->command->options_first)
        return 0;
    if (takes->what == NULL && a->operand_count > 0)
        return wm_arguments_misuse(a, "'%s' is no option%s%s", a->operands[0], takes->instead != NULL ? "; " : "",
                                   takes->instead != NULL ? takes->instead : "");
    if (a->operand_count == 0 && takes->least > 0)
        return wm_arguments_misuse(a, "no %s is named", takes->what);
    if (a->operand_count < takes->least)
        return wm_arguments_misuse(a, "only one %s is named, '%s'; name another", takes->what, a->operands[0]);
    if (a->operand_count > takes->most && takes->most == 1)
        return wm_arguments_misuse(a, "one %s at a time, but there are '%s' and '%s'", takes->what, a->operands[0],
                                   a->operands[1]);
    if (a->operand_count > takes->most)
        return wm_arguments_misuse(a, "'%s' is one %s too many", a->operands[takes->most], takes->what);
    return 0;
}

bool wm_arguments_read(struct wm_arguments *a, void *choice, int *status)
{
    int word = END;

    *status = 0;
    while (*status == 0 && ((word = next(a)) >= 0 || word == OPERAND))
        if (word >= 0) {
            const struct wm_option *option = &a->command->options[word];

            *status = option->read((char *)choice + option->place, a, option);
        }
    if (*status != 0 || word == HELPED)
        return false;
    *status = word == MISUSED ? WM_EXIT_USAGE : check_operands(a);
    return *status == 0;
}
