/* The vigil: what a guard has seen of its ranks, and what it has said already.
 *
 * Each look judges the pages anew, against the look before. What is proven is news once: a mismatch, a rank that is
 * gone, ranks that are held in two judgements in a row, a flaw that was there at the look before; who comes to wait for
 * those that were told is none. A wait that nothing proves to last for ever is news when it is older than the patience,
 * and than twenty times the longest one so far in calls like it; when it ends, this is news, too. */
#ifndef WM_DOCTOR_VIGIL_H
#define WM_DOCTOR_VIGIL_H

#include "core/guard/judge.h"
#include "tools/doctor/patient.h"

struct wm_vigil_told; /* a communicator of which something was told */

struct wm_vigil {
    struct wm_patient *patient;
    bool (*is_suspended)(const struct wm_patient *patient);
    uint64_t patience_ticks; /* 0: unproven waits are never news */
    uint64_t forgiven;       /* the tick before which no wait counts */
    uint64_t *earlier;       /* of each page: `doing` at the look before */
    bool has_earlier;
    bool *gone_told;
    uint64_t *hung;      /* of each page: `doing` of the wait that was told; 0: none */
    uint64_t held;       /* who was held at the look before, and where; 0: nobody */
    uint64_t *held_told; /* of each page: `doing` of the wait that was told as proven; 0: none */
    uint64_t *waits;     /* of each page: ticks of the wait that it is in */
    uint32_t *calls;     /* … and its kind of call */
    uint64_t *longest;   /* of each page and kind of call */
    struct wm_vigil_told *mismatches;
    uint32_t *flaws_seen, *flaws_told; /* of each page: at the look before; told so far */
};

/* `is_suspended`: asked before an unproven wait is told; then time is not the job's, and waits begin anew. Returns 0 or
 * -WM_ENOMEM. */
int wm_vigil_init(struct wm_vigil *vigil, struct wm_patient *patient, double patience_s,
                  bool (*is_suspended)(const struct wm_patient *patient));
void wm_vigil_release(struct wm_vigil *vigil);

/* Look at the pages. `hurry`: somebody has just gone, and the others may soon follow. Returns what is new, as text to
 * be freed, or NULL. */
char *wm_vigil_look(struct wm_vigil *vigil, bool hurry);

/* A communicator, by id, of whose ranks a mismatch, or that they are held, has been told as text; each once. False:
 * there is none more. */
bool wm_vigil_next_named(struct wm_vigil *vigil, uint64_t *id);

/* Time has passed that was not the job's: what was seen before is no measure. */
void wm_vigil_forget(struct wm_vigil *vigil);

#endif
