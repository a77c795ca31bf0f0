#!/bin/sh
# Subranks under a map: random programs get what plain MPI gives, by every map that comes with Waymark.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60

waymark cc -O1 -I"$srcdir" -o "$work/programs" "$srcdir/tests/mpi/subrank_programs.c" || fail "waymark cc"
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
grep -q '^waymark:   allreduce  *[1-9][0-9]* planned' "$output" && grep -q '^waymark:   allgather  *0 planned  *[1-9]' "$output" ||
    fail "the counts of a map for subranks"
programs "$work/levels.scm"

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
verdict
