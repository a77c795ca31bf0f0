/* The recorder: makes, fills in and closes the two files of a rank. */
#include "tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tracer/file.h"
#include "tracer/guard.h"
#include "tracer/interval.h"
#include "tracer/rank_file.h"

struct wm_recorder {
    struct wm_recorder_ring ring;
    struct wm_trace_header *header; /* the mapping; the records follow it */
    size_t mapped_bytes;
    struct wm_guard *guard;
    bool clock_defined;
    struct wm_rank_file trace, json;
};

static uint64_t capacity_of(size_t bytes)
{
    uint64_t capacity = WM_TRACE_CAPACITY_MIN;

    while (capacity <= bytes / sizeof(struct wm_trace_record) / 2)
        capacity *= 2;
    return capacity;
}

static int refuse(struct wm_error *error, const char *what, const char *name, int cause)
{
    return wm_error_set(error, -WM_ETRACE, "cannot %s '%s': %s; give another trace directory", what, name,
                        strerror(cause));
}

/* All ranks of a node make the directory at once: that it exists already is no failure. */
static int make_directory(const char *directory, struct wm_error *error)
{
    char path[PATH_MAX];

    if (directory[0] == '\0' || strlen(directory) > PATH_MAX - 32)
        return wm_error_set(error, -WM_ETRACE, "the name of the trace directory is empty or too long");
    strcpy(path, directory);
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return refuse(error, "make the trace directory", directory, errno);
    return 0;
}

