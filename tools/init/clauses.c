/* A map's text, cut into clauses: line by line, and by the parentheses of each. */
#include "tools/init/clauses.h"

#include <stdbool.h>
#include <string.h>
#include "core/error.h"
#include "tools/findings/map_text.h"
#include "waymark/operation.h"

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static bool is_comment(const char *line)
{
    return line[strspn(line, " ")] == ';';
}

/* The operations in "(on allreduce" and "(on (scan exscan)". */
static uint32_t operations_of(const char *begin)
{
    const char *at = begin + strlen("(on "), *end = at + (*at == '(' ? strcspn(at, ")") : strcspn(at, " \n"));
    uint32_t operations = 0;

    for (at += *at == '('; at < end; at += strspn(at, " \n")) {
        char name[32] = "";
        size_t length = strcspn(at, " \n)");
        int operation;

        strncat(name, at, length < sizeof name ? length : sizeof name - 1);
        operation = wm_operation_find(name);
        operations |= operation >= 0 ? WM_OPERATION_BIT(operation) : 0;
        at += length;
    }
    return operations;
}

int wm_map_clauses_read(struct wm_map_clauses *c, const char *text)
{
    const char *comment = NULL;
    int line = 1;

    *c = (struct wm_map_clauses){0};
    for (const char *at = text; *at != '\0'; at = next_line(at), line++) {
        const char *first = at + strspn(at, " ");
        struct wm_map_form form;

        if (c->definitions == NULL && !is_comment(at))
            c->definitions = at;
        if (strncmp(at, "(path-map", strlen("(path-map")) == 0)
            c->map = at;
        if (c->map == NULL || first == at || strncmp(first, "(on ", strlen("(on ")) != 0) {
            comment = !is_comment(at) ? NULL : comment != NULL ? comment : at;
            continue;
        }
        if (c->count == WM_CLAUSES_MAX || !wm_map_form_at(first, &form))
            return -WM_EMAP;
        c->clauses[c->count++] = (struct wm_map_clause){.begin = first,
                                                        .comment = comment != NULL ? comment : at,
                                                        .end = form.begin + form.length,
                                                        .line = line,
                                                        .operations = operations_of(first)};
        comment = NULL;
    }
    return c->count > 0 ? 0 : -WM_EMAP;
}
