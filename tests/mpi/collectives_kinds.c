/* Kinds of elements and operators of the collective tests: predefined types, derived types, user operators. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/collectives.h"

struct kind kinds[KINDS_MAX];
int kind_count;
struct operator operators[OPERATORS_MAX];
int operator_count;
static bool serves[OPERATORS_MAX][KINDS_MAX];

enum { GUARD_BYTES = 64, LONG_DOUBLE_BYTES = 10 };

static struct kind *add(const char *name, MPI_Datatype type, enum family family, ptrdiff_t extent)
{
    struct kind *kind = &kinds[kind_count++];

    *kind = (struct kind){.name = name, .type = type, .family = family, .extent = extent};
    return kind;
}

static struct kind *add_run(struct kind *kind, int offset, int bytes, enum content content)
{
    kind->runs[kind->run_count++] = (struct run){offset, bytes, content};
    return kind;
}

static void add_plain(const char *name, MPI_Datatype type, enum family family, size_t size, enum content content)
{
    int bytes = content == CONTENT_FLOAT && size == sizeof(long double) ? LONG_DOUBLE_BYTES : (int)size;

    add_run(add(name, type, family, (ptrdiff_t)size), 0, bytes, content);
}

static void add_complex(const char *name, MPI_Datatype type, size_t part)
{
    int bytes = part == sizeof(long double) ? LONG_DOUBLE_BYTES : (int)part;

    add_run(add_run(add(name, type, COMPLEXES, 2 * (ptrdiff_t)part), 0, bytes, CONTENT_FLOAT), (int)part, bytes,
            CONTENT_FLOAT);
}

static void add_pair(const char *name, MPI_Datatype type, size_t value, size_t index_offset, size_t size,
                     enum content content)
{
    int bytes = content == CONTENT_FLOAT && value == sizeof(long double) ? LONG_DOUBLE_BYTES : (int)value;

    add_run(add_run(add(name, type, PAIRS, (ptrdiff_t)size), 0, bytes, content), (int)index_offset, 4, CONTENT_INTEGER);
}

#define INTEGER(c_type, mpi) add_plain(#mpi, mpi, INTEGERS, sizeof(c_type), CONTENT_INTEGER)
#define FLOAT(c_type, mpi) add_plain(#mpi, mpi, FLOATS, sizeof(c_type), CONTENT_FLOAT)
#define PAIR(c_type, mpi, content)                                                                                     \
    do {                                                                                                               \
        struct pair {                                                                                                  \
            c_type value;                                                                                              \
            int index;                                                                                                 \
        };                                                                                                             \
        add_pair(#mpi, mpi, sizeof(c_type), offsetof(struct pair, index), sizeof(struct pair), content);               \
    } while (0)

static void add_integers(void)
{
    INTEGER(signed char, MPI_SIGNED_CHAR);
    INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
    INTEGER(short, MPI_SHORT);
    INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
    INTEGER(int, MPI_INT);
    INTEGER(unsigned, MPI_UNSIGNED);
    INTEGER(long, MPI_LONG);
    add_plain("MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, INTEGERS, sizeof(unsigned long), CONTENT_NATURAL);
    INTEGER(long long, MPI_LONG_LONG);
    INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    INTEGER(int8_t, MPI_INT8_T);
    INTEGER(int16_t, MPI_INT16_T);
    INTEGER(int32_t, MPI_INT32_T);
    INTEGER(int64_t, MPI_INT64_T);
    INTEGER(uint8_t, MPI_UINT8_T);
    INTEGER(uint16_t, MPI_UINT16_T);
    INTEGER(uint32_t, MPI_UINT32_T);
    INTEGER(uint64_t, MPI_UINT64_T);
    INTEGER(MPI_Aint, MPI_AINT);
    add_plain("MPI_OFFSET", MPI_OFFSET, INTEGERS, sizeof(MPI_Offset), CONTENT_NATURAL);
    INTEGER(MPI_Count, MPI_COUNT);
    INTEGER(int, MPI_INTEGER);
}

static void add_rest_of_predefined(void)
{
    FLOAT(float, MPI_FLOAT);
    FLOAT(double, MPI_DOUBLE);
    FLOAT(long double, MPI_LONG_DOUBLE);
    FLOAT(float, MPI_REAL);
    FLOAT(double, MPI_DOUBLE_PRECISION);
    add_complex("MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, sizeof(float));
    add_complex("MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, sizeof(double));
    add_complex("MPI_C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX, sizeof(long double));
    add_complex("MPI_COMPLEX", MPI_COMPLEX, sizeof(float));
    add_complex("MPI_DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, sizeof(double));
    add_plain("MPI_C_BOOL", MPI_C_BOOL, LOGICALS, 1, CONTENT_LOGICAL);
    add_plain("MPI_LOGICAL", MPI_LOGICAL, LOGICALS, 4, CONTENT_LOGICAL);
    add_plain("MPI_BYTE", MPI_BYTE, RAW, 1, CONTENT_INTEGER);
    add_plain("MPI_CHAR", MPI_CHAR, PLAIN, 1, CONTENT_INTEGER);
    add_plain("MPI_WCHAR", MPI_WCHAR, PLAIN, sizeof(wchar_t), CONTENT_INTEGER);
    add_plain("MPI_PACKED", MPI_PACKED, PLAIN, 1, CONTENT_INTEGER);
    PAIR(float, MPI_FLOAT_INT, CONTENT_FLOAT);
    PAIR(double, MPI_DOUBLE_INT, CONTENT_FLOAT);
    PAIR(long, MPI_LONG_INT, CONTENT_INTEGER);
    PAIR(int, MPI_2INT, CONTENT_INTEGER);
    PAIR(short, MPI_SHORT_INT, CONTENT_INTEGER);
    PAIR(long double, MPI_LONG_DOUBLE_INT, CONTENT_FLOAT);
    PAIR(int, MPI_2INTEGER, CONTENT_INTEGER);
}

/* Four ints at the given offsets. */
static struct kind *add_quartet(const char *name, MPI_Datatype type, ptrdiff_t extent, int a, int b, int c, int d)
{
    const int offsets[4] = {a, b, c, d};
    struct kind *kind = add(name, type, DERIVED, extent);