static int reserve(const struct wm_recorder *recorder, int file, struct wm_error *error)
{
    struct rlimit limit;
    double mebibytes = (double)recorder->mapped_bytes / 1048576;
    int cause;

    /* Ask first: to overstep this limit raises a signal that kills. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < recorder->mapped_bytes)
        return wm_error_set(error, -WM_ETRACE,
                            "the limit on file sizes (ulimit -f) leaves no room for the %.1f MiB of '%s': raise "
                            "it, or set a smaller WAYMARK_TRACE_BYTES",
                            mebibytes, recorder->trace.name);
    do
        cause = posix_fallocate(file, 0, (off_t)recorder->mapped_bytes);
    while (cause == EINTR);
    if (cause != 0)
        return wm_error_set(error, -WM_ETRACE,
                            "cannot reserve %.1f MiB for '%s': %s; free some space, give another trace "
                            "directory, or set a smaller WAYMARK_TRACE_BYTES",
                            mebibytes, recorder->trace.name, strerror(cause));
    return 0;
}

/* MAP_POPULATE would fault a shared mapping in for reading only, and each page would fault again when
 * written. */
static void fault_in(void *mapping, size_t bytes)
{
    volatile char *page = mapping;

    for (size_t at = 0; at < bytes; at += 4096)
        page[at] = 0;
}

static int map_ring(struct wm_recorder *recorder, int file, struct wm_error *error)
{
    void *mapping = mmap(NULL, recorder->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    if (mapping == MAP_FAILED)
        return refuse(error, "map", recorder->trace.name, errno);
    recorder->header = mapping;
    recorder->guard = wm_guard_new(mapping, recorder->mapped_bytes, PROT_READ | PROT_WRITE);
    if (recorder->guard == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory for the trace");
    fault_in(mapping, recorder->mapped_bytes);
    return 0;
}

static void fill_header(struct wm_recorder *recorder, int rank, uint64_t capacity, enum wm_trace_mode mode,
                        enum wm_trace_clock clock)
{
    struct wm_trace_header *header = recorder->header;

    header->byte_order = WM_TRACE_BYTE_ORDER;
    header->header_bytes = WM_TRACE_HEADER_BYTES;
    header->record_bytes = sizeof(struct wm_trace_record);
    header->mode = mode;
    header->clock = clock == WM_CLOCK_TSC && wm_clock_tsc_usable();
    header->rank = rank;
    header->capacity = capacity;
    header->start = wm_clock_pair_take(header->clock);
    header->ticks_per_second = wm_clock_calibrate(header->clock, &header->start);
    atomic_thread_fence(memory_order_release);
    memcpy(header->magic, WM_TRACE_MAGIC, sizeof header->magic);

    recorder->ring = (struct wm_recorder_ring){
        .records = (struct wm_trace_record *)(header + 1),
        .head = &header->head,
        .capacity = capacity,
        .full_mode = mode == WM_TRACE_FULL,
        .tsc = header->clock,
        .kinds = wm_trace_level_kinds(WM_TRACE_DETAIL),
        .asked = &header->asked,
    };
}

/* Take everything back, the files too when `remove_files`. */
static void discard(struct wm_recorder *recorder, bool remove_files)
{
    wm_guard_free(recorder->guard);
    if (recorder->header != NULL)
        munmap(recorder->header, recorder->mapped_bytes);
    wm_rank_file_release(&recorder->trace, remove_files);
    wm_rank_file_release(&recorder->json, remove_files);
    free(recorder);
}

/* Whole names: the program may change its directory. */
static int make_names(struct wm_recorder *recorder, const char *directory, int rank, struct wm_error *error)
{
    char *whole = realpath(directory, NULL);

    if (whole == NULL || strlen(whole) > PATH_MAX - 32) {
        free(whole);
        return refuse(error, "find the trace directory", directory, errno);
    }
    snprintf(recorder->trace.name, PATH_MAX, "%s/rank-%05d.trace", whole, rank);
    snprintf(recorder->json.name, PATH_MAX, "%s/rank-%05d.json", whole, rank);
    free(whole);
    return 0;
}

static int make_json(struct wm_recorder *recorder, struct wm_error *error)
{
    int file = wm_rank_file_make(&recorder->json, error);

    if (file < 0)
        return file;
    close(file);
    return 0;
}

static int make_trace(struct wm_recorder *recorder, struct wm_error *error)
{
    int file = wm_rank_file_make(&recorder->trace, error), rc;

    if (file < 0)
        return file;
    rc = reserve(recorder, file, error);
    if (rc == 0)
        rc = map_ring(recorder, file, error);
    close(file);
    return rc;
}

int wm_recorder_open(struct wm_recorder **recorder_out, const char *directory, int rank, size_t bytes,
                     enum wm_trace_mode mode, enum wm_trace_clock clock, struct wm_error *error)
{
    struct wm_recorder *recorder;
    uint64_t capacity = capacity_of(bytes);
    int rc;

    *recorder_out = NULL;
    rc = make_directory(directory, error);
    if (rc < 0)
        return rc;
    recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory for the trace");
    recorder->mapped_bytes = WM_TRACE_HEADER_BYTES + capacity * sizeof(struct wm_trace_record);
    rc = make_names(recorder, directory, rank, error);
    if (rc < 0)
        goto out;
    rc = make_json(recorder, error);
    if (rc < 0)
        goto out;
    rc = make_trace(recorder, error);
    if (rc < 0)
        goto out;
    fill_header(recorder, rank, capacity, mode, clock);
    *recorder_out = recorder;
out:
    if (rc < 0)
        discard(recorder, true);
    return rc;
}

static json_t *clock_definition(const struct wm_trace_header *header)
{
    char boot[37];

    wm_clock_boot_id(boot);
    return json_pack("{ss ss sf sI sI sI ss}", "define", "clock", "kind", header->clock ? "tsc" : "monotonic",
                     "ticks_per_second", header->ticks_per_second, "start_ticks", (json_int_t)header->start.ticks,
                     "start_monotonic_ns", (json_int_t)header->start.monotonic_ns, "start_realtime_ns",
                     (json_int_t)header->start.realtime_ns, "boot", boot);
}

/* One line, one write: a process killed between two definitions leaves whole lines. */
static int write_line(const struct wm_rank_file *json, const json_t *definition)
{
    const size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII;
    size_t length = json_dumpb(definition, NULL, 0, flags);
    char *line = length > 0 ? malloc(length + 1) : NULL;
    int file = line != NULL ? wm_rank_file_open(json, O_WRONLY | O_APPEND, 0) : -1;
    ssize_t written = -1;

    if (file < 0) {
        free(line);
        return line == NULL ? -WM_ENOMEM : -WM_ETRACE;
    }
    json_dumpb(definition, line, length, flags);
    line[length] = '\n';
    do
        written = write(file, line, length + 1);
    while (written < 0 && errno == EINTR);
    close(file);
    free(line);
    return written == (ssize_t)(length + 1) ? 0 : -WM_ETRACE;
}

int wm_recorder_define(struct wm_recorder *recorder, const json_t *definition)
{
    json_t *clock;
    int rc = write_line(&recorder->json, definition);

    if (rc < 0 || recorder->clock_defined)
        return rc;
    recorder->clock_defined = true;
    clock = clock_definition(recorder->header);
    rc = clock == NULL ? -WM_ENOMEM : write_line(&recorder->json, clock);
    json_decref(clock);
    return rc;
}

void wm_recorder_share(struct wm_recorder *recorder)
{
    recorder->ring.shared = true;
}

void wm_recorder_set_level(struct wm_recorder_ring *ring, enum wm_trace_level level)
{
    uint64_t kinds = wm_trace_level_kinds(level);

    if (wm_recorder_kinds(ring) == kinds) /* the usual case writes nothing */
        return;
    if (atomic_exchange_explicit(&ring->kinds, kinds, memory_order_relaxed) != kinds)
        wm_record(ring, WM_TRACE_LEVEL, (uint8_t)level, 0, 0, -1, 0, 0);
}

enum wm_trace_level wm_recorder_hear(struct wm_recorder_ring *ring)
{
    uint32_t asked = atomic_load_explicit(ring->asked, memory_order_relaxed);

    atomic_store_explicit(&ring->heard, asked, memory_order_relaxed);
    return (enum wm_trace_level)(asked - 1);
}

void wm_recorder_clock(struct wm_recorder_ring *ring)
{
    struct wm_clock_pair pair = wm_clock_pair_take(ring->tsc);

    wm_record_at(ring, pair.ticks, WM_TRACE_CLOCK, 0, 0, 0, -1, 0, pair.monotonic_ns);
}

/* Among the records and in the header page. */
static void keep(struct wm_recorder *recorder, const struct wm_trace_record *record)
{
    struct wm_trace_header *header = recorder->header;
    uint64_t count = atomic_load_explicit(&header->kept_count, memory_order_relaxed);

    header->kept[count % WM_TRACE_KEPT_MAX] = *record;
    atomic_store_explicit(&header->kept_count, count + 1, memory_order_release);
    wm_record_at(&recorder->ring, record->time_ticks, (enum wm_trace_kind)record->kind, record->flags, record->node,
                 record->communicator, record->peer, record->sequence, record->argument);
}

static struct wm_clock_pair keep_pair(struct wm_recorder *recorder)
{
    struct wm_clock_pair pair = wm_clock_pair_take(recorder->ring.tsc);

    keep(recorder, &(struct wm_trace_record){
                       .time_ticks = pair.ticks, .argument = pair.monotonic_ns, .kind = WM_TRACE_CLOCK, .peer = -1});
    return pair;
}

/* A moment ago in ticks: milliseconds, in which the rate that was measured at the start is exact. */
static uint64_t ticks_at(const struct wm_recorder *recorder, const struct wm_clock_pair *pair, uint64_t monotonic_ns)
{
    double ago_ns = (double)(int64_t)(pair->monotonic_ns - monotonic_ns);

    return pair->ticks - (uint64_t)(int64_t)(ago_ns * recorder->header->ticks_per_second / 1e9);
}

void wm_recorder_sync(struct wm_recorder *recorder, int peer, const struct wm_offset *offset)
{
    struct wm_clock_pair pair = keep_pair(recorder);

    if (offset->half_ns > UINT32_MAX)
        return; /* seconds tell nothing */
    keep(recorder, &(struct wm_trace_record){.time_ticks = ticks_at(recorder, &pair, offset->at_ns),
                                             .argument = (uint64_t)offset->offset_ns,
                                             .sequence = (uint32_t)offset->half_ns,
                                             .peer = peer,
                                             .kind = WM_TRACE_SYNC});
}

void wm_recorder_share_clock(struct wm_recorder *recorder, int leader)
{
    struct wm_clock_pair pair = keep_pair(recorder);

    keep(recorder, &(struct wm_trace_record){
                       .time_ticks = pair.ticks, .peer = leader, .kind = WM_TRACE_SYNC, .flags = WM_TRACE_SYNC_SAME});
}

static int check_file(const struct wm_rank_file *of_rank, size_t bytes, struct wm_error *error)
{
    int file = wm_rank_file_open(of_rank, O_RDONLY, bytes);

    if (file < 0)
        return wm_error_set(
            error, -WM_ETRACE,
            "the trace is not whole, for '%s' was removed, replaced or cut while the job ran: give each "
            "job a trace directory of its own",
            of_rank->name);
    close(file);
    return 0;
}

int wm_recorder_check(const struct wm_recorder *recorder, struct wm_error *error)
{
    int rc = check_file(&recorder->trace, recorder->mapped_bytes, error);

    return rc < 0 ? rc : check_file(&recorder->json, 0, error);
}

/* A ring that never came round gives back the pages that it did not use. */
static void give_back(const struct wm_recorder *recorder)
{
    uint64_t used = recorder->ring.next;
    int file = -1, rc = 0;

    if (used < recorder->ring.capacity)
        file = wm_rank_file_open(&recorder->trace, O_WRONLY, recorder->mapped_bytes);
    if (file < 0)
        return;
    rc = ftruncate(file, (off_t)(WM_TRACE_HEADER_BYTES + used * sizeof(struct wm_trace_record)));
    (void)rc; /* a larger file is as good */
    close(file);
}

void wm_recorder_close(struct wm_recorder *recorder)
{
    if (recorder == NULL)
        return;
    recorder->header->close = wm_clock_pair_take(recorder->ring.tsc);
    atomic_store_explicit(&recorder->header->state, WM_TRACE_CLOSED, memory_order_release);
    give_back(recorder);
    discard(recorder, false);
}

struct wm_recorder_ring *wm_recorder_get_ring(struct wm_recorder *recorder)
{
    return &recorder->ring;
}

double wm_recorder_ticks_per_second(const struct wm_recorder *recorder)
{
    return recorder->header->ticks_per_second;
}
