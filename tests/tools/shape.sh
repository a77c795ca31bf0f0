#!/bin/sh
# One word of the map is changed: the drawing, the messages in the trace and the report change with it.
. "${srcdir:-.}/tests/tools/expect.sh"
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
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

for shape in flat chain; do
    echo "(path-map (on bcast (path (trace 'one) (bcast all #:shape '$shape))))" >$shape.scm
    waymark show $shape.scm --grid node=1,core=4 --op bcast --bytes 4 >$shape.show
    mpirun --oversubscribe -n 4 waymark run -m ./$shape.scm -t $shape.trace -- ./bcasts
    waymark report $shape.trace >$shape.report
done

# edges FILE: the pairs of ranks that the report's table of edges names.
edges() {
    sed -n 's/^ *\([0-3]\) → \([0-3]\) .*/\1→\2/p' "$1" | sort | paste -sd' '
}

same "flat: messages in the trace" "0→1 0→2 0→3" "$(edges flat.report)"
same "chain: messages in the trace" "0→1 1→2 2→3" "$(edges chain.report)"
same "flat: rounds" 1 "$(sed -n 's/^ *rounds  *//p' flat.show)"
same "chain: rounds" 3 "$(sed -n 's/^ *rounds  *//p' chain.show)"
same "the report names the map's line" 2 "$(grep -l "bcast all #:shape" flat.report chain.report | wc -l)"
finish
