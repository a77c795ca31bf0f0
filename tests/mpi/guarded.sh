#!/bin/sh
# Calls that do not match are named, with their sites, by pages alone; what may differ is not.
. "${srcdir:-.}/tests/mpi/job.sh"
guarded=$build/tests/mpi/guarded
trace=$work/trace
limit=60
command -v addr2line >/dev/null && sites=yes

doctor() { # OPTION ...
    waymark doctor "$@" "$trace" >"$output.doctor" 2>&1
    verdict=$?
    cat "$output.doctor" >>"$output"
}

says() { # TEXT
    grep -qF -- "$1" "$output.doctor" || fail "the doctor does not say '$1'"
}

# party RANKS FUNCTION ARGUMENTS FILE SITE: a line of a mismatch; the source has a comment with the site's name there.
party() {
    line=$(grep -nE "site: $5( |\$)" "$srcdir/tests/mpi/$4" | cut -d : -f 1)
    text=$(echo " $1 $2 $3 ${sites:+$4:$line}" | tr -s ' ')
    tr -s ' ' <"$output.doctor" | grep -qF -- "${text% }" || fail "the doctor does not say '$text'"
}

is() { # VERDICT WHAT
    [ "$verdict" -eq "$1" ] || fail "$2: the doctor ends with $verdict, not $1"
}

# over MAP RANKS WORD: a job that ends by itself, and is judged then.
over() {
    rm -rf "$trace"
    job "$2" waymark run -m "$1" --guard on -t "$trace" -- "$guarded" "$3"
    [ $status -ne 124 ] || fail "HANG: map $1, $3"
    doctor
}

is_complete() { # VERDICT
    [ $verdict -eq "$1" ] && [ "$(grep -c '^mismatch: call' "$output.doctor")" -ge "${expected:-0}" ] &&
        { [ -z "$expected" ] || ! grep -q 'has made no such call so far' "$output.doctor"; }
}

# hanging MAP RANKS WORD VERDICT [QUESTION]: a job that hangs is asked until there is the verdict, of so many mismatches
# as are $expected, and ended.
hanging() {
    rm -rf "$trace"
    jobs=$((jobs + 1))
    env $LD_PRELOAD_FIRST timeout -k 5 $limit $mpirun -n "$2" waymark run -m "$1" --guard on -t "$trace" -- "$guarded" $3 \
        </dev/null >"$output" 2>&1 &
    job_pid=$!
    verdict=0
    until waymark doctor --format json "$trace" 2>&1 | grep -q "\"seen\": $2\>" || ! kill -0 $job_pid 2>/dev/null; do
        sleep 0.1 # a rank without a page is not missed
    done
    sleep 0.1
    while kill -0 $job_pid 2>/dev/null && ! is_complete "$4"; do
        doctor
    done
    kill -0 $job_pid 2>/dev/null || doctor # it has ended by itself
    is "$4" "map $1, $3"
    [ -z "$5" ] || "$5"
    kill $job_pid 2>/dev/null
    wait $job_pid
}

for map in native fast; do
    over $map 3 legal
    [ $status -eq 0 ] || fail "legal: status $status"
    is 0 "legal differences under $map"
done

over native 3 silent
is 1 silent
party 'ranks 0-1' MPI_Bcast 'root 0, 4 MPI_INT' guarded.c roots
party 'rank 2' MPI_Bcast 'root 1, 4 MPI_INT' guarded.c roots
party 'ranks 0-1' MPI_Allreduce 'sum, 1 MPI_INT' guarded.c operators
party 'rank 2' MPI_Allreduce 'max, 1 MPI_INT' guarded.c operators
party 'rank 1' MPI_Gather 'root 0, 1 MPI_INT' guarded.c excess
party 'rank 1' MPI_Bcast 'root 0, 4 MPI_FLOAT' guarded.c types
party 'rank 1' MPI_Bcast 'root 0, 1 MPI_DOUBLE' guarded.c two-for-one
party 'ranks 0-1' MPI_Reduce 'root 0, sum, 1 MPI_INT' guarded.c rounds
party 'rank 2' MPI_Reduce 'root 0, max, 1 MPI_INT' guarded.c rounds
[ "$(grep -c '^mismatch: call 1 on ' "$output.doctor")" -eq 6 ] || fail "there are not six mismatches"

over native 3 long
is 1 long
says 'mismatch: call 4001 '
party 'rank 1' MPI_Allreduce 'max, 1 MPI_INT' guarded.c long

for map in native fast; do
    over $map 3 truncate
    is 1 truncate
    party 'rank 0' MPI_Bcast 'root 0, 64 MPI_INT' guarded.c truncate
done
over native 3 other
is 1 other
party 'rank 0' MPI_Allreduce 'sum, 64 MPI_INT' guarded.c other

