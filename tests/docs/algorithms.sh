#!/bin/sh
# docs/algorithms.md: every path of its tables is proven, so that page and program cannot drift apart.
#
# The n-th unmarked path of every operation makes a map, which must be right on all machines below; those marked "equal
# nodes", "in order" or "one node" make maps of their own, which must be right where nodes are so, and refused elsewhere.
. "${srcdir:-.}/tests/tools/expect.sh"
page=$srcdir/docs/algorithms.md

# Sizes that make pieces of every segment on the page.
check() { # MAP OPTION ...
    waymark check "$@" --bytes 0,24,200KiB,2500KiB >"$work/out" 2>&1
}

is_right() { # MAP OPTION ...
    check "$@" || {
        fail "$*"
        cat "$1"
        tail -n 40 "$work/out"
    }
}

is_refused() { # WORDS MAP OPTION ...
    words=$1
    shift
    if check "$@"; then
        fail "$* is not refused"
    elif ! grep -q "$words" "$work/out"; then
        fail "$* is refused for another reason"
        tail -n 40 "$work/out"
    fi
}

awk -f "$srcdir/tests/docs/paths.awk" -v folder="$work" "$page" >"$work/operations" || exit 99

for operation in $(collectives); do
    grep -qx "$operation" "$work/operations" || fail "no path of $operation is found on the page"
done
# And of every shape: one that is on no page is found by nobody.
for shape in $(shape_names); do
    grep -qE "\`\(path .*('|\()$shape[ )].*\`" "$page" || fail "no path with the shape '$shape' is found on the page"
done

for map in "$work"/*.scm; do
    case $map in
    */any*) is_right "$map" --ranks 1-5,9 --grid node=2,core=3 --grid node=3,core=2+4+1,order=cyclic ;;
    */equal*)
        is_right "$map" --ranks 1-5,9 --grid node=2,core=3 --grid node=3,core=2,order=cyclic
        is_refused "as many ranks" "$map" --grid node=2,core=3+2
        ;;
    */order*)
        is_right "$map" --ranks 1-5,9 --grid node=2,core=3 --grid node=3,core=2+4+1
        is_refused "neighbours" "$map" --grid node=3,core=2,order=cyclic
        ;;
    */memory*)
        is_right "$map" --ranks 1-5,9
        is_refused "ranks of different nodes" "$map" --grid node=2,core=2
        ;;
    esac
done
finish
