/* The memory of a node: parts of communicators agree between ranks, begin zeroed, are given back; and what is left
 * behind. */
#include <dirent.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "core/node/node.h"
#include "core/node/memory.h"

enum { KEYS = 400, ROUNDS = 200 };

static int rank, ranks, nodes, faults;
static struct wm_place *places;

static void check(int line, int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "nodes: rank %d, line %d: not: %s\n", rank, line, what);
}

#define CHECK(right) check(__LINE__, right, #right)

static int count_in_maps(const char *text)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int count = 0;

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, text) != NULL;
    if (maps != NULL)
        fclose(maps);
    return count;
}

static int count_open_files(const char *text)
{
    DIR *directory = opendir("/proc/self/fd");
    struct dirent *entry;
    int count = 0;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char target[512] = "";

        if (readlinkat(dirfd(directory), entry->d_name, target, sizeof target - 1) > 0)
            count += strstr(target, text) != NULL;
    }
    if (directory != NULL)
        closedir(directory);
    return count;
}

static size_t bytes_of(int key)
{
    return (size_t)key * 37 % 9000 + 1;
}

static int is_zero(const char *part, size_t bytes)
{
    size_t i = 0;

    while (i < bytes && part[i] == 0)
        i++;
    return i == bytes;
}

/* Each rank asks in another order; adds to what it finds; all see the sum. */
static void check_parts(struct wm_node *node, MPI_Comm comm, int keys)
{
    keys = node->size > 1 ? keys : 0;
    for (int i = 0; i < keys; i++) {
        int key = (i * 7 + node->self * 131) % keys;
        char *part = wm_node_part(node, (uint64_t)key, bytes_of(key) + sizeof(_Atomic int));

        CHECK(part != NULL && ((uintptr_t)part & 4095) == 0);
        CHECK(part != NULL && is_zero(part + sizeof(_Atomic int), bytes_of(key)));
        if (part != NULL)
            atomic_fetch_add((_Atomic int *)part, key + 1);
    }
    MPI_Barrier(comm);
    for (int key = 0; key < keys; key++) {
        char *part = wm_node_part(node, (uint64_t)key, bytes_of(key) + sizeof(_Atomic int));

        CHECK(part != NULL && atomic_load((_Atomic int *)part) == node->size * (key + 1));
    }
    MPI_Barrier(comm);
    for (int key = node->self; key < keys; key += node->size)
        memset(wm_node_part(node, (uint64_t)key, bytes_of(key) + sizeof(_Atomic int)), 0x5a, bytes_of(key));
}

static void check_ranks(const struct wm_node *node, const int *world, int size)
{
    int found = 0;

    for (int r = 0; r < size; r++) {
        int here = places[world[r]].node == places[rank].node;

        CHECK((node->local[r] >= 0) == here);
        CHECK(!here || (node->local[r] == found && node->ranks[found] == r));
        CHECK(world[r] != rank || node->self == found);
        CHECK(world[r] != rank || wm_node_process_id(node, node->self) == getpid());
        found += here;
    }
    CHECK(node->size == found);
}

static struct wm_node *shared_node(const struct wm_place *of, int size, MPI_Comm comm)
{
    struct wm_node *node;
    int self;

    MPI_Comm_rank(comm, &self);
    node = wm_node_new(of, size, self);
    wm_node_share_area(node, comm);
    return node;
}

/* MPI_COMM_WORLD, and its ranks backwards without the last, twice. */
static void check_communicators(void)
{
    struct wm_place *some = calloc((size_t)ranks, sizeof *some);
    int *world = calloc((size_t)ranks, sizeof *world), size;
    struct wm_node *first, *second;
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1, -rank, &comm);
    MPI_Comm_size(comm, &size);
    MPI_Allgather(&rank, 1, MPI_INT, world, 1, MPI_INT, comm);
    for (int r = 0; r < size; r++)
        some[r] = places[world[r]];
    first = shared_node(some, size, comm);
    check_ranks(first, world, size);
    check_parts(first, comm, KEYS);
    CHECK(first->size > 1 || wm_node_part(first, 0, 8) == NULL);
    second = shared_node(some, size, comm);
    check_ranks(second, world, size);
    CHECK(first->size == 1 || first->area != second->area);
    wm_node_free(first);
    check_parts(second, comm, KEYS);
    wm_node_free(second);
    MPI_Comm_free(&comm);
    free(some);
    free(world);
}

