#!/bin/sh
# The trace of a conveyor: what both ends of each link recorded agrees, and so do pushes, pulls and watched items.
. "${srcdir:-.}/tests/mpi/job.sh"
stream=$build/tests/mpi/convey_trace
page=$work/page
limit=60
run_options="-t $work/trace"
settings="WAYMARK_TRACE_MODE=full WAYMARK_TRACE_SAMPLE=6 WAYMARK_TRACE_CLOCK=monotonic"
two_by_two="((node 2) (core 2))"
ragged="((node (0 3) (1 2 4)) core)"

says() { # TEXT: the report holds it
    tr -s ' \n' '  ' <"$page" | grep -qF -- "$1" && return
    fail "the report of $about does not say '$1'"
    cat "$page"
}

says_not() { # TEXT
    tr -s ' \n' '  ' <"$page" | grep -qF -- "$1" || return
    fail "the report of $about says '$1'"
    cat "$page"
}

# A job of 3,000 items a rank in two runs under the path, and its report.
trace() { # RANKS GRID PATH WORD ...
    about="$3, $1 ranks, grid $2"
    ranks=$1
    printf "(path-map #:grid '%s\n  (on conveyor (path %s)))\n" "$2" "$3" >"$work/map.scm"
    shift 3
    about="$about $*"
    job_environment=$settings
    mapped "$work/map.scm" "$ranks" "$stream" 3000 2 "$@" || return
    waymark report "$work/trace" >"$page" || fail "no report of $about"
}

adds_up() { # HOPS: identities, of as many items as the program says
    items=$(sed -n 's/^pushed \([0-9]*\)\([0-9]\{3\}\)$/\1,\2/p' "$output")
    says "2 runs"
    says "$items items pushed, $items pulled"
    says_not " NOT "
    says "item times: residual 0 ns"
    links=$(tr -s ' \n' '  ' <"$page" | sed -n 's/.*are units taken on \([0-9,]* of [0-9,]*\) link.*/\1/p')
    [ -n "$links" ] && [ "${links% of *}" = "${links#* of }" ] || fail "$about: units differ on links: $links"
    [ "$(grep -c "^  $1 [a-z]* .*%" "$page")" -eq 1 ] || fail "$about: there are not $1 hops"
    [ "$(grep -c "^  $(($1 + 1)) [a-z]* .*%" "$page")" -eq 0 ] || fail "$about: there are more than $1 hops"
}

items_arrive() {
    seen=$(tr -s ' \n' '  ' <"$page" | sed -n 's/.*of its buffer), \([0-9,]*\) seen to the end.*/\1/p')
    [ "${seen:-0}" != 0 ] || fail "$about: no watched item came to its end"
}

for net in shm mpi; do
    trace 4 "$two_by_two" "(trace 's) (aggregate 1KiB #:buffers 2) (route all) (remote '$net)" && adds_up 1 && items_arrive
    trace 4 "$two_by_two" "(trace 's) (aggregate 1KiB #:buffers 2) (route core node) (remote '$net)" && adds_up 2 &&
        items_arrive
    trace 4 "$two_by_two" "(trace 's) (aggregate 1KiB #:buffers 2) (route core node core) (remote '$net)" && adds_up 3 &&
        items_arrive
done
trace 5 "$ragged" "(trace 's) (aggregate 512) (route core node core)" && adds_up 3 && items_arrive
trace 4 "$two_by_two" "(trace 's) (aggregate 1KiB #:flush 'steady) (route core node)" elastic && adds_up 2 && items_arrive

trace 4 "$two_by_two" "(trace 's) (aggregate 1KiB) (route core node) (synchronous)" && adds_up 2 && says "bulk"

# Rank 0 pulls slowly: all links to it stand still, and it is the root of that.
trace 4 "$two_by_two" "(trace 's) (aggregate 256 #:buffers 1) (route core node)" slow && adds_up 2 &&
    says "for rank 0 in the end"

# A conveyor without the wrapper leaves no records, and so does one of a job without a trace.
trace 4 "$two_by_two" "(aggregate 1KiB) (route all)" && says_not "Conveyor '"
run_options=
trace_less=$(ls "$work")
mapped "$work/map.scm" 4 "$stream" 3000 2
[ "$trace_less" = "$(ls "$work")" ] || fail "a job without a trace left files"

# A wrong setting is named.
job 1 env WAYMARK_TRACE_SAMPLE=many waymark run -m "$work/map.scm" -- "$stream" 1 1
grep -q "WAYMARK_TRACE_SAMPLE is 'many', but must be a power of two, from 0 to 62" "$output" ||
    fail "a wrong WAYMARK_TRACE_SAMPLE is not named"
verdict
