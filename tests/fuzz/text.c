/* Text that grows, and may hold any byte. */
#include "tests/fuzz/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct fuzz_text *text, size_t count)
{
    if (count < text->room)
        return;
    text->room = 2 * count + 256;
    text->bytes = realloc(text->bytes, text->room);
    if (text->bytes == NULL)
        abort();
}

void fuzz_text_splice(struct fuzz_text *text, size_t at, size_t removed, const char *bytes, size_t count)
{
    reserve(text, text->count + count);
    memmove(text->bytes + at + count, text->bytes + at + removed, text->count - at - removed);
    if (count > 0) /* of an empty text there are no bytes */
        memcpy(text->bytes + at, bytes, count);
    text->count += count - removed;
    text->bytes[text->count] = '\0';
}

void fuzz_text_add(struct fuzz_text *text, const char *bytes, size_t count)
{
    fuzz_text_splice(text, text->count, 0, bytes, count);
}

void fuzz_text_print(struct fuzz_text *text, const char *format, ...)
{
    va_list arguments;
    char *words;
    int count;

    va_start(arguments, format);
    count = vasprintf(&words, format, arguments);
    va_end(arguments);
    if (count < 0)
        abort();
    fuzz_text_add(text, words, (size_t)count);
    free(words);
}

void fuzz_text_clear(struct fuzz_text *text)
{
    fuzz_text_splice(text, 0, text->count, "", 0);
}

void fuzz_text_release(struct fuzz_text *text)
{
    free(text->bytes);
    *text = (struct fuzz_text){0};
}

int fuzz_text_read(struct fuzz_text *text, const char *file)
{
    FILE *in = fopen(file, "r");
    char bytes[4096];
    size_t count;

    if (in == NULL)
        return -1;
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        fuzz_text_add(text, bytes, count);
    fclose(in);
    return 0;
}

void fuzz_text_write(const struct fuzz_text *text, const char *file)
{
    FILE *out = fopen(file, "w");

    if (out == NULL || fwrite(text->bytes, 1, text->count, out) != text->count || fclose(out) != 0) {
        perror(file);
        exit(99);
    }
}
