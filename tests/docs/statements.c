/* docs/communicate.md: each block of it that is marked `statement` is compiled, and carried out at four ranks; what the
 * page says of it, behind "=>", is so. Blocks marked `wrong` are refused in the words that stand there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/agreement.h"
#include "core/statement/compile.h"
#include "core/statement/items.h"

enum { RANKS = 4, NAMES = 15, TEXT_BYTES = 2000, PARTS = 200 };

struct pair {
    double value;
    int rank;
};

/* What the page says that there is at each rank. */
static struct memory {
    int n, x, sum, to, left, right, a[4], b[4], M[2][8], T[2][8];
    float f;
    double u[4];
    struct pair mine, best;
} memories[RANKS];

static int faults;

static int owner(int key)
{
    return key / 10;
}

static void least(void *inout, const void *in)
{
    if (((const struct pair *)in)->value < ((struct pair *)inout)->value)
        *(struct pair *)inout = *(const struct pair *)in;
}

static void fill(void)
{
    memset(memories, 0, sizeof memories);
    for (int r = 0; r < RANKS; r++) {
        struct memory *m = &memories[r];

        m->n = 2;
        m->x = m->to = r;
        m->left = (r + RANKS - 1) % RANKS;
        m->right = (r + 1) % RANKS;
        m->to = (r + 2) % RANKS;
        m->f = 0.5F;
        m->mine = (struct pair){r < 2 ? 5 - r : r, r};
        m->best = (struct pair){100, -1};
        for (int k = 0; k < 4; k++) {
            m->a[k] = 10 * r + k;
            m->u[k] = 10 * r + k;
        }
        for (int k = 0; k < 16; k++)
            m->M[k / 8][k % 8] = 100 * (2 * r + k / 8) + k % 8;
    }
}

static void bind(struct wm_bound bindings[NAMES], struct memory *m)
{
    const struct wm_bound list[NAMES] = {
        {.name = "n", .number = WM_INT32, .at = &m->n, .promises = WM_IS_UNIFORM},
        {.name = "x", .number = WM_INT32, .at = &m->x},
        {.name = "sum", .number = WM_INT32, .at = &m->sum},
        {.name = "to", .number = WM_INT32, .at = &m->to},
        {.name = "left", .number = WM_INT32, .at = &m->left},
        {.name = "right", .number = WM_INT32, .at = &m->right},
        {.name = "a", .number = WM_INT32, .at = m->a, .dimensions = 1, .extents = {4}},
        {.name = "b", .number = WM_INT32, .at = m->b, .dimensions = 1, .extents = {4}},
        {.name = "M", .number = WM_INT32, .at = m->M, .dimensions = 2, .extents = {2, 8}},
        {.name = "T", .number = WM_INT32, .at = m->T, .dimensions = 2, .extents = {2, 8}},
        {.name = "f", .number = WM_FLOAT, .at = &m->f},
        {.name = "u", .number = WM_DOUBLE, .at = m->u, .dimensions = 1, .extents = {4}},
        {.name = "mine", .at = &m->mine, .element_bytes = sizeof m->mine, .type = "pair"},
        {.name = "best", .at = &m->best, .element_bytes = sizeof m->best, .type = "pair"},
        {.name = "owner",
         .kind = WM_BOUND_FUNCTION,
         .signature = WM_SIGNATURE_INT_1,
         .function = (void (*)(void))owner,
         .promises = WM_IS_UNIFORM},
    };

    memcpy(bindings, list, sizeof list);
}

/* `least` is no function of numbers, and stands behind the others. */
static void bind_all(struct wm_bound bindings[RANKS][NAMES + 1])
{
    for (int r = 0; r < RANKS; r++) {
        bind(bindings[r], &memories[r]);
        bindings[r][NAMES] = (struct wm_bound){.name = "least",
                                               .kind = WM_BOUND_COMBINE,
                                               .function = (void (*)(void))least,
                                               .element_bytes = sizeof(struct pair),
                                               .type = "pair"};
    }
}

static void fault(const char *text, const char *what, const char *more)
{
    printf("docs/communicate.md:\n%s%s: %s\n", text, what, more);
    faults++;
}

/* ---- a statement is carried out ---- */

struct letter {
    struct wm_statement_part *part;
    char *head, *data;
};

