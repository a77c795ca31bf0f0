#!/bin/sh
# Conveyors of every kind under random and adversarial cases, in shared memory and by MPI, without a map and under maps that
# are hard, at 1 to 16 ranks; and a program written to the published headers.
#
# CONVEY_SEED: where the cases begin (the day: every one draws others); CONVEY_ROUNDS: how often each part's cases are drawn (1). A fault is told with
# its case: `tests/mpi/convey SEED PART/CASE` at the same number of ranks, under the same map, runs it again.
. "${srcdir:-.}/tests/mpi/job.sh"
convey=$build/tests/mpi/convey
published=$build/tests/mpi/convey_published
maps=$srcdir/tests/mpi/convey_maps
seed=${CONVEY_SEED:-$(($(date +%s) / 86400 * 1000))}
rounds=${CONVEY_ROUNDS:-1}
limit=$((60 + 60 * rounds))
CONVEY_LIMIT=${CONVEY_LIMIT:-100} CONVEY_ROUNDS=$rounds
export CONVEY_LIMIT CONVEY_ROUNDS
preload="LD_PRELOAD=${LD_PRELOAD_FIRST:+${LD_PRELOAD_FIRST#*=}:}$WAYMARK_PRELOAD"
mpi_first="LD_PRELOAD=${LD_PRELOAD_FIRST:+${LD_PRELOAD_FIRST#*=}:}$(${MPICC:-mpicc} --showme:libdirs)/libmpi.so"
by_mpi='MPI_Init was not Waymark.s, so that ranks share no memory'
echo "seed $seed"

# The first faults say more than the end of what the job said.
judge() { # WORD ...: what ran
    if [ $status -eq 124 ]; then
        fail "HANG: $*"
    elif [ $status -ne 0 ] || ! grep -Eq '^(convey: .* 0 wrong|published: 0 wrong.*)$' "$output"; then
        grep -E '^(WRONG|HANG)' "$output" | cut -c 1-500 | head -5
        shown=5 fail "status $status: $*"
    fi
}

# Each job has a seed of its own.
cases() { # RANKS PART ...: in the memory of the node, without a map
    seed=$((seed + 1)) ranks=$1
    shift
    job "$ranks" env "$preload" "$convey" $seed "$@"
    judge "$ranks ranks, no map: convey $seed $*"
}

bare() { # RANKS PART ...: the MPI library stands before the doors, so that all goes by MPI, and says so
    seed=$((seed + 1)) ranks=$1
    shift
    job "$ranks" env "$mpi_first" "$convey" $seed "$@"
    judge "$ranks ranks, MPI alone: convey $seed $*"
}

under() { # MAP RANKS PART ...
    seed=$((seed + 1)) map=$1 ranks=$2
    shift 2
    job "$ranks" waymark run -m "$maps/$map.scm" -- "$convey" $seed "$@"
    judge "$ranks ranks, map $map: convey $seed $*"
}

everything="flow:12 large chain:8 many handler alone state refusal memory codec bi bistate"
for ranks in 1 3; do
    cases $ranks $everything
done
cases 2 flow:12 large:2 chain:4 state refusal refusal/6 bi:4 bistate
cases 4 flow:12 large:1 chain:4 many handler alone state:4 memory bi:4
bare 3 $everything
cases 5 flow:4 chain:1 bi:1 handler:2
cases 16 flow:2 chain:1 bi:1

# Every map at a number of ranks that the seed says, each number under some map.
turn=$((seed % 6))
for map in one-hop messages two-hops three-hops three-levels choices; do
    set -- 4 2 3 6 5 8 4 2 3 6 5
    shift $turn
    under $map "$1" flow:6 chain:2 many:1 alone:3 bi:1 large:1 handler:3 memory:1 codec:3 state:2
    turn=$(((turn + 1) % 6))
done
under dealt 5 flow:8 chain:4 many:1 handler:3 alone:3 bi:2 codec:3
CONVEY_TEST_SYNCHRONOUS=1 && export CONVEY_TEST_SYNCHRONOUS
under synchronous 3 flow:5 large:1 chain:3 many:1 handler:3 state:3 refusal:3 memory:1 bi:2
unset CONVEY_TEST_SYNCHRONOUS

# Under the map that comes with Waymark a conveyor is what its constructor said.
CONVEY_TEST_AS_MADE=1 && export CONVEY_TEST_AS_MADE
job 4 waymark run -- "$convey" $seed flow:8 state:4 alone:3 bi:2
judge "4 ranks, map fast: convey $seed"
unset CONVEY_TEST_AS_MADE

# Codecs are called where the map has hops between nodes; and one that breaks its contract ends its conveyor, not the job.
CONVEY_TEST_BETWEEN=1 && export CONVEY_TEST_BETWEEN
under messages 3 codec
unset CONVEY_TEST_BETWEEN
CONVEY_TEST_SPOIL=1 && export CONVEY_TEST_SPOIL
under messages 4 codec/5
unset CONVEY_TEST_SPOIL

# What the environment says of conveyors without a map.
job_environment="CONVEY_BUFFER_SIZE=100 CONVEY_NLOCAL=2"
cases 4 flow:8 chain:2
job_environment=

# Of these draws some are of the published constructors.
job 4 waymark run -m "$maps/three-levels.scm" -t "$work/trace" --mode full -- "$convey" 2 flow:5 chain:2
judge "4 ranks, map three-levels, traced: convey 2 flow:5 chain:2"
waymark report "$work/trace" >"$output" 2>&1 || fail "report of a trace of conveyors"
grep -q "^Conveyor 'convey_new_[a-z]* [0-9]*'" "$output" || fail "conveyors of the published constructors have no names"

job 4 env "$preload" "$published"
judge "4 ranks: convey_published"
job 3 "$published"
judge "3 ranks, linked with the library: convey_published"
grep "$by_mpi" "$output" && fail "a program that is linked with the library shares no memory"
job 3 env "$mpi_first" "$published"
judge "3 ranks, MPI alone: convey_published"
[ "$(grep -c "$by_mpi" "$output")" = 1 ] || fail "that all goes by MPI is not said once"
job 4 waymark run -m "$maps/three-hops.scm" -- "$published"
judge "4 ranks, map three-hops: convey_published"
under held 7 flow:4 chain:2 many:1 bi:1 memory:1 codec:2 state:1
CONVEY_TEST_SYNCHRONOUS=1 && export CONVEY_TEST_SYNCHRONOUS
under bulk-ragged 5 flow:4 chain:2 alone:3 memory:1 bi:2
verdict
