/* A message authentication code: HMAC-SHA-256. Source: RFC 2104, RFC 6234. */
#ifndef WM_GUARD_MAC_H
#define WM_GUARD_MAC_H

#include <stddef.h>
#include <stdint.h>

enum { WM_KEY_BYTES = 32, WM_MAC_BYTES = 32 };

/* A hash that is being taken. */
struct wm_sha256 {
    uint32_t state[8];
    uint64_t bytes; /* so far */
    uint8_t block[64];
};

void wm_sha256_init(struct wm_sha256 *hash);
void wm_sha256_add(struct wm_sha256 *hash, const void *data, size_t bytes);
void wm_sha256_end(struct wm_sha256 *hash, uint8_t out[WM_MAC_BYTES]);

/* The code of two parts, one behind the other, under a key of at most 64 bytes. */
void wm_mac(const void *key, size_t key_bytes, const void *first, size_t first_bytes, const void *second,
            size_t second_bytes, uint8_t out[WM_MAC_BYTES]);

#endif
