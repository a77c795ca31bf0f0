/* What is wrong with what a program said of a map. */
#include "tests/fuzz/judge.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Bytes of the character that begins here; 0: none of UTF-8, or one that a terminal would obey. */
static size_t plain_character(const unsigned char *at)
{
    size_t bytes = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;

    if (*at == '\n' || *at == '\t')
        return 1;
    if (*at < ' ' || *at == 0x7f || (*at >= 0x80 && *at < 0xc2) || (*at == 0xc2 && at[1] < 0xa0))
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

static bool is_plain(const struct fuzz_text *said)
{
    size_t at = 0, bytes;

    while (at < said->count && (bytes = plain_character((const unsigned char *)said->bytes + at)) > 0)
        at += bytes;
    return at == said->count;
}

/* Is there such a line in the map, and such a column in it, or right behind? */
static bool is_place(const struct fuzz_text *map, int line, int column)
{
    const char *at = map->bytes, *end = map->bytes + map->count;
    int columns = 1;

    for (; line > 1 && at != NULL; line--)
        if ((at = memchr(at, '\n', (size_t)(end - at))) != NULL)
            at++;
    for (; at != NULL && at < end && *at != '\n'; at++)
        columns += (*at & 0xc0) != 0x80;
    return line >= 1 && column >= 1 && at != NULL && column <= columns + 1;
}

enum { PLACE_NONE, PLACE_FALSE, PLACE_TRUE };

/* Does the line open with "NAME:LINE:COLUMN: "? */
static int place_of(const char *line, const struct fuzz_text *map, const char *name)
{
    int number, column;

    line += strncmp(line, "waymark: ", 9) == 0 ? 9 : 0;
    if (strncmp(line, name, strlen(name)) != 0 || sscanf(line + strlen(name), ":%d:%d: ", &number, &column) != 2)
        return PLACE_NONE;
    return is_place(map, number, column) ? PLACE_TRUE : PLACE_FALSE;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end != NULL ? end + 1 : NULL;
}

/* Lines that need no place: they are not about the map. */
static bool is_note(const char *line)
{
    static const char *const notes[] = {"waymark: the map server has not answered for ",
                                        "waymark: what this concerns runs natively; "};

    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strncmp(line, notes[i], strlen(notes[i])) == 0)
            return true;
    return strstr(line, " stayed native, although ") != NULL;
}

/* Every sentence has a place; *places: how many there are. */
static const char *judge_places(const struct fuzz_text *said, const struct fuzz_text *map, const char *name,
                                int *places)
{
    *places = 0;
    for (const char *line = said->bytes; line != NULL && *line != '\0'; line = next_line(line)) {
        int place = place_of(line, map, name);

        if (place == PLACE_FALSE)
            return "a place that the map does not have";
        if (place == PLACE_NONE && strncmp(line, "waymark: ", 9) == 0 && !is_note(line))
            return "a sentence without a place";
        *places += place == PLACE_TRUE;
    }
    return NULL;
}

/* Below each "OPERATION, rule at line N: REFUSED …" of the table stands why. */
static const char *judge_table(const struct fuzz_text *said, const struct fuzz_text *map, const char *name)
{
    for (const char *line = said->bytes; line != NULL; line = next_line(line)) {
        const char *rule = strstr(line, ", rule at line "), *end = strchr(line, '\n'), *next = next_line(line);

        if (rule == NULL || end == NULL || rule > end || next == NULL)
            continue;
        if ((strstr(rule, ": REFUSED on ") == NULL || strstr(rule, ": REFUSED on ") > end) &&
            (strstr(rule, ": TOO LARGE on ") == NULL || strstr(rule, ": TOO LARGE on ") > end))
            continue;
        if (place_of(next, map, name) != PLACE_TRUE)
            return "a refusal without a place";
    }
    return NULL;
}

static const char *judge_signs(const struct fuzz_child *child)
{
    static const char *const signs[][2] = {{"Sanitizer", "a report of a sanitizer"},
                                           {"runtime error:", "a report of a sanitizer"},
                                           {"waymark: bug at ", "a bug by its own word"},
                                           {"REFUTED", "a path that is refuted"},
                                           {"ssertion", "an assertion"},
                                           {"cannot be read", "an answer that cannot be read"},
                                           {"the map server ended without a word", "a server that died"},
                                           {"the map server crashed (", "a server that crashed"}};

    if (child->late)
        return "a hang";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(child->said.bytes, signs[i][0]) != NULL)
            return signs[i][1];
    return WIFSIGNALED(child->status) ? "a signal" : NULL;
}

const char *fuzz_judge_check(const struct fuzz_child *child, const struct fuzz_text *map, const char *name)
{
    const char *wrong = judge_signs(child);
    int places;

    if (wrong == NULL && WEXITSTATUS(child->status) > 1)
        wrong = "an exit status that is not documented";
    if (wrong == NULL && !is_plain(&child->said))
        wrong = "words that are not plain text";
    if (wrong == NULL)
        wrong = judge_places(&child->said, map, name, &places);
    if (wrong == NULL && WEXITSTATUS(child->status) == 1 && places == 0)
        wrong = "a failure without a place";
    return wrong != NULL ? wrong : judge_table(&child->said, map, name);
}

const char *fuzz_judge_job(const struct fuzz_child *child, const struct fuzz_text *map, const char *name,
                           const char *verdict)
{
    const char *wrong = judge_signs(child);
    int places;

    if (wrong == NULL && WEXITSTATUS(child->status) == 124)
        wrong = "a job that hangs";
    if (wrong == NULL && strstr(child->said.bytes, "on signal ") != NULL)
        wrong = "a signal in a job";
    if (wrong == NULL && WEXITSTATUS(child->status) == 0 && strstr(child->said.bytes, verdict) == NULL)
        wrong = "a job without a verdict";
    if (wrong == NULL)
        wrong = judge_places(&child->said, map, name, &places);
    if (wrong == NULL && WEXITSTATUS(child->status) != 0 && places == 0)
        wrong = "a job that failed without a place";
    return wrong;
}
