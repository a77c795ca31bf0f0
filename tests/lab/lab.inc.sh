# Sourced by the tests that run MPI jobs on the hosts of a lab: tests/mpi/job.sh, and where the ranks are.
build=${top_builddir:-$(pwd)}
TMPDIR=$build/tests/lab && export TMPDIR # what a job leaves, and what its hosts share, is under the build directory
. "${srcdir:-.}/tests/mpi/job.sh"
lab=$srcdir/tests/lab/lab
hosts=$work/lab
top_builddir=$build && export top_builddir
trap 'sh "$lab" down --dir "$hosts"; rm -rf "$work"' EXIT
trap 'exit 99' INT TERM HUP
limit=120

# Waymark is not installed on the hosts: they must be told where it is built.
forwarded="-x PATH -x WAYMARK_LIBEXEC -x WAYMARK_SPECS -x WAYMARK_PRELOAD -x GUILE_AUTO_COMPILE"
[ -z "$LD_PRELOAD_FIRST" ] || forwarded="$forwarded -x LD_PRELOAD -x ASAN_OPTIONS"

placed() { # PPN PLACE: where the ranks of the next jobs are; PPN names all four hosts
    ranks_placed=$(($(echo "$1" | tr , +))) placement="$1 ranks on the hosts, $2"
    mpirun="sh $lab run --dir $hosts --ppn $1 --place $2 $forwarded"
}
