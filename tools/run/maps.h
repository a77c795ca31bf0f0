/* The maps that come with Waymark. */
#ifndef WM_TOOLS_MAPS_H
#define WM_TOOLS_MAPS_H

#include <stddef.h>
#include "core/error.h"

struct wm_map;

/* The map that is taken where none is named. */
#define WM_MAPS_DEFAULT "fast"

/* Read a map by path or name as wm_map_read does, but say in the error which maps there are, and which one is near.
 * *file_name and *text are the caller's to free. */
int wm_maps_read(const char *name, char **file_name, char **text, size_t *text_bytes, struct wm_error *error);

/* Call `each` with the name of every map that comes with Waymark. */
void wm_maps_each(void (*each)(void *context, const char *name), void *context);

/* Start a server on the text of a map as wm_map_open does, with the deadline that the environment sets. */
int wm_maps_open(struct wm_map **map, const char *file_name, const char *text, size_t text_bytes,
                 struct wm_error *error);

#endif
