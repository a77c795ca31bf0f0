/* Following the trace files of a running job: new ranks, new definitions, new records. */
#include "tracer/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/search.h"
#include "tracer/file.h"
#include "tracer/guard.h"

enum { BATCH = 1024 };

static void name_file(const struct wm_live *live, int rank, const char *suffix, char name[PATH_MAX])
{
    snprintf(name, PATH_MAX, "%s/rank-%05d.%s", live->directory, rank, suffix);
}

static void release_rank(struct wm_live_rank *rank)
{
    wm_guard_free(rank->guard);
    if (rank->mapping != NULL)
        munmap(rank->mapping, rank->mapping_bytes);
    free(rank->came);
    *rank = (struct wm_live_rank){.rank = rank->rank};
}

static void read_header(struct wm_live_rank *rank)
{
    const struct wm_trace_header *header = rank->mapping;

    rank->begun = true;
    rank->tsc = header->clock == 1;
    rank->full = header->mode == WM_TRACE_FULL;
    rank->capacity = header->capacity;
    rank->stored = (rank->mapping_bytes - WM_TRACE_HEADER_BYTES) / sizeof(struct wm_trace_record);
    rank->ticks_per_second = header->ticks_per_second;
    rank->start_ticks = rank->last_ticks = rank->progress_ticks = rank->idle_since_ticks = header->start.ticks;
    rank->level = WM_TRACE_DETAIL;
    rank->seen_ns = UINT64_MAX; /* news */
}

/* Map the rank's file if it is there and begun; a file made anew replaces the one that was mapped. */
static void open_rank(struct wm_live *live, struct wm_live_rank *rank)
{
    char name[PATH_MAX];
    struct stat status;
    void *mapping = MAP_FAILED;
    struct wm_guard *guard;
    int file;

    name_file(live, rank->rank, "trace", name);
    file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= WM_TRACE_HEADER_BYTES &&
        !(rank->mapping != NULL && rank->inode == status.st_ino && rank->device == status.st_dev))
        mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapping == MAP_FAILED)
        return;
    guard = wm_guard_new(mapping, (size_t)status.st_size, PROT_READ);
    if (guard == NULL || wm_trace_header_fault(mapping, (size_t)status.st_size) != NULL) {
        wm_guard_free(guard);
        munmap(mapping, (size_t)status.st_size);
        return; /* not begun, or nothing of ours */
    }
    release_rank(rank);
    rank->mapping = mapping;
    rank->guard = guard;
    rank->mapping_bytes = (size_t)status.st_size;
    rank->inode = status.st_ino;
    rank->device = status.st_dev;
    read_header(rank);
}

