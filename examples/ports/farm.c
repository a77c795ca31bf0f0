/* A farm with a poisoned end: rank 0 deals out ranges of numbers to whoever asks, and the others look for one that
 * divides a product of two primes. The first answer ends it: rank 0 poisons the port of the jobs, so that every worker
 * stops, whatever waits for it there.
 *
 * Rank 0 does two things at once: it writes the next job where there is room, and reads what comes; wm_select says
 * which of both it can do. Results come first, since they stand first in the list. */
#include <mpi.h>
#include <stdio.h>
#include <waymark/port.h>

enum { RANGE = 5000 };
static const int64_t first_prime = 1299709, second_prime = 15485863;

struct job {
    int64_t from, to; /* look at these, without the last */
};

static const struct wm_port_form job_form = {.element_bytes = sizeof(struct job)}, answers = {.number = WM_INT64};

static void stop(struct wm_ports *ports)
{
    fprintf(stderr, "farm: %s\n", wm_port_sentence(ports));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A divisor; 0: there is none in the range. */
static int64_t work(const struct job *job)
{
    for (int64_t i = job->from; i < job->to; i++)
        if (first_prime * second_prime % i == 0)
            return i;
    return 0;
}

static void be_worker(struct wm_ports *ports)
{
    struct wm_port *jobs, *results;
    struct job job;
    size_t bytes = sizeof job;

    if (wm_port_find(ports, "jobs", WM_PORT_READ, &job_form, 10, &jobs) != WM_PORT_DONE ||
        wm_port_find(ports, "results", WM_PORT_WRITE, &answers, 10, &results) != WM_PORT_DONE)
        stop(ports);
    while (wm_port_read(jobs, &job, &bytes) == WM_PORT_DONE) {
        int64_t found = work(&job);

        if (found > 0 && wm_port_write(results, &found, sizeof found) != WM_PORT_DONE)
            stop(ports);
    }
    wm_port_close(jobs);
    wm_port_close(results);
}

static int64_t be_farmer(struct wm_ports *ports, int workers)
{
    struct wm_port_form many = {.number = WM_INT64, .writers = workers}, offers = job_form;
    struct wm_port *jobs, *results;
    struct wm_alternative list[2] = {{0}};
    struct job job = {2, 2 + RANGE};
    int64_t found = 0;
    size_t bytes = sizeof found;

    offers.readers = workers; /* it is there until the last one has found it */
    if (wm_port_open(ports, "jobs", WM_PORT_WRITE, &offers, &jobs) != WM_PORT_DONE ||
        wm_port_open(ports, "results", WM_PORT_READ, &many, &results) != WM_PORT_DONE)
        stop(ports);
    list[0].port = results;
    list[1].port = jobs;
    while (wm_select(list, 2, NULL, -1) == 1) {
        if (wm_port_write(jobs, &job, sizeof job) != WM_PORT_DONE)
            stop(ports);
        job = (struct job){job.to, job.to + RANGE};
    }
    if (wm_port_read(results, &found, &bytes) != WM_PORT_DONE)
        stop(ports);
    wm_port_poison(jobs);
    wm_port_close(results);
    return found;
}

int main(int argc, char **argv)
{
    struct wm_ports *ports;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ports = wm_ports_begin(MPI_COMM_WORLD);
    if (rank > 0) {
        be_worker(ports);
    } else if (ranks > 1) {
        int64_t found = be_farmer(ports, ranks - 1);
        printf("farm: %d ranks, %lld divides the product; %s\n", ranks, (long long)found,
               found == first_prime ? "right" : "wrong");
    }
    wm_ports_end(ports);
    MPI_Finalize();
    return 0;
}
