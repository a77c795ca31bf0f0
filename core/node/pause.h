/* A moment's rest for the processor in a loop that waits for another's store. */
#ifndef WM_PAUSE_H
#define WM_PAUSE_H

static inline void wm_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

#endif
