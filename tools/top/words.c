/* What a rank does and misses, in words. */
#include <stdarg.h>
#include <string.h>
#include "waymark/operation.h"
#include "tools/findings/findings.h"
#include "tools/top/screen.h"
#include "tools/text/units.h"

static const struct wm_trace_communicator *communicator_of(const struct wm_snapshot *snapshot,
                                                           const struct wm_top_row *row)
{
    const struct wm_trace *definitions = snapshot->live->definitions;

    return row->communicator < definitions->communicator_count ? &definitions->communicators[row->communicator] : NULL;
}

/* The stage of the message that is missing, else the outermost line. */
static void say_place(const struct wm_snapshot *snapshot, const struct wm_top_row *row, const char *before, char *out,
                      size_t out_bytes)
{
    uint16_t node = row->edge != NULL ? row->edge->node : row->call->node;
    char place[128];

    out[0] = '\0';
    if (node == 0 && (row->call->cut || row->call->asking))
        return; /* its enter, which would tell, was not seen, or is still to come */
    wm_place_text(snapshot->live->definitions, node, place, sizeof place);
    snprintf(out, out_bytes, "%s%s", node > 0 ? before : "", node > 0 ? place : " (native)");
}

/* "MPI_Allreduce"; "WM_COMMUNICATE halo (jacobi.c:81)". */
static void say_function(const struct wm_top_row *row, char *out, size_t out_bytes)
{
    enum wm_operation operation = row->call->operation;
    const struct wm_trace_statement *statement =
        operation == WM_STATEMENT ? wm_trace_statement_find(row->definition, row->call->root) : NULL;
    const char *slash = statement != NULL ? strrchr(statement->file, '/') : NULL;

    snprintf(out, out_bytes, "%s", operation < WM_OPERATION_COUNT ? wm_operation_function(operation) : "a call");
    if (statement != NULL)
        snprintf(out, out_bytes, "%s%s%.40s (%.60s:%d)", wm_operation_function(operation),
                 statement->name[0] != '\0' ? " " : "", statement->name, slash != NULL ? slash + 1 : statement->file,
                 statement->line);
}

void wm_top_call_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes)
{
    const struct wm_trace_communicator *communicator = communicator_of(snapshot, row);
    char function[160], place[160];

    say_function(row, function, sizeof function);
    say_place(snapshot, row, " at ", place, sizeof place);
    snprintf(out, out_bytes, "%s%s, call #%u on %.80s,", function, place, row->call->sequence,
             wm_communicator_text(communicator));
}

void wm_top_short_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes)
{
    const struct wm_trace_communicator *communicator = communicator_of(snapshot, row);
    bool world = communicator != NULL && strcmp(communicator->name, "MPI_COMM_WORLD") == 0;
    char function[160], place[160];

    say_function(row, function, sizeof function);
    say_place(snapshot, row, " ", place, sizeof place);
    snprintf(out, out_bytes, "%s%s #%u%s%.40s", function, place, row->call->sequence, world ? "" : " on ",
             world ? "" : wm_communicator_text(communicator));
}

static void ranks_text(const struct wm_top_row *row, char *out, size_t out_bytes)
{
    char ranks[128];

    wm_ranks_text(row->awaited, row->awaited_count, ranks, sizeof ranks);
    snprintf(out, out_bytes, "%s %s%s", row->awaited_count + row->awaited_more == 1 ? "rank" : "ranks", ranks,
             row->awaited_more > 0 ? ", …" : "");
}

void wm_top_await_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes)
{
    char ranks[192], message[96] = "";

    (void)snapshot;
    out[0] = '\0';
    ranks_text(row, ranks, sizeof ranks);
    if (row->edge != NULL)
        snprintf(message, sizeof message, " (message %u, %s%s)", row->edge->number,
                 wm_bytes_text(row->edge->bytes).text, row->awaited_count > 1 ? ", …" : "");
    if (row->await == WM_AWAIT_MATCH)
        snprintf(out, out_bytes, "%s, which made another call as number %u", ranks, row->call->sequence);
    else if (row->await == WM_AWAIT_MAP)
        snprintf(out, out_bytes, "the map's answer");
    else if (row->await == WM_AWAIT_ABSENT)
        snprintf(out, out_bytes, "%s to come", ranks);
    else if (row->await == WM_AWAIT_MESSAGE)
        snprintf(out, out_bytes, "%s%s", ranks, message);
    else if (row->await == WM_AWAIT_RECEIVER)
        snprintf(out, out_bytes, "%s to receive%s", ranks, message);
}

