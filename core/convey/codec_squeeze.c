/* The standard codec: bits that are the same in all packets of a buffer are squeezed out.
 *
 * A packet is a row of words of 8 bytes, the last one perhaps in part. For each column of words the AND and the OR over
 * all packets tell which bits vary. Of a column nothing but its value is written if none do; all of it if nearly all
 * do; else its mask, its value where it is constant, and the varying bits of each packet, side by side without gaps:
 * indices below 2^20 take 20 bits, doubles of one magnitude lose their exponents, records their padding.
 *
 *   kinds    a byte a column, filled up to 8
 *   values   CONSTANT: 8 bytes; MIXED: mask, value
 *   bits     column by column, each from a byte of its own on; RAW: 8 bytes a packet
 *
 * Costs two passes over the data, the first of which sees the exact size of the result: what saves less than an eighth
 * is refused before anything else is done. At most 56 bits are packed at once, so that a word is written whole at any
 * bit of a byte: that is what overrun is for. Bits are packed by PEXT where the processor has it, else run by run of
 * the mask. */
#include "core/convey/codec.h"

#include <string.h>

/* WM_SQUEEZE_BY_RUNS: as if the processor had no PEXT, for tests. */
#if defined(__x86_64__) && !defined(WM_SQUEEZE_BY_RUNS)
#define HAS_PEXT 1
#include <immintrin.h>
#endif

enum { WORD = 8, BLOCK = 8, MIXED_BITS_MAX = 56, RUNS_MAX = 32, SAVED = 8 };
enum kind { CONSTANT, MIXED, RAW };

static bool plan(const convey_cargo_t *cargo, convey_layout_t *layout)
{
    *layout =
        (convey_layout_t){.align = WORD, .stride = (cargo->packet_size + WORD - 1) / WORD * WORD, .overrun = WORD};
    return cargo->packet_size > 0;
}

static size_t columns_of(const convey_cargo_t *cargo)
{
    return (cargo->packet_size + WORD - 1) / WORD;
}

static size_t kinds_bytes(size_t columns)
{
    return (columns + WORD - 1) / WORD * WORD;
}

static inline uint64_t load(const char *at)
{
    uint64_t word;

    memcpy(&word, at, WORD);
    return word;
}

static inline void store(char *at, uint64_t word)
{
    memcpy(at, &word, WORD);
}

/* The stream of bits begins at the lowest bit of each byte, whatever the processor's order. */
static inline uint64_t in_stream_order(uint64_t word)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

/* ---- masks ---- */

struct masks {
    uint64_t all[BLOCK], any[BLOCK]; /* AND and OR of up to BLOCK neighbouring columns */
};

static inline __attribute__((always_inline)) void scan(struct masks *m, const char *in, size_t stride, size_t rows,
                                                       size_t columns)
{
    struct masks local = *m;

    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 8
        for (size_t j = 0; j < columns; j++) {
            uint64_t word = load(in + i * stride + WORD * j);

            local.all[j] &= word;
            local.any[j] |= word;
        }
    *m = local;
}

/* Packets of 1, 2 or 4 words, one behind the other, are taken for rows of 8, so that accumulators do not wait for each
 * other; what the columns of one word then have apart is brought together. */
static void scan_rows_of_eight(struct masks *m, const char *in, size_t words, size_t columns)
{
    scan(m, in, BLOCK * WORD, words / BLOCK, BLOCK);
    scan(m, in + words / BLOCK * BLOCK * WORD, 0, 1, words % BLOCK);
    for (size_t j = columns; j < BLOCK; j++) {
        m->all[j % columns] &= m->all[j];
        m->any[j % columns] |= m->any[j];
    }
}

static void find_masks(struct masks *m, const char *in, size_t stride, size_t n_items, size_t columns)
{
    for (size_t j = 0; j < BLOCK; j++) {
        m->all[j] = ~UINT64_C(0);
        m->any[j] = 0;
    }
    if (stride == columns * WORD && BLOCK % columns == 0)
        scan_rows_of_eight(m, in, n_items * columns, columns);
    else if (columns == BLOCK)
        scan(m, in, stride, n_items, BLOCK);
    else
        scan(m, in, stride, n_items, columns);
}

/* The bits of a column that belong to the packet. */
static uint64_t column_bits(const convey_cargo_t *cargo, size_t column)
{
    unsigned char bytes[WORD] = {0};
    uint64_t bits;

    for (size_t b = 0; b < WORD && column * WORD + b < cargo->packet_size; b++)
        bytes[b] = 0xff;
    memcpy(&bits, bytes, WORD);
    return bits;
}

static enum kind kind_of(uint64_t mask)
{
    return mask == 0 ? CONSTANT : __builtin_popcountll(mask) <= MIXED_BITS_MAX ? MIXED : RAW;
}

