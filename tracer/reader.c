/* The reader of trace directories: finds the ranks' files, checks and maps them, walks their records. */
#include "tracer/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/search.h"
#include "tracer/file.h"
#include "tracer/guard.h"

enum { RANK_MAX = 1 << 20, FORGET_RECORDS = 1 << 16 };

int wm_trace_warn(struct wm_trace *trace, const char *format, ...)
{
    char **warnings = realloc(trace->warnings, (trace->warning_count + 1) * sizeof *warnings);
    char sentence[PATH_MAX + 256];
    va_list arguments;

    if (warnings == NULL)
        return -WM_ENOMEM;
    trace->warnings = warnings;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    warnings[trace->warning_count] = strdup(sentence);
    if (warnings[trace->warning_count] == NULL)
        return -WM_ENOMEM;
    trace->warning_count++;
    return 0;
}

/* What is wrong with the header of a file of so many bytes, or NULL. */
const char *wm_trace_header_fault(const struct wm_trace_header *header, size_t file_bytes)
{
    if (file_bytes < WM_TRACE_HEADER_BYTES)
        return "is too short";
    if (memcmp(header->magic, WM_TRACE_MAGIC, sizeof header->magic) != 0)
        return "is not a trace, or was never begun";
    if (header->byte_order != WM_TRACE_BYTE_ORDER)
        return "was written by a machine with another byte order";
    if (header->header_bytes != WM_TRACE_HEADER_BYTES || header->record_bytes != sizeof(struct wm_trace_record))
        return "has a form that this version does not know";
    if (header->capacity == 0 || header->capacity & (header->capacity - 1) || header->capacity > UINT64_MAX / 64)
        return "has an impossible capacity";
    if (!(header->ticks_per_second >= 1e6 && header->ticks_per_second <= 1e11))
        return "has an impossible clock";
    return NULL;
}

/* Which records are there. A killed writer may have been overwriting the oldest record of a full ring. Returns how many
 * are not there that should be: the file was cut. */
static uint64_t find_records(struct wm_trace_rank *rank, uint64_t stored)
{
    uint64_t kept = rank->offered < rank->capacity ? rank->offered : rank->capacity, wanted;

    rank->first = 0;
    if (!rank->full_mode && rank->offered >= rank->capacity) {
        rank->first = rank->offered - rank->capacity + !rank->closed;
        kept -= !rank->closed;
    }
    wanted = kept;
    if (rank->first > 0 && stored < rank->capacity && rank->offered % rank->capacity != 0) {
        /* Of a ring cut short the last turn is whole up to there; what is older does not reach it any more. */
        kept = rank->offered % rank->capacity;
        rank->first = rank->offered - kept;
    }
    rank->count = kept < stored ? kept : stored;
    rank->lost = rank->offered - rank->count;
    return wanted - rank->count;
}

/* Whoever walks a trace need not hold it: let go of a block's pages when its end is passed. They come back from the
 * file's cache when they are looked at again. */
static void forget_behind(const struct wm_trace_rank *rank, uint64_t number)
{
    const char *block;

    if (number % FORGET_RECORDS != 0 || number == 0 || rank->capacity < FORGET_RECORDS)
        return;
    block = (const char *)&rank->records[(number - FORGET_RECORDS) & (rank->capacity - 1)];
    if (block + FORGET_RECORDS * sizeof(struct wm_trace_record) > (const char *)rank->mapping + rank->mapping_bytes)
        return; /* of a ring cut short: what is there is somebody else's */
    madvise((void *)(uintptr_t)block, FORGET_RECORDS * sizeof(struct wm_trace_record), MADV_DONTNEED);
}

static void count_unknown(struct wm_trace_rank *rank)
{
    for (uint64_t i = 0; i < rank->count; i++) {
        rank->unknown_count += wm_trace_record_get(rank, rank->first + i) == NULL;
        forget_behind(rank, rank->first + i + 1);
    }
}

/* Returns how many records the file lacks. */
static uint64_t read_header(struct wm_trace_rank *rank)
{
    struct wm_trace_header *header = rank->mapping;
    uint64_t stored = (rank->mapping_bytes - WM_TRACE_HEADER_BYTES) / sizeof(struct wm_trace_record), lacking;

    rank->records = (const struct wm_trace_record *)(header + 1);
    rank->full_mode = header->mode == WM_TRACE_FULL;
    rank->tsc = header->clock == 1;
    rank->closed = atomic_load_explicit(&header->state, memory_order_acquire) == WM_TRACE_CLOSED;
    rank->offered = atomic_load_explicit(&header->head, memory_order_acquire);
    rank->capacity = header->capacity;
    rank->ticks_per_second = header->ticks_per_second;
    rank->start = header->start;
    rank->close = header->close;
    lacking = find_records(rank, stored);
    count_unknown(rank);
    return lacking;
}

