/* What the parts of random programs share (random_programs.c). */
#ifndef WM_TESTS_RANDOM_PROGRAMS_H
#define WM_TESTS_RANDOM_PROGRAMS_H

#include <mpi.h>
#include <stdint.h>

/* Less than this, alike at all ranks. */
int below(int limit);
/* What a rank brings. */
int32_t number_of(int rank, int i);
int64_t *numbers(int count);
/* Put what came into the sum, in any order. */
void note(uint64_t what);
void note_numbers(const int64_t *got, int count);
void check(int right, const char *what);

#define OK(call) check((call) == MPI_SUCCESS, #call)

/* A round between two sides of a communicator of at least two ranks: messages, collectives, a merge. */
void cross(MPI_Comm comm, int rank, int size);

#endif
