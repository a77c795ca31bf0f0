/* The schedule: who runs when, who waits for whom, and what is said of those that never end or crash. */
#include "core/subrank/schedule.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/check.h"

static char said[512];
static int rest_count, left;

static void say(const char *word)
{
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s%d ", word, wm_subrank_self());
}

static void expect(const struct wm_schedule_parts *parts, const char *text)
{
    struct wm_error error = {0};

    said[0] = '\0';
    rest_count = 0;
    CU_ASSERT_EQUAL(wm_schedule_run(parts, &error), 0);
    CU_ASSERT_STRING_EQUAL(said, text);
    CU_ASSERT_EQUAL(wm_subrank_self(), -1);
}

static void yield_twice(void *with, int number)
{
    (void)with;
    CU_ASSERT_EQUAL(number, wm_subrank_self());
    for (int i = 0; i < 3 - number; i++) {
        say("");
        wm_subrank_yield();
    }
    say("end");
}

static void those_that_yield_run_in_turn(void)
{
    expect(&(struct wm_schedule_parts){.count = 3, .run = yield_twice}, "0 1 2 0 1 end2 0 end1 end0 ");
    expect(&(struct wm_schedule_parts){.count = 1, .run = yield_twice}, "0 0 0 end0 ");
    wm_subrank_yield(); /* outside of a schedule, nobody else is there */
    wm_subrank_rest();
}

static void sleep_and_wake(void *with, int number)
{
    (void)with;
    if (number == 1) {
        wm_subrank_wake(0);
        wm_subrank_wake(2); /* before it sleeps */
        wm_subrank_wake(2); /* as often as once */
        say("wakes");
        wm_subrank_yield();
        wm_subrank_wake(2);
        say("ends");
        return;
    }
    say("to-bed");
    wm_subrank_sleep();
    say("up");
    if (number == 0)
        return;
    wm_subrank_sleep();
    say("again");
    wm_subrank_wake(0); /* which has ended */
}

static void who_is_woken_comes_behind_those_that_are_ready(void)
{
    expect(&(struct wm_schedule_parts){.count = 3, .run = sleep_and_wake},
           "to-bed0 wakes1 to-bed2 up2 up0 ends1 again2 ");
}

/* 3 and 4 go first: woken behind 1 and 2, they run before them, and let nobody else go. */
static void go_first_or_not(void *with, int number)
{
    (void)with;
    if (number >= 3)
        wm_subrank_go_first();
    if (number > 0)
        wm_subrank_sleep();
    else
        wm_subrank_yield();
    for (int i = 1; number == 0 && i < 5; i++)
        wm_subrank_wake(i);
    say(number == 0 ? "wakes" : "up");
    wm_subrank_yield_in_turn();
    say("end");
}

static bool wake_all(void *with)
{
    (void)with;
    for (int i = 0; i < 3 && rest_count == 0; i++)
        wm_subrank_wake(i);
    return rest_count++ == 0;
}

static void sleep_first_or_not(void *with, int number)
{
    (void)with;
    if (number == 2)
        wm_subrank_go_first();
    wm_subrank_sleep();
    say("up");
}

/* 0 goes first, and lets others that do so go, until one that does not has run. */
static void outrun(void *with, int number)
{
    (void)with;
    if (number == 0)
        wm_subrank_go_first();
    for (int turns = 0; number == 0 && left > 0 && turns < 1000; turns++)
        wm_subrank_yield_in_turn();
    if (number == 0 && left > 0)
        say("alone");
    left = 0;
}

static void who_goes_first_runs_before_those_that_do_not(void)
{
    expect(&(struct wm_schedule_parts){.count = 5, .run = go_first_or_not},
           "wakes0 up3 up4 end3 end4 up1 up2 end0 end1 end2 ");
    expect(&(struct wm_schedule_parts){.count = 3, .run = sleep_first_or_not, .rest = wake_all}, "up2 up0 up1 ");
}

