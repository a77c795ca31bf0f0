/* Which ranks share CLOCK_MONOTONIC: by what the kernel says, and by asking. */
#include "core/record/clock_group.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/clock/over_mpi.h"
#include "core/data/allocate.h"
#include "core/error.h"
#include "core/hash.h"
#include "tracer/clock.h"

enum { EXCHANGES = 5 };

/* A number that ranks of one clock have in common; 0: nothing is known. */
static uint64_t find_key(void)
{
    char boot[37], offsets[128] = "";
    FILE *file;
    uint64_t key;

    wm_clock_boot_id(boot);
    if (boot[0] == '\0')
        return 0;
    key = wm_hash_add_text(WM_HASH_BEGIN, boot);
    file = fopen("/proc/self/timens_offsets", "re");
    while (file != NULL && fgets(offsets, sizeof offsets, file) != NULL)
        if (strncmp(offsets, "monotonic", 9) == 0)
            key = wm_hash_add_text(key, offsets);
    if (file != NULL)
        fclose(file);
    return key != 0 ? key : 1;
}

static int first_alike(const uint64_t *keys, int rank)
{
    for (int r = 0; r < rank && keys[rank] != 0; r++)
        if (keys[r] == keys[rank])
            return r;
    return rank;
}

/* Each asks the lowest of its group, which answers one after the other. Returns who leads this rank. */
static int ask_leader(MPI_Comm comm, const uint64_t *keys, int rank, int ranks)
{
    const struct wm_clock_way way = wm_clock_over_mpi(&(struct wm_clock_comm){.comm = comm});
    int leader = first_alike(keys, rank);
    struct wm_clock_view view;

    if (leader < rank)
        return wm_clock_ask(&way, leader, EXCHANGES, &view) && wm_offset_is_zero(&view.offset) ? leader : rank;
    for (int r = rank + 1; r < ranks && keys[rank] != 0; r++)
        if (keys[r] == keys[rank])
            wm_clock_answer(&way, r, EXCHANGES, &(struct wm_clock_view){0});
    return rank;
}

static void list_leaders(struct wm_clock_group *group, int rank, int ranks)
{
    group->place = -1;
    for (int r = 0; r < ranks; r++) {
        if (group->leaders[r] != r)
            continue;
        if (r == rank)
            group->place = group->leader_count;
        group->leaders[group->leader_count++] = r;
    }
}

int wm_clock_group_find(struct wm_clock_group *group, MPI_Comm comm)
{
    int rank, ranks, rc;
    uint64_t *keys, key = find_key();

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    memset(group, 0, sizeof *group);
    keys = wm_allocate(sizeof *keys * (size_t)ranks, "the ranks' clocks");
    group->leaders = wm_allocate(sizeof *group->leaders * (size_t)ranks, "the ranks' clocks");
    rc = PMPI_Allgather(&key, 1, MPI_UINT64_T, keys, 1, MPI_UINT64_T, comm);
    if (rc == MPI_SUCCESS) {
        group->leader = ask_leader(comm, keys, rank, ranks);
        rc = PMPI_Allgather(&group->leader, 1, MPI_INT, group->leaders, 1, MPI_INT, comm);
    }
    free(keys);
    if (rc != MPI_SUCCESS) {
        wm_clock_group_release(group);
        return -WM_EMPI;
    }
    list_leaders(group, rank, ranks);
    return 0;
}

void wm_clock_group_release(struct wm_clock_group *group)
{
    free(group->leaders);
    memset(group, 0, sizeof *group);
}
