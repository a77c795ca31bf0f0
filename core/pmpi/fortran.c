/* From Fortran's arguments to C's: constants with addresses of their own, arrays of handles, strings. */
#include "core/pmpi/fortran.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of INTEGER are passed on as arrays of int");

void *wm_fortran_buffer(const void *address)
{
    if (wm_fortran_is(address, WM_FORTRAN_IN_PLACE))
        return MPI_IN_PLACE;
    if (wm_fortran_is(address, WM_FORTRAN_BOTTOM))
        return MPI_BOTTOM;
    return (void *)address;
}

const int *wm_fortran_weights(const MPI_Fint *weights)
{
    if (wm_fortran_is(weights, WM_FORTRAN_UNWEIGHTED))
        return MPI_UNWEIGHTED;
    if (wm_fortran_is(weights, WM_FORTRAN_WEIGHTS_EMPTY))
        return MPI_WEIGHTS_EMPTY;
    return weights;
}

int *wm_fortran_errcodes(MPI_Fint *codes)
{
    return wm_fortran_is(codes, WM_FORTRAN_ERRCODES_IGNORE) ? MPI_ERRCODES_IGNORE : codes;
}

static void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);

    if (memory == NULL) {
        fprintf(stderr, "waymark: out of memory for %zu arguments of a Fortran call\n", count);
        FORTRAN_MPI(Abort)(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static bool is_comm(MPI_Comm comm)
{
    return comm != NULL && comm != MPI_COMM_NULL;
}

int wm_fortran_peers(MPI_Fint comm)
{
    MPI_Comm c_comm = FORTRAN_MPI(Comm_f2c)(comm);
    int inter = 0, count = 0;

    if (!is_comm(c_comm))
        return 0;
    FORTRAN_MPI(Comm_test_inter)(c_comm, &inter);
    if (inter)
        FORTRAN_MPI(Comm_remote_size)(c_comm, &count);
    else
        FORTRAN_MPI(Comm_size)(c_comm, &count);
    return count;
}

static void count_neighbours(MPI_Comm comm, int *sources, int *targets)
{
    int topology = MPI_UNDEFINED, dims = 0, rank = 0, weighted;

    *sources = *targets = 0;
    if (is_comm(comm))
        FORTRAN_MPI(Topo_test)(comm, &topology);
    if (topology == MPI_CART) {
        FORTRAN_MPI(Cartdim_get)(comm, &dims);
        *sources = *targets = 2 * dims;
    } else if (topology == MPI_GRAPH) {
        FORTRAN_MPI(Comm_rank)(comm, &rank);
        FORTRAN_MPI(Graph_neighbors_count)(comm, rank, sources);
        *targets = *sources;
    } else if (topology == MPI_DIST_GRAPH) {
        FORTRAN_MPI(Dist_graph_neighbors_count)(comm, sources, targets, &weighted);
    }
}

int wm_fortran_sources(MPI_Fint comm)
{
    int sources, targets;

    count_neighbours(FORTRAN_MPI(Comm_f2c)(comm), &sources, &targets);
    return sources;
}

int wm_fortran_targets(MPI_Fint comm)
{
    int sources, targets;

    count_neighbours(FORTRAN_MPI(Comm_f2c)(comm), &sources, &targets);
    return targets;
}

static void convert_types(MPI_Datatype *c_types, const MPI_Fint *types, int count)
{
    for (int i = 0; i < count; i++)
        c_types[i] = FORTRAN_MPI(Type_f2c)(types[i]);
}

MPI_Datatype *wm_fortran_types(const MPI_Fint *types, const void *buffer, int count)
{
    MPI_Datatype *c_types;

    if (wm_fortran_is(buffer, WM_FORTRAN_IN_PLACE))
        return NULL;
    c_types = allocate((size_t)count, sizeof *c_types);
    convert_types(c_types, types, count);
    return c_types;
}

/* Lists of arrays that grow at the front and never shrink, so that they are read without a lock. */
struct kept_types {
    struct kept_types *next;
    int count;
    MPI_Datatype types[];
};

enum { KEPT_LISTS = 64 };

static struct kept_types *_Atomic kept[KEPT_LISTS];

static size_t kept_list(const struct kept_types *entry)
{
    size_t hash = (size_t)entry->count;

    for (int i = 0; i < entry->count; i++)
        hash = hash * 31 + ((uintptr_t)entry->types[i] >> 4);
    return hash % KEPT_LISTS;
}

static struct kept_types *find_kept(struct kept_types *first, const struct kept_types *like)
{
    for (; first != NULL; first = first->next)
        if (first->count == like->count &&
            memcmp(first->types, like->types, (size_t)like->count * sizeof *like->types) == 0)
            return first;
    return NULL;
}

/* Two threads that add equal arrays at once keep both, which does no harm. */
const MPI_Datatype *wm_fortran_types_kept(const MPI_Fint *types, const void *buffer, int count)
{
    struct kept_types *entry, *same;
    struct kept_types *_Atomic *list;

    if (wm_fortran_is(buffer, WM_FORTRAN_IN_PLACE))
        return NULL;
    entry = allocate(1, sizeof *entry + (size_t)count * sizeof *entry->types);
    entry->count = count;
    convert_types(entry->types, types, count);
    list = &kept[kept_list(entry)];
    entry->next = atomic_load_explicit(list, memory_order_acquire);
    same = find_kept(entry->next, entry);
    if (same != NULL) {
        free(entry);
        return same->types;
    }
    while (
        !atomic_compare_exchange_weak_explicit(list, &entry->next, entry, memory_order_release, memory_order_relaxed))
        ;
    return entry->types;
}

MPI_Request *wm_fortran_requests(const MPI_Fint *requests, int count)
{
    MPI_Request *c_requests = allocate(count > 0 ? (size_t)count : 0, sizeof *c_requests);

    for (int i = 0; i < count; i++)
        c_requests[i] = FORTRAN_MPI(Request_f2c)(requests[i]);
    return c_requests;
}

void wm_fortran_requests_return(MPI_Fint *requests, MPI_Request *c_requests, int count)
{
    for (int i = 0; i < count; i++)
        requests[i] = FORTRAN_MPI(Request_c2f)(c_requests[i]);
    free(c_requests);
}

MPI_Request wm_fortran_request_at(const void *requests, int index)
{
    return FORTRAN_MPI(Request_f2c)(((const MPI_Fint *)requests)[index]);
}

enum { STATUS_INTEGERS = 6 }; /* MPI_STATUS_SIZE of mpif.h */

/* Open MPI, too, hands Fortran's statuses to functions of C as they are. */
_Static_assert(sizeof(MPI_Status) == STATUS_INTEGERS * sizeof(MPI_Fint), "a status of Fortran is C's");

MPI_Status *wm_fortran_status(MPI_Fint *status)
{
    return wm_fortran_is(status, WM_FORTRAN_STATUS_IGNORE) ? MPI_STATUS_IGNORE : (MPI_Status *)(void *)status;
}

MPI_Status *wm_fortran_statuses(MPI_Fint *statuses)
{
    return wm_fortran_is(statuses, WM_FORTRAN_STATUSES_IGNORE) ? MPI_STATUSES_IGNORE : (MPI_Status *)(void *)statuses;
}

MPI_Info *wm_fortran_infos(const MPI_Fint *infos, int count)
{
    MPI_Info *c_infos;

    if (count <= 0)
        return NULL;
    c_infos = allocate((size_t)count, sizeof *c_infos);
    for (int i = 0; i < count; i++)
        c_infos[i] = FORTRAN_MPI(Info_f2c)(infos[i]);
    return c_infos;
}

bool wm_fortran_is_root(MPI_Fint comm, MPI_Fint root)
{
    MPI_Comm c_comm = FORTRAN_MPI(Comm_f2c)(comm);
    int rank = -1;

    if (c_comm == NULL || c_comm == MPI_COMM_NULL)
        return false;
    FORTRAN_MPI(Comm_rank)(c_comm, &rank);
    return rank == root;
}

/* Copy the text without the blanks around it; returns the length of the copy, which needs chars + 1 bytes. */
static size_t copy_trimmed(char *out, const char *text, int chars)
{
    int first = 0, end = chars;

    while (end > 0 && text[end - 1] == ' ')
        end--;
    while (first < end && text[first] == ' ')
        first++;
    memcpy(out, text + first, (size_t)(end - first));
    out[end - first] = '\0';
    return (size_t)(end - first);
}

static bool is_blank(const char *text, int chars)
{
    for (int i = 0; i < chars; i++)
        if (text[i] != ' ')
            return false;
    return true;
}

/* `count` strings that lie `stride` bytes apart, then a NULL pointer; their text stands behind the pointers.
 */
static char **pack(const char *text, size_t stride, int count, int chars)
{
    const size_t pointers = ((size_t)count + 1) * sizeof(char *);
    char **strings = allocate(1, pointers + (size_t)count * ((size_t)chars + 1));
    char *end = (char *)strings + pointers;

    for (int i = 0; i < count; i++) {
        strings[i] = end;
        end += copy_trimmed(end, text + (size_t)i * stride, chars) + 1;
    }
    return strings;
}

static char **pack_until_blank(const char *text, size_t stride, int chars)
{
    int count = 0;

    while (!is_blank(text + (size_t)count * stride, chars))
        count++;
    return pack(text, stride, count, chars);
}

char *wm_fortran_string(const char *text, int chars)
{
    char *string = allocate((size_t)chars + 1, 1);

    copy_trimmed(string, text, chars);
    return string;
}

char **wm_fortran_strings(const char *text, int count, int chars)
{
    return count > 0 ? pack(text, (size_t)chars, count, chars) : NULL;
}

char **wm_fortran_argv(const char *text, int chars)
{
    return wm_fortran_is(text, WM_FORTRAN_ARGV_NULL) ? MPI_ARGV_NULL : pack_until_blank(text, (size_t)chars, chars);
}

char ***wm_fortran_argvs(const char *text, int count, int chars)
{
    char ***argvs;

    if (count <= 0 || wm_fortran_is(text, WM_FORTRAN_ARGVS_NULL))
        return MPI_ARGVS_NULL;
    argvs = allocate((size_t)count, sizeof *argvs);
    for (int i = 0; i < count; i++)
        argvs[i] = pack_until_blank(text + (size_t)i * (size_t)chars, (size_t)count * (size_t)chars, chars);
    return argvs;
}

void wm_fortran_argvs_free(char ***argvs, int count)
{
    if (argvs == NULL)
        return;
    for (int i = 0; i < count; i++)
        free(argvs[i]);
    free(argvs);
}
