/* What ranks tell each other before a statement's messages: whether what they depend on changed, and who knows of them.
 */
#ifndef WM_AGREE_H
#define WM_AGREE_H

#include "core/communicate/turn.h"

/* Ask whether it changed at some rank: turn->changed, when turn->asked is complete. */
void wm_agree_ask(struct wm_turn *turn);

/* Tell the others what this rank knows of the messages of the deal's traffic. */
void wm_agree_tell(struct wm_turn *turn);
/* … and when that is complete, find out who knows of them, and whether it is a collective operation. The job ends with
 * a sentence where a hint is wrong, which names a message, and where what was promised uniform is not. */
void wm_agree_conclude(const struct wm_turn *turn);

/* No talk is left. */
void wm_agree_stop(void);

#endif
