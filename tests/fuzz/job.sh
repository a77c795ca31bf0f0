#!/bin/sh
# A job under a map: job.sh MAP RANKS SEED; the program calls every collective and compares with the serial answer.
map=$1 ranks=$2 seed=$3
case $map in /*) ;; *) map=$PWD/$map ;; esac
. "${srcdir:-.}/tests/mpi/job.sh"
cd "$(dirname "$map")" || exit 99
limit=150
# In the ranks alone: mpirun itself reads what it has freed (Open MPI 4.1.4, pmix_server_log_fn), when a rank aborts.
[ -z "$LD_PRELOAD_FIRST" ] || mpirun="$mpirun -x $LD_PRELOAD_FIRST"
LD_PRELOAD_FIRST=
job "$ranks" waymark run -m "./$(basename "$map")" -- "$build/tests/mpi/collectives" "$seed" 4 \
    world every-root nothing barrier others blocks neighbours requests
sed "s,$PWD/\./,," "$output"
exit $status
