/* Random statements, delivered in memory, against an interpreter that shares nothing with them:
 *
 *     tests/core/statement/test_random --statements 100000 --seed 1
 *
 * A statement that fails is printed with its seed, by which `--statements 1` does it again. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/agreement.h"
#include "tests/core/statement/deliver.h"
#include "tests/core/statement/functions.h"

struct trial {
    uint64_t seed;
    struct statement s;
    struct fuzz_text text;
    struct oracle oracle;
    struct delivery d;
    struct memory before, wanted, found;
    struct wm_statement *statement;
    long murky, faulty, compared, agreed, at_once, asked, global, collective, teams, messages;
};

static const char *fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *fail(const char *format, ...)
{
    static char sentence[WM_ERROR_TEXT_CHARS + 100];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return sentence;
}

static const char *compile(struct trial *t)
{
    struct wm_error error = {0};
    const char *hint;

    for (int r = 1; r < t->s.ranks; r++)
        if (wm_bindings_hash(t->d.bindings[r], t->s.thing_count) !=
            wm_bindings_hash(t->d.bindings[0], t->s.thing_count))
            return "bindings alike have different hashes";
    if (wm_statement_new(&t->statement, t->text.bytes, t->d.bindings[0], t->s.thing_count, &error) < 0)
        return fail("it does not compile: line %d, column %d: %s", error.line, error.column, error.text);
    hint = t->statement->hint == WM_KNOWLEDGE_UNSAID ? "" : wm_knowledge_name(t->statement->hint);
    if (strcmp(t->statement->name, t->s.name) != 0 || strcmp(hint, t->s.hint) != 0)
        return "it has another name or hint";
    t->d.statement = t->statement;
    return NULL;
}

/* A list is the oracle's. */
static const char *compare_list(struct trial *t, int rank, const struct wm_parts *parts, const struct messages *list,
                                bool received)
{
    for (size_t i = 0; i < parts->count && i < list->count; i++) {
        const struct message *m = &list->list[i];
        const struct wm_statement_part *part = &parts->parts[i];

        if (part->peer != (received ? m->from : m->to) || part->reduction != m->reduction || part->count != m->count)
            return fail("rank %d %s as part %zu: peer %d, reduction %d, %zu elements; it is %d, %d, %zu", rank,
                        received ? "receives" : "sends", i, part->peer, part->reduction, part->count,
                        received ? m->from : m->to, m->reduction, m->count);
        for (int v = 0; v < t->s.variable_count; v++) {
            char bytes[8] = {0};

            wm_scalar_store(t->s.variables[v].type, bytes, parts->values[part->variables + (size_t)v]);
            if (!value_alike(value_load(t->s.variables[v].type, bytes), m->variables[v]))
                return fail("rank %d, part %zu: %s has another value", rank, i, t->s.variables[v].name);
        }
    }
    if (parts->count != list->count)
        return fail("rank %d %s %zu parts, not %zu", rank, received ? "receives" : "sends", list->count, parts->count);
    return NULL;
}

/* What is listed is what the oracle lists. */
static const char *compare_lists(struct trial *t)
{
    const char *wrong = NULL;

    for (int r = 0; r < t->s.ranks && wrong == NULL; r++) {
        const struct wm_traffic *x = &t->d.traffic[r];

        if ((t->d.rc[r] < 0) != t->oracle.faulty[r])
            return fail("rank %d %s", r, t->d.rc[r] < 0 ? "fails" : "does not fail, and should");
        if (t->d.rc[r] < 0)
            continue;
        if (x->believes != t->oracle.believes[r])
            return fail("rank %d %s to know what it receives", r, x->believes ? "believes" : "does not believe");
        wrong = compare_list(t, r, &x->sends, &t->oracle.sends[r], false);
        if (wrong == NULL && x->believes)
            wrong = compare_list(t, r, &x->receives, &t->oracle.beliefs[r], true);
    }
    return wrong;
}

static bool has_failed(const struct trial *t)
{
    for (int r = 0; r < t->s.ranks; r++)
        if (t->d.rc[r] < 0)
            return true;
    return false;
}

/* All ranks have listed what they receive, and rightly: what the balance says is what the oracle says. */
static const char *check_balance(struct trial *t, bool *agrees)
{
    uint64_t balance = 0;
    bool believe = true;

    for (int r = 0; r < t->s.ranks; r++) {
        balance += t->d.traffic[r].balance;
        believe &= t->d.traffic[r].believes;
    }
    *agrees = believe && balance == 0;
    if (believe && (balance == 0) != oracle_agrees(&t->oracle))
        return balance == 0 ? "the balance is 0, but the ends do not agree"
                            : "the balance is not 0, but the ends agree";
    if (wm_statement_is_global(t->statement, t->d.bindings[0])) {
        t->global++;
        if (!t->oracle.alike)
            return "it is said to be global, but ranks enumerate differently";
    }
    return NULL;
}

