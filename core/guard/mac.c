/* HMAC-SHA-256. */
#include "core/guard/mac.h"

#include <string.h>

enum { BLOCK = 64, LENGTH_AT = BLOCK - 8 };

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static uint32_t read_word(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void write_word(uint8_t *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> (24 - 8 * i));
}

static void expand(const uint8_t *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = read_word(block + (size_t)i * 4);
    for (int i = 16; i < 64; i++) {
        uint32_t early = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t late = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + early + w[i - 7] + late;
    }
}

static void take_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64], s[8];

    expand(block, w);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + constants[i] + w[i];
        uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + most;

        memmove(&s[1], &s[0], 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void wm_sha256_init(struct wm_sha256 *h)
{
    *h = (struct wm_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void wm_sha256_add(struct wm_sha256 *h, const void *data, size_t bytes)
{
    const uint8_t *at = data;

    while (bytes > 0) {
        size_t place = h->bytes % BLOCK, part = bytes < BLOCK - place ? bytes : BLOCK - place;

        memcpy(h->block + place, at, part);
        h->bytes += part;
        at += part;
        bytes -= part;
        if (h->bytes % BLOCK == 0)
            take_block(h->state, h->block);
    }
}

void wm_sha256_end(struct wm_sha256 *h, uint8_t out[WM_MAC_BYTES])
{
    static const uint8_t padding[BLOCK] = {0x80};
    uint64_t bits = h->bytes * 8;
    uint8_t length[8];

    write_word(length, (uint32_t)(bits >> 32));
    write_word(length + 4, (uint32_t)bits);
    wm_sha256_add(h, padding, 1 + (BLOCK + LENGTH_AT - 1 - h->bytes % BLOCK) % BLOCK);
    wm_sha256_add(h, length, sizeof length);
    for (int i = 0; i < 8; i++)
        write_word(out + (size_t)i * 4, h->state[i]);
}

static void begin(struct wm_sha256 *h, const void *key, size_t key_bytes, uint8_t pad)
{
    uint8_t block[BLOCK] = {0};

    memcpy(block, key, key_bytes);
    for (int i = 0; i < BLOCK; i++)
        block[i] ^= pad;
    wm_sha256_init(h);
    wm_sha256_add(h, block, sizeof block);
}

void wm_mac(const void *key, size_t key_bytes, const void *first, size_t first_bytes, const void *second,
            size_t second_bytes, uint8_t out[WM_MAC_BYTES])
{
    struct wm_sha256 h;

    begin(&h, key, key_bytes, 0x36);
    wm_sha256_add(&h, first, first_bytes);
    wm_sha256_add(&h, second, second_bytes);
    wm_sha256_end(&h, out);
    begin(&h, key, key_bytes, 0x5c);
    wm_sha256_add(&h, out, WM_MAC_BYTES);
    wm_sha256_end(&h, out);
}
