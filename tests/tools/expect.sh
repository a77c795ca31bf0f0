# What the scripts that test the tools share; they source it.
failures=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
unset WAYMARK_MAP WAYMARK_TRACE WAYMARK_VERBOSE WAYMARK_TRACE_MODE COLUMNS

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# same WHAT EXPECTED FOUND
same() {
    [ "$2" = "$3" ] && return
    fail "$1"
    printf '  expected: %s\n  found:    %s\n' "$2" "$3"
}

# holds WHAT PATTERN FILE: a line of the file matches.
holds() {
    grep -q -- "$2" "$3" && return
    fail "$1: nothing matches '$2' in:"
    sed 's/^/  /' "$3"
}

# tells WHAT PATTERN FILE: the text has it, wherever its lines are wrapped.
tells() {
    tr -s '\n ' ' ' <"$3" >"$3.joined"
    holds "$1" "$2" "$3.joined"
}

# says WHAT STATUS PATTERN COMMAND ...: the command ends so, and says this on stderr.
says() {
    what=$1 status=$2 pattern=$3
    shift 3
    "$@" >"$work/out" 2>"$work/err"
    same "$what: exit status" "$status" $?
    holds "$what" "$pattern" "$work/err"
}

shipped_maps() { (cd "$top_srcdir/specs" && ls ./*.scm | sed 's,^\./,,; s,\.scm$,,' | grep -vx waymark); }

# Of many alike a third has its turn each day: those for which this holds. WAYMARK_TEST_ALL=1: all.
turn=$(($(date +%s) / 86400))
has_turn() {
    turn=$((turn + 1))
    [ $((turn % 3)) -eq 0 ] || [ -n "$WAYMARK_TEST_ALL" ]
}

# The names in the table of operations, without the conveyor.
collectives() { sed -n 's/^ *X([A-Z_]*, *"\([a-z-]*\)", *"MPI_.*/\1/p' "$top_srcdir/include/waymark/operation.h"; }

# The names in the table of shapes; a tree written out has none of its own.
shape_names() { sed -n 's/^ *X([A-Z_]*, *"\([a-z-]*\)",.*/\1/p' "$top_srcdir/core/path/shape.h" | grep -vx tree; }

# The names in the wrappers' class records.
wrapper_names() {
    cat "$top_srcdir"/wrappers/*.c | sed -n '/^const struct wm_wrapper_class wm_wrapper_/,/^}/s/^ *\.name = "\(.*\)",/\1/p'
}

finish() {
    echo "$failures failures"
    [ "$failures" = 0 ]
    exit
}
