/* The page's parts: the timeline keeps its sums when it is coarsened, lateness when columns are joined, and no text
 * leaves its tag. */
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>
#include "tools/report/page_bytes.h"
#include "tools/report/page_instances.h"
#include "tools/report/page_lateness.h"
#include "tools/report/page_timeline.h"

static uint32_t state = 1;

static int64_t draw(int64_t below)
{
    state = state * 1664525u + 1013904223u;
    return (int64_t)((state >> 8) % (uint32_t)below);
}

/* What `print` of something writes; the caller's. */
struct printed {
    FILE *out;
    char *text;
    size_t length;
};

static struct printed *begin(struct printed *printed)
{
    *printed = (struct printed){0};
    printed->out = open_memstream(&printed->text, &printed->length);
    CU_ASSERT_PTR_NOT_NULL_FATAL(printed->out);
    return printed;
}

static void expect(struct printed *printed, const char *text)
{
    fclose(printed->out);
    CU_ASSERT_STRING_EQUAL(printed->text, text);
    free(printed->text);
}

static void bytes__are_base64(void)
{
    static const char *const expected[] = {"\"\"", "\"TQ==\"", "\"TWE=\"", "\"TWFu\"", "\"TWFuTQ==\""};

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct printed printed;

        wm_page_bytes_print(begin(&printed)->out, (const unsigned char *)"ManM", i);
        expect(&printed, expected[i]);
    }
}

static void bytes__hold_numbers_by_seven_bits(void)
{
    static const uint64_t numbers[] = {0, 127, 128, 16383, 16384, UINT64_MAX};
    struct wm_page_bytes bytes = {0};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        size_t before = bytes.count;
        uint64_t number = 0;

        CU_ASSERT_EQUAL(wm_page_bytes_add(&bytes, numbers[i]), 0);
        for (size_t k = before; k < bytes.count; k++) {
            number |= (uint64_t)(bytes.bytes[k] & 0x7f) << (7 * (k - before));
            CU_ASSERT_EQUAL(bytes.bytes[k] >= 0x80, k + 1 < bytes.count);
        }
        CU_ASSERT_EQUAL(number, numbers[i]);
    }
    wm_page_bytes_release(&bytes);
}

static void strings__cannot_leave_their_tag(void)
{
    struct printed printed;

    wm_page_string_print(begin(&printed)->out, "</script>&\"\\\n\xe2\x80\xa8\xe2\x80\xa9 \xc2\xb5 \xff\xc3");
    expect(&printed, "\"\\u003c/script\\u003e\\u0026\\u0022\\u005c\\u000a\\u2028\\u2029 \xc2\xb5 \\ufffd\\ufffd\"");
    wm_page_json_print(begin(&printed)->out, "{\"a\":\"<!--&\"}", 13);
    expect(&printed, "{\"a\":\"\\u003c!--\\u0026\"}");
}

enum { LANES = 3, PIECES = 4000 };

/* Pieces of random kinds and lengths with gaps between them, the later half of each lane first. */
static int64_t fill(struct wm_page_timeline *timeline, int64_t sums[WM_COST_KINDS])
{
    int64_t end_ns = 0;

    CU_ASSERT_EQUAL_FATAL(wm_page_timeline_init(timeline, LANES, 1000), 0);
    memset(sums, 0, WM_COST_KINDS * sizeof *sums);
    for (int lane = 0; lane < LANES; lane++) {
        static struct {
            int64_t begin_ns, end_ns;
        } pieces[PIECES];
        int64_t now_ns = 1000;

        for (int i = 0; i < PIECES; i++) {
            pieces[i].begin_ns = now_ns + draw(3) * draw(400);
            now_ns = pieces[i].end_ns = pieces[i].begin_ns + 1 + draw(300);
        }
        for (int i = 0; i < PIECES; i++) {
            int at = (i + PIECES / 2) % PIECES;
            struct wm_page_look look = {(enum wm_cost_kind)draw(WM_COST_KINDS), (uint16_t)draw(4), 1, WM_BCAST};

            sums[look.kind] += pieces[at].end_ns - pieces[at].begin_ns;
            CU_ASSERT_EQUAL(wm_page_timeline_add(timeline, lane, &look, pieces[at].begin_ns, pieces[at].end_ns), 0);
        }
        end_ns = now_ns > end_ns ? now_ns : end_ns;
    }
    return end_ns;
}

