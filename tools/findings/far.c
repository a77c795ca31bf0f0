/* A tree that crosses between hosts more often than it needs to, over links that are much slower than a host's own.
 *
 * From one host, h hosts can be reached over h - 1 edges, of which ceil(log2 h) lie on a path; there and back twice as
 * many. */
#include <stdio.h>
#include <string.h>
#include "tools/findings/finding.h"
#include "tools/findings/map_text.h"
#include "tools/text/units.h"

enum { FAR_TIMES = 3 /* as long as edges within a host takes the worst, at least */ };

struct crossing {
    int hosts;
    uint64_t edges, critical;         /* between hosts: an edge and an instance each; those on critical paths */
    const struct wm_edge_cost *worst; /* the slowest */
};

static bool is_far(const struct wm_inquiry *inquiry, const struct wm_edge_cost *edge)
{
    const char *from = wm_inquiry_host(inquiry, edge->source), *to = wm_inquiry_host(inquiry, edge->destination);

    return from != NULL && to != NULL && strcmp(from, to) != 0;
}

static int64_t mean_ns(const struct wm_edge_cost *edge)
{
    return edge->messages > 0 ? edge->propagation_ns / (int64_t)edge->messages : 0;
}

/* What a message takes within hosts, on the mean of the whole trace; 0: there was none. */
static double near_propagation_ns(const struct wm_inquiry *inquiry)
{
    double sum_ns = 0;
    uint64_t messages = 0;

    for (size_t i = 0; i < inquiry->analysis->edge_count; i++) {
        const struct wm_edge_cost *edge = &inquiry->analysis->edges[i];

        if (!is_far(inquiry, edge)) {
            sum_ns += (double)edge->propagation_ns;
            messages += edge->messages;
        }
    }
    return messages > 0 ? sum_ns / (double)messages : 0;
}

/* Hosts at the ends of the line's edges. */
static int count_hosts(const struct wm_inquiry *inquiry, uint16_t node)
{
    enum { HOSTS_MAX = 1024 };
    const char *hosts[HOSTS_MAX];
    int count = 0;

    for (size_t i = 0; i < inquiry->analysis->edge_count; i++) {
        const struct wm_edge_cost *edge = &inquiry->analysis->edges[i];
        const int ends[] = {edge->source, edge->destination};

        for (int end = 0; edge->node == node && end < 2; end++) {
            const char *host = wm_inquiry_host(inquiry, ends[end]);
            int k = 0;

            while (host != NULL && k < count && strcmp(hosts[k], host) != 0)
                k++;
            if (host != NULL && k == count && count < HOSTS_MAX)
                hosts[count++] = host;
        }
    }
    return count;
}

static struct crossing crossing_of(const struct wm_inquiry *inquiry, const struct wm_line *line)
{
    struct crossing crossing = {0};

    for (size_t i = 0; i < inquiry->analysis->edge_count; i++) {
        const struct wm_edge_cost *edge = &inquiry->analysis->edges[i];

        if (edge->node != line->node || !is_far(inquiry, edge))
            continue;
        crossing.edges += edge->instances;
        crossing.critical += edge->critical;
        if (crossing.worst == NULL || mean_ns(edge) > mean_ns(crossing.worst))
            crossing.worst = edge;
    }
    return crossing;
}

static int rounds_of(int hosts)
{
    int rounds = 0;

    while ((1 << rounds) < hosts)
        rounds++;
    return rounds;
}

/* The stage over all ranks as stages by axes. */
static const char *split_stage(uint8_t operation)
{
    switch (operation) {
    case WM_BCAST:
        return "(bcast node) (bcast core)";
    case WM_REDUCE:
        return "(reduce core) (reduce node)";
    case WM_ALLREDUCE:
        return "(reduce core) (allreduce node)";
    case WM_BARRIER:
        return "(reduce core) (barrier node)";
    default:
        return NULL;
    }
}

