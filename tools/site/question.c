/* A question on a command line: the map, the call and the machine that `show` and `explain` are about. */
#include "tools/site/question.h"

#include <stdlib.h>
#include <string.h>
#include "tools/text/units.h"

struct wm_map_question wm_question_default(void)
{
    return (struct wm_map_question){.machine = "node=4,core=4",
                                    .operation = WM_OPERATION_COUNT,
                                    .bytes = 8,
                                    .commutative = true,
                                    .communicator = "MPI_COMM_WORLD"};
}

bool wm_question_rank(const char *text, int *rank)
{
    char *end;
    long number = strtol(text, &end, 10);

    *rank = (int)number;
    return end != text && *end == '\0' && number >= 0 && number < 1 << 30;
}

int wm_question_choose(const char *word, const char *first, const char *second)
{
    return strcmp(word, first) == 0 ? 0 : strcmp(word, second) == 0 ? 1 : -1;
}

static int unknown_operation(const struct wm_arguments *arguments, const char *word)
{
    const char *names[WM_OPERATION_COUNT], *near;

    for (int o = 0; o < WM_OPERATION_COUNT; o++)
        names[o] = wm_operation_name((enum wm_operation)o);
    near = wm_error_nearest(word, names, WM_OPERATION_COUNT);
    if (near != NULL)
        return wm_arguments_misuse(arguments, "unknown operation '%s'; did you mean '%s'?", word, near);
    return wm_arguments_misuse(arguments, "unknown operation '%s'; name one as in a map, such as 'allreduce'", word);
}

static int read_map(struct wm_map_question *q, const struct wm_arguments *a)
{
    if (q->map != NULL)
        return wm_arguments_misuse(a, "one map at a time, but there are '%s' and '%s'", q->map, a->value);
    q->map = a->value;
    return 0;
}

static int read_operation(struct wm_map_question *q, const struct wm_arguments *a)
{
    int operation = wm_operation_find(a->value);

    if (operation < 0)
        return unknown_operation(a, a->value);
    q->operation = (enum wm_operation)operation;
    return 0;
}

static int read_yes(bool *yes, const char *option, const struct wm_arguments *a)
{
    int choice = wm_question_choose(a->value, "no", "yes");

    *yes = choice == 1;
    return choice >= 0 ? 0 : wm_arguments_misuse(a, "--%s is 'yes' or 'no', not '%s'", option, a->value);
}

static int read_size(uint64_t *bytes, const struct wm_arguments *a)
{
    if (wm_bytes_read(a->value, bytes))
        return 0;
    return wm_arguments_misuse(a, "'%s' is no size; write a whole number, such as 8, 64KiB or 1MiB", a->value);
}

int wm_question_read(struct wm_map_question *q, const struct wm_arguments *a, int option)
{
    switch (option) {
    case WM_ARGUMENT_OPERAND:
        return read_map(q, a);
    case WM_QUESTION_OP:
        return read_operation(q, a);
    case WM_QUESTION_BYTES:
        return read_size(&q->bytes, a);
    case WM_QUESTION_LOAD:
        return read_size(&q->load, a);
    case WM_QUESTION_GRID:
        q->machine = a->value;
        return 0;
    case WM_QUESTION_ROOT:
        return wm_question_rank(a->value, &q->root) ? 0 : wm_arguments_misuse(a, "'%s' is no rank", a->value);
    case WM_QUESTION_COMMUTES:
        return read_yes(&q->commutative, "commutative", a);
    case WM_QUESTION_CROWDED:
        return read_yes(&q->crowded, "crowded", a);
    case WM_QUESTION_COMMUNICATOR:
        q->communicator = a->value;
        return 0;
    }
    return 0;
}

int wm_question_check(const struct wm_map_question *q, const struct wm_arguments *a)
{
    if (q->map == NULL)
        return wm_arguments_misuse(a, "no map is named");
    if (q->operation == WM_OPERATION_COUNT)
        return wm_arguments_misuse(a, "no operation is named; add --op, for example --op allreduce");
    return 0;
}
