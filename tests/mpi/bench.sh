#!/bin/sh
# `waymark bench` under mpirun: what it measures and writes, several maps at once, and how it fails. Nothing is said of
# times.
. "${srcdir:-.}/tests/mpi/job.sh"
mkdir "$work/here" && cd "$work/here" || exit 99
printf '(path-map (on allreduce (path (allreduce all #:shape (quote ring)))))\n' >own.scm
printf '(path-map (on bcast (path (bcast bore))))\n' >broken.scm

holds() { # WHAT TEXT
    grep -qF -- "$2" "$output" || fail "$1: '$2' is not said"
}

bench() { # STATUS WHAT RANKS ARGUMENT ...
    expected=$1 what=$2 ranks=$3
    shift 3
    job "$ranks" waymark bench "$@"
    [ $status -eq "$expected" ] || fail "$what: status $status, not $expected"
}

count() { # WHAT EXPECTED PATTERN FILE
    found=$(grep -c -- "$3" "$4")
    [ "$found" -eq "$2" ] || fail "$1: $found, not $2"
}

# Of each operation 4 sizes with 2 rotations, 4 contenders each; a barrier has one size, and a copy one contender.
sized=$(operations | grep -vcE '^(barrier|neighbor-.*)$')
bench 0 "all operations" 2 -m hierarchy -m own.scm --op all --bytes 8,4-16,3KiB --rounds 2 --against default,tuned --rotate 0,1MiB --format json -o all.json --plot all.svg
count "operations" $((sized + 2)) '^   "sizes":' all.json
count "sizes" $((8 * sized + 1 + 8)) '"bytes":' all.json
count "results" $((4 * (8 * sized + 1) + 8)) '"verified": true' all.json
count "limits" 3 '"flags":' all.json
count "wrong results" 0 '"verified": false' all.json
count "what was left out" 1 '"left_out": \[\]' all.json
count "files" 1 '"file": ".*/here/own.scm"' all.json
if command -v xmllint >/dev/null; then
    xmllint --noout all.svg || fail "the plot is not well-formed"
fi

bench 0 "five ranks" 5 -m hierarchy --op alltoall,exscan,reduce-scatter --bytes 2,1000 --rounds 1 --rotate 0
holds "text" "hierarchy"
holds "sums of halves" "left out: exscan of 2 B: the sums are of elements of 4 or 8 bytes"
bench 0 "one rank" 1 --op allreduce --bytes 8 --rounds 1 --format csv
holds "one rank" "allreduce,8,33554432,default,"
bench 0 "the library alone" 2 -m none --op barrier,copy --bytes 64 --rounds 1 --format csv
holds "the library alone" "barrier,0,0,default,"
holds "a copy" "copy,64,33554432,memcpy,"
bench 0 "a map alone" 2 -m own.scm --against none --op allreduce,bcast --bytes 8 --rounds 1 --format csv
holds "a map alone" "allreduce,8,33554432,own.scm,"
grep -q default "$output" && fail "a map alone: the library is measured"
bench 1 "a module that there is not" 2 -m none --against default,sn --op bcast --bytes 8 --rounds 1
holds "a module that there is not" "this Open MPI has no module 'sn' for collectives; name one of "
holds "a module that there is not" "tuned"

bench 1 "a broken map" 2 -m own.scm -m broken.scm --op bcast --bytes 8 --rounds 1
holds "a broken map" "broken.scm:1:"
holds "a broken map" "bore"
job_environment=WAYMARK_ON_ERROR=native
bench 1 "a broken map, with an excuse" 2 -m broken.scm --op bcast --bytes 8 --rounds 1
job_environment=

# The fault is found in the library, whose calls are spoilt, and told once; what else there is, is measured.
job 2 env LD_PRELOAD="$LD_PRELOAD_FIRST $build/tests/mpi/.libs/libspoiling.so" waymark bench -m none --op alltoall,bcast --bytes 8,64 \
    --rounds 1 --format csv
[ $status -eq 1 ] || fail "a library that errs: status $status"
holds "a library that errs" "wrong result: alltoall of 8 bytes by default: rank 1 received"
holds "a library that errs" "alltoall,64,33554432,default,,,,,no"
grep -q '^bcast,64,33554432,default,[0-9].*yes$' "$output" || fail "a library that errs: bcast is missing"

# mpirun hands a signal on: what there was is written. A rank is ready for it when it catches it.
catches_term() {
    caught=$(sed -n 's/^SigCgt:.*\(........\)$/\1/p' "/proc/$1/status" 2>/dev/null)
    [ $((0x${caught:-0} & 0x4000)) -ne 0 ]
}
timeout -k 5 $limit $mpirun --mca odls_base_sigkill_timeout 3 -n 2 waymark bench -m none --op allreduce,barrier --bytes 8 \
    --rounds 1000000 --format json -o cut.json </dev/null >"$output" 2>&1 &
limiter=$!
jobs=$((jobs + 1))
ready=0
while [ $ready -lt 2 ] && kill -0 $limiter 2>/dev/null; do
    ready=0
    launcher=$(pgrep -P $limiter)
    for process in $(pgrep -x -P "${launcher:-$limiter}" waymark-bench); do
        catches_term "$process" && ready=$((ready + 1))
    done
    [ $ready -eq 2 ] || sleep 0.1 # the processors are the ranks'
done
kill -TERM "$launcher"
wait $limiter
[ $? -ne 0 ] || fail "an interrupted job succeeds"
count "an interrupted result" 1 '"interrupted": true' cut.json
count "what it had measured" 1 '"name": "barrier"' cut.json

bench 1 "an output that cannot be written" 2 --op bcast --bytes 8 --rounds 1 -o no/such/folder
holds "an output that cannot be written" "cannot write 'no/such/folder'"
verdict
