/* Generated traces: who talks to whom, and when; tests/tracer/generated_files.c writes it down. */
#include "tests/tracer/generated.h"

#include <stdlib.h>
#include <string.h>
#include "waymark/operation.h"
#include "tests/tracer/generated_files.h"

const char *const generated_shape_names[GENERATED_SHAPES] = {"binomial", "ring", "butterfly", "flat"};
const char *const generated_operation_names[GENERATED_OPERATIONS] = {"allreduce", "bcast", "reduce", "barrier",
                                                                     "mixed"};

enum { EAGER_BYTES = 4096, CALLS_A_STEP = 10, POST_NS = 40 };

/* Members of a communicator that do a stage together, and the times of one round of them. */
struct group {
    int count;
    int *members;
};

struct call {
    enum generated_operation kind;
    int operation, communicator, root;
    uint32_t sequence;
    uint64_t bytes, number;
    struct group all;
};

struct message {
    int source, destination; /* members */
    int node;
    uint32_t number;
    uint64_t bytes;
    int64_t send_ns, sent_ns, receive_ns, received_ns;
};

struct generated_options generated_defaults(void)
{
    return (struct generated_options){.ranks = 4,
                                      .hosts = 1,
                                      .communicators = 1,
                                      .calls = 100,
                                      .compute_ns = 100000,
                                      .late_rank = -1,
                                      .late_factor = 3,
                                      .crash_rank = -1,
                                      .sync_calls = 1000,
                                      .seed = 1};
}

static int world_of(const struct generated *g, const struct call *call, int member)
{
    return g->communicators[call->communicator].ranks[member];
}

static int64_t *now_of(struct generated *g, const struct call *call, int member)
{
    return &g->now_ns[world_of(g, call, member)];
}

static bool stopped(const struct generated *g, const struct call *call, int member)
{
    return g->stopped[world_of(g, call, member)];
}

static void stop(struct generated *g, const struct call *call, int member)
{
    g->stopped[world_of(g, call, member)] = true;
}

static void put(struct generated *g, const struct call *call, int member, int64_t at_ns, enum wm_trace_kind kind,
                int node, int peer, uint64_t argument)
{
    generated_put(g, world_of(g, call, member), at_ns,
                  &(struct wm_trace_record){.kind = (uint8_t)kind,
                                            .flags = (uint8_t)call->operation,
                                            .node = (uint16_t)node,
                                            .communicator = (uint32_t)call->communicator,
                                            .peer = peer,
                                            .sequence = call->sequence,
                                            .argument = argument});
}

static int64_t flight_ns(struct generated *g, const struct call *call, const struct message *message)
{
    bool near = generated_host(g, world_of(g, call, message->source)) ==
                generated_host(g, world_of(g, call, message->destination));
    int64_t base_ns = near ? 500 + (int64_t)(message->bytes / 10) : 2500 + (int64_t)(message->bytes * 4 / 5);

    return base_ns + (int64_t)(generated_random(g) * (double)base_ns / 4);
}

/* Both posted, unless their rank has stopped: when do they end? INT64_MAX: never. */
static void fly(struct generated *g, const struct call *call, struct message *message)
{
    bool sends = !stopped(g, call, message->source), receives = !stopped(g, call, message->destination);
    bool eager = message->bytes <= EAGER_BYTES;
    int64_t begin_ns = eager || message->send_ns > message->receive_ns ? message->send_ns : message->receive_ns;
    int64_t end_ns = begin_ns + flight_ns(g, call, message);

    message->received_ns = !sends ? INT64_MAX : end_ns > message->receive_ns ? end_ns : message->receive_ns;
    message->sent_ns = eager ? message->send_ns + 100 + (int64_t)(message->bytes / 50) : !receives ? INT64_MAX : end_ns;
}

static uint64_t edge_of(const struct message *message)
{
    return WM_TRACE_EDGE(message->number, message->bytes);
}

static void post_send(struct generated *g, const struct call *call, struct message *message)
{
    int64_t *now_ns = now_of(g, call, message->source);

    message->send_ns = *now_ns;
    if (stopped(g, call, message->source))
        return;
    put(g, call, message->source, *now_ns, WM_TRACE_SEND_POST, message->node, message->destination, edge_of(message));
    *now_ns += POST_NS;
}

