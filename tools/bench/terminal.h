/* Terminals behind a launcher: mpirun gives a rank a pipe or a pseudo-terminal of its own, whatever its own output is.
 */
#ifndef WM_BENCH_TERMINAL_H
#define WM_BENCH_TERMINAL_H

#include <stdbool.h>

/* Does what is written to `fd` (1 or 2) end on a terminal? The launcher's own descriptor decides where it runs on this
 * host; where it cannot be seen, the answer is no. */
bool wm_bench_on_terminal(int fd);

#endif