static bool is_known(const struct wm_live *live, int rank)
{
    return wm_live_find(live, rank) != NULL;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct wm_live_rank *x = a, *y = b;

    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Ranks whose files have appeared. */
static int find_ranks(struct wm_live *live)
{
    int *numbers, count = wm_trace_list_ranks(live->directory, &numbers, NULL), old = live->count;
    struct wm_live_rank *grown;

    if (count > old) {
        grown = realloc(live->ranks, (size_t)count * sizeof *grown);
        if (grown == NULL) {
            free(numbers);
            return -WM_ENOMEM;
        }
        live->ranks = grown;
        for (int i = 0; i < count && live->count < count; i++)
            if (!is_known(&(struct wm_live){.count = old, .ranks = grown}, numbers[i]))
                grown[live->count++] = (struct wm_live_rank){.rank = numbers[i]};
        qsort(grown, (size_t)live->count, sizeof *grown, compare_ranks);
    }
    free(numbers);
    for (int i = 0; i < live->count; i++)
        open_rank(live, &live->ranks[i]);
    return count == -WM_ENOMEM ? count : 0;
}

/* Have any rank's definitions grown, or been made anew? */
static bool definitions_changed(struct wm_live *live)
{
    bool changed = live->definitions == NULL || live->definitions->rank_count != live->count;

    for (int i = 0; i < live->count; i++) {
        struct wm_live_rank *rank = &live->ranks[i];
        struct stat status = {0};
        char name[PATH_MAX];

        name_file(live, rank->rank, "json", name);
        if (stat(name, &status) != 0)
            continue;
        changed |= rank->definitions_size != (uint64_t)status.st_size || rank->definitions_inode != status.st_ino;
        rank->definitions_size = (uint64_t)status.st_size;
        rank->definitions_inode = status.st_ino;
    }
    return changed;
}

/* The newest start says how large the job is; ranks beyond are an earlier run's. */
static void find_stale(struct wm_live *live)
{
    struct wm_trace *trace = live->definitions;
    uint64_t newest_ns = 0;
    int size = 0;

    for (int i = 0; i < live->count; i++) {
        const struct wm_trace_header *header = live->ranks[i].mapping;

        if (header == NULL)
            continue;
        trace->ranks[i].start = header->start;
        if (trace->ranks[i].ranks > 0 && header->start.realtime_ns >= newest_ns) {
            newest_ns = header->start.realtime_ns;
            size = trace->ranks[i].ranks;
        }
    }
    for (int i = 0; i < live->count; i++)
        live->ranks[i].stale = size > 0 && live->ranks[i].rank >= size;
    trace->job_ranks = size > 0 ? size : live->count > 0 ? live->ranks[live->count - 1].rank + 1 : 0;
}

/* Definitions are few: all are read again when one has come. */
static int read_definitions(struct wm_live *live)
{
    struct wm_trace *trace = calloc(1, sizeof *trace);
    int rc = trace != NULL ? 0 : -WM_ENOMEM;

    if (rc == 0 && ((trace->directory = strdup(live->directory)) == NULL ||
                    (trace->ranks = calloc((size_t)live->count + 1, sizeof *trace->ranks)) == NULL))
        rc = -WM_ENOMEM;
    for (int i = 0; i < live->count && rc >= 0; i++) {
        trace->ranks[i].rank = live->ranks[i].rank;
        trace->rank_count = i + 1;
        rc = wm_trace_define(trace, &trace->ranks[i]);
    }
    if (rc < 0) {
        wm_trace_close(trace);
        return rc;
    }
    wm_trace_close(live->definitions);
    live->definitions = trace;
    return 0;
}

static uint64_t load_head(const struct wm_live_rank *rank)
{
    const struct wm_trace_header *header = rank->mapping;

    return atomic_load_explicit(&header->head, memory_order_acquire);
}

/* The first record that is whole for sure while the writer goes on from `head`. */
static uint64_t first_whole(const struct wm_live_rank *rank, uint64_t head)
{
    if (rank->full || head + WM_LIVE_MARGIN <= rank->capacity)
        return 0;
    return head + WM_LIVE_MARGIN - rank->capacity;
}

/* Copy words, since the writer may be at the same record. */
static void copy_record(const struct wm_live_rank *rank, uint64_t number, struct wm_trace_record *out)
{
    const char *records = (const char *)rank->mapping + WM_TRACE_HEADER_BYTES;
    const uint64_t *from = (const uint64_t *)(records + sizeof *out * (number & (rank->capacity - 1)));
    uint64_t words[sizeof *out / sizeof(uint64_t)];

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        words[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    memcpy(out, words, sizeof *out);
}

static void skip_to(struct wm_live_rank *rank, uint64_t number)
{
    if (number <= rank->next)
        return;
    wm_live_forget(rank);
    rank->next = number;
    rank->gaps++;
}

/* Read up to record `end`, by batches: copied, then compared with where the writer is by now. */
static int follow(struct wm_live_rank *rank, uint64_t end)
{
    struct wm_trace_record batch[BATCH];

    while (rank->next < end) {
        uint64_t first = rank->next, count = end - first < BATCH ? end - first : BATCH;

        for (uint64_t i = 0; i < count; i++)
            copy_record(rank, first + i, &batch[i]);
        atomic_thread_fence(memory_order_acquire);
        skip_to(rank, first_whole(rank, load_head(rank)));
        if (rank->next < first + count && rank->stored > 0)
            rank->seen_ns = UINT64_MAX;
        for (; rank->next < first + count; rank->next++)
            if (wm_live_take(rank, &batch[rank->next - first]) < 0)
                return -WM_ENOMEM;
    }
    return 0;
}

static int read_rank(struct wm_live_rank *rank)
{
    const struct wm_trace_header *header = rank->mapping;
    bool closed;
    uint64_t end;

    if (header == NULL)
        return 0;
    closed = atomic_load_explicit(&header->state, memory_order_acquire) == WM_TRACE_CLOSED;
    rank->offered = end = load_head(rank);
    if (end > rank->capacity && (rank->full || rank->stored < rank->capacity))
        end = rank->full ? rank->capacity : 0; /* a quota that is full; a ring that was cut, whose order is gone */
    if (end > rank->stored && end <= rank->capacity)
        end = rank->stored;
    if (end > WM_LIVE_BACKLOG)
        skip_to(rank, end - WM_LIVE_BACKLOG);
    skip_to(rank, first_whole(rank, rank->offered));
    if (follow(rank, end) < 0)
        return -WM_ENOMEM;
    if (closed && rank->life != WM_LIFE_CLOSED) {
        rank->life = WM_LIFE_CLOSED;
        if (header->close.ticks > rank->last_ticks)
            rank->last_ticks = header->close.ticks;
    }
    return 0;
}

int wm_live_poll(struct wm_live *live)
{
    int rc = find_ranks(live);

    /* Records first: the definitions of what they speak of are there before them. */
    for (int i = 0; i < live->count && rc >= 0; i++)
        rc = read_rank(&live->ranks[i]);
    if (rc >= 0 && definitions_changed(live))
        rc = read_definitions(live);
    if (rc < 0)
        return rc;
    find_stale(live);
    wm_live_look(live);
    return 0;
}

int wm_live_open(struct wm_live **live_out, const char *directory, struct wm_error *error)
{
    struct wm_live *live;
    DIR *stream = opendir(directory);

    *live_out = NULL;
    if (stream == NULL || strlen(directory) >= PATH_MAX - 32) {
        int cause = stream == NULL ? errno : ENAMETOOLONG;

        if (stream != NULL)
            closedir(stream);
        return wm_error_set(error, -WM_ETRACE, "cannot read the trace directory '%s': %s", directory, strerror(cause));
    }
    closedir(stream);
    live = calloc(1, sizeof *live);
    if (live == NULL || (live->directory = strdup(directory)) == NULL || wm_live_poll(live) < 0) {
        wm_live_close(live);
        return wm_error_set(error, -WM_ENOMEM, "out of memory while reading the trace '%s'", directory);
    }
    *live_out = live;
    return 0;
}

void wm_live_close(struct wm_live *live)
{
    if (live == NULL)
        return;
    for (int i = 0; i < live->count; i++)
        release_rank(&live->ranks[i]);
    free(live->ranks);
    wm_trace_close(live->definitions);
    free(live->directory);
    free(live);
}

/* The rank's process looks at the mapped page, so that a plain write reaches it. Returns 0 or errno. */
static int ask_rank(const struct wm_live *live, const struct wm_live_rank *rank, enum wm_trace_level level)
{
    const uint32_t asked = (uint32_t)level + 1;
    char name[PATH_MAX];
    int file, cause = 0;

    name_file(live, rank->rank, "trace", name);
    file = open(name, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return errno;
    if (pwrite(file, &asked, sizeof asked, offsetof(struct wm_trace_header, asked)) != (ssize_t)sizeof asked)
        cause = errno;
    close(file);
    return cause;
}

int wm_live_ask(struct wm_live *live, enum wm_trace_level level, struct wm_error *error)
{
    int asked = 0;

    for (int i = 0; i < live->count; i++) {
        const struct wm_live_rank *rank = &live->ranks[i];
        int cause;

        if (!rank->begun || rank->stale || rank->life == WM_LIFE_GONE || rank->life == WM_LIFE_CLOSED)
            continue;
        if ((cause = ask_rank(live, rank, level)) != 0)
            return wm_error_set(error, -WM_ETRACE, "cannot ask rank %d in '%s': %s; run this as the job's user",
                                rank->rank, live->directory, strerror(cause));
        asked++;
    }
    if (asked == 0)
        return wm_error_set(error, -WM_ETRACE,
                            "no rank that runs writes into '%s'; start the job with 'waymark run -t %s'",
                            live->directory, live->directory);
    return 0;
}

int64_t wm_live_age_ns(const struct wm_live_rank *rank, uint64_t ticks)
{
    return rank->now_ticks > ticks ? (int64_t)((double)(rank->now_ticks - ticks) * 1e9 / rank->ticks_per_second) : 0;
}

int64_t wm_live_inside_ns(const struct wm_live_rank *rank)
{
    uint64_t ticks = rank->inside_ticks;

    if (rank->call_count > 0 && rank->now_ticks > rank->inside_since_ticks)
        ticks += rank->now_ticks - rank->inside_since_ticks;
    return rank->begun ? (int64_t)((double)ticks * 1e9 / rank->ticks_per_second) : 0;
}

const struct wm_live_rank *wm_live_find(const struct wm_live *live, int rank)
{
    size_t at = WM_COUNT_WHILE(i, live->count, live->ranks[i].rank < rank);

    return at < (size_t)live->count && live->ranks[at].rank == rank ? &live->ranks[at] : NULL;
}

bool wm_live_over(const struct wm_live *live)
{
    int over = 0, ranks = 0;

    for (int i = 0; i < live->count; i++) {
        const struct wm_live_rank *rank = &live->ranks[i];

        if (rank->stale)
            continue;
        ranks++;
        over += rank->begun && (rank->life == WM_LIFE_CLOSED || rank->life == WM_LIFE_GONE);
    }
    return ranks > 0 && over == ranks;
}
