#!/bin/sh
# convey.sh [OPTION ...]: conveyors at 2, 4 and 8 ranks, in one go; the options are bench/convey's. CONVEY_RANKS: other numbers.
# Started by `make bench-convey`, in the build directory, under pre-inst-env.
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cores=$(getconf _NPROCESSORS_ONLN)
for ranks in ${CONVEY_RANKS:-2 4 8}; do
    # More ranks than cores: the library is to yield, too, or its contenders collapse.
    yield=0
    [ "$ranks" -le "$cores" ] || yield=1
    mpirun --oversubscribe --mca mpi_yield_when_idle $yield -n "$ranks" bench/convey "$@" || exit
    echo
done
