/* Mandelbrot by workers: rows are numbered jobs, which differ much in length, so nobody deals them out: whoever is free
 * reads the next number. Rank 0 closes when it has written them, workers when a read says so, and then all is drawn. */
#include <mpi.h>
#include <stdio.h>
#include <waymark/port.h>

enum { WIDTH = 72, HEIGHT = 32, LIMIT = 5000 };

struct row {
    int32_t number;
    char picture[WIDTH];
};

static const struct wm_port_form numbers = {.number = WM_INT32, .capacity = HEIGHT};
static const struct wm_port_form pictures = {.element_bytes = sizeof(struct row)};

static void stop(struct wm_ports *ports)
{
    fprintf(stderr, "mandelbrot: %s\n", wm_port_sentence(ports));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int steps(double x, double y)
{
    double a = 0, b = 0;
    int n = 0;

    for (double next; n < LIMIT && a * a + b * b < 4; n++, a = next) {
        next = a * a - b * b + x;
        b = 2 * a * b + y;
    }
    return n;
}

static void draw(struct row *row)
{
    for (int i = 0; i < WIDTH; i++)
        row->picture[i] = " .:-=+*%#@"[steps(-2.2 + 3.2 * i / WIDTH, -1.2 + 2.4 * row->number / HEIGHT) % 10];
}

static void be_worker(struct wm_ports *ports)
{
    struct wm_port *jobs, *rows;
    struct row row;

    if (wm_port_find(ports, "numbers", WM_PORT_READ, &numbers, 10, &jobs) != WM_PORT_DONE ||
        wm_port_find(ports, "rows", WM_PORT_WRITE, &pictures, 10, &rows) != WM_PORT_DONE)
        stop(ports);
    while (wm_port_read(jobs, &row.number, &(size_t){sizeof row.number}) == WM_PORT_DONE) {
        draw(&row);
        if (wm_port_write(rows, &row, sizeof row) != WM_PORT_DONE)
            stop(ports);
    }
    wm_port_close(jobs);
    wm_port_close(rows);
}

static int gather(struct wm_ports *ports, int workers, struct row picture[HEIGHT])
{
    const struct wm_port_form form = {.element_bytes = sizeof(struct row), .writers = workers};
    struct wm_port_form offers = numbers;
    struct wm_port *jobs, *rows;
    struct row row;
    int count = 0;

    offers.readers = workers; /* it is there until the last one has found it */
    if (wm_port_open(ports, "numbers", WM_PORT_WRITE, &offers, &jobs) != WM_PORT_DONE ||
        wm_port_open(ports, "rows", WM_PORT_READ, &form, &rows) != WM_PORT_DONE)
        stop(ports);
    for (int32_t i = 0; i < HEIGHT; i++) /* there is room for all */
        if (wm_port_write(jobs, &i, sizeof i) != WM_PORT_DONE)
            stop(ports);
    wm_port_close(jobs);
    for (; wm_port_read(rows, &row, &(size_t){sizeof row}) == WM_PORT_DONE; count++)
        picture[row.number] = row;
    wm_port_close(rows);
    return count;
}

int main(int argc, char **argv)
{
    static struct row picture[HEIGHT];
    struct wm_ports *ports;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ports = wm_ports_begin(MPI_COMM_WORLD);
    if (rank > 0) {
        be_worker(ports);
    } else if (ranks > 1) {
        int rows = gather(ports, ranks - 1, picture);
        for (int i = 0; i < HEIGHT; i++)
            printf("%.*s\n", WIDTH, picture[i].picture);
        printf("mandelbrot: %d ranks, %d rows; %s\n", ranks, rows, rows == HEIGHT ? "right" : "wrong");
    }
    wm_ports_end(ports);
    MPI_Finalize();
    return 0;
}
