/* Handing the node's memory over: where /proc/PID/fd is closed, as between containers, its file goes through sockets.
 *
 * Three steps, with a barrier behind the first and the second: those that could not join await it; the one that made
 * the memory sends it to each of them; they fetch it. Nobody waits in any. Sockets have names for the kernel alone,
 * which nobody can guess, and what another user or a process of another PID namespace sends is not taken. */
#ifndef WM_NODE_HANDOVER_H
#define WM_NODE_HANDOVER_H

#include <stdbool.h>
#include "core/node/memory.h"

/* A socket for process `number` of the node; -1: there is none to be had. */
int wm_handover_await(const struct wm_memory_invitation *invitation, int number);
/* False: it cannot be sent. */
bool wm_handover_send(const struct wm_memory_invitation *invitation, int number);
/* Join, and close the socket. */
struct wm_memory_failure wm_handover_fetch(const struct wm_memory_invitation *invitation, int socket);

#endif
