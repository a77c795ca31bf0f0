/* Faults in flight. */
#include "core/engine/fault.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { BITS_A_BYTE = 8 };

void wm_fault_flip(const struct wm_geometry *g, char *data, size_t count, uint64_t chance)
{
    size_t element = chance % count, byte = g->packed ? chance / BITS_A_BYTE % g->size : 0;

    if (g->size > 0)
        data[(ptrdiff_t)element * g->extent + g->true_low + (ptrdiff_t)byte] ^= (char)(1U << chance % BITS_A_BYTE);
}

void wm_fault_strike(const struct wm_fault *fault, uint32_t sequence)
{
    static atomic_bool struck;

    if (sequence < fault->after || atomic_exchange(&struck, true))
        return;
    fprintf(stderr, "waymark: rank %d (process %ld) is %s at call %u, as line %d of the map says\n", fault->rank,
            (long)getpid(), fault->kind == WM_FAULT_KILL ? "killed" : "stopped", sequence, fault->line);
    kill(getpid(), fault->kind == WM_FAULT_KILL ? SIGKILL : SIGSTOP);
}
