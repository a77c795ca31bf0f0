/* Progress of the MPI library: what libopen-pal exports of it. */
#include "core/node/progress_library.h"

#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

struct wm_progress_library wm_progress_library;

void wm_progress_find(void)
{
    *(void **)&wm_progress_library.start = dlsym(RTLD_DEFAULT, "opal_progress_register");
    *(void **)&wm_progress_library.stop = dlsym(RTLD_DEFAULT, "opal_progress_unregister");
    *(void **)&wm_progress_library.work = dlsym(RTLD_DEFAULT, "opal_progress");
    *(void **)&wm_progress_library.let_yield = dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle");
}

bool wm_progress_possible(void)
{
    const struct wm_progress_library *library = &wm_progress_library;

    return library->start != NULL && library->stop != NULL && library->work != NULL;
}

bool wm_progress_stop_yields(void)
{
    return wm_progress_library.let_yield != NULL && wm_progress_library.let_yield(false);
}

void wm_progress_let_yield(bool yields)
{
    if (yields)
        wm_progress_library.let_yield(true);
}

void wm_progress_work(void)
{
    bool yields = wm_progress_stop_yields();

    if (wm_progress_library.work != NULL)
        wm_progress_library.work();
    wm_progress_let_yield(yields);
}

void wm_progress_idle(void)
{
    if (wm_progress_library.work != NULL)
        wm_progress_library.work();
    else
        sched_yield();
}
