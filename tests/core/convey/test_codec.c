/* Codecs of conveyors: what goes in comes out, within the room that was promised; and codecs that lie are caught. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/convey/codec.h"
#include "core/convey/packer.h"
#include "core/error.h"
#include "tests/check.h"

/* AddressSanitizer sees each byte beyond a block; without it a pattern stands there. */
#ifdef __SANITIZE_ADDRESS__
enum { GUARD = 0 };
#else
enum { GUARD = 64 };
#endif

struct block {
    unsigned char *at;
    size_t bytes;
};

static struct block block_new(size_t bytes)
{
    struct block b = {.bytes = bytes};

    CU_ASSERT_EQUAL_FATAL(posix_memalign((void **)&b.at, 64, bytes + GUARD > 0 ? bytes + GUARD : 1), 0);
    memset(b.at, 0x5a, bytes + GUARD);
    return b;
}

static bool block_free(struct block *b)
{
    bool intact = true;

    for (const unsigned char *at = b->at + b->bytes; at != b->at + b->bytes + GUARD; at++)
        intact = intact && *at == 0x5a;
    free(b->at);
    return intact;
}

static uint64_t state = 1;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* ---- packets of many kinds ---- */

enum kind { ZEROS, SAME, NOISE, LOW_BITS, COUNTER, ONE_BIT, GAPS, SOME_BYTES, NEARLY_ALL, TURNS, KINDS };

static uint64_t word_of(enum kind kind, size_t packet, size_t word)
{
    switch (kind) {
    case ZEROS:
        return 0;
    case SAME:
        return 0x0123456789abcdef * (word + 1);
    case LOW_BITS:
        return (draw() & 0xfffff) + (UINT64_C(7) << 60);
    case COUNTER:
        return packet * 3 + (word << 32);
    case ONE_BIT:
        return draw() % 97 == 0 ? UINT64_C(1) << 63 : 0;
    case GAPS:
        return draw() & 0x5555aaaa0f0f3333;
    case SOME_BYTES:
        return draw() & 0x00ff0000ff0000ff;
    case NEARLY_ALL:
        return draw() & (UINT64_MAX >> word % 10);
    case TURNS:
        return word % 3 == 0 ? draw() : word % 3 == 1 ? packet & 15 : 42;
    default:
        return draw();
    }
}

static void fill(unsigned char *in, const convey_cargo_t *cargo, const convey_layout_t *layout, size_t n,
                 enum kind kind)
{
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < cargo->packet_size; b += 8) {
            uint64_t word = word_of(kind, i, b / 8);
            size_t rest = cargo->packet_size - b;

            memcpy(in + i * layout->stride + b, &word, rest < 8 ? rest : 8);
        }
}

static bool same_packets(const unsigned char *a, const unsigned char *b, const convey_cargo_t *cargo,
                         const convey_layout_t *layout, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i * layout->stride, b + i * layout->stride, cargo->packet_size) != 0)
            return false;
    return true;
}

static convey_cargo_t cargo_of(size_t item, size_t tag, size_t n)
{
    return (convey_cargo_t){
        .tag_size = tag, .item_size = item, .packet_size = tag > 0 ? (tag + item + 3) / 4 * 4 : item, .max_items = n};
}