static bool send_all(struct wm_traffic *x, const struct wm_bound bindings[], struct letter letters[],
                     struct wm_error *error)
{
    for (size_t i = 0; i < x->sends.count; i++) {
        struct letter *l = &letters[i];

        l->part = &x->sends.parts[i];
        l->head = malloc(wm_items_bytes(x, l->part, 1, WM_SENDS));
        l->data = malloc(wm_part_bytes(x, l->part) + 1);
        wm_items_write(x, l->part, 1, WM_SENDS, l->head);
        if (wm_part_pack(x, l->part, bindings, l->data, error) < 0)
            return false;
    }
    return true;
}

/* The letters to rank `me` from all ranks in their order: all find their place, then all are stored. */
static bool receive_all(struct wm_traffic *x, const struct wm_bound bindings[], const struct wm_traffic senders[],
                        struct letter letters[RANKS][PARTS], struct wm_error *error)
{
    for (int store = 0; store < 2; store++) {
        size_t arrived = 0;

        for (int r = 0; r < RANKS; r++)
            for (size_t i = 0; i < senders[r].sends.count; i++) {
                if (letters[r][i].part->peer != x->me)
                    continue;
                if (store == 0 && wm_items_list(x, bindings, WM_SENDS, r, letters[r][i].head,
                                                wm_items_bytes(x, letters[r][i].part, 1, WM_SENDS), error) < 0)
                    return false;
                if (store == 1)
                    wm_part_store(x, &x->receives.parts[arrived++], bindings, letters[r][i].data);
            }
    }
    return true;
}

static bool carry(const struct wm_statement *s, struct wm_bound bindings[RANKS][NAMES + 1], struct wm_error *error)
{
    static struct letter letters[RANKS][PARTS];
    struct wm_traffic x[RANKS] = {{0}};
    bool done = true;

    memset(letters, 0, sizeof letters);
    for (int r = 0; r < RANKS && done; r++)
        done = wm_traffic_new(&x[r], s, bindings[r], r, RANKS, false, error) == 0 && x[r].sends.count <= PARTS &&
               send_all(&x[r], bindings[r], letters[r], error);
    for (int r = 0; r < RANKS && done; r++)
        done = receive_all(&x[r], bindings[r], x, letters, error);
    for (int r = 0; r < RANKS; r++) {
        for (int i = 0; i < PARTS; i++) {
            free(letters[r][i].head);
            free(letters[r][i].data);
        }
        wm_traffic_release(&x[r]);
    }
    return done;
}

/* ---- what is so ---- */

static const char *knowledge(const struct wm_statement *s, struct wm_bound bindings[RANKS][NAMES + 1])
{
    struct wm_agreement found = {.knowledge = WM_KNOWLEDGE_UNSAID};
    uint64_t all[WM_WORDS], words[WM_WORDS];

    for (int r = 0; r < RANKS; r++) {
        struct wm_traffic x;

        if (wm_traffic_new(&x, s, bindings[r], r, RANKS, true, NULL) < 0)
            return "wrong";
        wm_agreement_tell(r == 0 ? all : words, &x, bindings[r]);
        if (r > 0)
            wm_agreement_join(all, words);
        if (r == RANKS - 1)
            found = wm_agreement_of(all, &x, bindings[r]);
        wm_traffic_release(&x);
    }
    return wm_knowledge_name(found.knowledge);
}

static void print_element(const struct wm_bound *b, size_t i, char *out)
{
    const void *at = (const char *)b->at + i * wm_binding_element_bytes(b);
    union wm_scalar value;

    if (b->number == WM_BYTES) {
        const struct pair *p = at;

        wm_text_append(out, TEXT_BYTES, " {%g, %d}", p->value, p->rank);
        return;
    }
    value = wm_scalar_load((enum wm_number)b->number, at);
    if (b->number == WM_DOUBLE || b->number == WM_FLOAT)
        wm_text_append(out, TEXT_BYTES, " %g", b->number == WM_DOUBLE ? value.d : (double)value.f);
    else
        wm_text_append(out, TEXT_BYTES, " %lld", (long long)value.i);
}

/* "x: 0 | 1 | 2 | 3" */
static void print_name(struct wm_bound bindings[RANKS][NAMES + 1], int name, char *out)
{
    snprintf(out, TEXT_BYTES, "%s:", bindings[0][name].name);
    for (int r = 0; r < RANKS; r++) {
        for (size_t i = 0; i < wm_binding_count(&bindings[r][name]); i++)
            print_element(&bindings[r][name], i, out);
        wm_text_append(out, TEXT_BYTES, r + 1 < RANKS ? " |" : "");
    }
}

static void check_result(const char *text, const char *said, const char *known,
                         struct wm_bound bindings[RANKS][NAMES + 1])
{
    char is[TEXT_BYTES];

