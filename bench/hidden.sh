#!/bin/sh
# hidden: how much of a slow network's delay subranks hide, beside overlap by hand, in examples/subranks.
#
#   bench/hidden.sh [--rounds N] [--ratios "RATIO ..."] [--subranks "V ..."] [--lab] [PROGRAM ...]
#
# PROGRAM is jacobi, cannon or unstructured; all of them unless given. Two processes run it, under a map that delays
# messages and allreduces between them by L: RATIO times c, the computation between two waits of the original at two
# ranks. The variants take turns, N rounds of them (5); medians are printed. The model promises that V subranks make of
# c + L, in each such step, max(c, L + c / V); `of V` is how much came true of what it promises for the V that was best,
# `of all` of the most that it promises. With --lab the processes are on two hosts of the lab, whose link has a latency
# of L, and 1000 Mbit/s; variants without subranks run over the MPI library alone, and the model's delay is what the
# original waits. The lab's link takes processor time: problems are larger there. Run in the build directory, under
# pre-inst-env; with --lab as root.
set -eu
rounds=5 ratios='0.1 0.25 0.5 1 2' subranks='2 4 8' lab=
while [ $# -gt 0 ]; do
    case $1 in
    --rounds) rounds=$2 ;;
    --ratios) ratios=$2 ;;
    --subranks) subranks=$2 ;;
    --lab) lab=$(dirname "$0")/../tests/lab/lab && shift && continue ;;
    -*) sed -n '4s/^# *//p' "$0" >&2; exit 2 ;;
    *) break ;;
    esac
    shift 2
done
[ $# -gt 0 ] || set -- jacobi cannon unstructured
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap '[ -z "$lab" ] || sh "$lab" down --dir "$work/lab"; rm -rf "$work"' EXIT
trap 'exit 99' INT TERM HUP

# How often an iteration of two ranks waits, the size, and the iterations of a run.
settings() { # PROGRAM
    case $1${lab:+-lab} in
    jacobi) echo 1 128 80 ;;
    jacobi-lab) echo 1 256 20 ;;
    cannon*) echo 2 768 8 ;;
    unstructured) echo 4 20 20 ;;
    unstructured-lab) echo 4 40 10 ;;
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
    launch "$1" "examples/subranks/$program" "$2" "$size" "$iterations" |
        sed -n 's/^.*: \([0-9.]*\) us an iteration; \(right\|wrong, as\).*$/\1/p' |
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

# The variants in turn; a file each of their times.
sample() {
    rm -f "$work"/times.*
    for round in $(seq "$rounds"); do
        run 1 nocomm >>"$work/times.nocomm"
        run 1 original >>"$work/times.original"
        run 1 overlap >>"$work/times.overlap"
        for v in $subranks; do
            run "$v" original >>"$work/times.$v"
        done
    done
}

summary() { # DELAY
    for v in $subranks; do
        echo "$v $(median "$work/times.$v")"
    done | awk -v L="$1" -v c="$(median "$work/times.nocomm")" -v original="$(median "$work/times.original")" \
        -v by_hand="$(median "$work/times.overlap")" -v lab="$lab" '
        function promise_of(V) { return under_way + c / V > c ? c - c / V : under_way }
        BEGIN { under_way = lab != "" ? original - c : L }
        { v[NR] = $1; time[NR] = $2; if (!best || $2 < time[best]) best = NR }
        function percent(part, whole) { return sprintf("%7.0f %%", whole > 0 ? 100 * part / whole : 0) }
        END {
            for (i = 1; i <= NR; i++)
                promise = promise_of(v[i]) > promise ? promise_of(v[i]) : promise
            printf "%8.0f %8.0f %9.0f %9.0f", c, L, original, by_hand
            for (i = 1; i <= NR; i++)
                printf " %9.0f", time[i]
            printf "  %5d %s %s %s %s\n", v[best], percent(original - time[best], original - c),
                percent(original - by_hand, original - c), percent(original - time[best], promise_of(v[best])),
                percent(original - time[best], promise)
        }'
}

for program; do
    read -r waits size iterations <<SETTINGS
$(settings "$program")
SETTINGS
    delay 1
    rm -f "$work/first"
    for round in 1 2 3; do
        run 1 nocomm >>"$work/first"
    done
    computation=$(median "$work/first")
    echo "$program, size $size, 2 processes; us between two waits, $waits an iteration; medians of $rounds"
    printf '%8s %8s %9s %9s' c L original 'by hand'
    for v in $subranks; do
        printf ' %9s' "V = $v"
    done
    printf '  %5s %9s %9s %9s %9s\n' best hidden 'by hand' 'of V' 'of all'
    for ratio in $ratios; do
        L=$(awk -v c="$computation" -v r="$ratio" 'BEGIN { printf "%d", c * r }')
        delay "$L"
        sample
        summary "$L"
    done
done
