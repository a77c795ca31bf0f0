/* Communicate: say what is communicated, and let the runtime, and the map, decide how (docs/communicate.md).
 *
 *     double A[8], B[8]; int n = 4;
 *
 *     WM_COMMUNICATE(comm, "A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0", A, B);
 *     WM_COMMUNICATE(comm, "best@0 << argmin << mine@i where i in world", WM_TYPED(best, MPI_DOUBLE_INT),
 *                    WM_TYPED(mine, MPI_DOUBLE_INT), WM_COMBINE(argmin, best, MPI_DOUBLE_INT));
 *     WM_COMMUNICATE(comm, "ghost[0 ... n]@right <<= edge[0 ... n]@me", WM_SPAN(ghost, n), WM_SPAN(edge, n), n, right);
 *
 * A statement is collective over the communicator: all its ranks make it, with the same text and names of the same
 * types. It is over at a rank when what the rank sends may be changed and what it receives is stored. No tags, no
 * counts, no deadlock: all data is read before anything is stored.
 *
 * **Bindings** are the names that the text uses: variables of C, as they are (numbers, arrays of them, arrays of such
 * arrays), or by a macro that says more. A text is compiled at its first call. What a call found out, who sends what to
 * whom and how much, is kept, and used again while the values that it depends on are as they were. Where these may
 * differ between ranks, one small allreduce asks whether they changed anywhere; WM_UNIFORM and WM_STABLE promise what
 * makes that needless.
 *
 * What is wrong ends the job with a sentence that has the place in the text. One thread at a time. */
#ifndef WM_COMMUNICATE_H
#define WM_COMMUNICATE_H

#include <limits.h>
#include <mpi.h>
#include "waymark/binding.h"
#include "waymark/expect.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WM_COMMUNICATE_API __attribute__((visibility("default")))

/* Where a statement stands in the program; it stays there while the program runs. */
struct wm_statement_site {
    const char *text, *file;
    int line;
    const char *names;     /* of the bindings that have none of their own: "A, B, n" */
    unsigned long changes; /* of bindings that are kept from call to call; 0: they are not */
};

/* Make the statement. Bindings that have no name get the site's. Returns MPI_SUCCESS. Collective over `comm`, which is
 * an intracommunicator. */
WM_COMMUNICATE_API int wm_communicate(MPI_Comm comm, const struct wm_statement_site *site, struct wm_bound bindings[],
                                      int count);

/* Begin the statement, which is over when the request is: until then what its data is read from is not changed, and
 * what it stores into is not read. It goes on in every call of MPI that waits or tests. Statements of a communicator
 * are made one after another, those that block, too. Collective. */
WM_COMMUNICATE_API int wm_icommunicate(MPI_Comm comm, const struct wm_statement_site *site, struct wm_bound bindings[],
                                       int count, MPI_Request *request);

/* ---- statements that are kept: WM_SCOPE in C; for C++, Fortran, and texts that a program makes, plain functions ----
 *
 * A scope is a text with what its names are bound to, and may be made again and again, as what is bound changes its
 * values. Ranks make statements of scopes and of macros in one order. */

struct wm_scope;

/* `file` and `line` stand in sentences; NULL and 0: there are none. The text is copied. */
WM_COMMUNICATE_API struct wm_scope *wm_scope_new(const char *text, const char *file, int line);
/* The scope of a site, with these bindings, which are copied. */
WM_COMMUNICATE_API struct wm_scope *wm_scope_of(const struct wm_statement_site *site, const struct wm_bound bindings[],
                                                int count);
/* None of its requests is under way. */
WM_COMMUNICATE_API void wm_scope_free(struct wm_scope *scope);
/* Bind a name, or bind it to something else; what is bound stays where it is. The binding is copied, with its name, and
 * a value that is none of a place. */
WM_COMMUNICATE_API void wm_scope_bind(struct wm_scope *scope, const struct wm_bound *binding);
/* Bind numbers: one, with 0 dimensions, or an array of 1 to 3 dimensions, the slowest first: those of a Fortran array
 * in their opposite order. `promises`: of enum wm_promise. */
WM_COMMUNICATE_API void wm_scope_bind_numbers(struct wm_scope *scope, const char *name, void *at, int number,
                                              int dimensions, const size_t extents[], int promises);
