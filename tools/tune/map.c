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

/* What is known of a path at the points of a rule. */
struct summary {
    int count;
    double sum; /* of gains */
    const struct wm_tune_point *worst, *best;
};

static struct summary sum_up(const struct wm_tune_field *f, const struct wm_tune_rule *rule, int path)
{
    struct summary sum = {0};

    for (int i = rule->first; i <= rule->last; i++) {
        const struct wm_tune_point *p = &f->points[i];
        const struct wm_tune_seen *s = wm_tune_point_seen(p, path);

        if (s == NULL || !wm_tune_point_safe(p, path))
            continue;
        sum.count++;
        sum.sum += s->gain;
        sum.worst = sum.worst == NULL || s->gain < wm_tune_point_seen(sum.worst, path)->gain ? p : sum.worst;
        sum.best = sum.best == NULL || s->gain > wm_tune_point_seen(sum.best, path)->gain ? p : sum.best;
    }
    return sum;
}

static double speed_at(const struct wm_tune_point *p, int path)
{
    return exp(wm_tune_point_seen(p, path)->gain);
}

/* The path that would be fastest in the place of the rule's; 0: no other is safe at all its points. */
static int next_best(const struct wm_tune_field *f, const struct wm_tune_rule *rule, double *speed)
{
    int best = 0, points = rule->last - rule->first + 1;

    *speed = 0;
    for (int path = 1; path < f->list.count; path++) {
        struct summary sum = sum_up(f, rule, path);

        if (path != rule->path && sum.count == points && exp(sum.sum / points) > *speed) {
            *speed = exp(sum.sum / points);
            best = path;
        }
    }
    return best;
}

/* What a rule's path took, against native, at its points. */
static void print_measured(FILE *out, const struct wm_tune_field *f, const struct wm_tune_rule *rule)
{
    struct summary sum = sum_up(f, rule, rule->path);
    double next_speed;
    int next = next_best(f, rule, &next_speed), launches = __builtin_popcount(rule->launches);
    bool fast = true;

    if (sum.count == 0)
        return;
    fprintf(out, "    ;; %.2f times as fast as native", exp(sum.sum / sum.count));
    if (sum.count > 1)
        fprintf(out, ": %.2f at %s to %.2f at %s, %d sizes", speed_at(sum.worst, rule->path),
                wm_bytes_text(sum.worst->bytes).text, speed_at(sum.best, rule->path),
                wm_bytes_text(sum.best->bytes).text, sum.count);
    fprintf(out, ", %s; ", wm_number_text((uint64_t)launches, launches == 1 ? "launch" : "launche").text);
    if (f->operation != WM_BARRIER)
        fprintf(out, "at %s ", wm_bytes_text(sum.worst->bytes).text);
    if (f->load_bytes > 0)
        fprintf(out, "a run of %s takes ",
                wm_number_text((uint64_t)wm_tune_field_items(f, sum.worst->bytes), "item").text);
    fprintf(out, "%s, native %s", wm_time_text((int64_t)wm_tune_point_seen(sum.worst, rule->path)->ns).text,
            wm_time_text((int64_t)sum.worst->native_ns).text);
    for (int i = rule->first; i <= rule->last; i++)
        fast = fast && f->points[i].fast == rule->path;
    fprintf(out, "%s\n", fast ? "; as 'fast' does" : "");
    if (next != 0)
        fprintf(out, "    ;; next best: %s, %.2f\n", f->list.paths[next].text, next_speed);
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
                rule->path == 0 ? "<" : "<=", size_text(rule->bound + (rule->path == 0), size, sizeof size),
                bare ? "" : ")", path->text);
}

/* No path says that a conveyor is to be as its constructor makes it, but the lack of a rule does: rules behind such
 * sizes say where they begin. */
static void print_conveyor_rule(FILE *out, const struct wm_tune_field *f, const struct wm_tune_rule *rule, bool begins)
{
    bool named = f->name[0] != '\0', single = begins && rule->from == rule->bound,
         several = named || (begins && !single);
    char size[32];

    fprintf(out, "    (%s", several ? "(and " : "");
    if (named)
        fprintf(out, "(string=? communicator \"%s\") ", f->name);
    if (begins && !single)
        fprintf(out, "(<= %s bytes) ", size_text(rule->from, size, sizeof size));
    fprintf(out, "(%s bytes %s)%s %s)", single ? "=" : "<=", size_text(rule->bound, size, sizeof size),
            several ? ")" : "", f->list.paths[rule->path].text);
}

/* What the library does better needs no rule at the end. */
static void print_rules(FILE *out, const struct wm_tune_field *f)
{
    struct wm_tune_rule rules[WM_TUNE_RULES_MAX];
    const char *native = wm_tune_kind(f->operation)->native;
    int count = wm_tune_field_rules(f, rules);
    bool gap = false;

    count -= count > 0 && rules[count - 1].path == 0;
    for (int i = 0; i < count; i++) {
        gap = gap || rules[i].path == 0;
        if (native == NULL && rules[i].path == 0)
            continue;
        fputc('\n', out);
        if (rules[i].path != 0)
            print_measured(out, f, &rules[i]);
        if (native == NULL)
            print_conveyor_rule(out, f, &rules[i], gap);
        else
            print_rule(out, f, &rules[i]);
    }
}

