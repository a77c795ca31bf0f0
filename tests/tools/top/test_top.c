/* The live view: who waits for whom, what fits a window, and the terminal: keys, resizing, and that all is put back. */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include "waymark/operation.h"
#include "tests/check.h"
#include "tests/tracer/traces.h"
#include "tools/top/screen.h"
#include "tools/top/watch.h"

struct scene {
    struct traces traces;
    struct wm_live *live;
    struct wm_snapshot snapshot;
};

static void begin(struct scene *scene, int ranks)
{
    memset(scene, 0, sizeof *scene);
    traces_open(&scene->traces, ranks, 1 << 14, WM_TRACE_FLIGHT, NULL);
    traces_define_node(scene->traces.recorders[0], 1, "trace", 3, 17, "all");
    traces_define_node(scene->traces.recorders[0], 2, "reduce", 4, 17, "core flat");
}

static void enter(struct scene *scene, int rank, int operation, int node, int root, uint32_t sequence)
{
    traces_put(&scene->traces, rank, 100, WM_TRACE_ENTER, operation, node, root, sequence, 64);
}

static void await(struct scene *scene, int rank, enum wm_trace_kind kind, int peer, uint32_t sequence)
{
    traces_put(&scene->traces, rank, 200, kind, WM_ALLREDUCE, 2, peer, sequence, WM_TRACE_EDGE(0, 64));
}

/* With a patience of 0 everyone in a call is stuck. */
static void look(struct scene *scene, int64_t stuck_ns)
{
    struct wm_error error = {0};

    CU_ASSERT_EQUAL_FATAL(wm_live_open(&scene->live, scene->traces.directory, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_snapshot_make(&scene->snapshot, scene->live, stuck_ns), 0);
}

static void end(struct scene *scene)
{
    wm_snapshot_release(&scene->snapshot);
    wm_live_close(scene->live);
    traces_close(&scene->traces);
    traces_remove(&scene->traces);
}

static char *print(struct scene *scene, struct wm_top_view *view)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    CU_ASSERT_EQUAL(wm_top_print(file, &scene->snapshot, view), 0);
    fclose(file);
    return text;
}

static void expect(const char *text, const char *words)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(text, words));
    if (strstr(text, words) == NULL)
        fprintf(stderr, "missing: %s\nin:\n%s\n", words, text);
}

static void a_missing_rank__is_named_with_the_message(void)
{
    struct scene scene;
    struct wm_top_view view = {.columns = 400};
    char *text;

    begin(&scene, 3);
    enter(&scene, 0, WM_ALLREDUCE, 1, -1, 0);
    await(&scene, 0, WM_TRACE_RECV_POST, 2, 0);
    enter(&scene, 1, WM_ALLREDUCE, 1, -1, 0);
    look(&scene, 0);
    CU_ASSERT_EQUAL(scene.snapshot.rows[0].await, WM_AWAIT_MESSAGE);
    CU_ASSERT_EQUAL(scene.snapshot.rows[0].awaited[0], 2);
    CU_ASSERT_EQUAL(scene.snapshot.rows[0].culprit, 2);
    CU_ASSERT_EQUAL(scene.snapshot.rows[1].await, WM_AWAIT_ABSENT);
    CU_ASSERT_EQUAL_FATAL(scene.snapshot.rows[1].awaited_count, 1);
    CU_ASSERT_EQUAL(scene.snapshot.rows[1].awaited[0], 2);
    CU_ASSERT_EQUAL(scene.snapshot.rows[2].state, WM_TOP_COMPUTING);
    CU_ASSERT_EQUAL(scene.snapshot.stuck_count, 2);
    text = print(&scene, &view);
    expect(text, "3 of 3 ranks; 2 in MPI, 1 computing");
    expect(text, "ranks 0-1 are stuck in MPI_Allreduce at cluster.scm:4, call #0 on MPI_COMM_WORLD, for 0 ns: rank 0 "
                 "waits for rank 2 (message 0, 64 B), which never came to this call and has been computing, or in "
                 "point-to-point calls of its own, for ");
    expect(text, "MPI_Allreduce cluster.scm:3 #0; waits for rank 2 to come\n");
    free(text);
    end(&scene);
}

