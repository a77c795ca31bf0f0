/* What came of a check, printed. */
#ifndef WM_TOOLS_CHECK_TABLE_H
#define WM_TOOLS_CHECK_TABLE_H

#include <stdio.h>
#include "tools/check/check.h"

/* Print a line for each rule and range, then each first failure with its place, then the sum. */
void wm_check_print(FILE *out, const struct wm_site_map *map, const struct wm_check_result *result);

#endif
