/* Arrows: many messages alike, written short. */
#include "tools/draw/arrows.h"

#include <stdio.h>
#include <stdlib.h>
#include "core/search.h"
#include "tools/text/units.h"

enum { RANKS_BYTES = 256 };

/* All messages of one pair of ranks; `both` ways where as many go back. */
struct arrow {
    int source, target, times;
    bool both, gone;
};

struct arrows {
    struct arrow *list;
    size_t count;
    int *ranks; /* room for the many ends of one arrow */
};

static struct arrow *find(const struct arrows *a, int source, int target)
{
    size_t found = WM_COUNT_WHILE(
        i, a->count, a->list[i].source < source || (a->list[i].source == source && a->list[i].target < target));

    return found < a->count && a->list[found].source == source && a->list[found].target == target ? &a->list[found]
                                                                                                  : NULL;
}

static void gather(struct arrows *a, const struct wm_round_message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct arrow *last = a->count > 0 ? &a->list[a->count - 1] : NULL;

        if (last != NULL && last->source == messages[i].source && last->target == messages[i].target)
            last->times++;
        else
            a->list[a->count++] = (struct arrow){messages[i].source, messages[i].target, 1, false, false};
    }
}

static void join_pairs(struct arrows *a)
{
    for (size_t i = 0; i < a->count; i++) {
        struct arrow *there = &a->list[i];
        struct arrow *back = there->source < there->target ? find(a, there->target, there->source) : NULL;

        if (back != NULL && back->times == there->times) {
            there->both = true;
            back->gone = true;
        }
    }
}

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;

    return (a > b) - (a < b);
}

/* How many arrows remain if those with one source, or one target, are written as one. */
static size_t count_joined(const struct arrows *a, bool by_source)
{
    size_t count = 0, distinct = 0;

    for (size_t i = 0; i < a->count; i++)
        if (!a->list[i].gone && !a->list[i].both)
            a->ranks[count++] = by_source ? a->list[i].source : a->list[i].target;
    qsort(a->ranks, count, sizeof *a->ranks, compare_ints);
    for (size_t i = 0; i < count; i++)
        distinct += i == 0 || a->ranks[i] != a->ranks[i - 1];
    return distinct;
}

static void print_arrow(FILE *out, struct arrows *a, size_t at, bool by_source)
{
    const struct arrow first = a->list[at];
    char ranks[RANKS_BYTES];
    int count = 0;

    for (size_t i = at; !first.both && i < a->count; i++) {
        struct arrow *other = &a->list[i];

        if (other->gone || other->both || other->times != first.times ||
            (by_source ? other->source != first.source : other->target != first.target))
            continue;
        a->ranks[count++] = by_source ? other->target : other->source;
        other->gone = true;
    }
    wm_ranks_text(a->ranks, count, ranks, sizeof ranks);
    for (char *c = ranks; *c != '\0'; c++) /* "1, 3" would read as two arrows: "1,3" */
        if (*c == ',' && c[1] == ' ')
            for (char *d = c + 1; *d != '\0'; d++)
                *d = d[1];
    if (first.both)
        fprintf(out, "%d↔%d", first.source, first.target);
    else if (by_source)
        fprintf(out, "%d→%s", first.source, ranks);
    else
        fprintf(out, "%s→%d", ranks, first.target);
    if (first.times > 1)
        fprintf(out, "×%d", first.times);
}

static void print_all(FILE *out, struct arrows *a, size_t max)
{
    bool by_source = count_joined(a, true) < count_joined(a, false);
    size_t printed = 0, left = 0;

    for (size_t i = 0; i < a->count; i++) {
        if (a->list[i].gone)
            continue;
        if (max > 0 && printed == max) {
            left += (size_t)a->list[i].times * (a->list[i].both ? 2 : 1);
            continue;
        }
        if (printed++ > 0)
            fputc(' ', out);
        print_arrow(out, a, i, by_source);
    }
    if (left > 0)
        fprintf(out, " … and %zu messages more", left);
}

char *wm_arrows_text(const struct wm_round_message *messages, size_t count, size_t max)
{
    struct arrows a = {.list = calloc(count + 1, sizeof *a.list), .ranks = calloc(count + 1, sizeof *a.ranks)};
    char *text = NULL;
    size_t bytes;
    FILE *out = a.list != NULL && a.ranks != NULL ? open_memstream(&text, &bytes) : NULL;

    if (out != NULL) {
        gather(&a, messages, count);
        join_pairs(&a);
        print_all(out, &a, max);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    free(a.list);
    free(a.ranks);
    return text;
}
