/* The tree of guards: doors opened, and told to all nodes. */
#include "core/job/guard_tree.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "core/process/process.h"

/* The guard's own numbers are below: files that it is given must not be in each other's way. */
enum { FILES_FROM = WM_GUARD_DOOR + 1 };

static int move_up(int file)
{
    int moved = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, FILES_FROM) : -1;

    if (file >= 0)
        close(file);
    return moved;
}

static int add_addresses(struct wm_guard_door *door, const struct ifaddrs *all, unsigned loopback)
{
    int count = 0;

    for (const struct ifaddrs *i = all; i != NULL && count < WM_GUARD_ADDRESSES; i = i->ifa_next)
        if (i->ifa_addr != NULL && i->ifa_addr->sa_family == AF_INET && (i->ifa_flags & IFF_UP) != 0 &&
            (i->ifa_flags & IFF_LOOPBACK) == loopback)
            door->addresses[count++] = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr.s_addr;
    return count;
}

/* Where a host has no net, what look like several hosts are one. */
static void find_addresses(struct wm_guard_door *door)
{
    struct ifaddrs *all = NULL;

    if (getifaddrs(&all) < 0)
        return;
    if (add_addresses(door, all, 0) == 0)
        add_addresses(door, all, IFF_LOOPBACK);
    freeifaddrs(all);
}

/* At any address of the host, at a port that the system chooses. */
static int open_door(struct wm_guard_door *door)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t bytes = sizeof at;
    int file = move_up(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));

    if (file < 0 || bind(file, (struct sockaddr *)&at, sizeof at) < 0 || listen(file, WM_GUARD_CHILDREN) < 0 ||
        getsockname(file, (struct sockaddr *)&at, &bytes) < 0)
        return file;
    door->port = at.sin_port;
    find_addresses(door);
    return file;
}

/* A pipe that has it, and holds it until it is read. */
static int write_down(const struct wm_guard_start *start)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    if (write(ends[1], start, sizeof *start) != (ssize_t)sizeof *start) {
        close(ends[0]);
        ends[0] = -1;
    }
    close(ends[1]);
    return move_up(ends[0]);
}

/* The first ranks of all nodes, by rank: so rank 0's node is the tree's root. */
static void meet(struct wm_guard_tree *t, MPI_Comm firsts, const uint8_t *key)
{
    struct wm_guard_start start = {.ranks = wm_process.world_ranks};
    struct wm_guard_door own = {0}, *doors;
    int node, nodes;

    PMPI_Comm_rank(firsts, &node);
    PMPI_Comm_size(firsts, &nodes);
    doors = calloc((size_t)nodes, sizeof *doors);
    t->door = open_door(&own);
    PMPI_Allgather(&own, sizeof own, MPI_BYTE, doors, sizeof own, MPI_BYTE, firsts);
    memcpy(start.key, key, sizeof start.key);
    for (int i = node; i > 0 && start.ancestor_count < WM_GUARD_ANCESTORS; i = wm_guard_parent(i))
        start.ancestors[start.ancestor_count++] = doors[wm_guard_parent(i)];
    free(doors);
    t->start = write_down(&start);
}

void wm_guard_tree_make(struct wm_guard_tree *t, bool first, const uint8_t key[WM_KEY_BYTES])
{
    const struct wm_process *p = &wm_process;
    MPI_Comm firsts;

    *t = (struct wm_guard_tree){-1, -1};
    if (p->world_ranks > WM_GUARD_RANKS || wm_grid_count_nodes(p->places, p->world_ranks) < 2 ||
        PMPI_Comm_split(MPI_COMM_WORLD, first ? 0 : MPI_UNDEFINED, 0, &firsts) != MPI_SUCCESS || !first)
        return;
    meet(t, firsts, key);
    PMPI_Comm_free(&firsts);
}

void wm_guard_tree_release(struct wm_guard_tree *t)
{
    if (t->start >= 0)
        close(t->start);
    if (t->door >= 0)
        close(t->door);
}
