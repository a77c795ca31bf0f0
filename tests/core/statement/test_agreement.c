/* What the words of all ranks decide: who knows of the messages, and whether they are a collective operation. */
#include "core/statement/agreement.h"
#include "tests/check.h"

enum { RANKS = 4, NAMES = 6 };

/* The program's names at a rank. */
struct memory {
    double x, A[8];
    int n, right, T[2];
};

static struct memory memories[RANKS];

static void bind(struct wm_bound b[NAMES], struct memory *m, int n_promises)
{
    b[0] = (struct wm_bound){.name = "x", .number = WM_DOUBLE, .at = &m->x};
    b[1] = (struct wm_bound){
        .name = "A", .number = WM_DOUBLE, .at = m->A, .dimensions = 1, .extents = {8}, .promises = WM_IS_SIZED};
    b[2] = (struct wm_bound){.name = "n", .number = WM_INT32, .at = &m->n, .promises = (unsigned char)n_promises};
    b[3] = (struct wm_bound){.name = "right", .number = WM_INT32, .at = &m->right};
    b[4] = (struct wm_bound){.name = "T", .number = WM_INT32, .at = m->T, .dimensions = 1, .extents = {2}};
    b[5] = (struct wm_bound){.name = "k", .number = WM_INT32, .at = &m->T[1]};
}

/* All ranks have n = 2 and right as in a ring. */
static void fill(void)
{
    for (int r = 0; r < RANKS; r++)
        memories[r] = (struct memory){.n = 2, .right = (r + 1) % RANKS, .T = {1, r}};
}

/* Let all ranks tell, join what they tell, and decide at the last one. */
static struct wm_agreement agree(const char *text, int n_promises)
{
    struct wm_agreement a = {.knowledge = WM_KNOWLEDGE_UNSAID};
    uint64_t all[WM_WORDS], words[WM_WORDS];
    struct wm_bound bindings[NAMES];
    struct wm_statement *s;
    struct wm_error error = {0};

    bind(bindings, &memories[0], n_promises);
    if (wm_statement_new(&s, text, bindings, NAMES, &error) < 0) {
        CU_FAIL("it does not compile");
        return a;
    }
    for (int r = 0; r < RANKS; r++) {
        struct wm_traffic x;

        bind(bindings, &memories[r], n_promises);
        if (wm_traffic_new(&x, s, bindings, r, RANKS, true, &error) < 0) {
            CU_FAIL("a fault");
            break;
        }
        wm_agreement_tell(r == 0 ? all : words, &x, bindings);
        if (r > 0)
            wm_agreement_join(all, words);
        if (r == RANKS - 1)
            a = wm_agreement_of(all, &x, bindings);
        wm_traffic_release(&x);
    }
    wm_statement_free(s);
    return a;
}

static void knowledge_is_found_out_of_what_all_tell(void)
{
    static const struct {
        const char *text;
        enum wm_knowledge knowledge;
    } wanted[] = {
        {"x@i <<= A[i]@0 where i in world", WM_KNOWLEDGE_GLOBAL},
        {"x@i <<= A[i]@0 where i in world, i < n", WM_KNOWLEDGE_GLOBAL},
        {"x@me <<= A[0]@me", WM_KNOWLEDGE_CORRESPONDING},
        {"A[i]@0 <<= x@i where i in world, k == i || me == 0", WM_KNOWLEDGE_CORRESPONDING},
        {"x@right <<= x@me", WM_KNOWLEDGE_SENDER},
        {"A[i]@0 <<= x@i where i in world, k == i", WM_KNOWLEDGE_SENDER},
        /* Nothing is sent, but rank 1 cannot tell so. */
        {"x@1 <<= A[0]@0 where me > 0 && T[me + 1] > 0", WM_KNOWLEDGE_SENDER},
    };

    fill();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        CU_ASSERT_EQUAL(agree(wanted[i].text, 0).knowledge, wanted[i].knowledge);
}

