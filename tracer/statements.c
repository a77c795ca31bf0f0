/* Definitions of statements: read from their JSON. */
#include "tracer/statements.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"

/* The number called `name` if it is from 1 on, else 0. */
static int number_of(const json_t *object, const char *name)
{
    json_int_t number = json_integer_value(json_object_get(object, name));

    return number > 0 && number <= INT_MAX ? (int)number : 0;
}

static char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return strdup(text != NULL ? text : "");
}

int wm_trace_statement_read(struct wm_trace_statement *statement, const json_t *definition)
{
    *statement = (struct wm_trace_statement){.number = number_of(definition, "statement")};
    if (statement->number == 0 || !json_is_string(json_object_get(definition, "text")))
        return 1;
    statement->line = number_of(definition, "line");
    statement->name = text_of(definition, "name");
    statement->text = text_of(definition, "text");
    statement->file = text_of(definition, "file");
    statement->carried = text_of(definition, "carried");
    if (statement->name != NULL && statement->text != NULL && statement->file != NULL && statement->carried != NULL)
        return 0;
    wm_trace_statement_release(statement);
    return -WM_ENOMEM;
}

void wm_trace_statement_release(struct wm_trace_statement *statement)
{
    free(statement->name);
    free(statement->text);
    free(statement->file);
    free(statement->carried);
}
