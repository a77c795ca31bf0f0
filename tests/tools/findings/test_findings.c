/* Findings, their edits, and the JSON report, of analyses whose answers were worked out by hand. */
#include <limits.h>
#include "tests/check.h"
#include "tests/tracer/traces.h"
#include "tools/findings/findings.h"
#include "tools/findings/map_text.h"
#include "tools/text/output.h"
#include "tools/report/json.h"

static const char map_text[] = "(path-map ; not (path\n"
                               "  (on bcast\n"
                               "    ((= bytes 5) \"(path\" (path (trace 'a)\n"
                               "                  (bcast all #:shape 'chain)))\n"
                               "    (else (path (remote 'mpi) (bcast all)))))\n";

/* An analysis of two hosts with two ranks each, of one bcast line with one stage, made by hand. */
struct scene {
    struct traces traces;
    struct wm_trace *trace;
    struct wm_analysis analysis;
    struct wm_conveyor_table conveyors;
    struct wm_protocol_table protocols;
    struct wm_statement_table statements;
    struct wm_superblock_table superblocks;
    struct wm_line lines[2];
    struct wm_edge_cost edges[3];
    struct wm_delay delays[1];
    struct wm_size_cost sizes[2];
    int64_t waits[4];
    uint64_t lasts[4];
    struct wm_finding findings[WM_FINDINGS_MAX];
    int count;
};

static void begin(struct scene *scene, int stage)
{
    struct wm_error error = {0};

    memset(scene, 0, sizeof *scene);
    traces_open(&scene->traces, 4, 1 << 16, WM_TRACE_FLIGHT, map_text);
    traces_define_node(scene->traces.recorders[0], 1, "trace", 3, 32, "a");
    traces_define_node(scene->traces.recorders[0], 2, "bcast", 4, 19, "all #:shape 'chain");
    traces_define_node(scene->traces.recorders[0], 3, "bcast", 5, 31, "all");
    traces_close(&scene->traces);
    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&scene->trace, scene->traces.directory, &error), 0);
    for (int i = 2; i < 4; i++)
        strcpy(scene->trace->ranks[i].host, "beta");
    scene->lines[0] = (struct wm_line){.node = 1,
                                       .operation = WM_BCAST,
                                       .visited = true,
                                       .outermost = true,
                                       .calls = 98,
                                       .regions = 392,
                                       .time_ns = 1000000,
                                       .wait_by_rank = scene->waits,
                                       .last_by_rank = scene->lasts};
    scene->lines[1] = (struct wm_line){
        .node = (uint16_t)stage, .operation = WM_BCAST, .calls = 98, .messages = 294, .time_ns = 1000000};
    scene->analysis = (struct wm_analysis){.run_ns = 4000000,
                                           .span_ns = 1000000,
                                           .line_count = 2,
                                           .lines = scene->lines,
                                           .conveyors = &scene->conveyors,
                                           .protocols = &scene->protocols,
                                           .statements = &scene->statements,
                                           .superblocks = &scene->superblocks};
    scene->analysis.edges = scene->edges;
    scene->analysis.delays = scene->delays;
}

static const struct wm_finding *find(struct scene *scene)
{
    scene->count = wm_findings_make(scene->trace, &scene->analysis, scene->findings);
    CU_ASSERT_FATAL(scene->count >= 1);
    return &scene->findings[0];
}

static void end(struct scene *scene)
{
    wm_trace_close(scene->trace);
    traces_remove(&scene->traces);
}

static void put_late_root(struct scene *scene)
{
    scene->lines[0].late_ns = 600000;
    scene->waits[0] = 600000;
    scene->lasts[0] = 97;
}

static void late__root_is_told_from_late_rank(void)
{
    struct scene scene;
    const struct wm_finding *finding;

    begin(&scene, 2);
    put_late_root(&scene);
    finding = find(&scene);
    CU_ASSERT_EQUAL(finding->kind, WM_FINDING_LATE_ROOT);
    CU_ASSERT_EQUAL(finding->rank, 0);
    CU_ASSERT_EQUAL(finding->lost_ns, 600000);
    CU_ASSERT_EQUAL(finding->confidence, 98); /* (97 + 1) / (98 + 2) */
    CU_ASSERT_PTR_NOT_NULL(strstr(finding->sentence, "MPI_Ibcast"));
    scene.lines[0].operation = scene.lines[1].operation = WM_ALLREDUCE;
    CU_ASSERT_EQUAL(find(&scene)->kind, WM_FINDING_LATE_RANK);
    end(&scene);
}