static void post_receive(struct generated *g, const struct call *call, struct message *message)
{
    int64_t *now_ns = now_of(g, call, message->destination);

    message->receive_ns = *now_ns;
    if (stopped(g, call, message->destination))
        return;
    put(g, call, message->destination, *now_ns, WM_TRACE_RECV_POST, message->node, message->source, edge_of(message));
    *now_ns += POST_NS;
}

static void end_send(struct generated *g, const struct call *call, const struct message *message)
{
    int64_t *now_ns = now_of(g, call, message->source);

    if (stopped(g, call, message->source))
        return;
    if (message->sent_ns == INT64_MAX) {
        stop(g, call, message->source);
        return;
    }
    if (*now_ns < message->sent_ns)
        *now_ns = message->sent_ns;
    put(g, call, message->source, *now_ns, WM_TRACE_SEND_DONE, message->node, message->destination, edge_of(message));
}

static void end_receive(struct generated *g, const struct call *call, const struct message *message, bool combine)
{
    int64_t *now_ns = now_of(g, call, message->destination), work_ns;

    if (stopped(g, call, message->destination))
        return;
    if (message->received_ns == INT64_MAX) {
        stop(g, call, message->destination);
        return;
    }
    if (*now_ns < message->received_ns)
        *now_ns = message->received_ns;
    put(g, call, message->destination, *now_ns, WM_TRACE_RECV_DONE, message->node, message->source, edge_of(message));
    if (!combine && generated_random(g) < 0.75)
        return;
    work_ns = 20 + (int64_t)(message->bytes / (combine ? 4 : 10));
    *now_ns += work_ns;
    put(g, call, message->destination, *now_ns, combine ? WM_TRACE_REDUCE : WM_TRACE_COPY, message->node, -1,
        generated_ticks_of(g, work_ns));
}

/* Virtual member `v` of a tree: 0 is the root, children come behind their parents. */
static int member_of(const struct group *group, int root, int v)
{
    return group->members[(v + root) % group->count];
}

/* The children of `v`, ascending. Returns how many. */
static int children_of(enum generated_shape shape, int v, int count, int *children)
{
    int found = 0;

    if (shape == GENERATED_FLAT)
        for (int i = 1; v == 0 && i < count; i++)
            children[found++] = i;
    else if (shape == GENERATED_RING && v + 1 < count)
        children[found++] = v + 1;
    else if (shape != GENERATED_RING)
        for (int bit = 1; bit < count && (v & bit) == 0; bit <<= 1)
            if (v + bit < count)
                children[found++] = v + bit;
    return found;
}

static int compare_arrivals(const void *a, const void *b)
{
    const struct message *x = a, *y = b;

    if (x->received_ns != y->received_ns)
        return x->received_ns < y->received_ns ? -1 : 1;
    return x->source - y->source;
}

/* The parent receives from all its children at once, and combines as they come. */
static void gather_at(struct generated *g, const struct call *call, const struct group *group, int root, int v,
                      int node)
{
    int children[GENERATED_RANKS_MAX], count = children_of(g->options->shape, v, group->count, children);
    struct message messages[GENERATED_RANKS_MAX];

    for (int i = 0; i < count; i++) {
        messages[i] = (struct message){
            member_of(group, root, children[i]), member_of(group, root, v), node, 0, call->bytes, 0, 0, 0, 0};
        post_receive(g, call, &messages[i]);
    }
    for (int i = 0; i < count; i++) {
        post_send(g, call, &messages[i]);
        fly(g, call, &messages[i]);
        end_send(g, call, &messages[i]);
    }
    qsort(messages, (size_t)count, sizeof messages[0], compare_arrivals);
    for (int i = 0; i < count; i++)
        end_receive(g, call, &messages[i], call->kind != GENERATED_BARRIER);
}

static void scatter_at(struct generated *g, const struct call *call, const struct group *group, int root, int v,
                       int node)
{
    int children[GENERATED_RANKS_MAX], count = children_of(g->options->shape, v, group->count, children);

    for (int i = count - 1; i >= 0; i--) {
        struct message message = {
            member_of(group, root, v), member_of(group, root, children[i]), node, 0, call->bytes, 0, 0, 0, 0};

        post_receive(g, call, &message);
        post_send(g, call, &message);
        fly(g, call, &message);
        end_receive(g, call, &message, false);
        end_send(g, call, &message);
    }
}

