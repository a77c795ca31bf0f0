/* In place of PMPI's functions that start or find processes: print what they are given, so that tests need none.
 *
 * Spawning for real ends in a hang once in ten runs with Open MPI 4.1.4 on two cores, without us too. The
 * "intercommunicator" is a duplicate. What counts at the root alone is looked at there alone. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

static bool at_root(int root, MPI_Comm comm)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

static void print_command(const char *command, char **argv, int maxprocs)
{
    printf("spawn %d of '%s'", maxprocs, command);
    if (argv == MPI_ARGV_NULL)
        printf(" without arguments");
    else
        while (*argv != NULL)
            printf(" '%s'", *argv++);
    printf("\n");
    fflush(stdout);
}

static void fill_codes(int *codes, int count)
{
    if (codes != MPI_ERRCODES_IGNORE)
        for (int i = 0; i < count; i++)
            codes[i] = 10 + i;
}

int PMPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                    MPI_Comm *intercomm, int array_of_errcodes[])
{
    (void)info;
    if (at_root(root, comm))
        print_command(command, argv, maxprocs);
    fill_codes(array_of_errcodes, maxprocs);
    return PMPI_Comm_dup(comm, intercomm);
}

int PMPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                             const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm,
                             MPI_Comm *intercomm, int array_of_errcodes[])
{
    if (at_root(root, comm))
        for (int i = 0; i < count; i++) {
            print_command(array_of_commands[i], array_of_argv == MPI_ARGVS_NULL ? MPI_ARGV_NULL : array_of_argv[i],
                          array_of_maxprocs[i]);
            if (array_of_info[i] != MPI_INFO_NULL)
                printf("with an info\n");
        }
    fill_codes(array_of_errcodes, 2);
    return PMPI_Comm_dup(comm, intercomm);
}

static int print_port(const char *verb, const char *port_name, int root, MPI_Comm comm, MPI_Comm *newcomm)
{
    if (at_root(root, comm)) {
        printf("%s '%s'\n", verb, port_name);
        fflush(stdout);
    }
    return PMPI_Comm_dup(comm, newcomm);
}

int PMPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm)
{
    (void)info;
    return print_port("accept", port_name, root, comm, newcomm);
}

int PMPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm)
{
    (void)info;
    return print_port("connect", port_name, root, comm, newcomm);
}
