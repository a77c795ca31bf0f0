/* The first state: fields of what is named, or traced. */
#include "tools/tune/begin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tools/text/output.h"
#include "tools/text/units.h"
#include "tools/tune/traced.h"

/* An item is not pushed and pulled in less, on any machine. */
static const double item_ns = 10;

/* The least that a race takes may be so much more than there is time for. */
static const double beyond = 2;

struct wm_size_list wm_tune_task_sizes(const struct wm_tune_task *t, enum wm_operation operation)
{
    struct wm_size_list sizes = t->sizes;
    char wrong[WM_SIZES_WRONG_CHARS];

    if (sizes.count == 0)
        wm_sizes_read(&sizes, wm_tune_kind(operation)->sizes, wrong);
    return sizes;
}

static bool is_short(const char *text)
{
    return text == NULL || strlen(text) < WM_TUNE_TEXT_CHARS;
}

bool wm_tune_task_fits(const struct wm_tune_task *t)
{
    bool fits = is_short(t->output) && is_short(t->profile) && is_short(t->from);
    size_t line = 0;

    for (int i = 0; i < t->words; i++) {
        fits = fits && strchr(t->launcher[i], ' ') == NULL;
        line += strlen(t->launcher[i]) + 1;
    }
    return fits && line <= WM_TUNE_TEXT_CHARS;
}

static void copy(char to[WM_TUNE_TEXT_CHARS], const char *text)
{
    snprintf(to, WM_TUNE_TEXT_CHARS, "%s", text != NULL ? text : "");
}

static void copy_launcher(struct wm_tune_state *s, const struct wm_tune_task *t)
{
    size_t used = 0;

    for (int i = 0; i < t->words; i++)
        used +=
            (size_t)snprintf(s->launcher + used, sizeof s->launcher - used, "%s%s", i > 0 ? " " : "", t->launcher[i]);
}

static void add_named(struct wm_tune_state *s, const struct wm_tune_task *t)
{
    for (int op = 0; op <= WM_CONVEYOR; op++)
        if (t->operations >> op & 1) { /* fewer than a state has fields */
            struct wm_size_list sizes = wm_tune_task_sizes(t, (enum wm_operation)op);
            struct wm_tune_field *f = wm_tune_add_field(s, op, &sizes, 1.0 / __builtin_popcount(t->operations));

            if (f->load_bytes > 0 && t->load_bytes > 0)
                f->load_bytes = t->load_bytes;
        }
}

/* Of a run; 0: nothing is pushed. */
static uint64_t items_of(const struct wm_tune_field *f)
{
    return f->load_bytes > 0 ? (uint64_t)wm_tune_field_items(f, f->sizes.bytes[0]) : 0;
}

/* About what the first race takes: seven rounds of as many candidates as any machine has, or, by a profile, of few. */
static int check_run(const struct wm_tune_field *f, const struct wm_tune_state *s, struct wm_error *error)
{
    enum { FEW = 3 };
    static struct wm_tune_list list;
    uint64_t items = items_of(f);
    double run_ns = item_ns * (double)items, race_ns;

    wm_tune_kind(f->operation)->list(&list, f->operation, 1, 1);
    race_ns = run_ns * WM_TUNE_ROUNDS_LEAST * (s->profile[0] != '\0' ? FEW : list.count);
    if (race_ns * 1e-9 <= beyond * s->budget_s)
        return 0;
    return wm_error_set(
        error, -WM_EINVAL, "a run of %s takes %s or more, and a race of such runs some %s; give %s--budget %.0fs",
        wm_number_text(items, "item").text, wm_time_text((int64_t)run_ns).text, wm_time_text((int64_t)race_ns).text,
        s->trace[0] == '\0' ? "a smaller --load, or " : "", ceil(race_ns * 1e-9));
}

static int check_runs(const struct wm_tune_state *s, struct wm_error *error)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < s->count; i++)
        rc = check_run(&s->fields[i], s, error);
    return rc;
}

/* *s is all zero, and large: what is not used of it stays untouched. */
static void begin_state(struct wm_tune_state *s, const struct wm_tune_task *t)
{
    s->budget_s = (double)t->budget_ns * 1e-9;
    s->seed = (uint64_t)t->seed;
    copy(s->output, t->output);
    copy(s->profile, t->profile);
    copy(s->trace, t->from);
    copy_launcher(s, t);
    add_named(s, t);
}

int wm_tune_task_affords(const struct wm_tune_task *t, struct wm_error *error)
{
    static struct wm_tune_state s;

    begin_state(&s, t);
    return check_runs(&s, error);
}

/* At each point of a check the map and the library have a race of one look. */
static int check_points(const struct wm_tune_field *f, const struct wm_tune_state *s, int points,
                        struct wm_error *error)
{
    uint64_t items = items_of(f);
    double run_ns = item_ns * (double)items, races_ns = run_ns * WM_TUNE_ROUNDS_LEAST * 2 * points / s->count;

    if (races_ns * 1e-9 <= beyond * fmax(s->budget_s, points * WM_TUNE_LOOK_MS * 1e-3))
        return 0;
    return wm_error_set(error, -WM_EINVAL,
                        "a run of %s takes %s or more, and a check of such runs some %s; give a smaller --load, or "
                        "fewer --points",
                        wm_number_text(items, "item").text, wm_time_text((int64_t)run_ns).text,
                        wm_time_text((int64_t)races_ns).text);
}

int wm_tune_check_affords(const struct wm_tune_task *t, int points, struct wm_error *error)
{
    static struct wm_tune_state s;
    int rc = 0;

    begin_state(&s, t);
    for (int i = 0; rc == 0 && i < s.count; i++)
        rc = check_points(&s.fields[i], &s, points, error);
    return rc;
}

int wm_tune_begin(const struct wm_tune_task *t, const char *file, struct wm_error *error)
{
    static struct wm_tune_state s;
    struct wm_output output;
    int rc = 0;

    begin_state(&s, t);
    if (t->from != NULL && (rc = wm_tune_add_traced(&s, t->from, error)) == 0)
        rc = check_runs(&s, error);
    if (rc == 0 && (rc = wm_output_open(&output, t->output, error)) == 0) /* say so before it is measured */
        wm_output_abandon(&output);
    return rc == 0 ? wm_tune_state_save(&s, file, error) : rc;
}
