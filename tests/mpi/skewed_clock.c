/* Machines whose clocks disagree: preloaded, it shifts CLOCK_MONOTONIC and CLOCK_REALTIME of the ranks that
 * WAYMARK_TEST_CLOCK names, "rank:offset_ns:drift_ppm[:wobble_ppm],…", and gives each of them a boot id of its own, the
 * same to ranks of equal numbers. A wobble makes the rate swing by so much, in eight seconds. Drift begins
 * WAYMARK_TEST_CLOCK_BEGIN seconds after the kernel did. */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const double PERIOD_S = 8;

static bool skewed;
static double offset_ns, drift_ppm, wobble_ppm, begin_ns;
static char boot[64];

static double number_or(const char *name, double otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtod(text, NULL) : otherwise;
}

static void read_skew(const char *text)
{
    unsigned long long code = 5381;

    skewed = sscanf(text, "%lf:%lf:%lf", &offset_ns, &drift_ppm, &wobble_ppm) >= 2;
    for (; *text != ',' && *text != '\0'; text++)
        code = code * 33 + (unsigned char)*text;
    snprintf(boot, sizeof boot, "00000000-0000-0000-0000-%012llx\n", code & 0xffffffffffffu);
}

__attribute__((constructor)) static void read_environment(void)
{
    const char *text = getenv("WAYMARK_TEST_CLOCK");
    int rank = (int)number_or("OMPI_COMM_WORLD_RANK", -1);

    begin_ns = number_or("WAYMARK_TEST_CLOCK_BEGIN", 0) * 1e9;
    while (text != NULL && *text != '\0') {
        char *end;
        long named = strtol(text, &end, 10);

        if (named == rank && *end == ':')
            read_skew(end + 1);
        text = strchr(text, ',');
        text = text != NULL ? text + 1 : NULL;
    }
}

static int64_t skew_ns(const struct timespec *monotonic)
{
    double since_ns = (double)monotonic->tv_sec * 1e9 + (double)monotonic->tv_nsec - begin_ns;
    double turn = 2 * M_PI / (PERIOD_S * 1e9);

    return (int64_t)(offset_ns + drift_ppm * 1e-6 * since_ns + wobble_ppm * 1e-6 / turn * (1 - cos(since_ns * turn)));
}

static void shift(struct timespec *time, int64_t by_ns)
{
    int64_t ns = time->tv_nsec + by_ns % 1000000000;

    time->tv_sec += by_ns / 1000000000 + (ns >= 1000000000) - (ns < 0);
    time->tv_nsec = ns + (ns < 0 ? 1000000000 : 0) - (ns >= 1000000000 ? 1000000000 : 0);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    struct timespec monotonic;
    int rc = (int)syscall(SYS_clock_gettime, clock, time);

    if (rc != 0 || !skewed || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME))
        return rc;
    monotonic = *time;
    if (clock != CLOCK_MONOTONIC)
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &monotonic);
    shift(time, skew_ns(&monotonic));
    return 0;
}

static FILE *open_file(const char *function, const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);

    if (skewed && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
        return fmemopen(boot, strlen(boot), "r");
    *(void **)&next = dlsym(RTLD_NEXT, function);
    return next(path, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return open_file("fopen", path, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return open_file("fopen64", path, mode);
}
