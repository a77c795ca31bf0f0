/* Explanations: why a call gets the path that it gets, in sentences. */
#include "core/map/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/hash.h"

enum { LINE_BYTES = 1024, FACTS_BYTES = 512, REMEMBERED = 1021 };

/* Where lines go, and what they are made of. */
struct talk {
    const json_t *answer, *explanation;
    const struct wm_facts *facts;
    const char *file;
    wm_explain_take *take;
    void *context;
};

__attribute__((format(printf, 3, 4))) static void say(const struct talk *talk, enum wm_explain_kind kind,
                                                      const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    wm_plain_text(line, false);
    talk->take(talk->context, kind, line);
}

static int line_of(const json_t *object)
{
    return (int)json_integer_value(json_object_get(object, "line"));
}

/* "bytes is 4096, commutative? is #t"; "" of none. */
static void facts_text(const json_t *facts, char *out, size_t out_bytes)
{
    const char *name;
    json_t *value;

    out[0] = '\0';
    json_object_foreach ((json_t *)facts, name, value) {
        wm_text_append(out, out_bytes, "%s%s is ", out[0] != '\0' ? ", " : "", name);
        if (json_is_integer(value))
            wm_text_append(out, out_bytes, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else if (json_is_string(value))
            wm_text_append(out, out_bytes, strcmp(name, "operation") == 0 ? "'%s" : "\"%s\"", json_string_value(value));
        else
            wm_text_append(out, out_bytes, json_is_true(value) ? "#t" : "#f");
    }
}

static void say_rule(const struct talk *talk, const json_t *rule)
{
    const char *text = json_string_value(json_object_get(rule, "text"));
    bool holds = json_is_true(json_object_get(rule, "holds"));
    enum wm_explain_kind kind = holds ? WM_EXPLAIN_CHOSEN : WM_EXPLAIN_PASSED;
    char facts[FACTS_BYTES];

    facts_text(json_object_get(rule, "facts"), facts, sizeof facts);
    if (text == NULL)
        say(talk, kind, "line %d: one path for every call", line_of(rule));
    else if (strcmp(text, "else") == 0)
        say(talk, kind, "line %d: else takes every call that comes to it", line_of(rule));
    else
        say(talk, kind, "line %d: %s %s: %s", line_of(rule), text, holds ? "holds" : "did not hold",
            facts[0] != '\0' ? facts : "it looks at no fact");
}

static void say_rules(const struct talk *talk)
{
    const json_t *rules = json_object_get(talk->explanation, "rules"), *rule;
    json_int_t untried = json_integer_value(json_object_get(talk->explanation, "untried"));
    char facts[FACTS_BYTES];
    size_t i;

    say(talk, WM_EXPLAIN_OPERATION, "the rules of %s at %s:%d, in order", wm_operation_name(talk->facts->operation),
        talk->file, line_of(talk->explanation));
    json_array_foreach ((json_t *)rules, i, rule)
        say_rule(talk, rule);
    facts_text(json_object_get(talk->explanation, "facts"), facts, sizeof facts);
    if (facts[0] != '\0')
        say(talk, WM_EXPLAIN_MORE, "its path looked at more: %s", facts);
    if (untried > 0)
        say(talk, WM_EXPLAIN_MORE, "%" JSON_INTEGER_FORMAT " rule%s behind it %s not looked at", untried,
            untried == 1 ? "" : "s", untried == 1 ? "was" : "were");
}

/* The line of the (native) that ends the path, 0 when none does. */
static int native_line(const json_t *answer)
{
    const json_t *path = json_object_get(answer, "path");
    const json_t *last = json_array_get(path, json_array_size(path) - 1);
    const char *name = json_string_value(json_object_get(last, "wrapper"));

    return name != NULL && strcmp(name, "native") == 0 ? line_of(last) : 0;
}

/* What is done where no path is walked. */
static void say_otherwise(const struct talk *talk)
{
    const char *operation = wm_operation_name(talk->facts->operation);
    enum wm_data_kind data = wm_operation_data(talk->facts->operation);
    bool rules = json_is_integer(json_object_get(talk->explanation, "line"));
    char what[FACTS_BYTES];

    if (data == WM_DATA_ITEMS)
        snprintf(what, sizeof what, "so the conveyor is what its constructor asks for");
    else if (talk->facts->operation == WM_STATEMENT)
        snprintf(what, sizeof what, "so it is the collective operation that it is, or goes by messages");
    else if (data == WM_DATA_MESSAGES)
        snprintf(what, sizeof what, "so they go as the limits of their group say");
    else
        snprintf(what, sizeof what, "so %s stays native: the MPI library's own %s carries it out",
                 rules ? "the call" : "it", wm_operation_function(talk->facts->operation));
    if (rules)
        say(talk, WM_EXPLAIN_RESULT, "no rule holds, %s; an (else (path …)) at the end would take it", what);
    else
        say(talk, WM_EXPLAIN_RESULT, "%s has no rules for %s, %s; (on %s (else (path …))) would be one", talk->file,
            operation, what, operation);
}

static void say_result(const struct talk *talk)
{
    struct wm_validity range;
    char validity[LINE_BYTES / 2];
    int native = native_line(talk->answer);

    wm_validity_read(&range, talk->answer);
    wm_validity_describe(&range, validity, sizeof validity);
    if (json_is_null(json_object_get(talk->answer, "path")))
        say_otherwise(talk);
    else if (native > 0)
        say(talk, WM_EXPLAIN_RESULT,
            "its path ends in (native) at line %d, so the call stays native: the MPI library's own %s carries it out",
            native, wm_operation_function(talk->facts->operation));
    say(talk, WM_EXPLAIN_RESULT, "the answer holds for %s", validity);
}

void wm_explain(const json_t *answer, const struct wm_facts *facts, const char *file, wm_explain_take *take,
                void *context)
{
    struct talk talk = {answer, json_object_get(answer, "explanation"), facts, file, take, context};

    if (json_is_integer(json_object_get(talk.explanation, "line")))
        say_rules(&talk);
    say_result(&talk);
}

/* The text under way. */
struct log {
    FILE *file;
    const char *prefix;
};

static void log_line(void *context, enum wm_explain_kind kind, const char *text)
{
    static const int indents[] = {[WM_EXPLAIN_PASSED] = 4,
                                  [WM_EXPLAIN_CHOSEN] = 4,
                                  [WM_EXPLAIN_MORE] = 6,
                                  [WM_EXPLAIN_RESULT] = 2,
                                  [WM_EXPLAIN_OPERATION] = 2};
    const struct log *log = context;

    fprintf(log->file, "%s%*s%s\n", log->prefix, indents[kind], "", text);
}

static void log_call(const struct log *log, const struct wm_facts *facts)
{
    char name[WM_FACT_TEXT_CHARS];

    snprintf(name, sizeof name, "%s",
             facts->communicator[0] != '\0' ? facts->communicator : "a communicator without a name");
    wm_plain_text(name, false);
    fprintf(log->file, "%s%s", log->prefix, wm_operation_name(facts->operation));
    if (wm_operation_bytes_shared(facts->operation) && facts->operation != WM_BARRIER)
        fprintf(log->file, " of %" PRIu64 " bytes", facts->bytes);
    if (facts->operation == WM_CONVEYOR)
        fprintf(log->file, ", %" PRIu64 " pushed in the run before", facts->load);
    if (facts->operation == WM_MESSAGES)
        fprintf(log->file, " of '%s' to %s", facts->protocol, facts->near ? "near peers" : "other nodes");
    if (facts->operation == WM_STATEMENT)
        fprintf(log->file, " and %d items at most of a rank, '%s', known as %s", facts->items, facts->statement,
                facts->knowledge[0] != '\0' ? facts->knowledge : "nobody says");
    if (facts->root >= 0)
        fprintf(log->file, ", root %d", facts->root);
    if (!facts->commutative)
        fprintf(log->file, ", operator not commutative");
    fprintf(log->file, ", on %s: %d rank%s on %d node%s\n", name, facts->ranks, facts->ranks == 1 ? "" : "s",
            facts->nodes, facts->nodes == 1 ? "" : "s");
}

/* "path: 12 trace, 13 reduce core, 14 allreduce node". */
static void log_path(const struct log *log, const json_t *answer)
{
    const json_t *path = json_object_get(answer, "path"), *wrapper;
    size_t i;

    if (!json_is_array(path))
        return;
    fprintf(log->file, "%s  path, outermost first, by lines:", log->prefix);
    json_array_foreach ((json_t *)path, i, wrapper) {
        const json_t *first = json_array_get(json_object_get(wrapper, "arguments"), 0);
        const char *axis = json_string_value(json_object_get(first, "axis"));

        fprintf(log->file, "%s %d %s%s%s", i > 0 ? "," : "", line_of(wrapper),
                json_string_value(json_object_get(wrapper, "wrapper")), axis != NULL ? " " : "",
                axis != NULL ? axis : "");
    }
    fputc('\n', log->file);
}

char *wm_explain_text(const json_t *answer, const struct wm_facts *facts, const char *file, const char *prefix)
{
    char *text = NULL;
    size_t bytes;
    struct log log = {open_memstream(&text, &bytes), prefix};

    if (log.file == NULL)
        return NULL;
    log_call(&log, facts);
    wm_explain(answer, facts, file, log_line, &log);
    log_path(&log, answer);
    if (fclose(log.file) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void wm_explain_doubt(const struct wm_path *path, const char *file, const char *text, size_t bytes)
{
    struct wm_error doubt;
    char message[WM_ERROR_FILE_CHARS + WM_ERROR_TEXT_CHARS + 2 * WM_ERROR_EXCERPT_CHARS];

    if (!wm_path_doubt(path, &doubt))
        return;
    wm_error_place(&doubt, file, doubt.line, doubt.column);
    wm_error_quote(&doubt, text, bytes);
    wm_error_format(&doubt, message, sizeof message);
    if (wm_explain_is_new(message))
        fprintf(stderr, "waymark: %s", message);
}

bool wm_explain_is_new(const char *text)
{
    static uint64_t said[REMEMBERED];
    uint64_t hash = wm_hash_add_text(WM_HASH_BEGIN, text), *place = &said[hash % REMEMBERED];

    if (*place == hash)
        return false;
    *place = hash;
    return true;
}
