/* MPI among subranks, without programs that are loaded: the host's own functions are what the subranks run.
 *
 * subrank EACH[/WORKERS]: that many subranks in each process. subrank EACH FAULT: subrank 1 makes a fault that ends the
 * job. */
#include "tests/mpi/subrank.h"
#include <stdatomic.h>
#include "core/subrank/schedule.h"
#include "core/subrank/world.h"

static const struct named {
    const char *name;
    subrank_case *run;
} cases[] = {
    {"messages", subrank_messages},     {"requests", subrank_requests},
    {"probes", subrank_probes},         {"generalized", subrank_generalized},
    {"random", subrank_random},         {"groups", subrank_groups},
    {"comms", subrank_comms},           {"attributes", subrank_attributes},
    {"handlers", subrank_handlers},     {"cart", subrank_cart},
    {"graphs", subrank_graphs},         {"moving", subrank_moving},
    {"combining", subrank_combining},   {"immediate", subrank_immediate},
    {"neighbours", subrank_neighbours}, {"inter", subrank_inter},
    {"crossing", subrank_crossing},     {"later", subrank_later},
    {"persistent", subrank_persistent},
};

static atomic_int faults;
static const char *fault;

void subrank_check(int rank, const char *file, int line, bool right, const char *what)
{
    if (!right && faults++ < 10)
        fprintf(stderr, "%s:%d: rank %d: not: %s\n", file, line, rank, what);
}

static void make_fault(void)
{
    MPI_Win window;
    int number = 0;

    if (strcmp(fault, "window") == 0)
        MPI_Win_create(&number, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    else if (strcmp(fault, "rank") == 0)
        MPI_Send(&number, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD);
    else if (strcmp(fault, "handle") == 0)
        MPI_Send(&number, 1, MPI_INT, 0, 0, (MPI_Comm)&number);
    else if (strcmp(fault, "twice") == 0)
        MPI_Init(NULL, NULL);
}

static void run(void *with, int number)
{
    int rank, size, each = *(int *)with, flag, named = 0;

    MPI_Initialized(&flag);
    subrank_check(number, __FILE__, __LINE__, !flag, "not initialized before MPI_Init");
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(rank % each == number);
    if (fault != NULL && rank == 1)
        make_fault();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        cases[i].run(rank, size);
        if (faults > 0 && named++ == 0)
            fprintf(stderr, "faults up to case: %s\n", cases[i].name);
    }
    MPI_Finalize();
    MPI_Finalized(&flag);
    CHECK(flag);
}

int main(int argc, char **argv)
{
    int each = 1, workers = 1, given, all;
    struct wm_error error = {0};

    fault = argc > 2 ? argv[2] : NULL;
    if (argc > 1)
        sscanf(argv[1], "%d/%d", &each, &workers);
    PMPI_Init_thread(&argc, &argv, workers > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
    if (wm_world_start(each, "subrank", &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    if (wm_schedule_run(&(struct wm_schedule_parts){.count = each,
                                                    .workers = workers,
                                                    .stack_bytes = 1 << 20,
                                                    .run = run,
                                                    .with = &each,
                                                    .rest = wm_world_rest},
                        &error) < 0)
        faults += fprintf(stderr, "%s\n", error.text) > 0;
    wm_world_stop();
    PMPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Finalize();
    return all > 0;
}
