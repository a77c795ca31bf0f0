/* Conversions of the sample trace: what all formats must agree on, and what chrome, csv and paje say. */
#include <jansson.h>
#include "tests/tools/convert/conversions.h"

enum { THREADS_MAX = 64, DEPTH_MAX = 8, FIELDS = 21, FLOWS_MAX = 32 };

static void formats__agree_with_the_reader_and_each_other(void)
{
    uint64_t expected[WM_TRACE_KIND_COUNT] = {0};
    struct wm_trace *trace;
    struct wm_error error = {0};

    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, conversions_directory, &error), 0);
    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_record *record;

        for (uint64_t number = 0; (record = wm_trace_next(&trace->ranks[i], &number)) != NULL;)
            expected[record->kind] += record->kind != WM_TRACE_ENTER || record->flags < WM_OPERATION_COUNT;
    }
    wm_trace_close(trace);
    for (int i = 0; wm_converter_classes[i] != NULL; i++) {
        struct wm_conversion conversion = conversion_to(wm_converter_classes[i]->name);
        struct converted result = {0};

        if (conversion.class->directory) /* tests/tools/convert/convert.sh has it counted by otf2-print */
            continue;
        result = convert(&conversion);

        CU_ASSERT_EQUAL(memcmp(result.counts.records, expected, sizeof expected), 0);
        CU_ASSERT_EQUAL(result.counts.begins, result.counts.ends);
        CU_ASSERT_EQUAL(result.counts.damaged, SAMPLE_DAMAGED);
        CU_ASSERT_EQUAL(result.counts.headless, SAMPLE_HEADLESS);
        CU_ASSERT_EQUAL(result.counts.cut, SAMPLE_CUT);
        CU_ASSERT_EQUAL(result.counts.tangled, 0);
        CU_ASSERT_EQUAL(result.counts.clamped, 0);
        free(result.data);
    }
}

/* A thread of the JSON: its states under way. */
struct thread {
    json_int_t tid;
    int depth;
    double last;
};

static struct thread *thread_of(struct thread *threads, json_int_t tid)
{
    int at = 0;

    while (threads[at].tid != 0 && threads[at].tid != tid)
        at++;
    CU_ASSERT_FATAL(at < THREADS_MAX - 1);
    threads[at].tid = tid;
    return &threads[at];
}

struct tally {
    uint64_t begins, ends, sends, receives, instants, cut, names;
    const char *sent[FLOWS_MAX], *received[FLOWS_MAX];
};

static void check_event(json_t *event, struct thread *threads, struct tally *tally)
{
    const char *phase = json_string_value(json_object_get(event, "ph"));
    struct thread *thread = thread_of(threads, json_integer_value(json_object_get(event, "tid")) + 1);
    const char *id = json_string_value(json_object_get(event, "id"));

    if (phase[0] == 'M') {
        tally->names += strcmp(json_string_value(json_object_get(event, "name")), "thread_name") == 0;
        return;
    }
    CU_ASSERT(json_number_value(json_object_get(event, "ts")) >= thread->last);
    thread->last = json_number_value(json_object_get(event, "ts"));
    thread->depth += phase[0] == 'B' ? 1 : phase[0] == 'E' ? -1 : 0;
    CU_ASSERT(thread->depth >= 0 && thread->depth < DEPTH_MAX);
    tally->begins += phase[0] == 'B';
    tally->ends += phase[0] == 'E';
    tally->instants += phase[0] == 'i';
    tally->cut += json_is_true(json_object_get(json_object_get(event, "args"), "cut"));
    if (phase[0] == 's' && tally->sends < FLOWS_MAX)
        tally->sent[tally->sends++] = id;
    if (phase[0] == 'f' && tally->receives < FLOWS_MAX)
        tally->received[tally->receives++] = id;
    if (phase[0] == 's' || phase[0] == 'f')
        CU_ASSERT(thread->depth > 0); /* else no viewer can tie it to a call */
}

static void check_flows(const struct tally *tally, uint64_t lone)
{
    CU_ASSERT_EQUAL(tally->sends, tally->receives + lone);
    for (uint64_t i = 0; i < tally->receives; i++) {
        uint64_t at = 0;

        while (at < tally->sends && strcmp(tally->sent[at], tally->received[i]) != 0)
            at++;
        CU_ASSERT(at < tally->sends);
    }
}