# Three that do not match, two ranks in another order, one that has gone home.
all_five() {
    party 'rank 0' MPI_Reduce 'root 0, sum, 1 MPI_INT' guarded.c reduce
    party 'rank 1' MPI_Bcast 'root 0, 1 MPI_INT' guarded.c bcast
    party 'rank 2' MPI_Barrier '' guarded.c barrier
    party 'rank 4' MPI_Ibcast 'root 0, 1 MPI_INT' guarded.c ibcast
    while ! grep -q Finalize "$output.doctor" || ! grep -q deadlock "$output.doctor"; do
        kill -0 $job_pid 2>/dev/null || { fail "no deadlock, or nobody in MPI_Finalize"; return; }
        doctor
    done
    says "deadlock: rank 6 waits in MPI_Allreduce, call 1 on 'row'"
    says "mismatch: rank 8 waits in MPI_Allreduce, call 2 on 'absent'"
}
expected=3
hanging native 10 hang 1 all_five

# The same under a map, where what does not match may return, fail or hang.
pairs() {
    party 'rank 1' MPI_Bcast 'root 1, 4 MPI_INT' guarded.c roots
    party 'rank 3' MPI_Allreduce 'max, 1 MPI_INT' guarded.c operators
    party 'rank 5' MPI_Gather 'root 0, 1 MPI_INT' guarded.c excess
    party 'rank 7' MPI_Bcast 'root 0, 4 MPI_FLOAT' guarded.c types
    party 'rank 9' MPI_Bcast 'root 0, 1 MPI_DOUBLE' guarded.c two-for-one
    party 'rank 11' MPI_Bcast 'root 0, 4 MPI_INT' guarded.c truncate
    party 'rank 13' MPI_Allreduce 'sum, 4 MPI_INT' guarded.c other
}
expected=7
hanging fast 14 pairs 1 pairs
expected=
unlike() {
    party 'rank 0' MPI_Reduce 'root 0, sum, 1 MPI_INT' guarded.c reduce
    party 'rank 1' MPI_Bcast 'root 0, 1 MPI_INT' guarded.c bcast
}
hanging fast 2 hang 1 unlike

# Nonblocking ones, none of which is ever waited for.
same() {
    party 'rank 1' MPI_Ibcast 'root 1, 4 MPI_INT' guarded_nonblocking.c roots
    party 'rank 1' MPI_Iallreduce 'max, 1 MPI_INT' guarded_nonblocking.c operators
    party 'rank 1' MPI_Igather 'root 0, 1 MPI_INT' guarded_nonblocking.c excess
    party 'rank 1' MPI_Ibcast 'root 0, 4 MPI_FLOAT' guarded_nonblocking.c types
    party 'rank 1' MPI_Ibcast 'root 0, 1 MPI_DOUBLE' guarded_nonblocking.c two-for-one
    party 'rank 1' MPI_Ibcast 'root 0, 4 MPI_INT' guarded_nonblocking.c truncate
    party 'rank 1' MPI_Iallreduce 'sum, 4 MPI_INT' guarded_nonblocking.c other
}
other() {
    party 'rank 1' MPI_Ireduce 'root 0, sum, 1 MPI_INT' guarded_nonblocking.c reduce
    party 'ranks 0, 2' MPI_Ibcast 'root 0, 1 MPI_INT' guarded_nonblocking.c bcast
    party 'rank 1' MPI_Ibarrier '' guarded_nonblocking.c barrier
    party 'ranks 0, 2' MPI_Ibcast 'root 0, 1 MPI_INT' guarded_nonblocking.c order
}
collectives=$guarded
guarded=$build/tests/mpi/guarded_nonblocking
for map in native fast; do
    over $map 3 legal
    [ $status -eq 0 ] || fail "nonblocking, legal: status $status"
    is 0 "legal differences of nonblocking calls under $map"
    expected=7
    hanging $map 3 same 1 same
    expected=3
    hanging $map 3 other 1 ${others-other}
    expected=
    others= # under a map the first one ends the job
done
guarded=$collectives

# The process says as much as the directory, and JSON as much as the text.
ask_process() {
    says "deadlock: rank 0 waits in MPI_Allreduce, call 1 on 'row'"
    says "rank 0           is in MPI_Allreduce, call 1 on 'row'"
    waymark doctor $job_pid >"$output.process" 2>&1
    cmp -s "$output.process" "$output.doctor" || fail "asked by its process: $(cat "$output.process")"
    doctor --format json
    says '"verdict": "deadlock"'
}
hanging fast 2 order 2 ask_process

