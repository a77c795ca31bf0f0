/* A message authentication code: SipHash-2-4 of 128 bits. Source: Aumasson and Bernstein, "SipHash: a fast short-input
 * PRF", 2012, and their reference for 128 bits. */
#ifndef WM_GUARD_MAC_H
#define WM_GUARD_MAC_H

#include <stddef.h>
#include <stdint.h>

enum { WM_KEY_BYTES = 16, WM_MAC_BYTES = 16 };

/* The code of a number and the data behind it. */
void wm_mac(const uint8_t key[WM_KEY_BYTES], uint64_t number, const void *data, size_t bytes,
            uint8_t out[WM_MAC_BYTES]);

#endif
