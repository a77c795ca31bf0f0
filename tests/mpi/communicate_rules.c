/* The rules by which a statement is evaluated (docs/communicate.md), a case each, in which a neighbouring rule would
 * give something else. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/communicate_check.h"
#include "waymark/communicate.h"

static int left, right;

/* Each rank has a range of its own; by its receiver's range no message would come. */
static void clauses_by_all(void)
{
    int to = right, got = -1;

    WM_COMMUNICATE(MPI_COMM_WORLD, "got@i <<= 10 * j@j where i in {to ... to + 1}, j in world", got, to);
    check("clauses by all", got, 10 * left);
}

/* Who sends is what each rank says of itself, not what its receivers say. */
static void sender_by_all(void)
{
    int from = rank % 2 == 0 ? rank : 0, sum = 0, should = 0;

    WM_COMMUNICATE(MPI_COMM_WORLD, "sum@i << + << me + 1@from where i in world", sum, from);
    for (int r = 0; r < ranks; r += 2)
        should += r + 1;
    check("sender's rank by all", sum, should);
}

/* `to`, `x` and `me` are the sender's. */
static void receiver_and_data_by_sender(void)
{
    int to = right, x = 100 * rank, got = -1;

    WM_COMMUNICATE(MPI_COMM_WORLD, "got@to <<= x + me@i where i in world", to, x, got);
    check("receiver's rank and data by the sender", got, 101 * left);
}

/* `k` is the sender's, `x` and `me` are the receiver's. */
static void storage_by_receiver(void)
{
    int to = right, x = 3 * rank, v = 5 * rank, got[8] = {0};

    WM_COMMUNICATE(MPI_COMM_WORLD, "got[(k + x + me) % 8]@to <<= 1@me where k = v", to, x, v, got);
    for (int i = 0; i < 8; i++)
        check("storage by the receiver, with the sender's variables", got[i], i == (5 * left + 4 * rank) % 8);
}

static int owner(int i)
{
    if (i < 0 || i > 3) {
        fprintf(stderr, "rank %d: a function is called with %d, which a filter excludes\n", rank, i);
        faults++;
    }
    return i % ranks;
}

/* Without the filter what refers to `to`, `data`, `from` and `set` is a fault. */
static void filters_first(void)
{
    int to[4] = {right, right, right, right}, from[4] = {rank, rank, rank, rank}, data[4] = {0, 1, 2, 3},
        set[4] = {3, 2, 1, 0}, got[4] = {0}, sum = 0;

    WM_COMMUNICATE(MPI_COMM_WORLD,
                   "got[k]@to[i] <<= data[i]@from[i] where i in {-2 ... 9}, i >= 0 && i < 4, k = set[i]", to, from,
                   data, set, got);
    for (int i = 0; i < 4; i++)
        check("filters before references", got[i], 3 - i);
    WM_COMMUNICATE(MPI_COMM_WORLD, "sum@owner(i) << + << i@owner(i) where i in {-2 ... 9}, 0 <= i && i < 4", sum,
                   WM_FUNCTION(owner));
    for (int i = rank; i < 4; i += ranks)
        sum -= i;
    check("filters before calls", sum, 0);
}

static int later(int a, int b)
{
    return 2 * a + b;
}

static int count(int a, int b)
{
    return b < 0 ? -1000 : a + 1;
}

/* Once a message, whatever it is and whatever is there, and after all arguments were evaluated. */
static void operator_once(void)
{
    int messages = 7, pair[2] = {1, 2}, x = rank + 1, should[2] = {1, 2};

    WM_COMMUNICATE(MPI_COMM_WORLD, "messages@0 << count << k@i where i in world, k in {0 ... 3}", messages,
                   WM_OPERATOR(count));
    check("an operator once a message", messages, rank == 0 ? 7 + 3 * ranks : 7);
    WM_COMMUNICATE(MPI_COMM_WORLD, "pair@ranks - 1 << later << pair@i where i in world", pair,
                   WM_ORDERED(WM_OPERATOR(later)));
    for (int r = 0; r < ranks; r++)
        for (int k = 0; k < 2; k++)
            should[k] = 2 * should[k] + k + 1;
    for (int k = 0; k < 2; k++)
        check("an operator after its arguments", pair[k], rank == ranks - 1 ? should[k] : k + 1);
    WM_COMMUNICATE(MPI_COMM_WORLD, "x@ranks - 1 << + << x + 1@i where i in world", x);
    check("an operator after what it combines", x,
          rank == ranks - 1 ? ranks + ranks * (ranks + 1) / 2 + ranks : rank + 1);
}

