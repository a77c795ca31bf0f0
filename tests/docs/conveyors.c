/* Calls the functions of docs/conveyors.md, which are included before it, and checks what they give. */
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 50, COUNT = 4000 };

static int rank, ranks;
static int64_t got, last[64];

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int64_t sum_over_ranks(int64_t mine)
{
    int64_t all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void use(int64_t item, int64_t from)
{
    expect(item > last[from], "exchange: the order of a pair is broken");
    last[from] = item;
    got++;
}

/* Slot s of rank r holds 1000 r + s. */
static void check_gathers(convey_t *c, convey_t *d)
{
    int64_t table[SLOTS], index[COUNT], values[COUNT];
    biconvey_t *b = biconvey_new(SIZE_MAX, 0, NULL, 0);

    for (int i = 0; i < SLOTS; i++)
        table[i] = 1000 * rank + i;
    for (int i = 0; i < COUNT; i++)
        index[i] = (i * 7 + rank) % (SLOTS * ranks);
    for (int pass = 0; pass < 2; pass++) {
        memset(values, 0, sizeof values);
        if (pass == 0)
            gather(c, d, table, index, values, COUNT, ranks);
        else
            gather_in_order(b, table, index, values, COUNT, ranks);
        for (int i = 0; i < COUNT; i++)
            expect(values[i] == 1000 * (index[i] % ranks) + index[i] / ranks, "a wrong value was gathered");
    }
    biconvey_free(b);
}

static void check_sums(convey_t *c)
{
    int64_t items[COUNT], sum = 0, pushed = 0;

    for (int i = 0; i < COUNT; i++)
        items[i] = i;
    convey_begin(c, sizeof *items, 0);
    while (convey_advance(c, pushed == COUNT) > convey_DONE) {
        pushed +=
            convey_push_span(c, &items[pushed], (size_t)(pushed < COUNT ? COUNT - pushed : 0), (rank + 1) % ranks);
        sum += sum_arrived(c);
        if (pushed == COUNT)
            break;
    }
    while (convey_advance(c, true) > convey_DONE)
        sum += sum_arrived(c);
    convey_reset(c);
    expect(sum == (int64_t)COUNT * (COUNT - 1) / 2, "sum_arrived: a wrong sum");
    sum = 0;
    sum_by_handler(c, items, COUNT, ranks, &sum);
    expect(sum_over_ranks(sum) == (int64_t)ranks * COUNT * (COUNT - 1) / 2, "sum_by_handler: a wrong sum");
    convey_set_handler(c, NULL, NULL, false);
}

static void check_exchange(convey_t *c)
{
    int64_t items[COUNT], sum = 0;
    int to[COUNT];

    for (int i = 0; i < COUNT; i++) {
        items[i] = i + 1;
        to[i] = (i * i + rank) % ranks;
    }
    exchange(c, items, to, COUNT, use);
    expect(sum_over_ranks(got) == (int64_t)COUNT * ranks, "exchange: items are lost");
    expect(send_checked(c, items, to, COUNT, &sum) == 0, "send_checked fails");
    expect(sum_over_ranks(sum) == (int64_t)ranks * COUNT * (COUNT + 1) / 2, "send_checked: a wrong sum");
    expect(send_checked(NULL, items, to, COUNT, &sum) < 0, "send_checked sees no error");
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"conveyor", "belt", "", "a"};
    convey_t *c, *d;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    c = wm_convey_new(MPI_COMM_WORLD, "c");
    d = wm_convey_new(MPI_COMM_WORLD, "d");
    check_gathers(c, d);
    check_sums(c);
    check_exchange(c);
    expect(sum_over_ranks(send_words(words, 4, ranks)) == 13 * ranks, "send_words: letters are lost");
    convey_free(c);
    convey_free(d);
    if (rank == 0)
        puts("all as the page says");
    MPI_Finalize();
    return 0;
}
