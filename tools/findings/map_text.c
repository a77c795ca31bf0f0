/* The map's text: finds a node's form and those around it, and writes edits. */
#include "tools/findings/map_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "waymark/operation.h"

enum { DEPTH_MAX = 64 };

/* The place behind what begins at `at`, when that is no parenthesis: a string, a comment, a character, one byte. */
static const char *skip(const char *at)
{
    const char *end;

    if (*at == '"') {
        for (at++; *at != '\0' && *at != '"'; at++)
            at += *at == '\\' && at[1] != '\0';
        return at + (*at == '"');
    }
    if (*at == ';')
        return at + strcspn(at, "\n");
    if (*at == '#' && at[1] == '\\' && at[2] != '\0')
        return at + 3;
    if (*at == '#' && at[1] == '|')
        return (end = strstr(at, "|#")) != NULL ? end + 2 : at + strlen(at);
    return at + 1;
}

bool wm_map_form_at(const char *begin, struct wm_map_form *form)
{
    const char *at = begin;
    int depth = 0;

    if (*at != '(')
        return false;
    do {
        if (*at == '\0')
            return false;
        depth += (*at == '(') - (*at == ')');
        at = skip(at);
    } while (depth > 0);
    *form = (struct wm_map_form){begin, (size_t)(at - begin)};
    return true;
}

bool wm_map_form_of_node(const struct wm_trace *trace, uint16_t number, struct wm_map_form *form)
{
    const struct wm_trace_node *node = number < trace->node_count ? &trace->nodes[number] : NULL;
    const char *at = trace->map_text;

    if (node == NULL || node->wrapper == NULL || node->line == 0 || node->map_file != NULL)
        return false;
    for (int line = 1; at != NULL && line < node->line; line++)
        at = (at = strchr(at, '\n')) != NULL ? at + 1 : NULL;
    if (at == NULL)
        return false;
    if (node->column > 0 && (size_t)node->column <= strcspn(at, "\n"))
        at += node->column - 1;
    if (*at != '(' && at > trace->map_text && at[-1] == '(')
        at--;
    return wm_map_form_at(at, form);
}

static bool is_word_end(char c)
{
    return c == '\0' || isspace((unsigned char)c) || strchr("()\";", c) != NULL;
}

/* The head of a form is a word, or the word is just before `at`. */
static bool begins_with(const char *at, const char *word)
{
    size_t length = strlen(word);

    return strncmp(at, word, length) == 0 && is_word_end(at[length]);
}

bool wm_map_path_around(const struct wm_trace *trace, const struct wm_map_form *form, struct wm_map_form *path)
{
    const char *open[DEPTH_MAX];
    int depth = 0;

    for (const char *at = trace->map_text; at < form->begin; at = skip(at)) {
        if (*at == '\0' || (*at == '(' && depth == DEPTH_MAX))
            return false;
        if (*at == '(')
            open[depth++] = at;
        else if (*at == ')' && depth > 0)
            depth--;
    }
    while (depth-- > 0)
        if (begins_with(open[depth] + 1, "path"))
            return wm_map_form_at(open[depth], path);
    return false;
}

static bool is_stage(const char *head)
{
    char name[32];
    size_t length = 0;

    while (!is_word_end(head[length]) && length + 1 < sizeof name) {
        name[length] = head[length];
        length++;
    }
    name[length] = '\0';
    return wm_operation_find(name) >= 0 || strcmp(name, "neighbor") == 0;
}

/* The first form directly in the path whose head is `wrapper`, or a stage's (NULL). */
static bool find_in(const struct wm_map_form *path, const char *wrapper, struct wm_map_form *form)
{
    const char *end = path->begin + path->length;

    for (const char *at = path->begin + 1; at < end;) {
        if (*at != '(') {
            at = skip(at);
            continue;
        }
        if (!wm_map_form_at(at, form))
            return false;
        if (wrapper != NULL ? begins_with(at + 1, wrapper) : is_stage(at + 1))
            return true;
        at += form->length;
    }
    return false;
}

bool wm_map_wrapper_in(const struct wm_map_form *path, const char *wrapper, struct wm_map_form *form)
{
    return find_in(path, wrapper, form);
}

bool wm_map_stage_in(const struct wm_map_form *path, struct wm_map_form *form)
{
    return find_in(path, NULL, form);
}

static const char *find_word(const struct wm_map_form *form, const char *word)
{
    for (const char *at = form->begin; at < form->begin + form->length; at = skip(at))
        if (at > form->begin && is_word_end(at[-1]) && begins_with(at, word))
            return at;
    return NULL;
}

bool wm_map_form_says(const struct wm_map_form *form, const char *word)
{
    return find_word(form, word) != NULL;
}

bool wm_map_form_value(const struct wm_map_form *form, const char *word, char *out, size_t out_bytes)
{
    const char *at = find_word(form, word);
    size_t length = 0;

    if (at == NULL)
        return false;
    at += strlen(word);
    at += strspn(at, " \t\n");
    while (!is_word_end(at[length]))
        length++;
    if (length == 0 || length >= out_bytes)
        return false;
    memcpy(out, at, length);
    out[length] = '\0';
    return true;
}

bool wm_map_has_grid(const struct wm_trace *trace)
{
    struct wm_map_form all = {trace->map_text, trace->map_text != NULL ? strlen(trace->map_text) : 0};

    return all.length > 0 && wm_map_form_says(&all, "#:grid");
}

bool wm_edit_replace(struct wm_edit *edit, const struct wm_trace *trace, const struct wm_map_form *form,
                     const char *after)
{
    int line = 1;
    const char *start = trace->map_text;

    *edit = (struct wm_edit){0};
    if (form->length >= sizeof edit->before || strlen(after) >= sizeof edit->after)
        return false;
    for (const char *at = trace->map_text; at < form->begin; at++)
        if (*at == '\n') {
            line++;
            start = at + 1;
        }
    edit->line = line;
    edit->column = (int)(form->begin - start) + 1;
    memcpy(edit->before, form->begin, form->length);
    strcpy(edit->after, after);
    return true;
}
