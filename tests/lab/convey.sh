#!/bin/sh
# Conveyors on several hosts: links within a host by its memory, between hosts by MPI over TCP; ranks in blocks and dealt out,
# even and uneven, in one, two and three hops, with and without compression.
#
# CONVEY_SEED: where the cases begin (1795804519: in memory/0 of the second job only some ranks take blocks of the user's);
# CONVEY_ROUNDS: how often each part's cases are drawn (1).
. "${srcdir:-.}/tests/lab/lab.inc.sh"
seed=${CONVEY_SEED:-1795804519}
CONVEY_LIMIT=60 CONVEY_ROUNDS=${CONVEY_ROUNDS:-1}
export CONVEY_LIMIT CONVEY_ROUNDS

sh "$lab" up --dir "$hosts" --clusters 2 --hosts 2 --delay-ms 0.2 --life 600 || exit
echo "seed $seed"

forwarded="$forwarded -x CONVEY_LIMIT -x CONVEY_ROUNDS"
preload="LD_PRELOAD=${LD_PRELOAD_FIRST:+${LD_PRELOAD_FIRST#*=}:}$WAYMARK_PRELOAD"

judge() { # WORD ...: what ran
    [ $status -ne 124 ] || { fail "HANG: $*, $placement"; return; }
    if [ $status -ne 0 ] || ! grep -q '^convey: .* 0 wrong$' "$output"; then
        grep -E '^(WRONG|HANG)' "$output" | cut -c 1-500 | head -5
        shown=5 fail "status $status: $*, $placement"
    fi
}

cases() { # PART ...: without a map
    seed=$((seed + 1))
    job "$ranks_placed" env "$preload" "$build/tests/mpi/convey" $seed "$@"
    judge "no map: convey $seed $*"
}

under() { # MAP PART ...
    map=$1 seed=$((seed + 1))
    shift
    job "$ranks_placed" waymark run -m "$srcdir/tests/lab/$map.scm" -- "$build/tests/mpi/convey" $seed "$@"
    judge "map $map: convey $seed $*"
}

everything="flow:4 large:1 chain:2 many:1 handler:3 alone:3 memory:1 bi:1"
placed 2,2,2,2 block
cases $everything state:2
under convey-hops $everything codec:3
placed 2,2,2,2 cyclic
under convey-hops flow:3 chain:1 alone:2 bi:1
placed 3,1,2,2 block
under convey-hops flow:3 chain:1 alone:2 bi:1
placed 1,2,1,3 cyclic
cases flow:3 chain:1 alone:2 bi:1
placed 1,1,1,1 block
cases flow:3 chain:1 alone:2
CONVEY_TEST_SYNCHRONOUS=1 && export CONVEY_TEST_SYNCHRONOUS
CONVEY_LOAD=10 && export CONVEY_LOAD
forwarded="$forwarded -x CONVEY_TEST_SYNCHRONOUS -x CONVEY_LOAD"
placed 2,2,2,2 crossing
under convey-together flow:3 chain:1 many:1 bi:1
verdict
