#!/bin/sh
# Planted faults: each is named first in the report, at the right place, and following the advice removes it.
. "${srcdir:-.}/tests/mpi/job.sh"
. "$srcdir/tests/mpi/planted.inc.sh"
OMPI_MCA_mpi_yield_when_idle=1 && export OMPI_MCA_mpi_yield_when_idle
limit=60
steps=20

cat >"$work/map.scm" <<'MAP'
(path-map
  (on allreduce (path (trace 'residual) (allreduce all)))
  (on bcast (path (trace 'parameters) (bcast all)))
  (on reduce
    (path (trace 'statistics)
          (reduce all #:shape 'flat))))
MAP
base=$work/map.scm
sed "s/(trace 'statistics)/(trace 'statistics) (remote 'mpi)/" "$base" >"$work/over-mpi.scm"

# Nothing planted, nothing found: of no kind with high confidence.
nothing() {
    traced control "$base" 4 $steps
    for kind in late-rank late-root eager far-edges; do
        confidence=$("$finding" confidence "$work/control.json" $kind)
        [ "$confidence" -lt $sure ] || {
            "$finding" value "$work/control.json" sentence >"$output"
            fail "without a fault, $kind is claimed with a confidence of $confidence %"
        }
    done
}

slow_rank() {
    traced slow "$base" 4 $steps slow 2 && {
        says slow kind late-rank
        says slow rank 2
        says slow operation allreduce
        says slow place map.scm:2
    }
    traced even "$base" 4 $steps && {
        says_not even late-rank
    }
}

late_root() {
    traced before "$base" 4 $steps late-root && {
        says before kind late-root
        says before rank 0
        says before operation bcast
        says before place map.scm:3
    }
    traced after "$base" 4 $steps && {
        says_not after late-root
    }
}

# eager NAME MAP LINE: messages just above the eager limit of the net that the map chooses.
eager() {
    traced "$1" "$2" 4 $steps statistics 5120 && {
        says "$1" kind eager
        says "$1" operation reduce
        says "$1" place "$(basename "$2"):$3"
        edited "$1" "$2" && traced "$1-mended" "$work/$1.scm" 4 $steps statistics 5120 && {
            says_not "$1-mended" eager
        }
    }
}

attempt nothing
attempt slow_rank
attempt late_root
attempt eager shm "$base" 6
attempt eager mpi "$work/over-mpi.scm" 6
verdict
