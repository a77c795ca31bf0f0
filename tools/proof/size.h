/* Is there memory to carry out a call? wm_proof_fits, wm_proof_foresee and wm_proof_weigh (tools/proof/prove.h)
 * are here, too. */
#ifndef WM_PROOF_SIZE_H
#define WM_PROOF_SIZE_H

#include "tools/proof/machine.h"
#include "tools/proof/prove.h"

/* By a sample. False: not all fit, and the proof says so. */
bool wm_size_foresee(struct wm_machine *machine, const struct wm_layout *layout);

/* The plan of `rank` is made: add it to *weight, which is 0 at first. False: not all fit, and the proof says so. */
bool wm_size_fits(struct wm_machine *machine, int rank, size_t *weight);

/* There is memory for what the ranks hold by now. False: there is not, and the proof says so. */
bool wm_size_holds(struct wm_machine *machine);

#endif
