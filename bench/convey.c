/* Conveyors beside MPI_Alltoallv, one-sided MPI and a bare ring: ns an item a rank. Run by `make bench-convey`. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/conveyors/figures.h"
#include "bench/conveyors/lives.h"
#include "bench/conveyors/targets.h"

/* Results of all cases, in the order of the table. */
struct results {
    struct bench_result *result;
    int count;
};

static void print_busy(void)
{
    double load[1];

    if (getloadavg(load, 1) == 1)
        printf("%.1f processes were ready to run in the last minute\n", load[0]);
}

static void one_case(struct results *all, const struct bench_choice *choice, const struct bench_section *section,
                     size_t item_bytes, const struct bench_load *load, int rank)
{
    struct bench_result *r = &all->result[all->count++];

    bench_measure(r, choice, section, item_bytes, load);
    if (rank == 0)
        bench_line_print(r, choice);
}

static void one_section(struct results *all, const struct bench_choice *choice, const struct bench_section *section,
                        int rank)
{
    bool sizes = section == &bench_push_pull;
    size_t fixed = section == &bench_elastic ? (size_t)choice->elastic_bytes : 8;

    if (rank == 0)
        bench_head_print(section, choice);
    for (int i = 0; i < (sizes ? choice->bytes_count : 1); i++)
        for (int load = 0; load < choice->loads_count; load++)
            one_case(all, choice, section, sizes ? choice->bytes[i] : fixed, &choice->loads[load], rank);
}

int main(int argc, char **argv)
{
    struct bench_choice choice;
    struct results all = {NULL, 0};
    int rank, ranks, status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!bench_choose(&choice, argc, argv, rank, &status)) {
        MPI_Finalize();
        return status;
    }
    all.result = calloc((size_t)(choice.loads_count * (choice.bytes_count + 3)), sizeof *all.result);
    if (rank == 0) {
        printf("%d ranks, %s of %ld rounds; ", ranks, choice.best ? "the best" : "medians", (long)choice.rounds);
        print_busy();
    }
    if (bench_named(choice.sections, BENCH_LIVES))
        bench_lives_print();
    for (const struct bench_section *const *s = bench_sections; *s != NULL; s++)
        if (bench_named(choice.sections, (*s)->name))
            one_section(&all, &choice, *s, rank);
    if (rank == 0) {
        bench_targets_print(all.result, all.count);
        if (choice.json != NULL && !bench_json_write(choice.json, &choice, all.result, all.count))
            status = 1;
    }
    for (int i = 0; i < all.count; i++)
        bench_result_release(&all.result[i]);
    free(all.result);
    MPI_Finalize();
    return status;
}