/* wm_communicate and wm_icommunicate: what is bound is read anew; and the same for handles of Fortran. A scope may be
 * begun again before it is over. */
WM_COMMUNICATE_API int wm_scope_communicate(struct wm_scope *scope, MPI_Comm comm);
WM_COMMUNICATE_API int wm_scope_icommunicate(struct wm_scope *scope, MPI_Comm comm, MPI_Request *request);
WM_COMMUNICATE_API int wm_scope_communicate_f(struct wm_scope *scope, MPI_Fint comm);
WM_COMMUNICATE_API int wm_scope_icommunicate_f(struct wm_scope *scope, MPI_Fint comm, MPI_Fint *request);

/* What was promised stable has changed, in values, extents or place: the array or variable that stands at this address,
 * or around it; NULL: all. Local, but all ranks of a communicator that use it in statements call it alike. */
WM_COMMUNICATE_API void wm_touch(const void *at);

/* What the macros make of a name: its address, type and size. `number` is WM_BYTES where the type is none of a
 * number's, and has WM_OF_ROWS where it is that of an array of arrays; `shape` says what the name itself is. */
enum wm_bound_shape { WM_SHAPE_ONE, WM_SHAPE_ARRAY, WM_SHAPE_POINTER };
enum { WM_OF_ROWS = 64 };

static inline struct wm_bound wm_bound_make(const char *name, void *at, enum wm_bound_kind kind, int number,
                                            int promises, int dimensions, size_t first, size_t second, size_t third)
{
    struct wm_bound b = {name,
                         (unsigned char)kind,
                         (unsigned char)number,
                         (unsigned char)promises,
                         (unsigned char)dimensions,
                         WM_SIGNATURE_OTHER,
                         {at},
                         {0},
                         {first, second, third},
                         0};

    return b;
}

static inline size_t wm_bind_number_bytes(int number)
{
    return number == WM_INT8 || number == WM_UINT8                           ? 1
           : number == WM_INT16 || number == WM_UINT16                       ? 2
           : number == WM_INT32 || number == WM_UINT32 || number == WM_FLOAT ? 4
                                                                             : 8;
}

/* `row_bytes`: of an array, of what it is an array of; `sized`: the compiler knows its size. */
static inline struct wm_bound wm_bind(void *at, size_t bytes, size_t row_bytes, int number, int shape, int sized)
{
    int of_rows = (number & WM_OF_ROWS) != 0, plain = number & ~WM_OF_ROWS;
    int array = shape == WM_SHAPE_ARRAY && plain != WM_BYTES;

    return wm_bound_make(0, at,
                         shape == WM_SHAPE_POINTER ? WM_BOUND_POINTER
                         : plain == WM_BYTES       ? WM_BOUND_UNKNOWN
                                                   : WM_BOUND_PLACE,
                         plain, array && sized ? WM_IS_SIZED : 0, array ? 1 + of_rows : 0,
                         array ? bytes / row_bytes : 0, array && of_rows ? row_bytes / wm_bind_number_bytes(plain) : 0,
                         0);
}

static inline struct wm_bound wm_bind_array(const char *name, const void *at, int number, int dimensions, size_t first,
                                            size_t second, size_t third)
{
    return wm_bound_make(name, (void *)(uintptr_t)at,
                         number == WM_BYTES || (number & WM_OF_ROWS) != 0 ? WM_BOUND_UNKNOWN : WM_BOUND_PLACE, number,
                         0, dimensions, first, second, third);
}

/* `count` of the member `b`, so many bytes apart. */
static inline struct wm_bound wm_bind_member(const char *name, struct wm_bound b, size_t bytes, size_t count)
{
    size_t element_bytes = wm_bind_number_bytes(b.number);

    b.name = name;
    b.promises = 0;
    if (b.kind == WM_BOUND_PLACE && bytes % element_bytes != 0)
        b.kind = WM_BOUND_UNKNOWN;
    b.stride = b.kind == WM_BOUND_PLACE ? bytes / element_bytes : 1;
    b.extents[2] = b.extents[1];
    b.extents[1] = b.extents[0];
    b.extents[0] = count;
    b.dimensions++;
    return b;
}