static void who_goes_first_lets_all_run_in_the_end(void)
{
    left = 1;
    expect(&(struct wm_schedule_parts){.count = 2, .run = outrun}, "");
}

static bool wake_one(void *with)
{
    rest_count++;
    if (rest_count % 2 == 0) /* nothing has come for anybody */
        wm_subrank_wake(*(int *)with);
    *(int *)with ^= rest_count % 2 == 0;
    return rest_count < 100;
}

static void sleep_twice(void *with, int number)
{
    (void)with, (void)number;
    for (int i = 0; i < 2; i++) {
        wm_subrank_sleep();
        say("up");
    }
}

static void when_all_sleep_rest_is_called_until_one_is_woken(void)
{
    int next = 1;

    expect(&(struct wm_schedule_parts){.count = 2, .run = sleep_twice, .rest = wake_one, .with = &next},
           "up1 up0 up1 up0 ");
    CU_ASSERT_EQUAL(rest_count, 8);
}

static bool count_rest(void *with)
{
    (void)with;
    rest_count++;
    return true;
}

static void poll_for_a_while(void *with, int number)
{
    (void)with;
    for (int i = 0; i < 10; i++)
        if (number == 2 && i == 4)
            wm_subrank_yield();
        else
            wm_subrank_rest();
}

static void when_all_that_are_ready_rest_it_is_called_once_a_round(void)
{
    expect(&(struct wm_schedule_parts){.count = 3, .run = poll_for_a_while, .rest = count_rest}, "");
    CU_ASSERT_EQUAL(rest_count, 9);
    expect(&(struct wm_schedule_parts){.count = 1, .run = poll_for_a_while, .rest = count_rest}, "");
    CU_ASSERT_EQUAL(rest_count, 10);
}

static bool spoil_errno(void *with)
{
    (void)with;
    errno = -1;
    wm_subrank_wake(0);
    return true;
}

static void set_errno(void *with, int number)
{
    (void)with;
    errno = number + 100;
    wm_subrank_yield();
    CU_ASSERT_EQUAL(errno, number + 100);
    if (number == 0)
        wm_subrank_sleep();
    CU_ASSERT_EQUAL(errno, number + 100);
}

static void errno_is_a_subranks_own(void)
{
    expect(&(struct wm_schedule_parts){.count = 2, .run = set_errno, .rest = spoil_errno}, "");
}

static void end_below(int number)
{
    if (number == 1)
        wm_subrank_end();
}

static void end_from_within(void *with, int number)
{
    (void)with;
    end_below(number);
    wm_subrank_yield();
    say("end");
}

static void one_may_end_from_within_a_call(void)
{
    expect(&(struct wm_schedule_parts){.count = 3, .run = end_from_within}, "end0 end2 ");
}

/* Each waits for the one before it. */
static void hand_a_token_on(void *with, int number)
{
    int count = *(int *)with;

    for (int round = 0; round < 3; round++) {
        if (number > 0 || round > 0)
            wm_subrank_sleep();
        left = left == number ? (number + 1) % count : -1;
        wm_subrank_wake((number + 1) % count);
    }
}

static void thousands_of_them_make_a_ring(void)
{
    int count = 4096;

    left = 0;
    expect(&(struct wm_schedule_parts){.count = count, .stack_bytes = 64 << 10, .run = hand_a_token_on, .with = &count},
           "");
    CU_ASSERT_EQUAL(left, 0);
}

/* ---- several workers ---- */

static void hold_and_hand_on(void *with, int number)
{
    wm_subrank_hold();
    hand_a_token_on(with, number);
    wm_subrank_let_go();
}

static void workers_hand_a_token_on(void)
{
    for (int workers = 1; workers <= 4; workers++) {
        int count = 13;

        left = 0;
        expect(&(struct wm_schedule_parts){.count = count,
                                           .workers = workers,
                                           .steals = workers % 2 == 0,
                                           .run = hold_and_hand_on,
                                           .with = &count},
               "");
        CU_ASSERT_EQUAL(left, 0);
    }
}

