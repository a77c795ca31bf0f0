/* Memory without which a rank cannot go on. The other ranks would wait for it for ever, so where there is none the job
 * ends, with a sentence, in every kind of call. Any thread, once MPI is initialised. */
#ifndef WM_ALLOCATE_H
#define WM_ALLOCATE_H

#include <stddef.h>

/* End the job: there is no memory for `what` ("a request"). */
_Noreturn void wm_out_of_memory(const char *what);

/* `bytes` of memory, which the caller frees by free; never NULL. */
void *wm_allocate(size_t bytes, const char *what);

/* The same, zeroed. */
void *wm_allocate_zeroed(size_t bytes, const char *what);

/* Have the caches fetch so many bytes, which will be written, and do not wait for them. */
static inline void wm_fetch(const void *address, size_t bytes)
{
    enum { LINE = 64 };

    for (size_t at = 0; at < bytes; at += LINE)
        __builtin_prefetch((const char *)address + at, 1);
}

#endif