    if (strchr(said, ':') == NULL) {
        if (strcmp(said, known) != 0)
            fault(text, "it is", known);
        return;
    }
    for (int name = 0; name < NAMES; name++)
        if (strncmp(bindings[0][name].name, said, strcspn(said, ":")) == 0 &&
            strlen(bindings[0][name].name) == strcspn(said, ":")) {
            print_name(bindings, name, is);
            if (strcmp(is, said) != 0)
                fault(text, "it is", is);
            return;
        }
    fault(text, "there is no", said);
}

/* ---- the page ---- */

static void check_statement(const char *text, char *results)
{
    struct wm_bound bindings[RANKS][NAMES + 1];
    struct wm_error error = {0};
    struct wm_statement *s;
    const char *known;

    fill();
    bind_all(bindings);
    if (wm_statement_new(&s, text, bindings[0], NAMES + 1, &error) < 0) {
        fault(text, "refused", error.text);
        return;
    }
    known = knowledge(s, bindings);
    if (!carry(s, bindings, &error))
        fault(text, "wrong", error.text);
    if (results[0] == '\0')
        fault(text, "nothing is said of it", "");
    for (char *line = strtok(results, "\n"); line != NULL; line = strtok(NULL, "\n"))
        check_result(text, line + strlen("=> "), known, bindings);
    wm_statement_free(s);
}

static void check_wrong(const char *text, const char *results)
{
    struct wm_bound bindings[RANKS][NAMES + 1];
    char said[TEXT_BYTES], is[TEXT_BYTES + 100];
    struct wm_error error = {0};
    struct wm_statement *s;

    fill();
    bind_all(bindings);
    if (wm_statement_new(&s, text, bindings[0], NAMES + 1, &error) == 0 && carry(s, bindings, &error))
        fault(text, "it is right", "");
    wm_statement_free(s);
    wm_error_format(&error, said, sizeof said);
    snprintf(is, sizeof is, "=> %s", said);
    if (strncmp(is, results, strcspn(is, "\n")) != 0 || results[strcspn(is, "\n")] != '\n')
        fault(text, "said", said);
}

/* A block's text, and the lines behind it that begin with "=>". */
static void read_block(FILE *page, char *text, char *results)
{
    char line[TEXT_BYTES / 4];

    text[0] = results[0] = '\0';
    while (fgets(line, sizeof line, page) != NULL && strcmp(line, "```\n") != 0)
        wm_text_append(strncmp(line, "=>", 2) == 0 ? results : text, TEXT_BYTES, "%s", line);
}

static void check_has(const char *page, const char *what)
{
    if (strstr(page, what) == NULL)
        fault("", "the page does not say", what);
}

/* The page has the limits, the operators and the functions that there are. */
static void check_lists(const char *page)
{
    char text[200];

#define X(name, result, argument, count, type, parameters, arguments) check_has(page, "`" #type #parameters "`");
    WM_SIGNATURES(X)
#undef X
#define X(name, text) check_has(page, "`" text "`");
    WM_OPERATORS(X)
#undef X
    snprintf(text, sizeof text,
             "%d names of the program, %d reductions, %d clauses, %d variables, %d terms, %d levels, %d bytes",
             WM_BINDINGS_MAX, WM_REDUCTIONS_MAX, WM_CLAUSES_MAX, WM_VARIABLES_MAX, WM_TERMS_MAX, WM_NESTING_MAX,
             WM_STATEMENT_TEXT_MAX);
    check_has(page, text);
    snprintf(text, sizeof text, "%d combinations", WM_ENUMERATE_STEPS_MAX);
    check_has(page, text);
}

int main(void)
{
    static char page[1 << 16];
    char name[TEXT_BYTES], line[TEXT_BYTES], text[TEXT_BYTES], results[TEXT_BYTES];
    const char *source = getenv("srcdir");
    int blocks = 0;
    FILE *file;

    snprintf(name, sizeof name, "%s/docs/communicate.md", source != NULL ? source : ".");
    if ((file = fopen(name, "r")) == NULL)
        return 99;
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    check_lists(page);
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        bool right = strcmp(line, "```statement\n") == 0;

        if (!right && strcmp(line, "```wrong\n") != 0)
            continue;
        blocks++;
        read_block(file, text, results);
        if (right)
            check_statement(text, results);
        else
            check_wrong(text, results);
    }
    fclose(file);
    printf("%d statements, %d faults\n", blocks, faults);
    return blocks == 0 || faults > 0;
}
