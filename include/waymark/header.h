/* Headers of messages are sent as they stand in memory: without gaps, whose bytes could be anything, and without
 * pointers, which mean nothing elsewhere. WM_HEADER_IS_PLAIN(struct tag_header, source, tag) asserts so at compile time
 * of a struct whose members are named, all of them, at most 12: numbers, and arrays of numbers. C11. */
#ifndef WM_HEADER_H
#define WM_HEADER_H

#include <stdbool.h>
#include <stddef.h>

#define WM_HEADER_IS_PLAIN(type, ...)                                                                                  \
    _Static_assert(0 WM_HEADER_EACH(WM_HEADER_SIZE, type, __VA_ARGS__) == sizeof(type),                                \
                   #type " has gaps, or members that are not named: (" #__VA_ARGS__ ")");                              \
    _Static_assert(1 WM_HEADER_EACH(WM_HEADER_NUMBER, type, __VA_ARGS__),                                              \
                   #type " has a member that is neither a number nor an array of numbers, as a pointer is")

/* ---- what it is made of ---- */

#define WM_HEADER_MEMBER(type, member) (((type *)0)->member)
#define WM_HEADER_SIZE(type, member) +sizeof WM_HEADER_MEMBER(type, member)
/* Elements of an array of `element` as large as the member; of a smaller member, which is none, 1. */
#define WM_HEADER_COUNT(type, member, element)                                                                         \
    (sizeof WM_HEADER_MEMBER(type, member) / (sizeof(element)) +                                                       \
     (sizeof WM_HEADER_MEMBER(type, member) < sizeof(element)))
#define WM_HEADER_IS(type, member, element) element * : 1, element(*)[WM_HEADER_COUNT(type, member, element)] : 1
/* clang-format off */
#define WM_HEADER_NUMBER(type, member)                                                                                 \
    &&_Generic(&WM_HEADER_MEMBER(type, member),                                                                        \
        WM_HEADER_IS(type, member, bool), WM_HEADER_IS(type, member, char),                                            \
        WM_HEADER_IS(type, member, signed char), WM_HEADER_IS(type, member, unsigned char),                            \
        WM_HEADER_IS(type, member, short), WM_HEADER_IS(type, member, unsigned short),                                 \
        WM_HEADER_IS(type, member, int), WM_HEADER_IS(type, member, unsigned),                                         \
        WM_HEADER_IS(type, member, long), WM_HEADER_IS(type, member, unsigned long),                                   \
        WM_HEADER_IS(type, member, long long), WM_HEADER_IS(type, member, unsigned long long),                         \
        WM_HEADER_IS(type, member, float), WM_HEADER_IS(type, member, double), default: 0)
/* clang-format on */

#define WM_HEADER_1(m, t, a) m(t, a)
#define WM_HEADER_2(m, t, a, ...) m(t, a) WM_HEADER_1(m, t, __VA_ARGS__)
#define WM_HEADER_3(m, t, a, ...) m(t, a) WM_HEADER_2(m, t, __VA_ARGS__)
#define WM_HEADER_4(m, t, a, ...) m(t, a) WM_HEADER_3(m, t, __VA_ARGS__)
#define WM_HEADER_5(m, t, a, ...) m(t, a) WM_HEADER_4(m, t, __VA_ARGS__)
#define WM_HEADER_6(m, t, a, ...) m(t, a) WM_HEADER_5(m, t, __VA_ARGS__)
#define WM_HEADER_7(m, t, a, ...) m(t, a) WM_HEADER_6(m, t, __VA_ARGS__)
#define WM_HEADER_8(m, t, a, ...) m(t, a) WM_HEADER_7(m, t, __VA_ARGS__)
#define WM_HEADER_9(m, t, a, ...) m(t, a) WM_HEADER_8(m, t, __VA_ARGS__)
#define WM_HEADER_10(m, t, a, ...) m(t, a) WM_HEADER_9(m, t, __VA_ARGS__)
#define WM_HEADER_11(m, t, a, ...) m(t, a) WM_HEADER_10(m, t, __VA_ARGS__)
#define WM_HEADER_12(m, t, a, ...) m(t, a) WM_HEADER_11(m, t, __VA_ARGS__)
#define WM_HEADER_NTH(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define WM_HEADER_EACH(m, t, ...)                                                                                      \
    WM_HEADER_NTH(__VA_ARGS__, WM_HEADER_12, WM_HEADER_11, WM_HEADER_10, WM_HEADER_9, WM_HEADER_8, WM_HEADER_7,        \
                  WM_HEADER_6, WM_HEADER_5, WM_HEADER_4, WM_HEADER_3, WM_HEADER_2, WM_HEADER_1, )                      \
    (m, t, __VA_ARGS__)

#endif