static size_t value_bytes(enum kind kind)
{
    return kind == CONSTANT ? WORD : kind == MIXED ? 2 * WORD : 0;
}

static size_t stream_bytes(enum kind kind, uint64_t mask, size_t n_items)
{
    return kind == CONSTANT ? 0 : kind == RAW ? n_items * WORD : (n_items * (size_t)__builtin_popcountll(mask) + 7) / 8;
}

/* ---- bits ---- */

/* A run of ones in a mask: where its bits stand among the packed ones, and how far down that is. */
struct run {
    uint64_t packed;
    int shift;
};

static int find_runs(struct run *runs, uint64_t mask)
{
    int count = 0, packed = 0;

    while (mask != 0) {
        int low = __builtin_ctzll(mask), length = __builtin_ctzll(~(mask >> low)); /* a mask of 64 ones is RAW */
        uint64_t ones = ((UINT64_C(1) << length) - 1);

        runs[count++] = (struct run){.packed = ones << packed, .shift = low - packed};
        packed += length;
        mask &= ~(ones << low);
    }
    return count;
}

/* Appends `width` bits at a time. */
struct writer {
    char *at;
    uint64_t bits;
    unsigned fill; /* of `bits`, below 8 between two words */
};

static inline void write_bits(struct writer *w, uint64_t bits, unsigned width)
{
    w->bits |= bits << w->fill;
    w->fill += width;
    store(w->at, in_stream_order(w->bits));
    w->at += w->fill / 8;
    w->bits >>= w->fill & ~7u;
    w->fill &= 7;
}

static inline uint64_t read_bits(const char *stream, size_t bit, uint64_t ones)
{
    return in_stream_order(load(stream + bit / 8)) >> (bit & 7) & ones;
}

/* One column of all packets, from its first word on. */
struct column {
    char *words;
    size_t stride, n_items;
    uint64_t mask, value;
    unsigned width; /* ones of the mask */
};

static inline __attribute__((always_inline)) void pack_runs(const struct column *c, const struct run *runs, int count,
                                                            char *stream)
{
    struct writer w = {.at = stream};

    for (size_t i = 0; i < c->n_items; i++) {
        uint64_t word = load(c->words + i * c->stride), bits = 0;

        for (int r = 0; r < count; r++)
            bits |= word >> runs[r].shift & runs[r].packed;
        write_bits(&w, bits, c->width);
    }
}

static inline __attribute__((always_inline)) void unpack_runs(const struct column *c, const struct run *runs, int count,
                                                              const char *stream)
{
    uint64_t ones = (UINT64_C(1) << c->width) - 1;

    for (size_t i = 0; i < c->n_items; i++) {
        uint64_t bits = read_bits(stream, i * c->width, ones), word = c->value;

        for (int r = 0; r < count; r++)
            word |= (bits & runs[r].packed) << runs[r].shift;
        store(c->words + i * c->stride, word);
    }
}

#ifdef HAS_PEXT
static bool has_pext(void)
{
    return __builtin_cpu_supports("bmi2");
}

__attribute__((target("bmi2"))) static void pack_pext(const struct column *c, char *stream)
{
    struct writer w = {.at = stream};

    for (size_t i = 0; i < c->n_items; i++)
        write_bits(&w, _pext_u64(load(c->words + i * c->stride), c->mask), c->width);
}

__attribute__((target("bmi2"))) static void unpack_pext(const struct column *c, const char *stream)
{
    uint64_t ones = (UINT64_C(1) << c->width) - 1;

    for (size_t i = 0; i < c->n_items; i++)
        store(c->words + i * c->stride, c->value | _pdep_u64(read_bits(stream, i * c->width, ones), c->mask));
}
#else
static bool has_pext(void)
{
    return false;
}

static void pack_pext(const struct column *c, char *stream)
{
    (void)c;
    (void)stream;
}

static void unpack_pext(const struct column *c, const char *stream)
{
    (void)c;
    (void)stream;
}
#endif

static void pack_column(const struct column *c, char *stream)
{
    struct run runs[RUNS_MAX];
    int count = find_runs(runs, c->mask);

    if (count == 1)
        pack_runs(c, runs, 1, stream);
    else if (has_pext())
        pack_pext(c, stream);
    else
        pack_runs(c, runs, count, stream);
}

static void unpack_column(const struct column *c, const char *stream)
{
    struct run runs[RUNS_MAX];
    int count = find_runs(runs, c->mask);

    if (count == 1)
        unpack_runs(c, runs, 1, stream);
    else if (has_pext())
        unpack_pext(c, stream);
    else
        unpack_runs(c, runs, count, stream);
}

/* ---- the codec ---- */

/* Where the parts of compressed data stand. */
struct parts {
    unsigned char *kinds;
    char *values, *stream;
};