/* One buffer there and back, in blocks as small as the layout allows. Returns the bytes it had, 0: refused. */
static size_t there_and_back(const convey_codec_t *codec, const convey_cargo_t *cargo, size_t n, enum kind kind,
                             size_t limit)
{
    convey_layout_t layout = {0};
    struct block in, packed, out;
    unsigned char *before;
    size_t bytes;
    void *data[2];

    CU_ASSERT_FATAL(codec->plan(cargo, &layout));
    in = block_new((n + layout.slack) * layout.stride);
    packed = block_new(layout.offset + limit + layout.overrun);
    before = malloc(in.bytes + 1);
    for (int back = 0; back < 2; back++)
        data[back] = codec->link != NULL ? codec->link(cargo, back) : NULL;
    fill(in.at, cargo, &layout, n, kind);
    memcpy(before, in.at, in.bytes);
    bytes = codec->compress(cargo, data[0], n, in.at, limit, packed.at + layout.offset);
    CU_ASSERT(bytes <= limit);
    CU_ASSERT(memcmp(before, in.at, in.bytes) == 0); /* ours spoil nothing */
    if (bytes > 0) {
        struct block exact = block_new(layout.offset + bytes + layout.overrun);

        out = block_new((n + layout.slack) * layout.stride);
        memcpy(exact.at + layout.offset, packed.at + layout.offset, bytes);
        codec->decompress(cargo, data[1], n, bytes, exact.at + layout.offset, out.at);
        CU_ASSERT(same_packets(before, out.at, cargo, &layout, n));
        CU_ASSERT(block_free(&exact));
        CU_ASSERT(block_free(&out));
    }
    for (int back = 0; back < 2; back++)
        if (codec->unlink != NULL)
            codec->unlink(cargo, data[back]);
    CU_ASSERT(block_free(&packed));
    CU_ASSERT(block_free(&in));
    free(before);
    return bytes;
}

static void try_all(const convey_codec_t *codec)
{
    static const size_t counts[] = {1, 2, 7, 64, 301};

    for (size_t item = 1; item <= 300; item++)
        for (int c = 0; c < 5; c++)
            for (int kind = 0; kind < KINDS; kind++) {
                size_t n = counts[c];
                convey_cargo_t cargo = cargo_of(item, draw() % 2 ? 4 : 0, n);
                size_t plain = n * cargo.packet_size, bytes = there_and_back(codec, &cargo, n, kind, plain);

                if (bytes > 0 && kind != NOISE) /* less room than it takes; room for nothing */
                    there_and_back(codec, &cargo, n, kind, bytes - 1);
                there_and_back(codec, &cargo, n, kind, draw() % 20);
            }
}

static void squeeze__brings_everything_back(void)
{
    try_all(&convey_standard_codec);
}

static void lz4__brings_everything_back(void)
{
#ifdef HAVE_LZ4
    try_all(&wm_codec_lz4);
#endif
    CU_ASSERT((wm_codec_lacking(WM_CODEC_LZ4) == NULL) == (wm_codec_lz4.compress != NULL));
}

static void squeeze__takes_what_varies(void)
{
    convey_cargo_t words = cargo_of(8, 0, 1000), records = cargo_of(40, 4, 100);

    CU_ASSERT_EQUAL(there_and_back(&convey_standard_codec, &words, 1000, LOW_BITS, 8000), 8 + 16 + 2500);
    CU_ASSERT_EQUAL(there_and_back(&convey_standard_codec, &words, 1000, ZEROS, 8000), 8 + 8);
    CU_ASSERT_EQUAL(there_and_back(&convey_standard_codec, &words, 1000, GAPS, 8000), 8 + 16 + 4000);
    CU_ASSERT_EQUAL(there_and_back(&convey_standard_codec, &records, 100, SAME, 4400), 8 + 6 * 8);
}

static void squeeze__refuses_what_saves_less_than_an_eighth(void)
{
    convey_cargo_t words = cargo_of(8, 0, 100000), one = cargo_of(8, 0, 1);
    size_t bytes = there_and_back(&convey_standard_codec, &words, 100000, NOISE, 800000);

    CU_ASSERT_EQUAL(bytes, 0);
    CU_ASSERT_EQUAL(there_and_back(&convey_standard_codec, &one, 1, SAME, 8), 0);
    CU_ASSERT_EQUAL(there_and_back(&convey_standard_codec, &words, 1000, LOW_BITS, 2523), 0); /* a byte too few */
}

/* ---- the packer, and codecs that do not keep their word ---- */

enum lie { NONE, MORE_THAN_LIMIT, BEYOND_OVERRUN, BEYOND_SLACK, OTHER_CONTENT, OUT_BEYOND };
static enum lie lie;
static convey_layout_t liars_layout;

