/* Allocators of conveyors' buffers (waymark/convey.h). */
#ifndef CONVEY_ALC8R_H
#define CONVEY_ALC8R_H

#include <stddef.h>
#include <stdint.h>

/* Memory of the user's own for buffers that other processes need not see; freed last in, first out. `grab` may fail by
 * returning NULL. Blocks are aligned as the allocator aligns them: with fewer than 64 bytes convey_begin fails. */
typedef struct convey_alc8r {
    void *alc8r;
    void *(*grab)(void *alc8r, size_t size, const char *file, uint64_t line);
    void (*free)(void *alc8r, void *ptr);
} convey_alc8r_t;

#endif