static struct tally check_chrome(const struct converted *result, uint64_t lone)
{
    struct thread threads[THREADS_MAX] = {{0}};
    struct tally tally = {0};
    json_error_t error;
    json_t *root = json_loadb(result->data, result->bytes, JSON_REJECT_DUPLICATES, &error), *event;
    size_t index;

    CU_ASSERT_PTR_NOT_NULL_FATAL(root);
    json_array_foreach (json_object_get(root, "traceEvents"), index, event)
        check_event(event, threads, &tally);
    for (int i = 0; i < THREADS_MAX; i++)
        CU_ASSERT_EQUAL(threads[i].depth, 0);
    check_flows(&tally, lone);
    CU_ASSERT_EQUAL(tally.begins, result->counts.begins);
    CU_ASSERT_EQUAL(tally.ends, result->counts.ends);
    json_decref(root);
    return tally;
}

static void chrome__nests_and_names_and_has_both_ends_of_flows(void)
{
    struct wm_conversion conversion = conversion_to("chrome");
    struct converted result = convert(&conversion);
    struct tally tally = check_chrome(&result, SAMPLE_LONE_SENDS);

    CU_ASSERT_EQUAL(tally.sends, result.counts.records[WM_TRACE_SEND_POST]);
    CU_ASSERT_EQUAL(tally.receives, result.counts.records[WM_TRACE_RECV_DONE]);
    CU_ASSERT_EQUAL(tally.cut, SAMPLE_CUT);
    CU_ASSERT(tally.names > SAMPLE_RANKS);                   /* what overlaps has threads of its own */
    CU_ASSERT_EQUAL(tally.instants, SAMPLE_RANKS * (1 + 7)); /* a mark; open, close, take, pull, give, sample, count */
    CU_ASSERT(!conversions_have_marks() || strstr(result.data, "Pajé: \\\"x\\\", y\\nz") != NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(result.data, "(trace 'all) ; \\\"quoted\\\", with a comma"));
    free(result.data);
}

static void window__closes_what_it_cuts_on_both_sides(void)
{
    struct wm_conversion conversion = conversion_to("chrome");
    struct wm_trace *trace;
    struct wm_error error = {0};
    struct converted whole = convert(&conversion), result;
    struct tally tally;

    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, conversions_directory, &error), 0);
    conversion.begin_ns = trace->ranks[0].end_ns - 10000 + 4050; /* within the first of two calls at a time */
    conversion.end_ns = trace->ranks[0].end_ns - 10000 + 5600;   /* within the shared steps */
    wm_trace_close(trace);
    result = convert(&conversion);
    tally = check_chrome(&result, 0);
    CU_ASSERT_EQUAL(tally.cut, 2 * SAMPLE_RANKS); /* a begin; the end of the last call */
    CU_ASSERT_EQUAL(result.counts.records[WM_TRACE_ENTER], 2 * SAMPLE_RANKS);
    CU_ASSERT_EQUAL(result.counts.records[WM_TRACE_WAIT], 2 * SAMPLE_RANKS);
    CU_ASSERT_EQUAL(result.counts.headless, 0);
    CU_ASSERT(result.bytes < whole.bytes);
    free(result.data);
    free(whole.data);
}

static void ranks__are_chosen(void)
{
    struct wm_conversion conversion = conversion_to("csv");
    struct wm_error error = {0};
    struct converted result;

    conversion.ranks = "1-1,7";
    result = convert(&conversion);
    CU_ASSERT_EQUAL(result.counts.records[WM_TRACE_MARK], 1);
    CU_ASSERT_PTR_NULL(strstr(result.data, "\n0,"));
    CU_ASSERT_PTR_NOT_NULL(strstr(result.data, "\n1,"));
    free(result.data);
    conversion.output = "unused";
    conversion.ranks = "1,x";
    CU_ASSERT_EQUAL(convert_quietly(&conversion, NULL, &error), -WM_EINVAL);
    conversion.ranks = "17";
    CU_ASSERT_EQUAL(convert_quietly(&conversion, NULL, &error), -WM_EINVAL);
    CU_ASSERT_NOT_EQUAL(access("unused", F_OK), 0);
}

