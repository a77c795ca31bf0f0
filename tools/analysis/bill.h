/* The bill of a visit: every piece of its time put on its line, on the stages that made it, and on their edges. */
#ifndef WM_BILL_H
#define WM_BILL_H

#include "tools/analysis/accounts.h"

/* Charge a visit that has ended and whose wait is known, one of `part`, to `line` and below. 0 or -WM_ENOMEM. */
int wm_bill_visit(struct wm_accounts *accounts, const struct wm_instance *instance, const struct wm_member_part *part,
                  const struct wm_trace_visit *visit, struct wm_line *line);

#endif