/* Kinds and values, for `n_items`; sets the place of the stream. Returns the bytes of all three, 0 if above `limit`. */
static size_t write_values(const convey_cargo_t *cargo, const char *in, size_t stride, size_t n_items, size_t limit,
                           struct parts *p)
{
    size_t columns = columns_of(cargo), bytes = kinds_bytes(columns);
    struct masks masks;

    if (bytes > limit)
        return 0;
    for (size_t column = 0; column < columns; column++) {
        size_t j = column % BLOCK;
        uint64_t mask, bits = column_bits(cargo, column);
        enum kind kind;

        if (j == 0)
            find_masks(&masks, in + column * WORD, stride, n_items,
                       columns - column < BLOCK ? columns - column : BLOCK);
        mask = (masks.all[j] ^ masks.any[j]) & bits;
        kind = kind_of(mask);
        bytes += value_bytes(kind) + stream_bytes(kind, mask, n_items);
        if (bytes > limit)
            return 0;
        p->kinds[column] = (unsigned char)kind;
        if (kind == MIXED)
            store(p->stream, mask);
        if (kind != RAW)
            store(p->stream + value_bytes(kind) - WORD, masks.all[j] & ~mask & bits);
        p->stream += value_bytes(kind);
    }
    return bytes;
}

static struct parts parts_of(void *buffer, size_t columns)
{
    char *values = (char *)buffer + kinds_bytes(columns);

    return (struct parts){.kinds = buffer, .values = values, .stream = values};
}

/* The next column's kind and values. */
static enum kind next_values(struct parts *p, size_t column, struct column *c)
{
    enum kind kind = (enum kind)p->kinds[column];

    c->mask = kind == MIXED ? load(p->values) : kind == RAW ? ~UINT64_C(0) : 0;
    c->value = kind == RAW ? 0 : load(p->values + value_bytes(kind) - WORD);
    c->width = kind == MIXED ? (unsigned)__builtin_popcountll(c->mask) : 0;
    p->values += value_bytes(kind);
    return kind;
}

static void copy_out(const struct column *c, char *stream)
{
    for (size_t i = 0; i < c->n_items; i++)
        store(stream + i * WORD, load(c->words + i * c->stride));
}

static void copy_in(const struct column *c, const char *stream)
{
    for (size_t i = 0; i < c->n_items; i++)
        store(c->words + i * c->stride, load(stream + i * WORD));
}

static void fill(const struct column *c)
{
    for (size_t i = 0; i < c->n_items; i++)
        store(c->words + i * c->stride, c->value);
}

static size_t compress(const convey_cargo_t *cargo, void *link_data, size_t n_items, void *inbuf, size_t limit,
                       void *outbuf)
{
    size_t columns = columns_of(cargo), stride = columns * WORD, plain = n_items * cargo->packet_size, bytes;
    struct parts p = parts_of(outbuf, columns);

    (void)link_data;
    if (limit > plain - plain / SAVED)
        limit = plain - plain / SAVED;
    if (n_items == 0 || (bytes = write_values(cargo, inbuf, stride, n_items, limit, &p)) == 0)
        return 0;
    for (size_t column = 0; column < columns; column++) {
        struct column c = {.words = (char *)inbuf + column * WORD, .stride = stride, .n_items = n_items};
        enum kind kind = next_values(&p, column, &c);

        if (kind == MIXED)
            pack_column(&c, p.stream);
        else if (kind == RAW)
            copy_out(&c, p.stream);
        p.stream += stream_bytes(kind, c.mask, n_items);
    }
    return bytes;
}

/* The stream begins behind all values. */
static void find_stream(struct parts *p, size_t columns)
{
    for (size_t column = 0; column < columns; column++)
        p->stream += value_bytes((enum kind)p->kinds[column]);
}

static void decompress(const convey_cargo_t *cargo, void *link_data, size_t n_items, size_t n_bytes, void *inbuf,
                       void *outbuf)
{
    size_t columns = columns_of(cargo), stride = columns * WORD;
    struct parts p = parts_of(inbuf, columns);

    (void)link_data;
    (void)n_bytes;
    find_stream(&p, columns);
    for (size_t column = 0; column < columns; column++) {
        struct column c = {.words = (char *)outbuf + column * WORD, .stride = stride, .n_items = n_items};
        enum kind kind = next_values(&p, column, &c);

        if (kind == MIXED)
            unpack_column(&c, p.stream);
        else if (kind == RAW)
            copy_in(&c, p.stream);
        else
            fill(&c);
        p.stream += stream_bytes(kind, c.mask, n_items);
    }
}

const convey_codec_t convey_standard_codec = {
    .name = "squeeze", .plan = plan, .compress = compress, .decompress = decompress};
