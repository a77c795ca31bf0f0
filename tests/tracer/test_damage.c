/* Damage: traces cut, torn, mixed and changed in every way are read as far as they are whole, and the report says so.
 */
#include <pthread.h>
#include <sys/resource.h>
#include "tests/check.h"
#include "tests/tracer/fuzz_check.h"
#include "tests/tracer/fuzz_input.h"
#include "tests/tracer/fuzz_mutate.h"
#include "tests/tracer/generated.h"
#include "tests/tracer/traces.h"
#include "tools/report/json.h"
#include "tools/report/report.h"

enum { RECORD_BYTES = sizeof(struct wm_trace_record), MUTATIONS = 800 };

static struct generated_options small(void)
{
    struct generated_options options = generated_defaults();

    options.ranks = 3;
    options.calls = 6;
    options.operation = GENERATED_MIXED;
    options.superblocks = true;
    return options;
}

static void make(char directory[64], const struct generated_options *options)
{
    traces_make_directory(directory);
    CU_ASSERT_FATAL(generated_make(directory, options) > 0);
}

/* What holds of every trace holds of this one; `where` is named when not. */
static void expect_sound(const char *directory, const char *where, long number)
{
    const char *fault = fuzz_check_directory(directory);

    CU_ASSERT_PTR_NULL(fault);
    if (fault != NULL)
        fprintf(stderr, "%s %ld: %s\n", where, number, fault);
}

/* The report, its lines joined: a sentence may be broken anywhere. */
static char *report_of(struct wm_trace *trace)
{
    struct wm_analysis *analysis;
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    struct wm_terminal terminal = {file, 100000, false};
    json_t *report;

    CU_ASSERT_EQUAL_FATAL(wm_analysis_make(&analysis, trace, NULL), 0);
    CU_ASSERT_EQUAL(analysis->residual_ns, 0);
    report = wm_report_json(trace, analysis);
    wm_report_print(&terminal, report);
    json_decref(report);
    fclose(file);
    wm_analysis_free(analysis);
    return text;
}

static void expect_in(const char *text, const char *sentence)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(text, sentence));
    if (strstr(text, sentence) == NULL)
        fprintf(stderr, "missing: %s\nin:\n%s\n", sentence, text);
}

/* The report on `directory` says `sentence`; where that has a %s, with the directory there. */
static void expect_sentence(const char *directory, const char *sentence)
{
    const char *place = strstr(sentence, "%s");
    struct wm_error error = {0};
    struct wm_trace *trace;
    char wanted[512], *text;

    if (place == NULL)
        snprintf(wanted, sizeof wanted, "%s", sentence);
    else
        snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(place - sentence), sentence, directory, place + 2);
    expect_sound(directory, sentence, 0);
    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, directory, &error), 0);
    text = report_of(trace);
    expect_in(text, wanted);
    free(text);
    wm_trace_close(trace);
}

static void expect_refusal(const char *directory, const char *sentence)
{
    struct wm_error error = {0};
    struct wm_trace *trace;

    CU_ASSERT_EQUAL(wm_trace_open(&trace, directory, &error), -WM_ETRACE);
    CU_ASSERT_PTR_NULL(trace);
    expect_in(error.text, sentence);
}

/* The generator's traces are the measure of all others: nothing in them is missing, early or unknown. */
static void undamaged__traces_are_whole(void)
{
    for (int kind = 0; kind < GENERATED_SHAPES * 4; kind++) {
        struct generated_options options = small();
        struct wm_analysis *analysis;
        struct wm_error error = {0};
        struct wm_trace *trace;
        char directory[64];

        options.ranks = 7;
        options.calls = 20;
        options.shape = (enum generated_shape)(kind % GENERATED_SHAPES);
        options.hosts = 1 + kind / GENERATED_SHAPES;
        options.communicators = options.hosts;
        options.nonblocking = options.marks = options.hosts == 2;
        make(directory, &options);
        expect_sound(directory, "undamaged", kind);
        CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, directory, &error), 0);
        CU_ASSERT_EQUAL_FATAL(wm_analysis_make(&analysis, trace, NULL), 0);
        CU_ASSERT_EQUAL(trace->warning_count, 0);
        CU_ASSERT_EQUAL(trace->rank_count, 7);
        CU_ASSERT_EQUAL(analysis->unknown + analysis->unmatched + analysis->incomplete + analysis->violations, 0);
        CU_ASSERT_EQUAL(analysis->death_count, 0);
        wm_analysis_free(analysis);
        wm_trace_close(trace);
        traces_remove_directory(directory);
    }
}

