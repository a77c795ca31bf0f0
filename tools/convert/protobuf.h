/* Protocol buffers, the writing half: fields appended to a message in memory.
 *
 * An encoder of our own: a trace needs four kinds of fields, which is less to read than what a library would need to be
 * told, and no program that makes C of a schema has to be there. Encoding: protobuf.dev/programming-guides/encoding. */
#ifndef WM_CONVERT_PROTOBUF_H
#define WM_CONVERT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* A message under construction. All storage is the caller's; what does not fit is left out, and `overflow` says so. */
struct wm_protobuf {
    unsigned char *bytes;
    size_t used, capacity;
    int overflow;
};

enum { WM_PROTOBUF_VARINT_BYTES = 10 };

/* Write `value` to `out` (room for 10 bytes) as a varint; returns the bytes it took. */
size_t wm_protobuf_varint(unsigned char *out, uint64_t value);

void wm_protobuf_unsigned(struct wm_protobuf *message, unsigned field, uint64_t value);
/* int32, int64: negative ones take ten bytes. */
void wm_protobuf_signed(struct wm_protobuf *message, unsigned field, int64_t value);
void wm_protobuf_fixed64(struct wm_protobuf *message, unsigned field, uint64_t value);
void wm_protobuf_bytes(struct wm_protobuf *message, unsigned field, const void *data, size_t bytes);
void wm_protobuf_message(struct wm_protobuf *message, unsigned field, const struct wm_protobuf *part);

#endif
