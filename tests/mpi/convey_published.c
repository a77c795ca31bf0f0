/* A program that knows the published headers only: a histogram, an index-gather, elastic words, queries and replies. It
 * is compiled with the include path of a program that was written for the published package, and checks its own
 * results. */
#include <convey.h>
#include <biconvey.h>
#include <convey_alc8r.h>
#include <convey_codec.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1000, UPDATES = 5000 };

static int me, npes, faults;

static void expect(int right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "published: rank %d: %s\n", me, what);
}

static long total(long mine)
{
    long all;

    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void histogram(convey_t *conveyor)
{
    long counts[TABLE] = {0}, sum = 0, i = 0;
    int64_t where, pe;

    convey_begin(conveyor, sizeof(int64_t), 0);
    while (convey_advance(conveyor, i == UPDATES)) {
        for (; i < UPDATES; i++) {
            where = (i * 7919 + me) % TABLE;
            pe = (i * 104729 + me) % npes;
            if (convey_push(conveyor, &where, pe) != convey_OK)
                break;
        }
        while (convey_pull(conveyor, &where, NULL) == convey_OK)
            counts[where]++;
    }
    expect(convey_statistic(conveyor, convey_PUSHES) == UPDATES, "statistics of the histogram");
    convey_reset(conveyor);
    for (int k = 0; k < TABLE; k++)
        sum += counts[k];
    expect(total(sum) == (long)UPDATES * npes, "the histogram's sum");
}

typedef struct {
    int64_t slot, value;
} packet_t;

static void index_gather(convey_t *requests, convey_t *replies)
{
    int64_t *table = malloc(TABLE * sizeof *table), got[UPDATES], i = 0, from;
    packet_t packet, *query;
    int more;

    for (int k = 0; k < TABLE; k++)
        table[k] = (int64_t)me * TABLE + k;
    convey_begin(requests, sizeof packet, 0);
    convey_begin(replies, sizeof packet, 0);
    while (more = convey_advance(requests, i == UPDATES), more | convey_advance(replies, !more)) {
        for (; i < UPDATES; i++) {
            packet.slot = i;
            packet.value = (i * 31 + me) % TABLE;
            if (convey_push(requests, &packet, (i * 17 + me) % npes) != convey_OK)
                break;
        }
        while ((query = convey_apull(requests, &from)) != NULL) {
            packet.slot = query->slot;
            packet.value = table[query->value];
            if (convey_push(replies, &packet, from) != convey_OK) {
                convey_unpull(requests);
                break;
            }
        }
        while (convey_pull(replies, &packet, NULL) == convey_OK)
            got[packet.slot] = packet.value;
    }
    convey_reset(replies);
    convey_reset(requests);
    for (i = 0; i < UPDATES; i++)
        expect(got[i] == (i * 17 + me) % npes * TABLE + (i * 31 + me) % TABLE, "an index-gather");
    free(table);
}

static void words(void)
{
    static const char text[] = "conveyors carry items of any length, in order, from any rank to any rank";
    convey_t *conveyor = convey_new_elastic(sizeof text, SIZE_MAX, 0, NULL, 0);
    long pulled = 0;
    size_t n = 0;
    convey_item_t item;

    expect(convey_features(conveyor) & convey_ELASTIC, "elasticity");
    convey_begin(conveyor, 1, 1);
    while (convey_advance(conveyor, n == sizeof text)) {
        while (n < sizeof text && convey_epush(conveyor, n, text, (int64_t)n % npes) == convey_OK)
            n++;
        while (convey_epull(conveyor, &item) == convey_OK) {
            expect(memcmp(item.data, text, item.bytes) == 0 && item.from >= 0 && item.from < npes, "a word");
            pulled++;
        }
    }
    expect(total(pulled) == (long)sizeof text * npes, "the number of words");
    convey_reset(conveyor);
    convey_free(conveyor);
}

static void square(const void *query, void *reply, void *context)
{
    int64_t number;

    memcpy(&number, query, sizeof number);
    number = number * number + *(int *)context;
    memcpy(reply, &number, sizeof number);
}

static void squares(void)
{
    biconvey_t *b = biconvey_new(SIZE_MAX, 0, NULL, 0);
    int64_t asked = 0, heard = 0, reply;

    biconvey_begin(b, sizeof asked, sizeof reply, square, &me);
    while (biconvey_advance(b, asked == UPDATES)) {
        while (asked < UPDATES && biconvey_push(b, &asked, asked % npes) == convey_OK)
            asked++;
        for (; biconvey_pull(b, &reply) == convey_OK; heard++)
            expect(reply == heard * heard + heard % npes, "a square");
    }
    expect(heard == UPDATES, "the number of squares");
    biconvey_reset(b);
    biconvey_free(b);
}

int main(int argc, char **argv)
{
    convey_t *first, *second;
    int bad, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &npes);
    first = convey_new(SIZE_MAX, 0, NULL, convey_opt_SCATTER);
    second = convey_new_tensor(10000, 2, 1, 2, NULL, convey_opt_RECKLESS | convey_opt_DYNAMIC);
    histogram(first);
    index_gather(first, second);
    histogram(second);
    convey_free(second);
    convey_free(first);
    words();
    if (argc < 2)
        squares();
    bad = faults;
    MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        printf("published: %d wrong, %s\n", all, convey_version);
    MPI_Finalize();
    return all > 0;
}
