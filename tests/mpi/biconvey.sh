#!/bin/sh
# Biconveyors: asynchronous and synchronous, of one to three hops.
. "${srcdir:-.}/tests/mpi/job.sh"
OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_mpi_yield_when_idle

for ranks in 1 3 4 8; do
    job $ranks "$build/tests/mpi/biconvey"
    [ $status -eq 0 ] || fail "biconvey on $ranks ranks: status $status"
done
for ranks in 2 5; do
    mapped "$srcdir/tests/mpi/convey_maps/bulk-ragged.scm" $ranks "$build/tests/mpi/biconvey"
done
verdict
