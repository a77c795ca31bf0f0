/* Agreement: all ranks have Waymark loaded, and the same, or one of them says which have not. */
#include "core/job/agreement.h"

#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/process/pmix_host.h"
#include "core/job/roll.h"

enum { ROUNDS_MAX = 31, CALLED_MAX = 64, YIELDS = 2000, NAP_NS = 200000 };

enum { ENTRY_BYTES = sizeof(struct wm_roll_entry) };

/* One rank's part in both protocols. */
struct muster {
    int rank, ranks;
    int rounds_tag, roll_tag;
    double deadline_s, patience_s; /* for the rounds; for the roll call, once it has begun */
    double begin_s, roll_begin_s;
    struct wm_roll_entry own;

    int round_count, rounds_sent, rounds_done;
    bool same; /* all that was heard of so far agree with this rank */
    struct wm_roll_entry out[ROUNDS_MAX], in[ROUNDS_MAX];
    MPI_Request sends[ROUNDS_MAX], receives[ROUNDS_MAX];

    struct wm_roll_entry *entries; /* NULL: the roll is not called; not valid: that rank has not answered */
    MPI_Request roll_sends[CALLED_MAX + ROUNDS_MAX];
    int roll_send_count;
    int heard, expected; /* answers to the roll */
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* In a job that is in order the others come at once; afterwards there is no hurry. */
static void nap(unsigned turn)
{
    if (turn < YIELDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, NAP_NS}, NULL);
}

/* The rank of number `index` of those who take the roll. */
static int called_rank(const struct muster *m, int index)
{
    return (int)((int64_t)index * m->ranks / (m->ranks < CALLED_MAX ? m->ranks : CALLED_MAX));
}

static int called_count(const struct muster *m)
{
    return m->ranks < CALLED_MAX ? m->ranks : CALLED_MAX;
}

static bool takes_roll(const struct muster *m, int rank)
{
    for (int i = 0; i < called_count(m); i++)
        if (called_rank(m, i) == rank)
            return true;
    return false;
}

/* Rounds */

static void begin_rounds(struct muster *m)
{
    while (1 << m->round_count < m->ranks)
        m->round_count++;
    for (int k = 0; k < m->round_count; k++)
        PMPI_Irecv(&m->in[k], ENTRY_BYTES, MPI_BYTE, (m->rank - (1 << k) + m->ranks) % m->ranks, m->rounds_tag,
                   MPI_COMM_WORLD, &m->receives[k]);
}

static void send_round(struct muster *m, int k)
{
    m->out[k] = m->own;
    m->out[k].round = (uint8_t)k;
    m->out[k].same = m->same;
    PMPI_Isend(&m->out[k], ENTRY_BYTES, MPI_BYTE, (int)(((int64_t)m->rank + (1 << k)) % m->ranks), m->rounds_tag,
               MPI_COMM_WORLD, &m->sends[k]);
}

static void progress_rounds(struct muster *m)
{
    while (m->rounds_done < m->round_count) {
        int k = m->rounds_done, here = 0;

        if (m->rounds_sent == k)
            send_round(m, m->rounds_sent++);
        PMPI_Test(&m->receives[k], &here, MPI_STATUS_IGNORE);
        if (!here)
            return;
        m->same =
            m->same && m->in[k].same && wm_roll_entry_valid(&m->in[k]) && wm_roll_entry_agrees(&m->in[k], &m->own);
        m->rounds_done++;
    }
}

/* Roll call */

static void call_out(struct muster *m, int to)
{
    PMPI_Isend(&m->own, ENTRY_BYTES, MPI_BYTE, to, m->roll_tag, MPI_COMM_WORLD, &m->roll_sends[m->roll_send_count++]);
}

static int begin_roll(struct muster *m)
{
    m->entries = calloc((size_t)m->ranks, sizeof *m->entries);
    if (m->entries == NULL)
        return -WM_ENOMEM;
    m->roll_begin_s = now_s();
    m->entries[m->rank] = m->own;
    m->expected = takes_roll(m, m->rank) ? m->ranks - 1 : m->round_count;
    for (int i = 0; i < called_count(m); i++)
        if (called_rank(m, i) != m->rank)
            call_out(m, called_rank(m, i));
    for (int k = 0; k < m->round_count; k++) {
        int neighbour = (int)(((int64_t)m->rank + (1 << k)) % m->ranks);

        if (!takes_roll(m, neighbour))
            call_out(m, neighbour);
    }
    return 0;
}

