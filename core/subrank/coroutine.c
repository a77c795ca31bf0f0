/* Coroutines: how they are made, for each processor. */
#include "core/subrank/coroutine.h"

static _Noreturn void begin(struct wm_coroutine *self)
{
    wm_coroutine_arrive(self);
    self->run(self->with);
    WM_BUG("a coroutine's function returned");
}

#ifdef WM_COROUTINE_UCONTEXT

/* makecontext hands on integers alone. */
static void begin_context(unsigned high, unsigned low)
{
    begin((struct wm_coroutine *)(((uintptr_t)high << 16 << 16) | low));
}

static void prepare(struct wm_coroutine *c, const struct wm_stack *stack)
{
    uintptr_t self = (uintptr_t)c;

    if (getcontext(&c->context) != 0)
        WM_BUG("getcontext failed");
    c->context.uc_stack.ss_sp = stack->low;
    c->context.uc_stack.ss_size = (size_t)(stack->top - stack->low);
    c->context.uc_link = NULL;
    makecontext(&c->context, (void (*)(void))begin_context, 2, (unsigned)(self >> 16 >> 16), (unsigned)self);
}

#elif defined __x86_64__

/* `begin` finds its argument in rdi, as wm_coroutine_go() leaves it, and above it a return address of 0, where
 * unwinders stop. */
static void prepare(struct wm_coroutine *c, const struct wm_stack *stack)
{
    void **top = (void **)stack->top - 1;

    *top = NULL;
    c->resume = (void *)begin;
    c->stack_top = top;
    c->frame = NULL;
    __asm__ volatile("stmxcsr %0" : "=m"(c->mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(c->x87_control));
}

_Thread_local bool wm_coroutine_switched __attribute__((used)); /* by name, below */

/* What compilers jump to where WM_COROUTINE_RETURNS_BY_JUMP says so. */
__asm__(".pushsection .text\n\t"
        ".globl __x86_return_thunk\n\t"
        ".hidden __x86_return_thunk\n\t"
        ".type __x86_return_thunk, @function\n"
        "__x86_return_thunk:\n\t"
        ".cfi_startproc\n\t"
        "movq wm_coroutine_switched@gottpoff(%rip), %rcx\n\t"
        "cmpb $0, %fs:(%rcx)\n\t"
        "jne 1f\n\t"
        "ret\n"
        "1:\tmovb $0, %fs:(%rcx)\n\t"
        "popq %rcx\n\t"
        ".cfi_adjust_cfa_offset -8\n\t"
        ".cfi_register rip, rcx\n\t"
        "jmp *%rcx\n\t"
        ".cfi_endproc\n\t"
        ".size __x86_return_thunk, . - __x86_return_thunk\n\t"
        ".popsection");

#else /* aarch64 */

/* `begin` finds its argument in x0, as wm_coroutine_go() leaves it, and 0 in the link register, where unwinders stop.
 */
static void prepare(struct wm_coroutine *c, const struct wm_stack *stack)
{
    c->resume = (void *)begin;
    c->stack_top = stack->top;
    c->frame = NULL;
    __asm__ volatile("mrs %0, fpcr" : "=r"(c->fpcr));
}

#endif

void wm_coroutine_make(struct wm_coroutine *c, const struct wm_stack *stack, void (*run)(void *with), void *with)
{
    *c = (struct wm_coroutine){.run = run, .with = with};
#ifdef WM_COROUTINE_ASAN
    c->low = stack->low;
    c->bytes = stack->bytes;
#endif
    prepare(c, stack);
}

_Noreturn void wm_coroutine_leave(struct wm_coroutine *from, struct wm_coroutine *to)
{
    wm_coroutine_announce(from, to, true);
    wm_coroutine_go(to, from);
    WM_BUG("a coroutine was resumed that had been left");
}
