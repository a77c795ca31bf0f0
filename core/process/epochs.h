/* Epochs: the maps that a running job is given one after the other (`waymark retune`).
 *
 * Epoch 0 is that of WAYMARK_MAP. World rank 0 numbers the others: it finds a map in its mailbox
 * (core/guard/mailbox.h), has a thread start a server on it, which reads it, and makes it the newest epoch, or says in
 * the mailbox what is wrong with it. Others hear of an epoch at a meeting (core/call/meeting.h), and know those that
 * they have heard of; what a number stands for is the same at all ranks. An epoch's map is a source
 * (core/process/map_source.h) and lives as long as the process; its server is closed when it is not one of the newest
 * two, and started again if it is asked.
 *
 * While a map is tried beside the one that holds (core/call/trial.h), both are of the epoch; the next one has either of
 * them. A trial ends with the map that held when nobody at the mailbox watches it any more.
 *
 * States: off, where WAYMARK_RETUNE is 0; on. At world rank 0: resting, or reading a map. */
#ifndef WM_EPOCHS_H
#define WM_EPOCHS_H

#include "core/guard/mailbox.h"
#include "core/process/map_source.h"

/* Begin; the settings are known, the places are, and the map is. Returns 0 or -WM_E… with a sentence: there is no map,
 * or there are subranks. */
int wm_epochs_start(struct wm_error *error);
/* The job takes no other map. Waits for one that is being read. */
void wm_epochs_stop(void);

/* Are maps changed? */
bool wm_epochs_on(void);

/* World rank 0: take what is in the mailbox; elsewhere nothing. Never blocks. */
void wm_epochs_look(void);

struct wm_epoch {
    uint32_t number;
    struct wm_map_source *map;   /* that holds */
    struct wm_map_source *tried; /* beside it; NULL: none */
    struct wm_trial_scope scope; /* of the trial */
};

/* The newest epoch that this process knows. */
struct wm_epoch wm_epochs_newest(void);

/* An epoch as it is told to others: its maps' texts and numbers; the caller's. */
json_t *wm_epochs_tell(const struct wm_epoch *epoch);

/* An epoch as another rank has told it. */
struct wm_epoch wm_epochs_hear(const json_t *told);

/* The trace, if there is one, is told an epoch that holds on a communicator from the call of this number on, and its
 * maps where `defines`, once a process. */
void wm_epochs_record(const struct wm_epoch *epoch, uint32_t communicator, uint32_t sequence, bool defines);

/* World rank 0: what a round of calls under both maps has shown, to whoever watches the trial; elsewhere nothing. */
void wm_epochs_show(const struct wm_mailbox_round *round);

#endif
