/* What holds of every trace: random instances, whole and with records lost, against identities and slow models.
 *
 * Times are all different, so that the models need not know how ties are broken. */
#include "tests/check.h"
#include "tests/tools/analysis/analysed.h"
#include "tools/analysis/critical.h"

enum { ROUNDS = 250, RANKS = 6, INSTANCES = 5, MESSAGES = 9, RECORDS = 400, NONE = -1 };

static uint64_t random_state;

static int64_t draw(int64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((random_state >> 33) % (uint64_t)below);
}

/* Records of one rank, before they are put in order and written. */
struct script {
    size_t count;
    struct wm_trace_record records[RECORDS];
};

struct stage_play {
    int ranks;
    uint32_t times; /* given away so far */
    struct script scripts[RANKS];
};

/* A time of its own, a little after `at_ns`. */
static int64_t unique(struct stage_play *play, int64_t at_ns)
{
    return at_ns / 4096 * 4096 + 4096 + play->times++ % 4096;
}

static void put(struct stage_play *play, int rank, int64_t at_ns, enum wm_trace_kind kind, int operation, int node,
                int peer, uint32_t sequence, uint64_t argument)
{
    struct script *script = &play->scripts[rank];

    CU_ASSERT_FATAL(script->count < RECORDS);
    script->records[script->count++] = (struct wm_trace_record){
        (uint64_t)at_ns, argument, sequence, 0, peer, (uint16_t)node, (uint8_t)kind, (uint8_t)operation};
}

static int compare_records(const void *a, const void *b)
{
    const struct wm_trace_record *x = a, *y = b;

    return (x->time_ticks > y->time_ticks) - (x->time_ticks < y->time_ticks);
}

/* Messages between ranks that have entered; `ends_ns` is raised to the latest end on each rank. */
static void play_messages(struct stage_play *play, uint32_t sequence, const int64_t *enters_ns, int64_t *ends_ns)
{
    int64_t count = draw(MESSAGES + 1), begin_ns = enters_ns[draw(play->ranks)];

    for (int64_t i = 0; i < count; i++) {
        int from = (int)draw(play->ranks), to = (from + 1 + (int)draw(play->ranks - 1)) % play->ranks;
        int node = draw(2) ? NODE_REDUCE : NODE_NODE;
        uint64_t edge = WM_TRACE_EDGE(i, draw(4) ? 1 + draw(90) : 0);
        int64_t send_ns = begin_ns + draw(1000000), post_ns = begin_ns + draw(1000000), sent_ns, got_ns;

        send_ns = unique(play, send_ns > enters_ns[from] ? send_ns : enters_ns[from]);
        post_ns = unique(play, post_ns > enters_ns[to] ? post_ns : enters_ns[to]);
        sent_ns = unique(play, send_ns + draw(300000));
        got_ns = unique(play, (send_ns > post_ns ? send_ns : post_ns) + draw(300000));
        put(play, from, send_ns, WM_TRACE_SEND_POST, 0, node, to, sequence, edge);
        put(play, from, sent_ns, WM_TRACE_SEND_DONE, 0, node, to, sequence, edge);
        put(play, to, post_ns, WM_TRACE_RECV_POST, 0, node, from, sequence, edge);
        put(play, to, got_ns, WM_TRACE_RECV_DONE, 0, node, from, sequence, edge);
        ends_ns[from] = sent_ns > ends_ns[from] ? sent_ns : ends_ns[from];
        ends_ns[to] = got_ns > ends_ns[to] ? got_ns : ends_ns[to];
    }
}

static void play_instance(struct stage_play *play, uint32_t sequence)
{
    int operation = (int)draw(WM_COLLECTIVE_COUNT), root = (int)draw(play->ranks), node = draw(3) ? NODE_ALL : 0;
    int64_t enters_ns[RANKS], ends_ns[RANKS];
    bool inner = node != 0 && draw(3) == 0;

    for (int i = 0; i < play->ranks; i++) {
        enters_ns[i] = ends_ns[i] = unique(play, 8000000 * (int64_t)sequence + draw(1000000));
        put(play, i, enters_ns[i], WM_TRACE_ENTER, operation, node, root, sequence, 64);
    }
    if (node != 0)
        play_messages(play, sequence, enters_ns, ends_ns);
    for (int i = 0; i < play->ranks; i++) {
        int64_t leave_ns = unique(play, ends_ns[i] + draw(1000000)), stay_ns = leave_ns - enters_ns[i];

        if (inner) {
            int64_t begin_ns = enters_ns[i] + 1 + draw(stay_ns / 3);

            put(play, i, begin_ns, WM_TRACE_ENTER, operation, NODE_INNER, root, sequence, 64);
            put(play, i, leave_ns - 1 - draw(stay_ns / 3), WM_TRACE_LEAVE, operation, NODE_INNER, root, sequence, 64);
        }
        for (int64_t k = draw(3); node != 0 && k > 0; k--)
            put(play, i, enters_ns[i] + stay_ns * k / 3, draw(5) ? WM_TRACE_REDUCE : WM_TRACE_SHARED, operation,
                NODE_NODE, -1, sequence, (uint64_t)draw(stay_ns / 3));
        put(play, i, leave_ns, WM_TRACE_LEAVE, operation, node, root, sequence, 64);
        if (draw(8) == 0)
            put(play, i, leave_ns + draw(5000), WM_TRACE_WAIT, operation, node, root, sequence,
                (uint64_t)draw(stay_ns));
    }
}