void wm_top_region_text(const struct wm_top_row *row, char *out, size_t out_bytes)
{
    static const char *const words[] = {[WM_TRACE_REGION_BEGIN] = "at the beginning of",
                                        [WM_TRACE_REGION_RECEIVE] = "receiving in",
                                        [WM_TRACE_REGION_SEND] = "sending in",
                                        [WM_TRACE_REGION_COMPUTE] = "computing in",
                                        [WM_TRACE_REGION_PACK] = "packing in",
                                        [WM_TRACE_REGION_UNPACK] = "unpacking in",
                                        [WM_TRACE_REGION_WAIT] = "asleep before the next region of"};
    const struct wm_live_superblock *top = &row->rank->superblocks[row->rank->superblock_count - 1];
    int found = wm_trace_superblock_find(row->definition, &(struct wm_trace_record){.communicator = top->number});

    if (found >= 0)
        snprintf(out, out_bytes, "%s '%.60s'", words[top->place], row->definition->superblocks[found].name);
    else
        snprintf(out, out_bytes, "%s superblock %u", words[top->place], top->number);
}

/* What a rank does, as a verb and what belongs to it. */
static void say_state(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes)
{
    static const char *const words[] = {
        [WM_TOP_STARTING] = "has not begun",
        [WM_TOP_OFF] = "does not record",
        [WM_TOP_CLOSED] = "has ended",
    };
    char call[256], region[128];

    if (row->gone)
        snprintf(out, out_bytes, "is gone");
    else if (row->state == WM_TOP_COMPUTING || row->state == WM_TOP_CONVEYOR)
        snprintf(out, out_bytes, "has been %s for %s",
                 row->state == WM_TOP_COMPUTING ? "computing, or in point-to-point calls of its own," : "in a conveyor",
                 wm_time_text(row->since_ns).text);
    else if (row->state == WM_TOP_REGION) {
        wm_top_region_text(row, region, sizeof region);
        snprintf(out, out_bytes, "has been %s for %s", region, wm_time_text(row->since_ns).text);
    } else if (row->state != WM_TOP_INSIDE)
        snprintf(out, out_bytes, "%s", words[row->state]);
    else {
        wm_top_call_text(snapshot, row, call, sizeof call);
        snprintf(out, out_bytes, "has been in %s for %s", call, wm_time_text(row->since_ns).text);
    }
}

/* What the rank at the end of the chain of waits does. */
static void say_culprit(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes)
{
    const struct wm_top_row *culprit = row->culprit >= 0 ? wm_snapshot_find(snapshot, row->culprit) : NULL;
    bool direct = row->awaited_count == 1 && row->awaited_more == 0 && row->awaited[0] == row->culprit;
    char state[384], end[64] = "";

    out[0] = '\0';
    if (row->await == WM_AWAIT_MATCH)
        snprintf(out, out_bytes, "; the program's calls do not match");
    else if (row->awaited_count > 0 && row->culprit < 0)
        snprintf(out, out_bytes, "; the ranks wait for each other in a circle");
    if (culprit == NULL)
        return;
    if (!direct)
        snprintf(end, sizeof end, "; in the end for rank %d", row->culprit);
    say_state(snapshot, culprit, state, sizeof state);
    snprintf(out, out_bytes, "%s, which %s%s", end,
             wm_snapshot_is_absent(snapshot, row, culprit) ? "never came to this call and " : "", state);
}

void wm_top_stuck_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, const int *ranks, int count,
                       char *out, size_t out_bytes)
{
    char who[128], call[256], misses[320], culprit[640], first[32] = "";

    wm_ranks_text(ranks, count, who, sizeof who);
    wm_top_call_text(snapshot, row, call, sizeof call);
    wm_top_await_text(snapshot, row, misses, sizeof misses);
    say_culprit(snapshot, row, culprit, sizeof culprit);
    if (count > 1)
        snprintf(first, sizeof first, "rank %d ", row->rank->rank);
    snprintf(out, out_bytes, "%s %s %s stuck in %s for %s: %s%s%s%s", count == 1 ? "rank" : "ranks", who,
             count == 1 ? "is" : "are", call, wm_time_text(row->since_ns).text, misses[0] ? first : "",
             misses[0] ? "waits for " : "nothing says for what", misses, culprit);
}
