/* The manual page of a command, in roff, written from the same record as its help. */
#include "tools/cli/command.h"

#include <ctype.h>
#include <string.h>

/* The code point of a well-formed sequence of UTF-8; *text moves to its last byte. */
static unsigned code_point(const char **text)
{
    unsigned char first = (unsigned char)**text;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    unsigned code = first & (0x3fu >> more);

    for (; more > 0 && (*text)[1] != '\0'; more--)
        code = code << 6 | ((unsigned char)*++*text & 0x3f);
    return code;
}

/* Text in which nothing means anything to roff: no command at a line's start, hyphens and quotes that stay ASCII, and
 * everything else by number, for roff reads no UTF-8 of its own accord. */
static void plain(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text != '\0'; text++)
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\'')
            fputs("\\(aq", out);
        else if (*text == '`')
            fputs("\\(ga", out);
        else if ((unsigned char)*text < 0x80)
            fputc(*text, out);
        else
            fprintf(out, "\\[u%04X]", code_point(&text));
}

static void line(FILE *out, const char *macro, const char *text)
{
    fputs(macro, out);
    plain(out, text);
    fputc('\n', out);
}

static void section(FILE *out, const char *title)
{
    fprintf(out, ".SH \"%s\"\n", title);
}

static void item(FILE *out, const char *term, const char *text)
{
    fputs(".TP\n\\fB", out);
    plain(out, term);
    fputs("\\fR\n", out);
    line(out, "", text);
}

static void items(FILE *out, const char *title, const struct wm_command_item *list)
{
    section(out, title);
    for (; list->term != NULL; list++)
        item(out, list->term, list->text);
}

static void options(FILE *out, const struct wm_command *command)
{
    section(out, "OPTIONS");
    for (const struct wm_option *o = command->options; o != NULL && o->name != NULL; o++) {
        fputs(".TP\n", out);
        if (o->letter != 0)
            fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", out);
        plain(out, o->name);
        fprintf(out, "\\fR%s%s%s\n", o->argument != NULL ? " \\fI" : "", o->argument != NULL ? o->argument : "",
                o->argument != NULL ? "\\fR" : "");
        line(out, "", o->help);
    }
    item(out, "-h, --help", "Print the same in short.");
}

/* The page's name: waymark, waymark-run. */
static void page_name(FILE *out, const struct wm_command *command, bool upper)
{
    char name[64];

    snprintf(name, sizeof name, "%s%s", command == wm_command_program() ? "" : "waymark-", command->name);
    for (char *c = name; upper && *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    plain(out, name);
}

static void head(FILE *out, const struct wm_command *command)
{
    fputs(".TH ", out);
    page_name(out, command, true);
    fprintf(out, " 1 \"\" \"Waymark %s\" \"Waymark\"\n", PACKAGE_VERSION);
    section(out, "NAME");
    page_name(out, command, false);
    fputs(" \\- ", out);
    plain(out, command->summary);
    fputs("\n", out);
    section(out, "SYNOPSIS");
    for (int i = 0; command->synopsis[i] != NULL; i++) {
        fputs(i > 0 ? ".br\n\\fBwaymark\\fR " : "\\fBwaymark\\fR ", out);
        plain(out, command->synopsis[i]);
        fputc('\n', out);
    }
}

static void see_also(FILE *out, const struct wm_command *command)
{
    const struct wm_command *program = wm_command_program();
    bool first = true;

    section(out, "SEE ALSO");
    if (command != program)
        fputs("\\fBwaymark\\fR(1)", out), first = false;
    for (const struct wm_command *const *c = wm_commands(); *c != NULL; c++) {
        if (*c == command)
            continue;
        fputs(first ? "" : ",\n", out);
        fputs("\\fB", out);
        page_name(out, *c, false);
        fputs("\\fR(1)", out);
        first = false;
    }
    fputc('\n', out);
}

void wm_command_manual(const struct wm_command *command, FILE *out)
{
    struct wm_command_item statuses[WM_STATUSES_MAX];

    fputs(".\\\" Made by `waymark man`; the texts are in the command's record.\n", out);
    head(out, command);
    section(out, "DESCRIPTION");
    for (int i = 0; command->description[i] != NULL; i++)
        line(out, i > 0 ? ".PP\n" : "", command->description[i]);
    if (command == wm_command_program()) {
        section(out, "COMMANDS");
        for (const struct wm_command *const *c = wm_commands(); *c != NULL; c++)
            item(out, (*c)->name, (*c)->summary);
    }
    options(out, command);
    for (const struct wm_command_section *s = command->sections; s != NULL && s->title != NULL; s++)
        items(out, s->title, s->items);
    wm_command_statuses(command, statuses);
    items(out, "EXIT STATUS", statuses);
    section(out, "EXAMPLES");
    for (const struct wm_command_item *i = command->examples; i->term != NULL; i++) {
        line(out, ".PP\n.EX\n", i->term);
        line(out, ".EE\n.RS\n", i->text);
        fputs(".RE\n", out);
    }
    see_also(out, command);
}
