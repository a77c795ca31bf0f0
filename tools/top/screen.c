/* A snapshot printed: title, what is stuck, rows. */
#include "tools/top/screen.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "tools/text/units.h"

enum { STUCK_SHOWN = 3, COLUMNS_MIN = 40, ROWS_MIN = 3 };

/* Ranks that do the same, by their rows. */
struct group {
    const struct wm_top_row *first;
    int *ranks;
    int count;
    int64_t since_ns;   /* the longest */
    double share, rate; /* sums */
    uint64_t ended;
};

static bool same_call(const struct wm_top_row *a, const struct wm_top_row *b)
{
    return a->state == b->state && a->gone == b->gone &&
           (a->call == NULL || (a->communicator == b->communicator && a->call->sequence == b->call->sequence &&
                                a->call->operation == b->call->operation && a->stuck == b->stuck));
}

static bool same_wait(const struct wm_top_row *a, const struct wm_top_row *b)
{
    return a->await == b->await && a->awaited_count == b->awaited_count && a->awaited_more == b->awaited_more &&
           memcmp(a->awaited, b->awaited, (size_t)a->awaited_count * sizeof a->awaited[0]) == 0;
}

/* In the same place of superblocks of one name. */
static bool same_region(const struct wm_top_row *a, const struct wm_top_row *b)
{
    char first[128], second[128];

    if (a->state != WM_TOP_REGION || b->state != WM_TOP_REGION)
        return a->state == b->state;
    wm_top_region_text(a, first, sizeof first);
    wm_top_region_text(b, second, sizeof second);
    return strcmp(first, second) == 0;
}

/* Ranks of one host and mark, that do the same. */
static bool same(const struct wm_top_row *a, const struct wm_top_row *b)
{
    return same_call(a, b) && same_region(a, b) && same_wait(a, b) &&
           memcmp(&a->rank->queues, &b->rank->queues, sizeof a->rank->queues) == 0 &&
           a->rank->marked == b->rank->marked && a->rank->mark == b->rank->mark;
}

static void join(struct group *group, const struct wm_top_row *row, int *ranks)
{
    if (group->count == 0)
        *group = (struct group){.first = row, .ranks = ranks};
    group->ranks[group->count++] = row->rank->rank;
    if (row->since_ns > group->since_ns)
        group->since_ns = row->since_ns;
    group->share += row->share;
    group->rate += row->rate;
    group->ended += row->rank->ended;
}

/* One group a row, or equal rows together. `ranks` has room for all of them. */
static int make_groups(const struct wm_snapshot *snapshot, bool together, struct group *groups, int *ranks)
{
    int count = 0, used = 0;
    bool *taken = calloc((size_t)snapshot->count + 1, sizeof *taken);

    if (taken == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < snapshot->count; i++) {
        if (taken[i])
            continue;
        groups[count].count = 0;
        join(&groups[count], &snapshot->rows[i], &ranks[used]);
        for (int k = i + 1; together && k < snapshot->count; k++)
            if (!taken[k] && same(&snapshot->rows[i], &snapshot->rows[k])) {
                join(&groups[count], &snapshot->rows[k], NULL);
                taken[k] = true;
            }
        used += groups[count++].count;
    }
    free(taken);
    return count;
}

static int compare_groups(const void *p, const void *q, void *wanted)
{
    const struct group *a = p, *b = q;
    enum wm_top_order order = *(const enum wm_top_order *)wanted;
    double x = a->share / a->count, y = b->share / b->count;

    if (order == WM_TOP_BY_TIME && a->since_ns != b->since_ns)
        return a->since_ns < b->since_ns ? 1 : -1;
    if (order == WM_TOP_BY_SHARE && x != y)
        return x < y ? 1 : -1;
    return a->ranks[0] - b->ranks[0];
}

