/* The help of a command, printed from its record. */
#include "tools/cli/command.h"

#include <string.h>
#include "tools/text/table.h"
#include "tools/text/units.h"

enum { INDENT = 4, TERM_COLUMNS = 24, PREFIX_BYTES = 256 };

static void heading(const struct wm_page *page, const char *title)
{
    fprintf(page->file, "\n%s%s%s\n", wm_page_bold(page), title, wm_page_plain(page));
}

/* A term, and its text beside it, or beneath where the term is long. */
static void item(const struct wm_page *page, const char *term, const char *text)
{
    int columns = (int)wm_text_columns(term), room = TERM_COLUMNS - columns;
    char prefix[PREFIX_BYTES];

    if (room < 2) {
        fprintf(page->file, "%*s%s\n", INDENT, "", term);
        snprintf(prefix, sizeof prefix, "%*s", INDENT + TERM_COLUMNS, "");
    } else {
        snprintf(prefix, sizeof prefix, "%*s%s%*s", INDENT, "", term, room, "");
    }
    wm_page_wrap(page, prefix, text);
}

static void option_item(const struct wm_page *page, const struct wm_option *option)
{
    const char *argument = option->argument != NULL ? option->argument : "";
    char term[64], letter[8] = "";

    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(term, sizeof term, "%s--%s%s%s", letter, option->name, argument[0] != '\0' ? " " : "", argument);
    item(page, term, option->help);
}

static void options(const struct wm_page *page, const struct wm_command *command)
{
    heading(page, "OPTIONS");
    for (const struct wm_option *o = command->options; o != NULL && o->name != NULL; o++)
        option_item(page, o);
    item(page, "-h, --help", "Print this.");
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

static void print_synopsis(const struct wm_page *page, const char *start, const char *synopsis)
{
    int indent = (int)wm_text_columns(start), at = indent;

    fputs(start, page->file);
    for (size_t length; (length = part_length(synopsis)) > 0; synopsis += length + (synopsis[length] == ' ')) {
        if (at > indent && at + 1 + (int)length > page->columns) {
            fprintf(page->file, "\n%*s", indent + 4, "");
            at = indent + 4;
        } else if (at > indent) {
            fputc(' ', page->file);
            at++;
        }
        fprintf(page->file, "%.*s", (int)length, synopsis);
        at += (int)length;
    }
    fputc('\n', page->file);
}

void wm_command_usage(const struct wm_command *command, FILE *out)
{
    struct wm_page page = wm_page_of(out);

    for (int i = 0; command->synopsis[i] != NULL; i++)
        print_synopsis(&page, i == 0 ? "usage: waymark " : "       waymark ", command->synopsis[i]);
}

static void section(const struct wm_page *page, const char *title, const struct wm_command_item *items)
{
    heading(page, title);
    for (; items->term != NULL; items++)
        item(page, items->term, items->text);
}

static void examples(const struct wm_page *page, const struct wm_command_item *items)
{
    heading(page, "EXAMPLES");
    for (int i = 0; items[i].term != NULL; i++) {
        fprintf(page->file, "%*s%s\n", INDENT, "", items[i].term);
        wm_page_wrap(page, "        ", items[i].text);
    }
}

void wm_command_help(const struct wm_command *command, FILE *out)
{
    struct wm_command_item statuses[WM_STATUSES_MAX];
    struct wm_page page = wm_page_of(out);

    fprintf(out, "%s%s%s%s: %s\n", wm_page_bold(&page), command == wm_command_program() ? "" : "waymark ",
            command->name, wm_page_plain(&page), command->summary);
    fputc('\n', out);
    wm_command_usage(command, out);
    for (int i = 0; command->description[i] != NULL; i++) {
        fputc('\n', out);
        wm_page_wrap(&page, "", command->description[i]);
    }
    if (command == wm_command_program()) {
        heading(&page, "COMMANDS");
        for (const struct wm_command *const *c = wm_commands(); *c != NULL; c++)
            item(&page, (*c)->name, (*c)->summary);
    }
    options(&page, command);
    for (const struct wm_command_section *s = command->sections; s != NULL && s->title != NULL; s++)
        section(&page, s->title, s->items);
    wm_command_statuses(command, statuses);
    section(&page, "EXIT STATUS", statuses);
    examples(&page, command->examples);
}
