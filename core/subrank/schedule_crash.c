/* Crashes of subranks: the signal's handler, on a stack of its own, says which subrank it was. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/subrank/schedule_state.h"

enum { HANDLER_STACK_BYTES = 64 << 10 }; /* the MPI library's handler, to which ours hands on, prints a backtrace */

static const struct {
    int number;
    const char *what;
} crashes[] = {{SIGSEGV, "it touches memory that is not there (SIGSEGV)"},
               {SIGBUS, "it touches memory that cannot be had (SIGBUS)"},
               {SIGFPE, "an arithmetic error (SIGFPE)"},
               {SIGILL, "no instruction of this processor (SIGILL)"},
               {SIGABRT, "abort (SIGABRT)"}};
enum { CRASHES = sizeof crashes / sizeof crashes[0] };

/* Handlers are the process's: the first worker sets them, the last one takes them back. */
static struct sigaction former[CRASHES];
static int worker_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local stack_t former_stack;
static _Thread_local char *handler_stack;

static int place_of(int signal_number)
{
    int i = 0;

    while (crashes[i].number != signal_number)
        i++;
    return i;
}

/* The process ends by this signal, as if nobody had handled it. */
static void end_by(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* it is blocked while it is handled, and comes afterwards */
}

static void hand_on(int signal_number, siginfo_t *info, void *context)
{
    const struct sigaction *to = &former[place_of(signal_number)];

    if (to->sa_flags & SA_SIGINFO)
        to->sa_sigaction(signal_number, info, context);
    else if (to->sa_handler == SIG_DFL)
        end_by(signal_number);
    else if (to->sa_handler != SIG_IGN)
        to->sa_handler(signal_number);
}

/* A crash: snprintf with numbers and words takes no lock and no memory. */
static void say(const struct wm_subrank *who, int signal_number, bool is_overflow)
{
    char text[256];
    int length;

    if (is_overflow)
        length = snprintf(text, sizeof text,
                          "waymark: the stack of subrank %d is full (%zuKiB): give a larger one by "
                          "--stack\n",
                          who->number, who->stack.bytes >> 10);
    else
        length = snprintf(text, sizeof text, "waymark: subrank %d crashes: %s\n", who->number,
                          crashes[place_of(signal_number)].what);
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        return; /* nobody is left to tell it to */
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    const struct wm_subrank *who = wm_worker != NULL ? wm_worker->running : NULL;
    bool is_overflow = who != NULL && (signal_number == SIGSEGV || signal_number == SIGBUS) && info->si_code > 0 &&
                       wm_stack_guards(&who->stack, info->si_addr);

    if (who != NULL)
        say(who, signal_number, is_overflow);
    if (is_overflow)
        end_by(signal_number);
    else
        hand_on(signal_number, info, context);
}

void wm_crash_tell(void)
{
    struct sigaction ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    handler_stack = malloc(HANDLER_STACK_BYTES);
    if (handler_stack != NULL)
        sigaltstack(&(stack_t){.ss_sp = handler_stack, .ss_size = HANDLER_STACK_BYTES}, &former_stack);
    sigemptyset(&ours.sa_mask);
    pthread_mutex_lock(&lock);
    for (int i = 0; worker_count == 0 && i < CRASHES; i++)
        sigaction(crashes[i].number, &ours, &former[i]);
    worker_count++;
    pthread_mutex_unlock(&lock);
}

/* A handler that the program has set since then stays. */
void wm_crash_ignore(void)
{
    struct sigaction now;

    pthread_mutex_lock(&lock);
    worker_count--;
    for (int i = 0; worker_count == 0 && i < CRASHES; i++)
        if (sigaction(crashes[i].number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)
            sigaction(crashes[i].number, &former[i], NULL);
    pthread_mutex_unlock(&lock);
    if (handler_stack != NULL)
        sigaltstack(&former_stack, NULL);
    free(handler_stack);
    handler_stack = NULL;
}
