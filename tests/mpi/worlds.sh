#!/bin/sh
# Communicators of several MPI_COMM_WORLDs, of which both, one or none have Waymark: they stay native, and nobody waits.
. "${srcdir:-.}/tests/mpi/job.sh"
worlds=$build/tests/mpi/worlds
limit=40
tries=5

# Open MPI 4.1.4's own spawn and accept hang in some runs, without us too: only what hangs each time is a fault.
hangs() { # RANKS WORD ...
    for try in $(seq $tries); do
        job "$@"
        [ $status -eq 124 ] || [ $status -eq 137 ] || return 1
    done
}

joined() { # WHAT RANKS WORD ...
    what=$1
    shift
    hangs "$@" && { fail "HANG, $tries times of $tries: $what"; verdict; exit; }
    [ $status -eq 0 ] || { fail "$what: status $status"; return 1; }
    for world in parents children; do
        grep -q "^$world: results right\$" "$output" || fail "$what: no results of the $world"
    done
}

says() { # WHAT COUNT TEXT: the output holds the text so many times
    found=$(grep -cF -- "$3" "$output")
    [ "$found" -eq "$2" ] || fail "$1: '$3' stands $found times in the output, not $2 times"
}

# The trace of one world: four calls at each use of MPI_COMM_WORLD and of the part of one world, under its own map alone.
reported() { # MAP CALLS TRACE
    waymark report "$3" >"$output" 2>&1 || fail "no report of $3"
    says "$3" 1 "critical paths: $2 calls"
    others=$(grep -o '[a-z]*\.scm:[0-9]' "$output" | grep -vc "^$1.scm")
    [ "$others" -eq 0 ] || fail "$3: $others places of other maps than $1"
}

hangs 2 "$worlds" accept && { echo "spawn or accept hang natively"; exit 77; }

for map in native hierarchy fast ring; do
    joined "parents under $map" 2 waymark run -m $map -- "$worlds" spawn
done
joined "traced parents" 2 waymark run -m hierarchy -t "$work/trace" -- "$worlds" spawn
joined "children under a map" 2 "$worlds" spawn waymark run -m hierarchy --
joined "the same map" 2 waymark run -m ring -- "$worlds" accept waymark run -m ring --
joined "two maps, one trace directory" 3 waymark run -m ring -t "$work/trace" -- "$worlds" accept \
    waymark run -m hierarchy -t "$work/trace" --
reported ring 16 "$work/trace"
reported hierarchy 16 "$work"/trace/spawned-*
joined "no rules for the parents, no map for the children" 2 waymark run -m native -v -- "$worlds" spawn

job_environment="LD_PRELOAD=${LD_PRELOAD_FIRST:+${LD_PRELOAD_FIRST#*=}:}$WAYMARK_PRELOAD WAYMARK_MAP=hierarchy \
WAYMARK_TRACE=$work/inherited"
joined "children that inherit all" 2 "$worlds" spawn
job_environment=
reported hierarchy 12 "$work/inherited"
reported hierarchy 12 "$work"/inherited/spawned-*

# MPI_COMM_WORLD and the part of one world are under the map; what spans both is not, and that is said once an operation.
joined "said at the end" 2 waymark run -m hierarchy -v -- "$worlds" spawn
says "said at the end" 1 "$(printf '%-20s %10d planned %10d native' allreduce 12 24)"
says "said at the end" 4 "native: on a communicator of several MPI_COMM_WORLDs, which no path serves"
joined "not asked for" 2 waymark run -m hierarchy -- "$worlds" spawn
says "not asked for" 0 "waymark: "
verdict