/* Warn of what can be used in part alone. 1 or -WM_ENOMEM. */
static int tell_damage(struct wm_trace *trace, const struct wm_trace_rank *rank, const char *name, uint64_t lacking)
{
    int rc = 0;

    if (lacking > 0)
        rc = wm_trace_warn(trace, "'%s' is cut short: %llu of its records are missing", name,
                           (unsigned long long)lacking);
    if (rc >= 0 && rank->unknown_count > 0)
        rc = wm_trace_warn(trace, "'%s' has %llu damaged record%s, left out", name,
                           (unsigned long long)rank->unknown_count, rank->unknown_count == 1 ? "" : "s");
    return rc < 0 ? rc : 1;
}

/* Of a file with a hole, what stands before it: a writer leaves none. */
static size_t bytes_before_hole(int file, size_t bytes)
{
    off_t hole = lseek(file, WM_TRACE_HEADER_BYTES, SEEK_HOLE);

    return hole >= WM_TRACE_HEADER_BYTES && (size_t)hole < bytes ? (size_t)hole : bytes;
}

/* Map rank->rank's records. 1: there they are, 0: they cannot be used, and a warning says why; -WM_ENOMEM. */
static int map_records(struct wm_trace *trace, struct wm_trace_rank *rank)
{
    char name[PATH_MAX];
    struct stat status;
    const char *fault;
    int file;

    snprintf(name, sizeof name, "%s/rank-%05d.trace", trace->directory, rank->rank);
    file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        if (file >= 0)
            close(file);
        return wm_trace_warn(trace, "'%s' cannot be read: %s", name, file < 0 ? strerror(errno) : "not a file");
    }
    rank->mapping_bytes = bytes_before_hole(file, (size_t)status.st_size);
    rank->mapping = status.st_size >= WM_TRACE_HEADER_BYTES
                        ? mmap(NULL, rank->mapping_bytes, PROT_READ, MAP_SHARED, file, 0)
                        : MAP_FAILED;
    close(file);
    if (rank->mapping == MAP_FAILED) {
        rank->mapping = NULL;
        return wm_trace_warn(trace, "'%s' %s", name,
                             status.st_size < WM_TRACE_HEADER_BYTES ? "is too short" : "cannot be mapped");
    }
    rank->guard = wm_guard_new(rank->mapping, rank->mapping_bytes, PROT_READ);
    if (rank->guard == NULL)
        return -WM_ENOMEM;
    fault = wm_trace_header_fault(rank->mapping, rank->mapping_bytes);
    if (fault != NULL)
        return wm_trace_warn(trace, "'%s' %s", name, fault);
    if (((const struct wm_trace_header *)rank->mapping)->rank != rank->rank)
        return wm_trace_warn(trace, "'%s' is the file of rank %d under another name, and left out", name,
                             ((const struct wm_trace_header *)rank->mapping)->rank);
    return tell_damage(trace, rank, name, read_header(rank));
}

static void release_rank(struct wm_trace_rank *rank)
{
    wm_guard_free(rank->guard);
    if (rank->mapping != NULL)
        munmap(rank->mapping, rank->mapping_bytes);
    free(rank->host);
    free(rank->program);
    free(rank->version);
    free(rank->boot);
    free(rank->communicator_keys);
    for (int i = 0; i < rank->conveyor_count; i++)
        wm_trace_conveyor_release(&rank->conveyors[i]);
    free(rank->conveyors);
    for (int i = 0; i < rank->mark_count; i++)
        free(rank->marks[i].name);
    free(rank->marks);
    for (int i = 0; i < rank->protocol_count; i++)
        free(rank->protocols[i].name);
    free(rank->protocols);
    for (int i = 0; i < rank->superblock_count; i++)
        free(rank->superblocks[i].name);
    free(rank->superblocks);
    for (int i = 0; i < rank->statement_count; i++)
        wm_trace_statement_release(&rank->statements[i]);
    free(rank->statements);
    free(rank->lines);
}

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The rank that a name like rank-00012.trace means, or -1. */
static int rank_of_name(const char *name)
{
    char expected[32];
    char *end;
    long rank;

    if (strncmp(name, "rank-", 5) != 0)
        return -1;
    rank = strtol(name + 5, &end, 10);
    if (rank < 0 || rank > RANK_MAX || strcmp(end, ".trace") != 0)
        return -1;
    snprintf(expected, sizeof expected, "rank-%05ld.trace", rank);
    return strcmp(expected, name) == 0 ? (int)rank : -1;
}

