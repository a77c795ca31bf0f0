/* What the examples share beside the communication: the arguments, the result in a line, and the time of both ways.
 *
 * An example does one thing in two ways, by MPI as it is written by hand and by statements, and compares the result of
 * each with a serial answer. What is written for the communication alone stands between the comments that lines.sh
 * counts by. */
#ifndef EXAMPLES_STATEMENTS_WAYS_H
#define EXAMPLES_STATEMENTS_WAYS_H

/* The communication of a step, number `turn` of a run or of a measurement: steps may have data of their own. */
typedef void ways_communicate(int turn);

struct ways {
    const char *name, *what; /* "shift", "4096 doubles" */
    void (*begin)(void);     /* makes the data; once */
    ways_communicate *mpi, *statement;
    long (*run)(ways_communicate *communicate); /* the program: how many of this rank's results are wrong */
    int steps;                                  /* that a measurement takes the time of */
};

/* In MPI_COMM_WORLD. */
extern int rank, ranks;

/* Be the program: `mpi` or `statement` is one way, no argument is both, and `--time` prints the time that the
 * communication of a step takes by each, the median of measurements in turn. Returns the exit status: 1 if a result is
 * wrong at any rank. */
int ways_main(const struct ways *w, int argc, char **argv);

/* The same at all ranks: number `index` of the random numbers of a seed, below `end`. */
int ways_random(unsigned seed, unsigned index, int end);

#endif
