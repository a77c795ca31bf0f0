/* Stacks of coroutines: memory of their own above pages that nobody may touch, so that what overflows faults there. */
#ifndef WM_SUBRANK_STACK_H
#define WM_SUBRANK_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* A frame that is larger than what is guarded jumps over it: untouched pages cost nothing, so it is more than one. */
enum { WM_STACK_GUARD_BYTES = 64 << 10, WM_STACK_LEAST_BYTES = 16 << 10, WM_STACK_DEFAULT_BYTES = 256 << 10 };

struct wm_stack {
    char *low;    /* the guarded bytes are below */
    size_t bytes; /* whole pages */
    char *top;    /* where it begins: some lines below its end, another number for each, or the tops of all would share
                     one set of a cache */
};

/* Take a stack of at least so many bytes: one that was given back, else a new one. False: errno says why there is none.
 * Any thread. */
bool wm_stack_take(struct wm_stack *stack, size_t bytes);
/* Give it back, for the next one that takes its size. Nobody runs on it. */
void wm_stack_give(const struct wm_stack *stack);
/* Unmap those that were given back. */
void wm_stacks_release(void);

/* True: the address is among the guarded bytes below. Safe in a signal's handler. */
bool wm_stack_guards(const struct wm_stack *stack, const void *address);

#endif
