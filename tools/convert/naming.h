/* How names are made; tools/convert/names.h keeps them. */
#ifndef WM_CONVERT_NAMING_H
#define WM_CONVERT_NAMING_H

#include <stdbool.h>
#include "tools/convert/names.h"

/* Fill a name. Returns 0 or -WM_ENOMEM; release it in any case. */
int wm_name_make(struct wm_name *name, const struct wm_trace *trace, int rank_index,
                 const struct wm_trace_record *record);
void wm_name_release(struct wm_name *name);

/* Is it a conveyor's record? */
bool wm_record_conveys(const struct wm_trace_record *record);

#endif
