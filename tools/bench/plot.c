/* Results as a plot: a self-contained SVG, a panel for each operation, time over bytes, both logarithmic. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/result.h"
#include "tools/bench/show.h"
#include "tools/text/units.h"

/* In pixels: a panel with its margins, and the head above all panels. */
enum { PANEL = 380, PANEL_HEIGHT = 290, LEFT = 66, RIGHT = 16, TOP = 34, BOTTOM = 52, ACROSS = 3, HEAD = 64, TICK = 4 };
enum { COLORS = 9, TICKS_MAX = 7 };

/* What a panel shows: an operation with one rotation; powers of two of bytes or ranks, powers of ten of ns. */
struct panel {
    FILE *out;
    int x, y; /* of its corner */
    const char *operation;
    json_t *sizes;
    bool rotations; /* there are others */
    bool over_ranks, predicted;
    double low, high, low_ns, high_ns; /* low, high: bytes, ranks */
};

static bool is_predicted(const json_t *result)
{
    return json_is_true(json_object_get(result, "predicted"));
}

/* Only what SVG must not contain is spelt otherwise. */
static void text(FILE *out, const char *words)
{
    for (; *words != '\0'; words++)
        switch (*words) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            if ((unsigned char)*words >= ' ')
                fputc(*words, out);
        }
}

/* Colours that differ in lightness, too; a darker set on white, a lighter one on black. */
static void style(FILE *out)
{
    static const char *const light[COLORS] = {"#555555", "#0b62a8", "#c2410c", "#15803d", "#7e22ce",
                                              "#be185d", "#0f766e", "#a16207", "#1e3a8a"};
    static const char *const dark[COLORS] = {"#b8b8b8", "#6cb6ff", "#ff9a5c", "#5fd38d", "#d0a2ff",
                                             "#ff8fc0", "#5ad6cb", "#e8c15a", "#a9bcff"};

    fputs("<style>\nsvg{--paper:#fff;--ink:#1a1a1a;--line:#d4d4d4", out);
    for (int i = 0; i < COLORS; i++)
        fprintf(out, ";--c%d:%s", i, light[i]);
    fputs("}\n@media(prefers-color-scheme:dark){svg{--paper:#16181c;--ink:#e8e8e8;--line:#3b3f46", out);
    for (int i = 0; i < COLORS; i++)
        fprintf(out, ";--c%d:%s", i, dark[i]);
    fputs("}}\n.paper{fill:var(--paper)}text{fill:var(--ink);font:12px system-ui,sans-serif}"
          ".title{font-weight:600;font-size:14px}.head{font-weight:600;font-size:17px}.end{text-anchor:end}"
          ".middle{text-anchor:middle}.grid{stroke:var(--line);stroke-width:1}"
          ".frame{fill:none;stroke:var(--ink);stroke-width:1}.curve{fill:none;stroke-width:2}\n",
          out);
    for (int i = 0; i < COLORS; i++)
        fprintf(out, ".s%d{stroke:var(--c%d)}.f%d{fill:var(--c%d)}\n", i, i, i, i);
    fputs("</style>\n", out);
}

/* Where on the axis: a size of 0 bytes, a barrier's, stands where 1 byte would. */
static double value_of(const struct panel *p, const json_t *size)
{
    double value = p->over_ranks ? json_number_value(json_object_get(size, "ranks")) : (double)wm_bench_bytes(size);

    return value > 0 ? value : 1;
}

static double place(double value, double low, double high, double length)
{
    return high > low ? (log(value) - log(low)) / (log(high) - log(low)) * length : length / 2;
}

static double x_of(const struct panel *p, double value)
{
    return p->x + LEFT + place(value, p->low, p->high, PANEL - LEFT - RIGHT);
}

static double y_of(const struct panel *p, double ns)
{
    return p->y + PANEL_HEIGHT - BOTTOM - place(ns, p->low_ns, p->high_ns, PANEL_HEIGHT - TOP - BOTTOM);
}

static void widen(struct panel *p, double ns)
{
    p->low_ns = p->low_ns == 0 || ns < p->low_ns ? ns : p->low_ns;
    p->high_ns = ns > p->high_ns ? ns : p->high_ns;
}

/* From whole powers of ten to whole ones; false when there is nothing to show. */
static bool find_range(struct panel *p)
{
    const json_t *size, *entry;
    struct wm_bench_times t;
    size_t i, j;

    json_array_foreach (p->sizes, i, size) {
        double value = value_of(p, size);

        p->low = i == 0 || value < p->low ? value : p->low;
        p->high = value > p->high ? value : p->high;
        json_array_foreach (json_object_get(size, "results"), j, entry)
            if (wm_bench_read_times(size, json_string_value(json_object_get(entry, "contender")), &t) &&
                t.median_ns > 0)
                widen(p, t.median_ns);
    }
    if (p->low_ns == 0)
        return false;
    p->low_ns = pow(10, floor(log10(p->low_ns)));
    p->high_ns = pow(10, ceil(log10(p->high_ns) + 1e-9));
    return true;
}

