/* A small trace with something of everything, for the tests of conversions: nested and repeated wrappers, calls that
 * overlap, works that overlap, a conveyor, marks with awkward names, a rank that died, and damage.
 *
 * Three ranks on two hosts. Times are nanoseconds after a moment that all share, chosen by hand. */
#ifndef WM_TESTS_SAMPLE_TRACE_H
#define WM_TESTS_SAMPLE_TRACE_H

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "waymark/operation.h"
#include "tracer/clock.h"
#include "tracer/file.h"
#include "tracer/tracer.h"

enum { SAMPLE_RANKS = 3, SAMPLE_DEAD = 2, SAMPLE_CONVEYOR = 9 };

/* What the reader finds and a conversion has to find again. */
enum { SAMPLE_DAMAGED = 1, SAMPLE_HEADLESS = 1, SAMPLE_CUT = 1, SAMPLE_LONE_SENDS = 1 };

struct sample {
    struct wm_recorder *recorder;
    struct wm_recorder_ring *ring;
    uint64_t base_ns;
    int rank;
};

static const char sample_map[] = "(path-map\n"
                                 "  (on allreduce\n"
                                 "    (else (path (trace 'all) ; \"quoted\", with a comma\n"
                                 "                (reduce core #:shape 'flat)\n"
                                 "                (trace 'inner)\n"
                                 "                (allreduce node)))))\n";

static inline void sample_define(struct sample *s, json_t *definition)
{
    if (definition == NULL || wm_recorder_define(s->recorder, definition) != 0)
        abort();
    json_decref(definition);
}

static inline void sample_define_all(struct sample *s)
{
    sample_define(s, json_pack("{ss si si ss si ss ss ss ss* ss}", "define", "rank", "rank", s->rank, "ranks",
                               SAMPLE_RANKS, "host", s->rank < 2 ? "alpha" : "be\"ta, 2", "pid", 1, "version", "0.1.0",
                               "mode", "full", "map_file", "maps/cluster.scm", "map_text",
                               s->rank == 0 ? sample_map : NULL, "program", "sample"));
    sample_define(s, json_pack("{ss si ss s[iii]}", "define", "communicator", "id", 1 + s->rank, "name",
                               "MPI_COMM_WORLD", "ranks", 0, 1, 2));
    sample_define(s, json_pack("{ss si ss s[iii]}", "define", "communicator", "id", SAMPLE_CONVEYOR, "name",
                               "conveyor's \\ own", "ranks", 0, 1, 2));
    sample_define(s, json_pack("{ss si ss si si ss ss}", "define", "node", "node", 1, "wrapper", "trace", "line", 3,
                               "column", 17, "label", "all, \"of\" them", "operation", "allreduce"));
    sample_define(s, json_pack("{ss si ss si si ss ss}", "define", "node", "node", 2, "wrapper", "reduce", "line", 4,
                               "column", 17, "label", "core", "operation", "allreduce"));
    sample_define(s, json_pack("{ss si ss si si ss ss}", "define", "node", "node", 3, "wrapper", "trace", "line", 5,
                               "column", 17, "label", "inner\nmost", "operation", "allreduce"));
    sample_define(s, json_pack("{ss si ss}", "define", "mark", "id", 1, "name", "Pajé: \"x\", y\nz"));
    sample_define(s, json_pack("{ss si si ss si si si si si si sb si s[iii] s[{ss si si}] s[[iiiis]] s[[iiiis]]}",
                               "define", "conveyor", "communicator", SAMPLE_CONVEYOR, "run", 1, "name", "edges", "node",
                               1, "item_bytes", 8, "unit_bytes", 8, "tag_bytes", 1, "units", 64, "buffers", 4,
                               "elastic", 0, "sample", 10, "nodes", 0, 0, 1, "hops", "axis", "core", "first_out", 0,
                               "first_in", 0, "outlets", 0, 0, (s->rank + 1) % SAMPLE_RANKS, 0, "shm", "inlets", 0, 0,
                               (s->rank + 2) % SAMPLE_RANKS, 0, "shm"));
}

