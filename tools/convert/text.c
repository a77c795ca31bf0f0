/* Texts as other formats want them: valid UTF-8, JSON strings, fields of CSV. */
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/convert/names.h"

static bool continues(const unsigned char *at, size_t count)
{
    for (size_t i = 1; i <= count; i++)
        if ((at[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* Bytes of the character that begins here, 0 when it is none: overlong, a surrogate, beyond U+10FFFF, cut. */
static size_t character_bytes(const unsigned char *at)
{
    if (at[0] < 0x80)
        return 1;
    if (at[0] >= 0xc2 && at[0] < 0xe0)
        return continues(at, 1) ? 2 : 0;
    if (at[0] >= 0xe0 && at[0] < 0xf0)
        return continues(at, 2) && (at[0] != 0xe0 || at[1] >= 0xa0) && (at[0] != 0xed || at[1] < 0xa0) ? 3 : 0;
    if (at[0] >= 0xf0 && at[0] < 0xf5)
        return continues(at, 3) && (at[0] != 0xf0 || at[1] >= 0x90) && (at[0] != 0xf4 || at[1] < 0x90) ? 4 : 0;
    return 0;
}

char *wm_text_clean(const char *text)
{
    const unsigned char *from = (const unsigned char *)text;
    char *clean = malloc(3 * strlen(text) + 1), *to = clean;

    if (clean == NULL)
        return NULL;
    while (*from != '\0') {
        size_t bytes = character_bytes(from);

        memcpy(to, bytes > 0 ? (const char *)from : "\xef\xbf\xbd", bytes > 0 ? bytes : 3);
        to += bytes > 0 ? bytes : 3;
        from += bytes > 0 ? bytes : 1;
    }
    *to = '\0';
    return clean;
}

char *wm_text_json(const char *text)
{
    char *clean = wm_text_clean(text), *quoted = NULL;
    json_t *string = clean != NULL ? json_string(clean) : NULL;

    if (string != NULL)
        quoted = json_dumps(string, JSON_ENCODE_ANY);
    json_decref(string);
    free(clean);
    return quoted;
}

char *wm_text_csv(const char *text)
{
    char *clean = wm_text_clean(text), *field, *to;

    if (clean == NULL || strpbrk(clean, "\",\r\n") == NULL)
        return clean;
    to = field = malloc(2 * strlen(clean) + 3);
    if (field != NULL) {
        *to++ = '"';
        for (const char *from = clean; *from != '\0'; from++) {
            if (*from == '"')
                *to++ = '"';
            *to++ = *from;
        }
        strcpy(to, "\"");
    }
    free(clean);
    return field;
}
