/* otf2: the memory in which libotf2 gathers records before it writes them: so little that it writes often. */
#include <stdlib.h>
#include "tools/convert/otf2_archive.h"

enum { CHUNKS_MOST = 4 };

/* The chunks of one file's buffer. When there are no more the library writes them out and frees all. */
struct buffer {
    int count;
    void *chunks[CHUNKS_MOST];
};

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer_data, uint64_t bytes)
{
    struct buffer *buffer = *buffer_data;

    (void)data, (void)type, (void)location;
    if (buffer == NULL)
        *buffer_data = buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL || buffer->count == CHUNKS_MOST)
        return NULL;
    buffer->chunks[buffer->count] = malloc(bytes);
    return buffer->chunks[buffer->count] != NULL ? buffer->chunks[buffer->count++] : NULL;
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer_data, bool final)
{
    struct buffer *buffer = *buffer_data;

    (void)data, (void)type, (void)location;
    while (buffer != NULL && buffer->count > 0)
        free(buffer->chunks[--buffer->count]);
    if (!final)
        return;
    free(buffer);
    *buffer_data = NULL;
}

const OTF2_MemoryCallbacks wm_otf2_memory = {.otf2_allocate = allocate, .otf2_free_all = free_all};
