#!/bin/sh
# Communicators cost nothing until they are used, come in any order, are many, and leave nothing behind.
. "${srcdir:-.}/tests/mpi/job.sh"
communicators=$build/tests/mpi/communicators

right() { # MAP RANKS PART ...
    map=$1 ranks=$2
    shift 2
    mapped "$map" "$ranks" "$communicators" "$@" || return
    grep -qx 'communicators: results right' "$output" || fail "map $map, $ranks ranks, $*: no result"
    ! grep -q 'stayed native' "$output" || fail "map $map, $ranks ranks, $*: a communicator got no number"
}

# The small ones stay native, the large ones have a plan, and bcast has no rules. (Beside duplications Open MPI 4.1.4 confuses
# its own nonblocking collectives.)
cat >"$work/mixed.scm" <<'MAP'
(path-map
  (on allreduce
    ((= bytes 8) (path (native)))
    (else (path (allreduce all #:shape 'butterfly)))))
MAP

# Another name, another path.
cat >"$work/named.scm" <<'MAP'
(path-map
  (on allreduce
    ((string=? communicator "own") (path (native)))
    (else (path (allreduce all #:shape 'butterfly))))
  (on bcast (path (bcast all)))
  (on barrier (path (barrier all)))
  (on neighbor-allgather (path (neighbor all))))
MAP
cat >"$work/straight.scm" <<'MAP'
(path-map
  (on allreduce (path (trace 'own) (native)))
  (on barrier (path (barrier all))))
MAP

right fast 8 many
right hierarchy 4 coming order
right fast 3 coming order unsettled
right "$work/mixed.scm" 4 order
right "$work/straight.scm" 3 straight order
right "$work/named.scm" 3 later
right "$work/named.scm" 3 forgotten
right "$work/named.scm" 2 beside
right fast 3 ahead barriers
right "$work/named.scm" 5 beside later

# AddressSanitizer keeps what is freed, and needs all of the address space.
[ -z "$LD_PRELOAD_FIRST" ] || { verdict; exit; }
right fast 2 churn # more than there are numbers

# Where the node's memory has no room for another communicator, its messages go through MPI, which is said once.
ulimit -v 6000000
right fast 4 many
[ "$(grep -c '^waymark: .*: the memory that its ranks share is used up' "$output")" -eq 1 ] ||
    fail "it is not said once that memory is used up"
verdict
