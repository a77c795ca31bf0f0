#!/bin/sh
# late: the maps in specs/pycsp with one rank made late, side by side with the MPI library's own collectives.
#
#   bench/late.sh [--ranks N] [--late MICROSECONDS] [--bytes BYTES-OF-A-BLOCK] [--rounds N] [MAP ...]
#
# MAP names a shipped map whose name begins with a collective, as pycsp/reduce-chain; all of pycsp unless given. Within a
# job the map and the library take turns, call by call; the jobs of all maps take turns, N rounds of them (3). Of a
# row's rounds the medians are printed: the microseconds from the late rank's arrival until everyone has left, and those
# that the others lose, each with the library's own and the ratio to it. Run in the build directory, under pre-inst-env.
set -eu
src=$(cd "$(dirname "$0")/.." && pwd)
ranks=4 late=1000 bytes=1024 rounds=3
while [ $# -gt 0 ]; do
    case $1 in
    --ranks) ranks=$2 ;;
    --late) late=$2 ;;
    --bytes) bytes=$2 ;;
    --rounds) rounds=$2 ;;
    -*) sed -n '4s/^# *//p' "$0" >&2; exit 2 ;;
    *) break ;;
    esac
    shift 2
done
[ $# -gt 0 ] || set -- $(cd "$src/specs" && ls pycsp/*.scm | sed 's,\.scm$,,')
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
samples=$(mktemp)
trap 'rm -f "$samples"' EXIT
trap 'exit 99' INT TERM HUP

for round in $(seq "$rounds"); do
    for map; do
        collective=${map##*/}
        mpirun --oversubscribe -n "$ranks" waymark run -m "$map" -- bench/late "${collective%%-*}" "$late" "$bytes" </dev/null |
            sed "s,^,$map ," >>"$samples"
    done
    echo "late: round $round of $rounds" >&2
done

# MAP COLLECTIVE LATE and four figures a line, in as many lines a row as there were rounds.
awk -v ranks="$ranks" -v late="$late" -v bytes="$bytes" '
    function median(list, n, values, i, j, v) {
        n = split(list, values, " ")
        for (i = 2; i <= n; i++) {
            v = values[i] + 0
            for (j = i - 1; j > 0 && values[j] + 0 > v; j--)
                values[j + 1] = values[j]
            values[j + 1] = v
        }
        return values[int((n + 1) / 2)]
    }
    {
        row = $2 " " $1 " " $3
        if (!(row in seen)) {
            seen[row] = 1
            rows[++count] = row
        }
        for (i = 4; i <= 7; i++)
            figures[row, i] = figures[row, i] " " $i
    }
    function versus(row, mapped, own, a, b) {
        a = median(figures[row, mapped])
        b = median(figures[row, own])
        return sprintf("%9.1f %9.1f %6.2f", a, b, b > 0 ? a / b : 0)
    }
    END {
        printf "%d ranks, one of them %g us late; %d bytes a block; medians, us\n", ranks, late, bytes
        printf "%-28s %5s  %26s  %26s\n", "", "", "late arrival to all left", "lost by each of the others"
        printf "%-28s %5s  %9s %9s %6s  %9s %9s %6s\n", "map", "late", "map", "MPI", "ratio", "map", "MPI", "ratio"
        for (r = 1; r <= count; r++) {
            split(rows[r], part, " ")
            printf "%-28s %5s  %s  %s\n", part[2], part[3] < 0 ? "none" : part[3], versus(rows[r], 4, 5), versus(rows[r], 6, 7)
        }
    }' "$samples"
