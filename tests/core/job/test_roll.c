/* The roll: which ranks lack Waymark or have another, in one sentence. */
#include "core/job/roll.h"

#include <string.h>
#include "tests/check.h"

enum { RANKS = 24 };

static struct wm_roll_entry entries[RANKS];

static const char *far_host(int rank)
{
    return rank < 4 ? "far" : rank < 20 ? NULL : "farther";
}

/* All are there, four to a host: "h0", "h1", … */
static void muster(int ranks)
{
    char host[16];

    memset(entries, 0, sizeof entries);
    for (int r = 0; r < ranks; r++) {
        snprintf(host, sizeof host, "h%d", r / 4);
        wm_roll_entry_fill(&entries[r], host, 0);
    }
}

static struct wm_roll roll_of(int ranks)
{
    return (struct wm_roll){.entries = entries, .ranks = ranks, .accused = -1, .host_of = far_host, .seconds = 15};
}

static void expect_sentence(struct wm_roll roll, const char *const *parts)
{
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(wm_roll_judge(&roll, &error), -WM_EMPI);
    for (; *parts != NULL; parts++) {
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, *parts));
        if (strstr(error.text, *parts) == NULL)
            printf("\n  '%s' is not in\n  %s\n", *parts, error.text);
    }
}

#define EXPECT_OF(roll, ...) expect_sentence(roll, (const char *const[]){__VA_ARGS__, NULL})
#define EXPECT(ranks, ...) EXPECT_OF(roll_of(ranks), __VA_ARGS__)

static int judge(struct wm_roll roll, struct wm_error *error)
{
    return wm_roll_judge(&roll, error);
}

static void roll__of_ranks_alike_is_fine(void)
{
    struct wm_error error = {0};

    muster(RANKS);
    CU_ASSERT_EQUAL(judge(roll_of(RANKS), &error), 0);
    CU_ASSERT_EQUAL(error.code, 0);
    CU_ASSERT_EQUAL(judge(roll_of(1), &error), 0);
}

static void roll__names_the_missing_and_their_hosts(void)
{
    muster(RANKS);
    for (int r = 2; r < 4; r++)
        memset(&entries[r], 0, sizeof entries[r]);
    memset(&entries[9], 0, sizeof entries[9]);
    EXPECT(RANKS, "loaded in 21 of the job's 24 ranks", "nothing was heard in 15 s from ranks 2-3, 9 on far, ");
    muster(RANKS);
    memset(&entries[20], 0, sizeof entries[20]);
    EXPECT(RANKS, "loaded in 23 of the job's 24 ranks", "from rank 20 on farther, which messages reach: ", "LD_PRELOAD",
           "waymark run", "WAYMARK_START_DEADLINE");
    muster(8);
    memset(&entries[7], 0, sizeof entries[7]);
    EXPECT(8, "from rank 7, which");
    muster(8);
    memset(entries, 0, 7 * sizeof entries[0]);
    EXPECT(8, "loaded in 1 of the job's 8 ranks", "from ranks 0-6 on far, which");
}

static void roll__tells_what_is_not_known(void)
{
    bool reached[8] = {true, true, true, true, false, false, true, true};
    struct wm_roll roll = roll_of(8);
    struct wm_error error = {0};
    char text[64];

    roll.reached = reached;
    muster(8);
    memset(&entries[3], 0, 3 * sizeof entries[0]);
    EXPECT_OF(roll, "loaded in 5 of the job's 8 ranks", "from rank 3 on far, which",
              "; of ranks 4-5 nothing is known yet");
    wm_roll_unreached(&roll, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "ranks 4-5");
    muster(8);
    memset(&entries[4], 0, 2 * sizeof entries[0]);
    CU_ASSERT_EQUAL(judge(roll, &error), 0);
}

static void roll__names_whom_another_has_given_up(void)
{
    bool reached[4] = {true, true, true, false};
    struct wm_roll roll = roll_of(4);

    roll.reached = reached;
    roll.accused = 3;
    muster(4);
    EXPECT_OF(roll, "loaded in 3 of the job's 4 ranks", "from rank 3 on h0, which");
    memset(&entries[3], 0, sizeof entries[0]);
    EXPECT_OF(roll, "loaded in 3 of the job's 4 ranks", "from rank 3 on far, which");
}

