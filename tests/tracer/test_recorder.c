/* The recorder: what stands in its files, in both modes, and what it says when it cannot write. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "tests/check.h"
#include "tests/tracer/traces.h"
#include "tracer/file.h"

static struct wm_recorder *open_one(const char *directory, size_t bytes, enum wm_trace_mode mode)
{
    struct wm_recorder *recorder;
    struct wm_error error = {0};

    CU_ASSERT_EQUAL_FATAL(wm_recorder_open(&recorder, directory, 0, bytes, mode, WM_CLOCK_TSC, &error), 0);
    return recorder;
}

static void recorder__keeps_every_field(void)
{
    char directory[64];
    struct wm_recorder *recorder;
    struct wm_trace *trace;
    const struct wm_trace_record *record;
    uint64_t number = 0;

    traces_make_directory(directory);
    recorder = open_one(directory, 1 << 16, WM_TRACE_FLIGHT);
    wm_record_at(wm_recorder_get_ring(recorder), UINT64_MAX - 1, WM_TRACE_RECV_DONE, 201, 65535, 4000000000u, -1,
                 4100000000u, WM_TRACE_EDGE(0xabcdef, 1ull << 39));
    wm_recorder_close(recorder);
    trace = traces_read(directory);
    record = wm_trace_next(&trace->ranks[0], &number);
    CU_ASSERT_PTR_NOT_NULL_FATAL(record);
    CU_ASSERT_EQUAL(record->time_ticks, UINT64_MAX - 1);
    CU_ASSERT_EQUAL(record->kind, WM_TRACE_RECV_DONE);
    CU_ASSERT_EQUAL(record->flags, 201);
    CU_ASSERT_EQUAL(record->node, 65535);
    CU_ASSERT_EQUAL(record->communicator, 4000000000u);
    CU_ASSERT_EQUAL(record->peer, -1);
    CU_ASSERT_EQUAL(record->sequence, 4100000000u);
    CU_ASSERT_EQUAL(record->argument >> 40, 0xabcdef);
    CU_ASSERT_EQUAL(record->argument & 0xffffffffffu, 1ull << 39);
    CU_ASSERT_PTR_NULL(wm_trace_next(&trace->ranks[0], &number));
    wm_trace_close(trace);
    traces_remove_directory(directory);
}

enum { THREADS = 4, RECORDS_EACH = 100000 };

struct writer {
    struct wm_recorder_ring *ring;
    int32_t number;
    pthread_barrier_t *start;
};

static void *write_records(void *data)
{
    const struct writer *w = data;

    pthread_barrier_wait(w->start);
    for (uint32_t i = 0; i < RECORDS_EACH; i++)
        wm_record(w->ring, WM_TRACE_COPY, (uint8_t)w->number, 0, 0, w->number, i, (uint64_t)w->number << 32 | i);
    return NULL;
}

static void shared_recorder__loses_and_mixes_nothing(void)
{
    char directory[64];
    struct wm_recorder *recorder;
    struct wm_trace *trace;
    const struct wm_trace_record *record;
    struct writer writers[THREADS];
    pthread_barrier_t start;
    pthread_t threads[THREADS];
    uint32_t expected[THREADS] = {0};
    uint64_t number = 0;
    int faults = 0;

    traces_make_directory(directory);
    recorder = open_one(directory, 1 << 24, WM_TRACE_FULL);
    wm_recorder_share(recorder);
    pthread_barrier_init(&start, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
        writers[t] = (struct writer){wm_recorder_get_ring(recorder), t, &start};
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[t], NULL, write_records, &writers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    pthread_barrier_destroy(&start);
    wm_recorder_close(recorder);
    trace = traces_read(directory);
    while ((record = wm_trace_next(&trace->ranks[0], &number)) != NULL) {
        if (record->kind != WM_TRACE_COPY)
            continue;
        faults += record->sequence != expected[record->flags % THREADS]++ ||
                  record->argument != ((uint64_t)record->peer << 32 | record->sequence);
    }
    CU_ASSERT_EQUAL(faults, 0);
    for (int t = 0; t < THREADS; t++)
        CU_ASSERT_EQUAL(expected[t], RECORDS_EACH);
    wm_trace_close(trace);
    traces_remove_directory(directory);
}

static void levels__have_more_kinds_upwards(void)
{
    uint64_t off = wm_trace_level_kinds(WM_TRACE_OFF), calls = wm_trace_level_kinds(WM_TRACE_CALLS),
             detail = wm_trace_level_kinds(WM_TRACE_DETAIL);

    CU_ASSERT_EQUAL(off, WM_TRACE_KIND_BIT(WM_TRACE_CLOCK) | WM_TRACE_KIND_BIT(WM_TRACE_SYNC) |
                             WM_TRACE_KIND_BIT(WM_TRACE_LEVEL) | WM_TRACE_KIND_BIT(WM_TRACE_MAP_EPOCH));
    CU_ASSERT_EQUAL(off & calls, off);
    for (int kind = 0; kind < WM_TRACE_KIND_COUNT; kind++)
        CU_ASSERT_TRUE(detail >> kind & 1);
    for (int kind = WM_TRACE_SEND_POST; kind <= WM_TRACE_COPY; kind++)
        CU_ASSERT_FALSE(calls >> kind & 1);
    CU_ASSERT_TRUE(calls >> WM_TRACE_ENTER & calls >> WM_TRACE_LEAVE & calls >> WM_TRACE_MARK & calls >> WM_TRACE_WAIT &
                   calls >> WM_TRACE_QUESTION & calls >> WM_TRACE_CONVEY_STATE & calls >> WM_TRACE_CONVEY_COUNT &
                   calls >> WM_TRACE_P2P_POST & calls >> WM_TRACE_P2P_DONE & 1);
    CU_ASSERT_FALSE((calls >> WM_TRACE_SHARED | calls >> WM_TRACE_CONVEY_OPEN | calls >> WM_TRACE_CONVEY_SAMPLE) & 1);
}

static void set_level__records_changes_alone(void)
{
    static const enum wm_trace_level levels[] = {WM_TRACE_DETAIL, WM_TRACE_CALLS, WM_TRACE_CALLS, WM_TRACE_OFF,
                                                 WM_TRACE_DETAIL};
    static const int written[] = {WM_TRACE_CALLS, WM_TRACE_OFF, WM_TRACE_DETAIL};
    char directory[64];
    struct wm_recorder *recorder;
    struct wm_recorder_ring *ring;

    traces_make_directory(directory);
    recorder = open_one(directory, 1 << 16, WM_TRACE_FLIGHT);
    ring = wm_recorder_get_ring(recorder);
    CU_ASSERT_TRUE(wm_recorder_wants(ring, WM_TRACE_COPY));
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        wm_recorder_set_level(ring, levels[i]);
        CU_ASSERT_EQUAL(wm_recorder_kinds(ring), wm_trace_level_kinds(levels[i]));
        CU_ASSERT_EQUAL(wm_recorder_wants(ring, WM_TRACE_ENTER), levels[i] != WM_TRACE_OFF);
        CU_ASSERT_EQUAL(wm_recorder_wants(ring, WM_TRACE_COPY), levels[i] == WM_TRACE_DETAIL);
    }
    CU_ASSERT_EQUAL(ring->next, 3);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_TRUE(ring->records[i].kind == WM_TRACE_LEVEL && ring->records[i].flags == written[i]);
    wm_recorder_close(recorder);
    traces_remove_directory(directory);
}

static void recorder__stamps_with_a_clock_that_goes_forward(void)
{
    char directory[64];
    struct wm_recorder *recorder;
    struct wm_recorder_ring *ring;
    uint64_t before, after;

    traces_make_directory(directory);
    recorder = open_one(directory, 1 << 16, WM_TRACE_FLIGHT);
    ring = wm_recorder_get_ring(recorder);
    before = wm_recorder_now(ring);
    wm_record(ring, WM_TRACE_ENTER, 0, 1, 0, -1, 0, 0);
    after = wm_recorder_now(ring);
    CU_ASSERT_TRUE(before <= ring->records[0].time_ticks && ring->records[0].time_ticks <= after);
    CU_ASSERT_TRUE(wm_recorder_ticks_per_second(recorder) > 1e6);
    wm_recorder_close(recorder);
    traces_remove_directory(directory);
}

static void recorder__rounds_the_size_down_to_a_power_of_two(void)
{
    static const struct {
        size_t bytes;
        uint64_t capacity;
    } cases[] = {{0, 128}, {4096, 128}, {8191, 128}, {8192, 256}, {100000, 2048}, {1 << 20, 32768}};
    char directory[64];

    traces_make_directory(directory);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_recorder *recorder = open_one(directory, cases[i].bytes, WM_TRACE_FLIGHT);

        CU_ASSERT_EQUAL(wm_recorder_get_ring(recorder)->capacity, cases[i].capacity);
        wm_recorder_close(recorder);
    }
    traces_remove_directory(directory);
}

/* Write 300 records into room for 128; returns the trace. */
static struct wm_trace *overfill(const char *directory, enum wm_trace_mode mode)
{
    struct wm_recorder *recorder = open_one(directory, 4096, mode);

