/* A ring with a token: each rank has a port of its own, and writes to the next one's. The token counts its hops; when
 * it has gone round as often as it should, rank 0 closes its end, and the end goes round, too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <waymark/port.h>

static void stop(struct wm_ports *ports)
{
    fprintf(stderr, "ring: %s\n", wm_port_sentence(ports));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    const struct wm_port_form form = {.number = WM_INT64};
    int rank, ranks, rounds = argc > 1 ? atoi(argv[1]) : 1000, error;
    int64_t token = 0;
    size_t bytes = sizeof token;
    struct wm_ports *ports;
    struct wm_port *in, *out;
    char name[32];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ports = wm_ports_begin(MPI_COMM_WORLD);
    snprintf(name, sizeof name, "ring %d", rank);
    if (wm_port_open(ports, name, WM_PORT_READ, &form, &in) != WM_PORT_DONE)
        stop(ports);
    snprintf(name, sizeof name, "ring %d", (rank + 1) % ranks);
    if (wm_port_find(ports, name, WM_PORT_WRITE, &form, 10, &out) != WM_PORT_DONE)
        stop(ports);
    if (rank == 0 && wm_port_write(out, &token, sizeof token) != WM_PORT_DONE)
        stop(ports);
    while ((error = wm_port_read(in, &token, &bytes)) == WM_PORT_DONE) {
        token++;
        if (rank == 0 && token == (int64_t)rounds * ranks)
            break;
        if (wm_port_write(out, &token, sizeof token) != WM_PORT_DONE)
            stop(ports);
    }
    wm_port_close(out); /* the next one's read says so */
    if (rank > 0 && error != WM_PORT_ENDED)
        stop(ports);
    if (rank == 0)
        printf("ring: %d ranks, a token made %lld hops; %s\n", ranks, (long long)token,
               wm_port_read(in, &token, &bytes) == WM_PORT_ENDED ? "right" : "it goes on");
    wm_port_close(in);
    wm_ports_end(ports);
    MPI_Finalize();
    return 0;
}
