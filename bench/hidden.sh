#!/bin/sh
# hidden: how much of a slow network's delay subranks hide, beside overlap by hand, in examples/subranks.
#
#   bench/hidden.sh [--rounds N] [--ratios "RATIO ..."] [--subranks "V ..."] [--size N] [--iterations N] [--exact] [--lab]
#                   [PROGRAM ...]
#
# PROGRAM is jacobi, cannon or unstructured; all of them unless given. Two processes run it, under a map that delays
# messages and allreduces between them by L: RATIO times c, the computation between two waits of the original at two
# ranks. The variants take turns, N rounds of them (5); medians are printed. The model promises that V subranks make of
# c + L, in each such step, max(c, L + c / V); `of V` is how much came true of what it promises for the V that was best,
# `of all` of the most that it promises. With --lab the processes are on two hosts of the lab, whose link has a latency
# of L, and 1000 Mbit/s; variants without subranks run over the MPI library alone, and the model's delay is what the
# original waits. The lab's link takes processor time: problems are larger there. With --exact computations are held at a
# length (examples/subranks/exact.h), twice and more what they take; `late` is what they took beyond that, in the worst
# run. Run in the build directory, under pre-inst-env; with --lab as root.
set -eu
rounds=5 ratios='0.1 0.25 0.5 1 2' subranks='2 4 8' lab= size_given='' iterations_given='' exact=
while [ $# -gt 0 ]; do
    case $1 in
    --rounds) rounds=$2 ;;
    --ratios) ratios=$2 ;;
    --subranks) subranks=$2 ;;
    --size) size_given=$2 ;;
    --iterations) iterations_given=$2 ;;
    --exact) exact=yes && shift && continue ;;
    --lab) lab=$(dirname "$0")/../tests/lab/lab && shift && continue ;;
    -*) sed -n '4,5s/^# *//p' "$0" >&2; exit 2 ;;
    *) break ;;
    esac
    shift 2
done
[ $# -gt 0 ] || set -- jacobi cannon unstructured
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap '[ -z "$lab" ] || sh "$lab" down --dir "$work/lab"; rm -rf "$work"' EXIT
trap 'exit 99' INT TERM HUP

# How often an iteration of two ranks waits, the size, the iterations of a run, and the microseconds of computation in
# one, of both ranks together.
settings() { # PROGRAM
    case $1${exact:+-exact}${lab:+-lab} in
    jacobi) echo 1 128 80 ;;
    jacobi-exact) echo 1 128 40 16000 ;;
    jacobi-lab) echo 1 256 20 ;;
    jacobi-exact-lab) echo 1 128 20 40000 ;;
    cannon | cannon-lab) echo 2 1536 4 ;;
    cannon-exact) echo 2 768 8 48000 ;;
    cannon-exact-lab) echo 2 384 4 96000 ;;
    unstructured) echo 4 20 20 ;;
    unstructured-exact) echo 4 20 20 24000 ;;
    unstructured-lab) echo 4 40 10 ;;
    unstructured-exact-lab) echo 4 20 10 80000 ;;
    *) echo "hidden: no settings for '$1'" >&2; exit 2 ;;
    esac
}

launch() { # SUBRANKS PROGRAM WORD ...
    v=$1
    shift
    if [ -z "$lab" ]; then
        set -- mpirun -n 2 waymark run --subranks "$v" -m "$work/map.scm" -- "$@"
    else
        [ "$v" = 1 ] || set -- waymark run --subranks "$v" -- "$@"
        set -- sh "$lab" run --dir "$work/lab" --ppn 1 -x PATH -x WAYMARK_LIBEXEC -x WAYMARK_SPECS -x WAYMARK_PRELOAD "$@"
    fi
    "$@" </dev/null
}

# Microseconds between two waits; false where the job fails or is wrong.
run() { # SUBRANKS VARIANT
    # shellcheck disable=SC2086 # $held is empty where nothing is
    launch "$1" "examples/subranks/$program" "$2" "$size" "$iterations" $held >"$work/output" || return
    sed -n 's/^.* held at \(.*\) us, late by \(.*\); .*$/\1 \2/p' "$work/output" >>"$work/late"
    sed -n 's/^.*: \([0-9.]*\) us an iteration; .*\(right\|wrong, as\).*$/\1/p' "$work/output" |
        awk -v waits="$waits" '{ print $1 / waits } END { exit NR != 1 }'
}

