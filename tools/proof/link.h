/* What of a call's data crosses the machine. */
#ifndef WM_PROOF_LINK_H
#define WM_PROOF_LINK_H

#include "tools/proof/machine.h"

/* Units that a group of the outermost axis that divides the ranks sends to the others, or has from them, at most. Its
 * messages and shared steps have been matched. */
size_t wm_link_units(const struct wm_machine *machine);

#endif