static atomic_int signs;

/* The first one waits for the others outside of what it has held; of those each wants to hold. */
static void wait_for_signs(void *with, int number)
{
    const int *count = with;

    if (number == 0) {
        wm_subrank_linger();
        wm_subrank_hold();
        wm_subrank_hold();
        wm_subrank_let_go();
        wm_subrank_let_go();
        while (signs < *count - 1)
            sched_yield();
        return;
    }
    wm_subrank_hold();
    signs++;
    wm_subrank_let_go();
}

static void who_computes_keeps_no_other_worker_out(void)
{
    int count = 3;

    signs = 0;
    expect(&(struct wm_schedule_parts){.count = count, .workers = count, .run = wait_for_signs, .with = &count}, "");
    CU_ASSERT_EQUAL(signs, 2);
}

/* Each adds to what all share, and so often that they meet. */
static void add_often(void *with, int number)
{
    (void)with, (void)number;
    for (int i = 0; i < 10000; i++) {
        wm_subrank_hold();
        left++;
        if (i % 16 == 0)
            wm_subrank_yield();
        wm_subrank_let_go();
    }
}

static void one_worker_at_a_time_holds(void)
{
    for (int steals = 0; steals < 2; steals++) {
        left = 0;
        expect(&(struct wm_schedule_parts){.count = 5, .workers = 3, .steals = steals, .run = add_often}, "");
        CU_ASSERT_EQUAL(left, 50000);
    }
}

/* ---- stealing ---- */

static atomic_int idle_subranks;
static atomic_bool computes, overtaken;
static bool was_overtaken;

/* Not inlined: each looks for its thread's errno anew. */
__attribute__((noipa)) static void spoil_own_errno(int value)
{
    errno = value;
}

__attribute__((noipa)) static int own_errno(void)
{
    return errno;
}

__attribute__((noipa)) static pthread_t own_thread(void)
{
    return pthread_self();
}

/* Turns in which a thief would have come long ago; some in which one might. */
enum { TURNS_MOST = 1000 * 1000, TURNS_ALONE = 1000 };

/* The first worker's second one has begun, and waits behind the first one, which computes; the second worker's end. */
static void compute_before_others(void *with, int number)
{
    pthread_t before = own_thread();

    wm_subrank_hold();
    if (number < 2) {
        spoil_own_errno(100 + number);
        wm_subrank_yield();
        CU_ASSERT_EQUAL(own_errno(), 100 + number);
    }
    wm_subrank_let_go();
    if (number == 1) {
        CU_ASSERT_EQUAL(pthread_equal(before, own_thread()) == 0, *(const bool *)with);
        overtaken = true;
        wm_subrank_hold();
        wm_subrank_sleep();
        wm_subrank_let_go();
        CU_ASSERT_EQUAL(own_errno(), 101);
        return;
    }
    spoil_own_errno(-1);
    while (number >= 2 && !computes)
        sched_yield();
    if (number >= 2) {
        idle_subranks++;
        return;
    }
    computes = true;
    while (idle_subranks < 2)
        sched_yield();
    for (int turns = *(const bool *)with ? TURNS_MOST : TURNS_ALONE; !overtaken && turns > 0; turns--)
        sched_yield();
    was_overtaken = overtaken;
    wm_subrank_hold();
    wm_subrank_wake(1);
    wm_subrank_let_go();
}

static void a_worker_that_has_none_steals_one_that_waits(void)
{
    for (int i = 0; i < 2; i++) {
        bool steals = i == 1;

        idle_subranks = 0;
        computes = overtaken = false;
        expect(
            &(struct wm_schedule_parts){
                .count = 4, .workers = 2, .steals = steals, .run = compute_before_others, .with = &steals},
            "");
        CU_ASSERT_EQUAL(was_overtaken, steals);
    }
}

static void hold_and_sleep(void *with, int number)
{
    (void)with, (void)number;
    wm_subrank_hold();
    wm_subrank_sleep();
    wm_subrank_let_go();
}