static void patience__keeps_ranks_from_being_stuck(void)
{
    struct scene scene;

    begin(&scene, 2);
    enter(&scene, 0, WM_ALLREDUCE, 0, -1, 0);
    look(&scene, INT64_MAX);
    CU_ASSERT_EQUAL(scene.snapshot.inside_count, 1);
    CU_ASSERT_EQUAL(scene.snapshot.stuck_count, 0);
    end(&scene);
}

static void a_chain_of_waits__is_followed_to_its_end(void)
{
    struct scene scene;
    char text[1024];

    begin(&scene, 4);
    for (int i = 0; i < 3; i++) {
        enter(&scene, i, WM_ALLREDUCE, 1, -1, 5);
        await(&scene, i, WM_TRACE_RECV_POST, i + 1, 5);
    }
    look(&scene, 0);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(scene.snapshot.rows[i].culprit, 3);
    wm_top_stuck_text(&scene.snapshot, &scene.snapshot.rows[0], &(int){0}, 1, text, sizeof text);
    expect(text, "rank 0 is stuck in MPI_Allreduce");
    expect(text, "waits for rank 1 (message 0, 64 B); in the end for rank 3, which never came to this call");
    end(&scene);
}

static void calls__that_do_not_match_are_told(void)
{
    struct scene scene;
    char text[1024];

    begin(&scene, 3);
    enter(&scene, 0, WM_ALLREDUCE, 1, -1, 5);
    await(&scene, 0, WM_TRACE_RECV_POST, 1, 5);
    enter(&scene, 1, WM_ALLREDUCE, 1, -1, 5);
    enter(&scene, 2, WM_BARRIER, 0, -1, 5);
    look(&scene, 0);
    wm_top_stuck_text(&scene.snapshot, &scene.snapshot.rows[0], (int[]){0, 1}, 2, text, sizeof text);
    expect(text, "rank 0 waits for rank 2, which made another call as number 5; the program's calls do not match");
    wm_top_stuck_text(&scene.snapshot, &scene.snapshot.rows[2], &(int){2}, 1, text, sizeof text);
    expect(text, "rank 2 is stuck in MPI_Barrier (native), call #5 on MPI_COMM_WORLD, for 0 ns: waits for ranks 0-1, "
                 "which made another call");
    end(&scene);
}

static void a_call_that_waits_for_its_path__has_come(void)
{
    struct scene scene;
    char text[1024];

    begin(&scene, 3);
    for (int i = 0; i < 2; i++)
        traces_put(&scene.traces, i, 100, WM_TRACE_ASK, WM_ALLREDUCE, 0, -1, 6, 1);
    look(&scene, 0);
    CU_ASSERT_EQUAL(scene.snapshot.inside_count, 2);
    wm_top_stuck_text(&scene.snapshot, &scene.snapshot.rows[0], (int[]){0, 1}, 2, text, sizeof text);
    expect(text,
           "ranks 0-1 are stuck in MPI_Allreduce, call #5 on MPI_COMM_WORLD, for 0 ns: rank 0 waits for rank 2 to "
           "come");
    traces_put(&scene.traces, 2, 150, WM_TRACE_ASK, WM_ALLREDUCE, 0, -1, 6, 1);
    CU_ASSERT_EQUAL(wm_live_poll(scene.live), 0);
    CU_ASSERT_EQUAL(wm_snapshot_make(&scene.snapshot, scene.live, 0), 0);
    wm_top_stuck_text(&scene.snapshot, &scene.snapshot.rows[0], (int[]){0, 1, 2}, 3, text, sizeof text);
    expect(text, "rank 0 waits for the map's answer");
    traces_put(&scene.traces, 0, 300, WM_TRACE_ASK, WM_ALLREDUCE, 0, -1, 6, 0);
    CU_ASSERT_EQUAL(wm_live_poll(scene.live), 0);
    CU_ASSERT_EQUAL(scene.live->ranks[0].call_count, 0);
    CU_ASSERT_EQUAL(scene.live->ranks[0].ended, 0);
    end(&scene);
}