    for (int i = 0; i < 4; i++)
        add_run(kind, offsets[i], 4, CONTENT_INTEGER);
    kind->quartet = true;
    PMPI_Type_commit(&kind->type);
    return kind;
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint low, MPI_Aint extent)
{
    MPI_Datatype made;

    PMPI_Type_create_resized(type, low, extent, &made);
    PMPI_Type_free(&type);
    return made;
}

static MPI_Datatype contiguous(int count, MPI_Datatype type)
{
    MPI_Datatype made;

    PMPI_Type_contiguous(count, type, &made);
    return made;
}

static MPI_Datatype vector(int count, int length, int stride)
{
    MPI_Datatype made;

    PMPI_Type_vector(count, length, stride, MPI_INT, &made);
    return made;
}

static MPI_Datatype indexed(int first_length, int first, int second_length, int second)
{
    MPI_Datatype made;

    PMPI_Type_indexed(2, (int[]){first_length, second_length}, (int[]){first, second}, MPI_INT, &made);
    return made;
}

static MPI_Datatype structure(void)
{
    MPI_Datatype made;

    PMPI_Type_create_struct(2, (int[]){1, 3}, (MPI_Aint[]){4, 16}, (MPI_Datatype[]){MPI_INT, MPI_INT}, &made);
    return made;
}

static MPI_Datatype subarray(void)
{
    MPI_Datatype made;

    PMPI_Type_create_subarray(2, (int[]){4, 3}, (int[]){2, 2}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT, &made);
    return made;
}

static void add_quartets(void)
{
    MPI_Datatype duplicate;
    struct kind *contiguous_ints = add_quartet("contiguous", contiguous(4, MPI_INT), 16, 0, 4, 8, 12);

    add_quartet("vector", vector(2, 2, 3), 20, 0, 4, 12, 16);
    add_quartet("indexed backwards", indexed(1, 5, 3, 0), 24, 20, 0, 4, 8);
    add_quartet("struct with a gap", structure(), 24, 4, 16, 20, 24);
    add_quartet("subarray", subarray(), 48, 16, 20, 28, 32);
    add_quartet("resized wide", resized(contiguous(4, MPI_INT), 0, 40), 40, 0, 4, 8, 12);
    add_quartet("resized low", resized(vector(2, 2, 3), -8, 32), 32, 0, 4, 12, 16);
    add_quartet("resized negative", resized(contiguous(4, MPI_INT), 0, -16), -16, 0, 4, 8, 12);
    add_quartet("resized negative with gaps", resized(indexed(1, 5, 3, -2), 0, -36), -36, 20, -8, -4, 0);
    add_quartet("interleaved", resized(vector(4, 1, 8), 0, 4), 4, 0, 32, 64, 96)->count_max = 8;
    PMPI_Type_dup(contiguous_ints->type, &duplicate);
    add_quartet("dup", duplicate, 16, 0, 4, 8, 12);
    add_quartet("all in one place", resized(contiguous(4, MPI_INT), 0, 0), 0, 0, 4, 8, 12)->count_max = 1;
}