static void roll__is_taken_by_some_ranks_of_many(void)
{
    for (int ranks = 1; ranks <= 3 * WM_ROLL_TAKERS; ranks += 7) {
        int takers = 0;

        for (int r = 0; r < ranks; r++)
            takers += wm_roll_takes(r, ranks);
        CU_ASSERT_EQUAL(takers, ranks < WM_ROLL_TAKERS ? ranks : WM_ROLL_TAKERS);
        CU_ASSERT(wm_roll_takes(0, ranks));
    }
    for (int r = 0; r < 1000; r++) {
        int asked = 0;

        for (int to = 0; to < 1000; to++)
            asked += wm_roll_asks(r, to, 1000);
        CU_ASSERT_EQUAL(asked, wm_roll_takes(r, 1000) ? 999 : WM_ROLL_TAKERS);
    }
}

static void roll__shortens_a_long_list(void)
{
    muster(RANKS);
    for (int r = 0; r < RANKS; r += 2)
        memset(&entries[r], 0, sizeof entries[r]);
    EXPECT(RANKS, "from ranks 0, 2, 4, 6, 8, 10, 12, 14, … on far, farther, which");
}

static void roll__takes_the_version_of_most_ranks_for_the_right_one(void)
{
    muster(8);
    for (int r = 0; r < 3; r++)
        strcpy(entries[r].version, "waymark 9.9");
    EXPECT(8, "different versions of Waymark: waymark 9.9 in ranks 0-2 on h0, but waymark " PACKAGE_VERSION
              " in ranks 3-7 on h0, h1; ");
    muster(4);
    strcpy(entries[3].version, "waymark 9.9");
    strcpy(entries[1].version, "waymark 7");
    EXPECT(4, "waymark 7 in rank 1 on h0, waymark 9.9 in rank 3 on h0, but waymark " PACKAGE_VERSION " in ranks 0, 2 ");
}

static void roll__tells_builds_of_one_version_apart(void)
{
    muster(8);
    entries[5].build++;
    EXPECT(8, "another build of waymark " PACKAGE_VERSION " in rank 5 on h1, but waymark " PACKAGE_VERSION
              " in ranks 0-4, 6-7 on h0, h1; ");
}

static void roll__says_that_ranks_do_not_agree_on_subranks(void)
{
    muster(4);
    wm_roll_entry_fill(&entries[0], "h0", 4);
    EXPECT(4, "the ranks do not agree on subranks: waymark " PACKAGE_VERSION
              " for 4 subranks in rank 0 on h0, but waymark " PACKAGE_VERSION
              " in ranks 1-3 on h0; let every host read the map, or give --subranks");
}

static void roll__survives_many_versions(void)
{
    muster(RANKS);
    for (int r = 1; r < RANKS; r++)
        memset(entries[r].version, 'a' + r, WM_ROLL_VERSION_CHARS - 1);
    EXPECT(RANKS, "different versions of Waymark: bbb");
}

static void entry__of_another_program_is_not_valid(void)
{
    muster(1);
    CU_ASSERT(wm_roll_entry_valid(&entries[0]));
    entries[0].magic[6]++;
    CU_ASSERT_FALSE(wm_roll_entry_valid(&entries[0]));
    muster(1);
    memset(entries[0].host, 'x', sizeof entries[0].host);
    CU_ASSERT_FALSE(wm_roll_entry_valid(&entries[0]));
}

int main(void)
{
    static const struct check_case cases[] = {
        CASE(roll__of_ranks_alike_is_fine),
        CASE(roll__names_the_missing_and_their_hosts),
        CASE(roll__tells_what_is_not_known),
        CASE(roll__names_whom_another_has_given_up),
        CASE(roll__is_taken_by_some_ranks_of_many),
        CASE(roll__shortens_a_long_list),
        CASE(roll__takes_the_version_of_most_ranks_for_the_right_one),
        CASE(roll__tells_builds_of_one_version_apart),
        CASE(roll__says_that_ranks_do_not_agree_on_subranks),
        CASE(roll__survives_many_versions),
        CASE(entry__of_another_program_is_not_valid),
    };

    return check_main("roll", cases, sizeof cases / sizeof cases[0]);
}