static const char *compare_memory(struct trial *t, const char *how)
{
    for (int r = 0; r < t->s.ranks; r++)
        for (int i = 0; i < t->s.thing_count; i++) {
            const struct thing *thing = &t->s.things[i];
            const unsigned char *a = t->found.at[r][i], *b = t->wanted.at[r][i], *old = t->before.at[r][i];

            for (size_t k = 0; k < thing_bytes(thing, r); k++) {
                if (a[k] != b[k])
                    return fail("%s, at rank %d byte %zu of '%s' (element %zu) is 0x%02x, not 0x%02x", how, r, k,
                                thing->name, k / thing->element_bytes, a[k], b[k]);
                if (a[k] != old[k] && (t->statement->writing >> i & 1) == 0)
                    return fail("'%s' is stored into, and that is not said", thing->name);
            }
        }
    return NULL;
}

/* A statement that is said to be a collective operation sends what that does. */
static const char *check_collective(struct trial *t)
{
    uint64_t all[WM_WORDS], words[WM_WORDS];
    struct wm_collective found;

    for (int r = 0; r < t->s.ranks; r++) {
        wm_agreement_tell(r == 0 ? all : words, &t->d.traffic[r], t->d.bindings[r]);
        if (r > 0)
            wm_agreement_join(all, words);
    }
    found = wm_agreement_of(all, &t->d.traffic[0], t->d.bindings[0]).collective;
    if (found.operation == WM_OPERATION_COUNT)
        return NULL;
    t->collective++;
    t->teams += found.team;
    if (found.operation == WM_SCAN || found.operation == WM_EXSCAN)
        return oracle_is_scan(&t->oracle, found.operation == WM_SCAN)
                   ? NULL
                   : fail("it is said to be the operation %s", wm_operation_name(found.operation));
    for (int r = 0; r < t->s.ranks; r++) {
        int ranks[RANKS_MAX], root, count = wm_traffic_team(&t->d.traffic[r], t->d.bindings[r], ranks, &root);

        if (!oracle_is_collective(&t->oracle, found.operation, r, ranks, count, root))
            return fail("rank %d is said to make the operation %s among %d ranks", r,
                        wm_operation_name(found.operation), count);
        if (!found.team && (count < t->s.ranks - 1 || ranks[root] != found.root))
            return fail("it is said to be the operation %s of all ranks", wm_operation_name(found.operation));
    }
    return NULL;
}

static const char *check_way(struct trial *t, enum way way, const char *how)
{
    const char *wrong = deliver(&t->d, &t->oracle, way, &t->s.random);

    if (wrong != NULL)
        return fail("%s, %s", how, wrong);
    if (!oracle_fails(&t->oracle))
        wrong = compare_memory(t, how);
    memory_copy(&t->found, &t->before, &t->s);
    return wrong;
}

/* What is learned of items is folded, and kept. */
static const char *check_ways(struct trial *t, bool agrees)
{
    bool fails = oracle_fails(&t->oracle), at_once = (t->statement->placing & t->statement->writing) == 0;
    const char *wrong = NULL;

    t->agreed += agrees && !fails;
    t->at_once += at_once && !fails;
    t->compared += !fails;
    if (agrees)
        wrong = check_way(t, BY_PARTS, "by parts");
    if (wrong == NULL && at_once)
        wrong = check_way(t, AT_ONCE, "by items that are stored at once");
    if (wrong == NULL)
        wrong = check_way(t, BY_ITEMS, "by items");
    if (wrong != NULL || fails)
        return wrong;
    deliver_fold(&t->d);
    return check_way(t, BY_PARTS, "by folded parts");
}

static const char *check_messages(struct trial *t)
{
    bool agrees = false;
    const char *wrong;

    deliver_list(&t->d);
    wrong = compare_lists(t);
    if (wrong == NULL && !has_failed(t))
        wrong = check_balance(t, &agrees);
    if (wrong == NULL && !oracle_fails(&t->oracle))
        wrong = check_collective(t);
    if (wrong == NULL)
        wrong = check_ways(t, agrees);
    for (int r = 0; r < t->s.ranks; r++)
        t->messages += (long)t->oracle.sends[r].count;
    deliver_release(&t->d);
    return wrong;
}

/* As if receivers alone knew. */
static const char *check_requests(struct trial *t)
{
    const char *wrong;

    oracle_list_requests(&t->oracle, &t->s, &t->before);
    if (t->oracle.murky || oracle_fails(&t->oracle))
        return NULL;
    t->asked++;
    memory_copy(&t->wanted, &t->before, &t->s);
    oracle_run(&t->oracle, &t->wanted);
    if ((wrong = deliver_requests(&t->d)) == NULL) {
        deliver_fold(&t->d);
        wrong = check_way(t, BY_PARTS, "by requests");
    }
    deliver_release(&t->d);
    return wrong;
}

