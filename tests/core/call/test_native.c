/* Native calls: counted by reason, and told of at the end. */
#include "core/call/native.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"

static struct wm_native_tally tally;

static void clear(void)
{
    memset(&tally, 0, sizeof tally);
    for (int i = 0; i < WM_NATIVE_LINE_COUNTS; i++)
        (&tally.lines[0][0])[i] = INT_MIN;
}

static void expect_print(enum wm_operation operation, const char *expected)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    wm_native_print(out, "> ", &tally, operation);
    fclose(out);
    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
}

/* The counters are the process's and only grow: this suite's first case sees them all. */
static void count__is_by_operation_reason_and_line(void)
{
    wm_native_count(WM_BCAST, WM_NATIVE_BY_MAP, 12, false);
    wm_native_count(WM_BCAST, WM_NATIVE_BY_MAP, 7, false);
    wm_native_count(WM_BCAST, WM_NATIVE_BY_MAP, 9, false);
    wm_native_count(WM_BCAST, WM_NATIVE_NO_MATCH, 0, false);
    wm_native_count(WM_SCAN, WM_NATIVE_BY_MAP, 3, false);
    wm_native_count(WM_EXSCAN, WM_NATIVE_NO_RULES, 0, true);
    wm_native_read(&tally);
    CU_ASSERT_EQUAL(tally.calls[WM_BCAST][WM_NATIVE_BY_MAP], 3);
    CU_ASSERT_EQUAL(tally.lines[0][WM_BCAST], 12);
    CU_ASSERT_EQUAL(tally.lines[1][WM_BCAST], -7);
    CU_ASSERT_EQUAL(tally.lines[0][WM_EXSCAN], INT_MIN);
    CU_ASSERT_EQUAL(tally.calls[WM_REDUCE][WM_NATIVE_BY_MAP], 0);
    expect_print(WM_BCAST, "> 1 native: no rule of the map held\n"
                           "> 3 native: its rule's path ends in (native) at lines 7 to 12\n");
    expect_print(WM_SCAN, "> 1 native: its rule's path ends in (native) at line 3\n");
    expect_print(WM_EXSCAN, "> 1 native: the map has no rules for it\n");
    expect_print(WM_REDUCE, "");
}

/* A maximum over ranks of the last lines and of the negative first ones spans what all of them saw. */
static void lines__of_ranks_are_joined_by_their_maximum(void)
{
    struct wm_native_tally other;

    clear();
    tally.calls[WM_REDUCE][WM_NATIVE_BY_MAP] = 2;
    tally.lines[0][WM_REDUCE] = 5, tally.lines[1][WM_REDUCE] = -5;
    other = tally;
    other.lines[0][WM_REDUCE] = 30, other.lines[1][WM_REDUCE] = -20;
    for (int i = 0; i < WM_NATIVE_LINE_COUNTS; i++)
        if ((&other.lines[0][0])[i] > (&tally.lines[0][0])[i])
            (&tally.lines[0][0])[i] = (&other.lines[0][0])[i];
    expect_print(WM_REDUCE, "> 2 native: its rule's path ends in (native) at lines 5 to 30\n");
}

static void denied__is_said_of_operations_with_rules_alone(void)
{
    char text[512];

    clear();
    tally.calls[WM_BCAST][WM_NATIVE_COMM_FAILED] = 4;
    CU_ASSERT_FALSE(wm_native_denied(&tally, WM_OPERATION_BIT(WM_REDUCE), "m.scm", text, sizeof text));
    CU_ASSERT_STRING_EQUAL(text, "");
    CU_ASSERT(wm_native_denied(&tally, WM_OPERATION_BIT(WM_BCAST), "m.scm", text, sizeof text));
    CU_ASSERT_STRING_EQUAL(text, "4 calls of bcast stayed native, although m.scm has rules for it: on a "
                                 "communicator that could not be prepared for plans; WAYMARK_VERBOSE=1 counts them");
    tally.calls[WM_ALLREDUCE][WM_NATIVE_COMM_FAILED] = 1;
    tally.calls[WM_ALLREDUCE][WM_NATIVE_MAP_FAILED] = 2;
    CU_ASSERT(wm_native_denied(&tally, ~0u, "m.scm", text, sizeof text));
    CU_ASSERT_STRING_EQUAL(text, "4 calls of bcast, 3 calls of allreduce stayed native, although m.scm has rules for "
                                 "them: on a communicator that could not be prepared for plans; the map failed "
                                 "when it was asked; WAYMARK_VERBOSE=1 counts them");
}

static void what_the_map_asks_for__is_not_denied(void)
{
    char text[256];

    clear();
    tally.calls[WM_BCAST][WM_NATIVE_BY_MAP] = 4;
    tally.calls[WM_BCAST][WM_NATIVE_NO_MATCH] = 4;
    tally.calls[WM_BCAST][WM_NATIVE_ARGUMENT] = 4;
    tally.calls[WM_BCAST][WM_NATIVE_INTERCOMM] = 4;
    tally.calls[WM_SCAN][WM_NATIVE_NO_RULES] = 4;
    CU_ASSERT_FALSE(wm_native_denied(&tally, ~0u, "m.scm", text, sizeof text));
}

static void denied__fits_what_room_there_is(void)
{
    char text[40];

    clear();
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        tally.calls[op][WM_NATIVE_COMM_FAILED] = UINT64_MAX;
    CU_ASSERT(wm_native_denied(&tally, ~0u, "m.scm", text, sizeof text));
    CU_ASSERT_EQUAL(strlen(text), sizeof text - 1);
}

int main(void)
{
    static const struct check_case cases[] = {
        CASE(count__is_by_operation_reason_and_line),
        CASE(lines__of_ranks_are_joined_by_their_maximum),
        CASE(denied__is_said_of_operations_with_rules_alone),
        CASE(what_the_map_asks_for__is_not_denied),
        CASE(denied__fits_what_room_there_is),
    };

    return check_main("native", cases, sizeof cases / sizeof cases[0]);
}
