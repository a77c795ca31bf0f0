/* What is looked at where WAYMARK_CHECK is set. */
#ifndef WM_COMMUNICATE_CHECK_H
#define WM_COMMUNICATE_CHECK_H

#include "core/communicate/turn.h"

/* Two messages that this rank receives store into one place: end the job. The order of senders says which one would
 * stay, but this is seldom meant. */
void wm_check_stores(const struct wm_turn *turn);

#endif
