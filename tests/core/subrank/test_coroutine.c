/* Coroutines: what a switch keeps, how many there can be, their stacks. Compiled for ucontext as well. */
#include "core/subrank/coroutine.h"
#include <execinfo.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"

enum { MANY = 4096, SMALL_BYTES = 64 << 10 };

static struct wm_coroutine home;
static volatile double quarter = 0.25;

struct life {
    struct wm_coroutine self, *other;
    struct wm_stack stack;
    int turns;
    double result;
};

static void prepare(struct life *life, void (*run)(void *with), size_t stack_bytes)
{
    CU_ASSERT_TRUE_FATAL(wm_stack_take(&life->stack, stack_bytes));
    life->other = &home;
    wm_coroutine_make(&life->self, &life->stack, run, life);
}

/* More values than there are registers, all of them used after each switch. */
static void keep_many(void *with)
{
    struct life *life = with;
    unsigned long a = (unsigned long)life->turns, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6,
                  h = a + 7;
    double u = (double)a, v = u / 2, w = u / 3, x = u / 4, y = u / 5, z = u / 6;

    for (int i = 0; i < 100; i++) {
        a += b, b ^= c, c += d, d ^= e, e += f, f ^= g, g += h, h ^= a;
        u += v, v -= w, w += x, x -= y, y += z, z -= u / 7;
        if (life->other != NULL)
            wm_coroutine_switch(&life->self, life->other);
    }
    life->result = (double)(a ^ b ^ c ^ d ^ e ^ f ^ g ^ h) + u + v + w + x + y + z;
    if (life->other != NULL)
        wm_coroutine_leave(&life->self, &home);
}

static void registers_are_kept(void)
{
    struct life alone[2] = {{.turns = 17}, {.turns = 1000}}, lives[2] = {{.turns = 17}, {.turns = 1000}};

    for (int i = 0; i < 2; i++) {
        keep_many(&alone[i]);
        prepare(&lives[i], keep_many, SMALL_BYTES);
    }
    lives[0].other = &lives[1].self;
    lives[1].other = &lives[0].self;
    wm_coroutine_switch(&home, &lives[0].self); /* the first one ends */
    lives[1].other = &home;
    while (lives[1].result == 0)
        wm_coroutine_switch(&home, &lives[1].self);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(lives[i].result, alone[i].result);
        wm_stack_give(&lives[i].stack);
    }
}

static void round_upwards(void *with)
{
    struct life *life = with;

    life->turns = fegetround();
    fesetround(FE_UPWARD);
    wm_coroutine_switch(&life->self, &home);
    life->result = fegetround() == FE_UPWARD && rint(quarter) == 1.0;
    wm_coroutine_leave(&life->self, &home);
}

static void rounding_is_a_coroutines_own_and_begins_as_its_makers(void)
{
    struct life life = {0};

    fesetround(FE_TOWARDZERO);
    prepare(&life, round_upwards, SMALL_BYTES);
    fesetround(FE_TONEAREST);
    wm_coroutine_switch(&home, &life.self);
    CU_ASSERT_EQUAL(life.turns, FE_TOWARDZERO);
    CU_ASSERT_EQUAL(fegetround(), FE_TONEAREST);
    CU_ASSERT_EQUAL(rint(1 - quarter), 1.0);
    wm_coroutine_switch(&home, &life.self);
    CU_ASSERT_EQUAL(life.result, 1);
    CU_ASSERT_EQUAL(fegetround(), FE_TONEAREST);
    wm_stack_give(&life.stack);
}

/* To the depth that half a stack has room for, with a switch at the bottom. */
static int descend(struct life *life, int depth)
{
    volatile char frame[256];

    frame[0] = (char)depth;
    if (depth == 0)
        wm_coroutine_switch(&life->self, &home);
    else
        life->turns += descend(life, depth - 1);
    return frame[0] == (char)depth;
}

static void go_deep(void *with)
{
    struct life *life = with;

    for (int i = 0; i < 3; i++)
        life->result += descend(life, 40);
    wm_coroutine_leave(&life->self, &home);
}

static void there_can_be_thousands(void)
{
    struct life *lives = calloc(MANY, sizeof *lives);
    int wrong = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(lives);
    for (int i = 0; i < MANY; i++)
        prepare(&lives[i], go_deep, SMALL_BYTES);
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < MANY; i++)
            wm_coroutine_switch(&home, &lives[i].self);
    for (int i = 0; i < MANY; i++) {
        wrong += lives[i].result != 3 || lives[i].turns != 120;
        wm_stack_give(&lives[i].stack);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    wm_stacks_release();
    free(lives);
}

static void trace_back(void *with)
{
    void *callers[64];
    struct life *life = with;

    life->turns = backtrace(callers, 64);
    wm_coroutine_leave(&life->self, &home);
}

static void a_backtrace_ends_at_the_coroutines_function(void)
{
    struct life life = {0};

    prepare(&life, trace_back, SMALL_BYTES);
    wm_coroutine_switch(&home, &life.self);
    CU_ASSERT_TRUE(life.turns >= 1 && life.turns < 10);
    wm_stack_give(&life.stack);
}

static void a_stack_is_whole_pages_above_guarded_ones_and_used_again(void)
{
    struct wm_stack first, second, third;

    CU_ASSERT_TRUE_FATAL(wm_stack_take(&first, 20001));
    CU_ASSERT_TRUE(first.bytes >= 20001 && (size_t)first.low % 4096 == 0 && first.bytes % 4096 == 0);
    memset(first.low, 1, first.bytes);
    CU_ASSERT_TRUE(wm_stack_guards(&first, first.low - 1) && wm_stack_guards(&first, first.low - WM_STACK_GUARD_BYTES));
    CU_ASSERT_FALSE(wm_stack_guards(&first, first.low));
    CU_ASSERT_FALSE(wm_stack_guards(&first, first.low - WM_STACK_GUARD_BYTES - 1));
    CU_ASSERT_TRUE_FATAL(wm_stack_take(&second, 20001));
    CU_ASSERT_PTR_NOT_EQUAL(first.low, second.low);
    wm_stack_give(&first);
    CU_ASSERT_TRUE_FATAL(wm_stack_take(&third, SMALL_BYTES));
    CU_ASSERT_PTR_NOT_EQUAL(first.low, third.low);
    wm_stack_give(&third);
    CU_ASSERT_TRUE_FATAL(wm_stack_take(&third, 20001));
    CU_ASSERT_PTR_EQUAL(first.low, third.low);
    wm_stack_give(&second);
    wm_stack_give(&third);
    wm_stacks_release();
}

static void a_stack_that_cannot_be_had_is_refused(void)
{
    struct wm_stack stack;

    CU_ASSERT_FALSE(wm_stack_take(&stack, (size_t)1 << 60));
}

static const struct check_case cases[] = {
    CASE(registers_are_kept),
    CASE(rounding_is_a_coroutines_own_and_begins_as_its_makers),
    CASE(there_can_be_thousands),
    CASE(a_backtrace_ends_at_the_coroutines_function),
    CASE(a_stack_is_whole_pages_above_guarded_ones_and_used_again),
    CASE(a_stack_that_cannot_be_had_is_refused),
};

CHECK_MAIN("coroutine", cases)
