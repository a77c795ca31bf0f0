/* Random MPI programs: a map, and subranks, give what plain MPI gives.
 *
 *     mpirun -n 8 ./random_programs FIRST COUNT [FROM]
 *
 * Each program is made from a seed, alike at all ranks: on a communicator of some kind a few rounds of messages, of
 * collectives, or of both between two sides of it follow each other. What is received is compared with what was to
 * come, and put into a sum, which rank 0 prints: the same for the same ranks, whatever runs them, and
 * wherever they begin: with FROM, and those before it last. Where a program does
 * not end, each rank says how far it has come. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/fuzz/random.h"
#include "tests/mpi/random_programs.h"

enum { ROUNDS_MAX = 6, MESSAGES_MAX = 24, TAGS = 3, COUNT_MAX = 6000, RANKS_MAX = 64, CALLS_MAX = 4, PATIENCE_S = 20 };

static struct fuzz_random all; /* draws alike at all ranks */
static MPI_Comm comm;
static int rank, size;
static uint64_t program, draws, sum, faults;

int below(int limit)
{
    return (int)fuzz_below(&all, (uint64_t)limit);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;

    return x ^ x >> 32;
}

void note(uint64_t what)
{
    sum += mix(what, draws);
}

void check(int right, const char *what)
{
    if (right)
        return;
    if (faults++ == 0)
        printf("program %llu, rank %d of %d: %s is wrong\n", (unsigned long long)program, rank, size, what);
}

/* ---- messages ---- */

static struct message {
    int from, to, tag, count, stride; /* stride 2: a vector, every other number */
    int32_t *sent, *received;
    MPI_Datatype type;
} messages[MESSAGES_MAX];
static int message_count;

int32_t number_of(int message, int i)
{
    return (int32_t)mix(program * 64 + (uint64_t)message, draws + (uint64_t)i);
}

static int32_t *room_for(const struct message *m)
{
    return calloc((size_t)(m->count * m->stride) + 1, sizeof(int32_t));
}

static void make_message(int i)
{
    struct message *m = &messages[i];

    *m = (struct message){.from = below(size), .to = below(size), .tag = below(TAGS), .type = MPI_INT32_T};
    m->count = fuzz_chance(&all, 10) ? below(COUNT_MAX) : below(20);
    m->stride = fuzz_chance(&all, 20) ? 2 : 1;
    if (m->stride == 2) {
        MPI_Type_vector(m->count, 1, 2, MPI_INT32_T, &m->type);
        MPI_Type_commit(&m->type);
    }
    if (m->from == rank)
        m->sent = room_for(m);
    if (m->to == rank)
        m->received = room_for(m);
    for (int k = 0; m->from == rank && k < m->count; k++)
        m->sent[k * m->stride] = number_of(i, k);
}

static int elements(const struct message *m)
{
    return m->stride == 2 ? 1 : m->count;
}

static int is_received(int i, const int32_t *got, int stride)
{
    for (int k = 0; k < messages[i].count; k++)
        if (got[k * stride] != number_of(i, k))
            return 0;
    return 1;
}

static void free_messages(int checked)
{
    for (int i = 0; i < message_count; i++) {
        struct message *m = &messages[i];

        if (checked && m->to == rank) {
            check(is_received(i, m->received, m->stride), "a message");
            note((uint64_t)i);
        }
        free(m->sent);
        free(m->received);
        if (m->stride == 2)
            MPI_Type_free(&m->type);
    }
}

static void check_status(const struct message *m, const MPI_Status *status)
{
    int count;

    MPI_Get_count(status, m->type, &count);
    check(status->MPI_SOURCE == m->from && status->MPI_TAG == m->tag && (count == elements(m) || m->count == 0),
          "a status");
}

static void receive_begin(struct message *m, MPI_Request *request)
{
    OK(MPI_Irecv(m->received, elements(m), m->type, m->from, m->tag, comm, request));
}

static void send_begin(struct message *m, int kind, MPI_Request *request)
{
    if (kind == 1)
        OK(MPI_Issend(m->sent, elements(m), m->type, m->to, m->tag, comm, request));
    else
        OK(MPI_Isend(m->sent, elements(m), m->type, m->to, m->tag, comm, request));
}

