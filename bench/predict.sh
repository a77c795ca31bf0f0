#!/bin/sh
# predict: how far predictions are off on this machine: a profile is measured, then held against calls drawn anew.
#
#   bench/predict.sh [--ranks N] [--calls N] [--seed N] [--budget TIME] [--times N]
#
# The seed draws the calls, none of which the profile has seen; it is the time of day unless given, and printed. Of a job
# of 2 ranks on idle cores it is wanted that half of the predictions are within 8 % and nine of ten within 15 %, and that
# the stated ± holds for 90 %. Beside that stands how far two measurements of the same calls are apart, which no
# prediction can be better than. Run in the build directory, under pre-inst-env.
set -eu
ranks=2 calls=240 seed=$(date +%s) budget=35s times=1
while [ $# -gt 0 ]; do
    case $1 in
    --ranks) ranks=$2 ;;
    --calls) calls=$2 ;;
    --seed) seed=$2 ;;
    --budget) budget=$2 ;;
    --times) times=$2 ;;
    *) sed -n '4s/^# *//p' "$0" >&2; exit 2 ;;
    esac
    shift 2
done
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
profile=$(mktemp)
trap 'rm -f "$profile"' EXIT
trap 'exit 99' INT TERM HUP

echo "$ranks ranks, seed $seed"
mpirun -n "$ranks" waymark profile -o "$profile" --budget "$budget"
for time in $(seq "$times"); do
    echo
    mpirun -n "$ranks" waymark profile --check "$profile" --calls "$calls" --seed "$((seed + time))" --budget "$budget"
done
