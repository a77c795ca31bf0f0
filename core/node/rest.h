/* Giving the processor away while another process is awaited.
 *
 * A rank that yields to a process that computes comes back after a time slice, some milliseconds; one that sleeps for
 * some microseconds comes back in time. So a rank yields until a yield was long, and then sleeps for a while instead.
 */
#ifndef WM_NODE_REST_H
#define WM_NODE_REST_H

/* `turn` counts the rests of one wait from 0. Any thread. */
void wm_node_rest(unsigned turn);

#endif
