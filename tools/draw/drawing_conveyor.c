/* Drawings as text: a conveyor's hops, one item's way, its buffers, and the memory that a rank holds. */
#include <stdio.h>
#include <string.h>
#include "tools/routes/survey.h"
#include "tools/draw/drawing.h"
#include "tools/text/units.h"

enum { LINE_BYTES = 256, DIGITS_BYTES = 64 };

static void heading(const struct wm_terminal *terminal, const char *title)
{
    fprintf(terminal->file, "\n%s%s%s\n", wm_terminal_bold(terminal), title, wm_terminal_plain(terminal));
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- hops ---- */

static void tags_text(const struct wm_route *route, bool elastic, char *out, size_t out_bytes)
{
    if (route->tag_bits == 0)
        snprintf(out, out_bytes, "no tags");
    else if (elastic)
        snprintf(out, out_bytes, "tags of %d bit%s in the items' records", route->tag_bits, plural(route->tag_bits));
    else
        snprintf(out, out_bytes, "tags of %d bit%s in %d byte%s", route->tag_bits, plural(route->tag_bits),
                 route->tag_bytes, plural(route->tag_bytes));
}

/* How many links out a hop has on each net. */
static void count_links(const struct wm_scene *s, int rank, const struct wm_route_hop *hop,
                        int count[WM_NETWORK_MESSAGES + 1])
{
    memset(count, 0, sizeof(int) * (WM_NETWORK_MESSAGES + 1));
    for (int link = 0; link < hop->links; link++)
        count[wm_network_net(&s->network, rank, hop->out[link].rank)]++;
}

void wm_drawing_hops(const struct wm_terminal *terminal, struct wm_scene *s, int rank)
{
    const struct wm_route *route = wm_network_route(&s->network, rank);
    struct wm_table table;
    char tags[LINE_BYTES], title[2 * LINE_BYTES];
    int count[WM_NETWORK_MESSAGES + 1];

    tags_text(route, s->question.elastic, tags, sizeof tags);
    snprintf(title, sizeof title, "route: %d hop%s%s, %s; links of rank %d", route->hops, plural(route->hops),
             s->design.synchronous ? " in bulk" : "", tags, rank);
    heading(terminal, title);
    wm_table_init(&table, "rlrrrr");
    for (int i = 0; i < 6; i++)
        wm_table_cell(&table, "%s", (const char *[]){"hop", "axis", "digits", "in memory", "messages", "to itself"}[i]);
    for (int h = 0; h < route->hops; h++) {
        count_links(s, rank, &route->hop[h], count);
        wm_table_cell(&table, "%d", h + 1);
        wm_table_cell(&table, "%s", wm_grid_axis_name(&s->site.grid, route->hop[h].axis));
        wm_table_cell(&table, "%d", route->hop[h].fan);
        wm_table_cell(&table, "%d", count[WM_NETWORK_MEMORY]);
        wm_table_cell(&table, "%d", count[WM_NETWORK_MESSAGES]);
        wm_table_cell(&table, "%d", count[WM_NETWORK_OWN]);
    }
    wm_table_print(&table, terminal);
    if (route->cells > 1)
        fprintf(terminal->file, "  the grid is ragged: rank %d stands in for %d that it lacks\n", rank,
                route->cells - 1);
}

/* ---- one item ---- */

/* "31 127 | 0": the digits to come, the next hop's first, and behind the bar those of the source. */
static void digits_text(const struct wm_route *route, const struct wm_leg *leg, char out[DIGITS_BYTES])
{
    uint32_t tag = leg->tag;
    size_t used = 0;

    out[0] = '\0';
    for (int i = 1; route->tag_bits > 0 && i < route->hops && used < DIGITS_BYTES; i++) {
        int hop = (leg->hop + i) % route->hops, bits = route->hop[hop].bits;

        used += (size_t)snprintf(out + used, DIGITS_BYTES - used, "%s%u",
                                 hop == 0 ? " | "
                                 : i > 1  ? " "
                                          : "",
                                 tag & (((uint32_t)1 << bits) - 1));
        tag = (uint32_t)((uint64_t)tag >> bits);
    }
}

static const char *net_name(enum wm_network_net net)
{
    static const char *const names[] = {[WM_NETWORK_UNUSED] = "none",
                                        [WM_NETWORK_OWN] = "to itself",
                                        [WM_NETWORK_MEMORY] = "in memory",
                                        [WM_NETWORK_MESSAGES] = "messages"};

    return names[net];
}

static void add_leg(struct wm_table *table, struct wm_scene *s, const struct wm_leg *leg)
{
    const struct wm_route *route = wm_network_route(&s->network, leg->rank);
    char digits[DIGITS_BYTES];

    digits_text(route, leg, digits);
    wm_table_cell(table, "%d", leg->hop + 1);
    wm_table_cell(table, "%s", wm_grid_axis_name(&s->site.grid, route->hop[leg->hop].axis));
    wm_table_cell(table, "%d→%d", leg->rank, leg->end.rank);
    wm_table_cell(table, "%s", net_name(wm_network_net(&s->network, leg->rank, leg->end.rank)));
    wm_table_cell(table, "%d", leg->link);
    wm_table_cell(table, "%d", leg->end.link);
    wm_table_cell(table, "%s", digits[0] != '\0' ? digits : "-");
}

static void print_item(const struct wm_terminal *terminal, struct wm_scene *s, int source, int destination)
{
    static const char *const heads[] = {"hop", "axis", "ranks", "net", "out", "in", "tag: digits to go | gone"};
    struct wm_journey journey;
    struct wm_table table;
    char title[LINE_BYTES];
    const char *fault = wm_network_follow(&s->network, source, destination, &journey);

    snprintf(title, sizeof title, "one item, from rank %d to rank %d, by numbers of links", source, destination);
    heading(terminal, title);
    wm_table_init(&table, "rlrlrrl");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        wm_table_cell(&table, "%s", heads[i]);
    for (int i = 0; i < journey.count; i++)
        add_leg(&table, s, &journey.legs[i]);
    wm_table_print(&table, terminal);
    if (fault != NULL) /* `waymark check` says more of it */
        fprintf(terminal->file, "  it %s\n", fault);
    else
        fprintf(terminal->file, "  rank %d takes it for rank %d's\n", journey.legs[journey.count - 1].end.rank,
                journey.told);
}

/* ---- buffers and memory ---- */

/* "816 items", or of elastic ones the bytes that they and their records take. */
static struct wm_text room_of(const struct wm_convey_form *form)
{
    struct wm_text text;

    if (!form->elastic)
        return wm_number_text(form->units, "item");
    snprintf(text.text, sizeof text.text, "%.20s of items", wm_bytes_text(form->units * form->unit_bytes).text);
    return text;
}

static void print_buffers(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    const struct wm_convey_form *form = &s->form;
    const struct wm_convey_design *d = &s->design;

    heading(terminal, "buffers");
    if (d->synchronous)
        fprintf(terminal->file, "  one a link each way, with room for %s\n", room_of(form).text);
    else
        fprintf(terminal->file, "  %d a link, each with room for %s\n", form->buffers, room_of(form).text);
    if (!d->synchronous && d->inside != WM_CHOOSE_MPI)
        fprintf(terminal->file, "  in memory  a ring of all of a link's: %s\n",
                wm_bytes_text(wm_convey_ring_bytes(form)).text);
    fprintf(terminal->file, "  messages   a parcel of one: %s%s\n", wm_bytes_text(wm_convey_parcel_bytes(form)).text,
            d->codec != WM_CODEC_NONE ? ", compressed between nodes where that pays" : "");
}

static const char *bytes_or_none(size_t bytes, struct wm_text *text)
{
    *text = wm_bytes_text(bytes);
    return bytes > 0 ? text->text : "-";
}

static void add_part(struct wm_table *table, const char *name, size_t least, size_t most, bool both)
{
    struct wm_text text;

    wm_table_cell(table, "%s", name);
    wm_table_cell(table, "%s", bytes_or_none(least, &text));
    if (both)
        wm_table_cell(table, "%s", bytes_or_none(most, &text));
}

/* Exactly, for those who compare: "1,265,664 bytes". */
static void print_total(const struct wm_terminal *terminal, const struct wm_scene *s, const struct wm_survey *v)
{
    fprintf(terminal->file, "  the most: %zu bytes, at rank %d", v->most.total, v->most_rank);
    if (v->least.total < v->most.total)
        fprintf(terminal->file, "; the least: %zu, at rank %d", v->least.total, v->least_rank);
    if (v->looked < s->site.ranks)
        fprintf(terminal->file, "; of %s that were looked at", wm_number_text((uint64_t)v->looked, "rank").text);
    fputc('\n', terminal->file);
}

static void print_memory(const struct wm_terminal *terminal, struct wm_scene *s)
{
    struct wm_survey v;
    struct wm_table table;
    bool both;

    wm_survey_make(&v, &s->network, &s->form);
    both = v.least.total < v.most.total;
    heading(terminal, "memory that a rank holds");
    wm_table_init(&table, both ? "lrr" : "lr");
    wm_table_cell(&table, "%s", "");
    if (both)
        wm_table_cell(&table, "%s", "least");
    wm_table_cell(&table, "%s", both ? "most" : "each");
    add_part(&table, "rings", v.least.rings, v.most.rings, both);
    add_part(&table, "parcels", v.least.parcels, v.most.parcels, both);
    add_part(&table, "tables", v.least.tables, v.most.tables, both);
    add_part(&table, "total", v.least.total, v.most.total, both);
    wm_table_print(&table, terminal);
    print_total(terminal, s, &v);
}

static void print_rank(const struct wm_terminal *terminal, struct wm_scene *s, int rank)
{
    struct wm_convey_memory m =
        wm_convey_memory(&s->design, &s->form, wm_network_route(&s->network, rank), s->site.grid.node);

    fprintf(terminal->file, "\n%smemory that rank %d holds%s: %zu bytes\n", wm_terminal_bold(terminal), rank,
            wm_terminal_plain(terminal), m.total);
    fprintf(terminal->file, "  rings    %10zu  %d to read from, %d to itself\n", m.rings, m.ring_links, m.self_links);
    fprintf(terminal->file, "  parcels  %10zu  %d link%s out, %d in\n", m.parcels, m.parcel_links_out,
            plural(m.parcel_links_out), m.parcel_links_in);
    fprintf(terminal->file, "  tables   %10zu\n", m.tables);
}

void wm_drawing_conveyor(const struct wm_terminal *terminal, struct wm_scene *s, int rank, int destination)
{
    wm_drawing_hops(terminal, s, rank >= 0 ? rank : 0);
    print_item(terminal, s, rank >= 0 ? rank : 0, destination);
    print_buffers(terminal, s);
    print_memory(terminal, s);
    if (rank >= 0)
        print_rank(terminal, s, rank);
}
