/* Calls of which many have a symmetry, on the right machines. */
#ifndef WM_TESTS_SYMMETRIC_PATHS_H
#define WM_TESTS_SYMMETRIC_PATHS_H

#include "core/hash.h"
#include "waymark/operation.h"

#define STAGE(wrapper, axis) "{'wrapper':'" wrapper "','arguments':[{'axis':'" axis "'}]}"
#define SHAPED(wrapper, axis, shape)                                                                                   \
    "{'wrapper':'" wrapper "','arguments':[{'axis':'" axis "'}],'keywords':{'shape':{'symbol':'" shape "'}}}"

static const struct {
    enum wm_operation operation;
    const char *wrappers;
} symmetric_paths[] = {
    {WM_ALLREDUCE, "[" SHAPED("allreduce", "all", "ring") "]"},
    {WM_ALLREDUCE, "[" SHAPED("allreduce", "all", "butterfly") "]"},
    {WM_ALLREDUCE, "[" SHAPED("allreduce", "all", "halving") "]"},
    {WM_ALLREDUCE, "[" SHAPED("reduce-scatter", "all", "pairwise") "]"},
    {WM_ALLREDUCE, "[" STAGE("reduce-scatter", "core") "," SHAPED("allreduce", "node", "ring") "]"},
    {WM_ALLREDUCE, "[" SHAPED("reduce-scatter", "core", "shared") "," SHAPED("allreduce", "node", "ring") "]"},
    {WM_ALLREDUCE, "[" STAGE("reduce", "core") "," SHAPED("allreduce", "node", "ring") "]"},
    {WM_ALLREDUCE, "[" SHAPED("allreduce", "core", "ring") "," SHAPED("allreduce", "node", "ring") "]"},
    {WM_ALLGATHER, "[" SHAPED("allgather", "all", "ring") "]"},
    {WM_ALLGATHER, "[" SHAPED("allgather", "all", "flat") "]"},
    {WM_ALLGATHER, "[" SHAPED("allgather", "all", "bruck") "]"},
    {WM_ALLGATHER, "[" SHAPED("allgather", "all", "butterfly") "]"},
    {WM_ALLGATHER, "[" SHAPED("allgather", "node", "ring") "," SHAPED("allgather", "core", "ring") "]"},
    {WM_ALLGATHER, "[" STAGE("gather", "core") "," SHAPED("allgather", "node", "ring") "]"},
    {WM_ALLTOALL, "[" SHAPED("alltoall", "all", "pairwise") "]"},
    {WM_ALLTOALL, "[" SHAPED("alltoall", "all", "flat") "]"},
    {WM_ALLTOALL, "[" SHAPED("alltoall", "all", "bruck") "]"},
    {WM_ALLTOALL, "[" STAGE("alltoall", "core") "," STAGE("alltoall", "node") "]"},
    {WM_ALLTOALL, "[" STAGE("gather", "core") "," STAGE("alltoall", "node") "]"},
    {WM_ALLTOALLV, "[" SHAPED("alltoall", "all", "pairwise") "]"},
    {WM_ALLTOALLV, "[" SHAPED("alltoall", "all", "flat") "]"},
    {WM_ALLTOALLV, "[" SHAPED("alltoall", "all", "bruck") "]"},
    {WM_ALLTOALLV, "[" STAGE("alltoall", "core") "," STAGE("alltoall", "node") "]"},
    {WM_ALLGATHERV, "[" SHAPED("allgather", "all", "ring") "]"},
    {WM_ALLGATHERV, "[" STAGE("gather", "core") "," SHAPED("allgather", "node", "ring") "]"},
    {WM_REDUCE_SCATTER, "[" SHAPED("reduce-scatter", "all", "ring") "]"},
    {WM_REDUCE_SCATTER, "[" SHAPED("reduce-scatter", "all", "flat") "]"},
    {WM_REDUCE_SCATTER_BLOCK, "[" SHAPED("reduce-scatter", "all", "ring") "]"},
    {WM_REDUCE_SCATTER_BLOCK, "[" SHAPED("reduce-scatter", "all", "flat") "]"},
    {WM_REDUCE_SCATTER_BLOCK, "[" SHAPED("reduce-scatter", "all", "pairwise") "]"},
    {WM_REDUCE_SCATTER_BLOCK, "[" STAGE("reduce-scatter", "core") "," SHAPED("reduce-scatter", "node", "ring") "]"},
    {WM_BARRIER, "[" SHAPED("barrier", "all", "dissemination") "]"},
    {WM_BARRIER, "[" SHAPED("reduce", "core", "shared") "," SHAPED("barrier", "node", "dissemination") "]"},
};

enum { SYMMETRIC_PATHS = sizeof symmetric_paths / sizeof symmetric_paths[0] };

/* Draws, the same for the same seed. */
static uint64_t state = 1;

static int pick(int below)
{
    state = wm_hash_scatter(state + 1);
    return (int)(state % (uint64_t)below);
}

#endif
