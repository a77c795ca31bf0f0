#!/bin/sh
# What was installed works from where it is: a small MPI program under a shipped map, traced, and the report.
# Called by `make installcheck` with the directory of the installed programs.
set -e
bindir=$1
work=$(mktemp -d ./installcheck.XXXXXX)
trap 'rm -rf "$work"' EXIT
cat >"$work/sum.c" <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, ranks, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != ranks * (ranks - 1) / 2;
}
C
${MPICC:-mpicc} -o "$work/sum" "$work/sum.c"
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$bindir/waymark" wrappers reduce >/dev/null
${MPIRUN:-mpirun} --oversubscribe -n 3 "$bindir/waymark" run -m hierarchy -t "$work/trace" -- "$work/sum"
"$bindir/waymark" report "$work/trace" | grep allreduce
${MPIRUN:-mpirun} --oversubscribe -n 2 "$bindir/waymark" bench -m hierarchy --op allreduce --bytes 8 --rounds 1 | grep '8 B'
cat >"$work/stream.c" <<'C'
#include <mpi.h>
#include <convey.h>
int main(int argc, char **argv)
{
    int rank, ranks, sent = 0;
    long sum = 0, item = 0;
    convey_t *c;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    c = convey_new(SIZE_MAX, 0, NULL, 0);
    convey_begin(c, sizeof item, 0);
    do {
        while (sent < ranks && convey_push(c, &(long){rank}, sent) == convey_OK)
            sent++;
        while (convey_pull(c, &item, NULL) == convey_OK)
            sum += item;
    } while (convey_advance(c, sent == ranks));
    convey_free(c);
    MPI_Finalize();
    return sum != (long)ranks * (ranks - 1) / 2;
}
C
flags=$(PKG_CONFIG_PATH=$bindir/../lib/pkgconfig pkg-config --cflags --libs waymark)
# shellcheck disable=SC2086
${MPICC:-mpicc} -o "$work/stream" "$work/stream.c" $flags -Wl,-rpath,"$bindir/../lib"
${MPIRUN:-mpirun} --oversubscribe -n 3 "$work/stream"