static void name_file(char *name, size_t bytes, const char *directory, int rank, const char *ending)
{
    snprintf(name, bytes, "%s/rank-%05d.%s", directory, rank, ending);
}

static void remove_file(const char *directory, int rank, const char *ending)
{
    char name[128];

    name_file(name, sizeof name, directory, rank, ending);
    CU_ASSERT_EQUAL(unlink(name), 0);
}

static void remove_rank(const char *directory, int rank)
{
    remove_file(directory, rank, "trace");
    remove_file(directory, rank, "json");
}

static off_t length_of(const char *directory, const char *file)
{
    struct stat status;
    char name[128];

    snprintf(name, sizeof name, "%s/%s", directory, file);
    CU_ASSERT_EQUAL(stat(name, &status), 0);
    return status.st_size;
}

static void ranks__each_subset_is_read_and_the_others_named(void)
{
    static const char *const sentences[8] = {NULL,
                                             "ranks read: 1 of 3, not ranks 1-2; waits for those are not seen",
                                             "ranks read: 1 of 3, not ranks 0, 2; waits for those are not seen",
                                             "ranks read: 2 of 3, not rank 2; waits for those are not seen",
                                             "ranks read: 1 of 3, not ranks 0-1; waits for those are not seen",
                                             "ranks read: 2 of 3, not rank 1; waits for those are not seen",
                                             "ranks read: 2 of 3, not rank 0; waits for those are not seen",
                                             "events lost: none"};
    struct generated_options options = small();
    char directory[64];

    for (int subset = 1; subset < 8; subset++) {
        make(directory, &options);
        for (int rank = 0; rank < 3; rank++)
            if (!(subset & 1 << rank))
                remove_rank(directory, rank);
        expect_sentence(directory, sentences[subset]);
        traces_remove_directory(directory);
    }
}

static void records__are_read_up_to_any_cut(void)
{
    static const char file[] = "rank-00001.trace";
    struct generated_options options = small();
    char directory[64], sentence[128];
    off_t length;
    long records;

    make(directory, &options);
    length = length_of(directory, file);
    records = (length - WM_TRACE_HEADER_BYTES) / RECORD_BYTES;
    expect_sentence(directory, "events lost: none");
    /* From the end towards the beginning: first by 7 bytes, then by 500. */
    for (off_t at = length - 1; at >= 0; at -= at > length - 200 || at < 200 ? 7 : 500) {
        long left = (at - WM_TRACE_HEADER_BYTES) / RECORD_BYTES;

        traces_truncate(directory, file, at);
        if (at < WM_TRACE_HEADER_BYTES)
            snprintf(sentence, sizeof sentence, "'%%s/%s' is too short", file);
        else
            snprintf(sentence, sizeof sentence, "'%%s/%s' is cut short: %ld of its records are missing", file,
                     records - left);
        expect_sentence(directory, sentence);
    }
    traces_truncate(directory, file, 0);
    expect_sentence(directory, "'%s/rank-00001.trace' is too short");
    traces_remove_directory(directory);
}

static void records__of_a_cut_file_are_not_blamed_on_the_quota(void)
{
    struct generated_options options = small();
    char directory[64];

    make(directory, &options);
    traces_truncate(directory, "rank-00001.trace", WM_TRACE_HEADER_BYTES + 10 * RECORD_BYTES);
    expect_sentence(directory, "its file is cut short");
    traces_remove_directory(directory);
}

static void definitions__are_read_up_to_any_cut(void)
{
    static const char file[] = "rank-00000.json";
    struct generated_options options = small();
    char directory[64];

    make(directory, &options);
    for (off_t at = length_of(directory, file) - 1; at >= 0; at--) {
        traces_truncate(directory, file, at);
        expect_sound(directory, "definitions cut at", at);
    }
    expect_sentence(directory, "records without meaning, left out: ");
    traces_remove_directory(directory);
}

static void definitions__that_are_torn_are_said_to_be(void)
{
    struct generated_options options = small();
    char directory[64];

    make(directory, &options);
    traces_truncate(directory, "rank-00000.json", length_of(directory, "rank-00000.json") - 5);
    expect_sentence(directory, "'%s/rank-00000.json' has 1 damaged line, left out");
    remove_file(directory, 0, "json");
    expect_sentence(directory, "'%s/rank-00000.json' cannot be read: the communicators of rank 0 are unknown");
    traces_remove_directory(directory);
}

