/* Online tuning: rows of calls, their candidates, trials, and what came of them. */
#include "tools/tune/online.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tools/doctor/process.h"
#include "tools/predict/prediction.h"
#include "tools/retune/job.h"
#include "tools/retune/trial.h"
#include "tools/run/maps.h"
#include "tools/text/output.h"
#include "tools/text/units.h"
#include "tools/tune/amend.h"
#include "tools/tune/patch.h"
#include "tools/tune/sift.h"
#include "tracer/clock.h"

/* Rounds of the job's own map cost nothing but that they are compared: they come so many times as often. */
enum { OBSERVED_OFTEN = 10 };
enum { OBSERVED_ROUNDS = 40, TRIED_ROUNDS = 60, PATHS_TRIED = 8, ROWS = 8 };

/* A path is kept if it is faster by so much, in rows that take such a share of the time. */
static const double gain_least = 0.03, share_least = 0.05;

struct tuning {
    struct wm_mailbox *mailbox;
    const struct wm_online_choice *choice;
    char *file, *first; /* the job's map, and its text at the beginning */
    struct wm_site_map map;
    struct wm_site site;
    struct wm_profile assumed;
    struct wm_trial_table table; /* of the last trial */
    struct wm_tune_list list;    /* the candidates of a row */
    int trials, rows, kept;
};

/* --- The map that holds --- */