static inline void sample_put(struct sample *s, int64_t at_ns, enum wm_trace_kind kind, int flags, int node, int peer,
                              uint32_t sequence, uint64_t argument)
{
    bool conveys = kind >= WM_TRACE_CONVEY_STATE && kind <= WM_TRACE_CONVEY_SAMPLE;

    wm_record_at(s->ring, s->base_ns + (uint64_t)at_ns, kind, (uint8_t)flags, (uint16_t)node,
                 conveys ? SAMPLE_CONVEYOR : (uint32_t)(1 + s->rank), peer, sequence, argument);
}

static inline void sample_call(struct sample *s, int64_t enter_ns, int64_t leave_ns, int node, uint32_t sequence)
{
    if (enter_ns >= 0)
        sample_put(s, enter_ns, WM_TRACE_ENTER, WM_ALLREDUCE, node, -1, sequence, 800);
    if (leave_ns >= 0)
        sample_put(s, leave_ns, WM_TRACE_LEAVE, WM_ALLREDUCE, node, -1, sequence, 800);
}

/* Ranks 1 and 2 send to 0, within a wrapper within a wrapper. */
static inline void sample_messages(struct sample *s)
{
    sample_call(s, 1000 + 10 * s->rank, -1, 1, 0);
    for (int peer = 1; peer < SAMPLE_RANKS && s->rank == 0; peer++) {
        sample_put(s, 1050, WM_TRACE_RECV_POST, WM_ALLREDUCE, 2, peer, 0, WM_TRACE_EDGE(0, 800));
        sample_put(s, 1100 + 100 * peer, WM_TRACE_RECV_DONE, WM_ALLREDUCE, 2, peer, 0, WM_TRACE_EDGE(0, 800));
        sample_put(s, 1160 + 100 * peer, WM_TRACE_REDUCE, WM_ALLREDUCE, 2, -1, 0, 50);
    }
    if (s->rank > 0) {
        sample_put(s, 1060, WM_TRACE_SEND_POST, WM_ALLREDUCE, 2, 0, 0, WM_TRACE_EDGE(0, 800));
        sample_put(s, 1070, WM_TRACE_SEND_DONE, WM_ALLREDUCE, 2, 0, 0, WM_TRACE_EDGE(0, 800));
    }
    sample_call(s, 1400, 1900, 3, 0);
    sample_call(s, -1, 2000, 1, 0);
}

/* A segmented call; two at a time, waited for; works that overlap, and one written late. */
static inline void sample_overlaps(struct sample *s)
{
    sample_call(s, 3000, -1, 1, 1);
    sample_call(s, 3100, 3400, 1, 1);
    sample_call(s, -1, 3500, 1, 1);
    sample_call(s, 4000, -1, 1, 2);
    sample_call(s, 4100, -1, 1, 3);
    sample_call(s, -1, 4500, 1, 2);
    sample_put(s, 4550, WM_TRACE_WAIT, WM_ALLREDUCE, 1, -1, 2, 300);
    sample_call(s, -1, 4600, 1, 3);
    sample_put(s, 4700, WM_TRACE_WAIT, WM_ALLREDUCE, 1, -1, 3, 150);
    sample_call(s, 5000, -1, 1, 4);
    sample_put(s, 5500, WM_TRACE_SHARED, WM_ALLREDUCE, 2, -1, 4, 400);
    sample_put(s, 5600, WM_TRACE_SHARED, WM_ALLREDUCE, 2, -1, 4, 300);
    sample_call(s, -1, 5700, 1, 4);
    sample_put(s, 5650, WM_TRACE_COPY, WM_ALLREDUCE, 2, -1, 4, 10);
}

