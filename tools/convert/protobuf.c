/* Protocol buffers: varints, fixed numbers, and what has a length. */
#include "tools/convert/protobuf.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2 };

size_t wm_protobuf_varint(unsigned char *out, uint64_t value)
{
    size_t count = 0;

    for (; value >= 0x80; value >>= 7)
        out[count++] = (unsigned char)(value | 0x80);
    out[count++] = (unsigned char)value;
    return count;
}

static void append(struct wm_protobuf *message, const void *data, size_t bytes)
{
    if (bytes > message->capacity - message->used) {
        message->overflow = 1;
        return;
    }
    if (bytes > 0)
        memcpy(message->bytes + message->used, data, bytes);
    message->used += bytes;
}

static void append_varint(struct wm_protobuf *message, uint64_t value)
{
    unsigned char bytes[WM_PROTOBUF_VARINT_BYTES];

    append(message, bytes, wm_protobuf_varint(bytes, value));
}

static void append_tag(struct wm_protobuf *message, unsigned field, unsigned wire)
{
    append_varint(message, (uint64_t)field << 3 | wire);
}

void wm_protobuf_unsigned(struct wm_protobuf *message, unsigned field, uint64_t value)
{
    append_tag(message, field, VARINT);
    append_varint(message, value);
}

void wm_protobuf_signed(struct wm_protobuf *message, unsigned field, int64_t value)
{
    wm_protobuf_unsigned(message, field, (uint64_t)value);
}

void wm_protobuf_fixed64(struct wm_protobuf *message, unsigned field, uint64_t value)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    append_tag(message, field, FIXED64);
    append(message, bytes, sizeof bytes);
}

void wm_protobuf_bytes(struct wm_protobuf *message, unsigned field, const void *data, size_t bytes)
{
    append_tag(message, field, LENGTH);
    append_varint(message, bytes);
    append(message, data, bytes);
}

void wm_protobuf_message(struct wm_protobuf *message, unsigned field, const struct wm_protobuf *part)
{
    message->overflow |= part->overflow;
    wm_protobuf_bytes(message, field, part->bytes, part->used);
}
