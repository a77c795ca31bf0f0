/* Processes that are gone while others wait for them. */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include "core/error.h"
#include "core/message/far.h"
#include "core/process/process.h"

static bool is_there(const struct wm_wire_peer *peer)
{
    return kill((pid_t)peer->id, 0) == 0 || errno != ESRCH;
}

/* Where ranks have process ids of their own kind, as in containers, nothing is known. */
void wm_far_begin_watch(struct wm_far *far)
{
    for (int i = 0; i < far->wire.near_count; i++)
        far->wire.near[i]->watched = is_there(far->wire.near[i]);
}

_Noreturn static void end_job(const struct wm_far *far, const struct wm_wire_peer *peer)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_ESYSTEM,
                 "rank %d (process %ld) has ended, and rank %d still waits for messages of their group; the job ends",
                 peer->process, peer->id, far->wire.self);
    wm_process_abort(&error);
}

void wm_far_watch(struct wm_far *far)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (now.tv_sec == far->watched_second)
        return;
    far->watched_second = now.tv_sec;
    for (int i = 0; i < far->wire.near_count; i++)
        if (far->wire.near[i]->watched && !is_there(far->wire.near[i]))
            end_job(far, far->wire.near[i]);
}