line_of() { # SITE [FILE]: "FILE:LINE)", or nothing
    [ -z "$sites" ] || echo "${2-guarded_messages.c}:$(grep -nE "site: $1( |\$)" "$srcdir/tests/mpi/${2-guarded_messages.c}" | cut -d : -f 1))"
}
# A message inside of a planned call is lost: it is named, with its line of the map.
printf "(path-map #:faults #t\n  (on allreduce (path (lose 100%%) (allreduce all #:shape 'ring))))\n" >"$work/lossy.scm"
missing_message() {
    while ! grep -q missing "$output.doctor" && kill -0 $job_pid 2>/dev/null; do
        doctor
    done
    says "hang: ranks 0-2 wait in MPI_Allreduce, call 1 on MPI_COMM_WORLD ($(line_of lost guarded.c)"
    says "  missing is message 0, 84 B, rank 2 -> 0, of (allreduce all #:shape 'ring), lossy.scm:2:35"
}
hanging "$work/lossy.scm" 3 lost 4 missing_message

# Messages: what is proven, with the sites, and what only looks so.
messages() {
    while [ "$(grep -c '^deadlock\|^mismatch\|^waiting' "$output.doctor")" -lt 13 ]; do
        kill -0 $job_pid 2>/dev/null || { fail "not all waits for messages are proven"; return; }
        doctor
    done
    says 'deadlock: ranks 0 -> 1 -> 2 -> 0 wait for each other: proven'
    says "  ranks 0-2        MPI_Send 1 MiB to the next rank, tag 7, on 'sends' ($(line_of sends)"
    says 'such a send waits for its receive'
    says 'deadlock: ranks 3 -> 4 -> 3 wait for each other: proven'
    says "  ranks 3-4        MPI_Recv from the next rank, tag 3, on 'receives' ($(line_of receives)"
    says "mismatch: rank 5 waits in MPI_Recv from rank 6, tag 3, on 'leaves' ($(line_of leaves)"
    says '  rank 6           is in MPI_Finalize, and never comes'
    says "  rank 7           MPI_Barrier, call 1 on 'mixed' ($(line_of barrier)"
    says "  rank 8           MPI_Recv from rank 7, tag 3, on 'mixed' ($(line_of mixed)"
    says '  ranks 9-10       MPI_Waitall for all of 3 requests: '
    says "from the next rank, tag 2, on 'all' ($(line_of all)"
    says "  rank 11          MPI_Waitany for one of 2 requests: from rank 12, tag 1, on 'any'; from rank 12, tag 2"
    says "deadlock: ranks 13-15 wait in MPI_Recv from any rank, tag 3, on 'source' ($(line_of source)"
    says "  rank 16          MPI_Recv from rank 17, tag 5, on 'tags' ($(line_of tag-5)"
    says "  rank 17          MPI_Ssend 4 B to rank 16, tag 7, on 'tags' ($(line_of tag-7)"
    says '  ranks 18-19      MPI_Sendrecv 4 B to the next rank, tag 1'
    says "  ranks 20-21      MPI_Wait from the next rank, tag 1, on 'persistent' ($(line_of persistent)"
    says "  rank 22          MPI_Wait for MPI_Ibarrier, call 1 on 'request'"
    says "waiting: ranks 26-27 wait in MPI_Recv from the previous rank, tag 4, on 'through' ($(line_of through)"
}
open_waits() {
    touch "$work/go"
    wait $job_pid
    status=$?
    [ $status -eq 0 ] || fail "open waits for messages: status $status"
    ! grep -q proven "$output.doctor" || fail "what is open is said to be proven: $(cat "$output.doctor")"
    over native 4 traffic
    [ $status -eq 0 ] || fail "traffic: status $status"
    is 0 traffic
}
guarded=$build/tests/mpi/guarded_messages
hanging native 28 proven 1 messages
hanging native 11 "open $work/go" 4 open_waits
guarded=$collectives

if [ -x "$build/tests/mpi/guarded_f" ]; then
    guarded=$build/tests/mpi/guarded_f
    in_fortran() {
        says 'deadlock: ranks 0 -> 1 -> 0 wait for each other: proven'
        says "MPI_Recv from rank 1, tag 4 ($(line_of receive guarded_f.F90)"
        says "MPI_Waitall for all of 2 requests: from rank 0, tag 5; from rank 0, tag 6 ($(line_of waitall guarded_f.F90)"
    }
    hanging native 2 messages 2 in_fortran
    over native 3 all
    is 1 Fortran
    party 'rank 2' MPI_Bcast 'root 1, 4 MPI_INTEGER' guarded_f.F90 module
    party 'ranks 0, 2' MPI_Allreduce 'sum, 4 MPI_INTEGER' guarded_f.F90 f08-sum
    party 'rank 1' MPI_Allreduce 'max, 4 MPI_INTEGER' guarded_f.F90 f08-max
fi

waymark doctor "$work" >"$output.doctor" 2>&1
[ $? -eq 5 ] || fail "a directory without pages: $(cat "$output.doctor")"

echo "$jobs jobs, $failures failures"
[ $failures -eq 0 ]
