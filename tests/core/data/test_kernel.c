/* Kernels: each against the operator on one element at a time, on all instructions that this machine has, and the
 * library. */
#include "tests/check.h"
#include "core/data/kernel_table.h"

/* For AddressSanitizer: the MPI library does not give everything back. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_TO = 67, LARGE = 4099, SHIFTS = 3, GUARD = 64, GUARD_BYTE = 0xa5, ELEMENT_BYTES = 16 };
enum { ROOM = (LARGE + SHIFTS) * ELEMENT_BYTES + 2 * GUARD };

typedef unsigned __int128 wide;

/* What is expected of a type, in words of MPI's table of operators. */
struct type_case {
    MPI_Datatype type;
    const char *name;
    char number;           /* s(igned), u(nsigned), r(eal), c(omplex) */
    const char *operators; /* by their letters in `operator_cases` */
};

#define C_INTEGER "+*<>AOXaox"
#define INTEGER "+*<>aox"
#define TYPE(type, number, operators)                                                                                  \
    {                                                                                                                  \
        type, #type, number, operators                                                                                 \
    }
static const struct type_case type_cases[] = {
    TYPE(MPI_SIGNED_CHAR, 's', C_INTEGER),
    TYPE(MPI_SHORT, 's', C_INTEGER),
    TYPE(MPI_INT, 's', C_INTEGER),
    TYPE(MPI_LONG, 's', C_INTEGER),
    TYPE(MPI_LONG_LONG_INT, 's', C_INTEGER),
    TYPE(MPI_LONG_LONG, 's', C_INTEGER),
    TYPE(MPI_UNSIGNED_CHAR, 'u', C_INTEGER),
    TYPE(MPI_UNSIGNED_SHORT, 'u', C_INTEGER),
    TYPE(MPI_UNSIGNED, 'u', C_INTEGER),
    TYPE(MPI_UNSIGNED_LONG, 'u', C_INTEGER),
    TYPE(MPI_UNSIGNED_LONG_LONG, 'u', C_INTEGER),
    TYPE(MPI_INT8_T, 's', C_INTEGER),
    TYPE(MPI_INT16_T, 's', C_INTEGER),
    TYPE(MPI_INT32_T, 's', C_INTEGER),
    TYPE(MPI_INT64_T, 's', C_INTEGER),
    TYPE(MPI_UINT8_T, 'u', C_INTEGER),
    TYPE(MPI_UINT16_T, 'u', C_INTEGER),
    TYPE(MPI_UINT32_T, 'u', C_INTEGER),
    TYPE(MPI_UINT64_T, 'u', C_INTEGER),
    TYPE(MPI_AINT, 's', INTEGER),
    TYPE(MPI_OFFSET, 's', INTEGER),
    TYPE(MPI_COUNT, 's', INTEGER),
    TYPE(MPI_INTEGER, 's', INTEGER),
#ifdef MPI_INTEGER1
    TYPE(MPI_INTEGER1, 's', INTEGER),
#endif
#ifdef MPI_INTEGER2
    TYPE(MPI_INTEGER2, 's', INTEGER),
#endif
#ifdef MPI_INTEGER4
    TYPE(MPI_INTEGER4, 's', INTEGER),
#endif
#ifdef MPI_INTEGER8
    TYPE(MPI_INTEGER8, 's', INTEGER),
#endif
    TYPE(MPI_BYTE, 'u', "aox"),
    TYPE(MPI_LOGICAL, 'u', "AOX"),
    TYPE(MPI_C_BOOL, 'u', "AOX"),
    TYPE(MPI_CXX_BOOL, 'u', "AOX"),
    TYPE(MPI_FLOAT, 'r', "+*<>"),
    TYPE(MPI_DOUBLE, 'r', "+*<>"),
    TYPE(MPI_REAL, 'r', "+*<>"),
    TYPE(MPI_DOUBLE_PRECISION, 'r', "+*<>"),
#ifdef MPI_REAL4
    TYPE(MPI_REAL4, 'r', "+*<>"),
#endif
#ifdef MPI_REAL8
    TYPE(MPI_REAL8, 'r', "+*<>"),
#endif
    TYPE(MPI_C_COMPLEX, 'c', "+*"),
    TYPE(MPI_C_FLOAT_COMPLEX, 'c', "+*"),
    TYPE(MPI_C_DOUBLE_COMPLEX, 'c', "+*"),
    TYPE(MPI_CXX_FLOAT_COMPLEX, 'c', "+*"),
    TYPE(MPI_CXX_DOUBLE_COMPLEX, 'c', "+*"),
    TYPE(MPI_COMPLEX, 'c', "+*"),
    TYPE(MPI_DOUBLE_COMPLEX, 'c', "+*"),
    TYPE(MPI_CHAR, 's', ""),
    TYPE(MPI_WCHAR, 's', ""),
    TYPE(MPI_CHARACTER, 's', ""),
    TYPE(MPI_PACKED, 'u', ""),
    TYPE(MPI_LONG_DOUBLE, 'r', ""),
    TYPE(MPI_C_LONG_DOUBLE_COMPLEX, 'c', ""),
    TYPE(MPI_2INT, 's', ""),
    TYPE(MPI_DOUBLE_INT, 's', ""),
    TYPE(MPI_DATATYPE_NULL, 's', ""),
};
enum { TYPES = sizeof type_cases / sizeof type_cases[0] };

