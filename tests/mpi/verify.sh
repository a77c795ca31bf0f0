#!/bin/sh
# Calls that do not match are named with both sites, by class and line, under a guard; verified, they fail before their
# data is used; calls that differ as they may run as ever.
. "${srcdir:-.}/tests/mpi/job.sh"
guarded=$build/tests/mpi/guarded
mismatched=$build/tests/mpi/mismatched
limit=30 watched=yes
command -v addr2line >/dev/null && sites=yes

line_of() { # FILE SITE
    grep -nE "$2( |\$)" "$srcdir/tests/mpi/$1" | head -n 1 | cut -d : -f 1
}

verify=each

# verified MAP RANKS PROGRAM ARGUMENT ...: a job that ends by itself, whatever it meets.
verified() {
    map=$1 ranks=$2
    shift 2
    job "$ranks" waymark run -m "$map" --verify $verify -- "$@"
    [ $status -ne 124 ] && [ $status -ne 137 ] || shown=200 fail "HANG: map $map, $*" # 137: the launcher did not end by itself
}

# refused WHAT SITE SITE ...: the job has ended with the names of these lines of guarded.c.
refused() {
    what=$1
    shift
    [ $status -ne 0 ] || fail "$what: the job ends well"
    for site in "$@"; do
        grep -qF "${sites:+guarded.c:$(line_of guarded.c "site: $site")}" "$output" || fail "$what: no site '$site'"
    done
}

# What may differ; `full` looks at all that `each` does, and at more.
for map in native fast; do
    [ $map = native ] && verify=full || verify=each
    for program in $guarded $build/tests/mpi/guarded_nonblocking; do
        verified $map 3 "$program" legal
        [ $status -eq 0 ] || fail "legal under $map: status $status"
        ! grep -q '^waymark' "$output" || fail "something is said of what is legal under $map"
    done
done

# What several threads at once take away is said.
verify=full
verified native 2 "$build/tests/mpi/threads" 1 1
[ $status -eq 0 ] && grep -q '^waymark: under MPI_THREAD_MULTIPLE' "$output" || fail "threads: status $status, or nothing said"

# Buffers, counts between pairs, and what is not freed: calls return errors, and go on; leaks are told alone.
named() { # SENTENCE SITE SITE ...: with the sites in that order, where they are known
    sentence=$1
    shift
    for site in "$@"; do
        sentence=$(echo "$sentence" | sed "s/@/${sites:+flawed.c:$(line_of flawed.c "site: $site")}.*/")
    done
    grep -q "$sentence" "$output" || fail "not named: $sentence"
}
verify=full flawed=$build/tests/mpi/flawed
for map in native fast; do
    verified $map 3 "$flawed" legal
    [ $status -eq 0 ] && ! grep -q '^waymark' "$output" || fail "legal buffers under $map: status $status"
done
verified fast 3 "$flawed" calls
[ $status -eq 0 ] || fail "flawed calls: status $status"
named 'overlap on ranks 0-2: the send and the receive buffer of MPI_Allreduce (@' within
named 'overlap on rank 0: the receive buffer of MPI_Iallreduce (@the send buffer of MPI_Ibcast (@in flight' second first
named 'overlap on ranks 1-2: the receive buffer of MPI_Iallreduce (@the receive buffer of MPI_Ibcast (@' second first
named 'overlap on rank 1: the receive buffer of MPI_Bcast (@the send buffer of MPI_Iallreduce (@' blocking reads
named 'changed on rank 2: the send buffer of MPI_Iallreduce (@written to before the call was complete (@' begun ended
named 'mismatch on rank 0: MPI_Alltoallv, call 7 on .*(@4 bytes are to come from rank 1, which sends 0 (@' alltoallv alltoallv
named 'mismatch on rank 0: MPI_Alltoallw.*(@4 bytes are to come from rank 1, which sends 0 (@' alltoallw alltoallw
named 'mismatch on rank 2: MPI_Gatherv.*(@8 bytes are to come from rank 1, which sends 4 (@' gatherv gatherv
named 'mismatch on rank 1: MPI_Scatterv.*(@4 bytes are to come from rank 0, which sends 8 (@' scatterv scatterv
named 'mismatch on ranks 0-2: MPI_Allgatherv.*(@4 bytes are to come from rank 2, which sends 0 (@' allgatherv allgatherv
named 'mismatch on rank 0: MPIX_Alltoallv_init.*(@4 bytes are to come from rank 1, which sends 0 (@' init init
named 'mismatch on rank 2: MPI_Neighbor_alltoallv.*(@4 bytes are to come from rank 1, which sends 8 (@' ring ring
named 'mismatch on ranks 1-2: MPI_Neighbor_allgather,.*(@4 bytes are to come from rank 0, which sends 8 (@' around around
named 'overlap on ranks 1-2: the receive buffer of MPIX_Bcast_init (@the send buffer of MPIX_Allreduce_init (@' other made
named 'changed on rank 2: the send buffer of MPIX_Allreduce_init (@written to before the call was complete (@' made completed
[ "$(grep -cE 'rank 0: 10 errors|rank 1: 12 errors|rank 2: 11 errors' "$output")" -eq 3 ] || fail "not all flawed calls return an error"
named 'leak on ranks 0-2: 2 communicators were never freed, the first one of @' communicator
named 'leak on ranks 0-2: 1 datatype was never freed, of @' datatype
named 'leak on ranks 0-2: 1 operator was never freed, of @' operator
named 'leak on rank 1: 1 request was never completed or freed, of @' request
[ "$(grep -c '^waymark' "$output")" -eq 19 ] || fail "more is told than is wrong"
for map in native fast; do
    verified $map 3 "$flawed" waits
    [ $status -ne 0 ] || fail "counts of a nonblocking call under $map: the job ends well"
    named 'mismatch on rank 0: MPI_Ialltoallv, call 1 on .*(@4 bytes are to come from rank 1, which sends 0 (@' later later
