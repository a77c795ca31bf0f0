/* Reading what the map server says: errors, heads, answers, trees. */
#include "core/map/reply.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/map/subranks.h"
#include "core/path/validity.h"

static bool is_control(unsigned code)
{
    return code < ' ' || (code >= 0x7f && code < 0xa0);
}

/* Of "u00ff" and what follows; false when it is none. */
static bool read_escape(const char *text, unsigned *code)
{
    char digits[5] = "";

    if (text[0] != 'u' || strspn(text + 1, "0123456789abcdefABCDEF") < 4)
        return false;
    memcpy(digits, text + 1, 4);
    *code = (unsigned)strtoul(digits, NULL, 16);
    return true;
}

void wm_map_reply_plain(char *json)
{
    char *from, *to = json;
    unsigned code;

    /* A backslash stands in strings alone; what an escape leaves is never longer. */
    for (from = json; *from != '\0'; from++) {
        if (*from == '\\' && from[1] != '\0' && strchr("bfnrt", from[1]) != NULL) {
            *to++ = ' ';
            from++;
        } else if (*from == '\\' && read_escape(from + 1, &code) && is_control(code)) {
            *to++ = ' ';
            from += 5;
        } else {
            *to++ = *from;
            if (*from == '\\' && from[1] != '\0')
                *to++ = *++from;
        }
    }
    *to = '\0';
    wm_plain_text(json, false);
}

static int unreadable(struct wm_error *error)
{
    return wm_error_set(error, -WM_ESERVER, "the map server's answer cannot be read");
}

static bool is_number(const json_t *value, json_int_t least, json_int_t most)
{
    return json_is_integer(value) && json_integer_value(value) >= least && json_integer_value(value) <= most;
}

/* A number that may be missing. */
static bool is_number_or_none(const json_t *value, json_int_t least, json_int_t most)
{
    return value == NULL || is_number(value, least, most);
}

/* Lines and columns of a map, 0 for unknown ones. */
static bool is_place(const json_t *object)
{
    return is_number_or_none(json_object_get(object, "line"), 0, INT_MAX) &&
           is_number_or_none(json_object_get(object, "column"), 0, INT_MAX);
}

int wm_map_reply_error(const json_t *reply, const char *file_name, const char *text, size_t text_bytes,
                       struct wm_error *error)
{
    const json_t *body = json_object_get(reply, "error"), *code = json_object_get(body, "code");
    const char *sentence = json_string_value(json_object_get(body, "text"));
    json_int_t number = code != NULL ? json_integer_value(code) : WM_EMAP;

    if (!json_is_object(reply))
        return unreadable(error);
    if (body == NULL)
        return 0;
    if (sentence == NULL || *sentence == '\0' || !is_place(body) || (number != WM_EMAP && number != WM_ESYSTEM))
        return unreadable(error);
    wm_error_set(error, -(int)number, "%s", sentence);
    if (number == WM_EMAP) {
        wm_error_place(error, file_name, (int)json_integer_value(json_object_get(body, "line")),
                       (int)json_integer_value(json_object_get(body, "column")));
        wm_error_quote(error, text, text_bytes);
    }
    return -(int)number;
}

/* Groups of ranks, or of hosts' names: lists of what `is_member` takes. */
static bool are_groups(const json_t *groups, bool (*is_member)(const json_t *value))
{
    const json_t *group, *member;
    size_t i, j;

    if (json_array_size(groups) == 0)
        return false;
    json_array_foreach ((json_t *)groups, i, group) {
        if (json_array_size(group) == 0)
            return false;
        json_array_foreach ((json_t *)group, j, member)
            if (!is_member(member))
                return false;
    }
    return true;
}

static bool is_rank(const json_t *value)
{
    return is_number(value, 0, INT_MAX);
}

static bool is_host(const json_t *value)
{
    return json_is_string(value);
}

static bool is_axis(const json_t *axis)
{
    const json_t *ranks = json_object_get(axis, "ranks"), *hosts = json_object_get(axis, "hosts");

    return json_is_string(json_object_get(axis, "axis")) && is_place(axis) &&
           is_number_or_none(json_object_get(axis, "count"), 0, INT_MAX) &&
           (ranks == NULL || are_groups(ranks, is_rank)) && (hosts == NULL || are_groups(hosts, is_host));
}

