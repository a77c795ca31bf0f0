/* HMAC-SHA-256, by the vectors of FIPS 180-2 and RFC 4231. */
#include "core/guard/mac.h"

#include <stdio.h>
#include <string.h>
#include "tests/check.h"

static const char *text_of(const uint8_t *code)
{
    static char text[2 * WM_MAC_BYTES + 1];

    for (int i = 0; i < WM_MAC_BYTES; i++)
        sprintf(text + (size_t)i * 2, "%02x", code[i]);
    return text;
}

/* The hash of a text that comes so many times, in pieces. */
static const char *hash_of(const char *text, int times)
{
    struct wm_sha256 hash;
    uint8_t code[WM_MAC_BYTES];

    wm_sha256_init(&hash);
    for (int i = 0; i < times; i++)
        wm_sha256_add(&hash, text, strlen(text));
    wm_sha256_end(&hash, code);
    return text_of(code);
}

static void mac__hashes_as_published(void)
{
    CU_ASSERT_STRING_EQUAL(hash_of("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CU_ASSERT_STRING_EQUAL(hash_of("abc", 1), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CU_ASSERT_STRING_EQUAL(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1),
                           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CU_ASSERT_STRING_EQUAL(hash_of("aaaaaaaaaa", 100000),
                           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void mac__is_as_published(void)
{
    uint8_t code[WM_MAC_BYTES], key[20];

    memset(key, 0x0b, sizeof key);
    wm_mac(key, sizeof key, "Hi ", 3, "There", 5, code);
    CU_ASSERT_STRING_EQUAL(text_of(code), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    wm_mac("Jefe", 4, "what do ya want for nothing?", 28, NULL, 0, code);
    CU_ASSERT_STRING_EQUAL(text_of(code), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

static const struct check_case cases[] = {CASE(mac__hashes_as_published), CASE(mac__is_as_published)};

CHECK_MAIN("mac", cases)
