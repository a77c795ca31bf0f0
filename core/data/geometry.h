/* Geometry: how elements of a datatype lie in memory, and moving them about. */
#ifndef WM_GEOMETRY_H
#define WM_GEOMETRY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_geometry {
    MPI_Datatype type;
    size_t size;        /* bytes of data in an element */
    ptrdiff_t extent;   /* from one element to the next; may be negative */
    ptrdiff_t true_low; /* where the first byte of an element lies */
    size_t true_extent; /* from its first byte to its last */
    bool packed;        /* a predefined type without gaps: n elements are n × size plain bytes, in order */
};

/* Make, and free, the communicator of this process alone in which data is copied and packed: never the user's
 * MPI_COMM_SELF, where a receive for any tag would take the copies, and an error would find the user's handler.
 * Collective over MPI_COMM_SELF. Returns MPI_SUCCESS or the library's error. */
int wm_geometry_start(void);
void wm_geometry_stop(void);

/* That communicator, for other messages of a process to itself. Threads use it at once: each message has a tag that no
 * other thread's has. Tags from WM_OWN_TAGS on are not used here. */
enum { WM_OWN_TAGS = 1 << 30 };
MPI_Comm wm_geometry_own(void);

/* Does the library have the operator for this datatype? Predefined operators serve some predefined types, the user's
 * all. The answer is the same on all ranks. */
bool wm_geometry_combines(MPI_Datatype type, MPI_Op op);

/* One of MPI's own operators, or datatypes: its handle never comes to mean another. */
bool wm_geometry_predefined(MPI_Op op);
bool wm_geometry_named(MPI_Datatype type);

/* What this thread has read lately of predefined types without gaps: their handles never come to mean others. */
enum { WM_GEOMETRY_RECENT = 8 };
extern _Thread_local struct wm_geometry wm_geometry_recent[WM_GEOMETRY_RECENT]
    __attribute__((tls_model("initial-exec")));
static inline struct wm_geometry *wm_geometry_recent_place(MPI_Datatype type)
{
    return &wm_geometry_recent[((uintptr_t)type >> 8) % WM_GEOMETRY_RECENT];
}
/* wm_geometry_read of any other. */
int wm_geometry_read_anew(struct wm_geometry *geometry, MPI_Datatype type);

/* Read a datatype. Returns MPI_SUCCESS or the library's error (the type is MPI_DATATYPE_NULL, or not committed, say).
 */
static inline int wm_geometry_read(struct wm_geometry *geometry, MPI_Datatype type)
{
    const struct wm_geometry *known = wm_geometry_recent_place(type);

    if (__builtin_expect(!known->packed || known->type != type, 0))
        return wm_geometry_read_anew(geometry, type);
    *geometry = *known;
    return MPI_SUCCESS;
}

/* Bytes, for bcast and barrier. */
struct wm_geometry wm_geometry_bytes(void);

/* Memory that `count` elements need, and how far element 0's address stands from its start. */
size_t wm_geometry_span(const struct wm_geometry *geometry, size_t count, ptrdiff_t *shift);

/* Put `count` elements at `data` one after the other as bytes into `packed`; and the reverse.
 * Return MPI_SUCCESS or the library's error. */
int wm_geometry_pack(const struct wm_geometry *geometry, const void *data, size_t count, char *packed);
int wm_geometry_unpack(const struct wm_geometry *geometry, const char *packed, void *data, size_t count);
/* The first `bytes` of one element, which has more. */
int wm_geometry_unpack_part(const struct wm_geometry *geometry, const char *packed, void *data, size_t bytes);

/* Copy elements between places that do not overlap; apply an operator. Counts above INT_MAX are allowed.
 * Return MPI_SUCCESS or the library's error. */
int wm_geometry_copy(const struct wm_geometry *geometry, const void *source, void *target, size_t count);
/* The same of `count` elements in blocks of `block`, `distance` elements from the beginning of one to that of the next.
 */
int wm_geometry_copy_blocks(const struct wm_geometry *geometry, const void *source, size_t block, size_t distance,
                            void *target, size_t count);
int wm_geometry_reduce(const struct wm_geometry *geometry, const void *source, void *target, size_t count, MPI_Op op);

#endif
