/* Agreement: before anything collective is done, all ranks of MPI_COMM_WORLD find out whether Waymark is loaded in each
 * of them, and in the same version. Where it is not, one rank says so by name, instead of a job that hangs.
 *
 * Two protocols, on the two highest tags of MPI_COMM_WORLD, with messages of one size and form for all versions:
 *
 * *Rounds*: two passes of a dissemination. In round k of a pass a rank tells the rank 2^k behind it whether all that it
 * heard so far are of its version. After the first pass, log2 P rounds, it has heard from everyone: all have Waymark,
 * and all know alike whether all agree. A rank enters the second pass when no question of its own is open, and leaves
 * it when everyone has entered; so nobody leaves while another is in the first, and may ask. This is all that happens
 * in a job that is in order.
 *
 * *Roll call* (core/job/roll_call.h): begun by a rank in its first pass that has had no sign of life for
 * WAYMARK_START_DEADLINE seconds, or is asked by another, and by rank 0 where the first pass has found a difference.
 * Each rank names itself (host, version) to those that ask, whatever pass it is in. When there has been no sign of life
 * for half the deadline again, ranks that are reached and have not answered are given up: the lowest rank speaks that
 * takes the roll and is there. Ranks that no message reaches are waited for without an end, as the MPI library does.
 * In the second pass nothing is given up, unless another rank has done so.
 *
 * Point to point, and not MPI_Iallgather: a nonblocking collective that some ranks never begin shifts those of the
 * program (libnbc tells them apart by their number alone), and cannot be given up. What is sent to a rank that lacks
 * Waymark stays there unreceived. That matters only with WAYMARK_ON_ERROR=native, where such a job goes on, and only if
 * that rank receives from MPI_COMM_WORLD with MPI_ANY_TAG; the messages of a job that is in order are all received
 * here.
 *
 * Ranks that come late: MPI_Init of Open MPI ends in a barrier, so that what has to be waited for afterwards is the
 * network and the system's scheduler, not slow file systems or the loading of programs. A rank that shares memory with
 * another is reached at once: one that is held up there (by a debugger, say) may come until the deadline and half as
 * long after it; 0 waits for ever and never asks. */
#ifndef WM_AGREEMENT_H
#define WM_AGREEMENT_H

#include <stdbool.h>
#include "core/error.h"

/* When the environment does not say. */
enum { WM_AGREEMENT_DEADLINE_S = 30 };

/* Reach the agreement: collective over the ranks of MPI_COMM_WORLD in which Waymark is loaded. Sleeps while it waits.
 * `deadline_s`: seconds without a sign of life; 0: none.
 * Returns 0, or -WM_EMPI: some rank lacks Waymark, or has another; *speaker says whether this rank is to tell of it,
 * and its `error` has the sentence (on the others one that names no ranks). Nothing collective may follow a failure. */
int wm_agreement_reach(double deadline_s, struct wm_error *error, bool *speaker);

#endif
