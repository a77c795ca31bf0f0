/* A number of subranks by a trace's superblocks. */
#include "tools/tune/subranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "tools/analysis/superblocks.h"
#include "tools/text/output.h"
#include "tools/text/units.h"

enum places { BLOCK, CYCLIC, TABLE };

/* The job of a trace, and what its superblocks ask for. */
struct finding {
    const struct wm_trace *trace;
    const struct wm_superblock_table *superblocks;
    const char *output, *program; /* "": not known, or no word of a map */
    int processes, siblings, wanted;
    enum places places;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static enum places places_of(const struct finding *f)
{
    bool block = true, cyclic = true;

    for (int i = 0; i < f->trace->rank_count; i++) {
        const struct wm_trace_rank *r = &f->trace->ranks[i];

        block = block && r->rank == r->process * f->siblings + r->sibling;
        cyclic = cyclic && r->rank == r->sibling * f->processes + r->process;
    }
    return block ? BLOCK : cyclic ? CYCLIC : TABLE;
}

/* Neither what is hidden nor one late message asks for another number. */
static bool asks_for_number(const struct wm_superblock_row *row)
{
    return row->advice.reason != WM_ADVICE_HIDDEN && row->advice.reason != WM_ADVICE_LATE;
}

/* Messages that are hidden ask for no more subranks than there are. Returns 0 or -WM_EINVAL. */
static int find_wanted(struct finding *f, struct wm_error *error)
{
    const struct wm_superblock_row *asks = NULL;
    bool any = false, hidden = false;

    f->wanted = f->siblings;
    for (size_t i = 0; i < f->superblocks->count; i++) {
        const struct wm_superblock_row *row = &f->superblocks->rows[i];

        if (row->times.pairs == 0)
            continue;
        any = true;
        hidden = hidden || row->advice.reason == WM_ADVICE_HIDDEN;
        if (!asks_for_number(row))
            continue;
        if (asks != NULL && asks->advice.subranks != row->advice.subranks)
            return wm_error_set(error, -WM_EINVAL,
                                "superblocks of '%s' ask for different numbers of subranks, '%s' for %d and '%s' for "
                                "%d; compare runs with --subranks",
                                f->trace->directory, asks->name, asks->advice.subranks, row->name,
                                row->advice.subranks);
        asks = row;
        f->wanted = row->advice.subranks;
    }
    if (!any)
        return wm_error_set(error, -WM_EINVAL,
                            "the ranks of '%s' are subranks, and no superblock says what they wait for; mark regions "
                            "(docs/subranks.md), or trace a run without subranks",
                            f->trace->directory);
    f->wanted = hidden && f->wanted < f->siblings ? f->siblings : f->wanted;
    return 0;
}

/* Is the trace of all subranks of processes that are alike? */
static int check_ranks(struct finding *f, struct wm_error *error)
{
    const struct wm_trace *t = f->trace;
    bool alike = t->rank_count == t->job_ranks && t->job_ranks % f->siblings == 0;

    for (int i = 0; i < t->rank_count; i++)
        alike = alike && t->ranks[i].siblings == f->siblings;
    f->processes = t->job_ranks / f->siblings;
    f->places = alike ? places_of(f) : BLOCK;
    return alike ? 0
                 : wm_error_set(error, -WM_EINVAL,
                                "the trace '%s' does not have all ranks of processes with %d subranks each; trace the "
                                "whole job",
                                t->directory, f->siblings);
}

/* ---- the map ---- */

static void print_superblock(FILE *out, const struct finding *f, const struct wm_superblock_row *row)
{
    const struct wm_advice *a = &row->advice;
    double now = a->compute_ns + a->idle_ns, then = fmax(a->compute_ns, a->latency_ns + a->compute_ns / f->wanted);
    char why[200];

    wm_advice_say(a, &row->times, why, sizeof why);
    fprintf(out, ";; Superblock '%s', %s of a rank: in one a process computes %s and is idle for %s: %s.\n", row->name,
            wm_number_text(row->times.pairs / (uint64_t)row->ranks, "iteration").text,
            wm_time_text((int64_t)a->compute_ns).text, wm_time_text((int64_t)a->idle_ns).text, why);
    if (f->wanted != f->siblings && asks_for_number(row))
        fprintf(out,
                ";; By max(c, L + c/V) an iteration takes %s with %d, %s now; what more ranks cost is not in that.\n",
                wm_time_text((int64_t)then).text, f->wanted, wm_time_text((int64_t)now).text);
}

static void print_header(FILE *out, const struct finding *f)
{
    char date[32];
    time_t now = time(NULL);
    struct tm utc;

    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    fprintf(out, ";; %s: by waymark %s on %s, from the trace %s: %s in %d processes, %d subranks each.\n",
            base_name(f->output), PACKAGE_VERSION, date, f->trace->directory,
            wm_number_text((uint64_t)f->trace->job_ranks, "rank").text, f->processes, f->siblings);
    for (size_t i = 0; i < f->superblocks->count; i++)
        if (f->superblocks->rows[i].times.pairs > 0)
            print_superblock(out, f, &f->superblocks->rows[i]);
}

static void print_map(FILE *out, const struct finding *f)
{
    print_header(out, f);
    if (f->wanted == f->siblings) {
        fprintf(out, "(path-map\n  ;; subranks: by this trace %d in each process, as it ran, need no clause\n  )\n",
                f->siblings);
        return;
    }
    fprintf(
        out,
        ";; The job has %d ranks then, not %d, in the same processes: start it by mpirun -n %d again, without\n"
        ";; --subranks. The program divides its work otherwise, so this is another run: see that it takes so many\n"
        ";; ranks, and compare the time of both. A #:stack or #:workers of the run before is to be written again.\n",
        f->processes * f->wanted, f->trace->job_ranks, f->processes);
    fprintf(out, "(path-map\n  (subranks %d", f->wanted);
    if (f->program[0] != '\0')
        fprintf(out, " #:program \"%s\"", f->program);
    fprintf(out, "%s))\n", f->places == CYCLIC ? " #:map 'cyclic" : "");
}

static void tell(const struct finding *f)
{
    if (f->wanted == f->siblings)
        printf("%s: %d subranks in each process, as it ran; the map says why, and has no rules\n", f->output,
               f->siblings);
    else
        printf("%s: %d subranks in each process, not %d: %d ranks by mpirun -n %d; the map says what to expect\n",
               f->output, f->wanted, f->siblings, f->processes * f->wanted, f->processes);
    printf("Nothing is raced: what plain ranks find out about collectives does not hold for subranks.\n");
}

static int write_map(const struct finding *f, struct wm_error *error)
{
    struct wm_output output;
    int rc = wm_output_open(&output, f->output, error);

    if (rc < 0)
        return rc;
    print_map(output.file, f);
    return wm_output_commit(&output, error);
}

static int find_and_write(struct finding *f, struct wm_error *error)
{
    const char *program = base_name(f->trace->ranks[0].program);
    int rc = check_ranks(f, error);

    f->program = strpbrk(program, "\"\\") == NULL ? program : "";
    if (rc == 0)
        rc = find_wanted(f, error);
    if (rc == 0 && f->wanted != f->siblings && f->places == TABLE)
        rc = wm_error_set(error, -WM_EINVAL,
                          "a table places the ranks of '%s', and says nothing of %d subranks in a process; write "
                          "(subranks %d #:map ...) with a new one",
                          f->trace->directory, f->wanted, f->wanted);
    if (rc == 0)
        rc = write_map(f, error);
    if (rc == 0)
        tell(f);
    return rc;
}

int wm_tune_subranks(const char *directory, const char *output, bool *found, struct wm_error *error)
{
    struct wm_superblock_table *superblocks = NULL;
    struct wm_trace *trace;
    int rc = wm_trace_open(&trace, directory, error);

    if (rc < 0)
        return rc;
    *found = trace->rank_count > 0 && trace->ranks[0].siblings > 0;
    if (*found && output != NULL && (rc = wm_superblock_table_make(&superblocks, trace)) < 0)
        wm_error_set(error, rc, "no memory for the trace '%s'", directory);
    if (superblocks != NULL) {
        struct finding f = {
            .trace = trace, .superblocks = superblocks, .output = output, .siblings = trace->ranks[0].siblings};

        rc = find_and_write(&f, error);
    }
    wm_superblock_table_free(superblocks);
    wm_trace_close(trace);
    return rc;
}
