/* Map sources: a map's text with all that follows from it for every rank, and at some ranks its server.
 *
 * The process has one from WAYMARK_MAP, which holds for every communicator but those that were given another by the
 * info key "waymark_map" in MPI_Comm_dup_with_info; their duplicates keep it. A source is filled by one rank, shared
 * with the others of a communicator, and never changes afterwards but for its server, which starts with the first
 * question. Sources of equal file and text are one. They live until the process goes to sleep: paths, plans and traces
 * speak of them. */
#ifndef WM_MAP_SOURCE_H
#define WM_MAP_SOURCE_H

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "core/map/map.h"

struct wm_map_source {
    struct wm_map_source *next; /* of those beside the process's own */
    char *file;                 /* NULL: no map */
    char *text;
    size_t bytes;       /* of the text, without its NUL */
    json_t *grid_spec;  /* `#:grid`, or JSON null; NULL without a map */
    json_t *subranks;   /* `(subranks …)` (core/map/subranks.h); NULL without a map */
    uint32_t planned;   /* operations with rules; 0 without a map */
    uint32_t native;    /* of these, those of which every call is the MPI library's, whatever it is */
    int first_node;     /* what is added to the numbers of its nodes, so that traces tell them from other maps' */
    bool retuned;       /* an epoch's (core/process/epochs.h) */
    bool defined;       /* … whose text the trace has from this process */
    struct wm_map *map; /* this rank's server: NULL until it is the first to ask */
};

/* How many numbers the nodes of one map may take. */
enum { WM_MAP_SOURCE_NODES = 2048 };

/* The value's info key, and the room for its value: a file, or the name of a shipped map. */
#define WM_MAP_SOURCE_KEY "waymark_map"
enum { WM_MAP_SOURCE_NAME_CHARS = 1024 };

/* Rank 0 of `comm` reads the map called `name` (significant there alone) and starts its server, which checks it; all
 * ranks get text and grid. Collective. Returns the same on all ranks: 0; -WM_E… with the sentence in rank 0's `error`
 * and *source empty. */
int wm_map_source_share(struct wm_map_source *source, MPI_Comm comm, const char *name, struct wm_error *error);

/* The source that the info of a duplicate asks for, as rank 0 of `comm` sees it: one of the process's, perhaps added
 * to them now; `otherwise` when the key is not there. Collective over `comm`. Returns 0 or -WM_E… as above, and *source
 * is `otherwise` then. */
int wm_map_source_of_info(struct wm_map_source **source, MPI_Comm comm, MPI_Info info, struct wm_map_source *otherwise,
                          struct wm_error *error);

/* Its server, started on first use. NULL with the error filled. Hold the process's lock. */
struct wm_map *wm_map_source_open(struct wm_map_source *source, struct wm_error *error);

/* Complete an error that has a line but names no file, or shows no excerpt, and is about this source's text. */
void wm_map_source_quote(const struct wm_map_source *source, struct wm_error *error);

/* The text names sockets or NUMA domains, so that places are to be asked for them. */
bool wm_map_source_names_sockets(const struct wm_map_source *source);

/* Paths of the text may verify calls: what that needs begins with the job. */
bool wm_map_source_verifies(const struct wm_map_source *source);
/* 0, or -WM_EMAP if they do, and the job does not. */
int wm_map_source_check_verify(const struct wm_map_source *source, struct wm_error *error);

/* The text speaks of clusters, and the machine is to tell them: it declares no grid. */
bool wm_map_source_names_clusters(const struct wm_map_source *source);

/* Close the server and free what it holds, not the record. All zeros is allowed, and left behind. */
void wm_map_source_release(struct wm_map_source *source);

#endif
