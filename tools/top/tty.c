/* The terminal of a live view. */
#include "tools/top/tty.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "tracer/clock.h"

static struct {
    bool open, keys;
    struct termios saved;
    sigset_t mask; /* of before */
    struct sigaction actions[NSIG];
} terminal;

static volatile sig_atomic_t ending_signal, resized, stopping;

static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT};

enum { HANDLED = sizeof handled / sizeof handled[0] };

static void note(int number)
{
    if (number == SIGTSTP)
        stopping = 1;
    else if (number == SIGWINCH || number == SIGCONT)
        resized = 1;
    else
        ending_signal = number;
}

static void say(const char *text)
{
    size_t length = strlen(text);

    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, text, length);

        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
}

static void begin_keys(void)
{
    struct termios raw = terminal.saved;

    if (!terminal.keys)
        return;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

static void end_keys(void)
{
    if (terminal.keys)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.saved);
}

/* Signals come only while waiting. */
bool wm_tty_open(void)
{
    struct sigaction action = {.sa_handler = note};
    sigset_t blocked;

    if (!isatty(STDOUT_FILENO))
        return false;
    terminal.keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &terminal.saved) == 0;
    sigemptyset(&blocked);
    for (int i = 0; i < HANDLED; i++)
        sigaddset(&blocked, handled[i]);
    sigprocmask(SIG_BLOCK, &blocked, &terminal.mask);
    for (int i = 0; i < HANDLED; i++)
        sigaction(handled[i], &action, &terminal.actions[handled[i]]);
    terminal.open = true;
    begin_keys();
    say("\033[?25l\033[H\033[2J");
    return true;
}

void wm_tty_close(void)
{
    if (!terminal.open)
        return;
    terminal.open = false;
    say("\033[0m\033[?25h");
    end_keys();
    for (int i = 0; i < HANDLED; i++)
        sigaction(handled[i], &terminal.actions[handled[i]], NULL);
    sigprocmask(SIG_SETMASK, &terminal.mask, NULL);
}

void wm_tty_die(void)
{
    int number = ending_signal;

    wm_tty_close();
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number);
}

void wm_tty_size(int *lines, int *columns)
{
    struct winsize window = {0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 || window.ws_col == 0) {
        window.ws_row = 24;
        window.ws_col = 80;
    }
    *lines = window.ws_row;
    *columns = window.ws_col;
}

/* Line by line over what was there, so that nothing flickers. */
void wm_tty_draw(const char *text)
{
    char *out = NULL;
    size_t length;
    FILE *file = open_memstream(&out, &length);

    if (file == NULL)
        return;
    fputs("\033[H", file);
    for (; *text != '\0'; text++)
        if (*text == '\n')
            fputs("\033[K\n", file);
        else
            fputc(*text, file);
    fputs("\033[J", file);
    fclose(file);
    say(out);
    free(out);
}

static enum wm_key stop(void)
{
    stopping = 0;
    say("\033[0m\033[?25h");
    end_keys();
    raise(SIGSTOP);
    begin_keys();
    say("\033[?25l\033[H\033[2J");
    return WM_KEY_RESIZE;
}

static enum wm_key key_of(const char *bytes, size_t count)
{
    static const struct {
        const char *bytes;
        enum wm_key key;
    } keys[] = {
        {"\033[A", WM_KEY_UP},
        {"\033OA", WM_KEY_UP},
        {"k", WM_KEY_UP},
        {"\033[B", WM_KEY_DOWN},
        {"\033OB", WM_KEY_DOWN},
        {"j", WM_KEY_DOWN},
        {"q", WM_KEY_QUIT},
        {"Q", WM_KEY_QUIT},
        {"\033[5~", WM_KEY_PAGE_UP},
        {"\033[6~", WM_KEY_PAGE_DOWN},
        {"s", WM_KEY_SORT},
        {"p", WM_KEY_PAUSE},
        {" ", WM_KEY_PAGE_DOWN},
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strlen(keys[i].bytes) == count && memcmp(keys[i].bytes, bytes, count) == 0)
            return keys[i].key;
    return WM_KEY_NONE;
}

/* One key: an escape sequence up to its letter, or a byte. */
static bool read_key(enum wm_key *key)
{
    char bytes[8];
    size_t count = 0;

    while (count < sizeof bytes && read(STDIN_FILENO, &bytes[count], 1) == 1) {
        count++;
        if (bytes[0] != '\033' || (count > 2 && (bytes[count - 1] >= '@')))
            break;
    }
    *key = key_of(bytes, count);
    return count > 0;
}

static int64_t now_ms(void)
{
    return (int64_t)(wm_clock_monotonic_ns() / 1000000);
}

enum wm_key wm_tty_wait(int milliseconds)
{
    int64_t end_ms = now_ms() + milliseconds;

    for (;;) {
        int64_t left_ms = end_ms - now_ms();
        struct timespec left = {left_ms > 0 ? left_ms / 1000 : 0, left_ms > 0 ? left_ms % 1000 * 1000000 : 0};
        struct pollfd input = {STDIN_FILENO, POLLIN, 0};
        int ready = ppoll(&input, terminal.open && terminal.keys, &left, terminal.open ? &terminal.mask : NULL);
        enum wm_key key;

        if (ending_signal != 0)
            return WM_KEY_SIGNAL;
        if (stopping)
            return stop();
        if (resized) {
            resized = 0;
            return WM_KEY_RESIZE;
        }
        if (ready > 0 && !read_key(&key))
            terminal.keys = false; /* the terminal has gone */
        else if (ready > 0 && key != WM_KEY_NONE)
            return key;
        else if (left_ms <= 0)
            return WM_KEY_NONE;
    }
}
