/* Type signatures: the basic types, and how constructors put them together. */
#include "core/data/signature.h"

#include <stdlib.h>
#include "core/data/allocate.h"

#define PRIME ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(0x12d8f9a3b7c5e461) /* below PRIME */

static uint64_t multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b >= PRIME ? a + b - PRIME : a + b;
}

static uint64_t power(uint64_t exponent)
{
    uint64_t result = 1;

    for (uint64_t factor = BASE; exponent > 0; exponent >>= 1, factor = multiply(factor, factor))
        if (exponent & 1)
            result = multiply(result, factor);
    return result;
}

struct wm_signature wm_signature_join(struct wm_signature first, struct wm_signature second)
{
    return (struct wm_signature){.hash = add(multiply(first.hash, power(second.length)), second.hash),
                                 .length = (first.length + second.length) % (PRIME - 1),
                                 .bytes = first.bytes + second.bytes,
                                 .wild = first.wild || second.wild};
}

/* By doubling. */
struct wm_signature wm_signature_repeat(struct wm_signature signature, uint64_t count)
{
    struct wm_signature result = {0};

    for (; count > 0; count >>= 1, signature = wm_signature_join(signature, signature))
        if (count & 1)
            result = wm_signature_join(result, signature);
    return result;
}

enum kind { OTHER, INTEGER, UNSIGNED, REAL, COMPLEX, LOGICAL, CHARACTER, WIDE, WILD };

/* clang-format off */
#define BASIC_TYPES(X)                                                                                                 \
    X(CHAR, CHARACTER) X(CHARACTER, CHARACTER) X(WCHAR, WIDE) X(BYTE, WILD) X(PACKED, WILD)                            \
    X(SIGNED_CHAR, INTEGER) X(SHORT, INTEGER) X(INT, INTEGER) X(LONG, INTEGER) X(LONG_LONG, INTEGER)                   \
    X(INT8_T, INTEGER) X(INT16_T, INTEGER) X(INT32_T, INTEGER) X(INT64_T, INTEGER)                                     \
    X(AINT, INTEGER) X(OFFSET, INTEGER) X(COUNT, INTEGER) X(INTEGER, INTEGER) X(INTEGER1, INTEGER)                     \
    X(INTEGER2, INTEGER) X(INTEGER4, INTEGER) X(INTEGER8, INTEGER)                                                     \
    X(UNSIGNED_CHAR, UNSIGNED) X(UNSIGNED_SHORT, UNSIGNED) X(UNSIGNED, UNSIGNED) X(UNSIGNED_LONG, UNSIGNED)            \
    X(UNSIGNED_LONG_LONG, UNSIGNED) X(UINT8_T, UNSIGNED) X(UINT16_T, UNSIGNED) X(UINT32_T, UNSIGNED)                   \
    X(UINT64_T, UNSIGNED)                                                                                              \
    X(FLOAT, REAL) X(DOUBLE, REAL) X(LONG_DOUBLE, REAL) X(REAL, REAL) X(DOUBLE_PRECISION, REAL) X(REAL4, REAL)         \
    X(REAL8, REAL) X(REAL16, REAL)                                                                                     \
    X(COMPLEX, COMPLEX) X(DOUBLE_COMPLEX, COMPLEX) X(COMPLEX8, COMPLEX) X(COMPLEX16, COMPLEX) X(COMPLEX32, COMPLEX)    \
    X(C_COMPLEX, COMPLEX) X(C_DOUBLE_COMPLEX, COMPLEX) X(C_LONG_DOUBLE_COMPLEX, COMPLEX) X(CXX_FLOAT_COMPLEX, COMPLEX) \
    X(CXX_DOUBLE_COMPLEX, COMPLEX) X(CXX_LONG_DOUBLE_COMPLEX, COMPLEX)                                                 \
    X(C_BOOL, LOGICAL) X(CXX_BOOL, LOGICAL) X(LOGICAL, LOGICAL)

/* Pairs of a value and a place. */
#define PAIR_TYPES(X)                                                                                                  \
    X(FLOAT_INT, FLOAT, INT) X(DOUBLE_INT, DOUBLE, INT) X(LONG_INT, LONG, INT) X(2INT, INT, INT) X(SHORT_INT, SHORT, INT) \
    X(LONG_DOUBLE_INT, LONG_DOUBLE, INT) X(2REAL, REAL, REAL) X(2DOUBLE_PRECISION, DOUBLE_PRECISION, DOUBLE_PRECISION) \
    X(2INTEGER, INTEGER, INTEGER)
/* clang-format on */

static enum kind kind_of(MPI_Datatype type)
{
#define X(name, kind)                                                                                                  \
    if (type == MPI_##name)                                                                                            \
        return kind;
    BASIC_TYPES(X)
#undef X
    return OTHER;
}

/* A type that stands nowhere here is itself alone. */
static struct wm_signature read_basic(MPI_Datatype type)
{
    enum kind kind = kind_of(type);
    MPI_Count size = 0;