/* What is left of a protocol's messages when the job hangs. */
static void messages__in_queues_are_counted(void)
{
    struct wm_top_view view = {.columns = 200};
    struct scene scene;
    char *text;

    begin(&scene, 2);
    for (int i = 0; i < 3; i++)
        traces_put(&scene.traces, 0, 100, WM_TRACE_MESSAGE_POST, 1, 0, -1, 0, 64);
    traces_put(&scene.traces, 0, 110, WM_TRACE_MESSAGE_POST, 0, 1, 1, 0, 64);
    for (int i = 0; i < 3; i++)
        traces_put(&scene.traces, 0, 120, WM_TRACE_MESSAGE_KEPT, WM_TRACE_MET_COPY, 1, 1, 0, WM_TRACE_KEPT(7, 500));
    traces_put(&scene.traces, 0, 130, WM_TRACE_MESSAGE_KEPT, WM_TRACE_MET_HEADER, 1, 1, 0, WM_TRACE_KEPT(0, 5000));
    traces_put(&scene.traces, 0, 140, WM_TRACE_MESSAGE_MATCH, WM_TRACE_MET_EXPECTED, 1, 1, 64, 40);
    traces_put(&scene.traces, 0, 140, WM_TRACE_MESSAGE_DONE, 1, 0, 1, 0, 64);
    traces_put(&scene.traces, 0, 150, WM_TRACE_MESSAGE_MATCH, WM_TRACE_MET_COPY, 1, 1, 500, 40);
    look(&scene, 0);
    text = print(&scene, &view);
    expect(text, "computing; messages: 2 receives and 1 send wait, 3 kept (1000 B)");
    CU_ASSERT_EQUAL(scene.live->ranks[1].queues.kept, 0);
    free(text);
    end(&scene);
}

static void region(struct scene *scene, int rank, uint32_t number, enum wm_trace_region place)
{
    wm_record_at(scene->traces.rings[rank], scene->traces.base_ns + 100, WM_TRACE_REGION, (uint8_t)place, 0, number, -1,
                 0, 0);
}

/* Of nested superblocks the inner one counts, until it ends; in a call, the call does. */
static void a_subrank__is_in_a_region(void)
{
    struct wm_top_view view = {.columns = 200};
    struct scene scene;
    char *text;

    begin(&scene, 4);
    for (int i = 0; i < 4; i++)
        traces_define(scene.traces.recorders[i],
                      json_pack("{ss, si, ss}", "define", "superblock", "superblock", 3, "name", "halo"));
    region(&scene, 0, 3, WM_TRACE_REGION_BEGIN);
    region(&scene, 0, 3, WM_TRACE_REGION_SEND);
    region(&scene, 0, 3, WM_TRACE_REGION_WAIT);
    region(&scene, 0, 3, WM_TRACE_REGION_IDLE);
    region(&scene, 1, 3, WM_TRACE_REGION_COMPUTE); /* its begin is lost */
    for (int i = 0; i < 12; i++)
        region(&scene, 1, 4, WM_TRACE_REGION_BEGIN); /* itself, deeper than is kept */
    for (int i = 0; i < 7; i++)
        region(&scene, 1, 4, WM_TRACE_REGION_END);
    region(&scene, 1, 4, WM_TRACE_REGION_UNPACK);
    region(&scene, 2, 3, WM_TRACE_REGION_PACK);
    enter(&scene, 2, WM_ALLREDUCE, 1, -1, 0);
    region(&scene, 3, 3, WM_TRACE_REGION_BEGIN);
    region(&scene, 3, 3, WM_TRACE_REGION_END);
    region(&scene, 3, 3, WM_TRACE_REGION_END);
    region(&scene, 3, 3, WM_TRACE_REGION_PLACES);
    look(&scene, INT64_MAX);
    text = print(&scene, &view);
    expect(text, "asleep before the next region of 'halo'");
    expect(text, "unpacking in superblock 4");
    expect(text, "MPI_Allreduce cluster.scm:3 #0");
    expect(text, "1 in MPI, 3 computing");
    CU_ASSERT_EQUAL(scene.snapshot.rows[3].state, WM_TOP_COMPUTING);
    free(text);
    end(&scene);
}