/* The numbers of all ranks in the directory, in order. Returns how many, or a negative code. */
int wm_trace_list_ranks(const char *directory, int **numbers, struct wm_error *error)
{
    DIR *stream = opendir(directory);
    struct dirent *entry;
    int count = 0, *grown;

    *numbers = NULL;
    if (stream == NULL)
        return wm_error_set(error, -WM_ETRACE, "cannot read the trace directory '%s': %s", directory, strerror(errno));
    while ((entry = readdir(stream)) != NULL) {
        int rank = rank_of_name(entry->d_name);

        if (rank < 0)
            continue;
        grown = count & (count - 1) ? *numbers : realloc(*numbers, sizeof **numbers * (count ? 2 * (size_t)count : 1));
        if (grown == NULL) {
            closedir(stream);
            return wm_error_set(error, -WM_ENOMEM, "out of memory");
        }
        *numbers = grown;
        grown[count++] = rank;
    }
    closedir(stream);
    if (count == 0)
        return wm_error_set(error, -WM_ETRACE,
                            "no trace in '%s': make one with 'waymark run -t %s PROGRAM' and report on it then",
                            directory, directory);
    qsort(*numbers, (size_t)count, sizeof **numbers, compare_numbers);
    return count;
}

static int open_ranks(struct wm_trace *trace, const int *numbers, int count)
{
    int rc;

    trace->ranks = calloc((size_t)count, sizeof *trace->ranks);
    if (trace->ranks == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < count; i++) {
        struct wm_trace_rank *rank = &trace->ranks[trace->rank_count];

        *rank = (struct wm_trace_rank){.rank = numbers[i]};
        rc = map_records(trace, rank);
        if (rc <= 0)
            release_rank(rank);
        if (rc < 0)
            return rc;
        trace->rank_count += rc;
    }
    return 0;
}

/* The rank that was started last, of those that say how many there were; NULL: none does. */
static const struct wm_trace_rank *find_newest(const struct wm_trace *trace)
{
    const struct wm_trace_rank *newest = NULL;

    for (int i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].ranks > 0 &&
            (newest == NULL || trace->ranks[i].start.realtime_ns >= newest->start.realtime_ns))
            newest = &trace->ranks[i];
    return newest;
}

/* A directory used twice holds files of the earlier run, where that had more ranks, or some of the later could not make
 * theirs: the newest start tells the truth. */
static int drop_stale(struct wm_trace *trace)
{
    const struct wm_trace_rank *found = find_newest(trace);
    struct wm_trace_rank newest = found != NULL ? *found : (struct wm_trace_rank){0};
    int kept = 0, beyond = 0, size = newest.ranks, rc = 0;
    char boot[64];

    snprintf(boot, sizeof boot, "%s", newest.boot != NULL ? newest.boot : "");
    newest.boot = boot;
    for (int i = 0; i < trace->rank_count; i++) {
        struct wm_trace_rank *rank = &trace->ranks[i];
        bool other = size > 0 && rank->rank != newest.rank;
        bool earlier = other && rank->rank < size && wm_trace_is_earlier(rank, &newest);

        if (earlier && rc >= 0)
            rc = wm_trace_warn(trace, "'%s/rank-%05d.trace' belongs to an earlier run and is left out",
                               trace->directory, rank->rank);
        if (earlier || (other && rank->rank >= size)) {
            beyond += !earlier;
            release_rank(rank);
        } else {
            trace->ranks[kept++] = *rank;
        }
    }
    trace->rank_count = kept;
    trace->job_ranks = size > 0 ? size : trace->ranks[kept - 1].rank + 1;
    if (beyond == 0 || rc < 0)
        return rc;
    return wm_trace_warn(trace, "%d files belong to an earlier run with more ranks and are left out", beyond);
}