    PMPI_Type_size_x(type, &size);
    if (size <= 0)
        return (struct wm_signature){0};
    return (struct wm_signature){.hash = kind != OTHER ? (uint64_t)size * 16 + (uint64_t)kind
                                                       : ((uint64_t)(uintptr_t)type & (PRIME >> 1)),
                                 .length = 1,
                                 .bytes = (uint64_t)size,
                                 .wild = kind == WILD || kind == OTHER};
}

static struct wm_signature read_named(MPI_Datatype type)
{
#define X(name, first, second)                                                                                         \
    if (type == MPI_##name)                                                                                            \
        return wm_signature_join(read_basic(MPI_##first), read_basic(MPI_##second));
    PAIR_TYPES(X)
#undef X
    return read_basic(type);
}

/* What a datatype was made of. */
struct contents {
    int combiner, integer_count, address_count, type_count;
    int *integers;
    MPI_Aint *addresses;
    MPI_Datatype *types;
};

static void read_contents(struct contents *c, MPI_Datatype type)
{
    c->integers = wm_allocate(sizeof *c->integers * (size_t)(c->integer_count + 1), "a datatype's contents");
    c->addresses = wm_allocate(sizeof *c->addresses * (size_t)(c->address_count + 1), "a datatype's contents");
    c->types = wm_allocate(sizeof *c->types * (size_t)(c->type_count + 1), "a datatype's contents");
    PMPI_Type_get_contents(type, c->integer_count, c->address_count, c->type_count, c->integers, c->addresses,
                           c->types);
}

/* Those that were made are given as handles of one's own. */
static void free_contents(struct contents *c)
{
    int integers, addresses, types, combiner;

    for (int i = 0; i < c->type_count; i++)
        if (PMPI_Type_get_envelope(c->types[i], &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
            combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
            combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER)
            PMPI_Type_free(&c->types[i]);
    free(c->integers);
    free(c->addresses);
    free(c->types);
}

/* Blocks of several types, each with its count. */
static struct wm_signature read_struct(const struct contents *c)
{
    struct wm_signature all = {0};

    for (int i = 0; i < c->type_count; i++)
        if (c->integers[i + 1] > 0)
            all = wm_signature_join(all,
                                    wm_signature_repeat(wm_signature_read(c->types[i]), (uint64_t)c->integers[i + 1]));
    return all;
}

/* One type, some times: gaps and the order of dimensions change nothing in what there is. */
static struct wm_signature read_repeated(MPI_Datatype type, MPI_Datatype element)
{
    struct wm_signature signature = wm_signature_read(element);
    MPI_Count size = 0;

    PMPI_Type_size_x(type, &size);
    return wm_signature_repeat(signature, signature.bytes > 0 ? (uint64_t)size / signature.bytes : 0);
}

static struct wm_signature read_made(MPI_Datatype type, struct contents *c)
{
    struct wm_signature signature;

    read_contents(c, type);
    signature = c->combiner == MPI_COMBINER_STRUCT ? read_struct(c) : read_repeated(type, c->types[0]);
    free_contents(c);
    return signature;
}

/* Fortran's types of a precision have no handles of their own kind: they are what their sizes say. */
static struct wm_signature read_precise(MPI_Datatype type, enum kind kind)
{
    MPI_Count size = 0;

    PMPI_Type_size_x(type, &size);
    return (struct wm_signature){
        .hash = (uint64_t)size * 16 + (uint64_t)kind, .length = 1, .bytes = (uint64_t)size, .wild = false};
}

struct wm_signature wm_signature_read(MPI_Datatype type)
{
    struct contents c;

    if (type == MPI_DATATYPE_NULL || type == 0 ||
        PMPI_Type_get_envelope(type, &c.integer_count, &c.address_count, &c.type_count, &c.combiner) != MPI_SUCCESS)
        return (struct wm_signature){0};
    switch (c.combiner) {
    case MPI_COMBINER_NAMED:
        return read_named(type);
    case MPI_COMBINER_F90_INTEGER:
        return read_precise(type, INTEGER);
    case MPI_COMBINER_F90_REAL:
        return read_precise(type, REAL);
    case MPI_COMBINER_F90_COMPLEX:
        return read_precise(type, COMPLEX);
    default:
        return c.type_count > 0 ? read_made(type, &c) : (struct wm_signature){0};
    }
}

enum wm_number wm_signature_number(MPI_Datatype type)
{
    enum kind kind = kind_of(type);
    MPI_Count size = 0;

    if (kind != OTHER)
        PMPI_Type_size_x(type, &size);
    switch (kind) {
    case INTEGER:
    case UNSIGNED:
    case LOGICAL:
    case WILD:
        return size <= 8 && type != MPI_PACKED ? WM_NUMBER_INTEGER : WM_NUMBER_OTHER;
    case COMPLEX:
        size /= 2; /* fall through */
    case REAL:
        return size == 4 ? WM_NUMBER_FLOAT : size == 8 ? WM_NUMBER_DOUBLE : WM_NUMBER_OTHER;
    default:
        return WM_NUMBER_OTHER;
    }
}
