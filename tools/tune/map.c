/* The map that is written. */
#include "tools/tune/map.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "core/path/wrapper.h"
#include "tools/text/units.h"
#include "tools/tune/sift.h"

static const char *size_text(uint64_t bytes, char *text, size_t text_bytes)
{
    wm_bytes_describe(bytes, text, text_bytes);
    return text;
}

/* What a rule's path took, against native, at its points. */
static void print_measured(FILE *out, const struct wm_tune_field *f, const struct wm_tune_rule *rule)
{
    const struct wm_tune_point *worst = NULL, *best = NULL;
    double sum = 0;
    int count = 0, p = rule->path;

    for (int i = rule->first; i <= rule->last; i++) {
        const struct wm_tune_point *point = &f->points[i];

        if (point->gain[p] <= 0)
            continue;
        sum += log(point->gain[p]);
        count++;
        worst = worst == NULL || point->gain[p] < worst->gain[p] ? point : worst;
        best = best == NULL || point->gain[p] > best->gain[p] ? point : best;
    }
    if (count == 0)
        return;
    fprintf(out, "    ;; %.2f times as fast as native", exp(sum / count));
    if (count > 1)
        fprintf(out, " (%d sizes; %.2f at %s to %.2f at %s)", count, worst->gain[p], wm_bytes_text(worst->bytes).text,
                best->gain[p], wm_bytes_text(best->bytes).text);
    fprintf(out, "; at %s %s, native %s, fast %s; %d rounds\n", wm_bytes_text(worst->bytes).text,
            wm_time_text((int64_t)worst->ns[p]).text, wm_time_text((int64_t)worst->native_ns).text,
            wm_time_text((int64_t)worst->fast_ns).text, worst->rounds);
}

/* A path that does not serve every machine says where it does. */
static void print_rule(FILE *out, const struct wm_tune_field *f, const struct wm_tune_rule *rule)
{
    const struct wm_tune_path *path = &f->list.paths[rule->path];
    const char *where = path->uniform ? "uniform?" : path->near ? "(= nodes 1)" : "";
    bool bare = where[0] == '\0';
    char size[32];

    if (f->operation == WM_BARRIER)
        fprintf(out, "    (%s %s)", bare ? "else" : where, path->text);
    else
        fprintf(out, "    (%s%s%s(%s bytes %s)%s %s)", bare ? "" : "(and ", where, bare ? "" : " ",
                rule->below ? "<" : "<=", size_text(rule->bound, size, sizeof size), bare ? "" : ")", path->text);
}

static bool has_rules(const struct wm_tune_field *f)
{
    for (int i = 0; i < f->count; i++)
        if (f->points[i].path != 0)
            return true;
    return false;
}

/* What the library does better needs no rule at the end. */
static int count_rules(const struct wm_tune_field *f, struct wm_tune_rule *rules)
{
    int count = wm_tune_field_rules(f, rules);

    return count > 0 && rules[count - 1].path == 0 ? count - 1 : count;
}

static void print_operation(FILE *out, const struct wm_tune_field *f, bool measured)
{
    struct wm_tune_rule rules[WM_TUNE_POINTS_MAX];
    int count = count_rules(f, rules);

    fprintf(out, "  (on %s", wm_operation_name(f->operation));
    for (int i = 0; i < count; i++) {
        fputc('\n', out);
        if (measured)
            print_measured(out, f, &rules[i]);
        print_rule(out, f, &rules[i]);
    }
    fputs(")", out);
    if (measured && f->held_out > 0)
        fprintf(out, " ; held against native at %s that nothing was chosen by: no slower at %d",
                wm_number_text((uint64_t)f->held_out, "size").text, f->held);
    fputs("\n", out);
}

static void print_left(FILE *out, const struct wm_tune_field *f)
{
    double worst = 0;

    if (f->count == 0) {
        fprintf(out, "  ;; %s: not measured, there was no time\n", wm_operation_name(f->operation));
        return;
    }
    for (int i = 0; i < f->count; i++)
        for (int p = 1; p < f->list.count; p++)
            worst = f->points[i].gain[p] > worst ? f->points[i].gain[p] : worst;
    fprintf(out, "  ;; %s stays native: ", wm_operation_name(f->operation));
    if (worst > 1.03)
        fprintf(out, "a path is %.2f times as fast at some size, but none is surely so\n", worst);
    else
        fputs("no path is more than 3 % faster\n", out);
}

static void print_header(FILE *out, const struct wm_tune_session *s, const struct wm_tune_header *h)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", date[32], host[64] = "";
    time_t now = time(NULL);
    struct tm utc;
    int length;

    PMPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    fprintf(out, ";; %s: tuned by waymark %s on %s, for %s on %s (%s), as on %s; %d cores, %s.\n", h->name,
            PACKAGE_VERSION, date, wm_number_text((uint64_t)s->ranks, "rank").text,
            wm_number_text((uint64_t)s->nodes, "node").text, s->machine, host, s->cores, library);
    fprintf(out, ";; %s of timed calls in %s%s. Again: %s\n",
            wm_number_text((uint64_t)s->batches, s->batches == 1 ? "batch" : "batche").text,
            wm_time_text((int64_t)(h->seconds * 1e9)).text, h->interrupted ? ", then it was interrupted" : "",
            h->again);
    fputs(";; What is not named is the MPI library's own, and so are sizes beyond the last rule.\n", out);
}

void wm_tune_print_map(FILE *out, const struct wm_tune_session *s, const struct wm_tune_header *header,
                       const struct wm_tune_field *fields, int count)
{
    print_header(out, s, header);
    fputs("(path-map\n", out);
    for (int i = 0; i < count; i++)
        if (has_rules(&fields[i]))
            print_operation(out, &fields[i], true);
        else
            print_left(out, &fields[i]);
    fputs("  )\n", out);
}

static FILE *new_file(const char *what, char file[WM_TUNE_FILE_CHARS])
{
    int fd = memfd_create(what, 0);

    snprintf(file, WM_TUNE_FILE_CHARS, "/proc/self/fd/%d", fd);
    return fd < 0 ? NULL : fopen(file, "w");
}

bool wm_tune_write_rules(const struct wm_tune_field *f, char file[WM_TUNE_FILE_CHARS])
{
    FILE *out = new_file("rules.scm", file);

    if (out == NULL)
        return false;
    fputs("(path-map\n", out);
    if (has_rules(f))
        print_operation(out, f, false);
    fputs("  )\n", out);
    return fclose(out) == 0;
}

bool wm_tune_write_candidates(const struct wm_tune_field *f, char file[WM_TUNE_FILE_CHARS])
{
    FILE *out = new_file("candidates.scm", file);

    if (out == NULL)
        return false;
    wm_tune_print_candidates(out, &f->list, f->operation);
    return fclose(out) == 0;
}
