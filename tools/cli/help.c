/* The help of a command, printed from its record. */
#include "tools/cli/command.h"

#include <string.h>
#include "tools/text/table.h"
#include "tools/text/units.h"

enum { INDENT = 4, TERM_COLUMNS = 24, PREFIX_BYTES = 256 };

static void heading(const struct wm_terminal *terminal, const char *title)
{
    fprintf(terminal->file, "\n%s%s%s\n", wm_terminal_bold(terminal), title, wm_terminal_plain(terminal));
}

/* A term, and its text beside it, or beneath where the term is long. */
static void item(const struct wm_terminal *terminal, const char *term, const char *text)
{
    int columns = (int)wm_text_columns(term), room = TERM_COLUMNS - columns;
    char prefix[PREFIX_BYTES];

    if (room < 2) {
        fprintf(terminal->file, "%*s%s\n", INDENT, "", term);
        snprintf(prefix, sizeof prefix, "%*s", INDENT + TERM_COLUMNS, "");
    } else {
        snprintf(prefix, sizeof prefix, "%*s%s%*s", INDENT, "", term, room, "");
    }
    wm_terminal_wrap(terminal, prefix, text);
}

static void option_item(const struct wm_terminal *terminal, const struct wm_option *option)
{
    const char *argument = option->argument != NULL ? option->argument : "";
    char term[64], letter[8] = "";

    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(term, sizeof term, "%s--%s%s%s", letter, option->name, argument[0] != '\0' ? " " : "", argument);
    item(terminal, term, option->help);
}

static void options(const struct wm_terminal *terminal, const struct wm_command *command)
{
    heading(terminal, "OPTIONS");
    for (const struct wm_option *o = command->options; o != NULL && o->name != NULL; o++)
        option_item(terminal, o);
    item(terminal, "-h, --help", "Print this.");
}

/* Bytes of the first part of a synopsis: a word, or all that stands in one pair of brackets. */
static size_t part_length(const char *text)
{
    int depth = 0;
    size_t length = 0;

    for (; text[length] != '\0' && (depth > 0 || text[length] != ' '); length++)
        depth += (text[length] == '[') - (text[length] == ']');
    return length;
}

static void print_synopsis(const struct wm_terminal *terminal, const char *start, const char *synopsis)
{
    int indent = (int)wm_text_columns(start), at = indent;

    fputs(start, terminal->file);
    for (size_t length; (length = part_length(synopsis)) > 0; synopsis += length + (synopsis[length] == ' ')) {
        if (at > indent && at + 1 + (int)length > terminal->columns) {
            fprintf(terminal->file, "\n%*s", indent + 4, "");
            at = indent + 4;
        } else if (at > indent) {
            fputc(' ', terminal->file);
            at++;
        }
        fprintf(terminal->file, "%.*s", (int)length, synopsis);
        at += (int)length;
    }
    fputc('\n', terminal->file);
}

void wm_command_usage(const struct wm_command *command, FILE *out)
{
    struct wm_terminal terminal = wm_terminal_of(out);

    for (int i = 0; command->synopsis[i] != NULL; i++)
        print_synopsis(&terminal, i == 0 ? "usage: waymark " : "       waymark ", command->synopsis[i]);
}

static void section(const struct wm_terminal *terminal, const char *title, const struct wm_command_item *items)
{
    heading(terminal, title);
    for (; items->term != NULL; items++)
        item(terminal, items->term, items->text);
}

static void examples(const struct wm_terminal *terminal, const struct wm_command_item *items)
{
    heading(terminal, "EXAMPLES");
    for (int i = 0; items[i].term != NULL; i++) {
        fprintf(terminal->file, "%*s%s\n", INDENT, "", items[i].term);
        wm_terminal_wrap(terminal, "        ", items[i].text);
    }
}

void wm_command_help(const struct wm_command *command, FILE *out)
{
    struct wm_command_item statuses[WM_STATUSES_MAX];
    struct wm_terminal terminal = wm_terminal_of(out);

    fprintf(out, "%s%s%s%s: %s\n", wm_terminal_bold(&terminal), command == wm_command_program() ? "" : "waymark ",
            command->name, wm_terminal_plain(&terminal), command->summary);
    fputc('\n', out);
    wm_command_usage(command, out);
    for (int i = 0; command->description[i] != NULL; i++) {
        fputc('\n', out);
        wm_terminal_wrap(&terminal, "", command->description[i]);
    }
    if (command == wm_command_program()) {
        heading(&terminal, "COMMANDS");
        for (const struct wm_command *const *c = wm_commands(); *c != NULL; c++)
            item(&terminal, (*c)->name, (*c)->summary);
    }
    options(&terminal, command);
    for (const struct wm_command_section *s = command->sections; s != NULL && s->title != NULL; s++)
        section(&terminal, s->title, s->items);
    wm_command_statuses(command, statuses);
    section(&terminal, "EXIT STATUS", statuses);
    examples(&terminal, command->examples);
}