/* Numbers of a statement are each rank's own: another one is no other call. */
static void a_statement__has_its_name_and_line(void)
{
    struct wm_top_view view = {.columns = 200};
    struct scene scene;
    char *text;

    begin(&scene, 2);
    for (int i = 0; i < 2; i++) {
        traces_define(scene.traces.recorders[i],
                      json_pack("{ss si ss ss ss si ss}", "define", "statement", "statement", 4 + i, "name",
                                i == 0 ? "halo" : "", "text", "x <<= y", "file", "src/jacobi.c", "line", 81 + i,
                                "carried", "global"));
        enter(&scene, i, WM_STATEMENT, 1, 4 + i, 3);
    }
    look(&scene, 0);
    CU_ASSERT_EQUAL(scene.snapshot.rows[0].await, WM_AWAIT_NOBODY);
    text = print(&scene, &view);
    expect(text, "ranks 0-1 are stuck in WM_COMMUNICATE halo (jacobi.c:81) at cluster.scm:3");
    expect(text, "WM_COMMUNICATE (jacobi.c:82) cluster.scm:3 #3");
    free(text);
    end(&scene);
}

static void a_circle__is_called_one(void)
{
    struct scene scene;
    char text[1024];

    begin(&scene, 2);
    for (int i = 0; i < 2; i++) {
        enter(&scene, i, WM_ALLREDUCE, 1, -1, 0);
        await(&scene, i, WM_TRACE_RECV_POST, 1 - i, 0);
    }
    look(&scene, 0);
    CU_ASSERT_EQUAL(scene.snapshot.rows[0].culprit, -1);
    wm_top_stuck_text(&scene.snapshot, &scene.snapshot.rows[0], &(int){0}, 1, text, sizeof text);
    expect(text, "the ranks wait for each other in a circle");
    end(&scene);
}

static void of_a_broadcast__the_root_alone_is_awaited(void)
{
    struct scene scene;

    begin(&scene, 4);
    enter(&scene, 1, WM_BCAST, 0, 2, 0);
    look(&scene, 0);
    CU_ASSERT_EQUAL_FATAL(scene.snapshot.rows[1].awaited_count, 1);
    CU_ASSERT_EQUAL(scene.snapshot.rows[1].awaited[0], 2);
    enter(&scene, 2, WM_BCAST, 0, 2, 0);
    CU_ASSERT_EQUAL(wm_live_poll(scene.live), 0);
    CU_ASSERT_EQUAL(wm_snapshot_make(&scene.snapshot, scene.live, 0), 0);
    CU_ASSERT_EQUAL(scene.snapshot.rows[1].await, WM_AWAIT_NOBODY);
    end(&scene);
}

static void a_send_that_is_not_taken__waits_for_its_receiver(void)
{
    struct scene scene;

    begin(&scene, 2);
    for (int i = 0; i < 2; i++)
        enter(&scene, i, WM_ALLREDUCE, 1, -1, 0);
    await(&scene, 0, WM_TRACE_SEND_POST, 1, 0);
    look(&scene, 0);
    CU_ASSERT_EQUAL(scene.snapshot.rows[0].await, WM_AWAIT_RECEIVER);
    CU_ASSERT_EQUAL(scene.snapshot.rows[0].awaited[0], 1);
    end(&scene);
}

static int count_lines(const char *text, size_t columns)
{
    int lines = 0;

    for (const char *at = text, *line_end; (line_end = strchr(at, '\n')) != NULL; at = line_end + 1, lines++) {
        size_t wide = 0;

        for (const char *c = at; c < line_end; c++)
            wide += ((unsigned char)*c & 0xc0) != 0x80;
        CU_ASSERT_TRUE(wide <= columns);
    }
    return lines;
}

