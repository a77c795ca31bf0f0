#!/bin/sh
# Run the door tests under mpirun, and compare what passed through the doors with what the programs called.
srcdir=${srcdir:-.}
build=$(pwd)
guile=${GUILE:-guile}
library=$build/.libs/libwm-doors-test.so
output=tests/mpi/doors.$$.output
failures=0
runs=0
trap 'rm -f "$output" "$output.expected"' EXIT

# Open MPI 4.1.4's MPI_Dist_graph_create hangs now and then on 4 ranks, without us too, with its treematch component.
mpirun="${MPIRUN:-mpirun} --oversubscribe --mca topo ^treematch"
[ "$(id -u)" = 0 ] && mpirun="$mpirun --allow-run-as-root"

# AddressSanitizer must be the first library of a process.
preload=$library
if nm -D "$library" | grep -q __asan_init; then
    preload="$(${CC:-gcc} -print-file-name=libasan.so) $library"
    ASAN_OPTIONS=detect_leaks=0 && export ASAN_OPTIONS
fi

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    cat "$output"
}

persistent=$(sh "$srcdir/tests/mpi/doors_persistent.sh")

# One form's calls of each collective, in a program that calls it as doors_form.inc says, and allreduce so often more.
expected_calls() { # FORM RANKS MORE
    "$guile" --no-auto-compile "$srcdir/core/pmpi/generate.scm" operations "$srcdir/core/pmpi/functions.scm" |
        while read -r operation; do
            case $operation in
            barrier | neighbor-*) echo "door $1 $operation $2 in place 0" ;;
            bcast) echo "door $1 bcast $((2 * $2)) in place 0" ;;
            reduce | gather | gatherv | scatter | scatterv) echo "door $1 $operation $((2 * $2)) in place 1" ;;
            allreduce) echo "door $1 allreduce $(((2 + $3) * $2)) in place $2" ;;
            *) echo "door $1 $operation $((2 * $2)) in place $2" ;;
            esac
        done
}

# What rank 0 prints. Rank 0's part of the split is MPI_COMM_NULL, which is not freed. A persistent request is made for
# each call; one more start is that of an allreduce that is started twice.
expected_counts() { # RANKS
    expected_calls run "$1" 0
    expected_calls begin "$1" 1
    if [ -n "$persistent" ]; then
        expected_calls init "$1" 1
    else
        expected_calls init 0 0 | sed 's/in place .*/in place 0/'
    fi
    echo "door communicators made $((13 * $1)) going $((14 * $1 - 1)) coming $1 named $1"
    if [ -n "$persistent" ]; then
        requests=$(expected_calls init "$1" 1 | awk '{ requests += $4 } END { print requests }')
        echo "door requests started $((requests + $1)) freed $requests informed $1"
    else
        echo "door requests started 0 freed 0 informed 0"
    fi
}

run() { # RANKS PROGRAM, preloaded
    runs=$((runs + 1))
    # Freed memory that is read again should show. The quotes around the preloaded libraries' names are for mpirun's -x.
    timeout 120 $mpirun -n "$1" -x MALLOC_PERTURB_=165 -x "LD_PRELOAD=$preload" "$build/$2" >"$output" 2>&1 ||
        { fail "$2 on $1 ranks ended with code $?"; return 1; }
    grep -q '^results right$' "$output" || fail "$2 on $1 ranks: no results"
}

for ranks in 2 4; do
    for program in doors_mpif doors_usempi doors_f08; do
        [ -x "$build/tests/mpi/$program" ] || continue
        run $ranks tests/mpi/$program || continue
        expected_counts $ranks >"$output.expected"
        grep '^door ' "$output" | diff "$output.expected" - || fail "$program on $ranks ranks: other counts"
    done
done

expected_spawns() {
    cat <<'END'
spawn 2 of 'program' 'alpha' 'be ta'
spawn 3 of 'first' 'one'
spawn 4 of 'second' 'two' 'seconds'
with an info
spawn 1 of 'bare' without arguments
spawn 1 of 'bare' without arguments
spawn 2 of 'bear' without arguments
accept 'a port;with 1 name'
connect 'a port;with 1 name'
END
}

for program in spawn_mpif spawn_f08; do
    [ -x "$build/tests/mpi/$program" ] || continue
    run 2 tests/mpi/$program || continue
    expected_spawns >"$output.expected"
    grep -E '^(spawn|with|accept|connect) ' "$output" | diff "$output.expected" - || fail "$program: other arguments"
    grep -q '^door communicators made 12 going 12 coming 0 named 0$' "$output" || fail "$program: other counts"
done

if [ -x "$build/tests/mpi/test_doors" ]; then
    for ranks in 2 3 4; do
        runs=$((runs + 1))
        timeout 120 $mpirun -n $ranks "$build/tests/mpi/test_doors" >"$output" 2>&1 || fail "test_doors on $ranks ranks"
    done
fi

echo "$runs runs, $failures failures"
[ "$runs" -gt 0 ] || exit 77
[ "$failures" -eq 0 ]