/* Write all scripts; of a lossy play about one record in twenty is missing, and recording is off for a while. */
static void perform(struct stage_play *play, struct traces *traces, bool lossy)
{
    for (int i = 0; i < play->ranks; i++) {
        struct script *script = &play->scripts[i];
        int64_t off = lossy ? draw(60) : NONE;

        qsort(script->records, script->count, sizeof script->records[0], compare_records);
        for (size_t k = 0; k < script->count; k++) {
            const struct wm_trace_record *r = &script->records[k];

            if ((int64_t)k == off || (int64_t)k == off + 10)
                traces_put(traces, i, (int64_t)r->time_ticks, WM_TRACE_LEVEL,
                           (int64_t)k == off ? WM_TRACE_OFF : WM_TRACE_DETAIL, 0, -1, 0, 0);
            if (lossy && (draw(20) == 0 || ((int64_t)k >= off && (int64_t)k < off + 10)))
                continue;
            traces_put(traces, i, (int64_t)r->time_ticks, r->kind, r->flags, r->node, r->peer, r->sequence,
                       r->argument);
        }
    }
}

/* What the observer checks, from instance to instance. */
struct watch {
    bool lossy;
    uint64_t instances;
    const struct wm_region *region; /* whose pieces come */
    int64_t low_ns;                 /* they have come down to here */
    int64_t pieces_ns[WM_COST_KINDS];
};

static int watch_piece(void *context, const struct wm_instance *instance, const struct wm_region *region,
                       const struct wm_cost_piece *piece)
{
    struct watch *watch = context;

    (void)instance;
    if (watch->region != region) {
        CU_ASSERT_TRUE(watch->region == NULL || watch->low_ns == watch->region->enter_ns);
        watch->low_ns = region->leave_ns;
    }
    watch->region = region;
    CU_ASSERT_EQUAL(piece->end_ns, watch->low_ns);
    CU_ASSERT_TRUE(piece->begin_ns < piece->end_ns);
    CU_ASSERT_EQUAL(piece->kind == WM_COST_LATE, piece->end_ns <= region->enter_ns + region->wait_ns);
    CU_ASSERT_TRUE((piece->kind != WM_COST_TRANSFER && piece->kind != WM_COST_INSIDE) || piece->edge != NULL);
    watch->low_ns = piece->begin_ns;
    watch->pieces_ns[piece->kind] += piece->end_ns - piece->begin_ns;
    return 0;
}

static const struct wm_region *outermost_of(const struct wm_instance *instance, int member)
{
    for (size_t i = 0; i < instance->region_count; i++)
        if (instance->regions[i].member == member && instance->regions[i].outermost)
            return &instance->regions[i];
    return NULL;
}

static bool is_in(int operation, const int *list)
{
    for (; *list != NONE; list++)
        if (*list == operation)
            return true;
    return false;
}

/* The latest arrival whose bytes member p has at `time_ns`; `stage`: not by way of it. Follows messages backwards. */
static int64_t model_reach(const struct wm_instance *instance, int p, int64_t time_ns, int source, int stage,
                           bool apart)
{
    const struct wm_region *region = outermost_of(instance, p);
    int64_t latest_ns = region != NULL && (source == NONE || source == p) ? region->enter_ns : INT64_MIN;

    for (size_t i = 0; i < instance->message_count; i++) {
        const struct wm_trace_message *m = &instance->messages[i];
        int64_t came_ns;

        if (m->destination != p || m->bytes == 0 || m->receive_done_ns > time_ns || m->receive_node == stage)
            continue;
        came_ns = model_reach(instance, m->source, m->send_post_ns, source, apart ? m->send_node : NONE, apart);
        latest_ns = came_ns > latest_ns ? came_ns : latest_ns;
    }
    return latest_ns;
}