/* When both workers are at rest, the first one wakes the second one's subrank, which cannot have run yet. */
static bool wake_the_other(void *at_rest_behind)
{
    if (wm_subrank_self() == 0 && wm_schedule_is_at_rest()) {
        wm_subrank_wake(1);
        *(bool *)at_rest_behind = wm_schedule_is_at_rest();
        wm_subrank_wake(0);
    } else {
        wm_subrank_give_way(true);
    }
    return true;
}

static void who_is_woken_and_has_not_run_is_not_at_rest(void)
{
    bool at_rest_behind = true;

    expect(
        &(struct wm_schedule_parts){
            .count = 2, .workers = 2, .run = hold_and_sleep, .with = &at_rest_behind, .rest = wake_the_other},
        "");
    CU_ASSERT_FALSE(at_rest_behind);
}

static void refused(const struct wm_schedule_parts *parts, int code, const char *sentence)
{
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(wm_schedule_run(parts, &error), code);
    CU_ASSERT_STRING_EQUAL(error.text, sentence);
}

static void sleep_for_ever(void *with, int number)
{
    (void)with;
    if (number % 2 == 0)
        wm_subrank_sleep();
}

static void hold_and_sleep_for_ever(void *with, int number)
{
    wm_subrank_hold();
    sleep_for_ever(with, number);
}

static void those_that_sleep_for_ever_are_named(void)
{
    refused(&(struct wm_schedule_parts){.count = 4, .workers = 3, .run = hold_and_sleep_for_ever}, -WM_ENEVER,
            "subranks 0, 2 wait for ever: nothing is under way that could wake them; look which message nobody sends");
    refused(&(struct wm_schedule_parts){.count = 4, .workers = 3, .steals = true, .run = hold_and_sleep_for_ever},
            -WM_ENEVER,
            "subranks 0, 2 wait for ever: nothing is under way that could wake them; look which message nobody sends");
    refused(&(struct wm_schedule_parts){.count = 2, .run = sleep_for_ever}, -WM_ENEVER,
            "subrank 0 waits for ever: nothing is under way that could wake it; look which message nobody sends");
    refused(&(struct wm_schedule_parts){.count = 4, .run = sleep_for_ever}, -WM_ENEVER,
            "subranks 0, 2 wait for ever: nothing is under way that could wake them; look which message nobody sends");
    CU_ASSERT_EQUAL(wm_subrank_self(), -1);
}

static void start_another(void *with, int number)
{
    (void)number;
    refused(&(struct wm_schedule_parts){.count = 1, .run = yield_twice, .with = with}, -WM_EINVAL,
            "a schedule runs already in this thread; start another one when it has ended");
}

static void parts_that_are_out_of_range_are_refused(void)
{
    refused(&(struct wm_schedule_parts){.run = yield_twice}, -WM_EINVAL, "0 subranks are asked for; give at least 1");
    refused(&(struct wm_schedule_parts){.count = 1, .stack_bytes = 100, .run = yield_twice}, -WM_EINVAL,
            "a stack of 100 bytes is too small for a subrank: give at least 16KiB by --stack");
    refused(&(struct wm_schedule_parts){.count = 2, .stack_bytes = (size_t)1 << 60, .run = yield_twice}, -WM_ENOMEM,
            "no memory for the stacks of 2 subranks, 1125899906842624KiB each (Cannot allocate memory): give smaller "
            "ones by --stack, or raise the limits (ulimit -v, vm.max_map_count)");
    refused(&(struct wm_schedule_parts){.count = 2, .workers = 3, .run = yield_twice}, -WM_EINVAL,
            "3 workers cannot share 2 subranks: give 1 to 2");
    expect(&(struct wm_schedule_parts){.count = 1, .run = start_another}, "");
}

/* ---- what ends the process: in a child ---- */

static int descend(volatile int *deeper)
{
    volatile char frame[1024];

    frame[0] = (char)*deeper;
    return *deeper > 0 ? descend(deeper) + frame[0] : 0;
}

