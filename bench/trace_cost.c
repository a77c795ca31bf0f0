/* What one trace record costs: nanoseconds with and without reading the clock, at the levels at which it is not
 * written, and of the loop alone; best and median of several runs.
 *
 *   trace_cost [DIRECTORY]   in which the ring's file is made, here unless one is given */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "bench/sample.h"
#include "tracer/clock.h"
#include "tracer/tracer.h"

enum { RUNS = 21, RECORDS = 1000000, RING_BYTES = 16 << 20 };

static void write_stamped(struct wm_recorder_ring *ring)
{
    for (uint32_t i = 0; i < RECORDS; i++)
        wm_record(ring, WM_TRACE_SEND_POST, 0, 5, 1, 3, i, WM_TRACE_EDGE(i, 4096));
}

/* As callers do: a kind of the level `detail`. */
static void write_wanted(struct wm_recorder_ring *ring)
{
    for (uint32_t i = 0; i < RECORDS; i++)
        if (wm_recorder_wants(ring, WM_TRACE_SEND_POST))
            wm_record(ring, WM_TRACE_SEND_POST, 0, 5, 1, 3, i, WM_TRACE_EDGE(i, 4096));
}

/* Two records, as often, that share a reading of the clock. */
static void write_pairs(struct wm_recorder_ring *ring)
{
    for (uint32_t i = 0; i < RECORDS; i += 2) {
        uint64_t now = wm_recorder_now(ring);

        wm_record_at(ring, now, WM_TRACE_ENTER, 3, 5, 1, -1, i, 8);
        wm_record_at(ring, now, WM_TRACE_SEND_POST, 3, 5, 1, 3, i, WM_TRACE_EDGE(i, 4096));
    }
}

static void loop_alone(struct wm_recorder_ring *ring)
{
    (void)ring;
    for (uint32_t i = 0; i < RECORDS; i++)
        __asm__ volatile("" : : "r"(i));
}

static void write_unstamped(struct wm_recorder_ring *ring)
{
    for (uint32_t i = 0; i < RECORDS; i++)
        wm_record_at(ring, i, WM_TRACE_SEND_POST, 0, 5, 1, 3, i, WM_TRACE_EDGE(i, 4096));
}

static void read_clock(struct wm_recorder_ring *ring)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < RECORDS; i++)
        sum += wm_recorder_now(ring);
    __asm__ volatile("" : : "r"(sum));
}

static void measure(const char *name, void (*run)(struct wm_recorder_ring *), struct wm_recorder_ring *ring)
{
    double cost_ns[RUNS], median_ns;

    for (int i = 0; i < RUNS; i++) {
        uint64_t start_ns = wm_clock_monotonic_ns();

        run(ring);
        cost_ns[i] = (double)(wm_clock_monotonic_ns() - start_ns) / RECORDS;
    }
    median_ns = bench_median(cost_ns, RUNS);
    printf("%-34s %7.2f ns best  %7.2f ns median\n", name, cost_ns[0], median_ns);
}

static int measure_directory(const char *directory)
{
    struct wm_recorder *recorder;
    struct wm_error error = {0};
    struct wm_recorder_ring *ring;
    char file[4200];

    if (wm_recorder_open(&recorder, directory, 0, RING_BYTES, WM_TRACE_FLIGHT, WM_CLOCK_TSC, &error) < 0) {
        fprintf(stderr, "trace_cost: %s\n", error.text);
        return 1;
    }
    ring = wm_recorder_get_ring(recorder);
    printf("clock: %s, %.6f ticks a ns; %d runs of %d records\n", ring->tsc ? "rdtsc" : "CLOCK_MONOTONIC",
           wm_recorder_ticks_per_second(recorder) / 1e9, RUNS, RECORDS);
    measure("the loop alone", loop_alone, ring);
    measure("a record with the clock", write_stamped, ring);
    measure("the same, asked whether wanted", write_wanted, ring);
    measure("two records with one reading, each", write_pairs, ring);
    measure("a record without the clock", write_unstamped, ring);
    measure("the clock alone", read_clock, ring);
    wm_recorder_set_level(ring, WM_TRACE_CALLS);
    measure("a record that is not wanted: calls", write_wanted, ring);
    wm_recorder_set_level(ring, WM_TRACE_OFF);
    measure("a record that is not wanted: off", write_wanted, ring);
    wm_recorder_close(recorder);
    snprintf(file, sizeof file, "%s/rank-00000.trace", directory);
    unlink(file);
    snprintf(file, sizeof file, "%s/rank-00000.json", directory);
    unlink(file);
    return 0;
}

int main(int argc, char **argv)
{
    char directory[4000];
    int status;

    snprintf(directory, sizeof directory, "%s/trace_cost.XXXXXX", argc > 1 ? argv[1] : ".");
    if (mkdtemp(directory) == NULL) {
        perror("trace_cost: mkdtemp");
        return 1;
    }
    status = measure_directory(directory);
    rmdir(directory);
    return status;
}
