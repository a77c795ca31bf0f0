/* Sites: file and line of an address, by addr2line, which reads the program's debug information. */
#ifndef WM_DOCTOR_SITE_H
#define WM_DOCTOR_SITE_H

#include "core/guard/page.h"

enum { WM_CALL_SITE_CHARS = 160 };

struct wm_call_site {
    char text[WM_CALL_SITE_CHARS];     /* "halo.c:64"; else "solve in libm.so", "program+0x1234", or "" where nothing is
                                          known */
    char function[WM_CALL_SITE_CHARS]; /* "" where it is not known */
    char file[WM_CALL_SITE_CHARS];
    int line; /* 0: not known */
};

/* Where the call was made that returns to `address` in the process of the page. Remembers what it has found. */
const struct wm_call_site *wm_call_site_find(const struct wm_page *page, uint64_t address);

#endif
