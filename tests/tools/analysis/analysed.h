/* Analysed traces: synthetic traces of a map with two trace wrappers and two stages, and what the analysis makes of
 * them. */
#ifndef WM_TESTS_ANALYSED_H
#define WM_TESTS_ANALYSED_H

#include "tests/tracer/traces.h"
#include "tools/analysis/analysis.h"
#include "tools/analysis/observer.h"
#include "tools/report/json.h"
#include "tools/report/report.h"

enum { NODE_ALL = 1, NODE_REDUCE = 2, NODE_INNER = 3, NODE_NODE = 4 };

struct analysed {
    struct wm_trace *trace;
    struct wm_analysis *analysis;
    char *text; /* the report, of analysed_report */
};

static inline void analysed_open(struct traces *traces, int ranks)
{
    traces_open(traces, ranks, 1 << 16, WM_TRACE_FLIGHT, NULL);
    traces_define_node(traces->recorders[0], NODE_ALL, "trace", 3, 17, "all");
    traces_define_node(traces->recorders[0], NODE_REDUCE, "reduce", 4, 17, "core flat");
    traces_define_node(traces->recorders[0], NODE_INNER, "trace", 5, 17, "inner");
    traces_define_node(traces->recorders[0], NODE_NODE, "allreduce", 6, 17, "node");
}

/* Close the recorders and analyse; what must hold of every trace is asserted. */
static inline struct analysed analysed_make(struct traces *traces, const struct wm_observer *observer)
{
    struct analysed analysed = {0};
    struct wm_error error = {0};

    traces_close(traces);
    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&analysed.trace, traces->directory, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_analysis_make(&analysed.analysis, analysed.trace, observer), 0);
    CU_ASSERT_EQUAL(analysed.analysis->residual_ns, 0);
    CU_ASSERT_EQUAL(analysed.analysis->path_residual_ns, 0);
    return analysed;
}

/* The same, and the report printed. */
static inline struct analysed analysed_report(struct traces *traces)
{
    struct analysed analysed = analysed_make(traces, NULL);
    size_t length;
    struct wm_terminal terminal = {open_memstream(&analysed.text, &length), 110, false};
    json_t *report = wm_report_json(analysed.trace, analysed.analysis);

    wm_report_print(&terminal, report);
    json_decref(report);
    fclose(terminal.file);
    return analysed;
}

static inline void analysed_expect(const struct analysed *analysed, const char *words)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(analysed->text, words));
    if (strstr(analysed->text, words) == NULL)
        fprintf(stderr, "missing: %s\nin:\n%s\n", words, analysed->text);
}

static inline void analysed_release(struct analysed *analysed, struct traces *traces)
{
    free(analysed->text);
    wm_analysis_free(analysed->analysis);
    wm_trace_close(analysed->trace);
    traces_remove(traces);
}

/* The line of a node; fails the test when there is none. */
static inline struct wm_line *analysed_line(const struct analysed *analysed, int node)
{
    static struct wm_line none;

    for (size_t i = 0; i < analysed->analysis->line_count; i++)
        if (analysed->analysis->lines[i].node == node)
            return &analysed->analysis->lines[i];
    CU_FAIL("no such line");
    return &none;
}

static inline struct wm_edge_cost *analysed_edge(const struct analysed *analysed, int node, int source, int destination)
{
    static struct wm_edge_cost none;

    for (size_t i = 0; i < analysed->analysis->edge_count; i++) {
        struct wm_edge_cost *edge = &analysed->analysis->edges[i];

        if (edge->node == node && edge->source == source && edge->destination == destination)
            return edge;
    }
    CU_FAIL("no such edge");
    return &none;
}

static inline void analysed_enter(struct traces *traces, int rank, int64_t at_ns, int operation, int node, int root,
                                  uint32_t sequence)
{
    traces_put(traces, rank, at_ns, WM_TRACE_ENTER, operation, node, root, sequence, 64);
}

static inline void analysed_leave(struct traces *traces, int rank, int64_t at_ns, int operation, int node, int root,
                                  uint32_t sequence)
{
    traces_put(traces, rank, at_ns, WM_TRACE_LEAVE, operation, node, root, sequence, 64);
}

/* A call of one rank without anything inside. */
static inline void analysed_call(struct traces *traces, int rank, int64_t enter_ns, int64_t leave_ns, int operation,
                                 int node, int root, uint32_t sequence)
{
    analysed_enter(traces, rank, enter_ns, operation, node, root, sequence);
    analysed_leave(traces, rank, leave_ns, operation, node, root, sequence);
}

static inline void analysed_send(struct traces *traces, int rank, int64_t post_ns, int64_t done_ns, int node, int peer,
                                 uint32_t sequence, uint64_t edge)
{
    traces_put(traces, rank, post_ns, WM_TRACE_SEND_POST, 0, node, peer, sequence, edge);
    traces_put(traces, rank, done_ns, WM_TRACE_SEND_DONE, 0, node, peer, sequence, edge);
}

static inline void analysed_receive(struct traces *traces, int rank, int64_t post_ns, int64_t done_ns, int node,
                                    int peer, uint32_t sequence, uint64_t edge)
{
    traces_put(traces, rank, post_ns, WM_TRACE_RECV_POST, 0, node, peer, sequence, edge);
    traces_put(traces, rank, done_ns, WM_TRACE_RECV_DONE, 0, node, peer, sequence, edge);
}

#endif
