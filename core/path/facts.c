/* The table of facts, and facts as JSON. */
#include "core/path/facts.h"

#include <stdio.h>

const struct wm_fact wm_fact_rows[WM_FACT_ROWS] = {
#define X(field, type, word, option, letter, argument, help)                                                           \
    {word, WM_FACT_##type, offsetof(struct wm_facts, field), option, letter, argument, help},
    WM_FACTS(X)
#undef X
};

static json_t *write_one(const struct wm_fact *fact, const void *at)
{
    json_t *text;

    switch (fact->type) {
    case WM_FACT_OPERATION:
        return json_string(wm_operation_name(*(const enum wm_operation *)at));
    case WM_FACT_SIZE:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case WM_FACT_COUNT:
    case WM_FACT_RANK:
        return json_integer(*(const int *)at);
    case WM_FACT_TRUTH:
        return json_boolean(*(const bool *)at);
    case WM_FACT_TEXT:
        text = json_string(at);
        return text != NULL ? text : json_string("");
    }
    return NULL;
}

json_t *wm_facts_write(const struct wm_facts *facts)
{
    json_t *object = json_object();

    for (int i = 0; object != NULL && i < WM_FACT_ROWS; i++) {
        const struct wm_fact *fact = &wm_fact_rows[i];

        if (json_object_set_new(object, fact->word, write_one(fact, (const char *)facts + fact->offset)) < 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static bool read_one(const struct wm_fact *fact, void *at, const json_t *value)
{
    int operation;

    switch (fact->type) {
    case WM_FACT_OPERATION:
        operation = json_is_string(value) ? wm_operation_find(json_string_value(value)) : -1;
        *(enum wm_operation *)at = (enum wm_operation)operation;
        return operation >= 0;
    case WM_FACT_SIZE:
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case WM_FACT_COUNT:
    case WM_FACT_RANK:
        *(int *)at = (int)json_integer_value(value);
        return json_is_integer(value) && json_integer_value(value) == *(int *)at;
    case WM_FACT_TRUTH:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value);
    case WM_FACT_TEXT:
        snprintf(at, WM_FACT_TEXT_CHARS, "%s", json_is_string(value) ? json_string_value(value) : "");
        return json_is_string(value);
    }
    return false;
}

bool wm_facts_read(struct wm_facts *facts, const json_t *object)
{
    bool whole = true;

    for (int i = 0; i < WM_FACT_ROWS; i++) {
        const struct wm_fact *fact = &wm_fact_rows[i];

        whole &= read_one(fact, (char *)facts + fact->offset, json_object_get(object, fact->word));
    }
    return whole;
}
