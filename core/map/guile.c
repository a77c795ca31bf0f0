/* Guile's fence: starts Guile, loads (waymark), and passes plain C in and JSON text out. */
#include <gc/gc.h>
#include <libguile.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/map/guile.h"
#include "core/path/validity.h"
#include "core/path/shape.h"

static volatile sig_atomic_t entered_line, entered_column;
static SCM open_procedure, ask_procedure, parents_procedure;

void wm_guile_entered(int *line, int *column)
{
    *line = entered_line;
    *column = entered_column;
}

/* Near a limit of its own the collector would collect for minutes before it gave up. */
static void watch_heap(GC_word heap_bytes)
{
    if (heap_bytes > (GC_word)WM_GUILE_HEAP_MIB << 20)
        raise(SIGABRT);
}

struct body {
    int (*run)(void *context);
    void *context;
    int result;
};

static void *run_body(void *argument)
{
    struct body *body = argument;

    body->result = body->run(body->context);
    return NULL;
}

/* Marker threads would be threads too many behind the filter; machine code needs pages that are writable and
 * executable, which the filter refuses. With divisor 1 the heap grows faster and is collected less often. */
int wm_guile_run(int (*body)(void *context), void *context)
{
    struct body argument = {body, context, -WM_ESYSTEM};

    setenv("GC_MARKERS", "1", 1);
    setenv("GC_FREE_SPACE_DIVISOR", "1", 1);
    setenv("GUILE_JIT_THRESHOLD", "-1", 1);
    setenv("GUILE_AUTO_COMPILE", "0", 1);
    GC_set_on_heap_resize(watch_heap);
    scm_with_guile(run_body, &argument);
    return argument.result;
}

/* (nearest WORD WORDS) */
static SCM nearest_unsafe(SCM word, SCM words)
{
    size_t count = scm_to_size_t(scm_length(words));
    const char **names;
    const char *found;

    scm_dynwind_begin(0);
    names = scm_calloc((count + 1) * sizeof *names);
    scm_dynwind_free(names);
    for (size_t i = 0; i < count; i++, words = scm_cdr(words)) {
        char *name = scm_to_utf8_stringn(scm_car(words), NULL);
        scm_dynwind_free(name);
        names[i] = name;
    }
    char *text = scm_to_utf8_stringn(word, NULL);
    scm_dynwind_free(text);
    found = wm_error_nearest(text, names, count);
    SCM result = found != NULL ? scm_from_utf8_string(found) : SCM_BOOL_F;
    scm_dynwind_end();
    return result;
}

/* (enter LINE COLUMN) */
static SCM enter_unsafe(SCM line, SCM column)
{
    entered_line = scm_to_int(line);
    entered_column = scm_to_int(column);
    return SCM_UNSPECIFIED;
}

static void prepend_path_unsafe(const char *variable, const char *directory)
{
    SCM path = scm_c_lookup(variable);

    scm_variable_set_x(path, scm_cons(scm_from_utf8_string(directory), scm_variable_ref(path)));
}

static SCM fact_unsafe(const struct wm_fact *fact, const void *at)
{
    switch (fact->type) {
    case WM_FACT_OPERATION:
        return scm_from_utf8_symbol(wm_operation_name(*(const enum wm_operation *)at));
    case WM_FACT_SIZE:
        return scm_from_uint64(*(const uint64_t *)at);
    case WM_FACT_COUNT:
    case WM_FACT_RANK:
        return scm_from_int(*(const int *)at);
    case WM_FACT_TRUTH:
        return scm_from_bool(*(const bool *)at);
    case WM_FACT_TEXT:
        return scm_from_utf8_string(at);
    }
    return SCM_UNSPECIFIED;
}

/* ((WORD . VALUE) ...) */
static SCM facts_unsafe(const struct wm_facts *facts)
{
    SCM list = SCM_EOL;

    for (int i = WM_FACT_ROWS - 1; i >= 0; i--) {
        const struct wm_fact *fact = &wm_fact_rows[i];

        list = scm_acons(scm_from_utf8_symbol(fact->word), fact_unsafe(fact, (const char *)facts + fact->offset), list);
    }
    return list;
}

struct load {
    const struct wm_guile_places *places;
    const char *const *wrappers;
    size_t wrapper_count;
};

static SCM add_name_unsafe(const char *name, SCM list)
{
    return scm_cons(scm_from_utf8_symbol(name), list);
}

/* ((operations NAME ...) (local-sizes NAME ...) (wrappers NAME ...) (numbered-shapes NAME ...) (varying-facts NAME
 * ...)) */
