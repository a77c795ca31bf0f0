/* What the applications share beside their solvers: the arguments, the time, and the comparison with a serial answer.
 */
#include "examples/subranks/application.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "examples/subranks/exact.h"

int rank, ranks, size, iterations;
double exact_us, exact_late_us;

static enum application_variant { ORIGINAL, OVERLAP, NOCOMM } variant;
static const char *const variants[] = {[ORIGINAL] = "original", [OVERLAP] = "overlap", [NOCOMM] = "nocomm"};

int application_neighbour(int neighbour)
{
    return variant == NOCOMM ? MPI_PROC_NULL : neighbour;
}

double application_random(long index)
{
    uint64_t x = (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0xd1b54a32d192ed03);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ x >> 31) >> 11) / (double)(UINT64_C(1) << 53);
}

double *application_doubles(long count)
{
    double *doubles = calloc((size_t)count + 1, sizeof *doubles);

    if (doubles == NULL) {
        fprintf(stderr, "no memory for %ld doubles\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return doubles;
}

void application_allreduce(double *values, int count, MPI_Op operation, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (variant != NOCOMM)
        MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, operation, MPI_COMM_WORLD, request);
}

void application_place(int dimensions, const int *sides, int *at)
{
    int rest = rank;

    for (int d = dimensions - 1; d >= 0; d--) {
        at[d] = rest % sides[d];
        rest /= sides[d];
    }
}

int application_beside(int dimensions, const int *sides, const int *at, int dimension, int distance)
{
    int there = at[dimension] + distance, stride = 1;

    if (there < 0 || there >= sides[dimension])
        return MPI_PROC_NULL;
    for (int d = dimension + 1; d < dimensions; d++)
        stride *= sides[d];
    return application_neighbour(rank + distance * stride);
}

/* ---- the result ---- */

/* The whole problem's, by this rank alone, which has none of its own afterwards. By the variant without markers, so
 * that what is said about superblocks does not speak of this. */
static double *solve_alone(void)
{
    double *answer = application_doubles(application.total());

    rank = 0, ranks = 1, variant = NOCOMM, exact_us = 0;
    application.begin();
    application.overlap();
    for (long i = 0; i < application.count(); i++)
        answer[application.place(i)] = application.result(i);
    return answer;
}

/* Rank 0 puts a rank's results to their places; returns how many. */
static long take_part(double *whole, int from)
{
    MPI_Status status;
    double *results;
    long *places;
    int count;

    MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    results = application_doubles(count);
    places = (long *)application_doubles(count);
    MPI_Recv(results, count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(places, count, MPI_LONG, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        whole[places[i]] = results[i];
    free(results);
    free(places);
    return count;
}

/* Rank 0 compares; returns the number of results that are not the answer's bits, and those bits in one number. */
static long compare(uint64_t *digest)
{
    long length = application.total(), taken = 0, wrong = 0;
    double *whole = application_doubles(length), *answer;

    for (int from = 0; from < ranks; from++)
        taken += take_part(whole, from);
    answer = solve_alone();
    *digest = 0;
    for (long i = 0; i < length; i++) {
        uint64_t bits;

        memcpy(&bits, &whole[i], sizeof bits);
        *digest = (*digest ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        *digest ^= *digest >> 32;
        wrong += memcmp(&whole[i], &answer[i], sizeof bits) != 0;
    }
    free(answer);
    free(whole);
    return taken == length ? wrong : length;
}

static long check(uint64_t *digest)
{
    int count = (int)application.count();
    double *results = application_doubles(count);
    long *places = (long *)application_doubles(count), wrong = 0;
    MPI_Request sends[2];

    for (int i = 0; i < count; i++) {
        results[i] = application.result(i);
        places[i] = application.place(i);
    }
    MPI_Isend(results, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(places, count, MPI_LONG, 0, 1, MPI_COMM_WORLD, &sends[1]);
    if (rank == 0)
        wrong = compare(digest);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    MPI_Bcast(&wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    free(results);
    free(places);
    return wrong;
}

/* ---- the program ---- */

/* A number in decimal, from 1 to the largest; 0: the word is none. */
static int number(const char *word, int largest)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(word, &end, 10);
    return errno == 0 && end != word && *end == '\0' && value > 0 && value <= largest ? (int)value : 0;
}

static bool read_arguments(int argc, char **argv)
{
    variant = ORIGINAL;
    if (argc > 1)
        while (variant <= NOCOMM && strcmp(argv[1], variants[variant]) != 0)
            variant++;
    size = argc > 2 ? number(argv[2], application.largest) : application.size;
    iterations = argc > 3 ? number(argv[3], INT_MAX) : application.iterations;
    exact_us = argc > 4 ? number(argv[4], INT_MAX) : 0;
    return argc <= 5 && variant <= NOCOMM && size > 0 && iterations > 0 &&
           (argc <= 4 || (exact_us > 0 && application.is_exact));
}

/* Microseconds an iteration, at the rank that takes longest. */
static double measure(void)
{
    double begin, us;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (variant == OVERLAP)
        application.overlap();
    else
        application.original();
    us = (MPI_Wtime() - begin) * 1e6 / iterations;
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return us;
}

/* What they have lasted, and how much longer than they should have. */
static void say_exact(void)
{
    double late_us = exact_late_us / iterations;

    MPI_Allreduce(MPI_IN_PLACE, &late_us, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("all computations held at %.0f us, late by %.1f; ", exact_us, late_us);
}

static int run(void)
{
    bool speaks = rank == 0;
    uint64_t digest = 0;
    const char *way = variants[variant];
    double us = measure();
    long wrong = 0;

    if (speaks)
        printf("%s: %d ranks, %s, %d %s: %.1f us an iteration; ", application.name, ranks, way, size, application.sized,
               us);
    if (exact_us > 0)
        say_exact();
    if (variant == NOCOMM) {
        if (speaks)
            printf("wrong, as nothing was sent\n");
        return 0;
    }
    wrong = check(&digest);
    if (speaks)
        printf("%s, digest %016llx\n", wrong > 0 ? "wrong" : "right", (unsigned long long)digest);
    return wrong > 0;
}

int main(int argc, char **argv)
{
    const char *unfit;
    int status = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!read_arguments(argc, argv)) {
        if (rank == 0)
            fprintf(stderr, "usage: %s [original | overlap | nocomm [SIZE, to %d [ITERATIONS%s]]]\n", application.name,
                    application.largest, application.is_exact ? " [US of all computations in an iteration]" : "");
    } else if ((unfit = application.begin()) != NULL) {
        if (rank == 0)
            fprintf(stderr, "%s: %d %s do not fit %d ranks: %s\n", application.name, size, application.sized, ranks,
                    unfit);
    } else {
        status = run();
    }
    MPI_Finalize();
    return status;
}
