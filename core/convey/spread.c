/* Spreading by AVX-512: tags of a group are compared with each outlet, tags and items compressed to it. */
#include "core/convey/spread.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VECTORS __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")))

enum { VECTOR_BYTES = 64, VECTOR_WORDS = 8 };

bool wm_spread_serves(size_t stride, size_t tag_bytes, struct wm_route_turn turn)
{
    return (stride == 8 || stride == 16) && tag_bytes == 1 && turn.mask < WM_SPREAD_OUTLETS_MAX &&
           __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* Up to 64 units: where their tags lead, and the tags that they go on with. */
struct group {
    uint64_t chosen[WM_SPREAD_OUTLETS_MAX];
    __m512i tags;
};

VECTORS static struct group look(const char *tags, size_t count, struct wm_route_turn turn)
{
    uint64_t there = _bzhi_u64(UINT64_MAX, (unsigned)(count < WM_SPREAD_GROUP ? count : WM_SPREAD_GROUP));
    __m512i tag = _mm512_maskz_loadu_epi8(there, tags),
            digit = _mm512_and_si512(tag, _mm512_set1_epi8((char)turn.mask));
    __m512i rest = _mm512_and_si512(_mm512_srl_epi16(tag, _mm_cvtsi32_si128(turn.shift)),
                                    _mm512_set1_epi8((char)(0xff >> turn.shift)));
    struct group g = {.tags = _mm512_or_si512(rest, _mm512_set1_epi8((char)turn.add))};

    for (uint32_t i = 0; i <= turn.mask; i++)
        g.chosen[i] = _mm512_mask_cmpeq_epi8_mask(there, digit, _mm512_set1_epi8((char)i));
    return g;
}

/* A digit that no unit has may have no outlet. */
VECTORS static bool has_room(const struct wm_convey_outlet *outlets, const struct group *g, size_t stride,
                             struct wm_route_turn turn)
{
    bool all = true;

    for (uint32_t i = 0; i <= turn.mask && all; i++) {
        size_t bytes = (size_t)_mm_popcnt_u64(g->chosen[i]) * stride + VECTOR_BYTES;

        all = g->chosen[i] == 0 || (size_t)(outlets[i].limit - outlets[i].at) >= bytes;
    }
    return all;
}

/* Words of the lowest units that are chosen. */
VECTORS static inline __mmask8 words_of(uint64_t chosen, size_t stride)
{
    return stride == 8 ? (__mmask8)chosen : (__mmask8)(3 * _pdep_u64(chosen, 0x55));
}

/* The last vector may be written beyond the units that are in it. */
VECTORS static inline void put(struct wm_convey_outlet *out, const char *items, __m512i tags, uint64_t chosen,
                               size_t stride)
{
    size_t count = (size_t)_mm_popcnt_u64(chosen), units = VECTOR_BYTES / stride;
    char *at = out->at;

    _mm512_mask_storeu_epi8(out->tag, _bzhi_u64(UINT64_MAX, (unsigned)count), _mm512_maskz_compress_epi8(chosen, tags));
    out->tag += count;
    for (; chosen != 0; chosen >>= units, items += VECTOR_BYTES) {
        __mmask8 words = words_of(chosen, stride);

        _mm512_storeu_si512(at, _mm512_maskz_compress_epi64(words, _mm512_maskz_loadu_epi64(words, items)));
        at += 8 * _mm_popcnt_u32(words);
    }
    out->at = at;
}

VECTORS static inline __attribute__((always_inline)) size_t spread(struct wm_convey_outlet *outlets, const char *items,
                                                                   const char *tags, size_t count, size_t stride,
                                                                   struct wm_route_turn turn)
{
    size_t at = 0;

    while (at < count) {
        struct group g = look(tags + at, count - at, turn);

        if (!has_room(outlets, &g, stride, turn))
            return at;
        for (uint32_t i = 0; i <= turn.mask; i++)
            if (g.chosen[i] != 0)
                put(&outlets[i], items + at * stride, g.tags, g.chosen[i], stride);
        at = count - at < WM_SPREAD_GROUP ? count : at + WM_SPREAD_GROUP;
    }
    return at;
}

VECTORS size_t wm_spread(struct wm_convey_outlet *outlets, const char *items, const char *tags, size_t count,
                         size_t stride, struct wm_route_turn turn)
{
    return stride == 8 ? spread(outlets, items, tags, count, 8, turn) : spread(outlets, items, tags, count, 16, turn);
}

#else
bool wm_spread_serves(size_t stride, size_t tag_bytes, struct wm_route_turn turn)
{
    (void)stride;
    (void)tag_bytes;
    (void)turn;
    return false;
}

size_t wm_spread(struct wm_convey_outlet *outlets, const char *items, const char *tags, size_t count, size_t stride,
                 struct wm_route_turn turn)
{
    (void)outlets;
    (void)items;
    (void)tags;
    (void)count;
    (void)stride;
    (void)turn;
    return 0;
}
#endif
