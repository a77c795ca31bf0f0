/* Coroutines: functions with a stack each, one of which runs in a thread at a time.
 *
 * A coroutine is made (its function not yet begun), suspended, or runs. A thread that has not been made a coroutine is
 * one as soon as it switches from a zeroed `struct wm_coroutine`: switching back to that resumes the thread's own
 * stack. A switch keeps what a called function keeps (System V ABI for x86-64, AAPCS64): callee-saved registers and the
 * control words of floating point; it ends in a jump, since a return to where nothing was called from is mispredicted.
 * Other processors, or WM_COROUTINE_UCONTEXT, have <ucontext.h>, which also asks the kernel for the signal mask. */
#ifndef WM_SUBRANK_COROUTINE_H
#define WM_SUBRANK_COROUTINE_H

#include <stddef.h>
#include <stdint.h>
#include "core/subrank/stack.h"

#if !defined WM_COROUTINE_UCONTEXT && !(defined __x86_64__ && defined __LP64__) &&                                     \
    !(defined __aarch64__ && defined __LP64__)
#define WM_COROUTINE_UCONTEXT
#endif
#ifdef WM_COROUTINE_UCONTEXT
#include <ucontext.h>
#endif
#ifdef __SANITIZE_ADDRESS__
#define WM_COROUTINE_ASAN
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define WM_COROUTINE_ASAN
#endif
#endif

struct wm_coroutine {
#ifdef WM_COROUTINE_UCONTEXT
    ucontext_t context;
#else
    /* The assembly knows these by their offsets. */
    void *resume, *stack_top, *frame;
#ifdef __x86_64__
    uint32_t mxcsr;
    uint16_t x87_control;
#else
    uint64_t fpcr;
#endif
#endif
    void (*run)(void *with);
    void *with;
#ifdef WM_COROUTINE_ASAN
    struct wm_coroutine *before; /* which switched here */
    void *fake_stack;
    const void *low;
    size_t bytes;
#endif
};

/* Make a coroutine: the first switch to it calls `run` on the stack, which must not return: it ends by a switch to
 * another that is never undone. It begins with the control words of the caller. */
void wm_coroutine_make(struct wm_coroutine *coroutine, const struct wm_stack *stack, void (*run)(void *with),
                       void *with);

/* Suspend the coroutine that runs as `from`, and go on with `to`. Returns when somebody switches to `from`: in the same
 * thread; in another one only if no caller keeps the address of a thread-local variable across it. */
static inline void wm_coroutine_switch(struct wm_coroutine *from, struct wm_coroutine *to);

/* Go on with `to`, and never come back. */
_Noreturn void wm_coroutine_leave(struct wm_coroutine *from, struct wm_coroutine *to);

#include "core/subrank/coroutine_switch.h"

#endif