/* Definition 2, pair by pair. */
static bool model_depends(int operation, int p, int q, int root)
{
    static const int on_root[] = {WM_BCAST, WM_SCATTER, WM_SCATTERV, NONE};
    static const int on_all_at_root[] = {WM_REDUCE, WM_GATHER, WM_GATHERV, NONE};
    static const int on_lower[] = {WM_SCAN, WM_EXSCAN, NONE};
    static const int unknown[] = {WM_NEIGHBOR_ALLGATHER, WM_NEIGHBOR_ALLGATHERV, WM_NEIGHBOR_ALLTOALL,
                                  WM_NEIGHBOR_ALLTOALLV, WM_NEIGHBOR_ALLTOALLW,  NONE};

    if (is_in(operation, on_root))
        return q == root;
    if (is_in(operation, on_all_at_root))
        return p == root;
    return !is_in(operation, unknown) && (!is_in(operation, on_lower) || q <= p);
}

/* Definition 3, of an outermost region. */
static int64_t model_wait(const struct wm_instance *instance, const struct wm_region *region)
{
    static const int counted[] = {WM_GATHERV,
                                  WM_SCATTERV,
                                  WM_ALLGATHERV,
                                  WM_ALLTOALLV,
                                  WM_ALLTOALLW,
                                  WM_NEIGHBOR_ALLGATHER,
                                  WM_NEIGHBOR_ALLGATHERV,
                                  WM_NEIGHBOR_ALLTOALL,
                                  WM_NEIGHBOR_ALLTOALLV,
                                  WM_NEIGHBOR_ALLTOALLW,
                                  NONE};
    int operation = region->operation, root = region->root;
    int64_t latest_ns = region->enter_ns, stay_ns = region->leave_ns - region->enter_ns;
    bool shared = false;

    for (size_t i = 0; i < instance->work_count; i++)
        shared |= instance->works[i].shared;
    if (is_in(operation, counted) && instance->message_count > 0 && !shared) {
        bool apart = operation >= WM_NEIGHBOR_ALLGATHER || operation == WM_ALLTOALLV || operation == WM_ALLTOALLW;

        if (operation != WM_GATHERV || region->member == root)
            latest_ns = model_reach(instance, region->member, region->leave_ns, operation == WM_SCATTERV ? root : NONE,
                                    NONE, apart);
    } else {
        for (size_t i = 0; i < instance->region_count; i++) {
            const struct wm_region *q = &instance->regions[i];

            if (q->outermost && model_depends(operation, region->member, q->member, root) && q->enter_ns > latest_ns)
                latest_ns = q->enter_ns;
        }
    }
    latest_ns = latest_ns > region->enter_ns ? latest_ns - region->enter_ns : 0;
    return latest_ns < stay_ns ? latest_ns : stay_ns;
}

struct path {
    int64_t end_ns, low_ns;
    uint32_t count;
    const struct wm_trace_message *messages[64];
    int member;
};

static void follow(void *context, const struct wm_critical_step *step)
{
    struct path *path = context;

    if (path->member == NONE)
        path->end_ns = path->low_ns = step->end_ns;
    CU_ASSERT_EQUAL(step->end_ns, path->low_ns);
    CU_ASSERT_TRUE(step->begin_ns <= step->end_ns);
    path->low_ns = step->begin_ns;
    path->member = step->member;
    if (step->message == NULL)
        return;
    CU_ASSERT_EQUAL(step->begin_ns, step->message->send_post_ns);
    CU_ASSERT_EQUAL(step->member, step->message->destination);
    CU_ASSERT_FATAL(path->count < 64);
    path->messages[path->count++] = step->message;
    path->member = step->message->source;
}

/* Definition 9: the message by which the path leaves `member` before `end_ns`, or NULL. */
static const struct wm_trace_message *model_leading(const struct wm_instance *instance, int member, int64_t end_ns)
{
    const struct wm_trace_message *best = NULL;

    for (size_t i = 0; i < instance->message_count; i++) {
        const struct wm_trace_message *m = &instance->messages[i];

        if (m->destination == member && m->receive_done_ns <= end_ns && m->send_post_ns > m->receive_post_ns &&
            (best == NULL || m->receive_done_ns > best->receive_done_ns))
            best = m;
    }
    return best;
}