static void a_small_window__gets_groups_and_nothing_wider(void)
{
    struct scene scene;
    struct wm_top_view view = {.lines = 7, .columns = 60, .keys = true};
    char *text;

    begin(&scene, 8);
    for (int i = 0; i < 7; i++)
        enter(&scene, i, WM_BARRIER, 0, -1, 3);
    look(&scene, INT64_MAX);
    text = print(&scene, &view);
    CU_ASSERT_TRUE(count_lines(text, 60) <= 7);
    expect(text, "\n  0-6 ");
    expect(text, "\n  7 ");
    expect(text, "q: quit   s: sort, now by rank");
    free(text);
    end(&scene);
}

static void rows__scroll_no_further_than_there_are(void)
{
    struct scene scene;
    struct wm_top_view view = {.lines = 6, .columns = 100, .keys = true, .scroll = 100};
    char *text;

    begin(&scene, 8);
    for (int i = 0; i < 7; i++)
        enter(&scene, i, WM_BARRIER, 0, -1, (uint32_t)i);
    look(&scene, INT64_MAX);
    text = print(&scene, &view);
    CU_ASSERT_EQUAL(view.scroll, 5);
    expect(text, "arrows: rows 6-8 of 8");
    CU_ASSERT_EQUAL(count_lines(text, 100), 6);
    free(text);
    end(&scene);
}

/* A live view in a terminal of its own. */
struct session {
    int master;
    pid_t child;
    size_t length, read_up_to;
    char output[1 << 20];
};

static void start(struct session *session, const struct traces *traces, int stuck_ms)
{
    struct winsize window = {.ws_row = 24, .ws_col = 100};

    memset(session, 0, sizeof *session);
    session->child = forkpty(&session->master, NULL, NULL, &window);
    CU_ASSERT_TRUE_FATAL(session->child >= 0);
    if (session->child == 0)
        _exit(wm_watch_run(&(struct wm_watch){.directory = traces->directory,
                                              .interval_ns = 20000000,
                                              .stuck_ns = stuck_ms * INT64_C(1000000),
                                              .until_stuck = stuck_ms < 1000}));
}

/* Read on until these words come behind those that were waited for before. */
static bool comes(struct session *session, const char *words)
{
    for (;;) {
        struct pollfd input = {session->master, POLLIN, 0};
        char *found = strstr(session->output + session->read_up_to, words);
        ssize_t count;

        if (found != NULL) {
            session->read_up_to = (size_t)(found - session->output) + strlen(words);
            return true;
        }
        if (session->length + 4096 >= sizeof session->output || poll(&input, 1, 30000) <= 0)
            return false;
        count = read(session->master, session->output + session->length, 4096);
        if (count <= 0)
            return false;
        session->length += (size_t)count;
    }
}

