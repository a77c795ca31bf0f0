/* Which clock the recorder may use, pairs of clocks, and the rate between them. */
#include "tracer/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

enum { PAIR_TRIES = 8, CALIBRATION_NS = 2000000 };

uint64_t wm_clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t wm_clock_monotonic_ns(void)
{
    return wm_clock_ns(CLOCK_MONOTONIC);
}

#if defined(__x86_64__) || defined(__i386__)

static uint64_t read_tsc(void)
{
    return __builtin_ia32_rdtsc();
}

static bool processor_invariant(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

static bool process_may_read(void)
{
    int mode = PR_TSC_ENABLE;

    return prctl(PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
}

#else

static uint64_t read_tsc(void)
{
    return wm_clock_monotonic_ns();
}

static bool processor_invariant(void)
{
    return false;
}

static bool process_may_read(void)
{
    return false;
}

#endif

/* The kernel strikes the TSC from this list when it finds the processors' counters apart or unsteady. */
static bool kernel_trusts(void)
{
    char line[256] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
    bool known = file != NULL && fgets(line, sizeof line, file) != NULL;

    if (file != NULL)
        fclose(file);
    return !known || strstr(line, "tsc") != NULL;
}

bool wm_clock_tsc_usable(void)
{
    return processor_invariant() && process_may_read() && kernel_trusts();
}

struct wm_clock_pair wm_clock_pair_take(bool tsc)
{
    struct wm_clock_pair best = {0};
    uint64_t best_window = UINT64_MAX;

    for (int i = 0; i < PAIR_TRIES; i++) {
        uint64_t before = tsc ? read_tsc() : wm_clock_monotonic_ns();
        uint64_t monotonic_ns = wm_clock_monotonic_ns();
        uint64_t after = tsc ? read_tsc() : monotonic_ns;
        uint64_t realtime_ns = wm_clock_ns(CLOCK_REALTIME);

        if (after - before < best_window) {
            best_window = after - before;
            best.ticks = tsc ? before + best_window / 2 : monotonic_ns;
            best.monotonic_ns = monotonic_ns;
            best.realtime_ns = realtime_ns;
        }
    }
    return best;
}

double wm_clock_calibrate(bool tsc, const struct wm_clock_pair *start)
{
    struct wm_clock_pair now;

    if (!tsc)
        return 1e9;
    while (wm_clock_monotonic_ns() - start->monotonic_ns < CALIBRATION_NS)
        ;
    now = wm_clock_pair_take(tsc);
    return (double)(now.ticks - start->ticks) * 1e9 / (double)(now.monotonic_ns - start->monotonic_ns);
}

void wm_clock_boot_id(char id[37])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    id[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(id, 37, file) == NULL || strlen(id) != 36)
        id[0] = '\0';
    fclose(file);
}
