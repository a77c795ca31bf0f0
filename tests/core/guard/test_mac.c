/* SipHash-2-4 of 128 bits, by vectors of its reference, and as OpenSSL has it. */
#include "core/guard/mac.h"

#include <stdio.h>
#include "tests/check.h"

/* The code of the bytes 0, 1, 2, …, of which the first eight are the number; the key is such bytes, too. */
static const char *code_of(int bytes)
{
    static char text[2 * WM_MAC_BYTES + 1];
    uint8_t data[64], code[WM_MAC_BYTES];

    for (int i = 0; i < 64; i++)
        data[i] = (uint8_t)i;
    wm_mac(data, UINT64_C(0x0706050403020100), data + 8, (size_t)bytes - 8, code);
    for (int i = 0; i < WM_MAC_BYTES; i++)
        sprintf(text + (size_t)i * 2, "%02X", code[i]);
    return text;
}

static void mac__is_as_published(void)
{
    CU_ASSERT_STRING_EQUAL(code_of(8), "3B62A9BA6258F5610F83E264F31497B4");
    CU_ASSERT_STRING_EQUAL(code_of(15), "5493E99933B0A8117E08EC0F97CFC3D9");
    CU_ASSERT_STRING_EQUAL(code_of(16), "6EE2A4CA67B054BBFD3315BF85230577");
    CU_ASSERT_STRING_EQUAL(code_of(63), "5150D1772F50834A503E069A973FBD7C");
}

static const struct check_case cases[] = {CASE(mac__is_as_published)};

CHECK_MAIN("mac", cases)
