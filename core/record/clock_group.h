/* Clock groups: which ranks share CLOCK_MONOTONIC, and who of them leads.
 *
 * Ranks are taken to share it when the kernel's boot id and the offsets of their time namespace are equal; each then
 * asks the lowest of its group whether that is so: an offset interval that does not hold 0 (a snapshot of a machine
 * that runs twice, say) makes a rank a leader of its own, as does a boot id that is unknown. */
#ifndef WM_CLOCK_GROUP_H
#define WM_CLOCK_GROUP_H

#include <mpi.h>

struct wm_clock_group {
    int leader;       /* world rank that leads this one's group: itself or a lower one */
    int leader_count; /* of the job; 1: all share a clock */
    int *leaders;     /* their ranks, ascending; the first is 0 */
    int place;        /* of this rank in `leaders`, -1: it does not lead */
};

/* Collective over `comm`, whose ranks are the world's. Returns 0, -WM_ENOMEM or -WM_EMPI. */
int wm_clock_group_find(struct wm_clock_group *group, MPI_Comm comm);
void wm_clock_group_release(struct wm_clock_group *group);

#endif