static bool liar_plan(const convey_cargo_t *cargo, convey_layout_t *layout)
{
    *layout = liars_layout;
    if (layout->stride == 0)
        layout->stride = cargo->packet_size + 3;
    return layout->align != 1;
}

/* Keeps every other byte of each word of 2, which is right for what has zeros there; spoils what it may. */
static size_t liar_compress(const convey_cargo_t *cargo, void *link_data, size_t n, void *inbuf, size_t limit,
                            void *outbuf)
{
    size_t bytes = n * liars_layout.stride, half = (bytes + 1) / 2;
    unsigned char *in = inbuf, *out = outbuf;

    CU_ASSERT(link_data == cargo->arg);
    if (half > limit)
        return 0;
    for (size_t i = 0; i < half; i++)
        out[i] = in[2 * i];
    memset(in, 0xee, (n + liars_layout.slack) * liars_layout.stride);
    memset(out + half, 0xee, liars_layout.overrun);
    if (lie == BEYOND_OVERRUN)
        memset(out + limit + liars_layout.overrun, 0xee, 64);
    if (lie == BEYOND_SLACK)
        memset(in + (cargo->max_items + liars_layout.slack) * liars_layout.stride, 0xee, 8);
    if (lie == OTHER_CONTENT)
        out[half / 2] ^= 4;
    return lie == MORE_THAN_LIMIT ? limit + 1 : half;
}

static void liar_decompress(const convey_cargo_t *cargo, void *link_data, size_t n, size_t n_bytes, void *inbuf,
                            void *outbuf)
{
    unsigned char *in = inbuf, *out = outbuf;

    (void)link_data;
    for (size_t i = 0; i < n * liars_layout.stride; i++)
        out[i] = i % 2 == 0 ? in[i / 2] : 0;
    memset(in + n_bytes, 0xee, liars_layout.overrun);
    if (lie == OUT_BEYOND)
        memset(out + (cargo->max_items + liars_layout.slack) * liars_layout.stride, 0xee, 8);
}

static void *liar_link(const convey_cargo_t *cargo, bool decompress)
{
    (void)decompress;
    return cargo->arg;
}

static const convey_codec_t liar = {
    .name = "liar", .plan = liar_plan, .link = liar_link, .compress = liar_compress, .decompress = liar_decompress};

enum { UNITS = 200, UNIT = 8, TAG = 2, BODY = UNITS * (UNIT + TAG) };
static const struct wm_convey_form form = {.unit_bytes = UNIT, .tag_bytes = TAG, .units = UNITS, .buffers = 2};

static struct wm_packer *new_packer(const convey_codec_t *codec)
{
    struct wm_convey_packing packing = {.codec = codec, .arg = &lie, .item_bytes = UNIT};
    struct wm_packer *packer = NULL;

