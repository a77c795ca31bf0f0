/* The terminal of a live view: keys without a newline, the window's size, and everything put back at the end.
 *
 * Nothing is cleared at the end: the last snapshot stays to be read. SIGINT, SIGTERM, SIGHUP and SIGTSTP take effect
 * after the terminal has been put back. There is one. */
#ifndef WM_TOP_TTY_H
#define WM_TOP_TTY_H

#include <stdbool.h>
#include <stddef.h>

enum wm_key {
    WM_KEY_NONE, /* the time has passed */
    WM_KEY_UP,
    WM_KEY_DOWN,
    WM_KEY_PAGE_UP,
    WM_KEY_PAGE_DOWN,
    WM_KEY_QUIT,
    WM_KEY_SORT,
    WM_KEY_PAUSE,
    WM_KEY_RESIZE, /* the window has another size, or the program was continued */
    WM_KEY_SIGNAL  /* it is time to end, by wm_tty_die */
};

/* Begin: false when standard output is no terminal, and nothing has been changed then. Keys are read where standard
 * input is one. */
bool wm_tty_open(void);
void wm_tty_size(int *lines, int *columns);
/* Show `text`, lines that end in newlines, in the place of what was shown. */
void wm_tty_draw(const char *text);
/* Wait so long for a key or a signal. */
enum wm_key wm_tty_wait(int milliseconds);
/* Put all back. Harmless when it is not open. */
void wm_tty_close(void);
/* Put all back and end by the signal that came. */
_Noreturn void wm_tty_die(void);

#endif
