/* Text that grows, and may hold any byte. */
#ifndef WM_TESTS_FUZZ_TEXT_H
#define WM_TESTS_FUZZ_TEXT_H

#include <stddef.h>

struct fuzz_text {
    char *bytes; /* NUL-terminated; NULL while there are none */
    size_t count, room;
};

/* All of them end the process without memory. */
void fuzz_text_add(struct fuzz_text *text, const char *bytes, size_t count);
void fuzz_text_print(struct fuzz_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Put `count` bytes in the place of `removed` bytes at `at`. */
void fuzz_text_splice(struct fuzz_text *text, size_t at, size_t removed, const char *bytes, size_t count);
void fuzz_text_clear(struct fuzz_text *text);
void fuzz_text_release(struct fuzz_text *text);

/* Add what a file holds; 0, or -1 when it cannot be read. Write a file; ends the process when it cannot be. */
int fuzz_text_read(struct fuzz_text *text, const char *file);
void fuzz_text_write(const struct fuzz_text *text, const char *file);

#endif
