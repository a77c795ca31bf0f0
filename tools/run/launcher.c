/* The launcher's variables: which rank of a job this process will be. */
#include "tools/run/launcher.h"

#include <stdlib.h>

/* First the launcher that is nearest to the process: mpirun runs inside a batch job that has Slurm's variables too. */
static const struct {
    const char *rank, *size, *local_rank;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID"}, /* srun --mpi=pmix */
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
};

/* A number from 0 in an environment variable, or `fallback`. */
static int read_number(const char *variable, int fallback)
{
    const char *text = getenv(variable);
    char *end;
    long value = text != NULL ? strtol(text, &end, 10) : -1;

    return text == NULL || end == text || *end != '\0' || value < 0 || value > 1 << 30 ? fallback : (int)value;
}

struct wm_launch wm_launch_read(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        int rank = read_number(launchers[i].rank, -1);

        if (rank >= 0)
            return (struct wm_launch){.launched = true,
                                      .rank = rank,
                                      .size = read_number(launchers[i].size, -1),
                                      .local_rank = read_number(launchers[i].local_rank, rank),
                                      .spawned = getenv("OMPI_PARENT_PORT") != NULL};
    }
    return (struct wm_launch){.size = 1};
}
