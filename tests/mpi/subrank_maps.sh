#!/bin/sh
# Subranks under a map: random programs get what plain MPI gives, by every map that comes with Waymark.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60

waymark cc -O1 -I"$srcdir" -o "$work/programs" "$srcdir/tests/mpi/random_programs.c" \
    "$srcdir/tests/mpi/random_programs_inter.c" || fail "waymark cc"
job 6 "$work/programs" 1 25
plain=$(grep ', 0 wrong, sum ' "$output") || fail "plain programs"

programs() { # MAP [OPTION]
    map=$1
    job 2 waymark run --subranks 3 -m "$@" -- "$work/programs" 1 25
    [ $status -eq 0 ] && grep -q "^$plain$" "$output" || fail "random programs by $map"
}
for map in "$srcdir"/specs/*.scm; do
    [ "$map" = "$srcdir/specs/waymark.scm" ] || programs "$map"
done

# Axes of its own, by counts; all levels there are; nets and sizes of messages. What no rule is for goes by built-in paths.
cat >"$work/counts.scm" <<'S'
(path-map
  #:grid '((house 2) (room 3))
  (on allreduce (path (reduce room) (allreduce house)))
  (on messages
    ((<= bytes 1KiB) (path (remote 'mpi #:eager 512)))
    (else (path (remote 'mpi #:rendezvous 'all)))))
S
cat >"$work/levels.scm" <<'S'
(path-map
  (on allreduce
    ((string=? communicator "MPI_COMM_WORLD") (path (trace) (reduce sibling) (reduce process) (allreduce node)))
    (else (path (reduce core #:shape 'shared) (allreduce node)))))
S
programs "$work/counts.scm" -v
grep -q '^waymark:   allreduce  *[1-9][0-9]* planned' "$output" && grep -q '^waymark:   bcast  *0 planned  *[1-9]' "$output" ||
    fail "the counts of a map for subranks"
programs "$work/levels.scm"

# A tree adds in an order of its own, and in the same one whoever runs the call.
cat >"$work/same.c" <<'C'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    double in, out, first = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    in = rank == 0 ? 1e16 : 1;
    for (int call = 0; call < 8; call++) {
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        first = call == 0 ? out : first;
        wrong += out != first;
    }
    if (rank == 0)
        printf("%d differ\n", wrong);
    MPI_Finalize();
    return 0;
}
C
waymark cc -O1 -o "$work/same" "$work/same.c" || fail "waymark cc"
echo "(path-map (on allreduce (path (allreduce sibling #:shape '(shared 2)) (allreduce process) (allreduce node))))" >"$work/tree.scm"
job 1 waymark run --subranks 8 -m "$work/tree.scm" -- "$work/same"
[ $status -eq 0 ] && grep -qx '0 differ' "$output" || fail "sums of one call and of the next one"

# The map says how many, and where; the command line wins.
cat >"$work/where.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, pid = (int)getpid(), pids[64], first;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Gather(&pid, 1, MPI_INT, pids, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (argc > 1) {
        MPI_Info info;
        MPI_Comm twin;

        MPI_Info_create(&info);
        MPI_Info_set(info, "waymark_map", argv[1]);
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &twin);
        MPI_Barrier(twin);
    }
    for (int i = 0; rank == 0 && i < size; i++) {
        for (first = 0; pids[first] != pids[i]; first++)
            ;
        printf(i + 1 < size ? "%d " : "%d\n", first);
    }
    MPI_Finalize();
    return 0;
}
C
waymark cc -o "$work/where" "$work/where.c" && cp "$work/where" "$work/elsewhere" || fail "waymark cc"
stands() { # RANKS CLAUSES PROGRAM [OPTION ...]: for each rank, the first one of its process
    echo "(path-map $2 (on bcast (path (bcast core) (bcast node))))" >"$work/many.scm"
    expected=$1 program=$3
    shift 3
    job 2 waymark run -m "$work/many.scm" "$@" -- "$work/$program"
    [ $status -eq 0 ] && grep -qx "$expected" "$output" || fail "$program does not stand so: $expected"
}
stands '0 0 2 2' "(subranks 2 #:stack 512KiB #:workers 1 #:order 'sibling #:private 'copy)" where
stands '0 1 0 1 0 1' "(subranks 3 #:map 'cyclic)" where
stands '0 1 1 0' "(subranks 2 #:map '((0 3) (2 1)))" where
stands '0 1' '(subranks 2 #:program "where") (subranks 1)' elsewhere
stands '0 0 0 3 3 3' '(subranks 1) (subranks 3 #:program "where")' where
stands '0 0 0 3 3 3' '(subranks 3 #:workers 3 #:steal #t)' where -v
grep -q '^waymark: the 3 workers of a process ' "$output" || fail "the workers of a map"
stands '0 0 2 2' '(subranks 3 #:workers 3)' where --subranks 2 -v
grep -q '^waymark: the 2 workers of a process ' "$output" || fail "the workers of a map, with fewer subranks"
stands '0 1' '(subranks 2)' where --subranks 1
stands '0 1 0 1' "(subranks 3 #:map 'cyclic)" where --subranks 2
echo "(path-map (subranks 2 #:map '((0 3) (2 1))))" >"$work/many.scm"
job 1 waymark run -m "$work/many.scm" -- "$work/where"
[ $status -ne 0 ] && grep -q "many.scm:1:11: the table of subranks is for 2 processes of 2 subranks each, but the job has 1 of 2; " "$output" ||
    fail "a table for another job"

# A map of a communicator's own is not for subranks.
job 2 waymark run --subranks 2 -- "$work/where" ring
[ $status -eq 0 ] && grep -q "^waymark: the info key 'waymark_map' has no effect on subranks, " "$output" ||
    fail "a communicator of subranks with a map of its own"

# Traced, each subrank is a rank of the trace, numbered as the map says; what the report says of them is exact.
cat >"$work/traced.c" <<'C'
#include <mpi.h>
#include <waymark/mark.h>

int main(int argc, char **argv)
{
    int rank, size, sum, sums;
    MPI_Comm half;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
    wm_trace_mark(rank % 2 ? "is odd" : "is even");
    for (int i = 0; i < 5; i++) {
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ibarrier(half, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(&sum, &sums, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv_replace(&sum, 1, MPI_INT, (rank + 1) % size, 3, (rank + size - 1) % size, 3, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        MPI_Pcontrol(i == 2 ? 1 : -1);
    }
    MPI_Finalize();
    return 0;
}
C
cat >"$work/traced.scm" <<'S'
(path-map
  (subranks 2 #:map '((1 3) (0 2)))
  (on allreduce (path (trace) (reduce sibling) (reduce process) (allreduce node)))
  (on messages (path (trace) (remote 'auto))))
S
waymark cc -I"$srcdir/include" -o "$work/traced" "$work/traced.c" || fail "waymark cc"
job 2 waymark run -m "$work/traced.scm" -t "$work/trace" -- "$work/traced"
[ $status -eq 0 ] || fail "status $status of a traced job"
waymark report "$work/trace" --format json >"$output" 2>&1 || fail "no report"
tr -d ' \n' <"$output" >"$work/json"
holds() {
    grep -qE -- "$1" "$work/json" || fail "nothing in the report matches $1"
}
holds '"program":"traced","ranks":4,"ranks_read":4,.*"rank_numbers":\[0,1,2,3\]'
holds '"lost":0,"residual_ns":0,.*"incomplete":0,"unmatched":0,"unknown":0,'
holds '"size":2,"name":"even"\}.*"size":2,"name":"odd"'
holds '"node":1,"calls":15,"regions":40,[^[]*"operation":"allreduce"'
holds '"node":0,"calls":10,"regions":20,[^[]*"operation":"barrier".*"flights":20,"overlap"'
[ "$(grep -o '"name":"MPI","node":[0-9]*,"rank":[0-3],"endpoint":[0-3],"sent":3,"received":3,"left":0,' "$work/json" | wc -l)" = 4 ] ||
    fail "the report does not know which messages there were"
grep -q '"process":1,"sibling":1,"siblings":2' "$work/trace/rank-00002.json" || fail "where rank 2 is"
waymark convert "$work/trace" --to csv -o "$work/converted.csv" >"$output" 2>&1 || fail "convert to csv"
[ "$(grep -c ',is odd,\|,is even,' "$work/converted.csv")" = 4 ] || fail "the marks"
waymark top --once "$work/trace" >"$output" 2>&1 && grep -q '4 of 4 ranks; .* all have ended' "$output" || fail "top"

refused() { # SENTENCE: the map from standard input
    cat >"$work/wrong.scm"
    job 2 waymark run --subranks 2 -m "$work/wrong.scm" -- "$work/programs" 1 1
    [ $status -ne 0 ] && [ "$(grep -c "wrong.scm:$1" "$output")" = 1 ] || fail "a wrong map: $1"
}
refused "1:25: axis 'core' is not covered; add a stage over it" <<'S'
(path-map (on allreduce (path (reduce sibling) (allreduce node))))
S
refused "1:20: the grid has places for 2 ranks, but the job has a rank 2; raise the counts" <<'S'
(path-map #:grid '((all-of-them 2)) (on bcast (path (bcast all-of-them))))
S
refused "1:33: 3 workers cannot share 2 subranks; write #:workers 2 or less" <<'S'
(path-map (subranks 2 #:workers 3))
S
verdict