static inline struct wm_bound wm_bind_named(const char *name, struct wm_bound b)
{
    b.name = name;
    return b;
}

static inline struct wm_bound wm_bind_structs(const char *name, const void *at, size_t element_bytes, size_t count,
                                              int dimensions, const void *type)
{
    struct wm_bound b =
        wm_bound_make(name, (void *)(uintptr_t)at, WM_BOUND_PLACE, WM_BYTES, 0, dimensions, count, 0, 0);

    b.element_bytes = element_bytes;
    b.type = type;
    return b;
}

static inline struct wm_bound wm_bind_function(const char *name, void (*function)(void), enum wm_signature signature)
{
    struct wm_bound b = wm_bound_make(name, 0, WM_BOUND_FUNCTION, WM_BYTES, WM_IS_UNIFORM, 0, 0, 0, 0);

    b.function = function;
    b.signature = (unsigned char)signature;
    return b;
}

static inline struct wm_bound wm_bind_combine(const char *name, void (*function)(void), size_t element_bytes,
                                              const void *type)
{
    struct wm_bound b = wm_bound_make(name, 0, WM_BOUND_COMBINE, WM_BYTES, 0, 0, 0, 0, 0);

    b.function = function;
    b.element_bytes = element_bytes;
    b.type = type;
    return b;
}

static inline struct wm_bound wm_bind_promise(struct wm_bound b, const char *name, int promises)
{
    b.name = b.name != 0 ? b.name : name;
    b.promises |= (unsigned char)promises;
    return b;
}

/* Keep a site's binding from call to call: what is stored at each one would be waited for, behind a cache line that
 * another rank holds. One branch: behind a wait they are often mispredicted. One that is kept has a name, which the
 * call gave it. */
static inline void wm_bound_keep(struct wm_statement_site *site, struct wm_bound *kept, struct wm_bound b)
{
#define WM_DIFFERENCE(field) (__builtin_constant_p(b.field) ? 0 : kept->field ^ b.field)
    if (__builtin_expect(((kept->name == 0) | ((uintptr_t)kept->at ^ (uintptr_t)b.at) |
                          ((uintptr_t)kept->type ^ (uintptr_t)b.type) | WM_DIFFERENCE(extents[0]) |
                          WM_DIFFERENCE(extents[1]) | WM_DIFFERENCE(extents[2]) | WM_DIFFERENCE(element_bytes)) != 0,
                         0)) {
        *kept = b;
        site->changes++;
    }
#undef WM_DIFFERENCE
}

#ifdef __cplusplus
}
#else

/* clang-format off */
/* X(type, number): the arithmetic types of C that a name may have. */
#define WM_C_NUMBERS(X)                                                                                                \
    X(char, CHAR_MIN < 0 ? WM_INT8 : WM_UINT8)                                                                         \
    X(signed char, WM_INT8)                                                                                            \
    X(short, WM_INT16)                                                                                                 \
    X(int, WM_INT32)                                                                                                   \
    X(long, sizeof(long) == 8 ? WM_INT64 : WM_INT32)                                                                   \
    X(long long, WM_INT64)                                                                                             \
    X(unsigned char, WM_UINT8)                                                                                         \
    X(unsigned short, WM_UINT16)                                                                                       \
    X(unsigned, WM_UINT32)                                                                                             \
    X(unsigned long, sizeof(long) == 8 ? WM_UINT64 : WM_UINT32)                                                        \
    X(unsigned long long, WM_UINT64)                                                                                   \
    X(float, WM_FLOAT)                                                                                                 \
    X(double, WM_DOUBLE)

/* The number that a pointer points to, that an array or an array of arrays consists of, or that a name is. */
#define WM_NUMBER_CASE(type, number)                                                                                   \
    type: (number), type *: (number), const type *: (number),                                                          \
    type (*)[]: (number) + WM_OF_ROWS, const type (*)[]: (number) + WM_OF_ROWS,
#define WM_NUMBER_OF(x) _Generic((x), WM_C_NUMBERS(WM_NUMBER_CASE) default: WM_BYTES)

/* The name is a pointer or an array; what that points to or consists of, else the name; which of the three it is. */
#define WM_POINTS(x) (__builtin_classify_type(x) == 5)
#define WM_ROW(x) (*__builtin_choose_expr(WM_POINTS(x), (x), &(x)))
#define WM_SHAPE_OF(x) (WM_POINTS(x) + __builtin_types_compatible_p(__typeof__(x), __typeof__(&WM_ROW(x))))

