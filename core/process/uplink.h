/* Uplinks: this process's links to the networks that `delay` emulates (core/path/lag.h); and when what comes is due.
 *
 * A process has one uplink to a network, whatever its messages are part of: they leave one after another. The sender
 * says when a message is due; that goes with it, or before it. Ranks of one host have one clock. What comes from
 * another host is held from when it is there for as long as the emulated network would have taken. */
#ifndef WM_UPLINK_H
#define WM_UPLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/path/lag.h"

struct wm_uplink;

/* When a message is due. */
struct wm_due {
    uint64_t sent_ns, due_ns; /* by the sender's clock */
    uint64_t clock;           /* of the host that it is; 0: not known */
};

/* CLOCK_MONOTONIC in ns. A test sets another. */
extern uint64_t (*wm_due_clock)(void);

/* The process's uplink to this network; it is there as long as the process. Any thread. */
struct wm_uplink *wm_uplink_find(const struct wm_lag *lag);
/* A message leaves, the sender's number `number` to the receiver. Any thread. */
struct wm_due wm_uplink_send(struct wm_uplink *uplink, int sender, int receiver, uint64_t number, size_t bytes);
/* All that has been sent is due, to hosts of this clock. Any thread. */
bool wm_uplinks_idle(void);
/* When what has come is due, by the clock of this host. */
uint64_t wm_due_here(const struct wm_due *due);

#endif