    for (uint32_t i = 0; i < 300; i++)
        wm_record_at(wm_recorder_get_ring(recorder), i, WM_TRACE_ENTER, 0, 1, 0, -1, i, 0);
    wm_recorder_close(recorder);
    return traces_read(directory);
}

static void expect_sequences(const struct wm_trace_rank *rank, uint32_t first, uint32_t count)
{
    const struct wm_trace_record *record;
    uint64_t number = 0;
    uint32_t seen = 0;

    for (; (record = wm_trace_next(rank, &number)) != NULL; seen++)
        CU_ASSERT_EQUAL(record->sequence, first + seen);
    CU_ASSERT_EQUAL(seen, count);
}

static void flight__keeps_the_newest_and_counts_the_lost(void)
{
    char directory[64];
    struct wm_trace *trace;

    traces_make_directory(directory);
    trace = overfill(directory, WM_TRACE_FLIGHT);
    CU_ASSERT_EQUAL(trace->ranks[0].lost, 172);
    CU_ASSERT_FALSE(trace->ranks[0].full_mode);
    expect_sequences(&trace->ranks[0], 172, 128);
    wm_trace_close(trace);
    traces_remove_directory(directory);
}

static void full__keeps_the_oldest_and_counts_the_lost(void)
{
    char directory[64];
    struct wm_trace *trace;

    traces_make_directory(directory);
    trace = overfill(directory, WM_TRACE_FULL);
    CU_ASSERT_EQUAL(trace->ranks[0].lost, 172);
    CU_ASSERT_TRUE(trace->ranks[0].full_mode);
    expect_sequences(&trace->ranks[0], 0, 128);
    wm_trace_close(trace);
    traces_remove_directory(directory);
}