/* One field of RFC 4180; moves *at behind it and its comma, and says whether the row ends there. */
static bool next_field(const char **at, char *field, size_t room)
{
    size_t length = 0;
    bool quoted = **at == '"', ends;

    for (*at += quoted; **at != '\0' && (quoted || (**at != ',' && **at != '\n')); ++*at) {
        if (quoted && **at == '"' && *++*at != '"')
            break;
        CU_ASSERT(quoted || **at != '"');
        if (length + 1 < room)
            field[length++] = **at;
    }
    field[length] = '\0';
    CU_ASSERT(**at == ',' || **at == '\n');
    ends = **at == '\n';
    ++*at;
    return ends;
}

static void csv__has_a_row_for_every_record_and_as_many_fields(void)
{
    struct wm_conversion conversion = conversion_to("csv");
    struct converted result = convert(&conversion);
    uint64_t rows = 0, records = 0, awkward = 0;
    char field[512];

    for (const char *at = result.data; *at != '\0'; rows++) {
        int count = 0;
        bool ends = false;

        for (; !ends; count++) {
            ends = next_field(&at, field, sizeof field);
            awkward += strcmp(field, "be\"ta, 2") == 0 || strcmp(field, "Pajé: \"x\", y\nz") == 0 ||
                       strcmp(field, "inner\nmost") == 0;
        }
        CU_ASSERT_EQUAL(count, FIELDS);
    }
    for (int i = 0; i < WM_TRACE_KIND_COUNT; i++)
        records += result.counts.records[i];
    CU_ASSERT_EQUAL(rows, records + 1);
    CU_ASSERT(awkward > 2 * SAMPLE_RANKS);
    free(result.data);
}

/* A reader of Pajé's lines: words, of which some are quoted. */
static int split(char *line, char *words[], int most)
{
    int count = 0;

    while (*line != '\0' && count < most) {
        char *end = *line == '"' ? strchr(line + 1, '"') : line + strcspn(line, " ");

        CU_ASSERT_PTR_NOT_NULL_FATAL(end);
        words[count++] = line;
        line = end + (*end == '"');
        if (*line == ' ')
            *line++ = '\0';
    }
    return count;
}

struct paje {
    struct {
        char *alias;
        int depth;
        bool alive;
    } containers[THREADS_MAX];
    int container_count;
    char *values[THREADS_MAX];
    int value_count;
    char *keys[FLOWS_MAX];
    int starts, ends;
    double last;
};

static int container_of(const struct paje *paje, const char *alias)
{
    for (int i = 0; i < paje->container_count; i++)
        if (strcmp(paje->containers[i].alias, alias) == 0)
            return i;
    return -1;
}

static bool is_value(const struct paje *paje, const char *alias)
{
    for (int i = 0; i < paje->value_count; i++)
        if (strcmp(paje->values[i], alias) == 0)
            return true;
    return false;
}

static void check_link(struct paje *paje, char *words[], bool starts)
{
    CU_ASSERT(container_of(paje, words[3]) >= 0 && container_of(paje, words[4]) >= 0);
    if (starts) {
        CU_ASSERT_FATAL(paje->starts < FLOWS_MAX);
        paje->keys[paje->starts++] = words[6];
        return;
    }
    paje->ends++;
    for (int i = 0; i < paje->starts; i++)
        if (strcmp(paje->keys[i], words[6]) == 0)
            return;
    CU_FAIL("a link ends that did not start");
}

static void check_paje_event(struct paje *paje, char *words[], int count)
{
    static const int counts[] = {0, 0, 0, 0, 5, 6, 4, 5, 4, 5, 7, 7};
    int event = atoi(words[0]), at;

    if (event < 4) /* types */
        return;
    CU_ASSERT_EQUAL_FATAL(count, counts[event]);
    if (event == 4) {
        paje->values[paje->value_count++] = words[1];
        return;
    }
    CU_ASSERT(atof(words[1]) >= paje->last);
    paje->last = atof(words[1]);
    at = container_of(paje, event == 5 ? words[4] : words[3]);
    switch (event) {
    case 5:
        CU_ASSERT(at >= 0 || strcmp(words[4], "0") == 0);
        paje->containers[paje->container_count].alive = true;
        paje->containers[paje->container_count++].alias = words[2];
        break;
    case 6:
        CU_ASSERT_FATAL(at >= 0);
        CU_ASSERT(paje->containers[at].alive && paje->containers[at].depth == 0);
        paje->containers[at].alive = false;
        break;
    case 7:
    case 8:
        CU_ASSERT_FATAL(at >= 0 && paje->containers[at].alive);
        CU_ASSERT(event == 8 || is_value(paje, words[4]));
        paje->containers[at].depth += event == 7 ? 1 : -1;
        CU_ASSERT(paje->containers[at].depth >= 0);
        break;
    case 9:
        CU_ASSERT(at >= 0 && is_value(paje, words[4]));
        break;
    default:
        check_link(paje, words, event == 10);
    }
}

