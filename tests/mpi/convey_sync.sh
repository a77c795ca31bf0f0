#!/bin/sh
# Synchronous conveyors: of the constructors, and of maps, over ragged grids, with paths for their exchanges.
. "${srcdir:-.}/tests/mpi/job.sh"
program=$build/tests/mpi/convey_sync
OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_mpi_yield_when_idle

for ranks in 1 3 4 8; do
    job $ranks "$program"
    [ $status -eq 0 ] || fail "constructors on $ranks ranks: status $status"
done
for ranks in 1 4 6; do
    mapped "$srcdir/tests/mpi/convey_maps/bulk.scm" $ranks "$program" map
done
for ranks in 2 5 8; do
    mapped "$srcdir/tests/mpi/convey_maps/bulk-ragged.scm" $ranks "$program" map
done
verdict