/* WM_OPERATION_COUNT: messages. */
static void operations_are_of_blocks_of_one_size_between_one_or_all(void)
{
    static const struct {
        const char *text;
        enum wm_operation operation;
        int root;
        size_t block;
    } wanted[] = {
        {"x@i <<= A[i]@0 where i in {0 ... ranks}", WM_SCATTER, 0, 1},
        {"A[0 ... 2]@i <<= A[2 ... 4]@2 where i in world, i != 2", WM_BCAST, 2, 2},
        {"x@0 << + << x@i where i in {1 ... ranks}", WM_REDUCE, 0, 1},
        {"A[0 ... 2]@i <<= A[2 ... 4]@3 where i in world", WM_BCAST, 3, 2},
        {"x@i <<= A[i]@n where i in world", WM_SCATTER, 2, 1},
        {"A[i]@1 <<= x@i where i in world", WM_GATHER, 1, 1},
        {"A[i]@j <<= x@i where i, j in world", WM_ALLGATHER, 0, 1},
        {"A[i]@j <<= A[j]@i where i, j in world", WM_ALLTOALL, 0, 1},
        {"x@1 << + << x@i where i in world", WM_REDUCE, 1, 1},
        {"A@j << max << A@i where i, j in world", WM_ALLREDUCE, 0, 8},
        {"x@j << + << A[j]@i where i, j in world", WM_REDUCE_SCATTER_BLOCK, 0, 1},
        {"x@j << + << x@i where i, j in world, i <= j", WM_SCAN, 0, 1},
        {"x@j << + << x@i where j, i in world, j >= i", WM_SCAN, 0, 1},
        {"A@j << + << A@i where i in world, j in {i ... ranks}", WM_SCAN, 0, 8},
        {"x@i << * << x@j where i in world, j in {0 ... i + 1}", WM_SCAN, 0, 1},
        {"x@j << + << x@i where i, j in world, i < j", WM_EXSCAN, 0, 1},
        {"x@j << + << x@i where i, j in world, j > i", WM_EXSCAN, 0, 1},
        {"x@i << max << x@j where i in world, j in {0 ... i}", WM_EXSCAN, 0, 1},
        {"x@j << + << x@i where i in world, j in {i + 1 ... ranks}", WM_EXSCAN, 0, 1},
        {"x@j << + << x@i where i, j in world, j <= i", WM_OPERATION_COUNT, 0, 0},
        {"x@j << + << x@i where i, j in world, i == j", WM_OPERATION_COUNT, 0, 0},
        {"x@j << + << x@i where i, j in world, i <= 2", WM_OPERATION_COUNT, 0, 0},
        {"x@i << + << x@j where i in world, j in {1 ... i}", WM_OPERATION_COUNT, 0, 0},
        {"x@i << + << x@j where i in world, j in {0 ... i + 2}, j < ranks", WM_OPERATION_COUNT, 0, 0},
        {"x@j << + << x@i where i in world, j in {i ... ranks - 1}", WM_OPERATION_COUNT, 0, 0},
        {"A[i]@j << + << x@i where i, j in world, i <= j", WM_OPERATION_COUNT, 0, 0},
        {"x@j << + << A[j]@i where i, j in world, i <= j", WM_OPERATION_COUNT, 0, 0},
        {"A[i]@j <<= x@i where i, j in world, i < j", WM_OPERATION_COUNT, 0, 0},
        {"A[i]@j <<= x@i where i, j in world, i != j", WM_OPERATION_COUNT, 0, 0},
        {"x@(i + 1) % ranks <<= x@i where i in world", WM_OPERATION_COUNT, 0, 0},
        {"A[n * i ... n * i + n]@1 <<= A[0 ... n]@i where i in world", WM_GATHER, 1, 2},
        {"A[0 ... i]@1 << + << A[0 ... i]@i where i in world", WM_OPERATION_COUNT, 0, 0},
        {"A[0 ... 0]@i <<= A[0 ... 0]@0 where i in world", WM_OPERATION_COUNT, 0, 0},
        {"x@i << && << x@j where i, j in world", WM_OPERATION_COUNT, 0, 0},
        {"n@i << && << n@j where i, j in world", WM_ALLREDUCE, 0, 1},
    };

    fill();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct wm_collective found = agree(wanted[i].text, WM_IS_UNIFORM).collective;

        CU_ASSERT_EQUAL(found.operation, wanted[i].operation);
        if (wanted[i].operation != WM_OPERATION_COUNT) {
            CU_ASSERT_EQUAL(found.root, wanted[i].root);
            CU_ASSERT_EQUAL(found.block, wanted[i].block);
        }
    }
}

