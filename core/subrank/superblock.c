/* Superblocks: what the markers of <waymark/superblock.h> call in the host. */
#include "core/subrank/superblock.h"
#include <stdio.h>
#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/p2p/p2p.h"
#include "core/subrank/collective.h"
#include "waymark/superblock.h"

void wm_superblocks_check_ended(const struct wm_rank *rank, const char *function)
{
    char why[200];

    if (rank->superblock == NULL)
        return;
    snprintf(why, sizeof why, "superblock '%.100s' has not ended; put WM_SUPERBLOCK_END behind its loop",
             rank->superblock->name);
    wm_rank_end(rank, function, why);
}

WM_RANK_DOOR void wm_superblock_begin(const char *name)
{
    struct wm_rank *rank = wm_rank_enter("WM_SUPERBLOCK_BEGIN");
    struct wm_superblock *s = wm_allocate_zeroed(sizeof *s, "a superblock");

    s->name = name;
    s->below = rank->superblock;
    rank->superblock = s;
}

WM_RANK_DOOR void wm_superblock_end(void)
{
    static const char function[] = "WM_SUPERBLOCK_END";
    struct wm_rank *rank = wm_rank_enter(function);
    struct wm_superblock *s = rank->superblock;

    if (s == NULL)
        wm_rank_end(rank, function, "no superblock has begun; put WM_SUPERBLOCK_BEGIN before its loop");
    rank->superblock = s->below;
    free(s);
}

WM_RANK_DOOR void wm_superblock_region(enum wm_region region)
{
    static const char function[] = "WM_REGION";
    struct wm_rank *rank = wm_rank_enter(function);

    (void)region;
    if (rank->superblock == NULL)
        wm_rank_end(rank, function, "it stands in no superblock; put WM_SUPERBLOCK_BEGIN before its loop");
}

WM_RANK_DOOR void wm_superblock_poll(void)
{
    struct wm_rank *rank = wm_rank_enter("wm_poll");

    wm_p2p_progress(rank->process);
    wm_rank_calls_advance(rank);
}