static void paje__is_valid(void)
{
    struct wm_conversion conversion = conversion_to("paje");
    struct converted result = convert(&conversion);
    struct paje paje = {0};
    char *words[8];

    for (char *line = strtok(result.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (line[0] != '%')
            check_paje_event(&paje, words, split(line, words, 8));
    for (int i = 0; i < paje.container_count; i++)
        CU_ASSERT_FALSE(paje.containers[i].alive);
    CU_ASSERT_EQUAL((uint64_t)paje.starts, result.counts.records[WM_TRACE_SEND_POST]);
    CU_ASSERT_EQUAL(paje.ends, paje.starts); /* the lone send ends with the trace */
    free(result.data);
}

static void limit__leaves_nothing_behind(void)
{
    const char *rest = "test -z \"$(find %s -name 'output*')\"";
    char name[128];

    snprintf(name, sizeof name, "%s/output", conversions_directory);
    for (int i = 0; wm_converter_classes[i] != NULL; i++) {
        struct wm_conversion conversion = conversion_to(wm_converter_classes[i]->name);
        struct wm_error error = {0};

        conversion.output = name;
        conversion.max_bytes = 1000;
        CU_ASSERT_EQUAL(convert_quietly(&conversion, NULL, &error), -WM_ETRACE);
        if (wm_converter_classes[i]->absent == NULL)
            CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "larger than 1000 B"));
        conversions_command(rest);
    }
}

static void interruption__leaves_nothing_behind(void)
{
    volatile sig_atomic_t stop = SIGINT;
    char name[128];

    snprintf(name, sizeof name, "%s/output", conversions_directory);
    for (int i = 0; wm_converter_classes[i] != NULL; i++) {
        struct wm_conversion conversion = conversion_to(wm_converter_classes[i]->name);
        struct wm_error error = {0};

        conversion.output = name;
        conversion.stop = &stop;
        CU_ASSERT(convert_quietly(&conversion, NULL, &error) < 0);
        if (wm_converter_classes[i]->absent == NULL)
            CU_ASSERT_STRING_EQUAL(error.text, "interrupted: nothing was written");
        conversions_command("test -z \"$(find %s -name 'output*')\"");
    }
}

static void formats__have_every_slot(void)
{
    for (int i = 0; wm_converter_classes[i] != NULL; i++) {
        const struct wm_converter_class *class = wm_converter_classes[i];

        CU_ASSERT(class->name != NULL && class->suffix != NULL);
        CU_ASSERT(class->begin != NULL && class->begin_rank != NULL && class->take != NULL);
        CU_ASSERT(class->end_rank != NULL && class->end != NULL && class->release != NULL);
        CU_ASSERT_PTR_EQUAL(wm_converter_find(class->name), class);
    }
    CU_ASSERT_PTR_NULL(wm_converter_find("xml"));
}

static const struct check_case cases[] = {
    CASE(formats__have_every_slot),
    CASE(formats__agree_with_the_reader_and_each_other),
    CASE(chrome__nests_and_names_and_has_both_ends_of_flows),
    CASE(window__closes_what_it_cuts_on_both_sides),
    CASE(ranks__are_chosen),
    CASE(csv__has_a_row_for_every_record_and_as_many_fields),
    CASE(paje__is_valid),
    CASE(limit__leaves_nothing_behind),
    CASE(interruption__leaves_nothing_behind),
};

int main(void)
{
    int status;

    conversions_begin();
    status = check_main("convert", cases, sizeof cases / sizeof cases[0]);
    conversions_end();
    return status;
}
