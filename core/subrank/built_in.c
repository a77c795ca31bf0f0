/* Built-in paths. Small data of ranks that share memory goes through it; else those of a process combine first, then
 * one of them goes on. */
#include "core/subrank/built_in.h"
#include <jansson.h>
#include "core/process/process.h"

enum { STAGES = 2, SMALL_BYTES = 2048 };

static const struct stage {
    const char *wrapper, *axis;
} stages[WM_COLLECTIVE_COUNT][STAGES] = {
    [WM_BARRIER] = {{"reduce", "sibling"}, {"barrier", "process"}},
    [WM_BCAST] = {{"bcast", "process"}, {"bcast", "sibling"}},
    [WM_REDUCE] = {{"reduce", "sibling"}, {"reduce", "process"}},
    [WM_ALLREDUCE] = {{"reduce", "sibling"}, {"allreduce", "process"}},
    [WM_GATHER] = {{"gather", "sibling"}, {"gather", "process"}},
    [WM_GATHERV] = {{"gather", "sibling"}, {"gather", "process"}},
    [WM_SCATTER] = {{"scatter", "process"}, {"scatter", "sibling"}},
    [WM_SCATTERV] = {{"scatter", "process"}, {"scatter", "sibling"}},
    [WM_ALLGATHER] = {{"gather", "sibling"}, {"allgather", "process"}},
    [WM_ALLGATHERV] = {{"gather", "sibling"}, {"allgather", "process"}},
    [WM_ALLTOALL] = {{"alltoall", "all"}},
    [WM_ALLTOALLV] = {{"alltoall", "all"}},
    [WM_ALLTOALLW] = {{"alltoall", "all"}},
    [WM_REDUCE_SCATTER] = {{"reduce", "sibling"}, {"reduce-scatter", "process"}},
    [WM_REDUCE_SCATTER_BLOCK] = {{"reduce", "sibling"}, {"reduce-scatter", "process"}},
    [WM_SCAN] = {{"scan", "all"}},
    [WM_EXSCAN] = {{"scan", "all"}},
    [WM_NEIGHBOR_ALLGATHER] = {{"neighbor", "all"}},
    [WM_NEIGHBOR_ALLGATHERV] = {{"neighbor", "all"}},
    [WM_NEIGHBOR_ALLTOALL] = {{"neighbor", "all"}},
    [WM_NEIGHBOR_ALLTOALLV] = {{"neighbor", "all"}},
    [WM_NEIGHBOR_ALLTOALLW] = {{"neighbor", "all"}},
};

/* Where all ranks share memory, data of at most so many bytes goes through it; 0: none does. More is copied once less
 * by messages. */
static const uint64_t shared_limits[WM_COLLECTIVE_COUNT] = {
    [WM_BARRIER] = UINT64_MAX,
    [WM_BCAST] = SMALL_BYTES,
    [WM_REDUCE] = SMALL_BYTES,
    [WM_ALLREDUCE] = SMALL_BYTES,
    [WM_GATHER] = SMALL_BYTES,
    [WM_SCATTER] = SMALL_BYTES,
    [WM_ALLGATHER] = SMALL_BYTES,
    [WM_ALLGATHERV] = SMALL_BYTES,
    [WM_ALLTOALL] = SMALL_BYTES,
    [WM_REDUCE_SCATTER] = SMALL_BYTES,
    [WM_REDUCE_SCATTER_BLOCK] = SMALL_BYTES,
    [WM_SCAN] = SMALL_BYTES,
    [WM_EXSCAN] = SMALL_BYTES,
};

/* As the map server would answer. `shape`: of all stages; NULL: their own. */
static json_t *answer_of(const struct stage *of, const char *shape)
{
    json_t *path = json_array();

    for (int i = 0; i < STAGES && of[i].wrapper != NULL; i++) {
        json_t *keywords = shape != NULL ? json_pack("{s:{s:s}}", "shape", "symbol", shape) : json_object();

        json_array_append_new(path, json_pack("{s:s,s:i,s:[{s:s}],s:o}", "wrapper", of[i].wrapper, "node", 0,
                                              "arguments", "axis", of[i].axis, "keywords", keywords));
    }
    return json_pack("{s:[i,n],s:o}", "bytes", 0, "path", path);
}

/* In an allreduce or barrier of all a line of each rank would cross between processes, and siblings could not make it
 * together (core/subrank/siblings.h); in others no more lines cross than must. */
static json_t *shared_answer(enum wm_operation operation)
{
    bool staged = operation == WM_ALLREDUCE || operation == WM_BARRIER, exclusive = operation == WM_EXSCAN;
    const char *wrapper = exclusive                              ? "scan"
                          : operation == WM_ALLGATHERV           ? "allgather"
                          : operation == WM_REDUCE_SCATTER_BLOCK ? "reduce-scatter"
                                                                 : wm_operation_name(operation);

    const struct stage whole[STAGES] = {{wrapper, "all"}};

    return answer_of(staged ? stages[operation] : whole, "shared");
}

uint64_t wm_built_in_shared_bytes(enum wm_operation operation)
{
    return shared_limits[operation];
}

struct wm_path *wm_built_in_path(enum wm_operation operation, bool shared, const struct wm_grid *grid)
{
    json_t *answer = shared ? shared_answer(operation) : answer_of(stages[operation], NULL);
    struct wm_error error = {0};
    struct wm_path *path;

    if (wm_path_parse(&path, answer, operation, grid, "", &error) < 0)
        wm_process_abort(&error);
    json_decref(answer);
    return path;
}

struct wm_map_source *wm_built_in_source(void)
{
    static struct wm_map_source source = {.file = (char *)"(built in)"};

    if (source.grid_spec == NULL)
        source.grid_spec = json_pack("[{s:s},{s:s}]", "axis", "process", "axis", "sibling");
    return &source;
}
