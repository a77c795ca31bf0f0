/* Flaws: what ranks have found to be wrong in calls of their own, as JSON: [{text, ranks, sites}], those of several
 * ranks that are the same once. */
#ifndef WM_DOCTOR_FLAWS_H
#define WM_DOCTOR_FLAWS_H

#include <jansson.h>
#include "core/guard/pages.h"

/* The flaws that a page has. */
uint32_t wm_flaws_count(const struct wm_page *page);

/* Those of each page from `from` to before `to`; NULL: all. */
json_t *wm_flaws_list(const struct wm_pages *pages, const uint32_t *from, const uint32_t *to);

#endif
