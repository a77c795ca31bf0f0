/* What the guard's page costs a call: the way in and out of it, in turns with the same loop without; ns, the median and
 * the least of the batches' differences. Alone, without MPI: the page's own stores, as core/call/publish.c makes them
 * for a call whose kind is known, are the most of it; what a whole call pays is told by bench/guard. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "core/guard/page.h"

enum { BATCHES = 301, CALLS = 20000, KINDS = 4 };

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* A little of a program between two calls. */
static inline uint64_t work(uint64_t x)
{
    __asm__ volatile("" : "+r"(x));
    return x * 3 + 1;
}

static double without(uint64_t *sum)
{
    double begin = now_ns();

    for (int i = 0; i < CALLS; i++)
        *sum = work(*sum);
    return (now_ns() - begin) / CALLS;
}

static double with(struct wm_page *page, uint64_t *sum)
{
    double begin = now_ns();

    for (int i = 0; i < CALLS; i++) {
        wm_page_add(page, &page->comms[0], &page->calls[i % KINDS], (uint64_t)(i % KINDS) + 7);
        wm_page_enter(page);
        *sum = work(*sum);
        wm_page_leave(page);
    }
    return (now_ns() - begin) / CALLS;
}

int main(void)
{
    static double costs[BATCHES];
    struct wm_error error = {0};
    struct wm_page *page;
    uint64_t sum = 1;
    int file = wm_page_file_new(NULL, 0, 1, &error);

    if (file < 0 || (page = wm_page_new(file, 0, 0, &error)) == NULL) {
        fprintf(stderr, "guard_cost: %s\n", error.text);
        return 1;
    }
    for (int i = 0; i < BATCHES; i++) {
        double bare = without(&sum);

        costs[i] = with(page, &sum) - bare;
    }
    qsort(costs, BATCHES, sizeof *costs, compare);
    printf("page, a call: %.2f ns (least %.2f)\n", costs[BATCHES / 2], costs[0]);
    wm_page_free(page);
    return sum == 0;
}
