/* The codec LZ4, of the library of that name; and which codecs there are. */
#include "core/convey/codec.h"

#include <limits.h>
#include <stdlib.h>

#ifdef HAVE_LZ4
#include <lz4.h>

static bool plan(const convey_cargo_t *cargo, convey_layout_t *layout)
{
    *layout = (convey_layout_t){.align = 8, .stride = cargo->packet_size};
    return cargo->packet_size > 0 && cargo->max_items <= LZ4_MAX_INPUT_SIZE / cargo->packet_size;
}

/* The state of a compressor; without memory for it, compress takes the stack's. */
static void *make_state(const convey_cargo_t *cargo, bool decompress)
{
    (void)cargo;
    return decompress ? NULL : malloc((size_t)LZ4_sizeofState());
}

static size_t compress(const convey_cargo_t *cargo, void *state, size_t n_items, void *inbuf, size_t limit,
                       void *outbuf)
{
    int bytes = (int)(n_items * cargo->packet_size), room = limit < INT_MAX ? (int)limit : INT_MAX;

    return (size_t)(state != NULL ? LZ4_compress_fast_extState(state, inbuf, outbuf, bytes, room, 1)
                                  : LZ4_compress_default(inbuf, outbuf, bytes, room));
}

static void decompress(const convey_cargo_t *cargo, void *state, size_t n_items, size_t n_bytes, void *inbuf,
                       void *outbuf)
{
    (void)state;
    LZ4_decompress_safe(inbuf, outbuf, (int)n_bytes, (int)(n_items * cargo->packet_size));
}

static void drop_state(const convey_cargo_t *cargo, void *state)
{
    (void)cargo;
    free(state);
}

const convey_codec_t wm_codec_lz4 = {.name = "lz4",
                                     .plan = plan,
                                     .link = make_state,
                                     .compress = compress,
                                     .decompress = decompress,
                                     .unlink = drop_state};
#else
static bool plan_nothing(const convey_cargo_t *cargo, convey_layout_t *layout)
{
    (void)cargo;
    (void)layout;
    return false;
}

const convey_codec_t wm_codec_lz4 = {.name = "lz4", .plan = plan_nothing};
#endif

const convey_codec_t *wm_codec_find(enum wm_codec_choice choice)
{
    return choice == WM_CODEC_SQUEEZE ? &convey_standard_codec : choice == WM_CODEC_LZ4 ? &wm_codec_lz4 : NULL;
}

bool wm_codec_is_ours(const convey_codec_t *codec)
{
    return codec == &convey_standard_codec || codec == &wm_codec_lz4;
}
