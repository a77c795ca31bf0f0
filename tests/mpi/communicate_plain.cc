/* Statements of C++, by the plain functions. */
#include <cstdio>
#include <waymark/communicate.h>

int main(int argc, char **argv)
{
    int rank, ranks, faults = 0;
    double u[4], v[4] = {0, 0, 0, 0};
    const size_t four = 4, two = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    wm_scope *scope = wm_scope_new("v@(i + 1) % ranks <<= u@i where i in world", __FILE__, __LINE__);
    for (int turn = 0; turn < 4; turn++) {
        MPI_Request request;

        for (int i = 0; i < 4; i++)
            u[i] = 10 * turn + rank + 0.25 * i;
        wm_scope_bind_numbers(scope, "u", u, WM_DOUBLE, 1, turn == 2 ? &two : &four, 0);
        wm_scope_bind_numbers(scope, "v", v, WM_DOUBLE, 1, turn == 2 ? &two : &four, 0);
        if (turn == 3) {
            wm_scope_icommunicate(scope, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            wm_scope_communicate(scope, MPI_COMM_WORLD);
        }
        for (int i = 0; i < 4; i++)
            faults += v[i] != 10 * (turn == 2 && i > 1 ? 1 : turn) + (rank + ranks - 1) % ranks + 0.25 * i;
    }
    float w = -1;
    wm_scope_bind_numbers(scope, "v", &w, WM_FLOAT, 0, NULL, 0);
    wm_scope_bind_numbers(scope, "u", u, WM_DOUBLE, 0, NULL, 0);
    wm_scope_communicate(scope, MPI_COMM_WORLD);
    faults += w != 30 + (rank + ranks - 1) % ranks;
    wm_scope_free(scope);
    MPI_Finalize();
    if (faults > 0)
        std::fprintf(stderr, "rank %d: %d values are wrong\n", rank, faults);
    return faults > 0;
}
