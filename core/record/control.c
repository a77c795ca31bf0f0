/* Control of the recording: the level that the program sets, and windows. */
#include "core/record/control.h"

#include <math.h>
#include "waymark/runtime.h"

static uint32_t first_call, last_call;
static uint64_t begin_ticks, end_ticks;

static uint64_t ticks_after(uint64_t start, double seconds)
{
    double ticks = seconds * wm_recorder_ticks_per_second(wm_process.recordings->recorder);

    return ticks < (double)(UINT64_MAX / 2) ? start + (uint64_t)ticks : UINT64_MAX;
}

static bool in_time(void)
{
    uint64_t now;

    if (begin_ticks == 0 && end_ticks == UINT64_MAX)
        return true;
    now = wm_recorder_now(wm_process_ring());
    return now >= begin_ticks && now < end_ticks;
}

static enum wm_trace_level level_at(struct wm_recording *recording, uint32_t sequence)
{
    return sequence >= first_call && sequence <= last_call && in_time() ? atomic_load(&recording->wished)
                                                                        : WM_TRACE_OFF;
}

uint64_t wm_control_begin_in_window(uint32_t sequence)
{
    struct wm_recording *recording = wm_process_recording();
    enum wm_trace_level level = level_at(recording, sequence);

    wm_recorder_set_level(recording->ring, level);
    return wm_trace_level_kinds(level);
}

bool wm_control_wants(enum wm_trace_kind kind)
{
    if (!wm_process.windows)
        return wm_recorder_wants(wm_process_ring(), kind);
    return atomic_load_explicit(&wm_process_recording()->wished, memory_order_relaxed) != WM_TRACE_OFF && in_time();
}

void wm_control_start(void)
{
    const struct wm_settings *s = &wm_process.settings;
    uint64_t now = wm_recorder_now(wm_process.recordings->ring);

    first_call = s->trace_calls.first;
    last_call = s->trace_calls.last;
    begin_ticks = s->trace_time.begin_s > 0 ? ticks_after(now, s->trace_time.begin_s) : 0;
    end_ticks = ticks_after(now, s->trace_time.end_s);
    wm_process.windows = first_call > 0 || last_call < UINT32_MAX || begin_ticks > 0 || end_ticks < UINT64_MAX;
    for (int i = 0; i < wm_process_recording_count(); i++) {
        struct wm_recording *recording = &wm_process.recordings[i];

        atomic_store(&recording->wished, s->trace_level);
        wm_recorder_set_level(recording->ring, level_at(recording, 0));
    }
}

void wm_control_stop(void)
{
    wm_process.windows = false;
}

/* Within windows the next call says whether it is in one; what is off stays so until then. */
void wm_control_set(int level)
{
    struct wm_recording *recording = wm_process_recording();

    if (!atomic_load_explicit(&wm_process.awake, memory_order_acquire) || recording == NULL || level < WM_TRACE_OFF ||
        level > WM_TRACE_DETAIL)
        return;
    atomic_store(&recording->wished, (enum wm_trace_level)level);
    if (!wm_process.windows || wm_recorder_wants(recording->ring, WM_TRACE_MARK))
        wm_recorder_set_level(recording->ring, (enum wm_trace_level)level);
}

void wm_control_hear(void)
{
    wm_control_set((int)wm_recorder_hear(wm_process_ring()));
}
