/* What conveyors are to reach, beside what they did. */
#include <stdio.h>
#include <string.h>
#include "bench/conveyors/targets.h"

/* `at_most` ns an item without the harness; or, where a rival is named, `at_least` times as fast as it. ranks 0: any.
 */
struct target {
    int ranks;
    const char *section;
    size_t bytes;
    const char *contender, *rival;
    double at_most, at_least;
};

static const struct target targets[] = {
    {2, "push-pull", 8, "one-hop", NULL, 3, 0},     {2, "push-pull", 128, "one-hop", NULL, 12, 0},
    {8, "push-pull", 8, "one-hop", NULL, 9, 0},     {8, "push-pull", 8, "two-hops", NULL, 18, 0},
    {8, "push-pull", 8, "three-hops", NULL, 27, 0}, {2, "queries", 8, "two", NULL, 9, 0},
    {2, "queries", 8, "biconveyor", NULL, 8, 0},    {2, "histogram", 8, "default", NULL, 5, 0},
    {0, "push-pull", 8, "default", "packed", 0, 3}, {0, "push-pull", 8, "default", "accumulate", 0, 50},
};

/* Loads of so few items measure how a run ends, which is not what the targets are about. */
enum { ITEMS_AT_LEAST = 1000 };

static bool speaks_of(const struct bench_result *r, const struct target *t)
{
    return strcmp(r->section->name, t->section) == 0 && r->at.item_bytes == t->bytes && !r->at.elastic &&
           (t->ranks == 0 || t->ranks == r->at.ranks) && r->at.most >= ITEMS_AT_LEAST &&
           bench_figure_of(r, t->contender) != NULL && (t->rival == NULL || bench_figure_of(r, t->rival) != NULL);
}

/* What is to be compared with the target's number: ns an item, or how many times as fast. */
static double reached(const struct bench_result *r, const struct target *t)
{
    double ns = bench_figure_of(r, t->contender)->net_ns;

    return t->rival == NULL ? ns : bench_figure_of(r, t->rival)->net_ns / ns;
}

static void print_wanted(const struct target *t)
{
    printf("  %s, %zu B, %s: ", t->section, t->bytes, t->contender);
    if (t->rival == NULL)
        printf("at most %.0f ns:", t->at_most);
    else
        printf("at least %.0f times as fast as %s:", t->at_least, t->rival);
}

static void print_target(const struct target *t, const struct bench_result *results, int count)
{
    int loads = 0, met = 0;

    for (int i = 0; i < count; i++) {
        const struct bench_result *r = &results[i];

        if (!speaks_of(r, t))
            continue;
        if (loads++ == 0)
            print_wanted(t);
        met += t->rival == NULL ? reached(r, t) <= t->at_most : reached(r, t) >= t->at_least;
        printf("%s %.2f (%s)", loads > 1 ? "," : "", reached(r, t), r->load->text);
    }
    if (loads > 0 && met > 0 && met < loads)
        printf("; met at %d of %d loads\n", met, loads);
    else if (loads > 0)
        printf("; %s\n", met > 0 ? "met" : "not met");
}

void bench_targets_print(const struct bench_result *results, int count)
{
    printf("\ntargets, set for 2 quiet cores:\n");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        print_target(&targets[i], results, count);
}