/* All data is read, and all places are found, before anything is stored: whoever knows of the messages. */
static void parallel_assignment(void)
{
    for (int turn = 0; turn < 2; turn++) {
        int a[2] = {10 * rank, 10 * rank + 1}, at = 1, b[4] = {0}, x = rank;

        if (turn == 0) {
            WM_COMMUNICATE(MPI_COMM_WORLD, "a[0]@i <<= a[1]@i, a[1]@i <<= a[0]@i where i in world", a);
            WM_COMMUNICATE(MPI_COMM_WORLD, "at@i <<= 3@0, b[at]@i <<= 5@0, b[at + 1]@i <<= 6@i where i in world", at,
                           b);
            WM_COMMUNICATE(MPI_COMM_WORLD, "x@(i + 1) % ranks <<= x@i where i in world", x);
        } else {
            WM_COMMUNICATE(MPI_COMM_WORLD, "a[0]@i <<= a[1]@i, a[1]@i <<= a[0]@i where i in world sender", a);
            WM_COMMUNICATE(MPI_COMM_WORLD, "at@i <<= 3@0, b[at]@i <<= 5@0, b[at + 1]@i <<= 6@i where i in world sender",
                           at, b);
            WM_COMMUNICATE(MPI_COMM_WORLD, "x@(i + 1) % ranks <<= x@i where i in world sender", x);
        }
        check("reads before stores", a[0], 10 * rank + 1);
        check("reads before stores", a[1], 10 * rank);
        check("places before stores", b[1], 5);
        check("places before stores", b[2], 6);
        check("places before stores", b[3], 0);
        check("stores", at, 3);
        check("reads before stores of others", x, left);
    }
}

/* Of one sender in their order; all have the same clauses. */
static void several_reductions(void)
{
    int chain = 1, should = 1, last = 0;

    WM_COMMUNICATE(MPI_COMM_WORLD,
                   "chain@0 << later << 1@i, chain@0 << later << 2 + k@i where i in world, k in {0 ... 2}", chain,
                   WM_ORDERED(WM_OPERATOR(later)));
    for (int r = 0; r < ranks; r++)
        should = later(later(later(later(should, 1), 1), 2), 3);
    check("several reductions, combined", chain, rank == 0 ? should : 1);
    WM_COMMUNICATE(MPI_COMM_WORLD, "last@right <<= 1@me; last@right <<= 2@me", last, right);
    check("several reductions, stored", last, 2);
}

/* What holds of a statement may be said, and changes nothing. */
static void hints(void)
{
    int got[4] = {-1, -1, -1, -1};

    WM_COMMUNICATE(MPI_COMM_WORLD, "got[0]@(i + 1) % ranks <<= i@i where i in world global", got);
    WM_COMMUNICATE(MPI_COMM_WORLD, "got[1]@(i + 1) % ranks <<= i@i where i in world corresponding", got);
    WM_COMMUNICATE(MPI_COMM_WORLD, "got[2]@(i + 1) % ranks <<= i@i where i in world sender", got);
    WM_COMMUNICATE(MPI_COMM_WORLD, "got[3]@(i + 1) % ranks <<= i@i where i in world receiver", got);
    for (int hint = 0; hint < 4; hint++)
        check("hints", got[hint], left);
}

/* By `receiver`, `x` and `k` of the data: the sender's own, and the receiver's variable. */
static void receivers_ask(void)
{
    int from = left, x = 100 * rank, v = rank + 1, got = -1;

    WM_COMMUNICATE(MPI_COMM_WORLD, "got@me <<= x + k@from where k = v receiver", from, x, v, got);
    check("receivers ask", got, 100 * left + rank + 1);
}

static void half_open_ranges(void)
{
    int data[4] = {1, 2, 3, 4}, got[4] = {0}, members = 0;

    WM_COMMUNICATE(MPI_COMM_WORLD, "got[1 ... 3]@i <<= data[1 ... 3]@i where i in {0 ... ranks}", got, data);
    for (int i = 0; i < 4; i++)
        check("half-open slices", got[i], i == 1 ? 2 : i == 2 ? 3 : 0);
    WM_COMMUNICATE(MPI_COMM_WORLD, "members@i << + << 1@i where i in world, j in {2 ... 5}, k in {j ... 4}", members);
    check("half-open ranges", members, 3);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    clauses_by_all();
    sender_by_all();
    receiver_and_data_by_sender();
    storage_by_receiver();
    filters_first();
    operator_once();
    parallel_assignment();
    several_reductions();
    hints();
    receivers_ask();
    half_open_ranges();
    MPI_Finalize();
    return faults > 0;
}