#define OPERATOR(op, letter)                                                                                           \
    {                                                                                                                  \
        op, #op, letter                                                                                                \
    }
static const struct operator_case {
    MPI_Op op;
    const char *name;
    char letter; /* '?': never a kernel */
} operator_cases[] = {
    OPERATOR(MPI_SUM, '+'),     OPERATOR(MPI_PROD, '*'),    OPERATOR(MPI_MIN, '<'),    OPERATOR(MPI_MAX, '>'),
    OPERATOR(MPI_LAND, 'A'),    OPERATOR(MPI_LOR, 'O'),     OPERATOR(MPI_LXOR, 'X'),   OPERATOR(MPI_BAND, 'a'),
    OPERATOR(MPI_BOR, 'o'),     OPERATOR(MPI_BXOR, 'x'),    OPERATOR(MPI_MINLOC, '?'), OPERATOR(MPI_MAXLOC, '?'),
    OPERATOR(MPI_REPLACE, '?'), OPERATOR(MPI_OP_NULL, '?'),
};
enum { OPERATORS = sizeof operator_cases / sizeof operator_cases[0] };

static bool is_defined(const struct type_case *t, const struct operator_case *o)
{
    return strchr(t->operators, o->letter) != NULL;
}

/* The same numbers in every run. */
static uint64_t random_bits(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

static double random_real(bool edges)
{
    static const double edge[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e308, -1e308, 5e-324, 1e38, 1e-45};

    if (edges && random_bits() % 3 == 0)
        return edge[random_bits() % (sizeof edge / sizeof edge[0])];
    return ((double)(random_bits() >> 11) + 0.5) * 0x1p-52 - 1;
}

/* All bits, few of them, the smallest and the largest of a size: in the order of this machine's bytes. */
static uint64_t random_integer(int bytes)
{
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    const uint64_t edge[] = {0, 1, ~(uint64_t)0, sign, sign - 1, sign + 1, 2};

    return random_bits() % 3 == 0 ? edge[random_bits() % (sizeof edge / sizeof edge[0])] : random_bits();
}

static void put_real(unsigned char *at, int bytes, double value)
{
    const float narrow = (float)value;

    memcpy(at, bytes == 4 ? (const void *)&narrow : &value, (size_t)bytes);
}

static void put_integer(unsigned char *at, int bytes, uint64_t value)
{
    const unsigned char *low = (const unsigned char *)&value;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    low += 8 - bytes;
#endif
    memcpy(at, low, (size_t)bytes);
}

static double real_at(const unsigned char *at, int bytes)
{
    double value;
    float narrow;

    memcpy(&value, at, bytes == 8 ? 8 : 0);
    memcpy(&narrow, at, 4);
    return bytes == 8 ? value : (double)narrow;
}

/* Its sign fills the rest. */
static wide integer_at(const unsigned char *at, int bytes, bool is_signed)
{
    uint64_t value = 0;
    const int empty = 64 - 8 * bytes;

    memcpy((unsigned char *)&value + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - bytes : 0), at, (size_t)bytes);
    return is_signed ? (wide)(__int128)((int64_t)(value << empty) >> empty) : (wide)value;
}

/* Truth values are 0 and 1 alone, as bool's must be. */
static void fill(unsigned char *at, const struct type_case *t, int bytes, bool edges)
{
    for (int i = 0; i < LARGE; i++, at += bytes) {
        if (t->number == 'r') {
            put_real(at, bytes, random_real(edges));
        } else if (t->number == 'c') {
            put_real(at, bytes / 2, random_real(edges));
            put_real(at + bytes / 2, bytes / 2, random_real(edges));
        } else {
            put_integer(at, bytes, t->operators[0] == 'A' ? random_bits() & 1 : random_integer(bytes));
        }
    }
}

static wide combined_integers(char letter, wide x, wide y, bool is_signed)
{
    const bool below = is_signed ? (__int128)x < (__int128)y : x < y;

    switch (letter) {
    case '+':
        return x + y;
    case '*':
        return x * y;
    case '<':
        return below ? x : y;
    case '>':
        return below ? y : x;
    case 'A':
        return x && y;
    case 'O':
        return x || y;
    case 'X':
        return !x ^ !y;
    case 'a':
        return x & y;
    case 'o':
        return x | y;
    default:
        return x ^ y;
    }
}

