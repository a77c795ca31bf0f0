/* An arena: memory that is given back all at once. All zero at first. No memory: the process ends with a sentence. */
#ifndef WM_PROOF_ARENA_H
#define WM_PROOF_ARENA_H

#include <stddef.h>

struct wm_arena_chunk;

struct wm_arena {
    struct wm_arena_chunk *chunks, *spare;
    size_t bytes; /* of all these */
};

/* End the process: there is no memory for a proof. */
_Noreturn void wm_proof_out_of_memory(void);

/* Zeroed memory, until the arena is cleared; at a line of cache, if it is as large as one. */
void *wm_arena_take(struct wm_arena *arena, size_t bytes);
/* Give everything back, but keep the storage for the next round. */
void wm_arena_clear(struct wm_arena *arena);
void wm_arena_release(struct wm_arena *arena);

#endif
