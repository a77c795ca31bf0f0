/* Whether all subranks of the job wait for ever. A process where nothing has happened for a second contributes to a
 * wave, a sum over all processes, whether that holds since its last one. Where it does for all in one wave, with
 * nothing under way from any of them, all waited at once when the wave before was over, and nothing is left to wake
 * them: the four counters of Mattern (Algorithms for distributed termination detection, 1987), with channels that are
 * known to be empty in place of counters. A wave goes on beside all else, and nobody waits for it. */
#ifndef WM_SUBRANK_STUCK_H
#define WM_SUBRANK_STUCK_H

/* Collective. The world is there. */
void wm_stuck_start(void);
/* Finish the waves under way. Collective; all subranks have ended. */
void wm_stuck_stop(void);
/* All subranks of this process wait, and nothing has come. Ends the job with a sentence if that is so for ever. */
void wm_stuck_look(void);

#endif
