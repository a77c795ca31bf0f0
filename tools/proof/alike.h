/* Alike: has every rank the plan of its representative, with ranks and units moved as the symmetry says?
 *
 * Looked at is one image of each representative, by a generator of the group, and a sample of all other ranks, or all
 * of them where there are few. What stands in the plans of the representatives alone is then looked at besides: units
 * that a displacement permutes move together, and shared steps have representatives alone as members. Temporaries may
 * stay as they are, or go with the data; which of the two, their uses say. */
#ifndef WM_PROOF_ALIKE_H
#define WM_PROOF_ALIKE_H

#include "tools/proof/machine.h"

/* Of a machine whose representatives are planned: fill in machine->spaces, and count the ranks that were compared in
 * proof->compared. False: some are not alike; `why` says which, in a sentence. */
bool wm_alike_check(struct wm_machine *machine, const struct wm_prove_options *options, char why[WM_ERROR_TEXT_CHARS]);

/* The same of the first representative's plan alone, which is made, and of its first image. */
bool wm_alike_begin(struct wm_machine *m, const struct wm_prove_options *options, char why[WM_ERROR_TEXT_CHARS]);

#endif
