/* Tables and wrapped paragraphs for a terminal. */
#include "tools/text/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "core/error.h"
#include "tools/text/units.h"
#include "core/vector.h"

enum { COLUMNS_MIN = 80, COLUMNS_MAX = 110, COLUMNS_DEFAULT = 100, TABLE_COLUMNS_MAX = 16, INDENT = 2 };

struct wm_terminal wm_terminal_of(FILE *file)
{
    struct wm_terminal terminal = {file, COLUMNS_DEFAULT, false};
    const char *wish = getenv("COLUMNS"), *no_color = getenv("NO_COLOR");
    struct winsize window;

    if (isatty(fileno(file))) {
        terminal.color = no_color == NULL || no_color[0] == '\0';
        if (ioctl(fileno(file), TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
            terminal.columns = window.ws_col;
    } else if (wish != NULL && atoi(wish) > 0) {
        terminal.columns = atoi(wish);
    }
    if (terminal.columns < COLUMNS_MIN)
        terminal.columns = COLUMNS_MIN;
    if (terminal.columns > COLUMNS_MAX)
        terminal.columns = COLUMNS_MAX;
    return terminal;
}

const char *wm_terminal_bold(const struct wm_terminal *terminal)
{
    return terminal->color ? "\033[1m" : "";
}

const char *wm_terminal_warn(const struct wm_terminal *terminal)
{
    return terminal->color ? "\033[33m" : "";
}

const char *wm_terminal_dim(const struct wm_terminal *terminal)
{
    return terminal->color ? "\033[2m" : "";
}

const char *wm_terminal_plain(const struct wm_terminal *terminal)
{
    return terminal->color ? "\033[0m" : "";
}

static void print_word(const struct wm_terminal *terminal, const char *word, size_t bytes)
{
    fwrite(word, 1, bytes, terminal->file);
}

static size_t columns_of(const char *text, size_t bytes)
{
    size_t columns = 0;

    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

void wm_terminal_wrap(const struct wm_terminal *terminal, const char *first, const char *text)
{
    size_t indent = wm_text_columns(first), at = indent;

    fputs(first, terminal->file);
    while (*text != '\0') {
        size_t bytes = strcspn(text, " "), columns = columns_of(text, bytes);

        if (at > indent && at + 1 + columns > (size_t)terminal->columns) {
            fprintf(terminal->file, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', terminal->file);
            at++;
        }
        print_word(terminal, text, bytes);
        at += columns;
        text += bytes + (text[bytes] == ' ');
    }
    fputc('\n', terminal->file);
}

void wm_table_init(struct wm_table *table, const char *alignment)
{
    *table = (struct wm_table){.column_count = (int)strlen(alignment), .alignment = alignment};
}

void wm_table_cell(struct wm_table *table, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wm_plain_text(text, false);
    if (wm_vector_reserve(&table->cells, &table->cell_capacity, table->cell_count + 1, sizeof *table->cells) < 0 ||
        (table->cells[table->cell_count] = strdup(text)) == NULL)
        table->out_of_memory = true;
    else
        table->cell_count++;
}

/* Print at most `columns` of a cell, ending in an ellipsis when that is not all. */
static void print_cut(const struct wm_terminal *terminal, const char *text, size_t columns)
{
    size_t bytes = 0, shown = 0, limit = columns > 0 ? columns - 1 : 0;

    if (wm_text_columns(text) <= columns) {
        fputs(text, terminal->file);
        return;
    }
    while (text[bytes] != '\0' && (shown < limit || ((unsigned char)text[bytes] & 0xc0) == 0x80))
        shown += ((unsigned char)text[bytes++] & 0xc0) != 0x80;
    print_word(terminal, text, bytes);
    if (columns > 0)
        fputs("…", terminal->file);
}

static void print_cell(const struct wm_table *table, const struct wm_terminal *terminal, const char *text, int column,
                       size_t width)
{
    size_t columns = wm_text_columns(text);
    int blanks = columns < width ? (int)(width - columns) : 0;
    bool last = column == table->column_count - 1;

    if (table->alignment[column] == 'r')
        fprintf(terminal->file, "%*s", blanks, "");
    print_cut(terminal, text, width);
    if (table->alignment[column] == 'l' && !last)
        fprintf(terminal->file, "%*s", blanks, "");
}

/* Widths of all columns and of the gap between them, so that the table fits the terminal. */
static size_t fit(const struct wm_table *table, const struct wm_terminal *terminal, size_t *widths)
{
    size_t used = 0, gap = 2, count = (size_t)table->column_count, room;

    memset(widths, 0, count * sizeof *widths);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t columns = wm_text_columns(table->cells[i]);

        if (columns > widths[i % count])
            widths[i % count] = columns;
    }
    for (size_t i = 0; i + 1 < count; i++)
        used += widths[i];
    if (INDENT + used + gap * (count - 1) + widths[count - 1] > (size_t)terminal->columns)
        gap = 1;
    used += INDENT + gap * (count - 1);
    room = used < (size_t)terminal->columns ? (size_t)terminal->columns - used : 0;
    if (widths[count - 1] > room)
        widths[count - 1] = room;
    return gap;
}

void wm_table_print(struct wm_table *table, const struct wm_terminal *terminal)
{
    size_t count = (size_t)table->column_count, widths[TABLE_COLUMNS_MAX];
    size_t gap = fit(table, terminal, widths);

    for (size_t i = 0; i + count <= table->cell_count && table->cell_count > count; i += count) {
        fprintf(terminal->file, "%*s%s", INDENT, "", i == 0 ? wm_terminal_dim(terminal) : "");
        for (size_t k = 0; k < count; k++) {
            if (k > 0)
                fprintf(terminal->file, "%*s", (int)gap, "");
            print_cell(table, terminal, table->cells[i + k], (int)k, widths[k]);
        }
        fprintf(terminal->file, "%s\n", i == 0 ? wm_terminal_plain(terminal) : "");
    }
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct wm_table){.column_count = table->column_count, .alignment = table->alignment};
}
