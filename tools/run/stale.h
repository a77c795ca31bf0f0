/* Stale traces: files that an earlier run left in the directory of a new one. */
#ifndef WM_TOOLS_STALE_H
#define WM_TOOLS_STALE_H

/* Remove from `directory` the trace files of rank `own_rank`, and those of all ranks from `first_stale` on (-1: of
 * none): files called rank-NNNNN.trace that begin as a trace does, and the rank-NNNNN.json beside them. Other files
 * stay. A directory that is not there is fine. */
void wm_stale_remove(const char *directory, int own_rank, int first_stale);

#endif
