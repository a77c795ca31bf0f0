# Sourced, behind job.sh, by the tests that plant a fault, look whether the report names it first, and do what it advises.
planted=$build/tests/mpi/planted
finding=$build/tests/mpi/finding
sure=80 # per cent

# traced NAME MAP RANKS WORD ...: a traced run of the program, and its report in $work/NAME.json.
traced() {
    name=$1 map=$2 ranks=$3
    shift 3
    rm -rf "$work/$name.trace"
    run_options="-t $work/$name.trace"
    mapped "$map" "$ranks" "$planted" "$@" || return
    waymark report "$work/$name.trace" --format json -o "$work/$name.json" >"$output" 2>&1 ||
        { fail "no report of $name"; return 1; }
}

# says NAME KEY VALUE: the first finding does.
says() {
    value=$("$finding" value "$work/$1.json" "$2")
    [ "$value" = "$3" ] && return
    "$finding" value "$work/$1.json" sentence >"$output"
    fail "$1: the first finding's $2 is '$value', not '$3'"
}

# says_not NAME KIND: the first finding is of another kind, or is not sure.
says_not() {
    [ "$("$finding" value "$work/$1.json" kind)" = "$2" ] &&
        [ "$("$finding" value "$work/$1.json" confidence)" -ge $sure ] || return 0
    "$finding" value "$work/$1.json" sentence >"$output"
    fail "$1: the first finding is $2 still"
}

# edited NAME MAP: the map as the first finding would have it, in $work/NAME.scm; it is proven to be right.
edited() {
    "$finding" edit "$work/$1.json" "$2" >"$work/$1.scm" 2>"$output" || { fail "$1: the edit cannot be made"; return 1; }
    waymark check "$work/$1.scm" >"$output" 2>&1 || { fail "$1: the map is wrong when it is edited"; return 1; }
}

# More processes that want to run than there are processors for, beside ours: they plant faults of their own.
is_busy() {
    awk -v processors="$(getconf _NPROCESSORS_ONLN)" '{ exit !($1 > 2 * processors) }' /proc/loadavg
}

# attempt FUNCTION WORD ...: run it; on a busy machine three times at most, until it goes well.
attempt() {
    former=$failures
    for try in 1 2 3; do
        failures=$former
        "$@"
        [ "$failures" -gt "$former" ] && [ "$try" -lt 3 ] && is_busy || break
        echo "once more: the machine is busy"
    done
}
