#!/bin/sh
# The table of README.md names every operation, wrapper, shape and command.
. "${srcdir:-.}/tests/tools/expect.sh"
sed -n '/^## What there is/,/^## Building/p' "$top_srcdir/README.md" >"$work/table"

# named KIND ROWS NAME ...: each name stands in one of these rows, `name` or `(name k)`.
named() {
    kind=$1 rows=$2
    shift 2
    [ $# -gt 0 ] || fail "no $kind is found"
    grep -E "^\| ($rows)" "$work/table" >"$work/rows"
    for name; do
        grep -qE "\`(waymark )?\(?$name[ \`]" "$work/rows" || fail "README.md does not name the $kind '$name'"
    done
}

named wrapper "stage wrappers|around them|conveyors|statements" $(wrapper_names)
named shape shapes $(shape_names)
named command tools $(sed -n 's/^WM_COMMAND(wm_command_\(.*\))/\1/p' "$top_srcdir/tools/cli/commands.def" | tr _ -)

# Those that differ in how counts are given stand together: `gather(v)`, `reduce-scatter(-block)`, `neighbor-…`.
for operation in $(collectives); do
    plain=${operation%-block}
    plain=${plain%[vw]}
    grep '^| operations' "$work/table" | grep -qE "\`($operation|$plain\([^)]*${operation#"$plain"}[^)]*\)|${plain%%-*}-…)\`" ||
        fail "README.md does not name the operation '$operation'"
done
finish
