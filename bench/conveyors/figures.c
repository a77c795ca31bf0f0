/* Figures on the terminal, and in a file. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "bench/conveyors/figures.h"

enum { WIDTH = 10 };

/* Three digits, and a unit where it is not ns. */
static void print_ns(double ns)
{
    double value = ns < 0 ? -ns : ns;

    if (value < 1e3)
        printf(" %*.*f", WIDTH, value < 100 ? 2 : 1, ns);
    else if (value < 1e6)
        printf(" %*.1fus", WIDTH - 2, ns / 1e3);
    else
        printf(" %*.1fms", WIDTH - 2, ns / 1e6);
}

static bool shown(const struct bench_choice *choice, const struct bench_contender *contender)
{
    return bench_named(choice->only, contender->name);
}

void bench_head_print(const struct bench_section *section, const struct bench_choice *choice)
{
    printf("\n%s: %s; ns an item a rank, without the harness\n%6s %8s %9s", section->name, section->title, "bytes",
           "load", "items");
    printf(" %*s", WIDTH, section->contenders[0]->name);
    for (const struct bench_contender *const *c = section->contenders + 1; *c != NULL; c++)
        if (shown(choice, *c))
            printf(" %*s", WIDTH, (*c)->name);
    printf(" %*s\n", WIDTH, "begin+reset");
}

static void print_notes(const struct bench_result *r)
{
    for (int i = 0; i < r->count; i++) {
        const struct bench_figure *f = &r->figure[i];

        if (f->measured && f->wrong)
            printf("  wrong result: %s: what was pulled is not what was pushed\n", f->contender->name);
        if (f->measured && f->contender->hops > 0 && f->hops > 0 && f->hops != f->contender->hops)
            printf("  %s: the conveyor makes %d hops\n", f->contender->name, f->hops);
    }
}

void bench_line_print(const struct bench_result *r, const struct bench_choice *choice)
{
    double life_us = 0;

    printf("%6zu %8s %9ld", r->at.item_bytes, r->load->text, (long)r->at.most);
    print_ns(r->figure[0].raw_ns);
    for (int i = 1; i < r->count; i++) {
        if (r->figure[i].measured)
            print_ns(r->figure[i].net_ns);
        else if (shown(choice, r->figure[i].contender))
            printf(" %*s", WIDTH, "-");
        if (life_us == 0 && r->figure[i].measured)
            life_us = r->figure[i].life_us;
    }
    print_ns(life_us * 1e3);
    printf("\n");
    print_notes(r);
    fflush(stdout);
}

static json_t *figure_json(const struct bench_result *r, const struct bench_figure *f, int64_t rounds)
{
    json_t *all = json_array();

    for (int64_t i = 0; i < rounds; i++)
        json_array_append_new(all, json_real(f->round_ns[i]));
    return json_pack("{s:s, s:f, s:f, s:f, s:i, s:b, s:o}", "contender", f->contender->name, "net_ns",
                     f == r->figure ? f->raw_ns : f->net_ns, "raw_ns", f->raw_ns, "begin_reset_us", f->life_us, "hops",
                     f->hops, "verified", !f->wrong, "rounds_raw_ns", all);
}

static json_t *result_json(const struct bench_result *r, int64_t rounds)
{
    json_t *figures = json_array();

    for (int i = 0; i < r->count; i++)
        if (r->figure[i].measured)
            json_array_append_new(figures, figure_json(r, &r->figure[i], rounds));
    return json_pack("{s:s, s:I, s:b, s:s, s:I, s:i, s:o}", "section", r->section->name, "item_bytes",
                     (json_int_t)r->at.item_bytes, "elastic", r->at.elastic, "load", r->load->text, "items_a_rank",
                     (json_int_t)r->at.most, "repetitions", r->repetitions, "figures", figures);
}

bool bench_json_write(const char *file, const struct bench_choice *choice, const struct bench_result *results,
                      int count)
{
    const struct bench_settings *s = &choice->settings;
    double load[1] = {0};
    json_t *all = json_array(), *root;
    bool written;

    if (getloadavg(load, 1) < 1)
        load[0] = -1;
    for (int i = 0; i < count; i++)
        json_array_append_new(all, result_json(&results[i], choice->rounds));
    root = json_pack("{s:I, s:i, s:b, s:I, s:I, s:I, s:I, s:f, s:o}", "time", (json_int_t)time(NULL), "ranks",
                     results[0].at.ranks, "best_of_rounds", choice->best, "rounds", (json_int_t)choice->rounds,
                     "capacity", (json_int_t)s->capacity, "buffers", (json_int_t)s->buffers, "batch_bytes",
                     (json_int_t)s->batch_bytes, "load_average", load[0], "results", all);
    written = json_dump_file(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;
    if (!written)
        fprintf(stderr, "convey: '%s' cannot be written\n", file);
    json_decref(root);
    return written;
}
