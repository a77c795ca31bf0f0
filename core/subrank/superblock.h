/* Superblocks of a subrank: a stack, on whose top the markers of <waymark/superblock.h> work; and what is known of
 * them.
 *
 * Outside of `compute` and `unpack` regions a superblock counts what its subrank starts to receive and to send. Such a
 * region begins when none of that is left; the subrank sleeps until then, and comes behind those that are ready, or, if
 * it has sent to another process, behind those of them that have, too. From there on it runs, through the regions that
 * receive and send for the next iteration, until it has to wait. So its messages leave as early as they can; why this
 * order is in README.md. */
#ifndef WM_SUBRANK_SUPERBLOCK_H
#define WM_SUBRANK_SUPERBLOCK_H

#include "core/subrank/advice.h"
#include "core/subrank/rank.h"
#include "waymark/superblock.h"

/* What a subrank has done in superblocks of one name. */
struct wm_superblock_record {
    struct wm_superblock_record *next; /* of the rank's, the last new name first */
    const char *name;
    uint32_t number; /* in the trace */
    struct wm_superblock_times times;
};

struct wm_superblock {
    struct wm_superblock *below; /* which began before and has not ended; of one that is over: another one */
    struct wm_superblock_record *record;
    enum wm_region region;
    struct wm_p2p_tally needed, deferred; /* deferred: sends that a compute region does not wait for */
    uint64_t since_ns;                    /* when it began or went on to compute; 0: it does not */
    uint64_t computed_ns;                 /* since its last record in the trace */
    bool interrupts;                      /* it began in a region in which the one below computes */
};

/* End the job where a rank that is about to leave MPI has a superblock that has not ended. */
void wm_superblocks_check_ended(const struct wm_rank *rank, const char *function);
/* Say, where the settings want it, of the superblocks of each name what was hidden, what not and why, and how many
 * subranks there should be. All subranks have ended. Collective over the processes. */
void wm_superblocks_report(void);
/* Free what a rank had; nothing of it is under way. */
void wm_superblocks_free(struct wm_rank *rank);

/* A rank gives up the processor in a region: stop its clock of computing. True: it ran, and is to be started again. */
bool wm_superblock_stop_clock(struct wm_rank *rank);
void wm_superblock_start_clock(struct wm_rank *rank);
/* No subrank of the process is ready, from now on; this rank can go on. */
void wm_superblocks_idle(void);
void wm_superblocks_go_on(struct wm_rank *rank);

/* A nonblocking collective begins: in a `receive` region it counts as a receive. */
bool wm_superblock_receives(const struct wm_rank *rank);

#endif
