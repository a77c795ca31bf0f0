/* Epochs: the maps that a running job is given one after the other (`waymark retune`).
 *
 * Epoch 0 is that of WAYMARK_MAP. World rank 0 numbers the others: it finds a map in its mailbox
 * (core/guard/mailbox.h), has a thread start a server on it, which reads it, and makes it the newest epoch, or says in
 * the mailbox what is wrong with it. Others hear of an epoch at a meeting (core/call/meeting.h), and know those that
 * they have heard of; what a number stands for is the same at all ranks. An epoch's map is a source
 * (core/process/map_source.h) and lives as long as the process; its server is closed when it is not one of the newest
 * two, and started again if it is asked.
 *
 * States: off, where WAYMARK_RETUNE is 0 or there are subranks; on. At world rank 0: resting, or reading a map. */
#ifndef WM_EPOCHS_H
#define WM_EPOCHS_H

#include "core/process/map_source.h"

/* Begin; the settings are known, the places are, and the map is. Returns 0 or -WM_E… with a sentence. */
int wm_epochs_start(struct wm_error *error);
/* The job takes no other map. Waits for one that is being read. */
void wm_epochs_stop(void);

/* Are maps changed? */
bool wm_epochs_on(void);

/* World rank 0: take what is in the mailbox; elsewhere nothing. Never blocks. */
void wm_epochs_look(void);

/* The newest epoch that this process knows, and its map. */
uint32_t wm_epochs_newest(struct wm_map_source **map);

/* A map as it is told to others: its texts and numbers; the caller's. */
json_t *wm_epochs_tell(const struct wm_map_source *map);

/* An epoch and its map as another rank has told them. */
struct wm_map_source *wm_epochs_hear(uint32_t epoch, const json_t *map);

#endif
