/* What recording costs inside a call: an allreduce of 8 bytes at the levels off, calls and detail, in turns, in one
 * run.
 *
 *   mpirun -n 2 waymark run -m MAP [-t DIR] -- recording_calls
 *
 * With a trace the three levels are compared: per call, and per event, as many as the trace's head has gone up. Without
 * one the time of a call is printed alone, for whoever compares runs. Medians of batches, and the least. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench/sample.h"
#include "tracer/file.h"

enum { LEVELS = 3, BATCHES = 301, CALLS = 1000 };

static int rank;
static const struct wm_trace_header *header; /* of this rank's trace; NULL: there is none */

static void find_trace(void)
{
    const char *directory = getenv("WAYMARK_TRACE");
    char name[4096];
    int file;

    if (directory == NULL || directory[0] == '\0')
        return;
    snprintf(name, sizeof name, "%s/rank-%05d.trace", directory, rank);
    file = open(name, O_RDONLY);
    header = file >= 0 ? mmap(NULL, sizeof *header, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    if (header == MAP_FAILED) {
        fprintf(stderr, "recording_calls: no trace '%s'\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    close(file);
}

static uint64_t events(void)
{
    return header != NULL ? atomic_load(&header->head) : 0;
}

static double batch_ns(void)
{
    double in = 1, out, begin;

    PMPI_Barrier(MPI_COMM_WORLD);
    begin = PMPI_Wtime();
    for (int i = 0; i < CALLS; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (PMPI_Wtime() - begin) * 1e9 / CALLS;
}

static void print_level(const char *name, const double *ns, double per_call, const double *off)
{
    double median = ns[BATCHES / 2], least = ns[0];

    printf("  %-7s %9.1f %9.1f %8.2f", name, median, least, per_call);
    if (off != ns && per_call > 0)
        printf(" %9.3f %9.3f %8.1f %8.1f", median / off[BATCHES / 2], least / off[0],
               (median - off[BATCHES / 2]) / per_call, (least - off[0]) / per_call);
    putchar('\n');
}

int main(int argc, char **argv)
{
    static const char *const names[LEVELS] = {"off", "calls", "detail"};
    static double ns[LEVELS][BATCHES];
    uint64_t written[LEVELS] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    find_trace();
    for (int i = 0; i < 3; i++)
        batch_ns();
    for (int i = 0; i < BATCHES; i++)
        for (int level = 0; level < LEVELS; level++) {
            uint64_t before;

            MPI_Pcontrol(level);
            before = events();
            ns[level][i] = batch_ns();
            written[level] += events() - before;
        }
    for (int level = 0; level < LEVELS; level++)
        bench_median(ns[level], BATCHES);
    if (rank == 0 && header != NULL)
        printf("  %-7s %9s %9s %8s %9s %9s %8s %8s\n", "level", "ns a call", "least", "events", "ratio", "of least",
               "ns/event", "of least");
    for (int level = 0; rank == 0 && header != NULL && level < LEVELS; level++)
        print_level(names[level], ns[level], (double)written[level] / BATCHES / CALLS, ns[0]);
    if (rank == 0 && header == NULL)
        printf("untraced %.1f %.1f\n", ns[0][BATCHES / 2], ns[0][0]);
    MPI_Finalize();
    return 0;
}
