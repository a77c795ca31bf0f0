/* Kernels: which of the processor's sets serves, and which kernel a type and an operator need. */
#include "core/data/kernel_table.h"

#include <stdatomic.h>
#include <stdbool.h>

enum family { UNSIGNED, SIGNED, REAL, COMPLEX };

#define OPERATOR(name) (1u << WM_KERNEL_##name)
enum {
    FIELD = OPERATOR(SUM) | OPERATOR(PROD),
    ORDER = OPERATOR(MIN) | OPERATOR(MAX),
    LOGIC = OPERATOR(LAND) | OPERATOR(LOR) | OPERATOR(LXOR),
    BITS = OPERATOR(BAND) | OPERATOR(BOR) | OPERATOR(BXOR)
};

/* The groups of types for which MPI defines its operators (MPI 3.1 §5.9.2): that a group is unsigned says how its bits
 * are taken, C's LOGICAL included. */
struct group {
    enum family family;
    unsigned operators;
};

static const struct group c_integer = {SIGNED, FIELD | ORDER | LOGIC | BITS};
static const struct group c_unsigned = {UNSIGNED, FIELD | ORDER | LOGIC | BITS};
static const struct group integer = {SIGNED, FIELD | ORDER | BITS}; /* Fortran's, and those of several languages */
static const struct group real = {REAL, FIELD | ORDER};
static const struct group complex_number = {COMPLEX, FIELD};
static const struct group logical = {UNSIGNED, LOGIC};
static const struct group byte = {UNSIGNED, BITS};

/* MPI_CHAR and MPI_WCHAR are for text. Fortran's types of a size exist where its compiler has them; those of no size
 * are asked for theirs, as -fdefault-integer-8 would change it. */
static const struct {
    MPI_Datatype type;
    const struct group *group;
} types[] = {
    {MPI_SIGNED_CHAR, &c_integer},
    {MPI_SHORT, &c_integer},
    {MPI_INT, &c_integer},
    {MPI_LONG, &c_integer},
    {MPI_LONG_LONG, &c_integer},
    {MPI_INT8_T, &c_integer},
    {MPI_INT16_T, &c_integer},
    {MPI_INT32_T, &c_integer},
    {MPI_INT64_T, &c_integer},
    {MPI_UNSIGNED_CHAR, &c_unsigned},
    {MPI_UNSIGNED_SHORT, &c_unsigned},
    {MPI_UNSIGNED, &c_unsigned},
    {MPI_UNSIGNED_LONG, &c_unsigned},
    {MPI_UNSIGNED_LONG_LONG, &c_unsigned},
    {MPI_UINT8_T, &c_unsigned},
    {MPI_UINT16_T, &c_unsigned},
    {MPI_UINT32_T, &c_unsigned},
    {MPI_UINT64_T, &c_unsigned},
    {MPI_AINT, &integer},
    {MPI_OFFSET, &integer},
    {MPI_COUNT, &integer},
    {MPI_INTEGER, &integer},
#ifdef MPI_INTEGER1
    {MPI_INTEGER1, &integer},
#endif
#ifdef MPI_INTEGER2
    {MPI_INTEGER2, &integer},
#endif
#ifdef MPI_INTEGER4
    {MPI_INTEGER4, &integer},
#endif
#ifdef MPI_INTEGER8
    {MPI_INTEGER8, &integer},
#endif
    {MPI_FLOAT, &real},
    {MPI_DOUBLE, &real},
    {MPI_REAL, &real},
    {MPI_DOUBLE_PRECISION, &real},
#ifdef MPI_REAL4
    {MPI_REAL4, &real},
#endif
#ifdef MPI_REAL8
    {MPI_REAL8, &real},
#endif
    {MPI_C_FLOAT_COMPLEX, &complex_number},
    {MPI_C_DOUBLE_COMPLEX, &complex_number},
    {MPI_CXX_FLOAT_COMPLEX, &complex_number},
    {MPI_CXX_DOUBLE_COMPLEX, &complex_number},
    {MPI_COMPLEX, &complex_number},
    {MPI_DOUBLE_COMPLEX, &complex_number},
#ifdef MPI_COMPLEX8
    {MPI_COMPLEX8, &complex_number},
#endif
#ifdef MPI_COMPLEX16
    {MPI_COMPLEX16, &complex_number},
#endif
    {MPI_LOGICAL, &logical},
    {MPI_C_BOOL, &logical},
    {MPI_CXX_BOOL, &logical},
    {MPI_BYTE, &byte},
};

static const MPI_Op operators[] = {
#define X(name) [WM_KERNEL_##name] = MPI_##name,
    WM_KERNEL_OPERATORS(X)
#undef X
};

static const struct {
    enum family family;
    int bytes;
} kinds[] = {
#define UNSIGNED_KIND(KIND, kind, type) [WM_KERNEL_##KIND] = {UNSIGNED, sizeof(type)},
#define SIGNED_KIND(KIND, kind, type, wrapping_kind) [WM_KERNEL_##KIND] = {SIGNED, sizeof(type)},
#define REAL_KIND(KIND, kind, type) [WM_KERNEL_##KIND] = {REAL, sizeof(type)},
#define COMPLEX_KIND(KIND, kind, type, part) [WM_KERNEL_##KIND] = {COMPLEX, sizeof(type)},
    WM_KERNEL_KINDS(UNSIGNED_KIND, SIGNED_KIND, REAL_KIND, COMPLEX_KIND)};

static const struct group *group_of(MPI_Datatype type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type)
            return type == MPI_DATATYPE_NULL ? NULL : types[i].group;
    return NULL;
}

/* WM_KERNEL_OPERATORS_COUNT: none of them. */
static int operator_of(MPI_Op op)
{
    int i = 0;

    while (i < WM_KERNEL_OPERATORS_COUNT && operators[i] != op)
        i++;
    return i;
}

wm_kernel *wm_kernel_find_in(const struct wm_kernel_set *set, MPI_Datatype type, MPI_Op op)
{
    const struct group *group = group_of(type);
    const int place = operator_of(op);
    int bytes;

    if (group == NULL || (group->operators >> place & 1) == 0 || PMPI_Type_size(type, &bytes) != MPI_SUCCESS)
        return NULL;
    for (int kind = 0; kind < WM_KERNEL_KINDS_COUNT; kind++)
        if (kinds[kind].family == group->family && kinds[kind].bytes == bytes)
            return set->of[kind][place];
    return NULL;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

static bool always(void)
{
    return true;
}

static const struct {
    const struct wm_kernel_set *set;
    bool (*runs)(void);
} sets[] = {
#if defined(__x86_64__)
    {&wm_kernel_avx512, has_avx512},
    {&wm_kernel_avx2, has_avx2},
#endif
    {&wm_kernel_baseline, always},
};

const struct wm_kernel_set *wm_kernel_set_at(int index)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (sets[i].runs() && index-- == 0)
            return sets[i].set;
    return NULL;
}

/* Threads that come here together all find the same. */
static const struct wm_kernel_set *best(void)
{
    static const struct wm_kernel_set *_Atomic found;
    const struct wm_kernel_set *set = atomic_load_explicit(&found, memory_order_relaxed);

    if (set == NULL) {
        set = wm_kernel_set_at(0);
        atomic_store_explicit(&found, set, memory_order_relaxed);
    }
    return set;
}

wm_kernel *wm_kernel_find(MPI_Datatype type, MPI_Op op)
{
    return wm_kernel_find_in(best(), type, op);
}
