/* Stacks of coroutines: mapped once, and kept for the next coroutine. */
#include "core/subrank/stack.h"
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_UNPOISON_MEMORY_REGION(low, bytes) ((void)(low), (void)(bytes))
#endif

/* Stands at the top of a stack that was given back. */
struct wm_free_stack {
    struct wm_stack stack;
    struct wm_free_stack *next;
};

static struct wm_free_stack *free_stacks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool reuse(struct wm_stack *stack, size_t bytes)
{
    struct wm_free_stack **place = &free_stacks, *found;

    pthread_mutex_lock(&lock);
    while (*place != NULL && (*place)->stack.bytes != bytes)
        place = &(*place)->next;
    if ((found = *place) != NULL) {
        *place = found->next;
        *stack = found->stack;
    }
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

/* Bytes to leave out at the end: 0 to 63 cache lines. */
static size_t next_line(void)
{
    static _Atomic unsigned taken;

    return taken++ % 64 * 64;
}

bool wm_stack_take(struct wm_stack *stack, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory;

    bytes = (bytes + page - 1) / page * page;
    if (reuse(stack, bytes))
        return true;
    memory = mmap(NULL, WM_STACK_GUARD_BYTES + bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    if (mprotect(memory + WM_STACK_GUARD_BYTES, bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(memory, WM_STACK_GUARD_BYTES + bytes);
        return false;
    }
    *stack = (struct wm_stack){.low = memory + WM_STACK_GUARD_BYTES, .bytes = bytes};
    stack->top = stack->low + bytes - next_line();
    return true;
}

void wm_stack_give(const struct wm_stack *stack)
{
    struct wm_free_stack *kept = (struct wm_free_stack *)(stack->low + stack->bytes) - 1;

    ASAN_UNPOISON_MEMORY_REGION(stack->low, stack->bytes);
    kept->stack = *stack;
    pthread_mutex_lock(&lock);
    kept->next = free_stacks;
    free_stacks = kept;
    pthread_mutex_unlock(&lock);
}

void wm_stacks_release(void)
{
    pthread_mutex_lock(&lock);
    while (free_stacks != NULL) {
        struct wm_stack stack = free_stacks->stack;

        free_stacks = free_stacks->next;
        munmap(stack.low - WM_STACK_GUARD_BYTES, WM_STACK_GUARD_BYTES + stack.bytes);
    }
    pthread_mutex_unlock(&lock);
}

bool wm_stack_guards(const struct wm_stack *stack, const void *address)
{
    uintptr_t low = (uintptr_t)stack->low, at = (uintptr_t)address;

    return at < low && at >= low - WM_STACK_GUARD_BYTES;
}
