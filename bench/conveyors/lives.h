/* What conveyors cost to have: the first of a process beside later ones, and new and free. */
#ifndef BENCH_CONVEYORS_LIVES_H
#define BENCH_CONVEYORS_LIVES_H

#define BENCH_LIVES "lives"

/* Measure, before the process has had any conveyor, and print at rank 0. Collective over MPI_COMM_WORLD. */
void bench_lives_print(void);

#endif