static void sum_up(const struct wm_page_timeline *timeline, int64_t sums[WM_COST_KINDS])
{
    memset(sums, 0, WM_COST_KINDS * sizeof *sums);
    for (int lane = 0; lane < LANES; lane++) {
        int64_t now_ns = 0;

        for (size_t i = 0; i < timeline->lanes[lane].count; i++) {
            const struct wm_page_segment *segment = &timeline->lanes[lane].segments[i];

            CU_ASSERT_TRUE(segment->begin_ns >= now_ns);
            CU_ASSERT_EQUAL(segment->begin_ns % timeline->resolution_ns, 0);
            now_ns = segment->begin_ns + (int64_t)segment->length_ns;
            sums[timeline->looks[segment->look].kind] += (int64_t)segment->length_ns;
        }
    }
}

static void timeline__is_exact_where_there_is_room(void)
{
    struct wm_page_timeline timeline;
    int64_t wanted[WM_COST_KINDS], found[WM_COST_KINDS];

    fill(&timeline, wanted);
    CU_ASSERT_EQUAL(wm_page_timeline_fit(&timeline, 10000000), 0);
    CU_ASSERT_EQUAL(timeline.resolution_ns, 1);
    sum_up(&timeline, found);
    CU_ASSERT_EQUAL(memcmp(wanted, found, sizeof wanted), 0);
    wm_page_timeline_release(&timeline);
}

static void timeline__keeps_each_kinds_time_when_it_is_coarsened(void)
{
    struct wm_page_timeline timeline;
    int64_t wanted[WM_COST_KINDS], found[WM_COST_KINDS];
    struct printed printed;

    fill(&timeline, wanted);
    CU_ASSERT_EQUAL(wm_page_timeline_fit(&timeline, 2000), 0);
    CU_ASSERT_TRUE(timeline.resolution_ns > 300); /* coarser than any piece is long */
    sum_up(&timeline, found);
    for (int kind = 0; kind < WM_COST_KINDS; kind++)
        CU_ASSERT_TRUE(llabs(wanted[kind] - found[kind]) <= 12 * LANES * timeline.resolution_ns);
    CU_ASSERT_EQUAL(wm_page_timeline_print(&timeline, begin(&printed)->out), 0);
    fclose(printed.out);
    CU_ASSERT_TRUE(strlen(strstr(printed.text, "\"lanes\":")) < 2000 * 4 / 3 + 16);
    free(printed.text);
    wm_page_timeline_release(&timeline);
}

static void timeline__gives_time_that_two_pieces_claim_to_the_first(void)
{
    struct wm_page_timeline timeline;
    struct wm_page_look late = {WM_COST_LATE, 1, 1, WM_BCAST}, work = {WM_COST_WORK, 2, 1, WM_BCAST};
    int64_t sums[WM_COST_KINDS];

    CU_ASSERT_EQUAL_FATAL(wm_page_timeline_init(&timeline, LANES, 0), 0);
    CU_ASSERT_EQUAL(wm_page_timeline_add(&timeline, 1, &work, 60, 150), 0);
    CU_ASSERT_EQUAL(wm_page_timeline_add(&timeline, 1, &late, -20, 100), 0);
    CU_ASSERT_EQUAL(wm_page_timeline_fit(&timeline, 1000), 0);
    sum_up(&timeline, sums);
    CU_ASSERT_EQUAL(sums[WM_COST_LATE], 100);
    CU_ASSERT_EQUAL(sums[WM_COST_WORK], 50);
    wm_page_timeline_release(&timeline);
}

/* A call of four ranks, of which rank 2 comes late, and which takes so long after that. */
struct call {
    struct wm_trace_communicator communicator;
    int32_t ranks[4];
    struct wm_region regions[4];
    struct wm_instance instance;
};

static const struct wm_instance *make_call(struct call *call, uint32_t sequence, int64_t late_ns, int64_t length_ns)
{
    int64_t begin_ns = 1000000 * (int64_t)sequence;

    *call = (struct call){.communicator = {.size = 4}, .ranks = {0, 1, 2, 3}};
    call->communicator.ranks = call->ranks;
    for (int i = 0; i < 4; i++)
        call->regions[i] = (struct wm_region){
            .member = i,
            .node = 7,
            .operation = WM_BARRIER,
            .outermost = true,
            .left = true,
            .enter_ns = begin_ns + (i == 2 ? late_ns : 0),
            .leave_ns = begin_ns + late_ns + length_ns,
        };
    call->instance = (struct wm_instance){
        .communicator = &call->communicator, .sequence = sequence, .region_count = 4, .regions = call->regions};
    return &call->instance;
}

