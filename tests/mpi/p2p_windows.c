/* Windows of messages as bandwidth benchmarks send them, every byte checked.
 *
 * p2p_windows: one pair one way and both ways, all pairs one way and both ways, and every rank with every other; and
 * one way, each second message cancelled while it is sent. */
#include "tests/mpi/p2p_mpi.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, ROUNDS = 3, GUARD = 0xa5 };

static int self, ranks, faults;

static unsigned char byte_of(int sender, int number, int i)
{
    return (unsigned char)(sender * 37 + number * 5 + i % 249);
}

/* Message `i` of a window, and a byte behind it. */
static unsigned char *slot(unsigned char *data, int bytes, int i)
{
    return data + (size_t)i * ((size_t)bytes + 1);
}

static void fill(unsigned char *data, int bytes, int round)
{
    for (int i = 0; i < WINDOW; i++)
        for (int k = 0; k < bytes; k++)
            slot(data, bytes, i)[k] = byte_of(self, round * WINDOW + i, k);
}

static bool is_right(unsigned char *data, int bytes, int from, int number)
{
    for (int k = 0; k < bytes; k++)
        if (data[k] != byte_of(from, number, k))
            return false;
    return data[bytes] == GUARD;
}

static void check(unsigned char *data, int bytes, int from, int round)
{
    for (int i = 0; i < WINDOW; i++)
        if (!is_right(slot(data, bytes, i), bytes, from, round * WINDOW + i) && faults++ < 5)
            fprintf(stderr, "rank %d of %d: message %d of %d bytes from %d in round %d is wrong\n", self, ranks, i,
                    bytes, from, round);
}

/* One window each way that is asked for; who only sends waits for an answer. */
static void exchange(int peer, bool sends, bool receives, int bytes, int round, unsigned char *out, unsigned char *in)
{
    MPI_Request requests[2 * WINDOW];
    int count = 0;

    memset(in, GUARD, (size_t)WINDOW * ((size_t)bytes + 1));
    fill(out, bytes, round);
    for (int i = 0; receives && i < WINDOW; i++)
        MPI_Irecv(slot(in, bytes, i), bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[count++]);
    for (int i = 0; sends && i < WINDOW; i++)
        MPI_Isend(slot(out, bytes, i), bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    if (receives)
        check(in, bytes, peer, round);
    if (!sends)
        MPI_Send(NULL, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
    if (!receives)
        MPI_Recv(NULL, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* So many pairs at once: a rank of the lower half with one of the upper. */
static void pairs(int count, bool both, int bytes, unsigned char *out, unsigned char *in)
{
    int half = ranks / 2;
    bool lower = self < half;

    if (self % half >= count || self >= 2 * half)
        return;
    for (int round = 0; round < ROUNDS; round++)
        exchange(lower ? self + half : self - half, both || lower, both || !lower, bytes, round, out, in);
}

/* Every rank with every other, and with itself, in pairs. */
static void meet_all(int bytes, unsigned char *out, unsigned char *in)
{
    for (int sum = 0; sum < ranks; sum++)
        exchange((sum + ranks - self) % ranks, true, true, bytes, sum, out, in);
}

/* ---- cancelled ---- */

enum { GO = WINDOW, TOLD };

/* More than there is room for on the way: what is cancelled is whole there, or not begun, or half sent in parts. */
static void send_and_cancel(int peer, int bytes, unsigned char *out, int *cancelled)
{
    MPI_Request requests[WINDOW];
    MPI_Status statuses[WINDOW];

    fill(out, bytes, 0);
    for (int i = 0; i < WINDOW; i++)
        MPI_Isend(slot(out, bytes, i), bytes, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 1; i < WINDOW; i += 2)
        MPI_Cancel(&requests[i]);
    MPI_Send(NULL, 0, MPI_BYTE, peer, GO, MPI_COMM_WORLD);
    MPI_Waitall(WINDOW, requests, statuses);
    for (int i = 0; i < WINDOW; i++)
        MPI_Test_cancelled(&statuses[i], &cancelled[i]);
    MPI_Send(cancelled, WINDOW, MPI_INT, peer, TOLD, MPI_COMM_WORLD);
}

/* What is cancelled does not come, and all else does. */
static void receive_uncancelled(int peer, int bytes, unsigned char *in, int *cancelled)
{
    MPI_Request requests[WINDOW];
    MPI_Status statuses[WINDOW];

    memset(in, GUARD, (size_t)WINDOW * ((size_t)bytes + 1));
    MPI_Recv(NULL, 0, MPI_BYTE, peer, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < WINDOW; i++)
        MPI_Irecv(slot(in, bytes, i), bytes, MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Recv(cancelled, WINDOW, MPI_INT, peer, TOLD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < WINDOW; i++)
        if (cancelled[i])
            MPI_Cancel(&requests[i]);
    MPI_Waitall(WINDOW, requests, statuses);
    for (int i = 0; i < WINDOW; i++) {
        int empty;

        MPI_Test_cancelled(&statuses[i], &empty);
        if ((empty != cancelled[i] || (!empty && !is_right(slot(in, bytes, i), bytes, peer, i))) && faults++ < 5)
            fprintf(stderr, "message %d of %d bytes, %s: it is %s\n", i, bytes, cancelled[i] ? "cancelled" : "sent",
                    empty ? "not there" : "there, or wrong");
    }
}

static void cancel_half_sent(int bytes, unsigned char *out, unsigned char *in)
{
    int cancelled[WINDOW];

    if (self == 0)
        send_and_cancel(1, bytes, out, cancelled);
    else if (self == 1)
        receive_uncancelled(0, bytes, in, cancelled);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 8, 33, 1000, 4096, 20000, 70000, 300000};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *out = malloc(WINDOW * ((size_t)sizes[i] + 1)), *in = malloc(WINDOW * ((size_t)sizes[i] + 1));

        pairs(1, false, sizes[i], out, in);
        pairs(1, true, sizes[i], out, in);
        pairs(ranks / 2, false, sizes[i], out, in);
        pairs(ranks / 2, true, sizes[i], out, in);
        meet_all(sizes[i], out, in);
        cancel_half_sent(sizes[i], out, in);
        free(out);
        free(in);
    }
    MPI_Finalize();
    return faults > 0;
}