/* Take what answers are there; the first begins the roll call here, too. */
static int progress_roll(struct muster *m)
{
    MPI_Status status;
    int here = 1, sent, rc = 0;

    if (m->roll_send_count > 0)
        PMPI_Testall(m->roll_send_count, m->roll_sends, &sent, MPI_STATUSES_IGNORE);
    while (rc == 0) {
        PMPI_Iprobe(MPI_ANY_SOURCE, m->roll_tag, MPI_COMM_WORLD, &here, &status);
        if (!here)
            return 0;
        if (m->entries == NULL)
            rc = begin_roll(m);
        if (rc == 0)
            PMPI_Recv(&m->entries[status.MPI_SOURCE], ENTRY_BYTES, MPI_BYTE, status.MPI_SOURCE, m->roll_tag,
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        m->heard++;
    }
    return rc;
}

/* Is it over? When a roll was called in vain, because someone came late, its messages are still taken: the program
 * shall not find them. */
static bool is_over(const struct muster *m)
{
    bool rounds_over = m->rounds_done == m->round_count;

    if (m->entries == NULL)
        return rounds_over && m->same;
    return (rounds_over && m->heard == m->expected) || now_s() - m->roll_begin_s > m->patience_s;
}

static bool roll_is_due(const struct muster *m)
{
    if (m->entries != NULL)
        return false;
    return m->rounds_done == m->round_count ? !m->same : m->deadline_s > 0 && now_s() - m->begin_s > m->deadline_s;
}

static int wait_for_all(struct muster *m)
{
    int rc = 0;

    begin_rounds(m);
    for (unsigned turn = 0; rc == 0; turn++) {
        progress_rounds(m);
        rc = progress_roll(m);
        if (rc == 0 && roll_is_due(m))
            rc = begin_roll(m);
        if (is_over(m))
            break;
        nap(turn);
    }
    return rc;
}

/* The lowest that took the roll speaks. One that did not cannot know who did: it gives them time, and then speaks. */
static bool is_speaker(const struct muster *m)
{
    int first = 0;

    if (!takes_roll(m, m->rank)) {
        double until_s = now_s() + m->patience_s;

        while (now_s() < until_s)
            nap(YIELDS);
        return true;
    }
    while (!wm_roll_entry_valid(&m->entries[called_rank(m, first)]))
        first++;
    return called_rank(m, first) == m->rank;
}

/* Everyone answered, but some have left the rounds: they took this rank for missing, and said so. */
static int too_late(const struct muster *m, struct wm_error *error, bool *speaker)
{
    *speaker = true;
    return wm_error_set(error, -WM_EMPI,
                        "rank %d on %s came when the others had given it up; raise WAYMARK_START_DEADLINE", m->rank,
                        m->own.host);
}

static int judge(const struct muster *m, struct wm_error *error, bool *speaker)
{
    bool rounds_over = m->rounds_done == m->round_count, took_roll = takes_roll(m, m->rank);
    int rc;

    if (rounds_over && m->same)
        return 0;
    rc = took_roll ? wm_roll_judge(m->entries, m->ranks, wm_pmix_host, m->deadline_s + m->patience_s, error) : -WM_EMPI;
    if (rc == 0)
        return too_late(m, error, speaker);
    *speaker = is_speaker(m);
    if (!took_roll)
        wm_error_set(
            error, rc,
            "Waymark is loaded in rank %d on %s, but not, or not in this version, in all of the job's %d ranks",
            m->rank, m->own.host, m->ranks);
    return rc;
}

static bool drop(MPI_Request *request, bool receive)
{
    int over = 1;

    if (*request != MPI_REQUEST_NULL && receive) {
        PMPI_Cancel(request);
        PMPI_Wait(request, MPI_STATUS_IGNORE);
    } else if (*request != MPI_REQUEST_NULL) {
        PMPI_Test(request, &over, MPI_STATUS_IGNORE);
        if (!over)
            PMPI_Request_free(request);
    }
    return over;
}

/* What is still being sent reads the record; then it stays. */
static void leave(struct muster *m)
{
    bool over = true;

    for (int k = 0; k < m->round_count; k++) {
        over = drop(&m->receives[k], true) && over;
        over = drop(&m->sends[k], false) && over;
    }
    for (int i = 0; i < m->roll_send_count; i++)
        over = drop(&m->roll_sends[i], false) && over;
    free(m->entries);
    m->entries = NULL;
    if (over)
        free(m);
}

static void introduce(struct muster *m)
{
    char host[WM_HOST_CHARS] = "";

    gethostname(host, sizeof host - 1);
    wm_roll_entry_fill(&m->own, host);
    m->same = true;
    for (int k = 0; k < ROUNDS_MAX; k++)
        m->sends[k] = m->receives[k] = MPI_REQUEST_NULL;
}

static void choose_tags(struct muster *m)
{
    int *highest, found = 0;

    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
    m->rounds_tag = found ? *highest : 32767;
    m->roll_tag = m->rounds_tag - 1;
}

int wm_agreement_reach(double deadline_s, struct wm_error *error, bool *speaker)
{
    struct muster *m = calloc(1, sizeof *m);
    int rc;

    *speaker = false;
    if (m == NULL)
        return wm_error_set(error, -WM_ENOMEM, "%s", wm_error_sentence(-WM_ENOMEM));
    PMPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &m->ranks);
    m->deadline_s = deadline_s;
    m->patience_s = deadline_s > 0 ? deadline_s / 2 : 5;
    m->begin_s = now_s();
    introduce(m);
    choose_tags(m);
    rc = wait_for_all(m);
    rc = rc < 0 ? wm_error_set(error, rc, "%s", wm_error_sentence(rc)) : judge(m, error, speaker);
    leave(m);
    return rc;
}
