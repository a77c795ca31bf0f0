/* Arrows: many messages alike, written short: "1-3→0", "0→1-3", "0↔4", "2→3 ×8". */
#ifndef WM_TOOLS_ARROWS_H
#define WM_TOOLS_ARROWS_H

#include "tools/proof/rounds.h"

/* Write the messages (ascending by source, then target) as arrows parted by blanks, at most `max` of them (0: all); "…
 * and N more" tells what is left out. The text is the caller's to free; NULL when there is no memory. */
char *wm_arrows_text(const struct wm_round_message *messages, size_t count, size_t max);

#endif
