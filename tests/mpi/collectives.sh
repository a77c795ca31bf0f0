#!/bin/sh
# Random collectives, from C and Fortran, under every shipped map and under maps made to be hard, at 1 to 9 ranks.
#
# WAYMARK_TEST_CALLS: random calls a job (8); WAYMARK_TEST_SEED: where they begin (the day: every one draws others);
# WAYMARK_TEST_LARGE=1: also a bcast of more than 2 GiB, for which two ranks need 10 GiB.
. "${srcdir:-.}/tests/mpi/job.sh"
maps=$srcdir/tests/mpi/maps
calls=${WAYMARK_TEST_CALLS:-8}
seed=${WAYMARK_TEST_SEED:-$(($(date +%s) / 86400 * 1000))}
first_seed=$seed fortran_turn=0
echo "seed $seed"

# What the maps carry out themselves (collectives.c): of the others some cannot be asked that Open MPI gets wrong.
planned_by() { # MAP
    case $1 in
    native | */choices.scm | */arriving.scm) echo none ;;
    flat | hierarchy | */all-*.scm) echo all ;;
    *) echo reductions ;;
    esac
}

c_program() { # MAP RANKS PART ...
    map=$1 ranks=$2
    shift 2
    seed=$((seed + 1))
    COLLECTIVES_PLANNED=$(planned_by "$map") && export COLLECTIVES_PLANNED
    mapped "$map" "$ranks" "$build/tests/mpi/collectives" $seed "$calls" "$@" || return
    grep -q '^collectives: .* 0 wrong$' "$output" || fail "map $map, $ranks ranks, seed $seed: no result"
}

# The first map is the job's, the others are given to its communicators.
c_program_under() { # RANKS MAP ...
    ranks=$1 map=$2
    shift 2
    COLLECTIVES_MAPS=$(for each in "$@"; do echo "$(planned_by "$each"):$each"; done | tr '\n' ' ')
    export COLLECTIVES_MAPS
    c_program "$map" "$ranks"
    grep -qx "$# further maps" "$output" || fail "$ranks ranks, seed $seed: not every map had its turn"
    unset COLLECTIVES_MAPS
}

# One of the three programs each time.
fortran_program() { # MAP RANKS
    fortran_turn=$(((fortran_turn + 1) % 3))
    set -- "$1" "$2" mpif usempi f08
    shift_by=$((fortran_turn + 3))
    eval "program=$build/tests/mpi/collectives_\${$shift_by}"
    [ -x "$program" ] || return 0
    COLLECTIVES_PLANNED=$(planned_by "$1") && export COLLECTIVES_PLANNED
    mapped "$1" "$2" "$program" || return
    grep -q '^results right$' "$output" || fail "$program, map $1, $2 ranks: no result"
}

# Every map at 4 ranks, seven in a job; `choices` asks for the name of MPI_COMM_WORLD.
# shellcheck disable=SC2046 # words
all_maps=$(printf '%s\n' "$maps/choices.scm" $(shipped_maps; ls "$maps"/*.scm | grep -v /choices))
# shellcheck disable=SC2086 # words
set -- $all_maps
while [ $# -gt 0 ]; do
    c_program_under 4 $(echo "$@" | cut -d ' ' -f 1-7)
    shift $(($# < 7 ? $# : 7))
done

# The other numbers of ranks, each under two of the maps: which, says the seed.
turn=0
for ranks in 1 2 3 5 6 7 8 9; do
    c_program_under $ranks $(echo "$all_maps" | awk -v turn=$(((turn + first_seed) % 12)) 'NR % 12 == turn')
    turn=$((turn + 1))
done

# Each of the Fortran programs under maps of each sort.
for map in fast hierarchy native; do
    fortran_program "$map" 4
done
fortran_program "$maps/all-levels.scm" 1
fortran_program "$maps/all-rounds.scm" 3
fortran_program "$maps/dealt.scm" 7

c_program fast 3 threads
c_program "$maps/choices.scm" 3 threads

# Every operation that has a door is asked for, and carried out by a path.
WAYMARK_VERBOSE=1 && export WAYMARK_VERBOSE
c_program "$maps/all-rounds.scm" 3
unset WAYMARK_VERBOSE
operations=$(operations)
[ -n "$operations" ] || fail "no operations"
for operation in $operations; do
    grep -q "^waymark:   $operation  *[1-9][0-9]* planned" "$output" || fail "no planned $operation"
done

# With a trace, as large as it gets and smaller than what there is to record.
traced() { # MODE MAP
    run_options="-t $work/trace --mode $1"
    WAYMARK_TRACE_BYTES=256KiB && export WAYMARK_TRACE_BYTES
    c_program "$2" 4
    waymark report "$work/trace" >"$output" 2>&1 || fail "report of a $1 trace under $2"
    unset WAYMARK_TRACE_BYTES
}
traced flight hierarchy
traced full "$maps/segments.scm"
fortran_program hierarchy 4
run_options=

if [ "${WAYMARK_TEST_LARGE:-0}" = 1 ]; then
    limit=600
    c_program binomial 2 large
    c_program flat 2 large
fi
verdict
