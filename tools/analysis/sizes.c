/* The line_table's message sizes: what messages of each size cost on a stage, by powers of two once there are many. */
#include <stdlib.h>
#include <string.h>
#include "core/search.h"
#include "tools/analysis/line_table.h"

enum { SIZES_MAX = 64 };

/* The nearest power of two; of two as near the greater. */
static uint64_t nearest_power(uint64_t bytes)
{
    uint64_t power = 1;

    if (bytes == 0)
        return 0;
    while (power <= bytes / 2)
        power *= 2;
    return bytes - power < 2 * power - bytes ? power : 2 * power;
}

/* Where `bytes` is or should be inserted. */
static size_t place_of(const struct wm_line *line, uint64_t bytes)
{
    return WM_COUNT_WHILE(i, line->size_count, line->sizes[i].bytes < bytes);
}

static struct wm_size_cost *insert(struct wm_line *line, size_t at, uint64_t bytes)
{
    memmove(&line->sizes[at + 1], &line->sizes[at], (line->size_count - at) * sizeof *line->sizes);
    line->sizes[at] = (struct wm_size_cost){.bytes = bytes};
    line->size_count++;
    return &line->sizes[at];
}

/* Join sizes whose nearest power of two is the same. */
static void round_sizes(struct wm_line *line)
{
    size_t count = 0;

    for (size_t i = 0; i < line->size_count; i++) {
        struct wm_size_cost size = line->sizes[i], *to = &line->sizes[count];

        size.bytes = nearest_power(size.bytes);
        if (count > 0 && to[-1].bytes == size.bytes) {
            to[-1].messages += size.messages;
            to[-1].late_sender_ns += size.late_sender_ns;
            to[-1].late_receiver_ns += size.late_receiver_ns;
            to[-1].transfer_ns += size.transfer_ns;
        } else {
            *to = size;
            count++;
        }
    }
    line->size_count = count;
    line->sizes_rounded = true;
}

struct wm_size_cost *wm_line_table_size(struct wm_line_table *line_table, struct wm_line *line, uint64_t bytes)
{
    size_t at;

    if (line->sizes == NULL)
        line->sizes = calloc(SIZES_MAX, sizeof *line->sizes);
    if (line->sizes == NULL) {
        line_table->out_of_memory = true;
        return NULL;
    }
    bytes = line->sizes_rounded ? nearest_power(bytes) : bytes;
    at = place_of(line, bytes);
    if (at < line->size_count && line->sizes[at].bytes == bytes)
        return &line->sizes[at];
    if (line->size_count == SIZES_MAX) { /* 40 bits of bytes have fewer powers, so that this happens once */
        round_sizes(line);
        return wm_line_table_size(line_table, line, bytes);
    }
    return insert(line, at, bytes);
}
