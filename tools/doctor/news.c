/* News: frames written and read. */
#include "tools/doctor/news.h"

#include <string.h>

struct head {
    uint32_t bytes, kind; /* of the payload */
};

size_t wm_news_write(struct wm_news_seal *seal, enum wm_news_kind kind, const void *payload, size_t bytes, uint8_t *out)
{
    struct head head = {(uint32_t)bytes, (uint32_t)kind};

    memcpy(out, &head, sizeof head);
    if (bytes > 0)
        memcpy(out + sizeof head, payload, bytes);
    wm_mac(seal->key, seal->number++, out, sizeof head + bytes, out + sizeof head + bytes);
    return sizeof head + bytes + WM_MAC_BYTES;
}

/* In a time that does not depend on where they differ. */
static bool are_equal(const uint8_t *one, const uint8_t *other, size_t bytes)
{
    uint8_t difference = 0;

    for (size_t i = 0; i < bytes; i++)
        difference |= one[i] ^ other[i];
    return difference == 0;
}

int wm_news_read(struct wm_news_seal *seal, const uint8_t *in, size_t bytes, struct wm_news *news)
{
    uint8_t code[WM_MAC_BYTES];
    struct head head;

    if (bytes < sizeof head)
        return 0;
    memcpy(&head, in, sizeof head);
    if (head.kind >= WM_NEWS_COUNT || head.bytes > WM_NEWS_PAYLOAD_BYTES)
        return -1;
    if (bytes < sizeof head + head.bytes + WM_MAC_BYTES)
        return 0;
    wm_mac(seal->key, seal->number, in, sizeof head + head.bytes, code);
    if (!are_equal(code, in + sizeof head + head.bytes, WM_MAC_BYTES))
        return -1;
    seal->number++;
    *news = (struct wm_news){(enum wm_news_kind)head.kind, in + sizeof head, head.bytes};
    return (int)(sizeof head + head.bytes + WM_MAC_BYTES);
}

bool wm_news_take(const struct wm_news *news, void *out, size_t bytes)
{
    if (news->bytes != bytes)
        return false;
    memcpy(out, news->payload, bytes);
    return true;
}