static void tree_up(struct generated *g, const struct call *call, const struct group *group, int root, int node)
{
    for (int v = group->count - 1; v >= 0; v--)
        gather_at(g, call, group, root, v, node);
}

static void tree_down(struct generated *g, const struct call *call, const struct group *group, int root, int node)
{
    for (int v = 0; v < group->count; v++)
        scatter_at(g, call, group, root, v, node);
}

/* One round: whoever has a message to send or to receive posts both, and waits for both. */
static void round_of(struct generated *g, const struct call *call, struct message *messages, int count, bool combine)
{
    for (int i = 0; i < count; i++)
        post_receive(g, call, &messages[i]);
    for (int i = 0; i < count; i++)
        post_send(g, call, &messages[i]);
    for (int i = 0; i < count; i++)
        fly(g, call, &messages[i]);
    for (int i = 0; i < count; i++)
        end_send(g, call, &messages[i]);
    for (int i = 0; i < count; i++)
        end_receive(g, call, &messages[i], combine);
}

static void ring(struct generated *g, const struct call *call, const struct group *group, int node)
{
    struct message messages[GENERATED_RANKS_MAX];

    for (int step = 0; step < 2 * (group->count - 1); step++) {
        for (int i = 0; i < group->count; i++)
            messages[i] = (struct message){.source = group->members[i],
                                           .destination = group->members[(i + 1) % group->count],
                                           .node = node,
                                           .number = (uint32_t)step,
                                           .bytes = call->bytes / (uint64_t)group->count};
        round_of(g, call, messages, group->count, step < group->count - 1);
    }
}

/* Those beyond the greatest power of two give their part to a partner before, and get the result after. */
static void butterfly(struct generated *g, const struct call *call, const struct group *group, int node)
{
    struct message messages[GENERATED_RANKS_MAX];
    int core = 1;

    while (2 * core <= group->count)
        core *= 2;
    for (int i = core; i < group->count; i++)
        messages[i - core] = (struct message){
            .source = group->members[i], .destination = group->members[i - core], .node = node, .bytes = call->bytes};
    round_of(g, call, messages, group->count - core, true);
    for (int bit = 1; bit < core; bit <<= 1) {
        for (int i = 0; i < core; i++)
            messages[i] = (struct message){.source = group->members[i],
                                           .destination = group->members[i ^ bit],
                                           .node = node,
                                           .bytes = call->bytes};
        round_of(g, call, messages, core, true);
    }
    for (int i = core; i < group->count; i++)
        messages[i - core] = (struct message){
            .source = group->members[i - core], .destination = group->members[i], .node = node, .bytes = call->bytes};
    round_of(g, call, messages, group->count - core, false);
}

/* What the group does by one stage of the map. `root` is an index into the group. */
static void stage(struct generated *g, const struct call *call, const struct group *group, int root, int node)
{
    enum generated_shape shape = g->options->shape;

    if (call->kind == GENERATED_BCAST)
        tree_down(g, call, group, root, node);
    else if (call->kind == GENERATED_REDUCE)
        tree_up(g, call, group, root, node);
    else if (shape == GENERATED_RING)
        ring(g, call, group, node);
    else if (shape == GENERATED_BUTTERFLY)
        butterfly(g, call, group, node);
    else {
        tree_up(g, call, group, 0, node);
        tree_down(g, call, group, 0, node);
    }
}

static void enter(struct generated *g, const struct call *call, int member, int node)
{
    int64_t *now_ns = now_of(g, call, member);

    if (stopped(g, call, member))
        return;
    put(g, call, member, *now_ns, WM_TRACE_ENTER, node, call->root, call->bytes);
    *now_ns += 60 + (int64_t)(generated_random(g) * 60);
}

static void leave(struct generated *g, const struct call *call, int member, int node)
{
    int64_t *now_ns = now_of(g, call, member);

    if (stopped(g, call, member))
        return;
    *now_ns += 30 + (int64_t)(generated_random(g) * 30);
    put(g, call, member, *now_ns, WM_TRACE_LEAVE, node, call->root, call->bytes);
}

