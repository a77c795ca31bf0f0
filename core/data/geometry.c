/* Geometry of datatypes: extents, spans, copies and reductions. */
#include "core/data/geometry.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "core/data/own_comm.h"

_Thread_local struct wm_geometry wm_geometry_recent[WM_GEOMETRY_RECENT] __attribute__((tls_model("initial-exec")));

static MPI_Comm own = MPI_COMM_NULL;

MPI_Comm wm_geometry_own(void)
{
    return own;
}

/* A tag for this thread's copies. */
static int own_tag(void)
{
    static _Atomic int threads;
    static _Thread_local int tag __attribute__((tls_model("initial-exec")));

    if (tag == 0)
        tag = atomic_fetch_add(&threads, 1) % (WM_OWN_TAGS - 1) + 1;
    return tag;
}

int wm_geometry_start(void)
{
    return wm_own_comm_make(MPI_COMM_SELF, &own);
}

void wm_geometry_stop(void)
{
    if (own != MPI_COMM_NULL)
        PMPI_Comm_free(&own);
}

/* What was asked lately. An answer stays true: a handle that comes back is again a user's operator or derived type. */
static _Thread_local struct asked {
    MPI_Datatype type;
    MPI_Op op;
    bool combines;
} asked[WM_GEOMETRY_RECENT] __attribute__((tls_model("initial-exec")));

bool wm_geometry_combines(MPI_Datatype type, MPI_Op op)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one collective at a time */
    struct asked *a = &asked[(((uintptr_t)type >> 8) + ((uintptr_t)op >> 6)) % WM_GEOMETRY_RECENT];
    int nothing = 0, result = 0;

    if (a->type != type || a->op != op) {
        pthread_mutex_lock(&lock);
        *a = (struct asked){type, op, PMPI_Allreduce(&nothing, &result, 0, type, op, own) == MPI_SUCCESS};
        pthread_mutex_unlock(&lock);
    }
    return a->combines;
}

bool wm_geometry_predefined(MPI_Op op)
{
    const MPI_Op predefined[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                                 MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};

    for (size_t i = 0; i < sizeof predefined / sizeof predefined[0]; i++)
        if (op == predefined[i])
            return true;
    return false;
}

bool wm_geometry_named(MPI_Datatype type)
{
    int integers, addresses, types, combiner;

    return type == MPI_DATATYPE_NULL || type == 0 ||
           PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
           combiner == MPI_COMBINER_NAMED;
}

int wm_geometry_read_anew(struct wm_geometry *g, MPI_Datatype type)
{
    MPI_Count size;
    MPI_Aint low, extent, true_low, true_extent;
    int integers, addresses, types, combiner, rc;

    if (type == MPI_DATATYPE_NULL)
        return MPI_ERR_TYPE;
    if ((rc = PMPI_Type_size_x(type, &size)) != MPI_SUCCESS ||
        (rc = PMPI_Type_get_extent(type, &low, &extent)) != MPI_SUCCESS ||
        (rc = PMPI_Type_get_true_extent(type, &true_low, &true_extent)) != MPI_SUCCESS ||
        (rc = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner)) != MPI_SUCCESS)
        return rc;
    if (combiner != MPI_COMBINER_NAMED && (rc = PMPI_Send(NULL, 0, type, MPI_PROC_NULL, 0, own)) != MPI_SUCCESS)
        return rc; /* it is not committed */
    *g = (struct wm_geometry){type,
                              (size_t)size,
                              extent,
                              true_low,
                              (size_t)true_extent,
                              combiner == MPI_COMBINER_NAMED && size == extent && size == true_extent && true_low == 0};
    if (g->packed)
        *wm_geometry_recent_place(type) = *g;
    return MPI_SUCCESS;
}

struct wm_geometry wm_geometry_bytes(void)
{
    return (struct wm_geometry){MPI_BYTE, 1, 1, 0, 1, true};
}

size_t wm_geometry_span(const struct wm_geometry *g, size_t count, ptrdiff_t *shift)
{
    ptrdiff_t last = count > 0 ? (ptrdiff_t)(count - 1) * g->extent : 0;

    *shift = -g->true_low - (last < 0 ? last : 0);
    return count > 0 ? (size_t)(last < 0 ? -last : last) + g->true_extent : 0;
}

/* The address `count` elements on. By integers: the user's buffer may be MPI_BOTTOM. */
static void *beyond(const struct wm_geometry *g, const void *data, size_t count)
{
    return (void *)((uintptr_t)data + count * (uintptr_t)g->extent);
}