static void state_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes)
{
    static const char *const words[] = {
        [WM_TOP_STARTING] = "starting", [WM_TOP_COMPUTING] = "computing",
        [WM_TOP_CONVEYOR] = "conveyor", [WM_TOP_OFF] = "not recording; --level calls asks it to",
        [WM_TOP_CLOSED] = "ended",
    };
    static const char *const conveyor[] = {"", "working", "endgame", "cleanup"};
    size_t length;

    if (row->state == WM_TOP_INSIDE) {
        snprintf(out, out_bytes, "%s", row->gone ? "gone in " : "");
        length = strlen(out);
        wm_top_short_text(snapshot, row, out + length, out_bytes - length);
        length = strlen(out);
        if (row->rank->call_count > 1)
            snprintf(out + length, out_bytes - length, " and %d more",
                     row->rank->call_count - 1 + row->rank->call_more);
    } else if (row->state == WM_TOP_REGION) {
        snprintf(out, out_bytes, "%s", row->gone ? "gone, was " : "");
        length = strlen(out);
        wm_top_region_text(row, out + length, out_bytes - length);
    } else if (row->state == WM_TOP_CONVEYOR) {
        snprintf(out, out_bytes, "%sconveyor, %s", row->gone ? "gone in a " : "", conveyor[row->rank->conveyor_state]);
    } else {
        snprintf(out, out_bytes, "%s%s", row->gone ? "gone, was " : "", words[row->state]);
    }
}

/* "; messages: 2 receives and 1 send wait, 3 kept (500 B)", or nothing. */
static void queues_text(const struct wm_live_queues *queues, char *out, size_t out_bytes)
{
    out[0] = '\0';
    if (queues->receiving + queues->sending + queues->kept == 0)
        return;
    snprintf(out, out_bytes, "; messages: %.47s and %.47s wait, %s kept (%s)",
             wm_number_text((uint64_t)queues->receiving, "receive").text,
             wm_number_text((uint64_t)queues->sending, "send").text, wm_count_text((uint64_t)queues->kept).text,
             wm_bytes_text((uint64_t)queues->held_bytes).text);
}

static void mark_cell(struct wm_table *table, const struct wm_top_row *row)
{
    if (!row->rank->marked) {
        wm_table_cell(table, "-");
        return;
    }
    for (int i = 0; i < row->definition->mark_count; i++)
        if (row->definition->marks[i].id == row->rank->mark && row->definition->marks[i].name != NULL) {
            wm_table_cell(table, "%.40s", row->definition->marks[i].name);
            return;
        }
    wm_table_cell(table, "#%u", row->rank->mark);
}

struct columns {
    bool hosts, marks;
};

static struct columns columns_of(const struct wm_snapshot *snapshot)
{
    struct columns columns = {false, false};

    for (int i = 0; i < snapshot->count; i++) {
        columns.hosts |= strcmp(snapshot->rows[i].definition->host, snapshot->rows[0].definition->host) != 0;
        columns.marks |= snapshot->rows[i].rank->marked;
    }
    return columns;
}

static void add_head(struct wm_table *table, struct columns columns)
{
    wm_table_cell(table, "rank");
    if (columns.hosts)
        wm_table_cell(table, "host");
    wm_table_cell(table, "for");
    wm_table_cell(table, "calls");
    wm_table_cell(table, "calls/s");
    wm_table_cell(table, "in MPI");
    if (columns.marks)
        wm_table_cell(table, "mark");
    wm_table_cell(table, "state, and what it waits for");
}

static struct wm_text figure_text(double value)
{
    struct wm_text out;

    snprintf(out.text, sizeof out.text, "%.*f", value > 0 ? 1 : 0, value);
    return out;
}

static void add_group(struct wm_table *table, const struct wm_snapshot *snapshot, const struct group *group,
                      struct columns columns)
{
    const struct wm_top_row *row = group->first;
    char ranks[64], state[320], waits[320], queues[256];
    double rate;

