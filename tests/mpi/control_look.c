/* Looks at the trace of tests/mpi/control: whether what begins in it ends, and what is there.
 *
 *   control_look DIRECTORY       a line a rank: open COUNT waits COUNT enters COUNT details COUNT levels LIST
 *   control_look DIRECTORY calls a line a communicator and rank: the numbers of the calls that are recorded
 *   control_look DIRECTORY marks a line a mark of rank 0, and a call's enter between them, in the order of time
 *   control_look DIRECTORY waits a line a wait: rank, operation, whether it begins in the call or after it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tracer/reader.h"

enum { CALLS_MAX = 1 << 14, COMMUNICATORS = 16 };

/* Of a rank's calls, by communicator and number. */
struct call {
    int visits, edges; /* begun and not ended */
    int enters;
    uint64_t start, completion;
};

static struct call calls[COMMUNICATORS][CALLS_MAX];
static const struct wm_trace_record *record;

static struct call *call_of(const struct wm_trace_record *r)
{
    if (r->communicator >= COMMUNICATORS || r->sequence >= CALLS_MAX) {
        fprintf(stderr, "control_look: a call of number %u on %u\n", r->sequence, r->communicator);
        exit(1);
    }
    return &calls[r->communicator][r->sequence];
}

/* A done may be written before its post is read, but never without one. */
static void follow(const struct wm_trace_record *r)
{
    struct call *call;

    if (r->kind > WM_TRACE_RECV_DONE)
        return;
    call = call_of(r);
    if (r->kind == WM_TRACE_ENTER && call->enters++ == 0)
        call->start = r->time_ticks;
    if (r->kind == WM_TRACE_LEAVE)
        call->completion = r->time_ticks;
    call->visits += (r->kind == WM_TRACE_ENTER) - (r->kind == WM_TRACE_LEAVE);
    call->edges += (r->kind == WM_TRACE_SEND_POST) + (r->kind == WM_TRACE_RECV_POST);
    call->edges -= (r->kind == WM_TRACE_SEND_DONE) + (r->kind == WM_TRACE_RECV_DONE);
}

static void print_counts(const struct wm_trace_rank *rank, const long *counts, const char *levels)
{
    long open = 0, enters = 0, details = 0;

    for (int c = 0; c < COMMUNICATORS; c++)
        for (int n = 0; n < CALLS_MAX; n++) {
            open += calls[c][n].visits != 0 || calls[c][n].edges != 0;
            enters += calls[c][n].enters;
        }
    for (int kind = WM_TRACE_SEND_POST; kind <= WM_TRACE_COPY; kind++)
        details += counts[kind];
    printf("rank %d open %ld waits %ld enters %ld details %ld marks %ld levels%s\n", rank->rank, open,
           counts[WM_TRACE_WAIT], enters, details + counts[WM_TRACE_SHARED], counts[WM_TRACE_MARK], levels);
}

static void print_numbers(const struct wm_trace_rank *rank)
{
    for (int c = 0; c < COMMUNICATORS; c++) {
        bool any = false;

        for (int n = 0; n < CALLS_MAX; n++)
            if (calls[c][n].enters > 0) {
                if (!any)
                    printf("rank %d communicator %d:", rank->rank, c);
                any = true;
                printf(" %d", n);
            }
        if (any)
            putchar('\n');
    }
}

static void print_mark(const struct wm_trace_rank *rank)
{
    if (rank->rank == 0 && record->kind == WM_TRACE_ENTER)
        printf("call %u\n", record->sequence);
    for (int m = 0; rank->rank == 0 && record->kind == WM_TRACE_MARK && m < rank->mark_count; m++)
        if (rank->marks[m].id == record->argument)
            printf("mark %s\n", rank->marks[m].name);
}

static void print_wait(const struct wm_trace_rank *rank)
{
    const struct call *call;
    uint64_t begin;

    if (record->kind != WM_TRACE_WAIT)
        return;
    call = call_of(record);
    begin = record->time_ticks - record->argument;
    printf("rank %d operation %d: the wait begins %s\n", rank->rank, record->flags,
           begin < call->start        ? "before the call"
           : begin < call->completion ? "in the call"
                                      : "after the call");
}

static void look(const struct wm_trace_rank *rank, const char *what)
{
    long counts[WM_TRACE_KIND_COUNT] = {0};
    char levels[4096] = "";
    uint64_t number = 0;

    memset(calls, 0, sizeof calls);
    while ((record = wm_trace_next(rank, &number)) != NULL) {
        counts[record->kind]++;
        follow(record);
        if (record->kind == WM_TRACE_LEVEL && strlen(levels) < sizeof levels - 8)
            snprintf(levels + strlen(levels), 8, " %d", record->flags);
        if (strcmp(what, "marks") == 0)
            print_mark(rank);
        if (strcmp(what, "waits") == 0)
            print_wait(rank);
    }
    if (strcmp(what, "") == 0)
        print_counts(rank, counts, levels);
    if (strcmp(what, "calls") == 0)
        print_numbers(rank);
}

int main(int argc, char **argv)
{
    struct wm_trace *trace;
    struct wm_error error;

    if (argc < 2 || wm_trace_open(&trace, argv[1], &error) < 0) {
        fprintf(stderr, "control_look: no trace\n");
        return 1;
    }
    for (int i = 0; i < trace->rank_count; i++)
        look(&trace->ranks[i], argc > 2 ? argv[2] : "");
    wm_trace_close(trace);
    return 0;
}