static void late__rank_says_what_it_did(void)
{
    struct scene scene;

    begin(&scene, 2);
    put_late_root(&scene);
    scene.analysis.delay_count = 1;
    scene.delays[0] = (struct wm_delay){.rank = 0,
                                        .node = 1,
                                        .operation = WM_BCAST,
                                        .computing = true,
                                        .instances = 100,
                                        .cost_ns = 600000,
                                        .excess_ns = 200000};
    CU_ASSERT_PTR_NOT_NULL(strstr(find(&scene)->sentence, "it computed 2.00 µs longer than the others"));
    end(&scene);
}

static void late__rank_is_not_blamed_for_what_a_call_did(void)
{
    struct scene scene;

    begin(&scene, 2);
    put_late_root(&scene);
    scene.lines[1].inside_ns = 300000;
    scene.analysis.delay_count = 1;
    scene.delays[0] = (struct wm_delay){.rank = 0,
                                        .node = 1,
                                        .operation = WM_BCAST,
                                        .cause_node = 1,
                                        .cause_operation = WM_BCAST,
                                        .instances = 98,
                                        .cost_ns = 600000,
                                        .excess_ns = 200000};
    scene.lines[0].late_ns = 0; /* of the cause: it is all its own */
    CU_ASSERT_EQUAL(find(&scene)->kind, WM_FINDING_SHAPE);
    CU_ASSERT_EQUAL(find(&scene)->lost_ns, 900000);
    end(&scene);
}

static void late__turns_are_nobodys(void)
{
    struct scene scene;

    begin(&scene, 2);
    scene.lines[0].operation = scene.lines[1].operation = WM_ALLREDUCE;
    scene.lines[0].late_ns = 400000;
    for (int i = 0; i < 4; i++)
        scene.waits[i] = 100000;
    CU_ASSERT_EQUAL(find(&scene)->kind, WM_FINDING_LATE_TURNS);
    end(&scene);
}

static void ranking__puts_the_unresolved_last(void)
{
    struct scene scene;

    begin(&scene, 2);
    put_late_root(&scene);
    scene.lines[0].error_ns = 700000;
    scene.lines[1].transfer_ns = 100000;
    CU_ASSERT_EQUAL(find(&scene)->kind, WM_FINDING_TRANSFER);
    CU_ASSERT_EQUAL_FATAL(scene.count, 2);
    CU_ASSERT_EQUAL(scene.findings[1].kind, WM_FINDING_LATE_ROOT);
    CU_ASSERT_EQUAL(scene.findings[1].confidence, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(scene.findings[1].because, "below the clock's resolution"));
    end(&scene);
}

static void put_sizes(struct scene *scene)
{
    scene->sizes[0] = (struct wm_size_cost){.bytes = 4096, .messages = 100, .late_receiver_ns = 1000};
    scene->sizes[1] =
        (struct wm_size_cost){.bytes = 5000, .messages = 200, .late_receiver_ns = 450000, .transfer_ns = 50000};
    scene->lines[1].sizes = scene->sizes;
    scene->lines[1].size_count = 2;
    scene->lines[1].inside_ns = 451000;
    scene->edges[0] =
        (struct wm_edge_cost){.node = scene->lines[1].node, .source = 0, .destination = 1, .messages = 300};
    scene->analysis.edge_count = 1;
}

static void eager__limit_of_shared_memory_is_raised(void)
{
    struct scene scene;
    const struct wm_finding *finding;

    begin(&scene, 2);
    put_sizes(&scene);
    CU_ASSERT_NOT_EQUAL(find(&scene)->kind, WM_FINDING_EAGER); /* the limit is not known */
    scene.trace->ranks[0].shm_eager_bytes = 4096;
    finding = find(&scene);
    CU_ASSERT_EQUAL(finding->kind, WM_FINDING_EAGER);
    CU_ASSERT_EQUAL(finding->lost_ns, 500000);
    CU_ASSERT_EQUAL(finding->confidence, 90);
    CU_ASSERT_EQUAL(finding->edit.line, 4);
    CU_ASSERT_EQUAL(finding->edit.column, 19);
    CU_ASSERT_STRING_EQUAL(finding->edit.before, "(bcast all #:shape 'chain)");
    CU_ASSERT_STRING_EQUAL(finding->edit.after, "(remote 'auto #:eager 8KiB) (bcast all #:shape 'chain)");
    scene.sizes[1].bytes = 5 * 4096; /* far above is another matter */
    CU_ASSERT_NOT_EQUAL(find(&scene)->kind, WM_FINDING_EAGER);
    end(&scene);
}

static void eager__limit_of_mpi_counts_where_the_map_says_so(void)
{
    struct scene scene;

    begin(&scene, 3);
    put_sizes(&scene);
    scene.trace->ranks[0].shm_eager_bytes = 1 << 20;
    scene.trace->ranks[0].mpi_eager_bytes = 4040;
    CU_ASSERT_EQUAL(find(&scene)->kind, WM_FINDING_EAGER);
    CU_ASSERT_STRING_EQUAL(scene.findings[0].edit.before, "(remote 'mpi)");
    CU_ASSERT_STRING_EQUAL(scene.findings[0].edit.after, "(remote 'auto #:eager 8KiB)");
    end(&scene);
}

