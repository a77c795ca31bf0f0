/* Allocators of conveyors' buffers (waymark/convey.h). */
#ifndef CONVEY_ALC8R_H
#define CONVEY_ALC8R_H

#include <stddef.h>
#include <stdint.h>

/* Memory of the user's own for buffers that other processes need not see, of any alignment; freed last in, first out.
 * `grab` may fail by returning NULL. The constructor takes a block and convey_free gives it back; what that has no room
 * for (items larger than a buffer, the larger buffers of a map) is taken by convey_begin and given back by
 * convey_reset, and so is all of it with convey_opt_DYNAMIC. */
typedef struct convey_alc8r {
    void *alc8r;
    void *(*grab)(void *alc8r, size_t size, const char *file, uint64_t line);
    void (*free)(void *alc8r, void *ptr);
} convey_alc8r_t;

#endif
