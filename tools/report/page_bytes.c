/* Bytes for the page: numbers of variable length, base64, and JSON that cannot leave its tag. */
#include "tools/report/page_bytes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/vector.h"

int wm_page_bytes_add(struct wm_page_bytes *bytes, uint64_t number)
{
    if (wm_vector_reserve(&bytes->bytes, &bytes->capacity, bytes->count + 10, 1) < 0)
        return -WM_ENOMEM;
    for (; number >= 0x80; number >>= 7)
        bytes->bytes[bytes->count++] = (unsigned char)(number & 0x7f) | 0x80;
    bytes->bytes[bytes->count++] = (unsigned char)number;
    return 0;
}

void wm_page_bytes_release(struct wm_page_bytes *bytes)
{
    free(bytes->bytes);
    *bytes = (struct wm_page_bytes){0};
}

void wm_page_bytes_print(FILE *out, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    putc('"', out);
    for (size_t i = 0; i < count; i += 3) {
        unsigned three = (unsigned)bytes[i] << 16;

        if (i + 1 < count)
            three |= (unsigned)bytes[i + 1] << 8;
        if (i + 2 < count)
            three |= bytes[i + 2];
        putc(digits[three >> 18], out);
        putc(digits[three >> 12 & 63], out);
        putc(i + 1 < count ? digits[three >> 6 & 63] : '=', out);
        putc(i + 2 < count ? digits[three & 63] : '=', out);
    }
    putc('"', out);
}

void wm_page_json_print(FILE *out, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text[i] == '<' || text[i] == '>' || text[i] == '&')
            fprintf(out, "\\u%04x", (unsigned)text[i]);
        else
            putc(text[i], out);
}

/* The length of the UTF-8 sequence at `text`, 0 if it is none. */
static int sequence_length(const unsigned char *text)
{
    int length = text[0] < 0x80                       ? 1
                 : text[0] >= 0xc2 && text[0] < 0xe0  ? 2
                 : (text[0] & 0xf0) == 0xe0           ? 3
                 : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                      : 0;

    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void wm_page_string_print(FILE *out, const char *text)
{
    putc('"', out);
    while (*text != '\0') {
        const unsigned char *at = (const unsigned char *)text;
        int length = sequence_length(at);
        /* U+2028 and U+2029 end lines in a script. */
        bool line_end = length == 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] & 0xfe) == 0xa8;

        if (length == 0)
            fputs("\\ufffd", out);
        else if (line_end)
            fprintf(out, "\\u%04x", 0x2000u | (at[2] & 0x3fu));
        else if (length == 1 && (*at < 0x20 || strchr("<>&\"\\", *at) != NULL))
            fprintf(out, "\\u%04x", *at);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
    putc('"', out);
}