/* The members on one host, its leader's index among them in *leader. */
static struct group host_group(struct generated *g, const struct call *call, int host, int *members, int *leader)
{
    struct group group = {0, members};

    *leader = 0;
    for (int i = 0; i < call->all.count; i++) {
        if (generated_host(g, world_of(g, call, i)) != host)
            continue;
        if (i == call->root)
            *leader = group.count;
        members[group.count++] = i;
    }
    return group;
}

static void within_hosts(struct generated *g, const struct call *call, bool up, int node)
{
    int members[GENERATED_RANKS_MAX], leader;

    for (int host = 0; host < g->options->hosts; host++) {
        struct group group = host_group(g, call, host, members, &leader);

        if (up)
            tree_up(g, call, &group, leader, node);
        else
            tree_down(g, call, &group, leader, node);
    }
}

static void between_hosts(struct generated *g, const struct call *call, const struct generated_nodes *nodes)
{
    int leaders[GENERATED_RANKS_MAX], members[GENERATED_RANKS_MAX], leader, root = 0;
    struct group group = {0, leaders};

    for (int host = 0; host < g->options->hosts; host++) {
        struct group on_host = host_group(g, call, host, members, &leader);

        if (on_host.count == 0)
            continue;
        if (members[leader] == call->root)
            root = group.count;
        leaders[group.count++] = members[leader];
    }
    for (int i = 0; i < group.count; i++)
        enter(g, call, leaders[i], nodes->inner);
    stage(g, call, &group, root, nodes->between);
    for (int i = 0; i < group.count; i++)
        leave(g, call, leaders[i], nodes->inner);
}

static void perform(struct generated *g, const struct call *call)
{
    const struct generated_nodes *nodes = &g->nodes[call->kind];

    if (g->options->native) {
        int64_t last_ns = 0;

        for (int i = 0; i < call->all.count; i++)
            if (*now_of(g, call, i) > last_ns)
                last_ns = *now_of(g, call, i);
        for (int i = 0; i < call->all.count; i++)
            *now_of(g, call, i) = last_ns + 1000 + (int64_t)(generated_random(g) * 1000);
    } else if (nodes->between == 0) {
        stage(g, call, &call->all, call->root > 0 ? call->root : 0, nodes->within);
    } else {
        if (call->kind != GENERATED_BCAST)
            within_hosts(g, call, true, nodes->within);
        between_hosts(g, call, nodes);
        if (call->kind != GENERATED_REDUCE)
            within_hosts(g, call, false, nodes->within);
    }
    for (int i = 0; i < call->all.count; i++)
        leave(g, call, i, g->options->native ? 0 : nodes->outer);
}

/* What the program does between calls. */
static void compute(struct generated *g, int rank)
{
    double factor = rank == g->options->late_rank ? g->options->late_factor : 1;

    g->now_ns[rank] += (int64_t)(factor * (0.9 + 0.2 * generated_random(g)) * (double)g->options->compute_ns);
}

static struct call make_call(struct generated *g, int communicator)
{
    static const int operations[] = {WM_ALLREDUCE, WM_BCAST, WM_REDUCE, WM_BARRIER};
    struct generated_communicator *c = &g->communicators[communicator];
    enum generated_operation kind = g->options->operation;
    struct call call = {.communicator = communicator, .root = -1, .number = g->call};

    if (kind == GENERATED_MIXED)
        kind = (enum generated_operation)(generated_random(g) * GENERATED_MIXED);
    call.kind = kind;
    call.operation = operations[kind];
    call.sequence = c->calls++;
    call.bytes = g->options->bytes ? g->options->bytes : UINT64_C(8) << (int)(generated_random(g) * 18);
    if (kind == GENERATED_BARRIER)
        call.bytes = 0;
    if (kind == GENERATED_BCAST || kind == GENERATED_REDUCE)
        call.root = 0;
    call.all = (struct group){c->size, c->members};
    return call;
}

static void begin_call(struct generated *g, const struct call *call)
{
    for (int i = 0; i < call->all.count; i++) {
        compute(g, world_of(g, call, i));
        enter(g, call, i, g->options->native ? 0 : g->nodes[call->kind].outer);
        if (world_of(g, call, i) == g->options->crash_rank && call->number == g->options->crash_call)
            stop(g, call, i);
    }
}

