/* Threads that share a path: several threads of each process are one party to a collective, as in PATHS.
 *
 * The first n-1 threads of a process to call wait; the last combines what they brought, in the order of their numbers,
 * goes on through the communicator's path, and all return with the result. So contributions are combined by rank, then
 * by thread. A shared path serves any number of calls, one after the other.
 *
 *   struct wm_shared_path *path = wm_path_get(comm, 4);           each of the 4 threads
 *   wm_path_call(path, thread, &(struct wm_call){.operation = WM_ALLREDUCE, .send = in, .receive = out,
 *                                                .receive_count = n, .receive_type = MPI_DOUBLE, .op = MPI_SUM});
 *   wm_path_put(path);
 *
 * MPI_THREAD_SERIALIZED is enough, if no other thread calls MPI meanwhile. */
#ifndef WM_THREADS_H
#define WM_THREADS_H

#include "waymark/runtime.h"

struct wm_shared_path;

/* The path that `threads` threads of this process share on `comm`: made for the first, the same for the others, until
 * as many have put it back. Local; any thread. NULL: no memory, or `threads` is below 1 or another than before. */
WM_EXPORT struct wm_shared_path *wm_path_get(MPI_Comm comm, int threads);
WM_EXPORT void wm_path_put(struct wm_shared_path *path);

/* Call as thread 0 … threads-1; all of them with equal arguments, but for the buffers. `comm` and `native` of the call
 * are not looked at. barrier; bcast: from thread 0 of the root to all; reduce: to thread 0 of the root; allreduce: to
 * all. MPI_IN_PLACE in `send`: the thread's contribution stands in its receive buffer (reduce: at the root alone).
 * Returns what the MPI function returns, the same to all; MPI_ERR_ARG when the threads' arguments differ, the number
 * is wrong, or the operation is another. Errors of the collective are raised on the communicator once. */
WM_EXPORT int wm_path_call(struct wm_shared_path *path, int thread, const struct wm_call *call);

#endif
