#!/bin/sh
# Random collectives, from C and Fortran, under every shipped map and under maps made to be hard, at 1 to 9 ranks.
#
# WAYMARK_TEST_CALLS: random calls a job (40); WAYMARK_TEST_SEED: where they begin (1); WAYMARK_TEST_LARGE=1: also a bcast
# of more than 2 GiB, for which two ranks need 10 GiB.
. "${srcdir:-.}/tests/mpi/job.sh"
maps=$srcdir/tests/mpi/maps
calls=${WAYMARK_TEST_CALLS:-40}
seed=${WAYMARK_TEST_SEED:-1}
fortran_turn=0

# Maps that leave calls to the library cannot be asked for those that Open MPI gets wrong (collectives.h).
tell_planned() { # MAP
    export COLLECTIVES_PLANNED
    case $1 in
    native | */choices.scm) unset COLLECTIVES_PLANNED ;;
    flat | hierarchy | */all-*.scm) COLLECTIVES_PLANNED=all ;;
    *) COLLECTIVES_PLANNED=reductions ;;
    esac
}

c_program() { # MAP RANKS PART ...
    map=$1 ranks=$2
    shift 2
    seed=$((seed + 1))
    tell_planned "$map"
    mapped "$map" "$ranks" "$build/tests/mpi/collectives" $seed "$calls" "$@" || return
    grep -q '^collectives: .* 0 wrong$' "$output" || fail "map $map, $ranks ranks, seed $seed: no result"
}

# One of the three programs each time.
fortran_program() { # MAP RANKS
    fortran_turn=$(((fortran_turn + 1) % 3))
    set -- "$1" "$2" mpif usempi f08
    shift_by=$((fortran_turn + 3))
    eval "program=$build/tests/mpi/collectives_\${$shift_by}"
    [ -x "$program" ] || return 0
    tell_planned "$1"
    mapped "$1" "$2" "$program" || return
    grep -q '^results right$' "$output" || fail "$program, map $1, $2 ranks: no result"
}

all_maps=$(shipped_maps; ls "$maps"/*.scm)
for map in $all_maps; do
    c_program "$map" 4
    c_program "$map" 5
done
for map in $(shipped_maps); do
    fortran_program "$map" 4
done

# The other numbers of ranks, each under some of the maps.
turn=0
for map in $all_maps; do
    turn=$((turn + 1))
    set -- 1 2 3 6 7 8 9
    shift $((turn % 7))
    c_program "$map" "$1"
done
for ranks in 1 2 3 7 9; do
    fortran_program "$maps/dealt.scm" $ranks
done
for ranks in 1 3 4; do
    for map in hierarchy flat "$maps/all-levels.scm" "$maps/all-rounds.scm"; do
        fortran_program "$map" $ranks
    done
done

for map in native fast hierarchy "$maps/segments.scm" "$maps/choices.scm"; do
    c_program "$map" 3 threads
done

# With a trace, as large as it gets and smaller than what there is to record.
for mode in flight full; do
    run_options="-t $work/trace --mode $mode"
    for map in hierarchy "$maps/segments.scm"; do
        WAYMARK_TRACE_BYTES=256KiB && export WAYMARK_TRACE_BYTES
        c_program "$map" 4
        waymark report "$work/trace" >"$output" 2>&1 || fail "report of a $mode trace under $map"
        unset WAYMARK_TRACE_BYTES
    done
    fortran_program hierarchy 4
done
run_options=

# Two jobs, the same bits.
for ranks in 3 7; do
    seed=100
    c_program "$maps/ordered.scm" $ranks bits
    grep '^bits' "$output" >"$work/bits"
    seed=100
    c_program "$maps/ordered.scm" $ranks bits
    grep '^bits' "$output" | cmp -s "$work/bits" || fail "sums on $ranks ranks have other bits in a second job"
done

if [ "${WAYMARK_TEST_LARGE:-0}" = 1 ]; then
    limit=600
    c_program binomial 2 large
    c_program flat 2 large
fi
verdict
