/* Guards of mapped files: pages that are gone become zeros instead of a SIGBUS. */
#include "tracer/guard.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct wm_guard {
    uintptr_t begin, end;
    int protection;
    volatile sig_atomic_t lost_pages;
    struct wm_guard *next;
};

static struct wm_guard *guards;
static struct sigaction before;
static size_t page_bytes;

/* All that is called here is a system call. */
static void replace_page(int signal_number, siginfo_t *info, void *context)
{
    uintptr_t address = (uintptr_t)info->si_addr;

    (void)context;
    for (struct wm_guard *guard = guards; guard != NULL; guard = guard->next) {
        void *page = (void *)(address & ~(uintptr_t)(page_bytes - 1));

        if (address < guard->begin || address >= guard->end)
            continue;
        if (mmap(page, page_bytes, guard->protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
            break;
        guard->lost_pages++;
        return;
    }
    sigaction(signal_number, &before, NULL); /* not ours: the instruction comes again, and meets whoever was here */
}

static void listen(void)
{
    struct sigaction action = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
}

/* Whoever has come to listen meanwhile stays. */
static void listen_no_more(void)
{
    struct sigaction now;

    if (sigaction(SIGBUS, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == replace_page)
        sigaction(SIGBUS, &before, NULL);
}

struct wm_guard *wm_guard_new(void *mapping, size_t bytes, int protection)
{
    struct wm_guard *guard = malloc(sizeof *guard);

    if (guard == NULL)
        return NULL;
    *guard = (struct wm_guard){
        .begin = (uintptr_t)mapping, .end = (uintptr_t)mapping + bytes, .protection = protection, .next = guards};
    if (guards == NULL)
        listen();
    guards = guard;
    return guard;
}

void wm_guard_free(struct wm_guard *guard)
{
    struct wm_guard **at = &guards;

    if (guard == NULL)
        return;
    while (*at != guard)
        at = &(*at)->next;
    *at = guard->next;
    if (guards == NULL)
        listen_no_more();
    free(guard);
}

size_t wm_guard_take_lost(struct wm_guard *guard)
{
    size_t lost = (size_t)guard->lost_pages * page_bytes;

    guard->lost_pages = 0;
    return lost;
}