static void ring__that_came_round_says_what_is_lost(void)
{
    struct generated_options options = small();
    char directory[64];

    options.ring = 128;
    options.calls = 60;
    make(directory, &options);
    expect_sentence(directory, "the ring is full: the oldest are missing");
    traces_remove_directory(directory);
}

/* 300 records in a ring of 128: the last turn is 256 … 299. */
static void ring__that_is_cut_keeps_its_last_turn(void)
{
    struct traces traces;
    struct wm_error error = {0};
    struct wm_trace *trace;

    for (int kept = 128; kept >= 0; kept--) {
        uint64_t expected = kept == 128 ? 128 : kept < 44 ? (uint64_t)kept : 44;

        traces_open(&traces, 1, 128 * RECORD_BYTES, WM_TRACE_FLIGHT, "");
        for (uint32_t i = 0; i < 300; i++)
            traces_put(&traces, 0, i, WM_TRACE_ENTER, 3, 1, -1, i, 8);
        traces_close(&traces);
        traces_truncate(traces.directory, "rank-00000.trace", WM_TRACE_HEADER_BYTES + kept * RECORD_BYTES);
        CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, traces.directory, &error), 0);
        CU_ASSERT_EQUAL(trace->ranks[0].count, expected);
        CU_ASSERT_EQUAL(trace->ranks[0].first, kept == 128 ? 172 : 256);
        CU_ASSERT_EQUAL(trace->ranks[0].lost, 300 - expected);
        for (uint64_t i = 0; i < expected; i++)
            CU_ASSERT_EQUAL(wm_trace_record_get(&trace->ranks[0], trace->ranks[0].first + i)->sequence,
                            trace->ranks[0].first + i);
        wm_trace_close(trace);
        traces_remove(&traces);
    }
}

static void head__may_be_beyond_all(void)
{
    static const uint64_t heads[] = {129, 1000, UINT64_C(1) << 40, UINT64_C(1) << 63, UINT64_MAX};
    struct generated_options options = small();
    char directory[64];

    options.ring = 128;
    for (int full = 0; full < 2; full++) {
        uint32_t mode = full ? WM_TRACE_FULL : WM_TRACE_FLIGHT;

        make(directory, &options);
        for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
            traces_overwrite(directory, "rank-00001.trace", offsetof(struct wm_trace_header, mode), &mode, 4);
            traces_overwrite(directory, "rank-00001.trace", offsetof(struct wm_trace_header, head), &heads[i], 8);
            expect_sound(directory, "head", (long)i);
        }
        traces_remove_directory(directory);
    }
}

static void files__that_are_no_traces_are_left_out_with_a_word(void)
{
    static const uint32_t other_order = 0x04030201, no_order = 0;
    struct generated_options options = small();
    char directory[64], name[128];

    make(directory, &options);
    traces_overwrite(directory, "rank-00001.trace", 8, &other_order, 4);
    expect_sentence(directory, "'%s/rank-00001.trace' was written by a machine with another byte order");
    traces_overwrite(directory, "rank-00001.trace", 0, "\0\0\0\0\0\0\0", 8);
    expect_sentence(directory, "'%s/rank-00001.trace' is not a trace, or was never begun");
    traces_overwrite(directory, "rank-00001.trace", 8, &no_order, 4);
    expect_sentence(directory, "'%s/rank-00001.trace' is not a trace, or was never begun");

    name_file(name, sizeof name, directory, 1, "trace");
    remove_file(directory, 1, "trace");
    CU_ASSERT_EQUAL(mkdir(name, 0700), 0);
    expect_sentence(directory, "'%s/rank-00001.trace' cannot be read: not a file");
    CU_ASSERT_EQUAL(rmdir(name), 0);
    CU_ASSERT_EQUAL(symlink("rank-00001.trace", name), 0);
    expect_sentence(directory, "'%s/rank-00001.trace' cannot be read: Too many levels of symbolic links");
    CU_ASSERT_EQUAL(unlink(name), 0);
    CU_ASSERT_EQUAL(mkfifo(name, 0600), 0);
    expect_sentence(directory, "'%s/rank-00001.trace' cannot be read: not a file");
    traces_remove_directory(directory);
}

