/* Random statements over MPI, against an interpreter that shares nothing with them:
 *
 *     mpirun -n 5 tests/mpi/communicate_random --statements 20000 --seed 1
 *
 * Each rank interprets the statement for all, and compares its own memory. Statements are called in groups, each from
 * a seed, by which `--statements 1` does it again. With
 * `--all` it fails if there is a kind of calls that it did not reach. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/mpi/communicate_trial.h"
#include "waymark/communicate.h"

enum {
    GROUP_MAX = 3,
    ROUNDS = 5,
    REPEATS = WM_TEAM_CALLS + 2,
    TRIES = 30,
    FAILURES_MAX = 5,
    HANG_S = 60,
    COMM_GROUPS = 50
};

static struct trial trials[GROUP_MAX];
static struct kinds kinds;
static long failures, calls, by_mpi, statements, faulty;
static uint64_t seed = 1;
static MPI_Comm other;

/* Only what a handler of signals may do. */
static void tell_hang(int signal)
{
    char text[] = "communicate_random: it hangs at seed 00000000000000000000\n";
    char *at = text + sizeof text - 3;

    (void)signal;
    for (uint64_t left = seed; left > 0; left /= 10)
        *at-- = (char)('0' + left % 10);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(4);
    _exit(3);
}

static void fail(const struct trial *t, const char *wrong)
{
    fprintf(stderr, "communicate_random: --seed %llu, rank %d of %d: %s\n    %s\n", (unsigned long long)seed, t->rank,
            t->s.ranks, wrong, t->text.bytes);
    if (++failures >= FAILURES_MAX)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The library has found out who knows of the messages, where it had to. */
static void check_knowledge(const struct trial *t)
{
    const struct wm_deal *d = kinds_deal(t->comm, t->site);
    bool found = !d->learned && d->knowledge != WM_KNOWLEDGE_SENDER;

    if (t->s.hint[0] == '\0' && found != t->known)
        fail(t, t->known ? "the library does not find that both ends know" : "the library says that both ends know");
}

static void wait_for(struct fuzz_random *own, int count, MPI_Request requests[])
{
    int over = 0;

    if (fuzz_chance(own, 50))
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    else
        while (!over)
            MPI_Testall(count, requests, &over, MPI_STATUSES_IGNORE);
}

struct call {
    struct trial *trial;
    int number;
};

/* Some have to come again before they are made as operations of teams. */
static bool has_teams(const struct call group[], int count)
{
    for (int i = 0; i < count; i++)
        if (kinds_deal(group[i].trial->comm, group[i].trial->site)->collective.team)
            return true;
    return false;
}

/* Call some of the group's statements, all in the same order, of a hundred so many `blocking`; several may be under
 * way, while others are told that something has changed. */
static void call_group(struct fuzz_random *random, struct call group[], int count, unsigned blocking)
{
    MPI_Request requests[GROUP_MAX * CALLS_MAX];
    int begun = 0;

    for (int i = 0; i < count; i++) {
        trial_call(group[i].trial, group[i].number, &kinds, fuzz_chance(random, blocking) ? NULL : &requests[begun++]);
        if (fuzz_chance(random, 4))
            wm_touch(NULL);
    }
    if (fuzz_chance(random, 10))
        MPI_Barrier(MPI_COMM_WORLD);
    wait_for(&group[0].trial->own, begun, requests);
    for (int i = 0; i < count; i++) {
        const char *wrong = trial_compare(group[i].trial, group[i].number, &kinds);

        calls++;
        by_mpi += wm_talk_on(group[i].trial->comm)->mail.common.ways[1]->by_mpi;
        if (wrong != NULL)
            fail(group[i].trial, wrong);
    }
}

static void make_group(struct fuzz_random *random, int *count)
{
    int wanted = 1 + (int)fuzz_below(random, GROUP_MAX);

    *count = 0;
    for (int i = 0; i < TRIES && *count < wanted; i++)
        if (trial_new(&trials[*count], fuzz_chance(random, 50) ? other : MPI_COMM_WORLD, seed, fuzz_next(random)))
            ++*count;
        else
            faulty++;
    statements += *count;
}

static void run_group(void)
{
    struct fuzz_random random = {seed};
    struct call group[GROUP_MAX * CALLS_MAX];
    bool goes_on[GROUP_MAX];
    int count;

    make_group(&random, &count);
    for (int i = 0; i < count; i++)
        goes_on[i] = true;
    for (int round = 0; round < ROUNDS; round++) {
        int called = 0;

        for (int i = 0; i < count; i++) {
            if (round > 0 && goes_on[i])
                goes_on[i] = trial_change(&trials[i]);
            for (int k = 0; goes_on[i] && k < CALLS_MAX; k++)
                if (k == 0 || fuzz_chance(&random, 20))
                    group[called++] = (struct call){&trials[i], k};
        }
        if (called > 0)
            call_group(&random, group, called, fuzz_chance(&random, 50) ? 100 : 25);
        for (int times = round < 2 && has_teams(group, called) ? WM_TEAM_CALLS : 0; times > 0; times--)
            call_group(&random, group, called, 100);
        for (int i = 0; i < count && round == 0; i++)
            check_knowledge(&trials[i]);
        for (int i = 0; i < count; i++)
            if (goes_on[i])
                trial_store(&trials[i]);
    }
    for (int i = 0; i < count; i++)
        trial_end(&trials[i]);
}

/* Ranks have other numbers in it. */
static void make_other(void)
{
    int rank;

    if (other != MPI_COMM_NULL)
        MPI_Comm_free(&other);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
}

int main(int argc, char **argv)
{
    static const struct option names[] = {
        {"statements", 1, NULL, 'n'}, {"seed", 1, NULL, 's'}, {"all", 0, NULL, 'a'}, {NULL, 0, NULL, 0}};
    long wanted = 300;
    int option, rank, ranks;
    bool all = false, reached;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        if (option == 'n')
            wanted = atol(optarg);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else if (option == 'a')
            all = true;
        else
            MPI_Abort(MPI_COMM_WORLD, 2);
    signal(SIGALRM, tell_hang);
    other = MPI_COMM_NULL;
    for (long group = 0; statements < wanted; group++, seed++) {
        alarm(HANG_S);
        if (group % COMM_GROUPS == 0)
            make_other();
        run_group();
    }
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("communicate_random: %d ranks, %ld statements to seed %llu, %ld calls, %ld of them by MPI; %ld faulty; "
               "%ld failures\n",
               ranks, statements, (unsigned long long)seed, calls, by_mpi, faulty, failures);
    reached = kinds_print(&kinds);
    if (all && !reached && rank == 0)
        printf("some kind of call was never reached\n");
    MPI_Comm_free(&other);
    for (int i = 0; i < GROUP_MAX; i++)
        trial_release(&trials[i]);
    MPI_Finalize();
    return failures > 0 || (all && !reached);
}