/* Floats in double: a sum and a product of two floats, rounded twice, are as if rounded once. */
static void combine_reals(char letter, const unsigned char *left, const unsigned char *right, unsigned char *out,
                          int bytes)
{
    const double x = real_at(left, bytes), y = real_at(right, bytes);
    const bool takes_right = letter == '<' ? isless(y, x) : isgreater(y, x);

    if (letter == '+' || letter == '*')
        put_real(out, bytes, letter == '+' ? x + y : x * y);
    else
        memcpy(out, takes_right ? right : left, (size_t)bytes);
}

static void multiply_complex(const unsigned char *left, const unsigned char *right, unsigned char *out, int bytes)
{
    double _Complex x, y;
    float _Complex narrow_x, narrow_y;

    if (bytes == sizeof x) {
        memcpy(&x, left, sizeof x);
        memcpy(&y, right, sizeof y);
        x *= y;
        memcpy(out, &x, sizeof x);
    } else {
        memcpy(&narrow_x, left, sizeof narrow_x);
        memcpy(&narrow_y, right, sizeof narrow_y);
        narrow_x *= narrow_y;
        memcpy(out, &narrow_x, sizeof narrow_x);
    }
}

static void combine(const struct type_case *t, char letter, const unsigned char *left, const unsigned char *right,
                    unsigned char *out, int bytes)
{
    const bool is_signed = t->number == 's';

    if (t->number == 'r') {
        combine_reals(letter, left, right, out, bytes);
    } else if (t->number == 'c' && letter == '*') {
        multiply_complex(left, right, out, bytes);
    } else if (t->number == 'c') {
        combine_reals(letter, left, right, out, bytes / 2);
        combine_reals(letter, left + bytes / 2, right + bytes / 2, out + bytes / 2, bytes / 2);
    } else {
        put_integer(out, bytes,
                    (uint64_t)combined_integers(letter, integer_at(left, bytes, is_signed),
                                                integer_at(right, bytes, is_signed), is_signed));
    }
}

/* Bit by bit; of sums and products that are NaN, any is as good. */
static bool equal(const struct type_case *t, char letter, const unsigned char *got, const unsigned char *expected,
                  int bytes, int count)
{
    const int part = t->number == 'c' ? bytes / 2 : bytes;

    if (memcmp(got, expected, (size_t)bytes * (size_t)count) == 0)
        return true;
    if (strchr("rc", t->number) == NULL || strchr("+*", letter) == NULL)
        return false;
    for (int at = 0; at < bytes * count; at += part)
        if (memcmp(got + at, expected + at, (size_t)part) != 0 &&
            !(isnan(real_at(got + at, part)) && isnan(real_at(expected + at, part))))
            return false;
    return true;
}

static unsigned char left[ROOM], right[ROOM], result[ROOM], expected[ROOM];

static bool guarded(const unsigned char *room, size_t from, size_t to)
{
    for (size_t i = 0; i < GUARD; i++)
        if (room[from - GUARD + i] != GUARD_BYTE || room[to + i] != GUARD_BYTE)
            return false;
    return true;
}

enum { APART, ON_LEFT, ON_RIGHT, ALIASES };

/* `count` elements, all buffers some elements away from an aligned address; as many away as each other, or not. */
static bool serves(wm_kernel *kernel, const struct type_case *t, char letter, int bytes, int count, int shift,
                   int alias)
{
    static unsigned char a_room[ROOM] __attribute__((aligned(64))), b_room[ROOM] __attribute__((aligned(64)));
    const size_t length = (size_t)bytes * (size_t)count, a_at = GUARD + (size_t)(shift * bytes);
    const size_t b_at = GUARD + (size_t)(shift / 2 * bytes);
    unsigned char *const a = a_room + a_at, *const b = b_room + b_at;
    unsigned char *const room = alias == ON_LEFT ? a_room : alias == ON_RIGHT ? b_room : result;
    const size_t at = alias == ON_RIGHT ? b_at : a_at;

    memset(a - GUARD, GUARD_BYTE, length + 2 * GUARD);
    memset(b - GUARD, GUARD_BYTE, length + 2 * GUARD);
    memset(result + a_at - GUARD, GUARD_BYTE, length + 2 * GUARD);
    memcpy(a, left, length);
    memcpy(b, right, length);
    kernel(a, b, room + at, (size_t)count);
    return equal(t, letter, room + at, expected, bytes, count) && guarded(room, at, at + length) &&
           (alias == ON_LEFT || memcmp(a, left, length) == 0) && (alias == ON_RIGHT || memcmp(b, right, length) == 0);
}