static void compare_path(const struct wm_instance *instance, const struct path *path)
{
    const struct wm_region *last = NULL, *region;
    const struct wm_trace_message *message;
    int64_t at_ns;
    uint32_t count = 0;
    bool silent = true;

    for (int i = 0; i < instance->communicator->size; i++) {
        region = outermost_of(instance, i);
        last = last == NULL || region->leave_ns > last->leave_ns ? region : last;
    }
    at_ns = last->leave_ns;
    CU_ASSERT_EQUAL(path->end_ns, at_ns);
    for (region = last; (message = model_leading(instance, region->member, at_ns)) != NULL;) {
        CU_ASSERT_FATAL(count < path->count);
        CU_ASSERT_PTR_EQUAL(path->messages[count], message);
        count++;
        at_ns = message->send_post_ns;
        region = outermost_of(instance, message->source);
    }
    CU_ASSERT_EQUAL(path->count, count);
    for (size_t i = 0; i < instance->message_count; i++)
        silent &= instance->messages[i].source != region->member && instance->messages[i].destination != region->member;
    if (silent && region->wait_ns > 0 && region->wait_ns < region->leave_ns - region->enter_ns)
        region = outermost_of(instance, region->late_member);
    CU_ASSERT_EQUAL(path->member, region->member);
}

static int watch_instance(void *context, const struct wm_instance *instance)
{
    struct watch *watch = context;
    struct path path = {.member = NONE};
    size_t steps = wm_critical_walk(instance, follow, &path);

    CU_ASSERT_TRUE(watch->region == NULL || watch->low_ns == watch->region->enter_ns);
    watch->region = NULL;
    watch->instances++;
    if (steps > 0)
        CU_ASSERT_EQUAL(path.low_ns, outermost_of(instance, path.member)->enter_ns);
    for (size_t i = 0; i < instance->region_count; i++) {
        const struct wm_region *region = &instance->regions[i];

        CU_ASSERT_TRUE(region->wait_ns >= 0);
        CU_ASSERT_TRUE(!region->left || region->wait_ns <= region->leave_ns - region->enter_ns);
        if (!watch->lossy && region->outermost)
            CU_ASSERT_EQUAL(region->wait_ns, model_wait(instance, region));
    }
    if (!watch->lossy)
        compare_path(instance, &path);
    return 0;
}

static int64_t sum_of(const int64_t *by_rank, int ranks)
{
    int64_t sum_ns = 0;

    for (int i = 0; by_rank != NULL && i < ranks; i++)
        sum_ns += by_rank[i];
    return sum_ns;
}

/* A stage is the sum of its edges, and of its sizes. */
static void check_stage(const struct wm_analysis *analysis, const struct wm_line *line, int ranks)
{
    struct wm_size_cost sum = {0};

    for (size_t i = 0; i < line->size_count; i++) {
        CU_ASSERT_TRUE(i == 0 || line->sizes[i - 1].bytes < line->sizes[i].bytes);
        sum.messages += line->sizes[i].messages;
        sum.late_sender_ns += line->sizes[i].late_sender_ns;
        sum.late_receiver_ns += line->sizes[i].late_receiver_ns;
        sum.transfer_ns += line->sizes[i].transfer_ns;
    }
    CU_ASSERT_EQUAL(sum.messages, line->messages);
    CU_ASSERT_EQUAL(sum.transfer_ns, line->transfer_ns);
    CU_ASSERT_TRUE(line->shared || sum.late_sender_ns + sum.late_receiver_ns == line->late_ns + line->inside_ns);
    CU_ASSERT_EQUAL(sum_of(line->exclusive_by_rank, ranks), line->transfer_ns + line->work_ns);
    CU_ASSERT_EQUAL(line->time_ns, line->late_ns + line->inside_ns + line->transfer_ns + line->work_ns);
    (void)analysis;
}

