/* Amendments: where a rule stands in a map's text, and what is put there. */
#include "tools/tune/amend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/wrapper.h"
#include "tools/site/scene.h"

enum { RULE_CHARS = 512, TAB = 8 };

void wm_size_class_bounds(int size_class, uint64_t *least, uint64_t *bound)
{
    *least = size_class > 0 ? UINT64_C(1) << (size_class - 1) : 0;
    *bound = *least * 2;
}

/* --- Places in the text --- */

/* The character of a line and a column, from 1, as Guile counts them. */
static size_t offset_of(const char *text, int line, int column)
{
    size_t i = 0;

    for (; line > 1 && text[i] != '\0'; i++)
        line -= text[i] == '\n';
    for (int at = 0; at < column - 1 && text[i] != '\0' && text[i] != '\n'; i++) {
        at = text[i] == '\t' ? (at / TAB + 1) * TAB : at + 1;
        while ((text[i + 1] & 0xc0) == 0x80)
            i++;
    }
    return i;
}

static size_t behind_block_comment(const char *text, size_t i)
{
    int depth = 0;

    do {
        int step = text[i] == '#' && text[i + 1] == '|' ? 1 : text[i] == '|' && text[i + 1] == '#' ? -1 : 0;

        depth += step;
        i += step != 0 ? 2 : 1;
    } while (depth > 0 && text[i] != '\0');
    return i;
}

static size_t behind_quoted(const char *text, size_t i)
{
    char stop = text[i++];

    while (text[i] != '\0' && text[i] != stop)
        i += text[i] == '\\' && text[i + 1] != '\0' ? 2 : 1;
    return i + (text[i] == stop);
}

/* From `i` on, the next character that no string, symbol or comment holds, and is not written as #\x. */
static size_t next_code(const char *text, size_t i)
{
    for (;;) {
        if (text[i] == ';')
            i += strcspn(text + i, "\n");
        else if (text[i] == '#' && text[i + 1] == '|')
            i = behind_block_comment(text, i);
        else if (text[i] == '#' && text[i + 1] == '\\' && text[i + 2] != '\0')
            i += 3;
        else if (text[i] == '"' || text[i] == '|')
            i = behind_quoted(text, i);
        else
            return i;
    }
}

/* Behind the form in parentheses that begins at `i`. */
static size_t end_of_form(const char *text, size_t i)
{
    int depth = 0;

    for (; text[i = next_code(text, i)] != '\0'; i++) {
        depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
        if (depth == 0)
            return i + 1;
    }
    return i;
}

static size_t find_path_map(const char *text)
{
    static const char head[] = "(path-map";
    size_t i = 0;

    while (text[i = next_code(text, i)] != '\0' && strncmp(text + i, head, sizeof head - 1) != 0)
        i++;
    return text[i] != '\0' ? i + sizeof head - 1 : i;
}

/* --- The rule --- */

static void write_rule(char *out, size_t out_bytes, const struct wm_amendment *a, bool shared)
{
    uint64_t least, bound;
    char first[32], second[32], other[64] = "";

    wm_size_class_bounds(a->size_class, &least, &bound);
    wm_bytes_describe(least, first, sizeof first);
    wm_bytes_describe(bound, second, sizeof second);
    if (shared)
        snprintf(other, sizeof other, " (eq? operation '%s)", wm_operation_name(a->operation));
    if (least > 0)
        snprintf(out, out_bytes, "((and%s (= ranks %d)%s (<= %s bytes) (< bytes %s)) %s)", other, a->ranks, a->where,
                 first, second, a->path);
    else
        snprintf(out, out_bytes, "((and%s (= ranks %d)%s) %s)", other, a->ranks, a->where, a->path);
}

static char *replace(const char *text, size_t from, size_t to, const char *with)
{
    char *out = NULL;

    return asprintf(&out, "%.*s%s%s", (int)from, text, with, text + to) < 0 ? NULL : out;
}

/* So that what follows stands below. */
static int indentation(const char *text, size_t i)
{
    size_t begin = i;

    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    return (int)(i - begin);
}

static char *put_before(const char *text, size_t at, const char *rule)
{
    char with[RULE_CHARS + 128];

    snprintf(with, sizeof with, "%s\n%*s", rule, indentation(text, at) % 100, "");
    return replace(text, at, at, with);
}

/* The path of all calls becomes that of all others. */
static char *put_before_path(const char *text, size_t at, const char *rule)
{
    size_t end = end_of_form(text, at);
    char *with = NULL, *out = NULL;

    if (asprintf(&with, "%s\n%*s(else %.*s)", rule, indentation(text, at) % 100, "", (int)(end - at), text + at) >= 0) {
        out = replace(text, at, end, with);
        free(with);
    }
    return out;
}

static char *put_new(const char *text, const struct wm_amendment *a, const char *rule)
{
    char with[RULE_CHARS + 128];
    size_t at = find_path_map(text);

    snprintf(with, sizeof with, "\n  (on %s\n    %s)", wm_operation_name(a->operation), rule);
    return replace(text, at, at, with);
}

static int number_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

/* Is the `on` of this line for several operations? */
static bool is_shared(const char *text, int line)
{
    const char *begin = text + offset_of(text, line, 1), *on = strstr(begin, "(on (");

    return line > 0 && on != NULL && on < begin + strcspn(begin, "\n");
}

/* Rules that were tried: the first of them, and the one that holds, which is the last. */
static char *amend(const struct wm_site_map *map, const struct wm_amendment *a, const json_t *answer)
{
    const json_t *explanation = json_object_get(answer, "explanation"), *rules = json_object_get(explanation, "rules"),
                 *rule = json_object_get(answer, "rule"), *first = json_array_get(rules, 0);
    int line = number_of(explanation, "line");
    char text[RULE_CHARS];

    write_rule(text, sizeof text, a, is_shared(map->text, line));
    if (json_is_object(rule)) {
        size_t at = offset_of(map->text, number_of(rule, "line"), number_of(rule, "column"));
        const json_t *last = json_array_get(rules, json_array_size(rules) - 1);

        return json_is_null(json_object_get(last, "text")) ? put_before_path(map->text, at, text)
                                                           : put_before(map->text, at, text);
    }
    if (first == NULL)
        return put_new(map->text, a, text);
    for (size_t at = offset_of(map->text, number_of(first, "line"), number_of(first, "column")); at > 0; at--)
        if (map->text[at - 1] == '(')
            return put_before(map->text, at - 1, text);
    return NULL;
}

char *wm_amend(const struct wm_site_map *map, const struct wm_site *site, const struct wm_amendment *a,
               struct wm_error *error)
{
    struct wm_map_question question = {.facts = {.operation = a->operation, .commutative = true}};
    struct wm_site_answer answer = {0};
    struct wm_facts facts;
    char *text = NULL;
    uint64_t bound;

    wm_size_class_bounds(a->size_class, &question.facts.bytes, &bound);
    if (wm_scene_facts(&question, site, &facts, error) == 0 &&
        wm_site_ask(map, site, &facts, true, &answer, error) == 0 && (text = amend(map, a, answer.json)) == NULL)
        wm_error_set(error, -WM_EMAP, "the rules of '%s' stand where none can be added", map->file);
    wm_site_answer_release(&answer);
    return text;
}
