/* Native calls: why a call was left to the MPI library, and how often. */
#include "core/call/native.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include "core/error.h"

enum wish { ASKED, DENIED };

static const struct {
    enum wish wish;
    const char *sentence;
} reasons[WM_NATIVE_REASON_COUNT] = {
#define X(id, wish, sentence) [WM_NATIVE_##id] = {wish, sentence},
    WM_NATIVE_REASONS(X)
#undef X
};

static atomic_ullong calls[WM_OPERATION_COUNT][WM_NATIVE_REASON_COUNT];
static atomic_int first_lines[WM_OPERATION_COUNT], last_lines[WM_OPERATION_COUNT]; /* 0: none */

static void widen(atomic_int *place, int line, bool down)
{
    int old = atomic_load_explicit(place, memory_order_relaxed);

    while ((old == 0 || (down ? line < old : line > old)) && !atomic_compare_exchange_weak(place, &old, line))
        ;
}

/* A locked addition waits until all that was stored before is in the cache: a line's way from another core, or more. */
static void count_one(atomic_ullong *count, bool threads)
{
    if (threads)
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    else
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

void wm_native_count(enum wm_operation operation, enum wm_native_reason reason, int line, bool threads)
{
    count_one(&calls[operation][reason], threads);
    if (line > 0) {
        widen(&first_lines[operation], line, true);
        widen(&last_lines[operation], line, false);
    }
}

void wm_native_read(struct wm_native_tally *tally)
{
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        int first = atomic_load(&first_lines[op]), last = atomic_load(&last_lines[op]);

        for (int reason = 0; reason < WM_NATIVE_REASON_COUNT; reason++)
            tally->calls[op][reason] = atomic_load(&calls[op][reason]);
        tally->lines[0][op] = last > 0 ? last : INT_MIN;
        tally->lines[1][op] = first > 0 ? -first : INT_MIN;
    }
}

/* " at line 12", " at lines 12 to 40". */
static void print_lines(FILE *out, const struct wm_native_tally *tally, enum wm_operation operation)
{
    int last = tally->lines[0][operation], first = tally->lines[1][operation];

    if (first == INT_MIN)
        return;
    if (-first == last)
        fprintf(out, " at line %d", last);
    else
        fprintf(out, " at lines %d to %d", -first, last);
}

void wm_native_print(FILE *out, const char *prefix, const struct wm_native_tally *tally, enum wm_operation operation)
{
    for (int reason = 0; reason < WM_NATIVE_REASON_COUNT; reason++) {
        uint64_t count = tally->calls[operation][reason];

        if (count == 0)
            continue;
        fprintf(out, "%s%llu native: %s", prefix, (unsigned long long)count, reasons[reason].sentence);
        if (reason == WM_NATIVE_BY_MAP)
            print_lines(out, tally, operation);
        fputc('\n', out);
    }
}

/* Calls of the operation for all the reasons that the map did not wish; the reasons are added to `why`. */
static uint64_t denied_calls(const struct wm_native_tally *tally, int operation, uint32_t *why)
{
    uint64_t sum = 0;

    for (int reason = 0; reason < WM_NATIVE_REASON_COUNT; reason++)
        if (reasons[reason].wish == DENIED && tally->calls[operation][reason] > 0) {
            sum += tally->calls[operation][reason];
            *why |= 1u << reason;
        }
    return sum;
}

bool wm_native_denied(const struct wm_native_tally *tally, uint32_t planned, const char *map_file, char *out,
                      size_t out_bytes)
{
    uint32_t why = 0;
    const char *between = ": ";
    int operations = 0;

    out[0] = '\0';
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        uint64_t sum = (planned & WM_OPERATION_BIT(op)) != 0 ? denied_calls(tally, op, &why) : 0;

        if (sum > 0)
            wm_text_append(out, out_bytes, "%s%llu call%s of %s", operations++ > 0 ? ", " : "", (unsigned long long)sum,
                           sum == 1 ? "" : "s", wm_operation_name((enum wm_operation)op));
    }
    if (operations == 0)
        return false;
    wm_text_append(out, out_bytes, " stayed native, although %s has rules for %s", map_file,
                   operations > 1 ? "them" : "it");
    for (int reason = 0; reason < WM_NATIVE_REASON_COUNT; reason++)
        if (why & 1u << reason) {
            wm_text_append(out, out_bytes, "%s%s", between, reasons[reason].sentence);
            between = "; ";
        }
    wm_text_append(out, out_bytes, "; WAYMARK_VERBOSE=1 counts them");
    return true;
}
