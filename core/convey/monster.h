/* Monsters: elastic items too large for a buffer, which travel beside the hops.
 *
 * The source copies the item and sends it straight to its destination, in pieces of at most WM_MONSTER_PIECE_BYTES; a
 * ticket goes the item's ordinary way, in order. The destination begins to receive when it comes to the ticket, and
 * what stands behind that on its link waits. One object a conveyor; no function waits. */
#ifndef WM_CONVEY_MONSTER_H
#define WM_CONVEY_MONSTER_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/convey.h"

/* WM_MONSTERS_MAX: as many at most of a source are under way; bytes below 2^40. WM_MONSTERS_BYTES: of them, unless the
 * constructor was given less. */
enum { WM_MONSTER_PIECE_BYTES = 1 << 28, WM_MONSTERS_MAX = 64, WM_MONSTERS_BYTES = 64 << 20 };

struct wm_ticket_item {
    uint64_t bytes,
        number; /* number: counts this source's monsters for this destination or in all, the carrier's own */
};

struct wm_monsters;

/* `comm` is used by nobody else with tags from `first_tag` on. Copies at the source take `limit_bytes` at most, and so
 * does what a destination receives, unless one alone is larger. NULL: no memory. Local. */
struct wm_monsters *wm_monsters_new(MPI_Comm comm, int first_tag, size_t limit_bytes);
/* For tests: pieces of another size, the same at all ranks, before anything is sent. */
void wm_monsters_cut(struct wm_monsters *monsters, size_t piece_bytes);
/* Nothing is under way. */
void wm_monsters_free(struct wm_monsters *monsters);

/* Copy and send. 1: *ticket is filled; 0: too many are under way; or convey_error_ALLOC, convey_error_MPI. */
int wm_monster_send(struct wm_monsters *monsters, const void *item, size_t bytes, int destination,
                    struct wm_ticket_item *ticket);
/* Begin to receive, or go on, the item of `ticket` from `source`; 1: it is there, *data is valid until wm_monster_drop
 * of the source and the ticket's number; 0: ask again; or an error as above. */
int wm_monster_receive(struct wm_monsters *monsters, int source, const struct wm_ticket_item *ticket, void **data);
void wm_monster_drop(struct wm_monsters *monsters, int source, uint64_t number);
/* Sends that are complete give their copies back. Returns whether something happened. */
bool wm_monsters_progress(struct wm_monsters *monsters);
bool wm_monsters_idle(const struct wm_monsters *monsters);
/* Bytes that copies take now. */
size_t wm_monsters_bytes(const struct wm_monsters *monsters);

#endif
