/* The end of a subrank: the C library's exit and what it calls, in its place. The loader finds these before the
 * library's, since the host is the first program of the process. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
#include "core/subrank/host.h"
#include "core/subrank/schedule.h"
#include "core/subrank/world.h"

#define IN_PLACE __attribute__((visibility("default")))

int __cxa_atexit(void (*call)(void *), void *with, void *program);

struct wm_host_life *wm_host_life(void)
{
    int number = wm_host.loading >= 0 ? wm_host.loading : wm_subrank_self();

    return number >= 0 && number < wm_host.count ? &wm_host.lives[number] : NULL;
}

/* The library's own function of a name. */
static void *library_function(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static _Noreturn void leave_process(const char *by, int status)
{
    void (*function)(int) = NULL;

    *(void **)&function = library_function(by);
    function(status);
    abort();
}

/* Handlers may register others. */
static void call_handlers(struct wm_host_life *life)
{
    while (life->handlers != NULL) {
        struct wm_host_handler *last = life->handlers;

        life->handlers = last->before;
        last->call(last->with);
        free(last);
    }
}

/* A child that a subrank forks ends as a process, and so does a job that is aborted. */
static bool is_child(void)
{
    return wm_subrank_self() >= 0 && getpid() != wm_host.process;
}

static bool is_subrank(void)
{
    return wm_subrank_self() >= 0 && !is_child() && !wm_world_is_ending();
}

IN_PLACE _Noreturn void exit(int status)
{
    bool ends_alone = is_subrank();

    if (ends_alone || is_child()) {
        wm_host_life()->status = status & 0xff;
        call_handlers(wm_host_life());
        fflush(NULL);
    }
    if (ends_alone) {
        wm_host_mpi_leave(status & 0xff);
        wm_subrank_end();
    }
    leave_process("exit", status);
}

IN_PLACE _Noreturn void _exit(int status)
{
    if (!is_subrank())
        leave_process("_exit", status);
    wm_host_life()->status = status & 0xff;
    wm_host_mpi_leave(status & 0xff);
    wm_subrank_end();
}

IN_PLACE _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* What atexit() and destructors of C++ come to. `program` tells whose they are: those of libraries are the process's.
 */
IN_PLACE int __cxa_atexit(void (*call)(void *), void *with, void *program)
{
    static int (*library)(void (*)(void *), void *, void *);
    struct wm_host_life *life = wm_host_life();
    struct wm_host_handler *handler;

    if (life == NULL || !wm_program_has(&life->copy, program)) {
        if (library == NULL)
            *(void **)&library = library_function("__cxa_atexit");
        return library(call, with, program);
    }
    if ((handler = malloc(sizeof *handler)) == NULL)
        return -1;
    *handler = (struct wm_host_handler){call, with, life->handlers};
    life->handlers = handler;
    return 0;
}
