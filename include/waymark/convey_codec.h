/* Codecs of conveyors' buffers (waymark/convey.h).
 *
 * Buffers are compressed on hops between nodes, of conveyors that were made with convey_opt_COMPRESS or whose path says
 * (compress); there convey_set_codec puts another codec in the place of the standard one. A codec may refuse items
 * (plan) and buffers (compress): those travel as they are. */
#ifndef CONVEY_CODEC_H
#define CONVEY_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_CONVEY_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* What the buffers hold that a codec is to compress: `max_items` packets at most of tag, item and padding. */
typedef struct convey_cargo {
    size_t tag_size;    /* bytes of a routing tag: 0 or a multiple of 4 */
    size_t item_size;   /* bytes of an item */
    size_t packet_size; /* of tag, item and padding together */
    size_t max_items;
    void *arg; /* what convey_set_codec was given */
} convey_cargo_t;

/* How a codec wants them laid out: buffers at a multiple of `align` (a power of two from 8 to CONVEY_MAX_ALIGN),
 * packets at every `stride` bytes, `slack` packets more that it may read and spoil; compressed data `offset` bytes
 * behind a multiple of `align`, with `overrun` bytes behind it that may be spoilt. */
typedef struct convey_layout {
    size_t align, stride, slack, offset, overrun;
} convey_layout_t;

/* `plan`, `compress` and `decompress` must be there; `link` and `unlink` may be NULL. */
typedef struct convey_codec {
    const char *name;
    /* Can it? Then fill the layout. */
    bool (*plan)(const convey_cargo_t *cargo, convey_layout_t *layout);
    /* Make what one link needs; NULL: it needs nothing. */
    void *(*link)(const convey_cargo_t *cargo, bool decompress);
    /* Returns the bytes written to `outbuf`, at most `limit`; 0: it does not pay. `inbuf` may be spoilt. */
    size_t (*compress)(const convey_cargo_t *cargo, void *link_data, size_t n_items, void *inbuf, size_t limit,
                       void *outbuf);
    void (*decompress)(const convey_cargo_t *cargo, void *link_data, size_t n_items, size_t n_bytes, void *inbuf,
                       void *outbuf);
    void (*unlink)(const convey_cargo_t *cargo, void *link_data);
} convey_codec_t;

/* Squeezes out bits and bytes that are the same in all items of a buffer. */
extern WM_CONVEY_API const convey_codec_t convey_standard_codec;

#ifdef __cplusplus
}
#endif

#endif