static struct wm_node *world_node(void)
{
    return shared_node(places, ranks, MPI_COMM_WORLD);
}

/* Communicators come and go, and the memory does not grow. */
static void check_reuse(void)
{
    struct wm_node *lasting = world_node();
    uint64_t after_one = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct wm_node *node = world_node(), *other = world_node();
        char *big, *small;

        big = wm_node_part(node, 1, 3000000);
        small = wm_node_part(other, 2, 100);

        CHECK((node->size > 1) == (big != NULL) && (big == NULL) == (small == NULL));
        CHECK(big == NULL || (big[4096] == 0 && big[2999999] == 0 && small[99] == 0));
        MPI_Barrier(MPI_COMM_WORLD);
        if (big != NULL)
            big[4096] = big[2999999] = small[99] = 1;
        wm_node_free(node);
        wm_node_free(other);
        MPI_Barrier(MPI_COMM_WORLD);
        if (round == 1 && wm_memory != NULL)
            after_one = wm_memory->next;
    }
    CHECK(wm_memory == NULL || wm_memory->next == after_one);
    MPI_Barrier(MPI_COMM_WORLD);
    wm_node_free(lasting);
}

/* Where there is no more, there is none for all, for good. */
static void check_exhaustion(void)
{
    struct wm_node *node = world_node();
    int got = 0, most, least;

    for (uint64_t key = 0; node->size > 1 && key < 300; key++)
        got += wm_node_part(node, key, (size_t)1 << 30) != NULL;
    MPI_Allreduce(&got, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&got, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (node->size == ranks)
        CHECK(most == least && most < 300);
    CHECK(wm_node_part(node, 299, (size_t)1 << 30) == NULL);
    CHECK(wm_node_part(node, 1000, SIZE_MAX / 2) == NULL);
    wm_node_free(node);
}

static void check_single_copy(void)
{
    const char *why;
    size_t bytes = wm_node_single_copy_bytes(), most, least;
    bool allowed = wm_node_single_copy_allowed(&why);

    CHECK(bytes == wm_node_single_copy_bytes());
    CHECK(allowed || bytes == SIZE_MAX);
    MPI_Allreduce(&bytes, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&bytes, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    CHECK(nodes > 1 || most == least);
    if (rank == 0)
        printf("single copy: %s, from %zu bytes on\n", allowed ? "allowed" : why, bytes);
}

/* Each has been in the memory: then the last one ends as it is told to. */
static void end_badly(const char *how)
{
    struct wm_node *node = world_node();

    CHECK(wm_node_part(node, 5, 100000) != NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1 && strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (rank == ranks - 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void start(void)
{
    places = calloc((size_t)ranks, sizeof *places);
    for (int r = 0; r < ranks; r++) {
        places[r].world_rank = r;
        places[r].node = r % nodes;
        snprintf(places[r].host, sizeof places[r].host, "node%d", r % nodes);
    }
    wm_node_start(places, 1);
    CHECK(count_open_files("waymark") == 0);
}

static void limit(int resource, const char *bytes)
{
    struct rlimit limit = {strtoul(bytes, NULL, 10), strtoul(bytes, NULL, 10)};

    setrlimit(resource, &limit);
}

/* nodes NODES [abort | kill | denied | allowed [BYTES-OF-FILES | - [BYTES-OF-ADDRESSES]]]: limits that begin after
 * MPI_Init
 */
int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "";
    int all;

    MPI_Init(&argc, &argv);
    nodes = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 3 && argv[3][0] != '-')
        limit(RLIMIT_FSIZE, argv[3]);
    if (argc > 4)
        limit(RLIMIT_AS, argv[4]);
    start();
    if (strcmp(how, "abort") == 0 || strcmp(how, "kill") == 0)
        end_badly(how);
    CHECK((strcmp(how, "denied") == 0 || ranks <= nodes) == (wm_memory == NULL) || nodes > 1);
    CHECK(count_in_maps("memfd:waymark") == (wm_memory != NULL));
    if (wm_memory != NULL)
        check_communicators();
    check_reuse();
    check_exhaustion();
    check_single_copy();
    wm_node_stop();
    CHECK(count_in_maps("memfd:waymark") == 0);
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(places);
    MPI_Finalize();
    return all != 0;
}
