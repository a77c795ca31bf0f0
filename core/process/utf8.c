/* Texts of the program made valid UTF-8. */
#include "core/process/utf8.h"

#include <jansson.h>
#include <string.h>

void wm_utf8_copy(char *copy, size_t copy_bytes, const char *text)
{
    size_t length = strnlen(text, copy_bytes);
    json_t *valid;

    if (length == copy_bytes)
        for (length--; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; length--)
            ;
    memcpy(copy, text, length);
    copy[length] = '\0';
    valid = json_string(copy);
    for (char *at = copy; valid == NULL && *at != '\0'; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    json_decref(valid);
}