/* All at once, and a wait or test of some kind for all of them. */
static void messages_at_once(void)
{
    MPI_Request requests[2 * MESSAGES_MAX];
    MPI_Status statuses[2 * MESSAGES_MAX], status;
    const struct message *of[2 * MESSAGES_MAX];
    int n = 0, wait = below(5), kind = below(2), done, index, over = 0, indices[2 * MESSAGES_MAX];

    for (int i = 0; i < message_count; i++) {
        if (messages[i].from == rank) {
            of[n] = NULL;
            send_begin(&messages[i], kind, &requests[n++]);
        }
        if (messages[i].to == rank) {
            of[n] = &messages[i];
            receive_begin(&messages[i], &requests[n++]);
        }
    }
    if (wait == 0) {
        OK(MPI_Waitall(n, requests, statuses));
        for (int i = 0; i < n; i++)
            if (of[i] != NULL)
                check_status(of[i], &statuses[i]);
    }
    for (int i = 0; wait == 1 && i < n; i++) {
        OK(MPI_Waitany(n, requests, &index, &status));
        if (of[index] != NULL)
            check_status(of[index], &status);
    }
    for (int left = n; wait == 2 && left > 0; left -= done)
        OK(MPI_Waitsome(n, requests, &done, indices, statuses));
    while (wait == 3 && !over)
        OK(MPI_Testall(n, requests, &over, MPI_STATUSES_IGNORE));
    for (int i = n - 1; wait == 4 && i >= 0; i--) {
        OK(MPI_Wait(&requests[i], &status));
        if (of[i] != NULL)
            check_status(of[i], &status);
    }
}

/* Sends are begun, then receives block, one after another; then sends are waited for. */
static void messages_blocking(void)
{
    MPI_Request requests[MESSAGES_MAX];
    int n = 0, receives_first = below(2);

    for (int i = 0; i < message_count; i++)
        if (receives_first ? messages[i].to == rank : messages[i].from == rank) {
            if (receives_first)
                receive_begin(&messages[i], &requests[n++]);
            else
                send_begin(&messages[i], 0, &requests[n++]);
        }
    for (int i = 0; i < message_count; i++) {
        struct message *m = &messages[i];

        if (receives_first && m->from == rank)
            OK(MPI_Send(m->sent, elements(m), m->type, m->to, m->tag, comm));
        else if (!receives_first && m->to == rank)
            OK(MPI_Recv(m->received, elements(m), m->type, m->from, m->tag, comm, MPI_STATUS_IGNORE));
    }
    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
}

/* The message that has come: the first of its ends and tag that has not. */
static int which(const MPI_Status *status, char taken[])
{
    int i = 0;

    while (i < message_count && (taken[i] || messages[i].to != rank || messages[i].from != status->MPI_SOURCE ||
                                 messages[i].tag != status->MPI_TAG))
        i++;
    if (i < message_count)
        taken[i] = 1;
    return i;
}

/* Whatever comes, as a probe or a receive of anything finds it. */
static void messages_of_anybody(void)
{
    static int32_t got[COUNT_MAX];
    MPI_Request requests[MESSAGES_MAX];
    MPI_Status status;
    MPI_Message message;
    char taken[MESSAGES_MAX] = {0};
    int n = 0, way = below(3), expected = 0, i, count, there = 0;

    for (i = 0; i < message_count; i++) {
        if (messages[i].from == rank)
            send_begin(&messages[i], 0, &requests[n++]);
        expected += messages[i].to == rank;
    }
    for (; expected > 0; expected--) {
        if (way == 0) {
            OK(MPI_Recv(got, COUNT_MAX, MPI_INT32_T, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
        } else if (way == 1) {
            OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
            MPI_Get_count(&status, MPI_INT32_T, &count);
            OK(MPI_Recv(got, count, MPI_INT32_T, status.MPI_SOURCE, status.MPI_TAG, comm, &status));
        } else {
            for (there = 0; !there;)
                OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &there, &message, &status));
            OK(MPI_Mrecv(got, COUNT_MAX, MPI_INT32_T, &message, &status));
        }
        i = which(&status, taken);
        check(i < message_count && is_received(i, got, 1), "a message of anybody");
        note((uint64_t)i);
    }
    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Barrier(comm)); /* nobody receives what is sent later */
}