/* WM_OPERATION_COUNT: messages. */
static void teams_are_a_part_of_the_ranks_or_several(void)
{
    static const struct {
        const char *text;
        enum wm_operation operation;
    } wanted[] = {
        {"x@i <<= x@0 where i in world, i % 2 == 0", WM_BCAST},
        {"x@i <<= x@1 where i in {2 ... ranks}", WM_BCAST},
        {"x@i <<= A[i]@0 where i in {1 ... ranks}", WM_SCATTER},
        {"A[i]@3 <<= x@i where i in {0 ... 3}", WM_GATHER},
        {"x@3 << + << x@i where i in {1 ... 3}", WM_REDUCE},
        {"A[i]@j <<= x@i where i, j in {1 ... ranks}", WM_ALLGATHER},
        {"A[i]@j <<= A[j]@i where i, j in {1 ... ranks}", WM_ALLTOALL},
        {"x@j << max << x@i where i, j in world, i != 2, j != 2", WM_ALLREDUCE},
        {"x@j << + << A[j]@i where i, j in {0 ... 3}", WM_REDUCE_SCATTER_BLOCK},
        /* rows and columns of a grid of 2 by 2 */
        {"x@i <<= x@i / n * n where i in world", WM_BCAST},
        {"x@n * i + j <<= A[i]@j where i, j in {0 ... 2}", WM_SCATTER},
        {"x@i % n << + << x@i where i in world", WM_REDUCE},
        /* the row of rank 0 gets what is alike, the other not */
        {"x@i <<= A[i < 2 ? 0 : i]@i / 2 * 2 where i in world", WM_SCATTER},
        {"x@i <<= x@0 where i in {0 ... 1}", WM_OPERATION_COUNT},
        {"x@i <<= x@0 where i in {1 ... 2}", WM_OPERATION_COUNT},
        {"A[j]@i <<= A[i]@j where i, j in {0 ... 2}", WM_OPERATION_COUNT},
        {"A[j]@i <<= A[i]@j where i, j in world, i % 2 == 0", WM_OPERATION_COUNT},
        {"A[j]@i <<= A[i]@j where i, j in world, i != j", WM_OPERATION_COUNT},
        {"A[j]@i <<= A[i]@j where i, j in {0 ... 3}, i + j != 4", WM_OPERATION_COUNT},
        {"A[j]@(i + 1) % ranks <<= A[i]@j where i in world, j in {i ... i + 1}", WM_OPERATION_COUNT},
        {"A[l]@i <<= A[l]@0 where i in {0 ... 3}, l in {0 ... 2}", WM_OPERATION_COUNT},
        {"A[i]@3 << + << x@i where i in {0 ... 3}", WM_OPERATION_COUNT},
        {"x@i <<= x@0 where i in {0 ... T[0] + 2}", WM_OPERATION_COUNT},
        {"x@j <<= x@i where i in {1 ... ranks}, j in {i * i / 9 ... i * i / 9 + i - 1}", WM_OPERATION_COUNT},
    };

    fill();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct wm_collective found = agree(wanted[i].text, WM_IS_UNIFORM).collective;

        CU_ASSERT_EQUAL(found.operation, wanted[i].operation);
        CU_ASSERT_TRUE(found.operation == WM_OPERATION_COUNT || found.team);
    }
}

static void what_is_not_promised_is_no_size_of_blocks(void)
{
    static const char text[] = "A[n * i ... n * i + n]@1 <<= A[0 ... n]@i where i in world";

    fill();
    CU_ASSERT_EQUAL(agree(text, 0).knowledge, WM_KNOWLEDGE_GLOBAL);
    CU_ASSERT_EQUAL(agree(text, 0).collective.operation, WM_OPERATION_COUNT);
}

static void a_promise_that_does_not_hold_is_seen(void)
{
    static const char text[] = "A[i]@0 <<= x@i where i in world, i < n";

    fill();
    CU_ASSERT_TRUE(agree(text, WM_IS_UNIFORM).promises_hold);
    memories[2].n = 1;
    CU_ASSERT_FALSE(agree(text, WM_IS_UNIFORM).promises_hold);
    CU_ASSERT_TRUE(agree(text, 0).promises_hold);
}

static const struct check_case cases[] = {
    CASE(knowledge_is_found_out_of_what_all_tell),  CASE(operations_are_of_blocks_of_one_size_between_one_or_all),
    CASE(teams_are_a_part_of_the_ranks_or_several), CASE(what_is_not_promised_is_no_size_of_blocks),
    CASE(a_promise_that_does_not_hold_is_seen),
};

CHECK_MAIN("agreement", cases)