static int open_text(struct tuning *t, char *text, struct wm_error *error)
{
    int rc;

    wm_site_release(&t->site);
    wm_site_map_close(&t->map);
    t->site = (struct wm_site){0};
    t->map = (struct wm_site_map){.file = strdup(t->file), .text = text, .text_bytes = strlen(text)};
    if (t->map.file == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the map's name");
    rc = wm_maps_open(&t->map.map, t->file, text, t->map.text_bytes, error);
    return rc < 0 ? rc : wm_site_init(&t->site, &t->map, t->mailbox->machine, error);
}

static int begin(struct tuning *t, struct wm_error *error)
{
    char *text = NULL;
    size_t bytes;
    int rc;

    if (t->mailbox->machine[0] == '\0')
        return wm_error_set(error, -WM_EINVAL,
                            "the ranks stand in an order that no '--grid' says; place them by slot or by node");
    if ((rc = wm_maps_read(t->mailbox->map_file, &t->file, &text, &bytes, error)) < 0)
        return rc;
    if ((t->first = strdup(text)) == NULL || wm_profile_assume(&t->assumed) < 0) {
        free(text);
        return wm_error_set(error, -WM_ENOMEM, "no memory for the job's map");
    }
    return open_text(t, text, error);
}

static void finish(struct tuning *t)
{
    wm_profile_release(&t->assumed);
    wm_site_release(&t->site);
    wm_site_map_close(&t->map);
    free(t->file);
    free(t->first);
}

/* --- Trials --- */

/* So many rounds show what calls there are. */
static enum wm_verdict judge_observed(const struct wm_trial_table *table, bool over)
{
    (void)table;
    return over ? WM_VERDICT_UNSURE : WM_VERDICT_OPEN;
}

/* Is the path faster by what is wanted? */
static enum wm_verdict judge_path(const struct wm_trial_table *table, bool over)
{
    const struct wm_change *c = &table->total;

    if (c->known && c->low > -gain_least)
        return WM_VERDICT_WORSE;
    if (c->known && c->high < -gain_least && table->rounds >= WM_TRIAL_ROUNDS_EARLY)
        return WM_VERDICT_NOT;
    return over ? WM_VERDICT_UNSURE : WM_VERDICT_OPEN;
}

static bool is_over(const struct tuning *t)
{
    return wm_mailbox_state(t->mailbox) == WM_MAILBOX_CLOSED || wm_process_state(t->mailbox->pid) == 0;
}

/* Try a text beside the map that holds. Returns the verdict, under which the job goes on; WM_VERDICT_OPEN where this
 * process was interrupted, or the job ends; -WM_E… . */
static int try(struct tuning *t, const char *text, const struct wm_trial_scope *scope, int rounds,
               wm_trial_judge *judge, struct wm_error *error)
{
    char name[WM_MAILBOX_FILE_CHARS];
    enum wm_verdict verdict;
    int rc;

    snprintf(name, sizeof name, "%.3000s, trial %d", t->file, t->trials);
    rc = wm_mailbox_ask(t->mailbox, WM_MAILBOX_TRY, name, text, strlen(text), scope, error);
    if (rc < 0 || (rc = wm_retune_await(t->mailbox, t->choice->patience_ns, error)) < 0)
        return is_over(t) ? WM_VERDICT_OPEN : rc;
    t->trials++;
    verdict = wm_trial_await(t->mailbox, rounds, t->choice->patience_ns, judge, &t->table);
    rc = wm_trial_finish(t->mailbox, verdict == WM_VERDICT_NOT, t->choice->patience_ns, error);
    return is_over(t) ? WM_VERDICT_OPEN : rc < 0 ? rc : (int)verdict;
}

/* --- A row of calls --- */

enum { KIND_CHARS = 96, MEASURED_CHARS = 256 };

/* "allreduce from 64 B" */
static const char *kind_text(const struct wm_trial_row *row, char text[KIND_CHARS])
{
    uint64_t least, bound;

    wm_size_class_bounds((int)row->size_class, &least, &bound);
    snprintf(text, KIND_CHARS, "%s%s%s",
             row->operation < WM_OPERATION_COUNT ? wm_operation_name((enum wm_operation)row->operation) : "?",
             bound > 0 ? " from " : "", bound > 0 ? wm_bytes_text(least).text : "");
    return text;
}

/* What came of a trial. */
static void tell_trial(const struct tuning *t, const struct wm_trial_row *row, const char *path, const char *end)
{
    const struct wm_trial_row *tried = &t->table.rows[0];
    char kind[KIND_CHARS], measured[MEASURED_CHARS] = "";

    if (t->table.row_count > 0 && tried->change.known)
        snprintf(measured, sizeof measured,
                 "%s in place of %s, %+.1f %% ± %.1f %% by %s: ", wm_time_text((int64_t)tried->new_ns).text,
                 wm_time_text((int64_t)tried->old_ns).text, 100 * tried->change.change,
                 50 * (tried->change.high - tried->change.low), wm_number_text((uint64_t)tried->rounds, "round").text);
    fprintf(stderr, "waymark: online: %s: %s: %s%s\n", kind_text(row, kind), path, measured, end);
}

/* Try path number `i` of the list for the row, in the place of what was kept for it before. Returns as `try`. */
static int try_path(struct tuning *t, const struct wm_trial_row *row, int i, char **kept, struct wm_error *error)
{
    const struct wm_tune_path *path = &t->list.paths[i];
    const struct wm_amendment amendment = {.operation = (enum wm_operation)row->operation,
                                           .size_class = (int)row->size_class,
                                           .ranks = (int)row->ranks,
                                           .where = path->uniform ? " uniform?"
                                                    : path->near  ? " (= nodes 1)"
                                                                  : "",
                                           .path = path->text};
    const struct wm_trial_scope scope = {t->choice->every, 1, row->operation, row->size_class};
    char *text = wm_amend(&t->map, &t->site, &amendment, error);
    int verdict = text != NULL ? try(t, text, &scope, TRIED_ROUNDS, judge_path, error) : error->code;

    if (verdict == WM_VERDICT_NOT) {
        tell_trial(t, row, path->text, "kept");
        free(*kept);
        *kept = text;
        return verdict;
    }
    if (t->choice->verbose && verdict > WM_VERDICT_OPEN)
        tell_trial(t, row, path->text, verdict == WM_VERDICT_WORSE ? "not faster" : "not shown to be faster");
    free(text);
    return verdict;
}

/* What the map that holds takes, in ps; -1: it is native. */
static int64_t predict_present(struct tuning *t, enum wm_operation operation, uint64_t bytes)
{
    const struct wm_map_question question = {.facts = {.operation = operation, .bytes = bytes, .commutative = true},
                                             .machine = t->mailbox->machine};
    struct wm_prediction p;
    struct wm_error ignored;

    if (wm_predict(&p, &t->map, &t->site, &question, &t->assumed, false, &ignored) < 0 || p.native)
        return -1;
    return p.time;
}

/* The paths to try, those first that should take least; native, where it is not what holds, is the first. Returns how
 * many, or -WM_E…. */
static int order_paths(struct tuning *t, const struct wm_trial_row *row, int order[PATHS_TRIED], struct wm_error *error)
{
    enum wm_operation operation = (enum wm_operation)row->operation;
    int64_t ps[WM_TUNE_PATHS_MAX], present;
    uint64_t bytes, bound;
    int rc, count = 0;

    wm_size_class_bounds((int)row->size_class, &bytes, &bound);
    present = predict_present(t, operation, bytes);
    wm_tune_list_paths(&t->list, operation, wm_grid_count_nodes(t->site.places, t->site.ranks),
                       wm_grid_count_clusters(&t->site.grid));
    if ((rc = wm_tune_sift(&t->list, operation, t->mailbox->machine, bound, 0, error)) < 0 ||
        (rc = wm_tune_predict(ps, &t->list, operation, t->mailbox->machine, bytes, &t->assumed, error)) < 0)
        return rc;
    if (present >= 0)
        order[count++] = 0;
    while (count < PATHS_TRIED) {
        int best = 0;

        for (int i = 1; i < t->list.count; i++)
            if (ps[i] >= 0 && ps[i] != present && (best == 0 || ps[i] < ps[best]))
                best = i;
        if (best == 0)
            break;
        order[count++] = best;
        ps[best] = -1;
    }
    return count;
}

/* Returns WM_VERDICT_OPEN where there is nothing more to do, or -WM_E…. */
static int tune_row(struct tuning *t, const struct wm_trial_row *row, struct wm_error *error)
{
    int order[PATHS_TRIED], count = order_paths(t, row, order, error), verdict = count < 0 ? count : WM_VERDICT_UNSURE;
    char *kept = NULL;

    t->rows++;
    for (int i = 0; i < count && verdict > WM_VERDICT_OPEN; i++)
        verdict = try_path(t, row, order[i], &kept, error);
    if (kept == NULL)
        return verdict;
    t->kept++;
    return open_text(t, kept, error) < 0 ? error->code : verdict;
}

/* --- The job --- */

static int observe(struct tuning *t, struct wm_error *error)
{
    const struct wm_trial_scope scope = {.every = t->choice->every / OBSERVED_OFTEN};
    char *same = NULL;
    int verdict;

    if (asprintf(&same, "%s\n;; seen\n", t->first) < 0)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the map");
    verdict = try(t, same, &scope, OBSERVED_ROUNDS, judge_observed, error);
    free(same);
    return verdict;
}

/* Communicators of some ranks are left as they are: candidates are proven for all. */
static int tune_rows(struct tuning *t, struct wm_error *error)
{
    struct wm_trial_row rows[ROWS];
    int count = 0, verdict = WM_VERDICT_UNSURE;
    char kind[KIND_CHARS];
    double all = 0;

    for (int i = 0; i < t->table.row_count; i++)
        all += t->table.rows[i].weight_ns;
    for (int i = 0; i < t->table.row_count && count < ROWS; i++) {
        const struct wm_trial_row *row = &t->table.rows[i];

        if (t->choice->verbose)
            fprintf(stderr, "waymark: online: %s among %s: %s, %s of the time\n", kind_text(row, kind),
                    wm_number_text(row->ranks, "rank").text, wm_time_text((int64_t)row->old_ns).text,
                    wm_share_text((int64_t)row->weight_ns, (int64_t)all).text);
        if (row->operation < WM_OPERATION_COUNT && (int)row->ranks == t->mailbox->ranks &&
            row->weight_ns >= share_least * all)
            rows[count++] = *row;
    }
    for (int i = 0; i < count && verdict > WM_VERDICT_OPEN; i++)
        verdict = tune_row(t, &rows[i], error);
    return verdict;
}

static void tell(const struct tuning *t, bool ended)
{
    fprintf(stderr, "waymark: online: %s%s of %s", ended ? "until the job ended, " : "",
            wm_number_text((uint64_t)t->trials, "trial").text, wm_number_text((uint64_t)t->rows, "kind").text);
    if (t->kept == 0) {
        fprintf(stderr, " of calls; no path was shown to be faster by %.0f %%, the map stays as it is\n",
                100 * gain_least);
        return;
    }
    fprintf(stderr, " of calls; the map that this made of '%s', as a patch:\n", t->file);
    wm_patch_print(t->file, t->first, t->map.text);
}

static int write_output(const struct tuning *t, struct wm_error *error)
{
    struct wm_output output;

    if (t->choice->output == NULL)
        return 0;
    if (wm_output_open(&output, t->choice->output, error) < 0)
        return error->code;
    fwrite(t->map.text, 1, t->map.text_bytes, output.file);
    return wm_output_commit(&output, error);
}

static int tune(struct wm_mailbox *m, const struct wm_online_choice *choice, struct wm_error *error)
{
    struct tuning *t = calloc(1, sizeof *t);
    int rc;

    if (t == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory to tune a job");
    t->mailbox = m;
    t->choice = choice;
    rc = begin(t, error);
    if (rc == 0 && (rc = observe(t, error)) > WM_VERDICT_OPEN)
        rc = tune_rows(t, error);
    if (rc >= 0 || t->kept > 0)
        tell(t, is_over(t));
    if (rc >= 0)
        rc = write_output(t, error);
    finish(t);
    free(t);
    return rc < 0 ? rc : 0;
}

static bool is_there(int pid)
{
    char state = wm_process_state(pid);

    return state != 0 && state != 'Z';
}

int wm_online_tune(int pid, const struct wm_online_choice *choice, struct wm_error *error)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    uint64_t begin = wm_clock_monotonic_ns();
    struct wm_mailbox *mailbox;
    int rc;

    while ((mailbox = wm_retune_job(pid, error)) == NULL && is_there(pid) &&
           wm_clock_monotonic_ns() - begin < (uint64_t)choice->patience_ns)
        nanosleep(&pause, NULL);
    if (mailbox == NULL)
        return is_there(pid) ? error->code : 0;
    wm_trial_catch_signals();
    rc = tune(mailbox, choice, error);
    wm_mailbox_free(mailbox, -1);
    return rc;
}