static void messages_persistent(void)
{
    MPI_Request requests[2 * MESSAGES_MAX];
    int n = 0;

    for (int i = 0; i < message_count; i++) {
        struct message *m = &messages[i];

        if (m->from == rank)
            OK(MPI_Send_init(m->sent, elements(m), m->type, m->to, m->tag, comm, &requests[n++]));
        if (m->to == rank)
            OK(MPI_Recv_init(m->received, elements(m), m->type, m->from, m->tag, comm, &requests[n++]));
    }
    for (int time = 0; time < 3; time++) {
        OK(MPI_Startall(n, requests));
        OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    }
    for (int i = 0; i < n; i++)
        OK(MPI_Request_free(&requests[i]));
}

/* Round a ring. */
static void messages_around(void)
{
    int step = below(size), replaces = below(2), count = below(200), to = (rank + step) % size,
        from = (rank - step + size) % size;
    int32_t mine[200], got[200];
    uint64_t right = 1;

    for (int i = 0; i < count; i++)
        got[i] = mine[i] = number_of(rank, i);
    if (replaces)
        OK(MPI_Sendrecv_replace(got, count, MPI_INT32_T, to, 1, from, 1, comm, MPI_STATUS_IGNORE));
    else
        OK(MPI_Sendrecv(mine, count, MPI_INT32_T, to, 1, got, count, MPI_INT32_T, from, 1, comm, MPI_STATUS_IGNORE));
    for (int i = 0; i < count; i++)
        right &= got[i] == number_of(from, i);
    check((int)right, "a ring");
    note((uint64_t)from);
}

static void exchange_messages(void)
{
    int way = below(6);

    if (way == 5) {
        messages_around();
        return;
    }
    message_count = 1 + below(MESSAGES_MAX);
    for (int i = 0; i < message_count; i++)
        make_message(i);
    if (way == 0 || way == 1)
        messages_at_once();
    else if (way == 2)
        messages_blocking();
    else if (way == 3)
        messages_of_anybody();
    else
        messages_persistent();
    free_messages(way != 3);
}

/* ---- collectives: integers, whose sums are the same in any order ---- */

int64_t *numbers(int count)
{
    return calloc((size_t)count + 1, sizeof(int64_t));
}

void note_numbers(const int64_t *got, int count)
{
    uint64_t noted = 0;

    for (int i = 0; i < count; i++)
        noted = mix(noted, (uint64_t)got[i]);
    note(noted + (uint64_t)rank);
}

/* A call, from when it begins to its end; what it needs for so long. */
static struct call {
    int counts[RANKS_MAX], places[RANKS_MAX], noted; /* how many numbers have come, of `what` */
    int64_t *mine, *got, *what;
    MPI_Request request;
} calls[CALLS_MAX];

static void finish(struct call *c)
{
    OK(MPI_Wait(&c->request, MPI_STATUS_IGNORE));
    if (c->noted >= 0)
        note_numbers(c->what, c->noted);
    free(c->mine);
    free(c->got);
}