int wm_geometry_copy(const struct wm_geometry *g, const void *source, void *target, size_t count)
{
    const char *from = source;
    char *to = target;

    if (g->packed) {
        memcpy(to, from, count * g->size);
        return MPI_SUCCESS;
    }
    while (count > 0) {
        int part = count < INT_MAX ? (int)count : INT_MAX;
        int rc =
            PMPI_Sendrecv(from, part, g->type, 0, own_tag(), to, part, g->type, 0, own_tag(), own, MPI_STATUS_IGNORE);

        if (rc != MPI_SUCCESS)
            return rc;
        from = beyond(g, from, (size_t)part);
        to = beyond(g, to, (size_t)part);
        count -= (size_t)part;
    }
    return MPI_SUCCESS;
}

/* Small blocks of one size: the compiler moves what it knows the size of in a register. */
static void copy_words(const char *from, char *to, size_t bytes, ptrdiff_t distance, size_t blocks)
{
    if (bytes == 4)
        for (size_t i = 0; i < blocks; i++, from += distance)
            memcpy(to + 4 * i, from, 4);
    else if (bytes == 8)
        for (size_t i = 0; i < blocks; i++, from += distance)
            memcpy(to + 8 * i, from, 8);
    else
        for (size_t i = 0; i < blocks; i++, from += distance)
            memcpy(to + bytes * i, from, bytes);
}

int wm_geometry_copy_blocks(const struct wm_geometry *g, const void *source, size_t block, size_t distance,
                            void *target, size_t count)
{
    const char *from = source;
    char *to = target;
    int rc = MPI_SUCCESS;

    if (g->packed) {
        copy_words(from, to, block * g->size, (ptrdiff_t)(distance * g->size), count / block);
        return MPI_SUCCESS;
    }
    for (size_t i = 0; i < count / block && rc == MPI_SUCCESS; i++)
        rc = wm_geometry_copy(g, beyond(g, from, i * distance), beyond(g, to, i * block), block);
    return rc;
}

/* Elements whose packed bytes an int counts. */
static int pack_part(const struct wm_geometry *g, size_t count)
{
    size_t most = g->size > 0 ? INT_MAX / g->size : INT_MAX;

    return (int)(count < most ? count : most);
}

int wm_geometry_pack(const struct wm_geometry *g, const void *data, size_t count, char *packed)
{
    const char *from = data;

    while (count > 0) {
        int part = pack_part(g, count), position = 0;
        int rc = PMPI_Pack(from, part, g->type, packed, (int)((size_t)part * g->size), &position, own);

        if (rc != MPI_SUCCESS)
            return rc;
        from = beyond(g, from, (size_t)part);
        packed += (size_t)part * g->size;
        count -= (size_t)part;
    }
    return MPI_SUCCESS;
}

int wm_geometry_unpack(const struct wm_geometry *g, const char *packed, void *data, size_t count)
{
    char *to = data;

    while (count > 0) {
        int part = pack_part(g, count), position = 0;
        int rc = PMPI_Unpack(packed, (int)((size_t)part * g->size), &position, to, part, g->type, own);

        if (rc != MPI_SUCCESS)
            return rc;
        to = beyond(g, to, (size_t)part);
        packed += (size_t)part * g->size;
        count -= (size_t)part;
    }
    return MPI_SUCCESS;
}

/* MPI_Unpack wants whole elements; a receive does not. */
int wm_geometry_unpack_part(const struct wm_geometry *g, const char *packed, void *data, size_t bytes)
{
    if (bytes > INT_MAX)
        return MPI_ERR_COUNT;
    return PMPI_Sendrecv(packed, (int)bytes, MPI_PACKED, 0, own_tag(), data, 1, g->type, 0, own_tag(), own,
                         MPI_STATUS_IGNORE);
}

int wm_geometry_reduce(const struct wm_geometry *g, const void *source, void *target, size_t count, MPI_Op op)
{
    const char *from = source;
    char *to = target;

    while (count > 0) {
        int part = count < INT_MAX ? (int)count : INT_MAX;
        int rc = PMPI_Reduce_local(from, to, part, g->type, op);

        if (rc != MPI_SUCCESS)
            return rc;
        from = beyond(g, from, (size_t)part);
        to = beyond(g, to, (size_t)part);
        count -= (size_t)part;
    }
    return MPI_SUCCESS;
}