    CU_ASSERT_EQUAL_FATAL(wm_packer_new(&packer, &form, &packing), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(packer);
    return packer;
}

/* Items and tags whose every other byte is zero. */
static void fill_body(char *body, size_t units)
{
    for (size_t i = 0; i < units * (UNIT + TAG); i++)
        body[i] = i % 2 == 0 ? (char)draw() : 0;
}

/* Is a body of so many units brought back by the codec, or left alone? */
static bool packs(struct wm_packer *packer, size_t units)
{
    char body[BODY], before[BODY];
    size_t bytes, plain = units * (UNIT + TAG);
    struct wm_packer_end out, in;
    uint32_t sum;
    bool well = true;

    wm_packer_link(packer, &out, false);
    wm_packer_link(packer, &in, true);
    fill_body(body, units);
    memcpy(before, body, plain);
    if ((bytes = wm_packer_pack(packer, &out, body, units, &sum)) > 0)
        well = wm_packer_unpack(packer, &in, body, units, bytes, sum);
    well = well && memcmp(body, before, plain) == 0;
    wm_packer_unlink(packer, &out);
    wm_packer_unlink(packer, &in);
    return well;
}

static void packer__keeps_a_codec_to_its_layout(void)
{
    static const convey_layout_t layouts[] = {
        {8, 12, 0, 0, 0}, {64, 16, 3, 24, 100}, {16, 40, 1, 64, 0}, {8, 14, 0, 5, 7}};

    lie = NONE;
    for (size_t i = 0; i < 4; i++) {
        struct wm_packer *packer;

        liars_layout = layouts[i];
        packer = new_packer(&liar);
        for (size_t units = 1; units <= UNITS; units += 7)
            CU_ASSERT(packs(packer, units));
        CU_ASSERT(!wm_packer_broken(packer));
        wm_packer_free(packer);
    }
}

static void packer__refuses_layouts_out_of_range(void)
{
    static const convey_layout_t layouts[] = {
        {4, 12, 0, 0, 0},        {128, 12, 0, 0, 0},      {24, 12, 0, 0, 0},       {8, 11, 0, 0, 0},
        {8, 12, SIZE_MAX, 0, 0}, {8, 12, 0, SIZE_MAX, 0}, {8, 12, 0, 0, SIZE_MAX}, {8, SIZE_MAX / 2, 0, 0, 0}};
    struct wm_convey_packing packing = {.codec = &liar, .item_bytes = UNIT};
    struct wm_packer *packer;

    for (size_t i = 0; i < 8; i++) {
        liars_layout = layouts[i];
        CU_ASSERT_EQUAL(wm_packer_new(&packer, &form, &packing), -WM_EINVAL);
        CU_ASSERT_PTR_NULL(packer);
    }
    liars_layout = (convey_layout_t){.align = 1}; /* its way of saying no */
    CU_ASSERT_EQUAL(wm_packer_new(&packer, &form, &packing), 0);
    CU_ASSERT_PTR_NULL(packer);
}

static void packer__catches_a_codec_that_lies(void)
{
    liars_layout = (convey_layout_t){8, 12, 1, 8, 16};
    for (lie = MORE_THAN_LIMIT; lie <= OUT_BEYOND; lie++) {
        struct wm_packer *packer = new_packer(&liar);
        bool well = packs(packer, UNITS);

        CU_ASSERT(wm_packer_broken(packer));
        CU_ASSERT_EQUAL(well, lie == MORE_THAN_LIMIT || lie == BEYOND_OVERRUN || lie == BEYOND_SLACK);
        CU_ASSERT(packs(packer, UNITS)); /* goes as it is from now on */
        wm_packer_free(packer);
    }
    lie = NONE;
}

static void packer__rests_after_refusals(void)
{
    struct wm_packer *packer = new_packer(&convey_standard_codec);
    struct wm_packer_end end;
    char body[BODY];
    uint32_t sum;
    int tries = 0;

    wm_packer_link(packer, &end, false);
    for (int i = 0; i < 100; i++) {
        int before = end.rest;

        for (size_t b = 0; b < BODY; b++)
            body[b] = (char)draw();
        CU_ASSERT_EQUAL(wm_packer_pack(packer, &end, body, UNITS, &sum), 0);
        tries += before == 0;
    }
    CU_ASSERT(tries > 5 && tries < 20);
    while (end.rest > 0) {
        memset(body, 0, BODY);
        CU_ASSERT_EQUAL(wm_packer_pack(packer, &end, body, UNITS, &sum), 0);
    }
    CU_ASSERT(wm_packer_pack(packer, &end, body, UNITS, &sum) > 0);
    CU_ASSERT_EQUAL(end.refusals, 0);
    wm_packer_unlink(packer, &end);
    wm_packer_free(packer);
}

static const struct check_case cases[] = {
    CASE(squeeze__brings_everything_back),
    CASE(squeeze__takes_what_varies),
    CASE(squeeze__refuses_what_saves_less_than_an_eighth),
    CASE(lz4__brings_everything_back),
    CASE(packer__keeps_a_codec_to_its_layout),
    CASE(packer__refuses_layouts_out_of_range),
    CASE(packer__catches_a_codec_that_lies),
    CASE(packer__rests_after_refusals),
};

CHECK_MAIN("codec", cases)
