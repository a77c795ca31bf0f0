/* A cache line that is about to be written, and that another processor has. */
#ifndef WM_OWN_LINE_H
#define WM_OWN_LINE_H

/* Have this processor's cache own it; does not wait for that. GCC's own prefetch is one for reading on plain x86-64. */
static inline void wm_own_line(const void *at)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
#else
    __builtin_prefetch(at, 1);
#endif
}

#endif
