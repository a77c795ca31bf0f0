/* A case: what is said of a job, as one JSON object.
 *
 * verdict: "mismatch", "dead", "deadlock", "flaw", "explained", "unknown" or "well", the first that holds.
 * ranks, seen: of the job, and whose pages are there. Ranks are those of MPI_COMM_WORLD, roots the communicator's.
 * over: all processes are gone.
 * mismatches: {communicator, size, call, exact, same_bytes, parties: [{ranks, came, call?}]}, the largest party first.
 * flaws: what ranks have found to be wrong in calls of their own (flaws.h).
 * gone: {rank, host, pid, in?, after?}, the call that it was in, or had made last.
 * waits, circles: of ranks that stand still (waits.h). Calls are those of where.h.
 */
#ifndef WM_DOCTOR_CASE_H
#define WM_DOCTOR_CASE_H

#include <jansson.h>
#include "core/guard/judge.h"
#include "tools/doctor/patient.h"

enum wm_case_status { WM_CASE_WELL, WM_CASE_MISMATCH, WM_CASE_DEADLOCK, WM_CASE_DEAD, WM_CASE_EXPLAINED };

/* The object; NULL: no memory. *status: what the verdict ends the command with. */
json_t *wm_case_make(const struct wm_patient *patient, const struct wm_judgement *judgement,
                     enum wm_case_status *status);

#endif
