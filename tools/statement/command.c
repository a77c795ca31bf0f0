/* waymark statement: what a statement communicates, on ranks that one need not have; and its proof. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/parse.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/statement/said.h"
#include "tools/statement/show.h"

struct wishes {
    struct wm_rank_counts ranks;
    int rank; /* -1: all */
    bool check;
    enum { TEXT, JSON } format;
    struct wm_said said;
};

static int read_ranks(void *choice, const struct wm_arguments *a, const struct wm_option *option);

static const struct wm_option options[] = {
    {"ranks", 'n', "LIST",
     "So many ranks, 8 unless given; with --check a list: 1-16, or 1-9,16,17, which is its default.",
     .read = read_ranks},
    {"let", 'l', "LET",
     "Say what a name of the program is: n=4, 'T=[3,2,1,0]', 'right=(me+1)%ranks', 'A[8]', 'float A[n][n]'; may stand "
     "several times.",
     .read = wm_option_let, .place = offsetof(struct wishes, said)},
    {"stable", 's', "NAME", "The program promises WM_STABLE of this name; may stand several times.",
     .read = wm_option_stable, .place = offsetof(struct wishes, said)},
    {"rank", 'r', "RANK", "Show all messages of this rank, with their places.", .read = wm_option_rank,
     .place = offsetof(struct wishes, rank)},
    {"check", 'c', NULL, "Prove the statement instead, for each number of ranks.", .read = wm_option_flag,
     .place = offsetof(struct wishes, check)},
    {"format", 'f', "text|json", "Text (the default), or json.", .read = wm_option_choice,
     .place = offsetof(struct wishes, format)},
    {0},
};

static const char *const synopsis[] = {
    "statement TEXT [--ranks N] [--let LET ...] [--stable NAME ...] [--rank RANK] [--format text|json]",
    "statement TEXT --check [--ranks LIST] [--let LET ...] [--format text|json]",
    NULL,
};

static const char *const description[] = {
    "Show what a statement communicates, without running anything: who sends how much to whom, who knows of it, "
    "how long a rank takes to find out, and by which plan the run time would make it. TEXT is what a program gives to "
    "WM_COMMUNICATE.",
    "A let is an expression of the statement's language, evaluated at every rank in turn with the lets before it, so "
    "that its value may differ between ranks; its type is C's, or the one that stands before the name. A let without a "
    "value declares a number or an array of them, doubles unless a type stands before it. What is stored into or sent "
    "and is in no let is declared by itself, as doubles of ample extents, and so are operators. Where "
    "nothing depends on the values of a place, they need not be said.",
    "Knowledge is 'global' where the clauses and ranks depend on nothing but what is alike at all ranks; "
    "'corresponding' where every message that is sent is also one that its receiver takes to come, and the other way "
    "round; 'sender' elsewhere; 'receiver' where the statement says so, and then it is shown who receives from whom. "
    "Ranks that send alike share a line: to the same peers, or to peers at the same "
    "distance, as in me+1.",
    "The plan is what the run time decides on: a collective operation, or messages; a rule of the map for statements "
    "may decide otherwise, which waymark explain --op statement tells. All data that one rank sends "
    "another travels as one message. Where both ends know, receives are posted; where senders alone know, receivers "
    "take what comes, until a barrier says that all has come (NBX). Its cost is told in counts, of which no times are "
    "guessed: allreduces and barriers, and for each rank messages to other ranks and their bytes, its degree (so many "
    "it sends and receives), how many of these are sent from or received to their place in the program, and the bytes "
    "that it copies besides: to pack, to store or to combine. The messages of a collective operation are those of its "
    "path in the map. Where one rank and a part of the others, or all of a part, make up the operation, the run time "
    "makes it as such under a map that has rules for it, when a blocking call has come 8 times. "
    "The first call of a statement finds out more than those that come again, and its messages may "
    "have to say what they are. Names that are alike at all ranks, and extents that are, are taken for promised "
    "(WM_UNIFORM), others for stable where --stable says so.",
    "With --format json 'plan' has 'first' and 'again', each with 'way' (collective, posted, nbx, requests), "
    "'allreduces', 'barriers' and the figures; 'learned' where later calls know what the first was sent; in "
    "'unpromised' the names by whose promise calls that come again cost less; and, of a collective operation, "
    "'operation' with 'name', 'root', 'block_bytes' and 'teams', which says that a part of the ranks makes it, or "
    "several parts, each with its own root. It is null where the hint does not hold. 'figures', there as "
    "elsewhere, have for each key the least of all ranks, the median, the most, and all ranks' sum.",
    "With --check all ranks' messages are listed and brought to their receivers. Proven is that every expression has a "
    "value at every rank, every receiver is a rank, what is sent has as many elements as the place in which it is "
    "stored, and numbers that its type has; that no element is stored into by two messages of '<<=' at one rank; and "
    "that what a hint says of who knows is so. What is refuted is shown by the first number of ranks for which it is. "
    "All data is read before anything is stored, whatever the places: those that are both read and stored into at one "
    "rank are named, since their data has to be copied for that.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The statement is shown, or proven for every number of ranks."},
    {"1", "The statement or a let is wrong, or it is refuted."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark statement 'A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0'",
     "See what 8 ranks send, by the paper's first example."},
    {"waymark statement 'x@right <<= y@me' --let 'right=(me+1)%ranks' --rank 3",
     "See what one rank sends and receives."},
    {"waymark statement 'x@T[i] <<= y@i where i in world' --let 'T=[1,0]' -n 2 -c",
     "Prove that no element is stored into twice, for 2 ranks."},
    {0},
};