static SCM names_unsafe(const struct load *load)
{
    SCM operations = SCM_EOL, local_sizes = SCM_EOL, wrappers = SCM_EOL, shapes = SCM_EOL, facts = SCM_EOL;

    for (int i = WM_OPERATION_COUNT - 1; i >= 0; i--) {
        const char *name = wm_operation_name((enum wm_operation)i);

        operations = add_name_unsafe(name, operations);
        if (!wm_operation_bytes_shared((enum wm_operation)i))
            local_sizes = add_name_unsafe(name, local_sizes);
    }
    for (size_t i = load->wrapper_count; i > 0; i--)
        wrappers = add_name_unsafe(load->wrappers[i - 1], wrappers);
    for (int i = WM_SHAPE_COUNT - 1; i >= 0; i--)
        if (wm_shape_least((enum wm_shape_kind)i) > 0)
            shapes = add_name_unsafe(wm_shape_name((enum wm_shape_kind)i), shapes);
    for (int i = WM_VARYING_FACT_ROWS - 1; i >= 0; i--)
        facts = add_name_unsafe(wm_varying_fact_rows[i].fact->word, facts);
    return scm_list_5(add_name_unsafe("operations", operations), add_name_unsafe("local-sizes", local_sizes),
                      add_name_unsafe("wrappers", wrappers), add_name_unsafe("numbered-shapes", shapes),
                      add_name_unsafe("varying-facts", facts));
}

static SCM load_unsafe(void *argument)
{
    const struct load *load = argument;
    const struct wm_facts sample = {.operation = WM_BCAST, .bytes = 8, .ranks = 1, .nodes = 1};

    /* Finalizers would run in a thread of their own; nothing here needs them. */
    scm_set_automatic_finalization_enabled(0);
    scm_variable_set_x(scm_c_lookup("%load-should-auto-compile"), SCM_BOOL_F);
    prepend_path_unsafe("%load-path", load->places->source_dir);
    prepend_path_unsafe("%load-compiled-path", load->places->compiled_dir);
    open_procedure = scm_permanent_object(scm_c_public_ref("waymark", "open-map"));
    ask_procedure = scm_permanent_object(scm_c_public_ref("waymark", "ask"));
    parents_procedure = scm_permanent_object(scm_c_public_ref("waymark", "parents"));
    scm_call_4(scm_c_public_ref("waymark", "start"), names_unsafe(load), facts_unsafe(&sample),
               scm_c_make_gsubr("nearest", 2, 0, 0, (scm_t_subr)nearest_unsafe),
               scm_c_make_gsubr("enter", 2, 0, 0, (scm_t_subr)enter_unsafe));
    return SCM_BOOL_T;
}

/* What escaped, in Guile's words: only when the module itself is missing or wrong. */
static SCM describe_failure(void *argument, SCM key, SCM arguments)
{
    struct wm_error *error = argument;
    SCM text = scm_simple_format(SCM_BOOL_F, scm_from_utf8_string("~A ~S"), scm_list_2(key, arguments));
    char *words = scm_to_utf8_stringn(text, NULL);

    wm_error_set(error, -WM_ESYSTEM, "the map server cannot load its Scheme module (waymark): %s", words);
    free(words);
    return SCM_BOOL_F;
}

int wm_guile_load(const struct wm_guile_places *places, const char *const *wrappers, size_t wrapper_count,
                  struct wm_error *error)
{
    struct load load = {places, wrappers, wrapper_count};
    SCM done = scm_internal_catch(SCM_BOOL_T, load_unsafe, &load, describe_failure, error);

    entered_line = entered_column = 0;
    return scm_is_true(done) ? 0 : -WM_ESYSTEM;
}

/* A call of Scheme whose result is text. */
struct call {
    SCM (*make)(void *context);
    void *context;
    char *reply;
};

static SCM call_unsafe(void *argument)
{
    struct call *call = argument;

    call->reply = scm_to_utf8_stringn(call->make(call->context), NULL);
    return SCM_BOOL_T;
}

static SCM ignore_failure(void *argument, SCM key, SCM arguments)
{
    (void)argument;
    (void)key;
    (void)arguments;
    return SCM_BOOL_F;
}

static char *safe_call(SCM (*make)(void *context), void *context)
{
    struct call call = {make, context, NULL};

    scm_internal_catch(SCM_BOOL_T, call_unsafe, &call, ignore_failure, NULL);
    return call.reply;
}

struct map_text {
    const char *file_name, *text;
    size_t bytes;
    int first_procedure;
};

static SCM open_unsafe(void *context)
{
    const struct map_text *map = context;

    return scm_call_3(open_procedure, scm_from_utf8_string(map->file_name),
                      scm_from_utf8_stringn(map->text, map->bytes), scm_from_int(map->first_procedure));
}

char *wm_guile_open(const char *file_name, const char *text, size_t text_bytes, int first_procedure)
{
    struct map_text map = {file_name, text, text_bytes, first_procedure};

    return safe_call(open_unsafe, &map);
}

struct question {
    const struct wm_facts *facts;
    bool explain;
};

static SCM ask_unsafe(void *context)
{
    const struct question *question = context;

    return scm_call_2(ask_procedure, facts_unsafe(question->facts), scm_from_bool(question->explain));
}

char *wm_guile_ask(const struct wm_facts *facts, bool explain)
{
    struct question question = {facts, explain};

    return safe_call(ask_unsafe, &question);
}

static SCM parents_unsafe(void *context)
{
    const int *numbers = context;

    return scm_call_2(parents_procedure, scm_from_int(numbers[0]), scm_from_int(numbers[1]));
}

char *wm_guile_parents(int procedure, int size)
{
    int numbers[] = {procedure, size};

    return safe_call(parents_unsafe, numbers);
}
