#!/bin/sh
# Collectives on several hosts: two clusters of two, over TCP, ranks in blocks and dealt out, even and uneven.
# Also that `waymark run` takes map, library and trace to ranks that inherit nothing from mpirun, and so does `mpirun -x`.
#
# WAYMARK_TEST_CALLS: random calls a job (8); WAYMARK_TEST_SEED: where they begin (1).
. "${srcdir:-.}/tests/lab/lab.inc.sh"
calls=${WAYMARK_TEST_CALLS:-8}
seed=${WAYMARK_TEST_SEED:-1}

sh "$lab" up --dir "$hosts" --clusters 2 --hosts 2 --delay-ms 0.2 --life 600 || exit
maps=$srcdir/tests/mpi/maps
clusters=$srcdir/tests/lab/clusters.scm

COLLECTIVES_PLANNED=reductions
export COLLECTIVES_PLANNED
forwarded="$forwarded -x COLLECTIVES_PLANNED -x COLLECTIVES_MAPS"

collectives() { # MAP ...: the first is the job's, the others are given to its communicators
    map=$1
    shift
    COLLECTIVES_MAPS=$(for each in "$@"; do echo "$COLLECTIVES_PLANNED:$each"; done | tr '\n' ' ')
    export COLLECTIVES_MAPS
    seed=$((seed + 1))
    mapped "$map" "$ranks_placed" "$build/tests/mpi/collectives" $seed "$calls" $parts || { echo "  with $placement"; return; }
    grep -q '^collectives: .* 0 wrong$' "$output" || fail "map $map, $placement, seed $seed: no result"
    grep -qx "$# further maps" "$output" || fail "map $map, $placement, seed $seed: not every map had its turn"
}

# Every kind of data once; it is the ranks' places that differ.
parts=
placed 2,2,2,2 crossing
collectives "$clusters"
parts="world every-root nothing burst barrier communicators in-turns others blocks neighbours requests"
placed 2,2,2,2 block
collectives fast "$clusters"
placed 2,2,2,2 cyclic
collectives hierarchy rabenseifner
placed 3,1,2,2 block
collectives "$maps/segments.scm" "$clusters"
placed 1,2,1,3 cyclic
collectives "$clusters" fast hierarchy
COLLECTIVES_MAPS=

# The machine's own nodes are the hosts, and the trace of every rank comes to one directory, as on a shared file system.
placed 2,2,2,2 crossing
run_options="-v -t $work/trace"
mapped hierarchy 8 "$build/tests/mpi/collectives" 1 "$calls" world
grep -Eq 'allreduce +[1-9][0-9]* planned' "$output" || fail "waymark run: nothing was planned"
[ "$(ls "$work/trace" | grep -c '\.trace$')" = 8 ] || fail "waymark run: not every rank has left a trace"
waymark report "$work/trace" >"$output" 2>&1 || fail "report of a trace from several hosts"
for host in h1 h2 h3 h4; do
    grep -l "\"$host\"" "$work"/trace/*.json | wc -l | grep -q '^ *2$' || fail "$host is not named in two ranks' traces"
done
run_options=

# Hosts whose clocks disagree, held against the truth (tests/mpi/clock.sh).
placed 2,2,2,2 block
mpirun="$mpirun -x WAYMARK_TEST_CLOCK -x WAYMARK_TEST_CLOCK_BEGIN"
WAYMARK_TEST_CLOCK="2:1000000000:50,3:1000000000:50,4:-5000:30,5:-5000:30,6:7:-20,7:7:-20"
WAYMARK_TEST_CLOCK_BEGIN=$(cut -d. -f1 /proc/uptime)
export WAYMARK_TEST_CLOCK WAYMARK_TEST_CLOCK_BEGIN
mkdir "$work/truth"
if [ -z "$LD_PRELOAD_FIRST" ]; then
    job 8 env LD_PRELOAD="$build/.libs/libwm-skewed-clock-test.so" waymark run -t "$work/skewed" -- \
        "$build/tests/mpi/clock" 2 "$work/truth" together
    [ $status -eq 0 ] || fail "hosts whose clocks disagree: status $status"
    "$build/tests/mpi/clock_check" "$work/skewed" "$work/truth" >"$output" ||
        fail "hosts whose clocks disagree: beyond the bound"
    grep -q 'shared 4 several 1 synchronised 1' "$output" || fail "hosts whose clocks disagree are not brought together"
fi
placed 2,2,2,2 crossing

# Without waymark run, everything by hand.
mpirun="$mpirun -x LD_PRELOAD=${LD_PRELOAD_FIRST:+${LD_PRELOAD_FIRST#*=}:}$WAYMARK_PRELOAD -x WAYMARK_MAP=$clusters -x WAYMARK_VERBOSE=1"
job 8 "$build/tests/mpi/collectives" 1 "$calls" world
[ $status -eq 0 ] || fail "mpirun -x LD_PRELOAD -x WAYMARK_MAP: status $status"
grep -Eq 'allreduce +[1-9][0-9]* planned' "$output" || fail "mpirun -x LD_PRELOAD -x WAYMARK_MAP: nothing was planned"

# A lab that goes down takes its processes with it.
sh "$lab" down --dir "$hosts"
[ ! -e "$hosts" ] && ! grep -lsaF "$hosts" /proc/[0-9]*/cmdline >"$output" || fail "the lab leaves something behind"
verdict