struct record {
    char mark;
    short number;
    double value;
    char tail[3];
};

/* A C struct with gaps of the compiler, with and without a resized end. */
static void add_records(void)
{
    const MPI_Aint places[4] = {offsetof(struct record, mark), offsetof(struct record, number),
                                offsetof(struct record, value), offsetof(struct record, tail)};
    MPI_Datatype types[4] = {MPI_CHAR, MPI_SHORT, MPI_DOUBLE, MPI_CHAR}, made;
    struct kind *kind;

    PMPI_Type_create_struct(4, (int[]){1, 1, 1, 3}, places, types, &made);
    made = resized(made, 0, sizeof(struct record));
    kind = add("record", made, DERIVED, sizeof(struct record));
    add_run(kind, (int)places[0], 1, CONTENT_BYTES);
    add_run(kind, (int)places[1], 2, CONTENT_BYTES);
    add_run(kind, (int)places[2], 8, CONTENT_BYTES);
    add_run(kind, (int)places[3], 3, CONTENT_BYTES);
    PMPI_Type_commit(&kind->type);
    add("nothing", contiguous(0, MPI_INT), DERIVED, 0);
    PMPI_Type_commit(&kinds[kind_count - 1].type);
}

static struct operator* add_operator(const char *name, MPI_Op op, unsigned families, enum manner manner)
{
    operators[operator_count] = (struct operator){name, op, families, manner};
    return &operators[operator_count++];
}

static void add_operators(void)
{
    const unsigned integers = 1u << INTEGERS, floats = 1u << FLOATS, complexes = 1u << COMPLEXES,
                   logicals = 1u << LOGICALS, raw = 1u << RAW, pairs = 1u << PAIRS;
    MPI_Op xor, affine;

    add_operator("max", MPI_MAX, integers | floats, ANY_BITS);
    add_operator("min", MPI_MIN, integers | floats, ANY_BITS);
    add_operator("sum", MPI_SUM, integers | floats | complexes, SMALL);
    add_operator("prod", MPI_PROD, integers | floats | complexes, TINY);
    add_operator("land", MPI_LAND, integers | logicals, TRUTH);
    add_operator("lor", MPI_LOR, integers | logicals, TRUTH);
    add_operator("lxor", MPI_LXOR, integers | logicals, TRUTH);
    add_operator("band", MPI_BAND, integers | raw, ANY_BITS);
    add_operator("bor", MPI_BOR, integers | raw, ANY_BITS);
    add_operator("bxor", MPI_BXOR, integers | raw, ANY_BITS);
    add_operator("minloc", MPI_MINLOC, pairs, SMALL);
    add_operator("maxloc", MPI_MAXLOC, pairs, SMALL);
    PMPI_Op_create(user_xor, 1, &xor);
    PMPI_Op_create(user_affine, 0, &affine);
    add_operator("user xor", xor, ~0u, ANY_BITS);
    add_operator("user affine", affine, ~0u, ANY_BITS);
}

void kinds_release(void)
{
    for (int i = 0; i < kind_count; i++)
        if (kinds[i].family == DERIVED)
            PMPI_Type_free(&kinds[i].type);
    PMPI_Op_free(&operators[operator_count - 2].op);
    PMPI_Op_free(&operators[operator_count - 1].op);
}