static void eager__limit_between_hosts_cuts_into_pieces(void)
{
    struct scene scene;

    begin(&scene, 2);
    put_sizes(&scene);
    scene.edges[0].destination = 2;
    scene.trace->ranks[0].mpi_eager_far_bytes = 4900;
    CU_ASSERT_EQUAL(find(&scene)->kind, WM_FINDING_EAGER);
    CU_ASSERT_STRING_EQUAL(scene.findings[0].edit.after, "(segment 4KiB) (bcast all #:shape 'chain)");
    end(&scene);
}

/* A chain 0 2 1 3 over hosts alpha (0, 1) and beta (2, 3): three crossings, where one would do. */
static void put_chain(struct scene *scene)
{
    static const int ends[3][2] = {{0, 2}, {2, 1}, {1, 3}};

    for (int i = 0; i < 3; i++)
        scene->edges[i] = (struct wm_edge_cost){.node = 2,
                                                .source = ends[i][0],
                                                .destination = ends[i][1],
                                                .messages = 98,
                                                .propagation_ns = 98000 * (i == 1 ? 2 : 1),
                                                .instances = 98,
                                                .critical = 98,
                                                .critical_ns = 98000};
    scene->analysis.edge_count = 3;
    scene->lines[1].inside_ns = 600000;
    scene->lines[1].transfer_ns = 300000;
}

static void far__chain_over_two_hosts_is_split_by_axes(void)
{
    struct scene scene;
    const struct wm_finding *finding;

    begin(&scene, 2);
    put_chain(&scene);
    finding = find(&scene);
    CU_ASSERT_EQUAL(finding->kind, WM_FINDING_FAR_EDGES);
    CU_ASSERT_EQUAL(finding->source, 2);
    CU_ASSERT_EQUAL(finding->destination, 1);
    CU_ASSERT_EQUAL(finding->lost_ns, 600000);
    CU_ASSERT_STRING_EQUAL(finding->edit.after, "(bcast node) (bcast core)");
    end(&scene);
}

static void far__edges_as_fast_as_near_ones_are_not(void)
{
    struct scene scene;

    begin(&scene, 2);
    put_chain(&scene);
    scene.edges[2].destination = 0; /* within alpha, half as slow as the slowest */
    CU_ASSERT_NOT_EQUAL(find(&scene)->kind, WM_FINDING_FAR_EDGES);
    end(&scene);
}

static void map__forms_are_read_past_strings_and_comments(void)
{
    struct scene scene;
    struct wm_map_form form, path, stage;
    char value[16];

    begin(&scene, 2);
    CU_ASSERT_TRUE_FATAL(wm_map_form_of_node(scene.trace, 2, &form));
    CU_ASSERT_EQUAL(strncmp(form.begin, "(bcast all #:shape 'chain)", form.length), 0);
    CU_ASSERT_TRUE_FATAL(wm_map_path_around(scene.trace, &form, &path));
    CU_ASSERT_EQUAL(strncmp(path.begin, "(path (trace 'a)", 16), 0);
    CU_ASSERT_TRUE(wm_map_stage_in(&path, &stage));
    CU_ASSERT_PTR_EQUAL(stage.begin, form.begin);
    CU_ASSERT_FALSE(wm_map_wrapper_in(&path, "remote", &stage));
    CU_ASSERT_TRUE(wm_map_form_value(&form, "#:shape", value, sizeof value));
    CU_ASSERT_STRING_EQUAL(value, "'chain");
    CU_ASSERT_FALSE(wm_map_form_says(&form, "chain"));
    CU_ASSERT_FALSE(wm_map_has_grid(scene.trace));
    CU_ASSERT_FALSE(wm_map_form_of_node(scene.trace, 9, &form));
    end(&scene);
}

static void json__holds_what_was_found(void)
{
    struct scene scene;
    json_t *report, *finding;
    char *text;

    begin(&scene, 2);
    put_chain(&scene);
    find(&scene);
    report = wm_report_json(scene.trace, &scene.analysis);
    CU_ASSERT_PTR_NOT_NULL_FATAL(report);
    finding = json_array_get(json_object_get(report, "findings"), 0);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(finding, "kind")), "far-edges");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(finding, "source")), 2);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(json_object_get(finding, "edit"), "line")), 4);
    CU_ASSERT_PTR_NULL(json_object_get(finding, "rank")); /* unknown is absent */
    CU_ASSERT_EQUAL(json_array_size(json_object_get(report, "edges")), 3);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(report, "schema")), WM_REPORT_SCHEMA);
    text = json_dumps(report, 0);
    CU_ASSERT_PTR_NOT_NULL(text);
    free(text);
    json_decref(report);
    end(&scene);
}

