/* Bytes for the page: a growing string of numbers of variable length, printed as base64; and JSON that stands safely
 * between the tags of an HTML file. */
#ifndef WM_PAGE_BYTES_H
#define WM_PAGE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wm_page_bytes {
    unsigned char *bytes;
    size_t count, capacity;
};

/* Append a number: seven bits a byte, the lowest first, the highest bit set on all but the last. 0 or -WM_ENOMEM. */
int wm_page_bytes_add(struct wm_page_bytes *bytes, uint64_t number);
void wm_page_bytes_release(struct wm_page_bytes *bytes);

/* Print as base64, with the quotes of a JSON string. */
void wm_page_bytes_print(FILE *out, const unsigned char *bytes, size_t count);

/* Print ASCII JSON so that an HTML parser sees text alone: no '<', '>' or '&' (which stand in strings only). */
void wm_page_json_print(FILE *out, const char *text, size_t count);
/* Print a string, which need not be UTF-8, as a JSON string, safe likewise. */
void wm_page_string_print(FILE *out, const char *text);

#endif