static void files__that_hold_no_definitions_are_left_out_with_a_word(void)
{
    static const char sentence[] = "'%s/rank-00001.json' cannot be read: the communicators of rank 1 are unknown";
    struct generated_options options = small();
    char directory[64], name[128];

    make(directory, &options);
    name_file(name, sizeof name, directory, 1, "json");
    remove_file(directory, 1, "json");
    CU_ASSERT_EQUAL(mkdir(name, 0700), 0);
    expect_sentence(directory, sentence);
    CU_ASSERT_EQUAL(rmdir(name), 0);
    CU_ASSERT_EQUAL(mkfifo(name, 0600), 0); /* nobody writes: to wait would be for ever */
    expect_sentence(directory, sentence);
    traces_remove_directory(directory);
}

static void files__of_which_none_can_be_read_are_refused(void)
{
    char directory[64];

    traces_make_directory(directory);
    traces_overwrite(directory, "rank-00000.trace", 0, "", 0);
    expect_refusal(directory, "rank-00000.trace' is too short");
    traces_overwrite(directory, "rank-00000.trace", 0, "foreign", 7);
    traces_truncate(directory, "rank-00000.trace", 10000);
    expect_refusal(directory, "rank-00000.trace' is not a trace, or was never begun");
    traces_remove_directory(directory);
}

/* 16 GiB of nothing. */
static void hole__is_no_record(void)
{
    static const uint64_t many = 1 << 29;
    struct generated_options options = small();
    char directory[64];

    make(directory, &options);
    traces_overwrite(directory, "rank-00001.trace", offsetof(struct wm_trace_header, capacity), &many, 8);
    traces_overwrite(directory, "rank-00001.trace", offsetof(struct wm_trace_header, head), &many, 8);
    traces_truncate(directory, "rank-00001.trace", (off_t)(WM_TRACE_HEADER_BYTES + many * RECORD_BYTES));
    expect_sentence(directory, "'%s/rank-00001.trace' is cut short: ");
    traces_remove_directory(directory);
}

static void append(const char *name, const char *text, int times)
{
    FILE *file = fopen(name, "a");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (times-- > 0)
        fputs(text, file);
    fclose(file);
}

/* Definitions take memory as their text does, whatever numbers it has: a hundred of these took 23 GB. */
static void definitions__of_any_size_are_read_in_little_memory(void)
{
    static const char conveyor[] =
        "{\"define\":\"conveyor\",\"communicator\":1,\"run\":1,\"units\":1,\"unit_bytes\":1,\"hops\":"
        "[{\"first_out\":0,\"first_in\":0}],\"outlets\":[[4194303,0,0,0,\"\"]],\"inlets\":[[4194303,0,0,0,\"\"]]}\n";
    struct generated_options options = small();
    struct rusage before, after;
    char directory[64], name[128];

    make(directory, &options);
    name_file(name, sizeof name, directory, 1, "json");
    append(name, conveyor, 100);
    CU_ASSERT_EQUAL(truncate(name, length_of(directory, "rank-00001.json") + (1 << 26)), 0);
    append(name, "\n", 1);
    getrusage(RUSAGE_SELF, &before);
    expect_sentence(directory, "'%s/rank-00001.json' has 1 damaged line, left out");
    getrusage(RUSAGE_SELF, &after);
    CU_ASSERT_TRUE(after.ru_maxrss - before.ru_maxrss < 32 << 10); /* KiB */
    traces_remove_directory(directory);
}

/* The pages go while they are mapped: a SIGBUS to whoever does not expect it. */
static void file__may_become_shorter_while_it_is_read(void)
{
    struct generated_options options = small();
    struct wm_error error = {0};
    struct wm_trace *trace;
    char directory[64], *text, sentence[256];

    options.calls = 400;
    for (off_t left = 0; left <= 8192; left += 4096) {
        make(directory, &options);
        CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, directory, &error), 0);
        CU_ASSERT_TRUE(trace->ranks[1].mapping_bytes > 4 * 4096);
        traces_truncate(directory, "rank-00001.trace", left);
        text = report_of(trace);
        snprintf(sentence, sizeof sentence, "'%s/rank-00001.trace' became shorter while it was read: ", directory);
        expect_in(text, sentence);
        expect_in(text, "records without meaning, left out: ");
        free(text);
        wm_trace_close(trace);
        traces_remove_directory(directory);
    }
}