static void recorder__writes_clock_pairs_by_itself(void)
{
    char directory[64];
    struct wm_recorder *recorder;
    struct wm_trace *trace;
    const struct wm_trace_record *record;
    uint64_t number = 0;
    int pairs = 0;

    traces_make_directory(directory);
    recorder = open_one(directory, 1 << 20, WM_TRACE_FLIGHT);
    for (uint32_t i = 0; i < 2 * WM_RECORD_CLOCK_EVERY; i++)
        wm_record(wm_recorder_get_ring(recorder), WM_TRACE_ENTER, 0, 1, 0, -1, i, 0);
    wm_recorder_close(recorder);
    trace = traces_read(directory);
    while ((record = wm_trace_next(&trace->ranks[0], &number)) != NULL)
        pairs += record->kind == WM_TRACE_CLOCK && record->argument >= trace->ranks[0].start.monotonic_ns;
    CU_ASSERT_EQUAL(pairs, 2);
    wm_trace_close(trace);
    traces_remove_directory(directory);
}

static void close__gives_back_what_was_not_used(void)
{
    char directory[64], name[128];
    struct wm_recorder *recorder;
    struct stat status;

    traces_make_directory(directory);
    recorder = open_one(directory, 1 << 20, WM_TRACE_FULL);
    snprintf(name, sizeof name, "%s/rank-00000.trace", directory);
    CU_ASSERT_EQUAL(stat(name, &status), 0);
    CU_ASSERT_EQUAL(status.st_size, 4096 + (1 << 20));
    CU_ASSERT_TRUE(status.st_blocks * 512 >= status.st_size);
    wm_record(wm_recorder_get_ring(recorder), WM_TRACE_ENTER, 0, 1, 0, -1, 0, 0);
    wm_recorder_close(recorder);
    CU_ASSERT_EQUAL(stat(name, &status), 0);
    CU_ASSERT_EQUAL(status.st_size, 4096 + 32);
    wm_recorder_close(NULL);
    traces_remove_directory(directory);
}

