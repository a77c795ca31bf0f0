/* One hash for all tables: values are added one after another to WM_HASH_BEGIN, and the low bits choose the slot.
 * Nothing is kept or sent that depends on it, but between processes of one build. */
#ifndef WM_HASH_H
#define WM_HASH_H

#include <stdint.h>

#define WM_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* Add a value. */
static inline uint64_t wm_hash_add(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Add the characters of a text, and its end. */
static inline uint64_t wm_hash_add_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = wm_hash_add(hash, (unsigned char)*text);
    return wm_hash_add(hash, 0);
}

/* Every bit of the result depends on every bit of `x`: for sets whose hash is a sum, and, of a counter, for random
 * numbers. Source: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014 (splitmix64). */
static inline uint64_t wm_hash_scatter(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
