/* Numbers of arithmetic types, and their conversion, which is exact or refused: what a buffer of a message holds, where
 * sender and receiver say so. */
#ifndef WM_NUMBER_H
#define WM_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* X(name, type, text) */
/* clang-format off */
#define WM_NUMBERS(X)                                                                                                  \
    X(INT8,   int8_t,   "int8")                                                                                        \
    X(INT16,  int16_t,  "int16")                                                                                       \
    X(INT32,  int32_t,  "int32")                                                                                       \
    X(INT64,  int64_t,  "int64")                                                                                       \
    X(UINT8,  uint8_t,  "uint8")                                                                                       \
    X(UINT16, uint16_t, "uint16")                                                                                      \
    X(UINT32, uint32_t, "uint32")                                                                                      \
    X(UINT64, uint64_t, "uint64")                                                                                      \
    X(FLOAT,  float,    "float")                                                                                       \
    X(DOUBLE, double,   "double")
/* clang-format on */

enum wm_number {
    WM_BYTES, /* it is not said what they hold */
#define X(name, type, text) WM_##name,
    WM_NUMBERS(X)
#undef X
};

/* Bytes of a number; 1 of WM_BYTES. */
__attribute__((visibility("default"))) size_t wm_number_bytes(enum wm_number type);
/* "int32"; "bytes". */
__attribute__((visibility("default"))) const char *wm_number_name(enum wm_number type);

/* Convert `count` numbers; neither type is WM_BYTES; the buffers need no alignment and do not overlap. Returns how many
 * were converted before one that the other type has not: NaN and infinities are floating-point numbers alone, and -0.0
 * is the integer 0. No floating-point exception is raised but by a signalling NaN. */
__attribute__((visibility("default"))) size_t
wm_numbers_convert(enum wm_number to_type, void *to, enum wm_number from_type, const void *from, size_t count);

#endif