static inline void sample_convey(struct sample *s)
{
    sample_put(s, 7000, WM_TRACE_CONVEY_STATE, 1, 1, -1, 1, 0);
    sample_put(s, 7010, WM_TRACE_CONVEY_OPEN, 0, 1, 0, 1, 0);
    sample_put(s, 7100, WM_TRACE_CONVEY_CLOSE, 3, 1, 0, 1, WM_TRACE_LOAD(5, 40));
    sample_put(s, 7150, WM_TRACE_CONVEY_BLOCKED, 0, 1, 0, 1, 30);
    sample_put(s, 7200, WM_TRACE_CONVEY_STATE, 2, 1, -1, 1, WM_TRACE_TURNS(1, 2));
    sample_put(s, 7210, WM_TRACE_CONVEY_TAKE, 0, 1, 0, 1, 0);
    sample_put(s, 7220, WM_TRACE_CONVEY_PULL, 0, 1, 0, 1, 0);
    sample_put(s, 7230, WM_TRACE_CONVEY_GIVE, 0, 1, 0, 1, 5);
    sample_put(s, 7240, WM_TRACE_CONVEY_SAMPLE, 2, 1, 0, 1, 7);
    sample_put(s, 7300, WM_TRACE_CONVEY_STATE, 4, 1, -1, 1, WM_TRACE_TURNS(2, 4));
    sample_put(s, 7310, WM_TRACE_CONVEY_COUNT, 0, 1, -1, 1, 5);
    sample_put(s, 7320, WM_TRACE_CONVEY_STATE, 0, 1, -1, 1, WM_TRACE_TURNS(2, 4));
}

/* The dead rank stops within its last call, behind a send that nobody receives. */
static inline void sample_end(struct sample *s)
{
    sample_call(s, 8000, -1, 1, 6);
    if (s->rank == SAMPLE_DEAD)
        sample_put(s, 8100, WM_TRACE_SEND_POST, WM_ALLREDUCE, 2, 0, 6, WM_TRACE_EDGE(1, 8));
    else
        sample_call(s, -1, 8900, 1, 6);
    if (s->rank == 1) {
        sample_call(s, -1, 9000, 1, 7);
        sample_put(s, 9010, WM_TRACE_ENTER, 200, 1, -1, 8, 0);
    }
}

static inline void sample_patch(const char *directory, int rank, off_t offset, const void *data, size_t bytes)
{
    char name[4096];
    int file;

    snprintf(name, sizeof name, "%s/rank-%05d.trace", directory, rank);
    file = open(name, O_RDWR);
    if (file < 0 || pwrite(file, data, bytes, offset) != (ssize_t)bytes)
        abort();
    close(file);
}

/* As if the job had ended 10 µs after that moment, but for the rank that died. */
static inline void sample_close(struct sample *s, const char *directory)
{
    struct wm_clock_pair close = {s->base_ns + 10000, s->base_ns + 10000, 0};
    uint32_t open = 0;

    wm_recorder_close(s->recorder);
    sample_patch(directory, s->rank, offsetof(struct wm_trace_header, close), &close, sizeof close);
    if (s->rank == SAMPLE_DEAD)
        sample_patch(directory, s->rank, offsetof(struct wm_trace_header, state), &open, sizeof open);
}

static inline void sample_write_rank(const char *directory, int rank, uint64_t base_ns)
{
    struct sample s = {.rank = rank, .base_ns = base_ns};
    struct wm_error error = {0};

    if (wm_recorder_open(&s.recorder, directory, rank, 1 << 16, WM_TRACE_FULL, WM_CLOCK_MONOTONIC, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    s.ring = wm_recorder_get_ring(s.recorder);
    sample_define_all(&s);
    sample_put(&s, 500, WM_TRACE_QUESTION, WM_ALLREDUCE, 0, -1, 0, 200);
    sample_put(&s, 600, WM_TRACE_SYNC, 1, 0, 0, 3, (uint64_t)-5);
    sample_put(&s, 700, WM_TRACE_LEVEL, WM_TRACE_DETAIL, 0, -1, 0, 0);
    sample_put(&s, 900, WM_TRACE_MARK, 0, 0, -1, 0, 1);
    sample_messages(&s);
    sample_overlaps(&s);
    sample_put(&s, 6000, WM_TRACE_ENTER, WM_BARRIER, 0, -1, 5, 0);
    sample_put(&s, 6100, WM_TRACE_LEAVE, WM_BARRIER, 0, -1, 5, 0);
    sample_convey(&s);
    sample_end(&s);
    sample_close(&s, directory);
}

static inline void sample_write(const char *directory)
{
    uint64_t base_ns = wm_clock_monotonic_ns() + 1000000000; /* all ranks have started by then */

    for (int rank = 0; rank < SAMPLE_RANKS; rank++)
        sample_write_rank(directory, rank, base_ns);
}

#endif