static void press(struct session *session, const char *keys)
{
    CU_ASSERT_EQUAL(write(session->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static bool is_raw(const struct session *session)
{
    struct termios state;

    CU_ASSERT_EQUAL(tcgetattr(session->master, &state), 0);
    return (state.c_lflag & (ICANON | ECHO)) == 0;
}

/* The status with which it ends; the terminal is as it was. */
static int finish(struct session *session)
{
    int status = -1;

    CU_ASSERT_TRUE(comes(session, "\033[?25h"));
    CU_ASSERT_EQUAL(waitpid(session->child, &status, 0), session->child);
    CU_ASSERT_FALSE(is_raw(session));
    close(session->master);
    return status;
}

static struct session session;

static void keys_and_resizing__are_obeyed(void)
{
    struct scene scene;
    int status;

    begin(&scene, 8);
    for (int i = 0; i < 7; i++)
        enter(&scene, i, WM_BARRIER, 0, -1, (uint32_t)i);
    start(&session, &scene.traces, 100000);
    CU_ASSERT_TRUE(comes(&session, "\033[?25l"));
    CU_ASSERT_TRUE(comes(&session, "8 of 8 ranks; 7 in MPI, 1 computing"));
    CU_ASSERT_TRUE(comes(&session, "now by rank"));
    CU_ASSERT_TRUE(is_raw(&session));
    press(&session, "s");
    CU_ASSERT_TRUE(comes(&session, "now by time"));
    press(&session, "ss");
    CU_ASSERT_TRUE(comes(&session, "now by rank"));
    press(&session, "p");
    CU_ASSERT_TRUE(comes(&session, "PAUSED"));
    CU_ASSERT_EQUAL(ioctl(session.master, TIOCSWINSZ, &(struct winsize){.ws_row = 7, .ws_col = 100}), 0);
    CU_ASSERT_TRUE(comes(&session, "rows 1-3 of 8"));
    press(&session, "\033[B");
    CU_ASSERT_TRUE(comes(&session, "rows 2-4 of 8"));
    press(&session, "\033[6~");
    CU_ASSERT_TRUE(comes(&session, "rows 4-6 of 8"));
    press(&session, "\033[A");
    CU_ASSERT_TRUE(comes(&session, "rows 3-5 of 8"));
    press(&session, "xp");
    CU_ASSERT_TRUE(comes(&session, "p: pause"));
    traces_put(&scene.traces, 7, 300, WM_TRACE_ENTER, WM_BARRIER, 0, -1, 9, 0);
    CU_ASSERT_TRUE(comes(&session, "8 in MPI, 0 computing"));
    press(&session, "q");
    status = finish(&session);
    CU_ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    traces_close(&scene.traces);
    traces_remove(&scene.traces);
}

static void signals__put_the_terminal_back_first(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct scene scene;

    begin(&scene, 2);
    for (int i = 0; i < 3; i++) {
        int status;

        start(&session, &scene.traces, 100000);
        CU_ASSERT_TRUE(comes(&session, "now by rank"));
        CU_ASSERT_TRUE(is_raw(&session));
        if (signals[i] == SIGINT)
            press(&session, "\003");
        else
            kill(session.child, signals[i]);
        status = finish(&session);
        CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
    }
    traces_close(&scene.traces);
    traces_remove(&scene.traces);
}

static void a_stuck_rank__ends_the_watch(void)
{
    struct scene scene;
    int status;

    begin(&scene, 2);
    scene.traces.base_ns -= 5000000000; /* the call began seconds ago */
    start(&session, &scene.traces, 500);
    CU_ASSERT_TRUE(comes(&session, "0 in MPI, 2 computing"));
    enter(&scene, 0, WM_BARRIER, 0, -1, 0);
    CU_ASSERT_TRUE(comes(&session, "rank 0 is stuck in MPI_Barrier"));
    status = finish(&session);
    CU_ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == WM_WATCH_STUCK);
    traces_close(&scene.traces);
    traces_remove(&scene.traces);
}

static const struct check_case cases[] = {
    CASE(a_missing_rank__is_named_with_the_message),
    CASE(patience__keeps_ranks_from_being_stuck),
    CASE(a_chain_of_waits__is_followed_to_its_end),
    CASE(calls__that_do_not_match_are_told),
    CASE(a_call_that_waits_for_its_path__has_come),
    CASE(messages__in_queues_are_counted),
    CASE(a_subrank__is_in_a_region),
    CASE(a_statement__has_its_name_and_line),
    CASE(a_circle__is_called_one),
    CASE(of_a_broadcast__the_root_alone_is_awaited),
    CASE(a_send_that_is_not_taken__waits_for_its_receiver),
    CASE(a_small_window__gets_groups_and_nothing_wider),
    CASE(rows__scroll_no_further_than_there_are),
    CASE(keys_and_resizing__are_obeyed),
    CASE(signals__put_the_terminal_back_first),
    CASE(a_stuck_rank__ends_the_watch),
};

CHECK_MAIN("top", cases)