static void print_left(FILE *out, const struct wm_tune_field *f)
{
    const char *operation = wm_operation_name(f->operation);
    double most = 0;

    if (f->count == 0) {
        fprintf(out, "  ;; %s%s%s: not measured, there was no time\n", operation, f->name[0] != '\0' ? " " : "",
                f->name);
        return;
    }
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < f->points[i].seen_count; k++)
            most = fmax(most, f->points[i].seen[k].gain);
    fprintf(out, "  ;; %s%s%s stays native: ", operation, f->name[0] != '\0' ? " " : "", f->name);
    if (exp(most) > 1.03)
        fprintf(out,
                "a path is %.2f times as fast at some size, but none surely so at several; a larger --budget "
                "may tell\n",
                exp(most));
    else
        fputs("no path is more than 3 % faster\n", out);
}

static void print_header(FILE *out, const struct wm_tune_session *session, const struct wm_tune_state *s,
                         const char *file, bool interrupted)
{
    const char *slash = strrchr(s->output, '/');
    char date[32], host[64] = "";
    double seconds = 0, low = 0, high = 0;
    uint64_t batches = 0;
    time_t now = time(NULL);
    struct tm utc;

    for (int i = 0; i < s->launch_count; i++) {
        const struct wm_tune_launch *l = &s->launches[i];

        seconds += l->seconds;
        batches += (uint64_t)l->batches;
        if (l->barrier_low_ns > 0) /* not of a launch that had nothing to confirm */
            low = low == 0 ? l->barrier_low_ns : fmin(low, l->barrier_low_ns);
        high = fmax(high, l->barrier_high_ns);
    }
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    fprintf(out, ";; %s: tuned by waymark %s on %s, for %s on %s (%s), as on %s; %d cores, %s.\n",
            slash != NULL ? slash + 1 : s->output, PACKAGE_VERSION, date,
            wm_number_text((uint64_t)session->ranks, "rank").text,
            wm_number_text((uint64_t)session->nodes, "node").text, session->machine, host, session->cores, s->library);
    fprintf(out, ";; %s of timed calls in %s and %s; a barrier took %s to %s.%s\n",
            wm_number_text(batches, batches == 1 ? "batch" : "batche").text,
            wm_time_text((int64_t)(seconds * 1e9)).text,
            wm_number_text((uint64_t)s->launch_count, s->launch_count == 1 ? "launch" : "launche").text,
            wm_time_text((int64_t)low).text, wm_time_text((int64_t)high).text,
            interrupted ? " The last one did not come to its end." : "");
    if (wm_tune_state_needed(s) < WM_TUNE_LAUNCHES)
        fprintf(out, ";; Each rule is to hold in %d launches.", WM_TUNE_LAUNCHES);
    else
        fputs(";;", out);
    if (s->launcher[0] != '\0')
        fprintf(out, " Again: waymark tune --resume %s -- %s\n", file, s->launcher);
    else
        fprintf(out, " Again: mpirun -n %d waymark tune --resume %s\n", session->ranks, file);
    fputs(";; What is not named is the MPI library's own, and so are sizes beyond the last rule.\n", out);
}

static bool is_first(const struct wm_tune_state *s, int i)
{
    for (int k = 0; k < i; k++)
        if (s->fields[k].operation == s->fields[i].operation)
            return false;
    return true;
}

static void print_share(FILE *out, const struct wm_tune_state *s, const struct wm_tune_field *f)
{
    if (s->trace[0] != '\0')
        fprintf(out, "  ;; %s%s%.0f %% of the time in %s of %s\n", f->name, f->name[0] != '\0' ? ": " : "",
                100 * f->weight, wm_tune_kind(f->operation)->total, s->trace);
}

/* All fields of an operation: conveyors may have several, by name. */
static void print_operation(FILE *out, const struct wm_tune_state *s, enum wm_operation operation)
{
    bool named = false;

    for (int i = 0; i < s->count; i++) {
        const struct wm_tune_field *f = &s->fields[i];

        if (f->operation != operation)
            continue;
        print_share(out, s, f);
        if (!wm_tune_field_named(f))
            print_left(out, f);
        named = named || wm_tune_field_named(f);
    }
    if (!named)
        return;
    fprintf(out, "  (on %s", wm_operation_name(operation));
    for (int i = 0; i < s->count; i++)
        if (s->fields[i].operation == operation && wm_tune_field_named(&s->fields[i]))
            print_rules(out, &s->fields[i]);
    fputs(")\n", out);
}

void wm_tune_print_map(FILE *out, const struct wm_tune_session *session, const struct wm_tune_state *s,
                       const char *file, bool interrupted)
{
    print_header(out, session, s, file, interrupted);
    fputs("(path-map\n", out);
    for (int i = 0; i < s->count; i++)
        if (is_first(s, i))
            print_operation(out, s, s->fields[i].operation);
    fputs("  )\n", out);
}

static FILE *new_file(const char *what, char file[WM_TUNE_FILE_CHARS])
{
    int fd = memfd_create(what, 0);

    snprintf(file, WM_TUNE_FILE_CHARS, "/proc/self/fd/%d", fd);
    return fd < 0 ? NULL : fopen(file, "w");
}

bool wm_tune_write_candidates(const struct wm_tune_field *f, char file[WM_TUNE_FILE_CHARS])
{
    FILE *out = new_file("candidates.scm", file);

    if (out == NULL)
        return false;
    wm_tune_print_candidates(out, &f->list, f->operation);
    return fclose(out) == 0;
}
