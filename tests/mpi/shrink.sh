#!/bin/sh
# A rank dies, and the others go on without it, their calls under a map: where the MPI library is fault-tolerant.
. "${srcdir:-.}/tests/mpi/job.sh"
"$build/tests/mpi/shrink" available || exit 77
mpirun="$mpirun --with-ft ulfm"
for map in native fast; do
    job 4 waymark run -m $map --guard watch -- "$build/tests/mpi/shrink"
    [ "$(grep -c '^of 4 ranks 3 go on$' "$output")" -eq 3 ] || fail "$map: not all others go on"
done
verdict