static void overflow(void *with, int number)
{
    volatile int deeper = 1;

    (void)with;
    if (number == 3)
        left = descend(&deeper);
}

static void touch_nothing(void *with, int number)
{
    (void)with;
    if (number == 1)
        *(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = number;
}

static void call_abort(void *with, int number)
{
    (void)with;
    if (number == 2)
        abort();
}

static void handler_before(int signal_number)
{
    static const char text[] = "the handler before\n";

    (void)signal_number;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 1 : 77);
}

/* How the child ended, and what it said. */
static int crash(void (*run)(void *with, int number), int workers, bool with_handler, char *text, size_t text_bytes)
{
    int pipe_ends[2], status = 0;
    size_t length = 0;
    ssize_t got;
    pid_t child;

    CU_ASSERT_EQUAL_FATAL(pipe(pipe_ends), 0);
    if ((child = fork()) == 0) {
        struct wm_schedule_parts parts = {.count = 4, .workers = workers, .run = run};

        dup2(pipe_ends[1], STDERR_FILENO);
        signal(SIGSEGV, with_handler ? handler_before : SIG_DFL); /* else a sanitizer's */
        _exit(wm_schedule_run(&parts, NULL) == 0 ? 0 : 1);
    }
    close(pipe_ends[1]);
    while ((got = read(pipe_ends[0], text + length, text_bytes - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    close(pipe_ends[0]);
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    return status;
}

static void a_crash_is_told_with_the_subranks_number(void)
{
    static const struct {
        void (*run)(void *with, int number);
        int signal_number;
        const char *sentence;
    } crashes[] = {
        {overflow, SIGSEGV, "waymark: the stack of subrank 3 is full (256KiB): give a larger one by --stack\n"},
        {touch_nothing, SIGSEGV, "waymark: subrank 1 crashes: it touches memory that is not there (SIGSEGV)\n"},
        {call_abort, SIGABRT, "waymark: subrank 2 crashes: abort (SIGABRT)\n"},
    };
    char text[4096];

    for (size_t i = 0; i < 2 * sizeof crashes / sizeof crashes[0]; i++) {
        int status = crash(crashes[i / 2].run, i % 2 ? 4 : 1, false, text, sizeof text);

        CU_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == crashes[i / 2].signal_number);
        CU_ASSERT_STRING_EQUAL(text, crashes[i / 2].sentence);
    }
}

static void a_handler_from_before_is_called_behind_it(void)
{
    char text[4096];
    int status = crash(touch_nothing, 1, true, text, sizeof text);

    CU_ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 77);
    CU_ASSERT_STRING_EQUAL(text, "waymark: subrank 1 crashes: it touches memory that is not there (SIGSEGV)\n"
                                 "the handler before\n");
}

static const struct check_case cases[] = {
    CASE(those_that_yield_run_in_turn),
    CASE(who_is_woken_comes_behind_those_that_are_ready),
    CASE(who_goes_first_runs_before_those_that_do_not),
    CASE(who_goes_first_lets_all_run_in_the_end),
    CASE(when_all_sleep_rest_is_called_until_one_is_woken),
    CASE(when_all_that_are_ready_rest_it_is_called_once_a_round),
    CASE(errno_is_a_subranks_own),
    CASE(one_may_end_from_within_a_call),
    CASE(thousands_of_them_make_a_ring),
    CASE(workers_hand_a_token_on),
    CASE(who_computes_keeps_no_other_worker_out),
    CASE(one_worker_at_a_time_holds),
    CASE(a_worker_that_has_none_steals_one_that_waits),
    CASE(who_is_woken_and_has_not_run_is_not_at_rest),
    CASE(those_that_sleep_for_ever_are_named),
    CASE(parts_that_are_out_of_range_are_refused),
    CASE(a_crash_is_told_with_the_subranks_number),
    CASE(a_handler_from_before_is_called_behind_it),
};

CHECK_MAIN("schedule", cases)