/* A name, or what a macro below has made, which begins with a parenthesis. */
#define WM_BIND_NAME(x)                                                                                                \
    wm_bind((void *)(uintptr_t)&(x), sizeof(x), sizeof(WM_ROW(x)), WM_NUMBER_OF(x), WM_SHAPE_OF(x),                    \
            __builtin_constant_p(sizeof(x)))
#define WM_BIND_MADE(x) x
#define WM_PROBE(...) 0, WM_BIND_MADE
#define WM_SECOND_OF(a, b, ...) b
#define WM_SECOND(...) WM_SECOND_OF(__VA_ARGS__)
#define WM_BIND(x) WM_SECOND(WM_PROBE x, WM_BIND_NAME, 0)(x)

/* `count` elements at a pointer; rows and columns; three dimensions, the slowest first. The pointer's own type says what
 * the elements are. */
#define WM_SPAN(p, count) (wm_bind_array(#p, (p), WM_NUMBER_OF(p), 1, (size_t)(count), 0, 0))
#define WM_GRID(p, rows, columns)                                                                                      \
    (wm_bind_array(#p, (p), WM_NUMBER_OF(*(p)), 2, (size_t)(rows), (size_t)(columns), 0))
#define WM_GRID3(p, planes, rows, columns)                                                                             \
    (wm_bind_array(#p, (p), WM_NUMBER_OF(**(p)), 3, (size_t)(planes), (size_t)(rows), (size_t)(columns)))

/* A member of `count` structs at a pointer: an array under the member's name. */
#define WM_MEMBER(p, count, member)                                                                                    \
    (wm_bind_member(#member, WM_BIND_NAME((p)->member), sizeof *(p), (size_t)(count)))

/* A number that the program works out for this call, under a name that the text can use. */
#define WM_VALUE(name, value)                                                                                          \
    (wm_bind_promise(wm_bind_array(#name, (__typeof__(+(value))[]){(value)}, WM_NUMBER_OF(+(value)), 0, 0, 0, 0), 0,   \
                     WM_IS_VALUE))
/* What the program calls otherwise, or what another macro makes, under a name that the text can use. */
static const char wm_no_place = 0;
#define WM_PLACE(x) _Generic((x), struct wm_bound: wm_no_place, default: (x))
#define WM_NAMED(name, x)                                                                                              \
    (wm_bind_named(#name, _Generic((x), struct wm_bound: (x), default: WM_BIND_NAME(WM_PLACE(x)))))

/* A struct, and `count` of them at a pointer; structs of one datatype are alike. */
#define WM_TYPED(x, datatype) (wm_bind_structs(#x, &(x), sizeof(x), 0, 0, (const void *)(datatype)))
#define WM_TYPED_SPAN(p, count, datatype)                                                                              \
    (wm_bind_structs(#p, (p), sizeof *(p), (size_t)(count), 1, (const void *)(datatype)))

/* A function of numbers (docs/communicate.md lists the types), to be called in expressions; one of two arguments that
 * serves as an operator, ordered where it does not commute; an operator of structs such as `x`,
 * `void f(T *inout, const T *in)` of their type T or of void. The call in WM_COMBINE is not made: C checks f by it. */
#define WM_SIGNATURE_CASE(name, number, argument, count, type, parameters, arguments)                                  \
    type (*) parameters: WM_SIGNATURE_##name,
#define WM_SIGNATURE_OF(f) _Generic((f), WM_SIGNATURES(WM_SIGNATURE_CASE) default: WM_SIGNATURE_OTHER)
#define WM_FUNCTION(f)                                                                                                 \
    (wm_bind_function(#f, (void (*)(void))(f), WM_SIGNATURE_OF(f)))
#define WM_OPERATOR(f) WM_FUNCTION(f)
#define WM_COMBINE(f, x, datatype)                                                                                     \
    (wm_bind_combine(#f, (void (*)(void))(f), sizeof((f)(&(x), &(x)), (x)), (const void *)(datatype)))

/* Promises of a name or of what another macro makes: the same extents at all ranks, and the same values, where who sends
 * what depends on them; changed only before wm_touch; an operator that does not commute. */
#define WM_UNIFORM(x) (wm_bind_promise(WM_BIND(x), #x, WM_IS_UNIFORM))
#define WM_STABLE(x) (wm_bind_promise(WM_BIND(x), #x, WM_IS_STABLE))
#define WM_ORDERED(x) (wm_bind_promise(WM_BIND(x), #x, WM_IS_ORDERED))

/* WM_EACH(F, 1, 2, 3): F(1) F(2) F(3). At most 64 of them, WM_BINDINGS_MAX. */
#define WM_EXPAND_4(...) WM_EXPAND_3(WM_EXPAND_3(WM_EXPAND_3(__VA_ARGS__)))
#define WM_EXPAND_3(...) WM_EXPAND_2(WM_EXPAND_2(WM_EXPAND_2(__VA_ARGS__)))
#define WM_EXPAND_2(...) WM_EXPAND_1(WM_EXPAND_1(WM_EXPAND_1(__VA_ARGS__)))
#define WM_EXPAND_1(...) WM_EXPAND_0(WM_EXPAND_0(WM_EXPAND_0(__VA_ARGS__)))
#define WM_EXPAND_0(...) __VA_ARGS__
#define WM_EACH_NEXT() WM_EACH_STEP
#define WM_EACH_LATER()
#define WM_EACH_STEP(F, x, ...) F(x) __VA_OPT__(WM_EACH_NEXT WM_EACH_LATER()()(F, __VA_ARGS__))
#define WM_EACH(F, ...) __VA_OPT__(WM_EXPAND_4(WM_EACH_STEP(F, __VA_ARGS__)))
#define WM_BIND_ONE(x) WM_BIND(x),
#define WM_KEEP_ONE(x) wm_bound_keep(&wm_site_here, wm_binding_here++, WM_BIND(x));
#define WM_COUNT_ONE(x) +1

/* The statement of a text over names, kept: a struct wm_scope *, which the program frees. WM_SPAN and the like keep the
 * pointer and the count that they have now, and WM_VALUE its value, until wm_scope_bind gives them another. */
#define WM_SCOPE(text, ...)                                                                                            \
    __extension__({                                                                                                    \
        static const struct wm_statement_site wm_site_here = {(text), __FILE__, __LINE__, #__VA_ARGS__, 0};            \
        struct wm_bound wm_bindings_here[] = {WM_EACH(WM_BIND_ONE, __VA_ARGS__)};                                      \
                                                                                                                       \
        wm_scope_of(&wm_site_here, wm_bindings_here, (int)(sizeof wm_bindings_here / sizeof(struct wm_bound)));        \
    })

/* Make the statement of a text, which is a literal, over names. An expression of the value MPI_SUCCESS. */
#define WM_COMMUNICATE(comm, text, ...)                                                                                \
    __extension__({                                                                                                    \
        static struct wm_statement_site wm_site_here = {(text), __FILE__, __LINE__, #__VA_ARGS__, 0};                  \
        static struct wm_bound wm_bindings_here[1 WM_EACH(WM_COUNT_ONE, __VA_ARGS__)];                                 \
        struct wm_bound *wm_binding_here = wm_bindings_here;                                                           \
                                                                                                                       \
        WM_EACH(WM_KEEP_ONE, __VA_ARGS__)                                                                              \
        wm_communicate((comm), &wm_site_here, wm_bindings_here, (int)(wm_binding_here - wm_bindings_here));            \
    })

/* Begin it; `request` as of wm_icommunicate. */
#define WM_ICOMMUNICATE(comm, request, text, ...)                                                                      \
    __extension__({                                                                                                    \
        static const struct wm_statement_site wm_site_here = {(text), __FILE__, __LINE__, #__VA_ARGS__, 0};            \
        struct wm_bound wm_bindings_here[] = {WM_EACH(WM_BIND_ONE, __VA_ARGS__)};                                      \
                                                                                                                       \
        wm_icommunicate((comm), &wm_site_here, wm_bindings_here,                                                       \
                        (int)(sizeof wm_bindings_here / sizeof(struct wm_bound)), (request));                          \
    })
/* clang-format on */

#endif

#endif