/* The program comes back to the calls that it began, and waits for them one after the other. */
static void wait_for(struct generated *g, const struct call *call)
{
    int64_t begins_ns[GENERATED_RANKS_MAX];

    for (int i = 0; i < call->all.count; i++) {
        compute(g, world_of(g, call, i));
        begins_ns[i] = *now_of(g, call, i);
    }
    perform(g, call);
    for (int i = 0; i < call->all.count; i++)
        if (!stopped(g, call, i))
            put(g, call, i, *now_of(g, call, i), WM_TRACE_WAIT, g->options->native ? 0 : g->nodes[call->kind].outer,
                call->root, generated_ticks_of(g, *now_of(g, call, i) - begins_ns[i]));
}

static void step(struct generated *g)
{
    for (int rank = 0; rank < g->options->ranks; rank++)
        if (!g->stopped[rank])
            generated_put(g, rank, g->now_ns[rank],
                          &(struct wm_trace_record){.kind = WM_TRACE_MARK,
                                                    .peer = -1,
                                                    .argument = 1 + g->call / CALLS_A_STEP % GENERATED_MARKS});
}

static void put_region(struct generated *g, int rank, int64_t after_ns, enum wm_trace_region place, uint64_t ns)
{
    generated_put(g, rank, g->now_ns[rank] + after_ns,
                  &(struct wm_trace_record){.kind = WM_TRACE_REGION,
                                            .flags = (uint8_t)place,
                                            .peer = place == WM_TRACE_REGION_IDLE ? (rank + 1) % g->options->ranks : -1,
                                            .sequence = (uint32_t)g->call,
                                            .argument = ns});
}

/* An iteration of a superblock that ends with its rank. */
static void iterate(struct generated *g)
{
    enum { COMPUTED_NS = 4000, IDLE_NS = 500, ALL_NS = 5200 };

    for (int rank = 0; rank < g->options->ranks; rank++) {
        if (g->stopped[rank])
            continue;
        if (g->call == 0)
            put_region(g, rank, 0, WM_TRACE_REGION_BEGIN, 0);
        put_region(g, rank, 0, WM_TRACE_REGION_RECEIVE, g->call == 0 ? 0 : COMPUTED_NS);
        put_region(g, rank, 100, WM_TRACE_REGION_SEND, 0);
        put_region(g, rank, 200, WM_TRACE_REGION_WAIT, 0);
        if (rank % 2 == 0)
            put_region(g, rank, ALL_NS - COMPUTED_NS, WM_TRACE_REGION_IDLE, IDLE_NS);
        put_region(g, rank, ALL_NS - COMPUTED_NS, WM_TRACE_REGION_COMPUTE, 0);
        g->now_ns[rank] += ALL_NS;
    }
}

static void play_call(struct generated *g)
{
    int communicator = (int)(g->call % (uint64_t)g->options->communicators);
    struct call first = make_call(g, communicator), second;

    if (g->options->marks && g->call % CALLS_A_STEP == 0)
        step(g);
    if (g->options->superblocks)
        iterate(g);
    begin_call(g, &first);
    if (!g->options->nonblocking) {
        perform(g, &first);
        return;
    }
    second = make_call(g, communicator);
    begin_call(g, &second);
    wait_for(g, &first);
    wait_for(g, &second);
}

void generated_play(struct generated *g)
{
    const struct generated_options *options = g->options;
    uint64_t wanted = options->events_per_rank * (uint64_t)options->ranks;
    bool by_calls = options->events_per_rank == 0 || g->call_limit > 0;
    uint64_t limit = g->call_limit > 0 ? g->call_limit : options->calls;

    for (g->call = 0; by_calls ? g->call < limit : g->records < wanted; g->call++) {
        if (options->skew_ns > 0 && (g->call == 0 || g->call % options->sync_calls == 0))
            generated_sync(g);
        play_call(g);
        if (options->crash_rank >= 0 && g->call > options->crash_call + 2 * (uint64_t)options->communicators)
            break;
    }
    if (options->skew_ns > 0)
        generated_sync(g);
    g->call_limit = g->call;
}
