/* SipHash-2-4 of 128 bits. Its words are little-endian, as those of all machines that this runs on. */
#include "core/guard/mac.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), ROUNDS_A_WORD = 2, ROUNDS_AT_END = 4 };

static uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void mix(uint64_t v[4], int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turn(v[1], 17) ^ v[2];
        v[3] = turn(v[3], 21) ^ v[0];
        v[2] = turn(v[2], 32);
    }
}

static inline void add(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, ROUNDS_A_WORD);
    v[0] ^= word;
}

void wm_mac(const uint8_t key[WM_KEY_BYTES], uint64_t number, const void *data, size_t bytes, uint8_t out[WM_MAC_BYTES])
{
    uint64_t k[2], word, code[2];

    memcpy(k, key, sizeof k);
    uint64_t v[4] = {k[0] ^ 0x736f6d6570736575, k[1] ^ 0x646f72616e646f6d ^ 0xee, k[0] ^ 0x6c7967656e657261,
                     k[1] ^ 0x7465646279746573};
    add(v, number);
    for (size_t at = 0; at + WORD <= bytes; at += WORD) {
        memcpy(&word, (const uint8_t *)data + at, WORD);
        add(v, word);
    }
    word = (uint64_t)(bytes + WORD) << 56;
    memcpy(&word, (const uint8_t *)data + bytes / WORD * WORD, bytes % WORD);
    add(v, word);
    v[2] ^= 0xee;
    for (int i = 0; i < 2; i++) {
        mix(v, ROUNDS_AT_END);
        code[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
        v[1] ^= 0xdd;
    }
    memcpy(out, code, sizeof code);
}
