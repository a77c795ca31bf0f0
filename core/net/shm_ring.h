/* Rings: one for each ordered pair of a node's ranks, in their shared memory, with one writer and one reader.
 *
 * A message is a line of 64 bytes, whose sequence number tells that it is there: line n's is n + 1, so it only grows,
 * and nothing else is ever written in its place. Small data stands in the line itself; larger in the ring's payload,
 * one piece each, written before the line. The reader tells how many lines it took in a line of its own, which the
 * writer looks at only when the ring seems full. */
#ifndef WM_NET_SHM_RING_H
#define WM_NET_SHM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/node/own_line.h"

enum {
    WM_RING_LINE_BYTES = 64,
    WM_RING_LINES = 64,
    WM_RING_INLINE_BYTES = 48,
    WM_RING_PAYLOAD_BYTES = 32 << 10,
    WM_RING_EAGER_BYTES = WM_RING_PAYLOAD_BYTES / 2 /* the largest payload of a line */
};

/* What a line is for: kind-dependent, see core/net/shm_state.h. */
union wm_ring_data {
    char bytes[WM_RING_INLINE_BYTES];
    uint64_t words[WM_RING_INLINE_BYTES / 8];
};

struct wm_ring_line {
    _Atomic uint64_t sequence;
    struct wm_ring_label {
        int32_t tag;
        uint32_t kind : 4, bytes : 28; /* of data or payload */
    } label;
    union wm_ring_data data;
};

/* Processors fetch lines in pairs. */
struct wm_ring {
    _Alignas(2 * WM_RING_LINE_BYTES) _Atomic uint64_t taken;
    _Alignas(2 * WM_RING_LINE_BYTES) struct wm_ring_line lines[WM_RING_LINES];
    char payload[WM_RING_PAYLOAD_BYTES];
};

/* The ends, each in the memory of its process. */
struct wm_ring_writer {
    struct wm_ring *ring;
    uint64_t next, taken;         /* lines; taken: as far as is known */
    uint64_t payload, freed;      /* bytes given out and freed since the beginning */
    size_t piece;                 /* bytes of payload of the line that is begun */
    uint64_t ends[WM_RING_LINES]; /* of each line's payload */
};

struct wm_ring_reader {
    struct wm_ring *ring;
    uint64_t next;
    bool waited;       /* for the next line: the writer is not ahead */
    const char *guess; /* the next payload, if it is to be fetched before its line is there */
};

/* So many lines ahead the caches are told: the writer's, that it will write; the reader's, while the writer is ahead,
 * that it will read. The reader's are further away, so as not to take back what the writer has been given. */
enum { WM_RING_OWNED_AHEAD = 3, WM_RING_FETCHED_AHEAD = 6 };

/* See how far the reader is. */
void wm_ring_refresh(struct wm_ring_writer *writer);
/* A piece of payload for the line that is begun; NULL: there is no room yet. At most WM_RING_EAGER_BYTES. */
char *wm_ring_payload(struct wm_ring_writer *writer, size_t bytes);

/* Have the cache own the next piece of payload, if it is as large: to be called when a line with one was written. */
void wm_ring_own_payload(struct wm_ring_writer *writer);

static inline size_t wm_ring_offset(const struct wm_ring_writer *writer, const char *payload)
{
    return (size_t)(payload - writer->ring->payload);
}

/* The line to be filled next, NULL: the ring is full. It is nothing until it is written. */
static inline struct wm_ring_line *wm_ring_begin(struct wm_ring_writer *writer)
{
    if (writer->next - writer->taken == WM_RING_LINES)
        wm_ring_refresh(writer);
    return writer->next - writer->taken == WM_RING_LINES ? NULL : &writer->ring->lines[writer->next % WM_RING_LINES];
}

static inline void wm_ring_write(struct wm_ring_writer *writer, struct wm_ring_line *line)
{
    writer->ends[writer->next % WM_RING_LINES] = writer->payload;
    atomic_store_explicit(&line->sequence, ++writer->next, memory_order_release);
    wm_own_line(&writer->ring->lines[(writer->next + WM_RING_OWNED_AHEAD) % WM_RING_LINES]);
    if (writer->piece > 0)
        wm_ring_own_payload(writer);
}

/* The line to be read next, NULL: it is not there yet. */
static inline const struct wm_ring_line *wm_ring_look(struct wm_ring_reader *reader)
{
    const struct wm_ring_line *line = &reader->ring->lines[reader->next % WM_RING_LINES];

    if (atomic_load_explicit(&line->sequence, memory_order_acquire) == reader->next + 1)
        return line;
    reader->waited = true;
    return NULL;
}

/* A payload was read: the next one stands behind it, if it is as large. */
void wm_ring_guess(struct wm_ring_reader *reader, size_t offset, size_t bytes);

/* The next line is not there: have the cache fetch its payload, so that it comes with the line. */
static inline void wm_ring_fetch(const struct wm_ring_reader *reader)
{
    if (reader->guess != NULL)
        __builtin_prefetch(reader->guess);
}

/* The line that was looked at, and its payload, are the writer's again. */
static inline void wm_ring_take(struct wm_ring_reader *reader)
{
    atomic_store_explicit(&reader->ring->taken, ++reader->next, memory_order_release);
    if (!reader->waited)
        __builtin_prefetch(&reader->ring->lines[(reader->next + WM_RING_FETCHED_AHEAD) % WM_RING_LINES]);
    reader->waited = false;
}

#endif
