/* waymark-translate: rewrites Toucan's pragmas. `waymark translate` runs it, with the words FILE, OUTPUT or "" for
 * standard output, and the compiler's flags. A program of its own, so that nothing else loads libclang, or ends with
 * it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "tools/text/output.h"
#include "tools/translate/unit.h"

enum { FAILED = 1 };

static const char mark[] = "\xEF\xBB\xBF"; /* U+FEFF, which may stand at a file's beginning only */

static void write_text(FILE *out, const struct wm_c_unit *u, size_t begin, size_t end)
{
    fwrite(u->text + begin, 1, end - begin, out);
}

/* Messages and debuggers are to tell the lines of the source. */
static void write_head(FILE *out, const char *name)
{
    fputs("#include <waymark/superblock.h>\n#line 1 \"", out);
    for (; *name != '\0'; name++)
        fprintf(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    fputs("\"\n", out);
}

/* Write what precedes pragma `index`, its statement between markers, and those in it. Returns the next pragma's index,
 * and moves *place behind what is written. */
static int write_statement(FILE *out, const struct wm_c_unit *u, int index, size_t *place)
{
    const struct wm_toucan_pragma *pragma = &u->pragmas.list[index];

    write_text(out, u, *place, pragma->begin);
    if (pragma->region != NULL)
        fprintf(out, "{ WM_REGION(%s);", pragma->region);
    else
        fprintf(out, "{ WM_SUPERBLOCK_BEGIN(\"%s\");", pragma->name);
    for (const char *c = u->text + pragma->begin; c < u->text + pragma->end; c++)
        if (*c == '\n')
            fputc('\n', out);
    *place = pragma->end;
    for (index++; index < u->pragmas.count && u->pragmas.list[index].begin < pragma->after;)
        index = write_statement(out, u, index, place);
    write_text(out, u, *place, pragma->after);
    *place = pragma->after;
    fputs(pragma->region != NULL ? " }" : " WM_SUPERBLOCK_END; }", out);
    return index;
}

static void write_unit(FILE *out, const struct wm_c_unit *u, const char *name)
{
    size_t place = 0;

    if (u->pragmas.count > 0) {
        place = u->bytes >= strlen(mark) && memcmp(u->text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
        write_text(out, u, 0, place);
        write_head(out, name);
    }
    for (int index = 0; index < u->pragmas.count;)
        index = write_statement(out, u, index, &place);
    write_text(out, u, place, u->bytes);
}

static int write_output(const struct wm_c_unit *u, const char *name, const char *output, struct wm_error *error)
{
    struct wm_output out;
    struct stat from, to;

    if (output != NULL && stat(name, &from) == 0 && stat(output, &to) == 0 && from.st_dev == to.st_dev &&
        from.st_ino == to.st_ino)
        return wm_error_set(error, -WM_EINVAL, "'%s' is the source itself; name another file with -o", output);
    if (wm_output_open(&out, output, error) < 0)
        return error->code;
    write_unit(out.file, u, name);
    return wm_output_commit(&out, error);
}

int main(int argc, char **argv)
{
    char text[WM_ERROR_FILE_CHARS + WM_ERROR_TEXT_CHARS + 2 * WM_ERROR_EXCERPT_CHARS + 64];
    struct wm_error error = {0};
    struct wm_c_unit unit;
    int rc;

    if (argc < 3) {
        fputs("waymark-translate: 'waymark translate' starts this program\n", stderr);
        return FAILED;
    }
    rc = wm_c_unit_init(&unit, argv[1], (const char *const *)argv + 3, argc - 3, &error);
    if (rc == 0)
        rc = write_output(&unit, argv[1], argv[2][0] != '\0' ? argv[2] : NULL, &error);
    wm_c_unit_release(&unit);
    if (rc == 0)
        return 0;
    wm_error_format(&error, text, sizeof text);
    fprintf(stderr, "waymark: %s%s", text, text[0] != '\0' && text[strlen(text) - 1] == '\n' ? "" : "\n");
    return FAILED;
}
