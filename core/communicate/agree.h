/* What ranks tell each other before a statement's messages: whether what they depend on changed, and who knows of them.
 */
#ifndef WM_AGREE_H
#define WM_AGREE_H

#include "core/communicate/deal.h"

/* It changed at some rank. Collective. */
bool wm_agree_changed(const struct wm_talk *t, bool changed);

/* Find out who knows of the messages of the deal's traffic, and whether it is a collective operation. The job ends with
 * a sentence where a hint is wrong, which names a message, and where what was promised uniform is not. Collective. */
void wm_agree_knowledge(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[]);

#endif
