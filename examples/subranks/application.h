/* What the applications share beside their solvers: the arguments, the time, and the comparison with a serial answer.
 *
 * An application solves one problem in three variants. `original` is the program as one writes it first: it posts
 * its messages, waits for them, and computes; its superblocks are marked, so that it is also what subranks run.
 * `overlap` hides messages by hand. `nocomm` is the original with nobody to talk to: all its computation, no message,
 * and results that are wrong.
 *
 * A result is a number of doubles that have places in the whole problem, and are distributed over the ranks. At any
 * number of ranks they have to be, bit by bit, those that one rank gets that solves the whole problem alone. */
#ifndef EXAMPLES_SUBRANKS_APPLICATION_H
#define EXAMPLES_SUBRANKS_APPLICATION_H

#include <mpi.h>
#include <stdbool.h>

struct application {
    const char *name, *sized; /* "jacobi", "points a side" */
    int size, iterations;     /* unless the user says others */
    int largest;              /* size */
    bool is_exact;            /* its computations can be of exact length (exact.h) */
    /* Makes part `rank` of `ranks` of the problem; returns NULL, or why it does not fit so many ranks. Called once
     * more by rank 0, which then is the only one of one. */
    const char *(*begin)(void);
    void (*original)(void), (*overlap)(void); /* all iterations */
    long (*total)(void), (*count)(void);      /* results: of the whole problem, of this rank */
    long (*place)(long i);                    /* of this rank's result i in the whole problem */
    double (*result)(long i);
};

/* In MPI_COMM_WORLD, but for one that solves alone; the problem. */
extern int rank, ranks, size, iterations;

/* The program's: NAME [original | overlap | nocomm [SIZE [ITERATIONS [US]]]], US microseconds for exact.h, ends with
 * status 1 where the result is wrong, 2 where the arguments are. */
extern const struct application application;

/* A rank to exchange messages with: it, or MPI_PROC_NULL in `nocomm`. */
int application_neighbour(int neighbour);
/* Begin to combine numbers of all ranks in their place; in `nocomm` there is nothing to wait for. */
void application_allreduce(double *values, int count, MPI_Op operation, MPI_Request *request);

/* Where this rank is in a grid of ranks with these sides, row by row. */
void application_place(int dimensions, const int *sides, int *at);
/* The neighbour by so many ranks along a dimension; MPI_PROC_NULL where the grid ends. */
int application_beside(int dimensions, const int *sides, const int *at, int dimension, int distance);

/* Number `index` of fixed random numbers, from 0 to below 1. */
double application_random(long index);

/* Zeros, until the program ends; where there is no memory, it ends. */
double *application_doubles(long count);

/* The first of `n` things that part `part` of `parts` has; the last is in front of the next part's first. */
static inline int application_first(int n, int parts, int part)
{
    return (int)((long)n * part / parts);
}

#endif