    wm_ranks_text(group->ranks, group->count, ranks, sizeof ranks);
    state_text(snapshot, row, state, sizeof state);
    wm_top_await_text(snapshot, row, waits, sizeof waits);
    wm_table_cell(table, "%s", ranks);
    if (columns.hosts)
        wm_table_cell(table, "%.24s%s", row->definition->host[0] ? row->definition->host : "?",
                      group->count > 1 ? " …" : "");
    wm_table_cell(table, "%s%s", (row->call != NULL && row->call->cut) || row->gone ? ">" : "",
                  row->state == WM_TOP_STARTING ? "-" : wm_time_text(group->since_ns).text);
    wm_table_cell(table, "%s%s", row->rank->gaps > 0 ? ">" : "",
                  wm_count_text(group->ended / (uint64_t)group->count).text);
    rate = group->rate / group->count;
    wm_table_cell(table, "%s", rate >= 10 ? wm_count_text((uint64_t)(rate + 0.5)).text : figure_text(rate).text);
    wm_table_cell(table, "%.0f %%", 100 * group->share / group->count);
    if (columns.marks)
        mark_cell(table, row);
    queues_text(&row->rank->queues, queues, sizeof queues);
    wm_table_cell(table, "%s%s%s%s", state, waits[0] ? "; waits for " : "", waits, queues);
}

static const char *as_of_text(const struct wm_snapshot *snapshot)
{
    bool over = wm_live_over(snapshot->live);

    if (over)
        return snapshot->gone_count > 0 ? "; no process is left: as of the last record" : "; all have ended";
    return snapshot->live->here ? "" : "; some on another machine: as of their newest record";
}

static void title_text(const struct wm_snapshot *snapshot, char *out, size_t out_bytes)
{
    const struct wm_trace *definitions = snapshot->live->definitions;
    const char *program = snapshot->count > 0 ? snapshot->rows[0].definition->program : "";
    char gone[48] = "", over[48] = "";

    if (snapshot->count == 0) {
        snprintf(out, out_bytes, "%.200s: no rank has begun yet", snapshot->live->directory);
        return;
    }
    if (snapshot->gone_count > 0)
        snprintf(gone, sizeof gone, ", %d gone", snapshot->gone_count);
    if (snapshot->over_count > 0)
        snprintf(over, sizeof over, ", %d ended", snapshot->over_count);
    snprintf(out, out_bytes, "%.120s: %.60s%s%d of %d ranks; %d in MPI, %d computing%s%s%s", snapshot->live->directory,
             program, program[0] ? ", " : "", snapshot->count, definitions->job_ranks, snapshot->inside_count,
             snapshot->computing_count, over, gone, as_of_text(snapshot));
}

/* Print at most `columns` columns and end the line. */
static void put_line(FILE *file, const char *before, char *text, const char *after, int columns)
{
    const char *end = text;

    wm_plain_text(text, false);
    for (int shown = 0; *end != '\0' && (((unsigned char)*end & 0xc0) == 0x80 || ++shown <= columns);)
        end++;
    fprintf(file, "%s%.*s%s\n", before, (int)(end - text), text, after);
}

/* Broken into lines of the window, each within the colour. Returns how many. */
static int put_paragraph(FILE *file, const char *before, const char *text, const char *after, int columns)
{
    char *lines = NULL;
    size_t length;
    struct wm_terminal terminal = {open_memstream(&lines, &length), columns, false};
    int count = 0;

    if (terminal.file == NULL)
        return 0;
    wm_terminal_wrap(&terminal, "", text);
    fclose(terminal.file);
    for (char *at = lines, *end; (end = strchr(at, '\n')) != NULL; at = end + 1, count++) {
        *end = '\0';
        put_line(file, before, at, after, columns);
    }
    free(lines);
    return count;
}

static bool stuck_alike(const struct wm_top_row *a, const struct wm_top_row *b)
{
    return a->stuck && b->stuck && same_call(a, b) && a->culprit == b->culprit;
}

/* A sentence for all that are stuck in a call because of the same culprit. Returns how many lines. */
static int print_stuck(FILE *file, const struct wm_snapshot *snapshot, const struct wm_top_view *view, int *ranks)
{
    int lines = 0, said = 0;

    for (int i = 0; i < snapshot->count && said < STUCK_SHOWN; i++) {
        const struct wm_top_row *row = &snapshot->rows[i];
        bool known = !row->stuck;
        char text[1536];
        int count = 0;

        for (int k = 0; k < snapshot->count; k++) {
            known |= k < i && stuck_alike(row, &snapshot->rows[k]);
            if (stuck_alike(row, &snapshot->rows[k]))
                ranks[count++] = snapshot->rows[k].rank->rank;
        }
        if (known || (said > 0 && view->lines > 0 && lines + ROWS_MIN + 4 > view->lines))
            continue;
        wm_top_stuck_text(snapshot, row, ranks, count, text, sizeof text);
        lines +=
            put_paragraph(file, view->color ? "\033[1;33m" : "", text, view->color ? "\033[0m" : "", view->columns);
        said++;
    }
    return lines;
}