static void make_edit(struct wm_finding *finding, const struct wm_inquiry *inquiry)
{
    const char *after = split_stage(finding->operation);
    struct wm_map_form form;

    if (after != NULL && !wm_map_has_grid(inquiry->trace) &&
        wm_map_form_of_node(inquiry->trace, finding->node, &form) && wm_map_form_says(&form, "all"))
        wm_edit_replace(&finding->edit, inquiry->trace, &form, after);
}

static void say(struct wm_finding *finding, const struct wm_inquiry *inquiry, const struct wm_line *line,
                const struct crossing *crossing, double near_ns)
{
    const struct wm_edge_cost *worst = crossing->worst;

    wm_finding_open(finding, inquiry);
    wm_finding_say(finding, "%s", wm_operation_name((enum wm_operation)line->operation));
    wm_finding_say_place(finding, inquiry);
    wm_finding_say(finding, ": %s. The dearest edge is %d → %d, from %s to %s, where a message takes %s",
                   finding->because, worst->source, worst->destination, wm_inquiry_host(inquiry, worst->source),
                   wm_inquiry_host(inquiry, worst->destination), wm_time_text(mean_ns(worst)).text);
    if (near_ns > 0)
        wm_finding_say(finding, ", and %s within a host", wm_time_text((int64_t)near_ns).text);
    wm_finding_say(finding, ".");
    if (finding->edit.line > 0)
        wm_finding_say_edit(finding);
    else
        wm_finding_say(finding,
                       " Make stages by axes of the machine, the slowest link first or last, so that each host "
                       "is reached once.");
}

static void look_at_line(struct wm_inquiry *inquiry, const struct wm_line *line, double near_ns)
{
    struct crossing c = crossing_of(inquiry, line);
    struct wm_finding finding = wm_finding_of(WM_FINDING_FAR_EDGES, line, 0);
    struct wm_claim claim = {.line = line};
    double calls = (double)line->calls, edges = (double)c.edges / calls, critical = (double)c.critical / calls;
    int hosts = c.worst != NULL ? count_hosts(inquiry, line->node) : 0;
    int ways = wm_operation_flow((enum wm_operation)line->operation) == WM_FLOW_ALL ? 2 : 1;
    double needed = (hosts - 1) * ways, needed_on_path = rounds_of(hosts) * ways;
    double spare;

    if (hosts < 2 || edges <= 1.25 * needed || critical <= needed_on_path ||
        (double)mean_ns(c.worst) < FAR_TIMES * near_ns)
        return;
    spare = 1 - needed_on_path / critical;
    claim.inside_ns = (int64_t)(spare * (double)line->inside_ns);
    claim.transfer_ns = (int64_t)(spare * (double)line->transfer_ns);
    claim.caused_ns = (int64_t)(spare * (double)wm_inquiry_caused_ns(inquiry, line));
    finding.lost_ns = claim.inside_ns + claim.transfer_ns + claim.caused_ns;
    finding.error_ns = line->error_ns;
    finding.source = c.worst->source;
    finding.destination = c.worst->destination;
    wm_finding_trust(&finding, c.worst->instances ? (double)c.worst->critical / (double)c.worst->instances : 0,
                     "its critical path crosses between hosts %.1f times a call, where %.0f would do", critical,
                     needed_on_path);
    make_edit(&finding, inquiry);
    say(&finding, inquiry, line, &c, near_ns);
    wm_inquiry_claim(inquiry, &claim);
    wm_inquiry_offer(inquiry, &finding);
}

void wm_finding_look_far(struct wm_inquiry *inquiry)
{
    double near_ns = near_propagation_ns(inquiry);

    for (size_t i = 0; i < inquiry->analysis->line_count; i++) {
        const struct wm_line *line = &inquiry->analysis->lines[i];

        if (!line->visited && line->messages > 0 && split_stage(line->operation) != NULL)
            look_at_line(inquiry, line, near_ns);
    }
}