static int faults_of(wm_kernel *kernel, const struct type_case *t, char letter, int bytes)
{
    int faults = 0;

    for (int shift = 0; shift < SHIFTS; shift++)
        for (int alias = APART; alias < ALIASES; alias++) {
            for (int count = 0; count <= COUNT_TO; count++)
                faults += !serves(kernel, t, letter, bytes, count, shift, alias);
            faults += !serves(kernel, t, letter, bytes, LARGE, shift, alias);
        }
    return faults;
}

static void check_kernels(const struct type_case *t, const struct operator_case *o)
{
    const struct wm_kernel_set *set;
    int bytes, faults;

    MPI_Type_size(t->type, &bytes);
    fill(left, t, bytes, true);
    fill(right, t, bytes, true);
    for (int i = 0; i < LARGE; i++)
        combine(t, o->letter, left + i * bytes, right + i * bytes, expected + i * bytes, bytes);
    for (int i = 0; (set = wm_kernel_set_at(i)) != NULL; i++) {
        wm_kernel *kernel = wm_kernel_find_in(set, t->type, o->op);

        CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
        CU_ASSERT_EQUAL(faults = faults_of(kernel, t, o->letter, bytes), 0);
        if (faults > 0)
            printf("%s of %s with %s: %d runs are wrong\n", o->name, t->name, set->instructions, faults);
    }
}

static void every_kernel__does_as_one_element_at_a_time(void)
{
    for (int i = 0; i < TYPES; i++)
        for (int j = 0; j < OPERATORS; j++)
            if (is_defined(&type_cases[i], &operator_cases[j]))
                check_kernels(&type_cases[i], &operator_cases[j]);
}

static void kernels__are_there_for_what_MPI_defines(void)
{
    for (int i = 0; i < TYPES; i++)
        for (int j = 0; j < OPERATORS; j++)
            CU_ASSERT_EQUAL(wm_kernel_find(type_cases[i].type, operator_cases[j].op) != NULL,
                            is_defined(&type_cases[i], &operator_cases[j]));
}

static void multiply_nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void users_types_and_operators__have_no_kernel(void)
{
    MPI_Datatype type;
    MPI_Op op;

    MPI_Type_dup(MPI_INT, &type);
    MPI_Op_create(multiply_nothing, 1, &op);
    CU_ASSERT_PTR_NULL(wm_kernel_find(type, MPI_SUM));
    CU_ASSERT_PTR_NULL(wm_kernel_find(MPI_INT, op));
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

static void the_best_instructions__serve(void)
{
    const struct wm_kernel_set *set, *last = NULL;

    CU_ASSERT_PTR_EQUAL(wm_kernel_find(MPI_INT, MPI_SUM), wm_kernel_find_in(wm_kernel_set_at(0), MPI_INT, MPI_SUM));
    for (int i = 0; (set = wm_kernel_set_at(i)) != NULL; i++)
        last = set;
    CU_ASSERT_PTR_EQUAL(last, &wm_kernel_baseline);
}

/* Open MPI 4.1.4 compares unsigned longs as if they were signed, and offsets as if they were not. */
static bool library_is_right(const struct type_case *t, const struct operator_case *o)
{
    return (t->type != MPI_UNSIGNED_LONG && t->type != MPI_OFFSET) || strchr("<>", o->letter) == NULL;
}

static void check_against_library(const struct type_case *t, const struct operator_case *o)
{
    int bytes;

    MPI_Type_size(t->type, &bytes);
    fill(left, t, bytes, true);
    fill(right, t, bytes, true);
    wm_kernel_find(t->type, o->op)(left, right, expected, LARGE);
    CU_ASSERT_EQUAL(MPI_Reduce_local(left, right, LARGE, t->type, o->op), MPI_SUCCESS);
    if (!equal(t, o->letter, right, expected, bytes, LARGE))
        CU_FAIL(o->name);
}

static void library__agrees(void)
{
    for (int i = 0; i < TYPES; i++)
        for (int j = 0; j < OPERATORS; j++)
            if (is_defined(&type_cases[i], &operator_cases[j]) && library_is_right(&type_cases[i], &operator_cases[j]))
                check_against_library(&type_cases[i], &operator_cases[j]);
}

static const struct check_case cases[] = {
    CASE(kernels__are_there_for_what_MPI_defines),
    CASE(users_types_and_operators__have_no_kernel),
    CASE(the_best_instructions__serve),
    CASE(every_kernel__does_as_one_element_at_a_time),
    CASE(library__agrees),
};

int main(void)
{
    int failures;

    /* Its AVX component saturates sums of 8 and 16 bits, and takes NaN otherwise in its vectors than in what is left.
     */
    setenv("OMPI_MCA_op", "^avx", 1);
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    failures = check_main("kernel", cases, sizeof cases / sizeof cases[0]);
    MPI_Finalize();
    return failures;
}
