/* sched_yield() as the library exports it: beside a process that computes, a waiting one soon sleeps. */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/check.h"

enum { YIELDS = 3000 };

/* A child that computes on this process's processor, the only one that either has. */
static pid_t computing_neighbour(void)
{
    cpu_set_t one;
    pid_t child;

    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    CU_ASSERT_EQUAL_FATAL(sched_setaffinity(0, sizeof one, &one), 0);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(60);
        for (volatile unsigned long turn = 0;; turn++) {
        }
    }
    return child;
}

static long sleeps(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

static void a_yield_that_was_long_is_followed_by_sleeps(void)
{
    pid_t child = computing_neighbour();
    long before = sleeps();

    CU_ASSERT_TRUE_FATAL(child > 0);
    for (int i = 0; i < YIELDS; i++)
        CU_ASSERT_EQUAL(sched_yield(), 0);
    CU_ASSERT_TRUE(sleeps() - before > YIELDS / 2);
    kill(child, SIGKILL);
    CU_ASSERT_EQUAL(waitpid(child, NULL, 0), child);
}

static const struct check_case cases[] = {CASE(a_yield_that_was_long_is_followed_by_sleeps)};

CHECK_MAIN("rest", cases)
