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

#endif
