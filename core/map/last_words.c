/* Last words: why the map server is about to die, said from its signal handlers. */
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/error.h"
#include "core/map/guile.h"
#include "core/map/last_words.h"
#include "core/map/protocol.h"

_Static_assert(WM_GUILE_HEAP_MIB == 128, "the sentences name the limit");

static const struct cause {
    int signal;
    const char *sentence;
} causes[] = {
    {SIGPROF, "this does not end: stopped at the time limit (an endless loop?)"},
    {SIGABRT, "this takes too much memory (the limit is 128 MiB)"},
    {SIGSEGV, "this is nested too deeply, or takes too much memory (the limit is 128 MiB)"},
    {SIGBUS, "the map server crashed (bus error)"},
    {SIGFPE, "the map server crashed (arithmetic error)"},
    {SIGILL, "the map server crashed (illegal instruction)"},
    {SIGSYS, "the map server crashed (forbidden system call)"},
};

static int client_fd = -1;
static volatile sig_atomic_t is_ready;
static char handler_stack[64 << 10];

static char *append(char *at, const char *text)
{
    size_t bytes = strlen(text);

    memcpy(at, text, bytes);
    return at + bytes;
}

static char *append_number(char *at, int number)
{
    char digits[12];
    int count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static const char *sentence_of(int signal)
{
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (causes[i].signal == signal)
            return causes[i].sentence;
    return "";
}

static char *append_reason(char *at, int signal)
{
    int line, column;

    if (!is_ready) {
        at = append(at, "\"code\":");
        at = append_number(at, WM_ESYSTEM);
        at = append(at, ",\"text\":\"the map server cannot start: ");
        return append(at, signal == SIGPROF ? "its time is over before it is ready"
                                            : "it lacks memory, or files that it may open (see ulimit -a)");
    }
    wm_guile_entered(&line, &column);
    at = append(at, "\"line\":");
    at = append_number(at, line);
    at = append(at, ",\"column\":");
    at = append_number(at, column);
    at = append(at, ",\"text\":\"");
    return append(at, sentence_of(signal));
}

/* Nothing here but what a signal handler may call. */
static void say_and_end(int signal)
{
    struct wm_frame_wait wait = {.deadline_ns = wm_frame_now() + 1000000000};
    char words[512], *at = append(words, "{\"error\":{");

    at = append_reason(at, signal);
    at = append(at, "\"}}");
    wm_frame_send(client_fd, WM_FRAME_LAST, words, (size_t)(at - words), &wait);
    _exit(1);
}

void wm_last_words_prepare(int fd)
{
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_handler = say_and_end, .sa_flags = SA_ONSTACK};

    client_fd = fd;
    sigaltstack(&stack, NULL);
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        sigaction(causes[i].signal, &action, NULL);
}

void wm_last_words_limit(unsigned limit_ms)
{
    struct itimerval timer = {.it_value = {.tv_sec = limit_ms / 1000, .tv_usec = limit_ms % 1000 * 1000}};

    setitimer(ITIMER_PROF, &timer, NULL);
}

void wm_last_words_ready(void)
{
    is_ready = true;
}
