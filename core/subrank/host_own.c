/* What the C library keeps once a process, and each subrank shall have of its own: options read, random numbers. */
#include <dlfcn.h>
#include <getopt.h>
#include <string.h>
#include "core/subrank/host.h"
#include "core/subrank/schedule.h"

#define IN_PLACE __attribute__((visibility("default")))

/* ---- getopt: its variables are those of who called it last, and no other worker's until that goes on in MPI ---- */

static struct wm_host_life *option_owner;

static void take_options(void)
{
    struct wm_host_life *life = wm_host_life();

    wm_subrank_linger();
    if (life == option_owner || life == NULL)
        return;
    if (option_owner != NULL) {
        option_owner->option_index = optind;
        option_owner->option_error = opterr;
        option_owner->option_letter = optopt;
        option_owner->option_argument = optarg;
    }
    optind = life->option_index;
    opterr = life->option_error;
    optopt = life->option_letter;
    optarg = life->option_argument;
    option_owner = life;
}

IN_PLACE int getopt(int argc, char *const *argv, const char *letters)
{
    static int (*library)(int, char *const *, const char *);

    if (library == NULL)
        *(void **)&library = dlsym(RTLD_NEXT, "getopt");
    take_options();
    return library(argc, argv, letters);
}

typedef int long_reader(int, char *const *, const char *, const struct option *, int *);

IN_PLACE int getopt_long(int argc, char *const *argv, const char *letters, const struct option *options, int *index)
{
    static long_reader *library;

    if (library == NULL)
        *(void **)&library = dlsym(RTLD_NEXT, "getopt_long");
    take_options();
    return library(argc, argv, letters, options, index);
}

IN_PLACE int getopt_long_only(int argc, char *const *argv, const char *letters, const struct option *options,
                              int *index)
{
    static long_reader *library;

    if (library == NULL)
        *(void **)&library = dlsym(RTLD_NEXT, "getopt_long_only");
    take_options();
    return library(argc, argv, letters, options, index);
}

/* ---- random numbers, each subrank's as if it were alone; others share a life of their own ---- */

static struct wm_host_life others;

static struct wm_host_life *random_life(void)
{
    struct wm_host_life *life = wm_host_life();

    if (life == NULL) {
        life = &others;
        if (life->random.state == NULL)
            wm_host_begin_own(life);
    }
    return life;
}

IN_PLACE void srandom(unsigned seed)
{
    srandom_r(seed, &random_life()->random);
}

IN_PLACE long random(void)
{
    int32_t number;

    random_r(&random_life()->random, &number);
    return number;
}

IN_PLACE void srand(unsigned seed)
{
    srandom(seed);
}

IN_PLACE int rand(void)
{
    return (int)random();
}

IN_PLACE void srand48(long seed)
{
    srand48_r(seed, &random_life()->drand48);
}

IN_PLACE double drand48(void)
{
    double number;

    drand48_r(&random_life()->drand48, &number);
    return number;
}

IN_PLACE long lrand48(void)
{
    long number;

    lrand48_r(&random_life()->drand48, &number);
    return number;
}

IN_PLACE long mrand48(void)
{
    long number;

    mrand48_r(&random_life()->drand48, &number);
    return number;
}

/* 0 tells getopt to begin. Seed 1 is what random() has without srandom(). */
void wm_host_begin_own(struct wm_host_life *life)
{
    life->option_index = 0;
    life->option_error = 1;
    initstate_r(1, life->random_state, sizeof life->random_state, &life->random);
}