/* Blocks of `count` for each rank. */
static void combine(struct call *c, int immediate)
{
    static const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR};
    const MPI_Datatype t = MPI_INT64_T;
    int which_one = below(6), count = below(300), root = below(size), blocks = which_one == 2 ? size : 1, gets;
    MPI_Op op = ops[below(3)];

    *c = (struct call){.mine = numbers(count * blocks), .got = numbers(count), .request = MPI_REQUEST_NULL};
    c->what = c->got;
    for (int i = 0; i < count * blocks; i++)
        c->mine[i] = number_of(rank, i);
    gets = which_one == 1 ? rank == root : which_one == 4 ? rank > 0 : which_one != 5;
    c->noted = gets ? count : -1;
    if (immediate)
        OK(which_one == 0   ? MPI_Iallreduce(c->mine, c->got, count, t, op, comm, &c->request)
           : which_one == 1 ? MPI_Ireduce(c->mine, c->got, count, t, op, root, comm, &c->request)
           : which_one == 2 ? MPI_Ireduce_scatter_block(c->mine, c->got, count, t, op, comm, &c->request)
           : which_one == 3 ? MPI_Iscan(c->mine, c->got, count, t, op, comm, &c->request)
           : which_one == 4 ? MPI_Iexscan(c->mine, c->got, count, t, op, comm, &c->request)
                            : MPI_Ibarrier(comm, &c->request));
    else
        OK(which_one == 0   ? MPI_Allreduce(c->mine, c->got, count, t, op, comm)
           : which_one == 1 ? MPI_Reduce(c->mine, c->got, count, t, op, root, comm)
           : which_one == 2 ? MPI_Reduce_scatter_block(c->mine, c->got, count, t, op, comm)
           : which_one == 3 ? MPI_Scan(c->mine, c->got, count, t, op, comm)
           : which_one == 4 ? MPI_Exscan(c->mine, c->got, count, t, op, comm)
                            : MPI_Barrier(comm));
}

static void move(struct call *c, int immediate)
{
    const MPI_Datatype t = MPI_INT64_T;
    int which_one = below(7), most = below(100), root = below(size), own;

    *c = (struct call){.mine = numbers(most * size), .got = numbers(most * size), .request = MPI_REQUEST_NULL};
    for (int r = 0; r < size; r++) {
        c->counts[r] = which_one < 5 ? most : fuzz_chance(&all, 35) ? 0 : below(most + 1);
        c->places[r] = r * most;
    }
    own = c->counts[rank];
    for (int i = 0; i < most * size; i++)
        c->mine[i] = number_of(which_one == 0 ? root : rank, i);
    c->what = which_one == 0 ? c->mine : c->got;
    c->noted = which_one == 0 ? most : which_one == 1 && rank != root ? -1 : most * size;
    /* Of an alltoallv each rank sends the others as much as they expect of it; one without data exchanges none. */
    for (int r = 0; which_one == 6 && r < size; r++)
        c->counts[r] = own < c->counts[r] ? own : c->counts[r];
    if (immediate)
        OK(which_one == 0   ? MPI_Ibcast(c->mine, most, t, root, comm, &c->request)
           : which_one == 1 ? MPI_Igather(c->mine, most, t, c->got, most, t, root, comm, &c->request)
           : which_one == 2 ? MPI_Iscatter(c->mine, most, t, c->got, most, t, root, comm, &c->request)
           : which_one == 3 ? MPI_Iallgather(c->mine, most, t, c->got, most, t, comm, &c->request)
           : which_one == 4 ? MPI_Ialltoall(c->mine, most, t, c->got, most, t, comm, &c->request)
           : which_one == 5
               ? MPI_Iallgatherv(c->mine, own, t, c->got, c->counts, c->places, t, comm, &c->request)
               : MPI_Ialltoallv(c->mine, c->counts, c->places, t, c->got, c->counts, c->places, t, comm, &c->request));
    else
        OK(which_one == 0   ? MPI_Bcast(c->mine, most, t, root, comm)
           : which_one == 1 ? MPI_Gather(c->mine, most, t, c->got, most, t, root, comm)
           : which_one == 2 ? MPI_Scatter(c->mine, most, t, c->got, most, t, root, comm)
           : which_one == 3 ? MPI_Allgather(c->mine, most, t, c->got, most, t, comm)
           : which_one == 4 ? MPI_Alltoall(c->mine, most, t, c->got, most, t, comm)
           : which_one == 5 ? MPI_Allgatherv(c->mine, own, t, c->got, c->counts, c->places, t, comm)
                            : MPI_Alltoallv(c->mine, c->counts, c->places, t, c->got, c->counts, c->places, t, comm));
}

/* One call, or some that are under way together. */
static void call_some(int immediate)
{
    int count = immediate ? 1 + below(CALLS_MAX) : 1;

    for (int i = 0; i < count; i++)
        (below(2) ? combine : move)(&calls[i], immediate);
    for (int i = 0; i < count; i++)
        finish(&calls[i]);
}

