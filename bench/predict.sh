#!/bin/sh
# predict: how far predictions are off on this machine: a profile is measured, and held against calls that it has not seen.
#
#   bench/predict.sh [--ranks N] [--calls N] [--seed N] [--budget TIME] [--later N]
#
# The seed draws the calls; it is taken from the clock unless given, and printed. They are timed in the rounds of the
# profile's own probes, for a machine is not always the same: where a hypervisor moves two processors from one core to two,
# what goes between them takes three times as long. Of a job of 2 ranks it is wanted that half of the predictions are
# within 8 % and nine of ten within 15 %, and that the stated ± holds for 90 %. Beside that stands how far two
# measurements of the same calls are apart, which no prediction can be better than. --later: hold the profile against
# so many jobs started later, too. Run in the build directory, under pre-inst-env.
set -eu
ranks=2 calls=240 seed=$(($(date +%s) % 1000000)) budget=35s later=0
while [ $# -gt 0 ]; do
    case $1 in
    --ranks) ranks=$2 ;;
    --calls) calls=$2 ;;
    --seed) seed=$2 ;;
    --budget) budget=$2 ;;
    --later) later=$2 ;;
    *) sed -n '4s/^# *//p' "$0" >&2; exit 2 ;;
    esac
    shift 2
done
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
profile=$(mktemp)
trap 'rm -f "$profile"' EXIT
trap 'exit 99' INT TERM HUP

echo "$ranks ranks, seed $seed"
mpirun -n "$ranks" waymark profile -o "$profile" --budget "$budget" --seed "$seed" --held-out "$calls"
for job in $(seq "$later"); do
    echo
    echo "in a later job:"
    mpirun -n "$ranks" waymark profile --check "$profile" --calls "$calls" --seed "$((seed + job))" --budget "$budget"
done
