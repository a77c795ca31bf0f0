#!/bin/sh
# The list of wrappers, and what is told of each.
. "${srcdir:-.}/tests/tools/expect.sh"

waymark wrappers >"$work/list" || fail "waymark wrappers"
names=$(sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' "$work/list")
same "the wrappers listed, against those that there are" "$(wrapper_names | sort)" "$(echo "$names" | sort)"

for name in $names; do
    COLUMNS=80 waymark wrappers "$name" >"$work/one" || fail "wrappers $name"
    [ "$(LC_ALL=C.UTF-8 wc -L <"$work/one")" -le 80 ] || fail "wrappers $name does not fit 80 columns"
    for part in "    example" "    serves" "      as" "    source"; do
        holds "wrappers $name" "^$part  " "$work/one"
    done
done

waymark wrappers reduce trace >"$work/two" || fail "two wrappers"
holds "the first of two" "^reduce$" "$work/two"
holds "the second of two" "^trace$" "$work/two"
holds "the default of a shape" "#:shape .*unless given, 'binomial" "$work/two"
holds "the words of a choice" "one of 'arrival 'rank" "$work/two"
holds "the operations" "serves  *barrier, reduce, allreduce" "$work/two"
holds "all collective operations" "serves  *any collective operation" "$work/two"
holds "conveyors" "serves  *conveyor$" "$work/two"
says "an unknown wrapper" 1 "no wrapper 'reduse'; did you mean 'reduce'?" waymark wrappers reduse

# Every example can stand in a map. Those of one operation together, for they cover the axis 'node' each.
for name in $names; do
    example=$(waymark wrappers "$name" | sed -n 's/^    example *//p')
    operation=$(waymark wrappers "$name" | sed -n 's/^    serves *\([a-z-]*\).*/\1/p' | head -1)
    [ "$operation" = any ] && operation=barrier
    case $operation in neighbor-*) stage=neighbor ;; *) stage=$operation ;; esac
    rest=$([ "$name" = native ] || [ "$operation" = conveyor ] || [ "$operation" = statement ] || echo "($stage all)")
    waymark wrappers "$name" | grep -q '^      as  *a stage' && rest="($stage core)"
    [ "$name" = scan ] && { rest=$example && example="(scan core)"; } # from the inside outwards
    printf '(path-map #:faults #t (on %s (path %s %s)))\n' "$operation" "$example" "$rest" >"$work/example.scm"
    waymark show "$work/example.scm" --op "$operation" >"$work/out" 2>&1 || {
        fail "the example of $name does not work: $(cat "$work/example.scm" "$work/out")"
    }
done
finish
