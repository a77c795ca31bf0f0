#!/bin/sh
# Planted faults on several hosts: a broadcast that crosses the slow link between two clusters again and again, and messages
# just above TCP's eager limit. The report names each first, and its edit of the map mends it.
. "${srcdir:-.}/tests/lab/lab.inc.sh"
. "$srcdir/tests/mpi/planted.inc.sh"

sh "$lab" up --dir "$hosts" --clusters 2 --hosts 2 --delay-ms 25 --life 600 || exit
# Dealt out to h1 h2 | h3 h4, so that a chain of ranks crosses between the clusters from 1 to 2, 3 to 4, and 5 to 6.
placed 2,2,2,2 cyclic

cat >"$work/map.scm" <<'MAP'
(path-map
  (on allreduce (path (trace 'residual) (reduce core) (allreduce node)))
  (on bcast
    (path (trace 'parameters) (bcast all #:shape 'chain))))
MAP
chain() {
    traced chain "$work/map.scm" 8 12 coupled && {
        says chain kind far-edges
        says chain operation bcast
        says chain place map.scm:4
        edge=$("$finding" value "$work/chain.json" source)→$("$finding" value "$work/chain.json" destination)
        case $edge in
        1→2 | 3→4 | 5→6) ;;
        *) fail "the edge $edge does not cross between the clusters" ;;
        esac
        edited chain "$work/map.scm" && traced mended "$work/chain.scm" 8 12 coupled && {
            says_not mended far-edges
        }
    }
}
attempt chain

# The MPI library's net between hosts of one cluster.
sh "$lab" down --dir "$hosts"
sh "$lab" up --dir "$hosts" --clusters 1 --hosts 4 --life 600 || exit
placed 1,1,1,1 block
cat >"$work/sum.scm" <<'MAP'
(path-map
  (on allreduce (path (trace 'residual) (allreduce all)))
  (on bcast (path (trace 'parameters) (bcast all)))
  (on reduce (path (trace 'statistics) (reduce all #:shape 'flat))))
MAP
tcp() {
    traced tcp "$work/sum.scm" 4 12 statistics 81920 && {
        says tcp kind eager
        says tcp operation reduce
        says tcp place sum.scm:4
        edited tcp "$work/sum.scm" && traced tcp-mended "$work/tcp.scm" 4 12 statistics 81920 && {
            says_not tcp-mended eager
        }
    }
}
attempt tcp
verdict