static bool add_count(struct wm_rank_counts *counts, uint64_t ranks)
{
    if (ranks < 1 || ranks > WM_STATEMENT_RANKS_MAX || counts->count == WM_STATEMENT_PROOFS_MAX)
        return false;
    counts->list[counts->count++] = (int)ranks;
    return true;
}

static int read_ranks(void *choice, const struct wm_arguments *a, const struct wm_option *option)
{
    struct wm_rank_counts *counts = &((struct wishes *)choice)->ranks;
    const char *list = a->value;
    uint64_t first, last;

    (void)option;
    counts->count = 0;
    while (list != NULL) {
        bool good = wm_parse_range(&list, wm_parse_count, &first, &last) && first <= last;

        for (uint64_t ranks = first; good && ranks <= last; ranks++)
            good = add_count(counts, ranks);
        if (!good)
            return wm_arguments_misuse(
                a,
                "'%s' is no list of numbers of ranks; write 8, or 1-64, or 1-9,16,17: at most %d "
                "numbers, up to %d",
                a->value, WM_STATEMENT_PROOFS_MAX, WM_STATEMENT_RANKS_MAX);
    }
    return 0;
}

static int print_json(json_t *object)
{
    if (object == NULL)
        return -WM_ENOMEM;
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
    return 0;
}

static int print_survey(const struct wishes *wishes, const struct wm_bound_names *names, const struct wm_statement *s,
                        struct wm_statement_survey *survey, struct wm_statement_plan *plan)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);
    json_t *object;

    if (wishes->format == JSON) {
        object = wm_survey_json(names, s, survey);
        json_object_set_new(object, "plan", wm_statement_plan_json(names, s, plan));
        return print_json(object);
    }
    wm_survey_print(&terminal, names, s, survey);
    wm_statement_plan_print(&terminal, names, s, plan);
    return 0;
}

static int show(const struct wishes *wishes, const char *text, int ranks, struct wm_error *error)
{
    struct wm_bound_names names;
    struct wm_statement *s = NULL;
    struct wm_statement_survey survey = {.rank = -1};
    struct wm_statement_plan plan = {.refused = false};
    int rc = wm_said_names(&names, &wishes->said, text, ranks, error);

    if (rc == 0 && (rc = wm_names_compile(&names, text, &s, error)) == 0 &&
        (rc = wm_survey_init(&survey, &names, s, wishes->rank, error)) == 0 &&
        (rc = wm_statement_plan_init(&plan, &names, s, &survey, NULL, error)) == 0)
        rc = print_survey(wishes, &names, s, &survey, &plan);
    wm_statement_plan_release(&plan);
    wm_survey_release(&survey);
    wm_statement_free(s);
    wm_names_release(&names);
    return rc;
}