/* Equal calls, one after the other. In some turns with a nonblocking one, which some ranks have ended by then. A sum of
 * fractions is in each turn what it was in the first. */
static void combine_again(void)
{
    int count = 1 + below(300), times = 2 + below(9), in_place = below(2), kind = below(4);
    int64_t *mine = numbers(count), *got = numbers(count), *before = numbers(count);
    MPI_Request request = MPI_REQUEST_NULL;

    for (int i = 0; i < count; i++)
        if (kind == 1)
            ((double *)mine)[i] = 1.0 / number_of(rank, i);
        else
            mine[i] = number_of(rank, i);
    for (int time = 0; time < times; time++) {
        if (fuzz_chance(&all, 20))
            OK(MPI_Ibarrier(comm, &request));
        if (below(size) <= rank)
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        memcpy(got, mine, (size_t)count * sizeof *got);
        if (kind == 0)
            OK(MPI_Barrier(comm));
        else
            OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : mine, got, count, kind == 1 ? MPI_DOUBLE : MPI_INT64_T, MPI_SUM,
                             comm));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (time == 0)
            memcpy(before, got, (size_t)count * sizeof *got);
        check(memcmp(got, before, (size_t)count * sizeof *got) == 0, "a call that came before");
    }
    if (kind != 1)
        note_numbers(got, count);
    free(mine);
    free(got);
    free(before);
}

/* ---- programs ---- */

static void take_comm(MPI_Comm of)
{
    comm = of;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
}

/* The world, one like it, or a part of it, in an order of its own; MPI_COMM_NULL for ranks that are in none. */
static MPI_Comm some_comm(void)
{
    MPI_Comm made = MPI_COMM_WORLD;
    int kind = below(5), colors = 1 + below(3), world, ranks, color, key, own_color = 0, own_key = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int r = 0; r < ranks; r++) {
        color = below(colors);
        key = below(ranks);
        if (r == world) {
            own_color = color;
            own_key = key;
        }
    }
    if (kind == 1)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &made));
    else if (kind == 2)
        OK(MPI_Comm_split(MPI_COMM_WORLD, own_color, own_key, &made));
    else if (kind == 3)
        OK(MPI_Comm_split(MPI_COMM_WORLD, own_color == 2 ? MPI_UNDEFINED : 0, own_key, &made));
    return made;
}

static void run_program(void)
{
    MPI_Comm made;
    int rounds;

    all.state = program;
    made = some_comm();
    rounds = 1 + below(ROUNDS_MAX);
    if (made == MPI_COMM_NULL)
        return;
    take_comm(made);
    for (int round = 0; round < rounds; round++) {
        int kind = below(6);

        draws = (uint64_t)round;
        if (kind < 2)
            exchange_messages();
        else if (kind < 4)
            call_some(below(2));
        else if (kind == 4)
            combine_again();
        else if (size > 1)
            cross(comm, rank, size);
    }
    if (made != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&made));
}

static void tell_hang(int signal)
{
    char words[96];
    int chars = snprintf(words, sizeof words, "program %llu, round %llu, rank %d of %d: does not end\n",
                         (unsigned long long)program, (unsigned long long)draws, rank, size);

    (void)signal;
    if (write(STDOUT_FILENO, words, (size_t)chars) == chars)
        pause(); /* for the words of the others, until the job's time is over */
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
    uint64_t from = argc > 3 ? strtoull(argv[3], NULL, 10) : first, mine[2], of_all[2];

    MPI_Init(&argc, &argv);
    signal(SIGALRM, tell_hang);
    for (uint64_t turn = 0; turn < count; turn++) {
        program = first + (from - first + turn) % count;
        alarm(PATIENCE_S);
        run_program();
    }
    mine[0] = sum;
    mine[1] = faults;
    MPI_Reduce(mine, of_all, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    take_comm(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%llu programs of %d ranks, %llu wrong, sum %016llx\n", (unsigned long long)count, size,
               (unsigned long long)of_all[1], (unsigned long long)of_all[0]);
    MPI_Finalize();
    return faults > 0;
}