const struct kind *kind_named(const char *name)
{
    for (int i = 0; i < kind_count; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    abort();
}

const struct operator* operator_named(const char *name)
{
    for (int i = 0; i < operator_count; i++)
        if (strcmp(operators[i].name, name) == 0)
            return &operators[i];
    abort();
}

/* What a user operator is told must be the user's own handle. */
static const struct kind *kind_of(MPI_Datatype type)
{
    for (int i = 0; i < kind_count; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

static bool reductions_planned, all_planned;

void planned_set(const char *planned)
{
    all_planned = strcmp(planned, "all") == 0;
    reductions_planned = all_planned || strcmp(planned, "reductions") == 0;
}

bool all_reductions(void)
{
    return reductions_planned;
}

bool all_operations(void)
{
    return all_planned;
}

static int data_bytes(const struct kind *kind)
{
    int bytes = 0;

    for (int r = 0; r < kind->run_count; r++)
        bytes += kind->runs[r].bytes;
    return bytes;
}

static bool extent_serves(const struct kind *kind)
{
    return all_reductions() || kind->family != DERIVED || data_bytes(kind) == kind->extent;
}

bool operator_serves(const struct operator* operator, const struct kind * kind)
{
    return extent_serves(kind) && (operator->families &(1u << kind->family)) != 0 &&
           (operator->families == ~0u || serves[operator- operators][kind - kinds]);
}

/* Not every library has every operator for the types that MPI names optional. */
static void ask_library(void)
{
    char a[64] = {0}, b[64];

    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int o = 0; o < operator_count; o++)
        for (int k = 0; k < kind_count; k++)
            serves[o][k] = kinds[k].family != DERIVED &&
                           PMPI_Allreduce(a, b, 1, kinds[k].type, operators[o].op, MPI_COMM_SELF) == MPI_SUCCESS;
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void xor_run(const unsigned char *left, unsigned char *right, int bytes)
{
    for (int i = 0; i < bytes; i++)
        right[i] ^= left[i];
}

/* Two bytes (a, b) stand for x -> (2a+1) x + b; the other bytes come from the left. */
static void affine_run(const unsigned char *left, unsigned char *right, int bytes)
{
    if (bytes >= 2) {
        unsigned la = 2u * left[0] + 1, ra = 2u * right[0] + 1;

        right[1] = (unsigned char)(la * right[1] + left[1]);
        right[0] = (unsigned char)((la * ra - 1) / 2);
    } else {
        right[0] = left[0];
    }
    for (int i = 2; i < bytes; i++)
        right[i] = left[i];
}

static void user_operator(const void *left, void *right, int count, MPI_Datatype type,
                          void (*combine)(const unsigned char *, unsigned char *, int))
{
    const struct kind *kind = kind_of(type);

    if (kind == NULL) {
        wrong("a user operator was given a datatype that is not the user's");
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++)
        for (int r = 0; r < kind->run_count; r++) {
            /* By integers: with absolute addresses neither operand points into anything. */
            uintptr_t at = (uintptr_t)(i * kind->extent + kind->runs[r].offset);

            combine((const unsigned char *)((uintptr_t)left + at), (unsigned char *)((uintptr_t)right + at),
                    kind->runs[r].bytes);
        }
}

void user_xor(void *left, void *right, int *count, MPI_Datatype *type)
{
    user_operator(left, right, *count, *type, xor_run);
}

void user_affine(void *left, void *right, int *count, MPI_Datatype *type)
{
    user_operator(left, right, *count, *type, affine_run);
}

void kinds_init(void)
{
    add_integers();
    add_rest_of_predefined();
    add_quartets();
    add_records();
    add_operators();
    ask_library();
}

/* Where elements 0 … count-1 begin and end, from element 0. */
static void bounds(const struct kind *kind, int count, ptrdiff_t *low, ptrdiff_t *high)
{
    ptrdiff_t last = count > 0 ? (count - 1) * kind->extent : 0;

    *low = *high = 0;
    for (int r = 0; count > 0 && r < kind->run_count; r++) {
        ptrdiff_t begin = kind->runs[r].offset,
                  end = begin + (kind->runs[r].bytes == LONG_DOUBLE_BYTES ? 16 : kind->runs[r].bytes);

        *low = begin < *low ? begin : *low;
        *high = end > *high ? end : *high;
    }
    *low += last < 0 ? last : 0;
    *high += last > 0 ? last : 0;
}

struct image image_new(const struct kind *kind, int count, uint64_t pattern)
{
    ptrdiff_t low, high, before;
    struct image image;

    bounds(kind, count, &low, &high);
    before = (-low + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES + GUARD_BYTES;
    image.bytes = (size_t)(before + high + GUARD_BYTES + 63) / 64 * 64;
    image.memory = aligned_alloc(64, image.bytes);
    image.base = image.memory + before;
    for (size_t i = 0; i < image.bytes; i++)
        image.memory[i] = (char)((pattern >> (i % 8 * 8)) + i);
    return image;
}

struct image image_copy(const struct image *image)
{
    struct image copy = {aligned_alloc(64, image->bytes), image->bytes, NULL};

    memcpy(copy.memory, image->memory, image->bytes);
    copy.base = copy.memory + (image->base - image->memory);
    return copy;
}

void image_free(struct image *image)
{
    free(image->memory);
}

static void write_float(char *to, int bytes, double value)
{
    float narrow = (float)value;
    long double wide = value;

    if (bytes == (int)sizeof narrow)
        memcpy(to, &narrow, sizeof narrow);
    else if (bytes == (int)sizeof value)
        memcpy(to, &value, sizeof value);
    else
        memcpy(to, &wide, LONG_DOUBLE_BYTES);
}

static void write_value(char *to, const struct run *run, enum manner manner, uint64_t h)
{
    int64_t number = manner == SMALL ? 1 + (int64_t)(h % 4) : 1 + (int64_t)(h % 2);
    uint64_t bits[2] = {h, hash_mix(h, 1)};

    if (manner == TINY && run->bytes == 1)
        number = (int64_t)(h % 2);
    if (manner == TRUTH)
        number = (int64_t)(h % 3);
    if (run->content == CONTENT_NATURAL && manner == ANY_BITS)
        number = (int64_t)(h >> 1);
    if (run->content == CONTENT_LOGICAL)
        number = (int64_t)(h % 2);
    if (run->content == CONTENT_BYTES || (run->content == CONTENT_INTEGER && manner == ANY_BITS))
        memcpy(to, bits, (size_t)run->bytes);
    else if (run->content == CONTENT_FLOAT)
        write_float(to, run->bytes, manner == ANY_BITS ? (double)(int32_t)h : (double)number);
    else
        memcpy(to, &number, (size_t)run->bytes);
}

/* A complex product keeps out of signed zeros by numbers without an imaginary part. */
static bool is_imaginary(const struct kind *kind, enum manner manner, int run)
{
    return kind->family == COMPLEXES && manner == TINY && run == 1;
}

void image_fill(struct image *image, const struct kind *kind, int count, enum manner manner, uint64_t call, int rank)
{
    uint64_t seed = hash_mix(call, (uint64_t)rank + 1);

    for (ptrdiff_t i = 0; i < count; i++)
        for (int r = 0; r < kind->run_count; r++) {
            char *to = image->base + i * kind->extent + kind->runs[r].offset;

            if (is_imaginary(kind, manner, r))
                write_float(to, kind->runs[r].bytes, 0);
            else
                write_value(to, &kind->runs[r], manner, hash_mix(seed, (uint64_t)i * RUNS_MAX + (uint64_t)r));
        }
}

static char *run_address(const struct image *image, const struct kind *kind, int run)
{
    return image->base + run / kind->run_count * kind->extent + kind->runs[run % kind->run_count].offset;
}

void image_take(struct image *to, const struct kind *to_kind, const struct image *from, const struct kind *from_kind,
                int runs)
{
    for (int run = 0; run < runs; run++)
        memcpy(run_address(to, to_kind, run), run_address(from, from_kind, run),
               (size_t)to_kind->runs[run % to_kind->run_count].bytes);
}

static bool guards_equal(const struct image *a, const struct image *b, const struct kind *kind, int count)
{
    size_t before = (size_t)(a->base - a->memory), after = before + (size_t)count * (size_t)kind->extent;

    return memcmp(a->memory, b->memory, before) == 0 &&
           memcmp(a->memory + after, b->memory + after, a->bytes - after) == 0;
}

bool image_equal(const struct image *a, const struct image *b, const struct kind *kind, int count)
{
    if (kind->family == DERIVED || count == 0)
        return memcmp(a->memory, b->memory, a->bytes) == 0;
    for (int run = 0; run < count * kind->run_count; run++)
        if (memcmp(run_address(a, kind, run), run_address(b, kind, run),
                   (size_t)kind->runs[run % kind->run_count].bytes) != 0)
            return false;
    return guards_equal(a, b, kind, count);
}