static void json__cuts_no_character_in_two(void)
{
    struct wm_json_writer writer = {0};
    json_t *object = json_object();

    wm_json_put_text(&writer, object, "cut", "1 \xc2\xb5s, 2 \xc2");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(object, "cut")), "1 µs, 2 ");
    wm_json_put_text(&writer, object, "absent", NULL);
    CU_ASSERT_PTR_NULL(json_object_get(object, "absent"));
    CU_ASSERT_FALSE(writer.failed);
    wm_json_put(&writer, object, "failed", NULL);
    CU_ASSERT_TRUE(writer.failed);
    json_decref(object);
}

static size_t count_files(const char *directory)
{
    DIR *stream = opendir(directory);
    size_t count = 0;

    while (stream != NULL && readdir(stream) != NULL)
        count++;
    if (stream != NULL)
        closedir(stream);
    return count;
}

static void receives__the_latest_ones_are_named(void)
{
    static const struct wm_trace_protocol mail = {1, "mail", 0, 2}, news = {2, "news", 1, 2};
    struct wm_protocol_end ends[] = {
        {.definition = &mail, .rank = 0, .node = 1, .met = {{90, 900, 10}, {10, 3000, 400}}, .copied_bytes = 1000},
        {.definition = &news, .rank = 1, .node = 1, .met = {{91, 900, 10}, {0}, {9, 9000, 2000}}}};
    struct scene scene;
    const struct wm_finding *last;

    begin(&scene, 2);
    scene.protocols = (struct wm_protocol_table){.count = 2, .ends = ends};
    find(&scene); /* of the others fewer than one in ten came early */
    last = &scene.findings[scene.count - 1];
    CU_ASSERT_EQUAL_FATAL(last->kind, WM_FINDING_LATE_RECEIVE);
    CU_ASSERT_EQUAL(last->rank, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(last->sentence,
                                  "10 of 100 messages of the protocol 'mail' came to endpoint 0, rank 0, "
                                  "before a receive; 10 were copied, 1000 B in 0 ns, and waited 300 ns "
                                  "on average, 400 ns at most"));
    CU_ASSERT_PTR_NOT_NULL(strstr(last->sentence, "Post the receives of 'mail' at endpoint 0 earlier"));
    end(&scene);
}

static void output__appears_completely_or_not_at_all(void)
{
    char directory[64], name[PATH_MAX];
    struct wm_error error = {0};
    struct wm_output output;

    traces_make_directory(directory);
    snprintf(name, sizeof name, "%s/report", directory);
    CU_ASSERT_EQUAL_FATAL(wm_output_open(&output, name, &error), 0);
    fputs("half", output.file);
    CU_ASSERT_NOT_EQUAL(access(name, F_OK), 0);
    wm_output_abandon(&output);
    CU_ASSERT_EQUAL(count_files(directory), 2); /* . and .. */
    CU_ASSERT_EQUAL_FATAL(wm_output_open(&output, name, &error), 0);
    fputs("whole", output.file);
    CU_ASSERT_EQUAL(wm_output_commit(&output, &error), 0);
    CU_ASSERT_EQUAL(access(name, R_OK), 0);
    CU_ASSERT_EQUAL(count_files(directory), 3);
    CU_ASSERT(wm_output_open(&output, "no/such/directory/report", &error) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "no/such/directory/report"));
    traces_remove_directory(directory);
}

static void output__full_device_is_an_error(void)
{
    struct wm_error error = {0};
    struct wm_output output;

    if (wm_output_open(&output, "/dev/full", &error) < 0)
        return; /* there is none here */
    fputs("anything", output.file);
    CU_ASSERT(wm_output_commit(&output, &error) < 0);
    CU_ASSERT_EQUAL(access("/dev/full", F_OK), 0);
}

static const struct check_case cases[] = {
    CASE(late__root_is_told_from_late_rank),
    CASE(late__rank_says_what_it_did),
    CASE(late__rank_is_not_blamed_for_what_a_call_did),
    CASE(late__turns_are_nobodys),
    CASE(ranking__puts_the_unresolved_last),
    CASE(eager__limit_of_shared_memory_is_raised),
    CASE(eager__limit_of_mpi_counts_where_the_map_says_so),
    CASE(eager__limit_between_hosts_cuts_into_pieces),
    CASE(far__chain_over_two_hosts_is_split_by_axes),
    CASE(far__edges_as_fast_as_near_ones_are_not),
    CASE(map__forms_are_read_past_strings_and_comments),
    CASE(json__holds_what_was_found),
    CASE(json__cuts_no_character_in_two),
    CASE(receives__the_latest_ones_are_named),
    CASE(output__appears_completely_or_not_at_all),
    CASE(output__full_device_is_an_error),
};

CHECK_MAIN("findings", cases)