static void file__that_a_live_job_closes_stays_readable(void)
{
    struct wm_error error = {0};
    struct traces traces;
    struct wm_trace *trace;
    char *text;

    traces_open(&traces, 1, 1 << 20, WM_TRACE_FLIGHT, "");
    for (uint32_t i = 0; i < 300; i++) {
        traces_put(&traces, 0, 10 * i, WM_TRACE_ENTER, 3, 0, -1, i, 8);
        traces_put(&traces, 0, 10 * i + 5, WM_TRACE_LEAVE, 3, 0, -1, i, 8);
    }
    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, traces.directory, &error), 0);
    traces_close(&traces); /* gives back what was not used: nearly all of the mapping */
    CU_ASSERT_EQUAL(trace->ranks[0].count, 600);
    text = report_of(trace);
    CU_ASSERT_PTR_NULL(strstr(text, "became shorter"));
    expect_in(text, "1 of 1 rank");
    free(text);
    wm_trace_close(trace);
    traces_remove(&traces);
}

struct writer {
    struct traces *traces;
    atomic_bool stop;
};

/* Calls, conveyors' records and clocks, in no order that makes sense. */
static void *write_on(void *argument)
{
    struct writer *writer = argument;
    uint32_t random = 1;

    for (int64_t at_ns = 0; !atomic_load(&writer->stop); at_ns += 100000) {
        random = random * 1664525u + 1013904223u;
        if (random >> 16 & 15)
            traces_put(writer->traces, 0, at_ns, random >> 16 & 15, (int)(random >> 20 & 3), 1, (int)(random >> 24 & 1),
                       random >> 28, random >> 4);
        else
            traces_put(writer->traces, 0, at_ns, WM_TRACE_CLOCK, 0, 0, -1, 0,
                       writer->traces->base_ns + (uint64_t)at_ns);
    }
    return NULL;
}

/* The ring goes round under the reader, which checks what it then uses. */
static void ring__may_be_overwritten_while_it_is_read(void)
{
    struct traces traces;
    struct writer writer = {.traces = &traces};
    uint32_t tsc = 1; /* so that pairs of clocks count */
    pthread_t thread;

    traces_open(&traces, 2, 128 * RECORD_BYTES, WM_TRACE_FLIGHT, "");
    traces_overwrite(traces.directory, "rank-00000.trace", offsetof(struct wm_trace_header, clock), &tsc, 4);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, write_on, &writer), 0);
    for (int round = 0; round < 200; round++)
        expect_sound(traces.directory, "live", round);
    atomic_store(&writer.stop, true);
    pthread_join(thread, NULL);
    traces_close(&traces);
    traces_remove(&traces);
}

static void copy_file(const char *directory, const char *from, const char *to)
{
    char name[128], *data;
    off_t length = length_of(directory, from);
    FILE *file;

    snprintf(name, sizeof name, "%s/%s", directory, from);
    data = malloc((size_t)length + 1);
    file = fopen(name, "r");
    CU_ASSERT_EQUAL_FATAL(fread(data, 1, (size_t)length, file), (size_t)length);
    fclose(file);
    traces_overwrite(directory, to, 0, data, (size_t)length);
    free(data);
}

static void ranks__that_are_there_twice_count_once(void)
{
    struct generated_options options = small();
    char directory[64];

    make(directory, &options);
    remove_rank(directory, 2);
    copy_file(directory, "rank-00001.trace", "rank-00002.trace");
    copy_file(directory, "rank-00001.json", "rank-00002.json");
    expect_sentence(directory, "'%s/rank-00002.trace' is the file of rank 1 under another name, and left out");
    expect_sentence(directory, "ranks read: 2 of 3, not rank 2; waits for those are not seen");
    remove_file(directory, 1, "json");
    copy_file(directory, "rank-00000.json", "rank-00001.json");
    expect_sentence(directory, "'%s/rank-00001.json' is the file of another rank, and left out");
    traces_remove_directory(directory);
}

