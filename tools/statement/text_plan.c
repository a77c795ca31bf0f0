/* A plan as text. */
#include <stdio.h>
#include "tools/statement/show.h"
#include "tools/text/units.h"

enum { WORDS_CHARS = 1024 };

void wm_statement_collective_text(const struct wm_statement *s, const struct wm_collective *c, char *out,
                                  size_t out_bytes)
{
    wm_text_append(out, out_bytes, "%s", wm_operation_name(c->operation));
    if (c->team)
        wm_text_append(out, out_bytes,
                       " among teams of ranks, where the map has rules for it, when it has come some times");
    else if (c->operation == WM_BCAST || c->operation == WM_SCATTER)
        wm_text_append(out, out_bytes, " from rank %d", c->root);
    else if (c->operation == WM_GATHER || c->operation == WM_REDUCE)
        wm_text_append(out, out_bytes, " to rank %d", c->root);
    wm_text_append(out, out_bytes, ", in blocks of %s, by the map's path for it; %s as messages",
                   wm_bytes_text(c->block * s->reductions[0].element_bytes).text,
                   c->team ? "else, and a nonblocking call, goes" : "a nonblocking call goes");
}

const char *wm_statement_way_text(enum wm_statement_way way)
{
    static const char *const ways[] = {
#define X(name, word, text) text,
        WM_STATEMENT_WAYS(X)
#undef X
    };

    return ways[way];
}

/* "'n', 'right'" */
static void bindings_text(const struct wm_bound_names *names, uint64_t bindings, char *out, size_t out_bytes)
{
    const char *between = "";

    for (int i = 0; i < names->count; i++)
        if ((bindings >> i & 1) != 0) {
            wm_text_append(out, out_bytes, "%s'%s'", between, names->names[i].name);
            between = ", ";
        }
}

static void again_text(const struct wm_bound_names *names, const struct wm_statement_plan *plan, char *out,
                       size_t out_bytes)
{
    char unpromised[WORDS_CHARS / 2] = "";

    bindings_text(names, plan->unpromised, unpromised, sizeof unpromised);
    if (plan->learns)
        wm_text_append(out, out_bytes, "learned: both ends know, and receives are posted");
    else if (plan->again.allreduces > 0)
        wm_text_append(out, out_bytes, "1 allreduce asks whether %s changed; a promise (WM_STABLE) saves it",
                       unpromised);
    else if (plan->again.barriers > 0)
        wm_text_append(out, out_bytes, "the same; a promise (%s) of %s makes it learned, without a barrier",
                       plan->unpromised != 0 ? "WM_STABLE" : "WM_UNIFORM",
                       plan->unpromised != 0 ? unpromised : "all extents");
    else
        wm_text_append(out, out_bytes, "nothing is asked");
}

static void print_call(const struct wm_terminal *t, struct wm_statement_call *call, const char *title)
{
    static const struct {
        const char *text;
        bool bytes;
    } rows[] = {
#define X(name, key, text, bytes) {text, bytes},
        WM_STATEMENT_FIGURES(X)
#undef X
    };
    struct wm_table table;

    wm_figures_begin(&table, title);
    for (int i = call->way == WM_STATEMENT_COLLECTIVE ? WM_STATEMENT_FIGURE_COPIED : 0; i < WM_STATEMENT_FIGURE_COUNT;
         i++)
        wm_figures_add(&table, rows[i].text, &call->figures[i], rows[i].bytes ? WM_FIGURE_BYTES : WM_FIGURE_COUNTS);
    fputc('\n', t->file);
    wm_table_print(&table, t);
}

void wm_statement_plan_print(const struct wm_terminal *t, const struct wm_bound_names *names,
                             const struct wm_statement *s, struct wm_statement_plan *plan)
{
    char words[WORDS_CHARS] = "";

    fputc('\n', t->file);
    if (plan->refused) {
        wm_terminal_wrap(t, "plan       ",
                         "none: the hint does not hold, and the run time refuses it; --check says why");
        return;
    }
    if (plan->again.way == WM_STATEMENT_COLLECTIVE)
        wm_statement_collective_text(s, &plan->collective, words, sizeof words);
    wm_terminal_wrap(t, "plan       ", words[0] != '\0' ? words : wm_statement_way_text(plan->first.way));
    snprintf(words, sizeof words, "%s%s%s", plan->first.allreduces > 0 ? "1 allreduce finds out who knows" : "",
             plan->first.allreduces > 0 && plan->first.barriers > 0 ? "; " : "",
             plan->first.barriers > 0 ? "1 barrier" : "");
    wm_terminal_wrap(t, "first call ", words);
    words[0] = '\0';
    again_text(names, plan, words, sizeof words);
    wm_terminal_wrap(t, "then       ", words);
    if (!plan->counted)
        return;
    print_call(t, &plan->first, plan->again.way == plan->first.way ? "a rank, each call" : "a rank, first call");
    if (plan->again.way != plan->first.way)
        print_call(t, &plan->again, "a rank, then");
}