static void define__puts_the_clock_behind_the_header(void)
{
    char directory[64], name[128], line[1024] = "";
    struct wm_recorder *recorder;
    json_t *clock;
    FILE *file;

    traces_make_directory(directory);
    recorder = open_one(directory, 4096, WM_TRACE_FULL);
    traces_define_rank(recorder, 0, 1, "alpha", "");
    traces_define_world(recorder, 3, 1);
    wm_recorder_close(recorder);
    snprintf(name, sizeof name, "%s/rank-00000.json", directory);
    file = fopen(name, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof line, file));
    CU_ASSERT_PTR_NOT_NULL(strstr(line, "\"define\":\"rank\""));
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof line, file));
    clock = json_loads(line, 0, NULL);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(clock, "define")), "clock");
    CU_ASSERT_TRUE(json_real_value(json_object_get(clock, "ticks_per_second")) > 1e6);
    CU_ASSERT_TRUE(json_integer_value(json_object_get(clock, "start_realtime_ns")) > 1000000000000000000);
    CU_ASSERT_TRUE(json_integer_value(json_object_get(clock, "start_monotonic_ns")) > 0);
    json_decref(clock);
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof line, file));
    CU_ASSERT_PTR_NOT_NULL(strstr(line, "MPI_COMM_WORLD"));
    CU_ASSERT_PTR_NULL(fgets(line, sizeof line, file));
    fclose(file);
    traces_remove_directory(directory);
}

static void recorder__makes_directories_on_the_way(void)
{
    char directory[64], name[128];
    struct wm_recorder *recorder;

    traces_make_directory(directory);
    snprintf(name, sizeof name, "%s/a/b", directory);
    recorder = open_one(name, 4096, WM_TRACE_FULL);
    wm_recorder_close(recorder);
    traces_remove_directory(name);
    snprintf(name, sizeof name, "%s/a", directory);
    traces_remove_directory(name);
    traces_remove_directory(directory);
}

static void recorder__says_why_a_directory_cannot_be_used(void)
{
    char directory[64], name[128];
    struct wm_recorder *recorder = (void *)1;
    struct wm_error error = {0};

    traces_make_directory(directory);
    traces_overwrite(directory, "file", 0, "x", 1);
    snprintf(name, sizeof name, "%s/file/trace", directory);
    CU_ASSERT_EQUAL(wm_recorder_open(&recorder, name, 0, 4096, WM_TRACE_FULL, WM_CLOCK_TSC, &error), -WM_ETRACE);
    CU_ASSERT_PTR_NULL(recorder);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "Not a directory"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, name));
    CU_ASSERT_EQUAL(wm_recorder_open(&recorder, "", 0, 4096, WM_TRACE_FULL, WM_CLOCK_TSC, &error), -WM_ETRACE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "empty"));
    CU_ASSERT_EQUAL(wm_recorder_open(&recorder, "/proc/waymark", 0, 4096, WM_TRACE_FULL, WM_CLOCK_TSC, &error),
                    -WM_ETRACE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "/proc/waymark"));
    traces_remove_directory(directory);
}

static void recorder__says_when_there_is_no_room(void)
{
    char directory[64];
    struct wm_recorder *recorder = (void *)1;
    struct wm_error error = {0};
    struct rlimit old, small = {65536, 0};

    traces_make_directory(directory);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    CU_ASSERT_EQUAL(wm_recorder_open(&recorder, directory, 0, 1 << 20, WM_TRACE_FULL, WM_CLOCK_TSC, &error),
                    -WM_ETRACE);
    setrlimit(RLIMIT_FSIZE, &old);
    CU_ASSERT_PTR_NULL(recorder);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "no room for the 1.0 MiB"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "WAYMARK_TRACE_BYTES"));
    CU_ASSERT_EQUAL(wm_recorder_open(&recorder, directory, 0, 1ull << 55, WM_TRACE_FULL, WM_CLOCK_TSC, &error),
                    -WM_ETRACE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "cannot reserve"));
    traces_remove_directory(directory); /* and nothing was left in it */
}

static void killed_writer__leaves_every_record(void)
{
    char directory[64], byte;
    int ready[2];
    struct wm_trace *trace;
    pid_t child;

    traces_make_directory(directory);
    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        struct wm_recorder *recorder = open_one(directory, 1 << 16, WM_TRACE_FLIGHT);

        traces_define_rank(recorder, 0, 1, "alpha", "");
        for (uint32_t i = 0; i < 1000; i++)
            wm_record(wm_recorder_get_ring(recorder), WM_TRACE_ENTER, 0, 1, 0, -1, i, 0);
        byte = (char)write(ready[1], "x", 1);
        for (;;)
            pause();
    }
    CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    trace = traces_read(directory);
    CU_ASSERT_FALSE(trace->ranks[0].closed);
    CU_ASSERT_EQUAL(trace->ranks[0].lost, 0);
    expect_sequences(&trace->ranks[0], 0, 1000);
    CU_ASSERT_TRUE(trace->ranks[0].end_ns > 0);
    wm_trace_close(trace);
    traces_remove_directory(directory);
}

