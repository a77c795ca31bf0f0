/* Synthetic traces: a temporary directory under the current one, and recorders whose times the test chooses.
 *
 * The recorders use CLOCK_MONOTONIC, so that ticks are nanoseconds and what the report computes can be
 * computed by hand. Times are given in nanoseconds after `base_ns`, which lies a second after the making of
 * the fixture. */
#ifndef WM_TESTS_TRACES_H
#define WM_TESTS_TRACES_H

#include <CUnit/CUnit.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tracer/clock.h"
#include "tracer/file.h"
#include "tracer/reader.h"
#include "tracer/tracer.h"

enum { TRACES_RANKS_MAX = 8 };

struct traces {
    char directory[64];
    uint64_t base_ns;
    int ranks;
    struct wm_recorder *recorders[TRACES_RANKS_MAX];
    struct wm_recorder_ring *rings[TRACES_RANKS_MAX];
};

static inline void traces_make_directory(char directory[64])
{
    strcpy(directory, "waymark-trace.XXXXXX");
    if (mkdtemp(directory) == NULL) {
        perror("mkdtemp");
        abort();
    }
}

static inline void traces_remove_directory(const char *directory)
{
    DIR *stream = opendir(directory);
    struct dirent *entry;
    char name[PATH_MAX];

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        snprintf(name, sizeof name, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(name) != 0)
            rmdir(name);
    }
    if (stream != NULL)
        closedir(stream);
    CU_ASSERT_EQUAL(rmdir(directory), 0);
}

static inline void traces_define(struct wm_recorder *recorder, json_t *definition)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(definition);
    CU_ASSERT_EQUAL(wm_recorder_define(recorder, definition), 0);
    json_decref(definition);
}

static inline void traces_define_rank(struct wm_recorder *recorder, int rank, int ranks, const char *host,
                                      const char *map_text)
{
    traces_define(recorder,
                  json_pack("{ss si si ss si ss ss ss ss* ss}", "define", "rank", "rank", rank, "ranks", ranks, "host",
                            host, "pid", (int)getpid(), "version", "0.1.0", "mode", "flight", "map_file",
                            "maps/cluster.scm", "map_text", rank == 0 ? map_text : NULL, "program", "synthetic"));
}

static inline void traces_define_world(struct wm_recorder *recorder, int id, int ranks)
{
    json_t *members = json_array();

    for (int i = 0; i < ranks; i++)
        json_array_append_new(members, json_integer(i));
    traces_define(recorder, json_pack("{ss si ss so}", "define", "communicator", "id", id, "name", "MPI_COMM_WORLD",
                                      "ranks", members));
}

static inline void traces_define_node(struct wm_recorder *recorder, int node, const char *wrapper, int line, int column,
                                      const char *label)
{
    traces_define(recorder, json_pack("{ss si ss si si ss ss}", "define", "node", "node", node, "wrapper", wrapper,
                                      "line", line, "column", column, "label", label, "operation", "allreduce"));
}

/* Open recorders for all ranks; the world is communicator 1 + rank on each: ids differ between ranks. */
static inline void traces_open(struct traces *traces, int ranks, size_t bytes, enum wm_trace_mode mode,
                               const char *map_text)
{
    struct wm_error error = {0};

    traces_make_directory(traces->directory);
    traces->ranks = ranks;
    for (int i = 0; i < ranks; i++) {
        CU_ASSERT_EQUAL_FATAL(
            wm_recorder_open(&traces->recorders[i], traces->directory, i, bytes, mode, WM_CLOCK_MONOTONIC, &error), 0);
        traces->rings[i] = wm_recorder_get_ring(traces->recorders[i]);
        traces_define_rank(traces->recorders[i], i, ranks, "alpha", map_text);
        traces_define_world(traces->recorders[i], 1 + i, ranks);
    }
    traces->base_ns = wm_clock_monotonic_ns() + 1000000000;
}

/* A record of `rank` on the world, at base_ns + at_ns. */
static inline void traces_put(struct traces *traces, int rank, int64_t at_ns, enum wm_trace_kind kind, int flags,
                              int node, int peer, uint32_t sequence, uint64_t argument)
{
    wm_record_at(traces->rings[rank], traces->base_ns + (uint64_t)at_ns, kind, (uint8_t)flags, (uint16_t)node,
                 (uint32_t)(1 + rank), peer, sequence, argument);
}

static inline void traces_remove(struct traces *traces)
{
    traces_remove_directory(traces->directory);
}

/* The file of a rank: change `bytes` at `offset`, or cut it to a length. */
static inline void traces_overwrite(const char *directory, const char *file_name, off_t offset, const void *data,
                                    size_t bytes)
{
    char name[PATH_MAX];
    int file;

    snprintf(name, sizeof name, "%s/%s", directory, file_name);
    file = open(name, O_RDWR | O_CREAT, 0666);
    CU_ASSERT_EQUAL(pwrite(file, data, bytes, offset), (ssize_t)bytes);
    close(file);
}

static inline void traces_truncate(const char *directory, const char *file_name, off_t length)
{
    char name[PATH_MAX];

    snprintf(name, sizeof name, "%s/%s", directory, file_name);
    CU_ASSERT_EQUAL(truncate(name, length), 0);
}

/* Close all recorders, two seconds after base_ns as far as the trace is concerned. */
static inline void traces_close(struct traces *traces)
{
    struct wm_clock_pair close = {traces->base_ns + 2000000000, traces->base_ns + 2000000000, 0};
    char name[64];

    for (int i = 0; i < traces->ranks; i++) {
        if (traces->recorders[i] == NULL) /* closed already */
            continue;
        wm_recorder_close(traces->recorders[i]);
        traces->recorders[i] = NULL;
        snprintf(name, sizeof name, "rank-%05d.trace", i);
        traces_overwrite(traces->directory, name, offsetof(struct wm_trace_header, close), &close, sizeof close);
    }
}

/* Once they are closed: make it look as if the ranks had been killed. */
static inline void traces_kill(const struct traces *traces)
{
    uint32_t open_state = WM_TRACE_OPEN;
    char name[64];

    for (int i = 0; i < traces->ranks; i++) {
        snprintf(name, sizeof name, "rank-%05d.trace", i);
        traces_overwrite(traces->directory, name, offsetof(struct wm_trace_header, state), &open_state, 4);
    }
}

static inline struct wm_trace *traces_read(const char *directory)
{
    struct wm_trace *trace;
    struct wm_error error = {0};

    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, directory, &error), 0);
    return trace;
}

static inline bool traces_warned(const struct wm_trace *trace, const char *words)
{
    for (size_t i = 0; i < trace->warning_count; i++)
        if (strstr(trace->warnings[i], words) != NULL)
            return true;
    return false;
}

#endif
