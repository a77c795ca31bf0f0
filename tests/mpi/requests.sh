#!/bin/sh
# Nonblocking and persistent collectives in random batches, under maps that carry all of them out, some, and none.
#
# WAYMARK_TEST_CALLS: batches a job (30); WAYMARK_TEST_SEED: where they begin (1).
. "${srcdir:-.}/tests/mpi/job.sh"
maps=$srcdir/tests/mpi/maps
batches=${WAYMARK_TEST_CALLS:-30}
seed=${WAYMARK_TEST_SEED:-1}
limit=60

requests() { # MAP RANKS BATCHES PART ...
    map=$1 ranks=$2 count=$3
    shift 3
    seed=$((seed + 1))
    mapped "$map" "$ranks" "$build/tests/mpi/requests" $seed "$count" "$@" || return
    grep -q '^requests: .* 0 wrong$' "$output" || fail "map $map, $ranks ranks, seed $seed: no result"
    [ "$(grep -c '^under .* as well$' "$output")" -eq "$(echo "$REQUESTS_MAPS" | wc -w)" ] ||
        fail "$ranks ranks, seed $seed: not every map had its turn"
}

# also MAP ...: further maps, under which the next jobs' batches run as well.
also() { REQUESTS_MAPS=$* && export REQUESTS_MAPS; }

# Everything planned; `many` asks the map again and again.
REQUESTS_PLANNED=1 && export REQUESTS_PLANNED
also "$maps/many.scm"
for ranks in 1 2 3 4 8; do
    requests binomial $ranks "$batches"
done
also hierarchy
requests "$maps/segments.scm" 6 "$batches"
also "$maps/many.scm"
requests binomial 4 1 ahead
also ""
requests binomial 3 4 errors
echo '(path-map (on alltoallw ((string=? communicator "nobody") (native)) (else (path (alltoall all)))))' >"$work/named.scm"
requests "$work/named.scm" 4 1 idle
REQUESTS_MULTIPLE=1 && export REQUESTS_MULTIPLE
requests hierarchy 5 "$batches"
unset REQUESTS_MULTIPLE REQUESTS_PLANNED

# The library's own among them, by rules and by operations without any.
also "$maps/ordered.scm" native
for ranks in 1 3 4; do
    requests "$maps/choices.scm" $ranks "$batches"
done
also ""

# With a trace, which the native ones are in as well.
run_options="-t $work/trace --mode full"
requests "$maps/choices.scm" 3 10
waymark report "$work/trace" >"$output" 2>&1 || fail "report of a trace of requests"
run_options=
verdict