static bool is_grid(const json_t *grid)
{
    const json_t *axis;
    size_t i;

    if (!json_is_null(grid) && !json_is_array(grid))
        return false;
    json_array_foreach ((json_t *)grid, i, axis)
        if (!is_axis(axis))
            return false;
    return true;
}

static bool read_operations(const json_t *names, uint32_t *operations)
{
    const json_t *name;
    size_t i;

    *operations = 0;
    json_array_foreach ((json_t *)names, i, name) {
        int operation = json_is_string(name) ? wm_operation_find(json_string_value(name)) : -1;

        if (operation < 0)
            return false;
        *operations |= WM_OPERATION_BIT(operation);
    }
    return json_is_array(names);
}

static int dump(const json_t *reply, const char *key, char **text, struct wm_error *error)
{
    *text = json_dumps(json_object_get(reply, key), JSON_COMPACT | JSON_ENCODE_ANY);
    return *text != NULL ? 0 : wm_error_set(error, -WM_ENOMEM, "out of memory");
}

int wm_map_reply_head(const json_t *reply, struct wm_map_head *head, char **grid, char **subranks,
                      struct wm_error *error)
{
    int rc;

    *grid = *subranks = NULL;
    if (!read_operations(json_object_get(reply, "operations"), &head->operations) ||
        !read_operations(json_object_get(reply, "native"), &head->native) || !is_grid(json_object_get(reply, "grid")) ||
        !wm_subranks_are_clauses(json_object_get(reply, "subranks")))
        return unreadable(error);
    if ((rc = dump(reply, "grid", grid, error)) == 0 && (rc = dump(reply, "subranks", subranks, error)) < 0) {
        free(*grid);
        *grid = NULL;
    }
    return rc;
}

static bool is_validity(const json_t *reply, const struct wm_facts *facts)
{
    const json_t *rule = json_object_get(reply, "rule");
    struct wm_validity validity;

    return wm_validity_read(&validity, reply) && wm_validity_holds(&validity, facts) &&
           (json_is_null(rule) || (json_is_object(rule) && is_place(rule)));
}

/* {"0": [LINE, COLUMN], …}: of arguments; of keywords two places each. */
static bool are_places(const json_t *places)
{
    const json_t *place, *number;
    const char *name;
    size_t i;

    json_object_foreach ((json_t *)places, name, place)
        json_array_foreach ((json_t *)place, i, number)
            if (!is_number(number, 0, INT_MAX))
                return false;
    return places == NULL || json_is_object(places);
}

/* Nodes are numbered in the order in which the map writes them: there are fewer than characters. */
static bool is_wrapper(const json_t *wrapper, size_t map_bytes)
{
    return json_is_string(json_object_get(wrapper, "wrapper")) && is_place(wrapper) &&
           is_number(json_object_get(wrapper, "node"), 0, (json_int_t)map_bytes) &&
           json_is_array(json_object_get(wrapper, "arguments")) &&
           json_is_object(json_object_get(wrapper, "keywords")) && are_places(json_object_get(wrapper, "places"));
}

int wm_map_reply_answer(const json_t *reply, size_t map_bytes, const struct wm_facts *facts, struct wm_error *error)
{
    const json_t *path = json_object_get(reply, "path"), *wrapper;
    size_t i;

    if (!is_validity(reply, facts) || (!json_is_null(path) && json_array_size(path) == 0))
        return unreadable(error);
    json_array_foreach ((json_t *)path, i, wrapper)
        if (!is_wrapper(wrapper, map_bytes))
            return unreadable(error);
    return 0;
}

int wm_map_reply_parents(const json_t *reply, int size, int *parents, struct wm_error *error)
{
    const json_t *list = json_object_get(reply, "parents");

    if (json_array_size(list) != (size_t)size)
        return unreadable(error);
    for (int i = 0; i < size; i++) {
        const json_t *parent = json_array_get(list, (size_t)i);

        if (!is_number(parent, INT_MIN, INT_MAX))
            return unreadable(error);
        parents[i] = (int)json_integer_value(parent);
    }
    return 0;
}