/* Rank 1's files are of a run that was over when the others began. */
static void runs__that_are_mixed_are_told_apart(void)
{
    static const uint64_t hour_ns = UINT64_C(3600000000000);
    struct generated_options options = small();
    struct wm_clock_pair pair;
    char directory[64];

    make(directory, &options);
    for (int rank = 0; rank < 3; rank += 2) {
        char name[128];
        int file;

        name_file(name, sizeof name, directory, rank, "trace");
        file = open(name, O_RDWR);
        for (off_t at = offsetof(struct wm_trace_header, start); at <= (off_t)offsetof(struct wm_trace_header, close);
             at += sizeof pair) {
            CU_ASSERT_EQUAL(pread(file, &pair, sizeof pair, at), sizeof pair);
            pair.ticks += hour_ns, pair.monotonic_ns += hour_ns, pair.realtime_ns += hour_ns;
            CU_ASSERT_EQUAL(pwrite(file, &pair, sizeof pair, at), sizeof pair);
        }
        close(file);
    }
    expect_sentence(directory, "'%s/rank-00001.trace' belongs to an earlier run and is left out");
    expect_sentence(directory, "ranks read: 2 of 3, not rank 1; waits for those are not seen");
    traces_remove_directory(directory);
}

static void runs__of_other_sizes_are_told_apart(void)
{
    struct generated_options options = small();
    char directory[64], other[64], from[160], to[160];

    make(directory, &options);
    options.ranks = 2;
    make(other, &options);
    remove_rank(directory, 1);
    for (int trace = 0; trace < 2; trace++) { /* rank 1 of 2 began before rank 2 of 3 */
        name_file(from, sizeof from, other, 1, trace ? "trace" : "json");
        name_file(to, sizeof to, directory, 1, trace ? "trace" : "json");
        CU_ASSERT_EQUAL(rename(from, to), 0);
    }
    expect_sentence(directory, "'%s/rank-00001.trace' belongs to an earlier run and is left out");
    traces_remove_directory(other);
    traces_remove_directory(directory);
}

static void ids__out_of_range_are_left_out(void)
{
    static const char *const files[] = {"rank-00000.trace", "rank-00001.trace", "rank-00002.trace"};
    static const struct {
        size_t at, bytes;
        uint64_t value;
    } changes[] = {
        {offsetof(struct wm_trace_record, communicator), 4, UINT32_MAX},
        {offsetof(struct wm_trace_record, communicator), 4, 1 << 20},
        {offsetof(struct wm_trace_record, peer), 4, 3},
        {offsetof(struct wm_trace_record, peer), 4, INT32_MAX},
        {offsetof(struct wm_trace_record, peer), 4, (uint32_t)INT32_MIN},
        {offsetof(struct wm_trace_record, node), 2, UINT16_MAX},
        {offsetof(struct wm_trace_record, kind), 1, WM_TRACE_KIND_COUNT},
        {offsetof(struct wm_trace_record, kind), 1, 255},
        {offsetof(struct wm_trace_record, flags), 1, 255},
        {offsetof(struct wm_trace_record, time_ticks), 8, UINT64_MAX},
        {offsetof(struct wm_trace_record, time_ticks), 8, 0},
        {offsetof(struct wm_trace_record, argument), 8, UINT64_MAX},
        {offsetof(struct wm_trace_record, sequence), 4, UINT32_MAX},
    };
    struct generated_options options = small();
    char directory[64];

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        make(directory, &options);
        for (int rank = 0; rank < 3; rank++)
            for (off_t at = WM_TRACE_HEADER_BYTES; at < length_of(directory, files[rank]); at += 3 * RECORD_BYTES)
                traces_overwrite(directory, files[rank], at + (off_t)changes[i].at, &changes[i].value,
                                 changes[i].bytes);
        expect_sound(directory, "ids", (long)i);
        traces_remove_directory(directory);
    }
    make(directory, &options);
    traces_overwrite(directory, files[0], WM_TRACE_HEADER_BYTES + 30, "\xff", 1);
    expect_sentence(directory, "'%s/rank-00000.trace' has 1 damaged record, left out");
    traces_remove_directory(directory);
}

static void job__that_crashed_says_what_was_in_flight(void)
{
    struct generated_options options = small();
    char directory[64];

    options.operation = GENERATED_ALLREDUCE;
    options.crash_rank = 1;
    options.crash_call = 4;
    make(directory, &options);
    expect_sentence(directory, "The job died in MPI_Allreduce number 4 on MPI_COMM_WORLD: ranks 0-2 were inside.");
    expect_sentence(directory, "rank 0 awaits a message from rank 1");
    remove_rank(directory, 1);
    expect_sentence(directory, "rank 0 awaits a message from rank 1");
    traces_remove_directory(directory);
}