static bool same_parts(const struct wm_parts *a, const struct wm_parts *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct wm_statement_part *x = &a->parts[i], *y = &b->parts[i];

        if (x->peer != y->peer || x->reduction != y->reduction || x->count != y->count ||
            x->section.offset != y->section.offset ||
            memcmp(x->section.counts, y->section.counts, sizeof x->section.counts) != 0)
            return false;
    }
    return true;
}

/* The lists depend on nothing but what the statement names. */
static const char *check_dependencies(struct trial *t)
{
    static struct delivery other;
    const char *wrong = NULL;

    other = t->d;
    for (int i = 0; i < t->s.thing_count; i++)
        if (((t->statement->choosing | t->statement->sizing) >> i & 1) == 0)
            memory_fill(&t->found, &t->s, i, ALL_RANKS);
    deliver_bind(&other, &t->s, &t->before);
    deliver_list(&other);
    deliver_list(&t->d);
    for (int r = 0; r < t->s.ranks && wrong == NULL; r++) {
        const struct wm_traffic *x = &t->d.traffic[r], *y = &other.traffic[r];

        if (t->d.rc[r] != other.rc[r] ||
            (t->d.rc[r] == 0 && (x->believes != y->believes || x->balance != y->balance ||
                                 !same_parts(&x->sends, &y->sends) || !same_parts(&x->receives, &y->receives))))
            wrong = "its lists depend on values that it does not name";
    }
    deliver_release(&t->d);
    deliver_release(&other);
    return wrong;
}

static const char *check(struct trial *t)
{
    const char *wrong;

    oracle_list(&t->oracle, &t->s, &t->before);
    owner_misused = false;
    if (t->oracle.murky) {
        t->murky++;
        deliver_list(&t->d);
        deliver_release(&t->d);
        return NULL;
    }
    if (oracle_fails(&t->oracle))
        t->faulty++;
    else
        oracle_run(&t->oracle, &t->wanted);
    if ((wrong = check_messages(t)) != NULL || (wrong = check_requests(t)) != NULL ||
        (wrong = check_dependencies(t)) != NULL)
        return wrong;
    return owner_misused ? "a function is called for what a filter excludes" : NULL;
}

static const char *run(struct trial *t)
{
    const char *wrong;

    statement_generate(&t->s, t->seed, 0, 10);
    fuzz_text_clear(&t->text);
    statement_print(&t->s, &t->text);
    memory_new(&t->before, &t->s);
    memory_new(&t->wanted, &t->s);
    memory_new(&t->found, &t->s);
    for (int i = 0; i < t->s.thing_count; i++)
        memory_fill(&t->before, &t->s, i, ALL_RANKS);
    memory_copy(&t->wanted, &t->before, &t->s);
    memory_copy(&t->found, &t->before, &t->s);
    deliver_bind(&t->d, &t->s, &t->found);
    wrong = compile(t);
    if (wrong == NULL)
        wrong = check(t);
    wm_statement_free(t->statement);
    t->statement = NULL;
    memory_free(&t->before, &t->s);
    memory_free(&t->wanted, &t->s);
    memory_free(&t->found, &t->s);
    return wrong;
}

static void print_failure(struct trial *t, const char *wrong)
{
    printf("test_random: seed %llu, %d ranks: %s\n    %s\n", (unsigned long long)t->seed, t->s.ranks, wrong,
           t->text.bytes);
    for (int i = 0; i < t->s.thing_count; i++) {
        const struct thing *thing = &t->s.things[i];

        printf("    %s %s", wm_number_name(thing->type), thing->name);
        for (int d = 0; d < thing->dimensions; d++)
            printf("[%zu]", thing->extents[0][d]);
        printf("%s%s", thing->uniform ? " uniform" : "", i + 1 < t->s.thing_count ? ";" : "\n");
    }
}

int main(int argc, char **argv)
{
    static const struct option names[] = {{"statements", 1, NULL, 'n'}, {"seed", 1, NULL, 's'}, {NULL, 0, NULL, 0}};
    static struct trial t;
    long statements = 3000, failures = 0;
    uint64_t seed = 1;
    int option;

    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        if (option == 'n')
            statements = atol(optarg);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else
            return 2;
    for (long i = 0; i < statements && failures < 10; i++) {
        const char *wrong;

        t.seed = seed + (uint64_t)i;
        if ((wrong = run(&t)) != NULL) {
            print_failure(&t, wrong);
            failures++;
        }
    }
    printf("test_random: %ld statements from seed %llu, %ld messages: %ld compared, %ld of them by beliefs, %ld at "
           "once, %ld by requests; %ld global, %ld collective, %ld of them of teams, %ld faulty, %ld murky; %ld "
           "failures\n",
           statements, (unsigned long long)seed, t.messages, t.compared, t.agreed, t.at_once, t.asked, t.global,
           t.collective, t.teams, t.faulty, t.murky, failures);
    fuzz_text_release(&t.text);
    oracle_release(&t.oracle);
    /* Most statements are worth the while. */
    return failures > 0 || (statements >= 1000 && 2 * t.compared < statements);
}
