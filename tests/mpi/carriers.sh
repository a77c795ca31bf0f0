#!/bin/sh
# Conveyors' buffers and monsters over MPI, driven by hand at 2 to 4 ranks; eagerly and by rendezvous.
#
# CARRIERS_TIMES: multiplies what is written (1).
. "${srcdir:-.}/tests/mpi/job.sh"
carriers=$build/tests/mpi/carriers
monsters=$build/tests/mpi/monsters
OMPI_MCA_mpi_yield_when_idle=1
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}:verify_asan_link_order=0
export ASAN_OPTIONS OMPI_MCA_mpi_yield_when_idle

arrive() { # RANKS WORD ...
    job "$@"
    [ $status -ne 124 ] || { fail "HANG: $*"; return; }
    [ $status -eq 0 ] || fail "status $status of $*"
}

for ranks in 2 3 4; do
    arrive $ranks "$carriers" $ranks
done
arrive 2 "$monsters" 2
arrive 4 "$monsters" 4
# Everything eager, and nothing: parcels of a link may then be complete in another order than that of their sends.
arrive 3 env OMPI_MCA_btl_vader_eager_limit=65536 "$carriers" 5
arrive 3 env OMPI_MCA_btl_vader_eager_limit=256 OMPI_MCA_btl_vader_single_copy_mechanism=none "$carriers" 6
arrive 2 env OMPI_MCA_btl=self,tcp "$carriers" 7
verdict
