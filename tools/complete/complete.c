/* waymark complete: how a command line may go on, for the completion of shells. */
#include <stdio.h>
#include <string.h>
#include "tools/cli/commands.h"
#include "tools/complete/values.h"

enum { WORD_BYTES = 256 };

static const char *const synopsis[] = {"complete -- [WORD ...]", NULL};

static const char *const description[] = {
    "Say how a command line of waymark may go on, for the completion of shells: the words are those behind 'waymark', "
    "the last of them is the one that is being typed, and may be empty. Bash, zsh and fish ask so once Waymark is "
    "installed where they look.",
    "Each line is a word, and behind a tab what it means; or ':files', ':directories', which the shell may offer as "
    "well; or ':command N': from word N on, counted from 0, stands a command of its own.",
    NULL,
};

static const struct wm_command_item examples[] = {
    {"waymark complete -- run -m hi", "The maps whose names begin with 'hi'."},
    {". share/bash-completion/completions/waymark", "Load the completion into this bash by hand."},
    {0},
};

/* A line while its words are read. */
struct line {
    const struct wm_command *command;
    const struct wm_option *awaiting; /* the option whose argument comes next, or NULL */
    bool operands_only;               /* "--" was read */
    int operands;
};

static const struct wm_option *find_option(const struct wm_command *command, const char *name, size_t length)
{
    for (const struct wm_option *o = command->options; o != NULL && o->name != NULL; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const struct wm_option *find_letter(const struct wm_command *command, char letter)
{
    for (const struct wm_option *o = command->options; o != NULL && o->name != NULL; o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

/* The option of "--map", or the last one of "-vm", if its argument is another word. */
static const struct wm_option *awaits(const struct wm_command *command, const char *word)
{
    const struct wm_option *option = NULL;

    if (word[1] == '-')
        option = find_option(command, word + 2, strlen(word + 2));
    else
        for (word++; *word != '\0' && (option == NULL || option->argument == NULL); word++)
            option = find_letter(command, *word);
    return option != NULL && option->argument != NULL && (word[0] == '\0' || word[1] == '-') ? option : NULL;
}

/* A word that is not the last. Shells that break words at '=' give that as a word. */
static void read_word(struct line *line, const char *word)
{
    if (line->awaiting != NULL)
        line->awaiting = strcmp(word, "=") == 0 ? line->awaiting : NULL;
    else if (!line->operands_only && strcmp(word, "--") == 0)
        line->operands_only = true;
    else if (!line->operands_only && word[0] == '-' && word[1] != '\0')
        line->awaiting = awaits(line->command, word);
    else
        line->operands++;
}

static void offer_options(const struct wm_command *command, const char *typed)
{
    char word[WORD_BYTES];

    for (const struct wm_option *o = command->options; o != NULL && o->name != NULL; o++) {
        snprintf(word, sizeof word, "--%s", o->name);
        wm_values_offer(typed, word, o->help);
    }
    wm_values_offer(typed, "--help", "Print the help");
}

/* --format=te */
static void offer_joined(const struct wm_command *command, const char *typed, const char *value)
{
    const struct wm_option *option = find_option(command, typed + 2, (size_t)(value - typed - 2));
    char before[WORD_BYTES];

    snprintf(before, sizeof before, "%.*s", (int)(value + 1 - typed), typed);
    if (option != NULL && option->argument != NULL)
        wm_values_of(option->argument, value + 1, before);
}

static void offer_word(const struct line *line, const char *typed)
{
    const struct wm_operands *operands = &line->command->operands;

    if (line->awaiting != NULL)
        wm_values_of(line->awaiting->argument, strcmp(typed, "=") == 0 ? "" : typed, "");
    else if (!line->operands_only && strncmp(typed, "--", 2) == 0 && strchr(typed, '=') != NULL)
        offer_joined(line->command, typed, strchr(typed, '='));
    else if (!line->operands_only && typed[0] == '-')
        offer_options(line->command, typed);
    else if (operands->what != NULL && line->operands < operands->most)
        wm_values_of(operands->what, typed, "");
}

static void offer_commands(const char *typed)
{
    for (const struct wm_command *const *c = wm_commands(); *c != NULL; c++)
        wm_values_offer(typed, (*c)->name, (*c)->summary);
    wm_values_offer(typed, "help", "print the help of a command");
    if (typed[0] == '-')
        offer_options(wm_command_program(), typed);
}

static void complete(char **words, int count)
{
    struct line line = {.command = wm_command_find(words[0])};

    if (count == 1 || (count == 2 && strcmp(words[0], "help") == 0))
        offer_commands(words[count - 1]);
    if (count == 1 || line.command == NULL)
        return;
    for (int i = 1; i < count - 1; i++) {
        read_word(&line, words[i]);
        if (line.command->options_first && line.operands > 0) {
            printf(":command %d\n", i);
            return;
        }
    }
    if (line.command->options_first && line.awaiting == NULL && (line.operands_only || words[count - 1][0] != '-'))
        printf(":command %d\n", count - 1);
    else
        offer_word(&line, words[count - 1]);
}

static int run(struct wm_arguments *arguments)
{
    int status;

    if (!wm_arguments_read(arguments, NULL, &status))
        return status;
    if (arguments->next < arguments->argc)
        complete(arguments->argv + arguments->next, arguments->argc - arguments->next);
    return 0;
}

const struct wm_command wm_command_complete = {
    .name = "complete",
    .summary = "say how a command line may go on, for shells",
    .synopsis = synopsis,
    .description = description,
    .options_first = true,
    .examples = examples,
    .run = run,
};
