#!/bin/sh
# One word of the map is changed: the drawing, the messages in the trace and the report change with it.
. "${srcdir:-.}/tests/mpi/job.sh"
cd "$work" || exit 99

cat >bcasts.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int value = 0;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
C
${MPICC:-mpicc} -o bcasts bcasts.c || exit 99

# edges FILE: the pairs of ranks that the report's table of edges names.
edges() {
    sed -n 's/^ *\([0-3]\) → \([0-3]\) .*/\1→\2/p' "$1" | sort | paste -sd' '
}

# expect SHAPE ROUNDS EDGES
expect() {
    shape=$1
    echo "(path-map (on bcast (path (trace 'one) (bcast all #:shape '$shape))))" >"$shape.scm"
    waymark show "$shape.scm" --grid node=1,core=4 --op bcast --bytes 4 >"$output"
    grep -q "^ *rounds  *$2\$" "$output" || fail "show, $shape: not $2 rounds"
    run_options="-t $work/$shape.trace"
    mapped "$work/$shape.scm" 4 "$work/bcasts" || return
    COLUMNS=110 waymark report "$shape.trace" >"$output"
    [ "$(edges "$output")" = "$3" ] || fail "report, $shape: edges $(edges "$output"), not $3"
    grep -q "(bcast all #:shape '$shape)" "$output" || fail "report, $shape: the map's line is not there"
}

expect flat 1 "0→1 0→2 0→3"
expect chain 3 "0→1 1→2 2→3"
expect binomial 2 "0→1 0→2 2→3"
verdict
