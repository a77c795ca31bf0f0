/* The switch between coroutines: what it saves and restores, for each processor. Included by core/subrank/coroutine.h.
 *
 * It is inlined to where it is called, so that of two callers neither returns to where the other one called from, which
 * would be mispredicted: their jumps tell them apart. 12 ns between two functions that called it, 2 inlined. */
#ifndef WM_SUBRANK_COROUTINE_SWITCH_H
#define WM_SUBRANK_COROUTINE_SWITCH_H

#include <stdbool.h>
#include "core/error.h"
#include "core/subrank/coroutine.h"

#ifdef WM_COROUTINE_ASAN
#include <sanitizer/common_interface_defs.h>

/* AddressSanitizer is told of each switch; `leaves`: its notes about the stack that is left are dropped. */
static inline void wm_coroutine_announce(struct wm_coroutine *from, struct wm_coroutine *to, bool leaves)
{
    to->before = from;
    __sanitizer_start_switch_fiber(leaves ? NULL : &from->fake_stack, to->low, to->bytes);
}

/* It is from here that the bounds of a thread's own stack are known. */
static inline void wm_coroutine_arrive(struct wm_coroutine *self)
{
    __sanitizer_finish_switch_fiber(self->fake_stack, &self->before->low, &self->before->bytes);
}
#else
static inline void wm_coroutine_announce(struct wm_coroutine *from, struct wm_coroutine *to, bool leaves)
{
    (void)from, (void)to, (void)leaves;
}

static inline void wm_coroutine_arrive(struct wm_coroutine *self)
{
    (void)self;
}
#endif

/* Of a function in which coroutines are switched, and whose callers differ: a processor expects it to return to where
 * the last call came from, which another coroutine has made; 16 ns. After a switch it returns by a jump instead, which
 * is predicted by the jumps before it. noipa: its callers must not count on registers that the thunk writes to. */
#if defined __x86_64__ && !defined WM_COROUTINE_UCONTEXT && defined __has_attribute
#if __has_attribute(function_return)
#define WM_COROUTINE_RETURNS_BY_JUMP __attribute__((noipa, function_return("thunk-extern")))
/* Whether a coroutine of this thread was resumed since the last return by a jump. */
extern _Thread_local bool wm_coroutine_switched __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define WM_COROUTINE_NOTE_SWITCH() ((void)(wm_coroutine_switched = true))
#endif
#endif
#ifndef WM_COROUTINE_RETURNS_BY_JUMP
#define WM_COROUTINE_RETURNS_BY_JUMP
#define WM_COROUTINE_NOTE_SWITCH() ((void)0)
#endif

#define WM_COROUTINE_INLINED static inline __attribute__((always_inline))

#ifdef WM_COROUTINE_UCONTEXT

WM_COROUTINE_INLINED void wm_coroutine_go(struct wm_coroutine *to, struct wm_coroutine *from)
{
    if (swapcontext(&from->context, &to->context) != 0)
        WM_BUG("swapcontext failed");
}

#elif defined __x86_64__

_Static_assert(offsetof(struct wm_coroutine, mxcsr) == 24 && offsetof(struct wm_coroutine, x87_control) == 28,
               "as the assembly has it");

#ifdef __AVX512F__
#define WM_COROUTINE_WIDE_REGISTERS                                                                                    \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",      \
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define WM_COROUTINE_WIDE_REGISTERS
#endif

/* Control words are seldom different, and setting them takes longer than all else. */
WM_COROUTINE_INLINED void wm_coroutine_go(struct wm_coroutine *to, struct wm_coroutine *from)
{
    __asm__ volatile("leaq 3f(%%rip), %%rax\n\t"
                     "movq %%rax, 0(%%rsi)\n\t"
                     "movq %%rsp, 8(%%rsi)\n\t"
                     "movq %%rbp, 16(%%rsi)\n\t"
                     "stmxcsr 24(%%rsi)\n\t"
                     "fnstcw 28(%%rsi)\n\t"
                     "movl 24(%%rsi), %%eax\n\t"
                     "cmpl 24(%%rdi), %%eax\n\t"
                     "je 1f\n\t"
                     "ldmxcsr 24(%%rdi)\n"
                     "1:\tmovzwl 28(%%rsi), %%eax\n\t"
                     "cmpw 28(%%rdi), %%ax\n\t"
                     "je 2f\n\t"
                     "fldcw 28(%%rdi)\n"
                     "2:\tmovq 8(%%rdi), %%rsp\n\t"
                     "movq 16(%%rdi), %%rbp\n\t"
                     "jmp *0(%%rdi)\n"
                     "3:"
                     : "+D"(to), "+S"(from)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",
                       "st(7)" WM_COROUTINE_WIDE_REGISTERS);
}

#else /* aarch64 */

_Static_assert(offsetof(struct wm_coroutine, fpcr) == 24, "as the assembly has it");

/* hint 36 is `bti j`: a place that may be jumped to. */
WM_COROUTINE_INLINED void wm_coroutine_go(struct wm_coroutine *to_where, struct wm_coroutine *from_where)
{
    register struct wm_coroutine *to __asm__("x0") = to_where;
    register struct wm_coroutine *from __asm__("x1") = from_where;

    __asm__ volatile("adr x9, 2f\n\t"
                     "mov x10, sp\n\t"
                     "stp x9, x10, [x1]\n\t"
                     "mrs x11, fpcr\n\t"
                     "stp x29, x11, [x1, #16]\n\t"
                     "ldp x16, x10, [x0]\n\t"
                     "ldp x29, x12, [x0, #16]\n\t"
                     "cmp x11, x12\n\t"
                     "b.eq 1f\n\t"
                     "msr fpcr, x12\n"
                     "1:\tmov sp, x10\n\t"
                     "mov x30, xzr\n\t"
                     "br x16\n"
                     "2:\thint #36"
                     : "+r"(to), "+r"(from)
                     :
                     : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
                       "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1",
                       "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
                       "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
                       "v31", "cc", "memory");
}

#endif

WM_COROUTINE_INLINED void wm_coroutine_switch(struct wm_coroutine *from, struct wm_coroutine *to)
{
    wm_coroutine_announce(from, to, false);
    wm_coroutine_go(to, from);
    WM_COROUTINE_NOTE_SWITCH();
    wm_coroutine_arrive(from);
}

#endif
