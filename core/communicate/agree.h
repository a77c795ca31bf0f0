/* What ranks tell each other before a statement's messages: whether what they depend on changed, and who knows of them.
 */
#ifndef WM_AGREE_H
#define WM_AGREE_H

#include "core/communicate/deal.h"

/* It changed at some rank. Collective. */
bool wm_agree_changed(const struct wm_talk *t, bool changed);

/* Find out who knows of the messages of the deal's traffic, and that a hint is right: else the job ends with a sentence
 * that names a message. Collective. */
enum wm_knowledge wm_agree_knowledge(const struct wm_talk *t, const struct wm_deal *d,
                                     const struct wm_bound bindings[]);

#endif