static void check_visited(const struct wm_analysis *analysis, struct wm_line *line)
{
    int64_t cost_ns = 0, service_ns = wm_spread_sum(&line->service_ns);

    for (size_t i = 0; i < analysis->delay_count; i++)
        if (analysis->delays[i].node == line->node && analysis->delays[i].operation == line->operation) {
            CU_ASSERT_TRUE(analysis->delays[i].cost_ns > 0 || analysis->delays[i].excess_ns > 0);
            cost_ns += analysis->delays[i].cost_ns;
        }
    CU_ASSERT_EQUAL(cost_ns, line->late_ns);
    CU_ASSERT_EQUAL(line->time_ns,
                    line->late_ns + line->inside_ns + line->transfer_ns + line->work_ns + line->overhead_ns);
    CU_ASSERT_EQUAL(wm_spread_sum(&line->wait_ns), line->late_ns);
    CU_ASSERT_EQUAL(service_ns, line->time_ns - line->late_ns);
    CU_ASSERT_EQUAL(line->wait_ns.count, line->regions);
    CU_ASSERT_TRUE(line->floor_ns >= 0 && line->excess_ns >= 0);
    CU_ASSERT_TRUE(line->floor_ns + line->excess_ns >= service_ns);
    CU_ASSERT_TRUE(wm_spread_at(&line->completion_ns, 1) >= 0);
    CU_ASSERT_TRUE(line->flight_wait_ns >= 0 && line->flight_wait_ns <= line->flight_ns);
}

static void check_edges(const struct wm_analysis *analysis)
{
    for (size_t i = 0; i < analysis->edge_count; i++) {
        struct wm_edge_cost *edge = &analysis->edges[i];

        CU_ASSERT_EQUAL(edge->late_sender_ns + edge->late_receiver_ns, edge->wait_ns);
        CU_ASSERT_TRUE(edge->critical <= edge->instances && edge->instances <= edge->messages);
        CU_ASSERT_TRUE(edge->slack_ns.count <= edge->messages);
        CU_ASSERT_TRUE(wm_spread_at(&edge->slack_ns, 1) >= 0);
    }
}

static void check_sums(const struct analysed *result, const struct watch *watch)
{
    const struct wm_analysis *analysis = result->analysis;
    struct wm_efficiency e = analysis->efficiency;
    int64_t critical_ns = 0, outermost_ns[WM_COST_KINDS] = {0};

    for (size_t i = 0; i < analysis->line_count; i++) {
        struct wm_line *line = &analysis->lines[i];

        critical_ns += line->critical_ns;
        CU_ASSERT_TRUE(line->imbalance > -1e-9);
        if (!line->visited)
            check_stage(analysis, line, result->trace->job_ranks);
        else
            check_visited(analysis, line);
        if (line->outermost) {
            outermost_ns[WM_COST_LATE] += line->late_ns;
            outermost_ns[WM_COST_INSIDE] += line->inside_ns;
            outermost_ns[WM_COST_TRANSFER] += line->transfer_ns;
            outermost_ns[WM_COST_WORK] += line->work_ns;
            outermost_ns[WM_COST_OVERHEAD] += line->overhead_ns;
        }
    }
    for (int kind = 0; kind < WM_COST_KINDS && !watch->lossy; kind++)
        CU_ASSERT_EQUAL(outermost_ns[kind], watch->pieces_ns[kind]);
    CU_ASSERT_EQUAL(critical_ns, analysis->path_ns);
    CU_ASSERT_TRUE(analysis->path_last_on <= analysis->path_count && analysis->path_count <= watch->instances);
    CU_ASSERT_TRUE(e.parallel <= 1 && e.load_balance <= 1 && e.serialisation <= 1 && e.transfer <= 1);
    CU_ASSERT_DOUBLE_EQUAL(e.parallel, e.load_balance * e.serialisation * e.transfer, 1e-9);
    check_edges(analysis);
}

static void play_round(int round, bool lossy)
{
    static struct stage_play play;
    struct watch watch = {.lossy = lossy};
    struct wm_observer observer = {&watch, watch_piece, watch_instance};
    struct traces traces;
    struct analysed result;

    random_state = (uint64_t)round * 2 + lossy;
    play = (struct stage_play){.ranks = 2 + (int)draw(RANKS - 1)};
    for (uint32_t i = 0; i < INSTANCES; i++)
        play_instance(&play, i);
    analysed_open(&traces, play.ranks);
    perform(&play, &traces, lossy);
    result = analysed_make(&traces, &observer);
    check_sums(&result, &watch);
    if (!lossy)
        CU_ASSERT_EQUAL(result.analysis->path_count, INSTANCES);
    analysed_release(&result, &traces);
}

static void traces__that_are_whole_agree_with_the_models(void)
{
    for (int round = 0; round < ROUNDS; round++)
        play_round(round, false);
}

static void traces__that_lost_records_keep_the_identities(void)
{
    for (int round = 0; round < ROUNDS; round++)
        play_round(round, true);
}

static const struct check_case cases[] = {
    CASE(traces__that_are_whole_agree_with_the_models),
    CASE(traces__that_lost_records_keep_the_identities),
};

CHECK_MAIN("identities", cases)