static int read_all(struct wm_trace *trace, struct wm_error *error)
{
    int *numbers;
    int rc = wm_trace_list_ranks(trace->directory, &numbers, error);

    if (rc >= 0)
        rc = open_ranks(trace, numbers, rc);
    free(numbers);
    if (rc < 0)
        return rc;
    if (trace->rank_count == 0)
        return wm_error_set(error, -WM_ETRACE, "no trace in '%s' can be read: %s", trace->directory,
                            trace->warnings[0]);
    for (int i = 0; i < trace->rank_count && rc >= 0; i++)
        rc = wm_trace_define(trace, &trace->ranks[i]);
    if (rc >= 0)
        rc = drop_stale(trace);
    return rc < 0 ? rc : wm_trace_align(trace);
}

int wm_trace_open(struct wm_trace **trace_out, const char *directory, struct wm_error *error)
{
    struct wm_trace *trace = calloc(1, sizeof *trace);
    int rc = -WM_ENOMEM;

    *trace_out = NULL;
    if (trace != NULL && strlen(directory) < PATH_MAX - 32 && (trace->directory = strdup(directory)) != NULL)
        rc = read_all(trace, error);
    if (rc >= 0) {
        *trace_out = trace;
        return 0;
    }
    if (rc == -WM_ENOMEM)
        wm_error_set(error, rc, "out of memory while reading the trace '%s'", directory);
    wm_trace_close(trace);
    return rc;
}

void wm_trace_close(struct wm_trace *trace)
{
    if (trace == NULL)
        return;
    for (int i = 0; i < trace->rank_count; i++)
        release_rank(&trace->ranks[i]);
    free(trace->ranks);
    wm_trace_definitions_free(trace);
    for (size_t i = 0; i < trace->warning_count; i++)
        free(trace->warnings[i]);
    free(trace->warnings);
    free(trace->directory);
    free(trace);
}

int wm_trace_check(struct wm_trace *trace)
{
    int rc = 0;

    for (int i = 0; i < trace->rank_count && rc >= 0; i++) {
        size_t lost_bytes = wm_guard_take_lost(trace->ranks[i].guard);

        if (lost_bytes > 0)
            rc = wm_trace_warn(trace,
                               "'%s/rank-%05d.trace' became shorter while it was read: %zu KiB of it are missing, and "
                               "counted as records without meaning",
                               trace->directory, trace->ranks[i].rank, lost_bytes / 1024);
    }
    return rc < 0 ? rc : 0;
}

uint32_t wm_trace_communicator_key(const struct wm_trace_rank *rank, uint32_t id)
{
    if (id >= rank->communicator_ids || rank->communicator_keys[id] == 0)
        return WM_TRACE_NO_COMMUNICATOR;
    return rank->communicator_keys[id] - 1;
}

const struct wm_trace_conveyor *wm_trace_conveyor_find(const struct wm_trace_rank *rank,
                                                       const struct wm_trace_record *record)
{
    for (int i = rank->conveyor_count - 1; i >= 0; i--)
        if (rank->conveyors[i].communicator == record->communicator && rank->conveyors[i].run <= record->sequence)
            return &rank->conveyors[i];
    return NULL;
}

int wm_trace_superblock_find(const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    uint32_t number = record->communicator;
    size_t count = (size_t)rank->superblock_count, at = WM_COUNT_WHILE(i, count, rank->superblocks[i].number < number);

    return at < count && rank->superblocks[at].number == number ? (int)at : -1;
}

const struct wm_trace_statement *wm_trace_statement_find(const struct wm_trace_rank *rank, int64_t number)
{
    size_t count = (size_t)rank->statement_count, at = WM_COUNT_WHILE(i, count, rank->statements[i].number < number);

    return at < count && rank->statements[at].number == number ? &rank->statements[at] : NULL;
}

const struct wm_trace_record *wm_trace_record_get(const struct wm_trace_rank *rank, uint64_t number)
{
    const struct wm_trace_record *record = &rank->records[number & (rank->capacity - 1)];

    return record->kind < WM_TRACE_KIND_COUNT ? record : NULL;
}

const struct wm_trace_record *wm_trace_next(const struct wm_trace_rank *rank, uint64_t *number)
{
    if (*number < rank->first)
        *number = rank->first;
    while (*number < rank->first + rank->count) {
        const struct wm_trace_record *record = wm_trace_record_get(rank, (*number)++);

        forget_behind(rank, *number - 1);
        if (record != NULL)
            return record;
    }
    return NULL;
}
