/* A question on a command line: the map, the call and the machine that `show` and `explain` are about. */
#include "tools/site/question.h"

#include "core/parse.h"

struct wm_map_question wm_question_default(void)
{
    return (struct wm_map_question){
        .facts = {.operation = WM_OPERATION_COUNT, .bytes = 8, .commutative = true, .communicator = "MPI_COMM_WORLD"},
        .machine = "node=4,core=4",
    };
}

static int read_operations(const struct wm_arguments *a, uint64_t *bits)
{
    const char *names[WM_OPERATION_COUNT];
    char wrong[64];

    for (int o = 0; o < WM_OPERATION_COUNT; o++)
        names[o] = wm_operation_name((enum wm_operation)o);
    if (wm_parse_names(a->value, names, WM_OPERATION_COUNT, bits, wrong, sizeof wrong))
        return 0;
    return wm_arguments_misuse(
        a, "unknown operation '%s'%s", wrong,
        wm_error_suggest(wrong, names, WM_OPERATION_COUNT, "", "name one as in a map, such as 'allreduce'").text);
}

int wm_option_operation(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    uint64_t bits = 0;
    int status = read_operations(a, &bits);

    if (status == 0 && (bits & (bits - 1)) != 0)
        return wm_arguments_misuse(a, "--%s takes one operation, not '%s'", option->name, a->value);
    if (status == 0)
        *(enum wm_operation *)place = (enum wm_operation)__builtin_ctzll(bits);
    return status;
}

int wm_option_fact_text(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    if (snprintf(place, WM_FACT_TEXT_CHARS, "%s", a->value) < WM_FACT_TEXT_CHARS)
        return 0;
    return wm_arguments_misuse(a, "--%s has more than %d characters", option->name, WM_FACT_TEXT_CHARS - 1);
}

int wm_option_operations(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    uint64_t bits = 0;
    int status = read_operations(a, &bits);

    (void)option;
    *(uint32_t *)place |= (uint32_t)bits;
    return status;
}

int wm_question_check(struct wm_map_question *q, const struct wm_arguments *a)
{
    q->map = a->operands[0];
    if (q->facts.operation == WM_OPERATION_COUNT)
        return wm_arguments_misuse(a, "no operation is named; add --op, for example --op allreduce");
    return 0;
}