static void expect_not_whole(const struct wm_recorder *recorder, const char *name)
{
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(wm_recorder_check(recorder, &error), -WM_ETRACE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, name));
}

static void cut_file__costs_records_alone(void)
{
    char directory[64];
    struct wm_recorder *recorder;
    struct wm_error error = {0};

    traces_make_directory(directory);
    recorder = open_one(directory, 1 << 16, WM_TRACE_FLIGHT);
    CU_ASSERT_EQUAL(wm_recorder_check(recorder, &error), 0);
    traces_truncate(directory, "rank-00000.trace", 0);
    for (uint32_t i = 0; i < 5000; i++)
        wm_record(wm_recorder_get_ring(recorder), WM_TRACE_ENTER, 0, 1, 0, -1, i, 0);
    wm_recorder_share_clock(recorder, 0);
    expect_not_whole(recorder, "rank-00000.trace");
    wm_recorder_close(recorder);
    traces_remove_directory(directory);
}

static off_t size_of(const char *directory, const char *file_name)
{
    char name[PATH_MAX];
    struct stat status;

    snprintf(name, sizeof name, "%s/%s", directory, file_name);
    CU_ASSERT_EQUAL(stat(name, &status), 0);
    return status.st_size;
}

static void recorder__follows_no_link(void)
{
    static const char *const files[] = {"rank-00000.json", "rank-00000.trace"};
    char directory[64], name[PATH_MAX];
    struct wm_recorder *recorder;
    json_t *definition = json_pack("{ss}", "define", "world");

    traces_make_directory(directory);
    recorder = open_one(directory, 4096, WM_TRACE_FULL);
    traces_overwrite(directory, "precious", 0, "precious", 8);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/%s", directory, files[i]);
        CU_ASSERT_EQUAL(unlink(name), 0);
        CU_ASSERT_EQUAL(symlink("precious", name), 0);
        expect_not_whole(recorder, files[i]);
    }
    CU_ASSERT_EQUAL(wm_recorder_define(recorder, definition), -WM_ETRACE);
    CU_ASSERT_EQUAL(unlink(name), 0);
    CU_ASSERT_EQUAL(mkfifo(name, 0600), 0);
    wm_recorder_close(recorder);
    CU_ASSERT_EQUAL(size_of(directory, "precious"), 8);
    json_decref(definition);
    traces_remove_directory(directory);
}

static void two_jobs__do_not_mix_their_files(void)
{
    char directory[64];
    struct wm_recorder *first, *second;
    struct wm_error error = {0};
    json_t *definition = json_pack("{ss}", "define", "world");

    traces_make_directory(directory);
    first = open_one(directory, 4096, WM_TRACE_FULL);
    second = open_one(directory, 4096, WM_TRACE_FULL);
    CU_ASSERT_EQUAL(wm_recorder_define(first, definition), -WM_ETRACE);
    expect_not_whole(first, "rank-00000");
    wm_recorder_close(first);
    CU_ASSERT_EQUAL(size_of(directory, "rank-00000.json"), 0);
    CU_ASSERT_EQUAL(wm_recorder_check(second, &error), 0);
    wm_recorder_close(second);
    json_decref(definition);
    traces_remove_directory(directory);
}

static const struct check_case cases[] = {
    CASE(recorder__keeps_every_field),
    CASE(shared_recorder__loses_and_mixes_nothing),
    CASE(levels__have_more_kinds_upwards),
    CASE(set_level__records_changes_alone),
    CASE(recorder__stamps_with_a_clock_that_goes_forward),
    CASE(recorder__rounds_the_size_down_to_a_power_of_two),
    CASE(flight__keeps_the_newest_and_counts_the_lost),
    CASE(full__keeps_the_oldest_and_counts_the_lost),
    CASE(recorder__writes_clock_pairs_by_itself),
    CASE(close__gives_back_what_was_not_used),
    CASE(define__puts_the_clock_behind_the_header),
    CASE(recorder__makes_directories_on_the_way),
    CASE(recorder__says_why_a_directory_cannot_be_used),
    CASE(recorder__says_when_there_is_no_room),
    CASE(cut_file__costs_records_alone),
    CASE(recorder__follows_no_link),
    CASE(two_jobs__do_not_mix_their_files),
    CASE(killed_writer__leaves_every_record),
};

CHECK_MAIN("recorder", cases)
