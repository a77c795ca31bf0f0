/* A small traced job of which all figures are known: rank 0 sends what rank 1 receives, some of it too late. */
#include <mpi.h>
#include <stdlib.h>
#include "waymark/message_comm.h"

struct mail_header {
    int tag;
};

static inline struct wm_key mail_key(const struct mail_header *h)
{
    return (struct wm_key){.word = {(unsigned)h->tag}};
}

WM_PROTOCOL(mail, struct mail_header, mail_key, WM_KEY_DECIDES, WM_IN_ORDER, tag);

enum { COPIED = 10, HELD = 5, EXPECTED = 7, LEFT = 3, ALL = COPIED + HELD + EXPECTED, SMALL = 100, LARGE = 10000 };

static struct wm_endpoints *group;
static int rank;

/* All that is under way comes. */
static void meet(void)
{
    MPI_Request barrier;
    int over;

    for (int turn = 0; turn < 4; turn++) {
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        for (over = 0; !over; MPI_Test(&barrier, &over, MPI_STATUS_IGNORE))
            wm_endpoints_drain(group);
    }
}

static void run(struct mail *mail)
{
    static struct mail_envelope letters[ALL + LEFT];
    static char data[ALL + LEFT][LARGE];

    for (int i = 0; i < ALL + LEFT; i++) {
        size_t bytes = i >= COPIED && i < COPIED + HELD ? LARGE : SMALL;

        letters[i] = (struct mail_envelope){.header = {i}, .message = {.buffer = data[i], .bytes = bytes, .peer = 1}};
    }
    for (int i = 0; i < COPIED + HELD && rank == 0; i++)
        mail_send(mail, &letters[i]);
    meet();
    for (int i = 0; i < ALL && rank == 1; i++)
        mail_receive(mail, &letters[i]);
    meet();
    for (int i = COPIED + HELD; i < ALL + LEFT && rank == 0; i++)
        mail_send(mail, &letters[i]);
    meet();
    for (int i = 0; i < ALL; i++)
        mail_wait(mail, &letters[i]);
}

/* mail, whose messages are traced, and idle, whose are not. */
int main(int argc, char **argv)
{
    struct mail traced, untraced;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    group = wm_endpoints_over(MPI_COMM_WORLD, &(struct wm_message_limits){0});
    mail_open(&traced, group, rank, "mail");
    mail_open(&untraced, group, rank, "untraced");
    meet();
    run(&traced);
    run(&untraced);
    meet();
    mail_close(&traced);
    mail_close(&untraced);
    wm_endpoints_free(group);
    MPI_Finalize();
    return 0;
}