static void add_verdict(struct wm_statement_check *check, int ranks, const struct wm_statement_verdict *verdict)
{
    bool proven = true;

    for (int claim = 0; claim < WM_CLAIM_COUNT; claim++) {
        if (verdict->refuted[claim].code == 0)
            continue;
        proven = false;
        if (check->refuted[claim].count == 0)
            check->first[claim] = verdict->refuted[claim];
        add_count(&check->refuted[claim], (uint64_t)ranks);
    }
    if (verdict->refuted[WM_CLAIM_EVALUATION].code == 0) {
        add_count(&check->looked, (uint64_t)ranks);
        check->last = *verdict;
        check->last_ranks = ranks;
    }
    if (proven) {
        add_count(&check->proven, (uint64_t)ranks);
        check->messages += verdict->messages;
    }
}

static int print_check(const struct wishes *wishes, const struct wm_bound_names *names, const struct wm_statement *s,
                       const struct wm_statement_check *check)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);

    if (wishes->format == JSON)
        return print_json(wm_statement_check_json(names, s, check));
    wm_statement_check_print(&terminal, names, s, check);
    return 0;
}

/* Prove it for one number of ranks; behind the last one, print. */
static int prove(const struct wishes *wishes, const char *text, int i, struct wm_statement_check *check,
                 struct wm_error *error)
{
    struct wm_statement_verdict verdict;
    struct wm_bound_names names;
    struct wm_statement *s = NULL;
    int ranks = wishes->ranks.list[i], rc;

    rc = wm_said_names(&names, &wishes->said, text, ranks, error);
    if (rc == 0 && (rc = wm_names_compile(&names, text, &s, error)) == 0 &&
        (rc = wm_statement_prove(&verdict, &names, s, error)) == 0) {
        add_verdict(check, ranks, &verdict);
        if (i + 1 == wishes->ranks.count)
            rc = print_check(wishes, &names, s, check);
    }
    wm_statement_free(s);
    wm_names_release(&names);
    return rc;
}

static int prove_all(const struct wishes *wishes, const char *text, struct wm_error *error)
{
    struct wm_statement_check *check = calloc(1, sizeof *check);
    int rc = check != NULL ? 0 : wm_error_set(error, -WM_ENOMEM, "out of memory"), status;

    for (int i = 0; i < wishes->ranks.count && rc == 0; i++)
        rc = prove(wishes, text, i, check, error);
    status = rc == 0 && check->proven.count == wishes->ranks.count ? 0 : WM_EXIT_FAILED;
    free(check);
    return rc < 0 ? wm_command_failed(error) : status;
}

static int run(struct wm_arguments *arguments)
{
    struct wishes wishes = {.rank = -1};
    struct wm_error error = {0};
    int status;

    if (!wm_arguments_read(arguments, &wishes, &status))
        return status;
    if (wishes.check && wishes.rank >= 0)
        return wm_arguments_misuse(arguments, "--check is for all ranks; leave --rank out");
    if (wishes.ranks.count == 0)
        wishes.ranks = wishes.check ? (struct wm_rank_counts){11, {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17}}
                                    : (struct wm_rank_counts){1, {8}};
    if (wishes.check)
        return prove_all(&wishes, arguments->operands[0], &error);
    if (wishes.ranks.count > 1)
        return wm_arguments_misuse(arguments, "several numbers of ranks are for --check; name one");
    if (wishes.rank >= wishes.ranks.list[0])
        return wm_arguments_misuse(arguments, "there is no rank %d of %d", wishes.rank, wishes.ranks.list[0]);
    return show(&wishes, arguments->operands[0], wishes.ranks.list[0], &error) < 0 ? wm_command_failed(&error) : 0;
}

const struct wm_command wm_command_statement = {
    .name = "statement",
    .summary = "show what a statement communicates, and prove it",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "statement", .least = 1, .most = 1},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
