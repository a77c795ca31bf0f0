/* Agreement: before anything collective is done, all ranks of MPI_COMM_WORLD find out whether Waymark is loaded in each
 * of them, and in the same version. Where it is not, one rank says so by name, instead of a job that hangs.
 *
 * Two protocols, on the two highest tags of MPI_COMM_WORLD, with messages of one size and form for all versions:
 *
 * *Rounds*: a dissemination. In round k a rank tells the rank 2^k behind it whether all that it heard so far are of its
 *   version. After log2 P rounds everyone has heard from everyone, and all know alike whether all agree. This is all
 * that happens in a job that is in order. *Roll call*: begins when the rounds find a difference, or have not ended
 * within WAYMARK_START_DEADLINE seconds, or when another rank's roll call is heard. Each rank names itself (host,
 * version) to at most 64 ranks spread over the job, and to its neighbours of the rounds, so that the news spreads. The
 * lowest of the 64 that is there speaks.
 *
 * Point to point, and not MPI_Iallgather: a nonblocking collective that some ranks never begin shifts those of the
 * program (libnbc tells them apart by their number alone), and cannot be given up. What is sent to a rank that lacks
 * Waymark stays there unreceived. That matters only with WAYMARK_ON_ERROR=native, where such a job goes on, and only if
 * that rank receives from MPI_COMM_WORLD with MPI_ANY_TAG; the messages of a job that is in order are all received
 * here.
 *
 * Ranks that come late: MPI_Init of Open MPI ends in a barrier, so that what has to be waited for afterwards is the
 * system's scheduler alone, not slow file systems or the loading of programs. A rank that is held up even so (by a
 * debugger, say) may come until the deadline and half as long after it; 0 waits for ever and never calls the roll. */
#ifndef WM_AGREEMENT_H
#define WM_AGREEMENT_H

#include <stdbool.h>
#include "core/error.h"

/* When the environment does not say. */
enum { WM_AGREEMENT_DEADLINE_S = 30 };

/* Reach the agreement: collective over the ranks of MPI_COMM_WORLD in which Waymark is loaded. Sleeps while it waits.
 * `deadline_s`: for the rounds; 0: none.
 * Returns 0, or -WM_EMPI: some rank lacks Waymark, or has another; *speaker says whether this rank is to tell of it,
 * and its `error` has the sentence (on the others one that names no ranks). Nothing collective may follow a failure. */
int wm_agreement_reach(double deadline_s, struct wm_error *error, bool *speaker);

#endif