static void lateness__keeps_one_late_call_among_thousands(void)
{
    struct wm_trace trace = {.job_ranks = 4};
    struct wm_page_lateness lateness;
    const struct wm_page_late_table *table;
    uint64_t instances = 0, counted = 0;
    float max_ns = 0;
    struct call call;

    wm_page_lateness_init(&lateness, &trace);
    for (uint32_t i = 0; i < 5000; i++)
        CU_ASSERT_EQUAL(wm_page_lateness_add(&lateness, make_call(&call, i, i == 3210 ? 4096 : 0, 10)), 0);
    CU_ASSERT_EQUAL_FATAL(lateness.table_count, 1);
    table = &lateness.tables[0];
    CU_ASSERT_TRUE(table->column_count <= 2 * WM_PAGE_COLUMNS_MAX);
    for (size_t i = 0; i < table->column_count; i++) {
        instances += table->columns[i].instances;
        for (int row = 0; row < table->row_count; row++) {
            const struct wm_page_cell *cell = &table->cells[i * (size_t)table->row_count + (size_t)row];

            counted += cell->count;
            CU_ASSERT_TRUE(cell->max_ns == 0 || row == 2);
            max_ns = cell->max_ns > max_ns ? cell->max_ns : max_ns;
        }
    }
    CU_ASSERT_EQUAL(instances, 5000);
    CU_ASSERT_EQUAL(counted, 4 * 5000);
    CU_ASSERT_EQUAL(max_ns, 4096);
    CU_ASSERT_EQUAL(lateness.cell_count, table->column_count * 4);
    wm_page_lateness_release(&lateness);
}

static void lateness__is_printed_in_as_little_room_as_is_asked_for(void)
{
    struct wm_trace trace = {.job_ranks = 4};
    struct wm_page_lateness lateness;
    struct printed printed;
    struct call call;

    wm_page_lateness_init(&lateness, &trace);
    for (uint32_t i = 0; i < 500; i++)
        CU_ASSERT_EQUAL(wm_page_lateness_add(&lateness, make_call(&call, i, i, 10)), 0);
    CU_ASSERT_EQUAL(wm_page_lateness_print(&lateness, 4000, begin(&printed)->out), 0);
    fclose(printed.out);
    CU_ASSERT_TRUE(printed.length < 4000 + 400);
    CU_ASSERT_PTR_NOT_NULL(strstr(printed.text, "\"max_ns\":499"));
    free(printed.text);
    wm_page_lateness_release(&lateness);
}

static void instances__are_the_worst_and_the_median(void)
{
    struct wm_page_instances instances = {0};
    struct wm_page_choice choices[WM_PAGE_CHOSEN_MAX];
    struct call call;
    int count;

    for (uint32_t i = 0; i < 101; i++) /* durations 1 … 101, in another order */
        CU_ASSERT_EQUAL(wm_page_instances_add(&instances, make_call(&call, i, 0, 1 + i * 37 % 101)), 0);
    count = wm_page_instances_choose(&instances, choices);
    CU_ASSERT_EQUAL_FATAL(count, WM_PAGE_WORST + 1);
    for (int i = 0; i < WM_PAGE_WORST; i++) {
        CU_ASSERT_EQUAL(choices[i].note.duration_ns, 101 - i);
        CU_ASSERT_FALSE(choices[i].median);
    }
    CU_ASSERT_EQUAL(choices[WM_PAGE_WORST].note.duration_ns, 51);
    CU_ASSERT_TRUE(choices[WM_PAGE_WORST].median);
    wm_page_instances_release(&instances);
}

static const struct check_case cases[] = {
    CASE(bytes__are_base64),
    CASE(bytes__hold_numbers_by_seven_bits),
    CASE(strings__cannot_leave_their_tag),
    CASE(timeline__is_exact_where_there_is_room),
    CASE(timeline__keeps_each_kinds_time_when_it_is_coarsened),
    CASE(timeline__gives_time_that_two_pieces_claim_to_the_first),
    CASE(lateness__keeps_one_late_call_among_thousands),
    CASE(lateness__is_printed_in_as_little_room_as_is_asked_for),
    CASE(instances__are_the_worst_and_the_median),
};

CHECK_MAIN("page", cases)
