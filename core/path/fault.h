/* Faults: what `lose`, `flip`, `stop-rank` and `kill-rank` do to a job on purpose, to try what should notice it. Pure.
 *
 * Which messages are lost or changed depends on a seed, the two ranks, and the message's number between them: the same
 * in each run. */
#ifndef WM_FAULT_H
#define WM_FAULT_H

#include <stdbool.h>
#include <stdint.h>

struct wm_path;
struct wm_wrapper;
struct wm_wrapper_class;

enum wm_fault_kind { WM_FAULT_NONE, WM_FAULT_LOSE, WM_FAULT_FLIP, WM_FAULT_STOP, WM_FAULT_KILL };

struct wm_fault {
    uint8_t kind; /* enum wm_fault_kind */
    /* Of messages. */
    uint32_t ppm; /* of those inside are hit */
    uint64_t seed;
    /* Of a rank. */
    int rank;
    int64_t after; /* calls on the communicator */
    int line;      /* of the map */
};

/* Is it a fault; and one of messages? */
bool wm_class_is_fault(const struct wm_wrapper_class *class);
bool wm_wrapper_spoils(const struct wm_wrapper *wrapper);
/* The path's first fault; NULL: it has none. */
const struct wm_wrapper *wm_path_fault(const struct wm_path *path);

/* Is the message hit that is number `number` of a sender's to a receiver? 0: no; else a number by chance, of 30 bits.
 */
uint64_t wm_fault_hits(const struct wm_fault *fault, int sender, int receiver, uint64_t number);

#endif