median() { # FILE
    sort -n "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

delay() { # MICROSECONDS
    if [ -n "$lab" ]; then
        sh "$lab" down --dir "$work/lab"
        sh "$lab" up --dir "$work/lab" --clusters 2 --hosts 1 --delay-ms "$(awk -v us="$1" 'BEGIN { print us / 1000 }')" --mbit 1000
        return
    fi
    echo "(path-map
  (on messages (path (delay ${1}us #:axis process)))
  (on allreduce (path (delay ${1}us #:axis process) (reduce sibling) (allreduce process) (allreduce node))))" >"$work/map.scm"
}

# Of three runs; with --exact it is given.
measure_computation() {
    delay 1
    for round in 1 2 3; do
        run 1 nocomm
    done >"$work/first"
    computation=$(median "$work/first")
}

# The variants in turn, once each: a line of their times.
take_turns() {
    {
        run 1 nocomm && run 1 original && run 1 overlap
        for v in $subranks; do
            run "$v" original
        done
    } | xargs echo
}

# Ratios are taken within a round, since the machine's speed changes between rounds. Rounds without a time of each
# variant, or in which the original waits for nothing, are left out.
summary() { # DELAY
    { echo "$subranks"; cat "$work/times"; } | awk -v L="$1" -v lab="$lab" '
        function sort(list, n,    i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        }
        function median(what, column,    i, list) {
            for (i = 1; i <= rounds; i++)
                list[i] = what[i, column]
            sort(list, rounds)
            return list[int((rounds + 1) / 2)]
        }
        function promise_of(V, c, under_way) { return under_way + c / V > c ? c - c / V : under_way }
        NR == 1 { count = NF; for (i = 1; i <= NF; i++) v[i] = $i; next }
        NF != count + 3 || $2 <= $1 || (lab == "" && L <= 0) { left_out++; next }
        {
            rounds++
            for (i = 1; i <= NF; i++)
                time[rounds, i] = $i
            c = $1
            under_way = lab != "" ? $2 - c : L
            hidden[rounds, 0] = ($2 - $3) / ($2 - c)
            most = 0
            for (i = 1; i <= count; i++) {
                promise = promise_of(v[i], c, under_way)
                most = promise > most ? promise : most
                hidden[rounds, i] = ($2 - $(i + 3)) / ($2 - c)
                of_own[rounds, i] = ($2 - $(i + 3)) / promise
            }
            for (i = 1; i <= count; i++)
                of_all[rounds, i] = ($2 - $(i + 3)) / most
        }
        END {
            if (left_out > 0)
                printf "hidden: %d rounds are left out\n", left_out >"/dev/stderr"
            if (rounds == 0)
                exit 1
            best = 1
            for (i = 2; i <= count; i++)
                if (median(hidden, i) > median(hidden, best))
                    best = i
            printf "%8.0f %8.0f %9.0f %9.0f", median(time, 1), L, median(time, 2), median(time, 3)
            for (i = 1; i <= count; i++)
                printf " %9.0f", median(time, i + 3)
            printf "  %5d %7.0f %% %7.0f %% %7.0f %% %7.0f %%\n", v[best], 100 * median(hidden, best),
                100 * median(hidden, 0), 100 * median(of_own, best), 100 * median(of_all, best)
        }'
}

for program; do
    read -r waits size iterations held <<SETTINGS
$(settings "$program")
SETTINGS
    size=${size_given:-$size} iterations=${iterations_given:-$iterations}
    if [ -n "$held" ]; then
        computation=$((held / 2 / waits))
    else
        measure_computation
    fi
    echo "$program, size $size, 2 processes; us between two waits, $waits an iteration; medians of $rounds"
    printf '%8s %8s %9s %9s' c L original 'by hand'
    for v in $subranks; do
        printf ' %9s' "V = $v"
    done
    printf '  %5s %9s %9s %9s %9s\n' best hidden 'by hand' 'of V' 'of all'
    for ratio in $ratios; do
        L=$(awk -v c="$computation" -v r="$ratio" 'BEGIN { printf "%d", c * r }')
        delay "$L"
        : >"$work/late"
        for round in $(seq "$rounds"); do
            take_turns
        done >"$work/times"
        summary "$L"
        awk '$2 / $1 > most { most = $2 / $1 } END { if (NR > 0) printf "%8s late by %.1f %%\n", "", 100 * most }' "$work/late"
    done
done
