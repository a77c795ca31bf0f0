/* segment: the inner path runs on pieces of the block; up to `window` of them overlap.
 * s pieces through a pipeline of h stages: (h + s - 1) steps of one piece instead of h steps of the whole. */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { BYTES, WINDOW };

/* A plan keeps several hundred bytes of each piece. Hundreds of small ones are probably a mistake: 64, meant as
 * 64KiB; thousands are refused. */
enum { SMALL_BYTES = 512, SMALL_PIECES_MAX = 16384, SMALL_PIECES_DOUBTED = 256 };

static bool are_too_small(struct wm_planner *p, size_t pieces, size_t piece_bytes)
{
    if (piece_bytes >= SMALL_BYTES || pieces <= SMALL_PIECES_MAX)
        return false;
    wm_planner_fail(p, "%zu pieces of %zu bytes take more memory than the data; use larger segments, such as 64KiB",
                    pieces, piece_bytes);
    return true;
}

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    const struct wm_plan_call *call = wm_planner_call(p);
    struct wm_flow *flow = wm_planner_flow(p), whole = *flow;
    size_t piece_units = call->unit_bytes > 0 ? self->values[BYTES].bytes / call->unit_bytes : flow->count;
    bool settle = call->operation != WM_BCAST && wm_planner_holds_result(p);
    bool nothing = false; /* where no rank comes before in an exscan, there is no value */
    int piece = 0;

    if (piece_units == 0)
        piece_units = 1;
    if (whole.count <= piece_units) {
        wm_planner_next(p);
        return 0;
    }
    if (are_too_small(p, (whole.count + piece_units - 1) / piece_units, piece_units * call->unit_bytes))
        return 0;
    wm_planner_pieces_begin(p, (int)self->values[WINDOW].count);
    for (size_t done = 0; done < whole.count; done += flow->count, piece++) {
        size_t left = whole.count - done;

        *flow = (struct wm_flow){whole.offset + done, left < piece_units ? left : piece_units,
                                 wm_value_part(p, &whole.value, done)};
        wm_planner_piece_begin(p, piece);
        wm_planner_next(p);
        nothing = flow->value.run_count == 0;
        if (settle && !nothing)
            wm_value_settle(p, &flow->value, flow->offset, flow->count);
        wm_planner_piece_end(p, piece);
    }
    wm_planner_pieces_end(p);
    *flow = whole;
    flow->value.run_count = 0;
    if (!nothing)
        flow->value = wm_value_home(p, flow->offset);
    return 0;
}

static void doubt(const struct wm_wrapper *self, uint64_t bytes_high, struct wm_error *doubt)
{
    size_t piece_bytes = self->values[BYTES].bytes;
    char limit[32];

    if (piece_bytes >= SMALL_BYTES || bytes_high / piece_bytes <= SMALL_PIECES_DOUBTED)
        return;
    wm_bytes_describe(SMALL_PIECES_DOUBTED * piece_bytes, limit, sizeof limit);
    wm_error_set(doubt, -WM_EMAP,
                 "calls of more than %s go in more than %d pieces of %zu bytes here; use larger segments, such as "
                 "64KiB",
                 limit, SMALL_PIECES_DOUBTED, piece_bytes);
}

static const struct wm_param params[] = {
    [BYTES] =
        {.name = "bytes", .type = WM_PARAM_BYTES, .positional = true, .required = true, .help = "size of a piece"},
    [WINDOW] = {.name = "window",
                .type = WM_PARAM_COUNT,
                .fallback = "8",
                .help = "pieces that may be under way at once, at most 63"},
};

const struct wm_wrapper_class wm_wrapper_segment = {
    .name = "segment",
    .summary = "run the rest of the path on pieces that overlap (pipelining)",
    .source = "Pješivac-Grbović et al., \"Performance Analysis of MPI Collective Operations\", 2007",
    .services = {{WM_OPERATION_BIT(WM_BCAST) | WM_OPERATION_BIT(WM_REDUCE) | WM_OPERATION_BIT(WM_ALLREDUCE) |
                      WM_SCAN_BITS,
                  WM_STAGE_NONE, plan}},
    .once = true,
    .doubt = doubt,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
