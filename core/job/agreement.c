/* Agreement: all ranks have Waymark loaded, and the same, or one of them says which have not. */
#include "core/job/agreement.h"

#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/process/pmix_host.h"
#include "core/process/process.h"
#include "core/job/roll_call.h"

enum { PASS_MAX = 31, ROUNDS_MAX = 2 * PASS_MAX, YIELDS = 2000, NAP_NS = 200000, RANKS_TEXT_BYTES = 160 };

enum { ENTRY_BYTES = sizeof(struct wm_roll_entry) };

/* One rank's part in both protocols. */
struct muster {
    int rank, ranks, rounds_tag;
    double deadline_s, patience_s; /* without a sign of life: before the roll is called; before it is given up */
    double begin_s;
    double sign_s; /* of the last sign of life: a message came, or a question arrived; or when the roll was called */

    int pass_rounds, rounds_sent, rounds_done;
    bool same; /* all that was heard of so far agree with this rank */
    struct wm_roll_entry own, out[ROUNDS_MAX], in[ROUNDS_MAX];
    MPI_Request sends[ROUNDS_MAX], receives[ROUNDS_MAX];

    struct wm_roll_call roll;
    bool told; /* that this rank waits for others that no question has reached */
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

/* Rounds */

/* In round k of a pass a rank hears from the one 2^k before it. */
static int distance(const struct muster *m, int round)
{
    return 1 << (round % m->pass_rounds);
}

static void begin_rounds(struct muster *m)
{
    while (1 << m->pass_rounds < m->ranks)
        m->pass_rounds++;
    for (int k = 0; k < 2 * m->pass_rounds; k++)
        PMPI_Irecv(&m->in[k], ENTRY_BYTES, MPI_BYTE, (m->rank - distance(m, k) + m->ranks) % m->ranks, m->rounds_tag,
                   MPI_COMM_WORLD, &m->receives[k]);
}

static void send_round(struct muster *m, int k)
{
    m->out[k] = m->own;
    m->out[k].round = (uint8_t)k;
    m->out[k].same = m->same;
    PMPI_Isend(&m->out[k], ENTRY_BYTES, MPI_BYTE, (int)(((int64_t)m->rank + distance(m, k)) % m->ranks), m->rounds_tag,
               MPI_COMM_WORLD, &m->sends[k]);
}

/* All have Waymark. */
static bool all_are_there(const struct muster *m)
{
    return m->rounds_done >= m->pass_rounds;
}

static bool rounds_are_over(const struct muster *m)
{
    return m->rounds_done == 2 * m->pass_rounds;
}

static bool roll_is_called(const struct muster *m)
{
    return m->roll.entries != NULL;
}

/* Rank 0 must learn who differs. */
static bool may_pass(const struct muster *m)
{
    return wm_roll_call_complete(&m->roll) && (m->same || m->rank > 0 || roll_is_called(m));
}

static void progress_rounds(struct muster *m)
{
    while (!rounds_are_over(m)) {
        int k = m->rounds_done, here = 0;

        if (k == m->pass_rounds && !may_pass(m))
            return;
        if (m->rounds_sent == k)
            send_round(m, m->rounds_sent++);
        PMPI_Test(&m->receives[k], &here, MPI_STATUS_IGNORE);
        if (!here)
            return;
        m->same =
            m->same && m->in[k].same && wm_roll_entry_valid(&m->in[k]) && wm_roll_entry_agrees(&m->in[k], &m->own);
        m->rounds_done++;
        m->sign_s = now_s();
    }
}

/* Roll call */

static double silence_s(const struct muster *m)
{
    return now_s() - m->sign_s;
}

static void progress_roll(struct muster *m)
{
    if (wm_roll_call_progress(&m->roll))
        m->sign_s = now_s();
}

static int call_roll(struct muster *m)
{
    m->sign_s = now_s();
    return wm_roll_call_begin(&m->roll);
}

static bool roll_is_due(const struct muster *m)
{
    if (roll_is_called(m) || m->roll.accused >= 0)
        return false;
    if (all_are_there(m))
        return !m->same && m->rank == 0;
    return m->roll.was_asked || (m->deadline_s > 0 && silence_s(m) > m->deadline_s);
}

/* Has somebody been silent for too long, of those that are reached? Who does not take the roll leaves that to those who
 * do, if there are any. */
static bool is_in_vain(const struct muster *m)
{
    return !all_are_there(m) && silence_s(m) > m->patience_s && wm_roll_call_missing(&m->roll) >= 0 &&
           (wm_roll_takes(m->rank, m->ranks) || wm_roll_call_first(&m->roll) < 0);
}

/* It may have more to say than another's verdict. */
static bool is_finding_out(const struct muster *m)
{
    return !all_are_there(m) && wm_roll_takes(m->rank, m->ranks) && wm_roll_call_missing(&m->roll) >= 0;
}

static bool is_over(const struct muster *m)
{
    return rounds_are_over(m) || is_in_vain(m) || (m->roll.accused >= 0 && !is_finding_out(m));
}

static struct wm_roll known(const struct muster *m)
{
    return (struct wm_roll){.entries = m->roll.entries,
                            .reached = m->roll.reached,
                            .accused = m->roll.accused,
                            .ranks = m->ranks,
                            .host_of = wm_pmix_host,
                            .seconds = now_s() - m->begin_s};
}

/* Who is not reached is waited for. One rank says so, of those that know of each other. */
static void tell_of_unreached(struct muster *m)
{
    struct wm_roll roll;
    char ranks[RANKS_TEXT_BYTES];

    if (m->told || wm_roll_call_complete(&m->roll) || silence_s(m) <= m->patience_s ||
        wm_roll_call_first(&m->roll) != m->rank)
        return;
    m->told = true;
    roll = known(m);
    wm_roll_unreached(&roll, ranks, sizeof ranks);
    fprintf(stderr,
            "waymark: no message of rank %d on %s has reached %s in %.3g s; it goes on waiting, as the MPI library "
            "does\n",
            m->rank, m->own.host, ranks, roll.seconds);
}

static int wait_for_all(struct muster *m)
{
    int rc = 0;

    begin_rounds(m);
    for (unsigned turn = 0; rc == 0; turn++) {
        progress_rounds(m);
        progress_roll(m);
        if (is_over(m))
            break;
        if (roll_is_due(m))
            rc = call_roll(m);
        tell_of_unreached(m);
        nap(turn);
    }
    return rc;
}

/* The lowest rank speaks that takes the roll and is there; a rank that knows of none speaks for itself. */
static int give_up(struct muster *m, struct wm_error *error, bool *speaker)
{
    struct wm_roll roll = known(m);
    int first;

    if (m->roll.accused < 0)
        wm_roll_call_give_up(&m->roll, wm_roll_call_missing(&m->roll));
    first = wm_roll_call_first(&m->roll);
    *speaker = first == m->rank || first < 0 || m->roll.accused == m->rank;
    if (m->roll.accused == m->rank)
        return wm_error_set(error, -WM_EMPI,
                            "rank %d on %s came when the others had given it up; raise WAYMARK_START_DEADLINE", m->rank,
                            m->own.host);
    if (first == m->rank && roll_is_called(m))
        return wm_roll_judge(&roll, error);
    return wm_error_set(error, -WM_EMPI,
                        "Waymark is loaded in rank %d on %s, but not in all of the job's %d ranks: nothing was heard "
                        "from rank %d",
                        m->rank, m->own.host, m->ranks, m->roll.accused);
}

static int judge(struct muster *m, struct wm_error *error, bool *speaker)
{
    struct wm_roll roll = known(m);

    if (!rounds_are_over(m))
        return give_up(m, error, speaker);
    if (m->same)
        return 0;
    *speaker = m->rank == 0;
    return *speaker ? wm_roll_judge(&roll, error)
                    : wm_error_set(error, -WM_EMPI, "the ranks have loaded different versions of Waymark");
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

    for (int k = 0; k < 2 * m->pass_rounds; k++) {
        over = drop(&m->receives[k], true) && over;
        over = drop(&m->sends[k], false) && over;
    }
    if (wm_roll_call_leave(&m->roll) && over)
        free(m);
}

static void introduce(struct muster *m)
{
    char host[WM_HOST_CHARS] = "";

    gethostname(host, sizeof host - 1);
    wm_roll_entry_fill(&m->own, host, wm_process.each);
    m->same = true;
    for (int k = 0; k < ROUNDS_MAX; k++)
        m->sends[k] = m->receives[k] = MPI_REQUEST_NULL;
}

static void choose_tags(struct muster *m)
{
    int *highest, found = 0;

    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
    m->rounds_tag = found ? *highest : 32767;
    wm_roll_call_init(&m->roll, m->rank, m->ranks, m->rounds_tag - 1, &m->own);
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
    m->begin_s = m->sign_s = now_s();
    introduce(m);
    choose_tags(m);
    rc = wait_for_all(m);
    rc = rc < 0 ? wm_error_set(error, rc, "%s", wm_error_sentence(rc)) : judge(m, error, speaker);
    leave(m);
    return rc;
}
