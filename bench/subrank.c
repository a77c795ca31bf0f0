/* What subranks cost: a switch between bare coroutines, a yield, a rest, a sleep and a wake, by their number; and the
 * start of a schedule. subrank [PROGRAM]: and private copies of a program. Medians. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "core/subrank/coroutine.h"
#include "core/subrank/program.h"
#include "core/subrank/schedule.h"

enum { RUNS = 15, SWITCHES = 1 << 20, COPIES = 256 };

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double times[RUNS])
{
    qsort(times, RUNS, sizeof *times, compare);
    return times[RUNS / 2];
}

/* ---- bare coroutines ---- */

struct bench_pair {
    struct wm_coroutine home, other;
};

static void come_and_go(void *with)
{
    struct bench_pair *pair = with;

    for (;;)
        wm_coroutine_switch(&pair->other, &pair->home);
}

static void measure_switch(void)
{
    struct bench_pair pair = {0};
    struct wm_stack stack;
    double times[RUNS];

    if (!wm_stack_take(&stack, WM_STACK_DEFAULT_BYTES))
        exit(1);
    wm_coroutine_make(&pair.other, &stack, come_and_go, &pair);
    for (int run = 0; run < RUNS; run++) {
        double begin = now_ns();

        for (int i = 0; i < SWITCHES; i += 2)
            wm_coroutine_switch(&pair.home, &pair.other);
        times[run] = (now_ns() - begin) / SWITCHES;
    }
    printf("switch %.1f ns\n", median(times));
}

/* ---- subranks ---- */

struct bench_turns {
    int count;
    double begin, end;
};

typedef void take_turn(const struct bench_turns *turns, int number);

static void yield(const struct bench_turns *turns, int number)
{
    (void)turns, (void)number;
    wm_subrank_yield();
}

static void rest(const struct bench_turns *turns, int number)
{
    (void)turns, (void)number;
    wm_subrank_rest();
}

/* A token goes round. */
static void sleep_and_wake(const struct bench_turns *turns, int number)
{
    wm_subrank_wake((number + 1) % turns->count);
    wm_subrank_sleep();
}

static inline __attribute__((always_inline)) void take_turns(struct bench_turns *turns, int number, take_turn *turn)
{
    int rounds = SWITCHES / turns->count;

    turn(turns, number); /* now all have begun */
    if (number == 0)
        turns->begin = now_ns();
    for (int i = 0; i < rounds; i++)
        turn(turns, number);
    if (number == 0)
        turns->end = now_ns();
    wm_subrank_wake((number + 1) % turns->count);
}

static void take_yields(void *with, int number)
{
    take_turns(with, number, yield);
}

static void take_rests(void *with, int number)
{
    take_turns(with, number, rest);
}

static void take_sleeps(void *with, int number)
{
    take_turns(with, number, sleep_and_wake);
}

static bool rest_of_all(void *with)
{
    (void)with;
    return true;
}

static void measure_turns(int count, void (*live)(void *with, int number), const char *what)
{
    struct wm_error error;
    double times[RUNS];

    for (int run = 0; run < RUNS; run++) {
        struct bench_turns turns = {.count = count};
        struct wm_schedule_parts parts = {.count = count, .run = live, .with = &turns, .rest = rest_of_all};

        if (wm_schedule_run(&parts, &error) < 0) {
            fprintf(stderr, "subrank: %s\n", error.text);
            exit(1);
        }
        times[run] = (turns.end - turns.begin) / (SWITCHES / count * count);
    }
    printf("%-5d subranks: %-14s %.1f ns\n", count, what, median(times));
}

static void end_at_once(void *with, int number)
{
    (void)with, (void)number;
}

static void measure_start(int count)
{
    struct wm_error error;
    double times[RUNS];

    for (int run = 0; run < RUNS; run++) {
        double begin = now_ns();

        wm_schedule_run(&(struct wm_schedule_parts){.count = count, .run = end_at_once}, &error);
        times[run] = (now_ns() - begin) / count;
        wm_stacks_release();
    }
    printf("%-5d subranks: %-14s %.1f us each\n", count, "start and end", median(times) / 1e3);
}

static int measure_copies(const char *file)
{
    struct wm_program program;
    struct wm_program_copy copies[COPIES];
    struct wm_error error;
    double begin = now_ns();

    if (wm_program_open(&program, file, false, &error) < 0) {
        fprintf(stderr, "subrank: %s\n", error.text);
        return 1;
    }
    for (int i = 0; i < COPIES; i++)
        if (wm_program_load(&program, i, &copies[i], &error) < 0) {
            fprintf(stderr, "subrank: %s\n", error.text);
            return 1;
        }
    printf("%d copies of %s (%zu bytes): %.1f ms\n", COPIES, program.name, program.image_bytes,
           (now_ns() - begin) / 1e6);
    wm_program_close(&program);
    return 0;
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 2, 128, 4096};

    measure_switch();
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        measure_turns(counts[i], take_yields, "yield");
        measure_turns(counts[i], take_rests, "rest");
        measure_turns(counts[i], take_sleeps, "wake and sleep");
        measure_start(counts[i]);
    }
    return argc > 1 ? measure_copies(argv[1]) : 0;
}