done

# Bits that a map changes in its messages: one call in 16 is looked at, and every such one is found wrong.
verify=results
{
    echo "(path-map #:faults #t"
    for operation in bcast reduce gather scatter allgather alltoall reduce-scatter; do
        echo "(on $operation (path (flip 100%) ($operation all)))"
    done
    for pair in 'reduce-scatter-block reduce-scatter' 'allgatherv allgather' 'alltoallv alltoall'; do
        echo "(on ${pair% *} (path (flip 100%) (${pair#* } all)))"
    done
    echo "(on allreduce (path (flip 100%) (allreduce all #:shape 'ring))))"
} >"$work/flip.scm"
# By the map: of those paths that say so, and no others.
sed "/(on gather /! s/(path (flip/(path (verify 'results) (flip/" "$work/flip.scm" >"$work/verify.scm"
job 3 waymark run -m "$work/verify.scm" -- "$flawed" results
[ "$(sed -n 's/^operation \(.*\) is wrong 2 times/\1/p' "$output" | sort -u | wc -l)" -eq 14 ] ||
    fail "not all wrong results are found, or others, too, by the map"

verified "$work/flip.scm" 3 "$flawed" results
[ "$(sed -n 's/^operation \(.*\) is wrong 2 times/\1/p' "$output" | sort -u | wc -l)" -eq 15 ] ||
    fail "not all wrong results are found"
named "wrong result on ranks 0-2: MPI_Allreduce, call 1 on .* (@, of (allreduce all #:shape 'ring), flip.scm:12:.* add up" sum
named "wrong result on ranks 0-2: MPI_Allreduce, call 1 on .* (@, of .*: the same reduction by other messages" most
named "wrong result on ranks 0-2: MPI_Allreduce, call 1 on .* (@, of .*: the ranks have got different ones" real
named "wrong result on rank.*: MPI_Bcast, call 1 on .* (@, of .*: what has come from rank 2 is not what it sent" copy
verify=full

verified fast 3 "$flawed" fatal
[ $status -ne 0 ] && grep -q 'ends the job for this' "$output" || fail "a flaw does not end the job"
verify=each

# What does not match, and would hang or return wrong data.
for map in native fast; do
    verified $map 3 "$guarded" silent
    refused "root under $map" roots
    verified $map 2 "$guarded" hang
    refused "bcast and reduce under $map" bcast reduce
done
for map in native fast; do
    verified $map 2 "$guarded" hang 1
    refused "barrier and allreduce under $map" barrier
    verified $map 2 "$guarded" hang 2
    refused "bcast and ibcast under $map" ibcast
    verified $map 2 "$guarded" hang 4
    refused "an absent rank under $map" absent
done
verified fast 2 "$guarded" order
refused 'order' order
verified fast 3 "$guarded" operators
refused 'operators' operators
! grep -q used "$output" || fail "the sum of a call that does not match was used"

# Ranks that wait for each other's messages for ever, in a receive and for a request.
for what in receives request; do
    verified native 2 "$build/tests/mpi/guarded_messages" $what
    [ $status -ne 0 ] && grep -q '^waymark: deadlock: .*: proven' "$output" && grep -q 'ends the job for this' "$output" ||
        fail "$what: status $status"
done

# Without verifying, the guard names what ends the job.
job 2 waymark run -m fast --guard watch -- "$guarded" hang
refused 'watched' bcast reduce

# Classes and lines: $right of $all cases, of some each day. VERIFY_CASES="0 10 20" for all.
right=0 all=0
judge() { # FIRST END: the cases of a job, of which the doctor has spoken
    for name in $(sed -n 's/^    {"\([a-z-]*\)", .*},*$/\1/p' "$srcdir/tests/mpi/mismatched.c" | sed -n "$1,$2p"); do
        all=$((all + 1))
        one=$(line_of mismatched.c "a: $name") other=$(line_of mismatched.c "b: $name")
        : "${other:=$one}"
        if sed -n "/^mismatch:.* '$name'/,/^[^ ]/p" "$output.doctor" >"$output.case" && [ -s "$output.case" ] &&
            grep -qF "${sites:+mismatched.c:$one}" "$output.case" && grep -qF "${sites:+mismatched.c:$other}" "$output.case"; then
            right=$((right + 1))
        else
            echo "not named: $name"
        fi
    done
}

trace=$work/trace
for first in ${VERIFY_CASES:-$(($(date +%s) / 86400 % 3 * 10))}; do
    rm -rf "$trace"
    jobs=$((jobs + 1))
    env $LD_PRELOAD_FIRST timeout -k 5 $limit $mpirun -n 20 waymark run -m native --guard on -t "$trace" --trace-level off -- \
        "$mismatched" $first </dev/null >"$output" 2>&1 &
    job_pid=$!
    until waymark doctor --format json "$trace" 2>&1 | grep -q '"seen": 20\>' || ! kill -0 $job_pid 2>/dev/null; do
        sleep 0.1
    done
    named=-1 now=0
    while [ $named -lt $now ] && kill -0 $job_pid 2>/dev/null; do # until a look has nothing new
        named=$now
        sleep 1
        waymark doctor "$trace" >"$output.doctor" 2>&1
        now=$(grep -c '^mismatch' "$output.doctor")
    done
    kill $job_pid 2>/dev/null
    wait $job_pid
    judge $((first + 1)) $((first + 10))
done
echo "cases from $first on: $right of $all have the right class and line"
[ $((right * 10)) -ge $((all * 8)) ] || fail "too few"

echo "$jobs jobs, $failures failures"
[ $failures -eq 0 ]
