/* Reading what the map server says. Nothing is taken on trust: a map may have got the better of the server.
 *
 * What passes here has the form that core/map/protocol.h and core/path/path.h document, with numbers that can be;
 * whether it makes a path is for wm_path_parse to say. Pure. */
#ifndef WM_MAP_REPLY_H
#define WM_MAP_REPLY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "core/map/map.h"

/* Make blanks of the control characters in the strings of a reply's JSON, as wm_plain_text does: they come out of a
 * map, and go to terminals. */
void wm_map_reply_plain(char *json);

/* Turn {"error": …} into `error`, placed in the map's text. Returns its code, -WM_EMAP or -WM_ESYSTEM; -WM_ESERVER when
 * it cannot be read; 0 when `reply` is an object without one. */
int wm_map_reply_error(const json_t *reply, const char *file_name, const char *text, size_t text_bytes,
                       struct wm_error *error);

/* Read the reply to OPEN: the operations of the head, and in *grid and *subranks their JSON, the caller's to free, NULL
 * after a failure. Returns 0, -WM_ESERVER or -WM_ENOMEM. */
int wm_map_reply_head(const json_t *reply, struct wm_map_head *head, char **grid, char **subranks,
                      struct wm_error *error);

/* Check the reply to ASK, which must hold for the call that was asked about; `map_bytes`: how long the map is. Returns
 * 0 or -WM_ESERVER. */
int wm_map_reply_answer(const json_t *reply, size_t map_bytes, const struct wm_facts *facts, struct wm_error *error);

/* Read the reply to PARENTS: of `size` members. Returns 0 or -WM_ESERVER. */
int wm_map_reply_parents(const json_t *reply, int size, int *parents, struct wm_error *error);

#endif
