/* Giving the processor away while another process is awaited.
 *
 * A rank that yields to a process that computes comes back after a time slice, some milliseconds; one that sleeps for
 * some microseconds comes back in time. So a rank yields until a yield was long, and then sleeps for a while. The
 * library exports sched_yield() by the same rule, so the MPI library's own waits follow it, too. */
#ifndef WM_NODE_REST_H
#define WM_NODE_REST_H

#include <stdbool.h>

/* True: it slept, by what the kernel adds to any sleep: some 50 µs. Any thread. */
bool wm_node_rest(void);

#endif
