/* What ports cost: a token round a ring of all ranks, beside MPI_Send and MPI_Recv; a farm whose jobs take no time and
 * one whose take some, by its workers; a choice among many ports. Medians of runs that take turns. */
#include <mpi.h>
#include <stdio.h>
#include <waymark/port.h>
#include "bench/sample.h"

enum { RUNS = 7, HOPS = 4000, JOBS = 4000, CHOICES = 1000, ROUNDS = 20 };

static int rank, ranks;
static struct wm_ports *ports;

static void check(int error)
{
    if (error == WM_PORT_DONE)
        return;
    fprintf(stderr, "port: %s\n", wm_port_sentence(ports));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- a token ---- */

static void hop_by_mpi(struct wm_port *in, struct wm_port *out, int64_t *token, int sends)
{
    (void)in, (void)out;
    if (sends)
        MPI_Send(token, 1, MPI_INT64_T, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(token, 1, MPI_INT64_T, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void hop_by_port(struct wm_port *in, struct wm_port *out, int64_t *token, int sends)
{
    if (sends)
        check(wm_port_write(out, token, sizeof *token));
    else
        check(wm_port_read(in, token, &(size_t){sizeof *token}));
}

static double hop_ns(void (*hop)(struct wm_port *, struct wm_port *, int64_t *, int), struct wm_port *in,
                     struct wm_port *out)
{
    int rounds = HOPS / ranks;
    int64_t token = 0;
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0)
            hop(in, out, &token, 1);
        hop(in, out, &token, 0);
        token++;
        if (rank > 0)
            hop(in, out, &token, 1);
    }
    return (MPI_Wtime() - start) * 1e9 / rounds / ranks;
}

static void measure_token(void)
{
    double by_port[RUNS], by_mpi[RUNS];
    struct wm_port *in, *out;
    char name[32];

    snprintf(name, sizeof name, "ring %d", rank);
    check(wm_port_open(ports, name, WM_PORT_READ, NULL, &in));
    snprintf(name, sizeof name, "ring %d", (rank + 1) % ranks);
    check(wm_port_find(ports, name, WM_PORT_WRITE, NULL, 10, &out));
    for (int run = -1; run < RUNS; run++) {
        double port_ns = hop_ns(hop_by_port, in, out), mpi_ns = hop_ns(hop_by_mpi, NULL, NULL);

        if (run >= 0) {
            by_port[run] = port_ns;
            by_mpi[run] = mpi_ns;
        }
    }
    if (rank == 0)
        printf("a token through %d ranks: %.0f ns a hop by ports, %.0f by MPI_Send and MPI_Recv\n", ranks,
               bench_median(by_port, RUNS), bench_median(by_mpi, RUNS));
    wm_port_close(in);
    wm_port_close(out);
}

/* ---- a farm ---- */

static void spend(double us)
{
    for (double end = MPI_Wtime() + us * 1e-6; us > 0 && MPI_Wtime() < end;)
        continue;
}

/* Rank 0 writes the jobs, the first so many others take them. us a job. */
static double farm_us(int number, int workers, double job_us)
{
    const struct wm_port_form form = {.number = WM_INT32, .capacity = 64, .readers = workers};
    struct wm_port *jobs;
    char name[32];
    int32_t job = 0;
    double start;

    snprintf(name, sizeof name, "farm %d", number);
    if (rank == 0)
        check(wm_port_open(ports, name, WM_PORT_WRITE, &form, &jobs));
    else if (rank <= workers)
        check(wm_port_find(ports, name, WM_PORT_READ, &form, 10, &jobs));
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; rank == 0 && i < JOBS; i++)
        check(wm_port_write(jobs, &i, sizeof i));
    while (rank > 0 && rank <= workers && wm_port_read(jobs, &job, &(size_t){sizeof job}) == WM_PORT_DONE)
        spend(job_us);
    if (rank <= workers)
        wm_port_close(jobs);
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) * 1e6 / JOBS;
}

static void measure_farms(void)
{
    static const double jobs_us[] = {0, 20};
    int number = 0;

    for (int workers = 1; workers < ranks; workers++)
        for (int kind = 0; kind < 2; kind++) {
            double times[RUNS], time;

            for (int run = 0; run < RUNS; run++)
                times[run] = farm_us(number++, workers, jobs_us[kind]);
            time = bench_median(times, RUNS);
            if (rank == 0)
                printf("a farm with %d workers, jobs of %g us: %.2f us a job\n", workers, jobs_us[kind], time);
        }
}

/* ---- a choice ---- */

/* All of the ports have a message, or one of them has. ns to choose and to read. */
static double choice_ns(struct wm_alternative *list, struct wm_port *const *writers, int full, int *turn)
{
    int64_t number = 0;
    double spent = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double start;

        for (int i = 0; i < CHOICES; i += full ? 1 : CHOICES)
            check(wm_port_write(writers[(i + 7 * round) % CHOICES], &number, sizeof number));
        start = MPI_Wtime();
        for (int chosen; (chosen = wm_select(list, CHOICES, turn, 0)) >= 0;)
            check(wm_port_read(list[chosen].port, &number, &(size_t){sizeof number}));
        spent += MPI_Wtime() - start;
    }
    return spent * 1e9 / ROUNDS / (full ? CHOICES : 1);
}

static void measure_choice(void)
{
    static struct wm_alternative list[CHOICES];
    static struct wm_port *writers[CHOICES];
    int turn = 0;
    char name[32];

    for (int i = 0; i < CHOICES; i++) {
        snprintf(name, sizeof name, "choice %d of %d", i, rank);
        check(wm_port_open(ports, name, WM_PORT_READ, NULL, &list[i].port));
        check(wm_port_find(ports, name, WM_PORT_WRITE, NULL, 10, &writers[i]));
    }
    if (rank == 0) {
        printf("a choice among %d ports and its read, all ready: %.0f ns fairly, ", CHOICES,
               choice_ns(list, writers, 1, &turn));
        printf("%.0f by priority; one ready, and a look that finds none: %.0f ns\n", choice_ns(list, writers, 1, NULL),
               choice_ns(list, writers, 0, NULL));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ports = wm_ports_begin(MPI_COMM_WORLD);
    measure_token();
    measure_farms();
    measure_choice();
    wm_ports_end(ports);
    MPI_Finalize();
    return 0;
}