/* Packed traces of tests/tracer/damage: what the fuzzer found once, and a conveyor's that is whole. */
static void load(struct fuzz_input *input, const char *file)
{
    static uint8_t packed[1 << 16];
    const char *source = getenv("srcdir");
    char name[PATH_MAX];
    FILE *stream;

    snprintf(name, sizeof name, "%s/tests/tracer/damage/%s", source != NULL ? source : ".", file);
    stream = fopen(name, "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    fuzz_input_unpack(input, packed, fread(packed, 1, sizeof packed, stream));
    fclose(stream);
}

static void inputs__that_failed_once_do_not_again(void)
{
    static const char *const files[] = {"calls-of-months",
                                        "clocks-years-apart",
                                        "confidence-in-nothing",
                                        "conveyor",
                                        "conveyor-sampled-beyond-reason",
                                        "more-events-than-time",
                                        "newest-closed-before-it-began"};
    struct fuzz_input input;
    char directory[64];

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        load(&input, files[i]);
        traces_make_directory(directory);
        CU_ASSERT_EQUAL(fuzz_input_write(&input, directory), 0);
        expect_sound(directory, files[i], 0);
        fuzz_input_release(&input);
        traces_remove_directory(directory);
    }
}

/* One trace after the other, each with one to four things changed; the number of the first that fails is printed. */
static void mutations__leave_all_that_must_hold(void)
{
    struct generated_options kinds[4] = {small(), small(), small(), small()};
    struct fuzz_input whole[5];
    char directory[64];

    kinds[1].hosts = 2, kinds[1].communicators = 3, kinds[1].crash_rank = 2, kinds[1].crash_call = 5;
    kinds[2].nonblocking = true, kinds[2].shape = GENERATED_BUTTERFLY, kinds[2].marks = true;
    kinds[3].ring = 128, kinds[3].calls = 40, kinds[3].skew_ns = 1000000, kinds[3].hosts = 3;
    for (int i = 0; i < 4; i++) {
        make(directory, &kinds[i]);
        CU_ASSERT_EQUAL_FATAL(fuzz_input_read(&whole[i], directory), 0);
        traces_remove_directory(directory);
    }
    load(&whole[4], "conveyor");
    traces_make_directory(directory);
    for (long seed = 0; seed < MUTATIONS; seed++) {
        static uint8_t packed[1 << 18];
        struct fuzz_input copy;

        fuzz_input_unpack(&copy, packed, fuzz_input_pack(&whole[seed % 5], packed, sizeof packed));
        fuzz_mutate(&copy, (uint64_t)seed);
        CU_ASSERT_EQUAL(fuzz_input_write(&copy, directory), 0);
        expect_sound(directory, "mutation", seed);
        fuzz_input_release(&copy);
    }
    for (int i = 0; i < 5; i++)
        fuzz_input_release(&whole[i]);
    traces_remove_directory(directory);
}

static const struct check_case cases[] = {
    CASE(undamaged__traces_are_whole),
    CASE(ranks__each_subset_is_read_and_the_others_named),
    CASE(records__are_read_up_to_any_cut),
    CASE(records__of_a_cut_file_are_not_blamed_on_the_quota),
    CASE(definitions__are_read_up_to_any_cut),
    CASE(definitions__that_are_torn_are_said_to_be),
    CASE(ring__that_came_round_says_what_is_lost),
    CASE(ring__that_is_cut_keeps_its_last_turn),
    CASE(head__may_be_beyond_all),
    CASE(files__that_are_no_traces_are_left_out_with_a_word),
    CASE(files__that_hold_no_definitions_are_left_out_with_a_word),
    CASE(files__of_which_none_can_be_read_are_refused),
    CASE(hole__is_no_record),
    CASE(definitions__of_any_size_are_read_in_little_memory),
    CASE(file__may_become_shorter_while_it_is_read),
    CASE(file__that_a_live_job_closes_stays_readable),
    CASE(ring__may_be_overwritten_while_it_is_read),
    CASE(ranks__that_are_there_twice_count_once),
    CASE(runs__that_are_mixed_are_told_apart),
    CASE(runs__of_other_sizes_are_told_apart),
    CASE(ids__out_of_range_are_left_out),
    CASE(job__that_crashed_says_what_was_in_flight),
    CASE(inputs__that_failed_once_do_not_again),
    CASE(mutations__leave_all_that_must_hold),
};

CHECK_MAIN("damage", cases)
