/* Texts of the program, as definitions of the trace need them: valid UTF-8. */
#ifndef WM_UTF8_H
#define WM_UTF8_H

#include <stddef.h>

/* Copy what fits into `copy_bytes` with a NUL, in whole characters, of a text that need not be UTF-8: of one that is
 * not, '?' stands for the bytes beyond ASCII. */
void wm_utf8_copy(char *copy, size_t copy_bytes, const char *text);

#endif