/* The table's lines from `first` on, at most `count`: its heading is line 0. */
static void put_table(FILE *file, char *text, int first, int count, bool bold)
{
    int line = 0;

    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1, line++) {
        bool head = line == 0;

        *end = '\0';
        if (head || (line > first && line <= first + count))
            fprintf(file, "%s%s%s\n", head && bold ? "\033[1m" : "", at, head && bold ? "\033[0m" : "");
    }
}

static int print_table(FILE *file, const struct wm_snapshot *snapshot, struct wm_top_view *view,
                       const struct group *groups, int count, int room)
{
    struct columns columns = columns_of(snapshot);
    struct wm_terminal terminal = {NULL, view->whole ? INT_MAX : view->columns, false};
    struct wm_table table;
    char *text = NULL;
    size_t length;

    terminal.file = open_memstream(&text, &length);
    if (terminal.file == NULL)
        return -WM_ENOMEM;
    wm_table_init(&table, columns.hosts && columns.marks ? "llrrrrll"
                          : columns.hosts                ? "llrrrrl"
                          : columns.marks                ? "lrrrrll"
                                                         : "lrrrrl");
    add_head(&table, columns);
    for (int i = 0; i < count; i++)
        add_group(&table, snapshot, &groups[i], columns);
    wm_table_print(&table, &terminal);
    fclose(terminal.file);
    if (view->scroll > count - room)
        view->scroll = count - room;
    if (view->scroll < 0)
        view->scroll = 0;
    put_table(file, text, view->scroll, room, view->color);
    free(text);
    return 0;
}

static void print_keys(FILE *file, const struct wm_top_view *view, int count, int room)
{
    static const char *const orders[] = {
#define X(id, name) name,
        WM_TOP_ORDERS(X)
#undef X
    };
    char text[256], scroll[64] = "";

    if (count > room)
        snprintf(scroll, sizeof scroll, "   arrows: rows %d-%d of %d", view->scroll + 1,
                 view->scroll + room < count ? view->scroll + room : count, count);
    snprintf(text, sizeof text, "q: quit   s: sort, now by %s   p: %s%s", orders[view->order],
             view->paused ? "go on (PAUSED)" : "pause", scroll);
    put_line(file, view->color ? "\033[2m" : "", text, view->color ? "\033[0m" : "", view->columns);
}

static int print_rows(FILE *file, const struct wm_snapshot *snapshot, struct wm_top_view *view, int *ranks, int room)
{
    struct group *groups = calloc((size_t)snapshot->count + 1, sizeof *groups);
    int count = groups != NULL ? make_groups(snapshot, snapshot->count > room, groups, ranks) : -WM_ENOMEM, rc = count;

    if (count > 0) {
        qsort_r(groups, (size_t)count, sizeof *groups, compare_groups, &view->order);
        rc = print_table(file, snapshot, view, groups, count, room);
    }
    if (rc >= 0 && view->keys)
        print_keys(file, view, count, room);
    free(groups);
    return rc < 0 ? rc : 0;
}

int wm_top_print(FILE *file, const struct wm_snapshot *snapshot, struct wm_top_view *view)
{
    int *ranks = calloc((size_t)snapshot->count + 1, sizeof *ranks);
    int room, used, rc;
    char title[512];

    if (ranks == NULL)
        return -WM_ENOMEM;
    if (view->columns < COLUMNS_MIN)
        view->columns = COLUMNS_MIN;
    title_text(snapshot, title, sizeof title);
    used = put_paragraph(file, view->color ? "\033[1m" : "", title, view->color ? "\033[0m" : "", view->columns);
    used += print_stuck(file, snapshot, view, ranks);
    room = view->lines == 0 ? snapshot->count : view->lines - used - 1 - view->keys;
    rc = print_rows(file, snapshot, view, ranks, room > 0 ? room : 1);
    free(ranks);
    return rc;
}