/* "10 µs": a power of ten, without figures behind a point. */
static struct wm_text tick_text(double ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    static const int numbers[] = {1, 10, 100};
    int exponent = (int)lround(log10(ns)), unit = exponent / 3 < 3 ? exponent / 3 : 3;
    struct wm_text out;

    snprintf(out.text, sizeof out.text, "%d %s", numbers[exponent - 3 * unit < 3 ? exponent - 3 * unit : 2],
             units[unit]);
    return out;
}

static void time_axis(const struct panel *p)
{
    for (double ns = p->low_ns; ns <= p->high_ns * 1.001; ns *= 10) {
        double y = y_of(p, ns);

        fprintf(p->out, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", p->x + LEFT, y,
                p->x + PANEL - RIGHT, y);
        fprintf(p->out, "<text class=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n", p->x + LEFT - TICK, y + TICK,
                tick_text(ns).text);
    }
    fprintf(p->out, "<text class=\"middle\" transform=\"translate(%d %d) rotate(-90)\">%s time a call</text>\n",
            p->x + 13, p->y + TOP + (PANEL_HEIGHT - TOP - BOTTOM) / 2, p->predicted ? "predicted" : "median");
}

static void value_axis(const struct panel *p, bool sized)
{
    int all = (int)floor(log2(p->high / p->low) + 1e-9), step = all / TICKS_MAX + 1;
    int bottom = p->y + PANEL_HEIGHT - BOTTOM;

    for (int i = 0; sized && i <= all; i += step) {
        double value = p->low * pow(2, i), x = x_of(p, value);
        struct wm_text tick = wm_bytes_text((uint64_t)(value + 0.5));

        if (p->over_ranks)
            snprintf(tick.text, sizeof tick.text, "%.0f", value);

        fprintf(p->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", x, p->y + TOP, x, bottom);
        fprintf(p->out, "<text class=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n", x, bottom + 17, tick.text);
    }
    fprintf(p->out, "<text class=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n", p->x + LEFT + (PANEL - LEFT - RIGHT) / 2,
            bottom + 36,
            p->over_ranks ? "ranks"
            : sized       ? "message size (bytes)"
                          : "no data");
}

static void curve(const struct panel *p, const char *contender, int color)
{
    struct wm_bench_times t;
    const json_t *size;
    size_t i;

    fprintf(p->out, "<polyline class=\"curve s%d\" points=\"", color);
    json_array_foreach (p->sizes, i, size)
        if (wm_bench_read_times(size, contender, &t) && t.median_ns > 0)
            fprintf(p->out, "%.1f,%.1f ", x_of(p, value_of(p, size)), y_of(p, t.median_ns));
    fputs("\"/>\n", p->out);
}

/* The self-test's ± of a prediction stands where a measurement has its least and its 95th percentile. */
static void point_text(const struct panel *p, const json_t *size, const struct wm_bench_times *t)
{
    if (p->over_ranks)
        fprintf(p->out, ", %.0f ranks", value_of(p, size));
    else
        fprintf(p->out, ", %s", wm_bytes_text(wm_bench_bytes(size)).text);
    fprintf(p->out, p->predicted ? ": %s, from %s to %s" : ": median %s, min %s, p95 %s",
            wm_time_text((int64_t)(t->median_ns + 0.5)).text, wm_time_text((int64_t)(t->min_ns + 0.5)).text,
            wm_time_text((int64_t)(t->p95_ns + 0.5)).text);
}

static void points(const struct panel *p, const char *contender, bool native, int color)
{
    struct wm_bench_times t;
    const json_t *size;
    size_t i;

    json_array_foreach (p->sizes, i, size) {
        double ratio = wm_bench_ratio(size, contender);

        if (!wm_bench_read_times(size, contender, &t) || t.median_ns <= 0)
            continue;
        fprintf(p->out, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>", color,
                x_of(p, value_of(p, size)), y_of(p, t.median_ns));
        text(p->out, contender);
        point_text(p, size, &t);
        if (ratio > 0 && !native)
            fprintf(p->out, "; %.2f times as fast as native", ratio);
        fputs("</title></circle>\n", p->out);
    }
}

/* The colour goes by the contender's place among all; what is none of them comes behind. */
static int color_of(const json_t *result, const char *name)
{
    const json_t *contenders = json_object_get(result, "contenders"), *contender;
    size_t i;

    json_array_foreach (contenders, i, contender)
        if (strcmp(wm_bench_name(contender), name) == 0)
            break;
    return (int)((i + (wm_bench_native_count(result) > 0 ? 0 : 1)) % COLORS);
}

static void panel(const json_t *result, struct panel *p)
{
    const json_t *last = json_array_get(p->sizes, json_array_size(p->sizes) - 1), *entry;
    size_t i;

    if (!find_range(p))
        return;
    fprintf(p->out, "<text class=\"title\" x=\"%d\" y=\"%d\">", p->x + LEFT, p->y + TOP - 10);
    text(p->out, p->operation);
    if (p->rotations && wm_bench_bytes(last) > 0)
        fprintf(p->out, " in buffers of %s", wm_bytes_text(wm_bench_rotation(last)).text);
    fputs("</text>\n", p->out);
    time_axis(p);
    value_axis(p, p->over_ranks || wm_bench_bytes(last) > 0);
    fprintf(p->out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", p->x + LEFT, p->y + TOP,
            PANEL - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM);
    json_array_foreach (json_object_get(last, "results"), i, entry) {
        const char *name = json_string_value(json_object_get(entry, "contender"));

        curve(p, name, color_of(result, name));
        points(p, name, wm_bench_is_native(entry), color_of(result, name));
    }
}

/* What the whole is about. */
static void title(const json_t *result, FILE *out)
{
    const char *library = json_string_value(json_object_get(result, "library"));
    const char *profile = json_string_value(json_object_get(result, "profile"));

    fprintf(out, "<text class=\"head\" x=\"%d\" y=\"26\">", LEFT);
    if (is_predicted(result))
        fputs("Collectives as predicted; profile: ", out);
    else
        fprintf(out, "Collectives on %d ranks, %d node(s); native: ",
                (int)json_integer_value(json_object_get(result, "ranks")),
                (int)json_integer_value(json_object_get(result, "nodes")));
    library = is_predicted(result) ? profile : library;
    text(out, library != NULL ? library : "?");
    fputs("</text>\n", out);
}

static void head(const json_t *result, FILE *out)
{
    const json_t *contender;
    size_t i;
    int x = LEFT;

    title(result, out);
    json_array_foreach (json_object_get(result, "contenders"), i, contender) {
        const char *name = wm_bench_name(contender);

        fprintf(out, "<circle class=\"f%d\" cx=\"%d\" cy=\"46\" r=\"5\"/><text x=\"%d\" y=\"50\">",
                color_of(result, name), x, x + 10);
        text(out, name);
        fputs("</text>\n", out);
        x += 40 + 8 * (int)wm_text_columns(name);
    }
}

/* Add the size to the panel of its rotation among `count` ones of its operation. Returns how many there are then. */
static int add_size(struct panel *panels, int count, const char *operation, json_t *size)
{
    int i = 0;

    while (i < count && wm_bench_rotation(json_array_get(panels[i].sizes, 0)) != wm_bench_rotation(size))
        i++;
    if (i == count)
        panels[count++] = (struct panel){.operation = operation, .sizes = json_array()};
    json_array_append(panels[i].sizes, size);
    return count;
}

static size_t size_count(const json_t *operations)
{
    const json_t *operation;
    size_t count = 0, i;

    json_array_foreach (operations, i, operation)
        count += json_array_size(json_object_get(operation, "sizes"));
    return count;
}

/* A panel for each operation and rotation; NULL without memory. */
static struct panel *find_panels(const json_t *result, int *count)
{
    const json_t *operations = json_object_get(result, "operations"), *operation;
    struct panel *panels = calloc(size_count(operations) + 1, sizeof *panels);
    json_t *size;
    size_t i, j;

    *count = 0;
    json_array_foreach (operations, i, operation) {
        int found = 0;

        json_array_foreach (json_object_get(operation, "sizes"), j, size)
            if (panels != NULL)
                found = add_size(panels + *count, found, wm_bench_name(operation), size);
        *count += found;
    }
    return panels;
}

static void draw(const json_t *result, struct panel *panels, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        panels[i].out = out;
        panels[i].x = i % ACROSS * PANEL;
        panels[i].y = HEAD + i / ACROSS * PANEL_HEIGHT;
        panels[i].rotations = wm_bench_has_rotations(result);
        panels[i].predicted = is_predicted(result);
        panels[i].over_ranks = json_object_get(json_array_get(panels[i].sizes, 0), "ranks") != NULL;
        panel(result, &panels[i]);
        json_decref(panels[i].sizes);
    }
}

void wm_bench_plot(const json_t *result, FILE *out)
{
    int count;
    struct panel *panels = find_panels(result, &count);
    int across = count < ACROSS ? count : ACROSS, width = (across > 1 ? across : 2) * PANEL;
    int height = HEAD + (count + ACROSS - 1) / ACROSS * PANEL_HEIGHT;

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n"
            "<title>waymark %s time of collective operations over message size</title>\n",
            width, height, width, height, is_predicted(result) ? "predict: predicted" : "bench: median");
    style(out);
    fprintf(out, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", width, height);
    head(result, out);
    draw(result, panels, count, out);
    fputs("</svg>\n", out);
    free(panels);
}
