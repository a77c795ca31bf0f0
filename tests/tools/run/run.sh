#!/bin/sh
# `waymark run`: what it sets for the program, what it hands on, and how it fails. The library that it preloads here is an
# empty file, which the loader passes over with a warning; the environment is what counts.
. "${srcdir:-.}/tests/tools/expect.sh"
for variable in $(env | sed -n 's/^\(\(OMPI\|PMIX\|PMI\|SLURM\|MPI\)_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$variable"
done
unset LD_PRELOAD
: >"$work/empty.so"
WAYMARK_PRELOAD=$work/empty.so
export WAYMARK_PRELOAD
cd "$work" || exit 99
work=$(pwd)
printf '(path-map (on barrier (native)))\n' >map.scm
cp map.scm flat

# value VARIABLE ARGUMENT ...: the variable as a program finds it under `waymark run ARGUMENT ...`.
value() {
    variable=$1
    shift
    waymark run "$@" printenv "$variable" 2>/dev/null
}

specs=$WAYMARK_SPECS
same "the default map" "$specs/fast.scm" "$(value WAYMARK_MAP)"
same "a shipped map" "$specs/ring.scm" "$(value WAYMARK_MAP -m ring)"
same "a map in this directory" "$work/map.scm" "$(value WAYMARK_MAP -m map.scm)"
same "a file before a shipped map" "$work/flat" "$(value WAYMARK_MAP -mflat)"
same "a map by its whole path" "$work/map.scm" "$(value WAYMARK_MAP --map="$work/map.scm")"
same "a map by the environment" "$work/map.scm" "$(WAYMARK_MAP=map.scm value WAYMARK_MAP)"
same "the option before the environment" "$work/map.scm" "$(WAYMARK_MAP=flat value WAYMARK_MAP -m map.scm)"
same "another rank's map, which need not be there" "$work/other/map.scm" \
    "$(OMPI_COMM_WORLD_RANK=1 value WAYMARK_MAP -m other/map.scm)"
same "no trace" "" "$(value WAYMARK_TRACE)"
same "a trace" "$work/trace" "$(value WAYMARK_TRACE -t trace)"
same "a trace's mode" "full" "$(value WAYMARK_TRACE_MODE -t trace --mode full)"
same "a trace's level" "calls" "$(value WAYMARK_TRACE_LEVEL -t trace --trace-level calls)"
same "a trace's calls" "5-9" "$(value WAYMARK_TRACE_CALLS -t trace --trace-calls 5-9)"
same "a trace's time" "1-" "$(value WAYMARK_TRACE_TIME -t trace --trace-time=1-)"
same "no word" "" "$(value WAYMARK_VERBOSE)"
same "a word" 1 "$(value WAYMARK_VERBOSE -v)"
same "two words" 2 "$(value WAYMARK_VERBOSE -vv)"
same "the library" "$work/empty.so" "$(value LD_PRELOAD)"
same "the library before others" "$work/empty.so:other.so" "$(LD_PRELOAD=other.so value LD_PRELOAD)"
same "the library once" "other.so:$work/empty.so" "$(LD_PRELOAD=other.so:$work/empty.so value LD_PRELOAD)"
same "the library after a sanitizer" "/no/libasan.so.8:$work/empty.so:other.so" \
    "$(LD_PRELOAD=/no/libasan.so.8:other.so ASAN_OPTIONS=verify_asan_link_order=0 value LD_PRELOAD)"

same "the arguments" "[-m] [a b] [] [--]" "$(waymark run -- sh -c 'printf "[%s] " "$@" | sed "s/ $//"' sh -m "a b" "" -- 2>/dev/null)"
same "the program's own options" "[-v] [--help]" "$(waymark run sh -c 'printf "[%s] " "$@" | sed "s/ $//"' sh -v --help 2>/dev/null)"
waymark run sh -c 'exit 7' 2>/dev/null
same "the program's exit status" 7 $?

# Old traces: a rank removes its own, the first of a host those of ranks that are no more; all else stays.
old_traces() {
    rm -rf trace && mkdir trace
    for rank in 0 1 2 3; do
        printf 'WMTRACE1 and so on' >trace/rank-0000$rank.trace
        echo '{}' >trace/rank-0000$rank.json
        : >trace/rank-0000$rank.page
    done
    echo mine >trace/rank-00009.trace
    echo mine >trace/notes.txt
}
left() {
    (cd trace && echo *.t*)
}
old_traces
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0 waymark run -t trace true 2>/dev/null
same "old traces, rank 0 of 2" "notes.txt rank-00001.trace rank-00009.trace" "$(left)"
same "old pages" "rank-00001.page" "$(cd trace && echo *.page)"
same "old definitions" "rank-00001.json" "$(cd trace && echo *.json)"
old_traces
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=1 waymark run -t trace true 2>/dev/null
same "old traces, rank 1 of 2" "notes.txt rank-00000.trace rank-00002.trace rank-00003.trace rank-00009.trace" "$(left)"
old_traces
waymark run -t trace true 2>/dev/null
same "old traces, no launcher" "notes.txt rank-00009.trace" "$(left)"

: >not-executable
printf '#!/no/such/interpreter\n' >no-interpreter && chmod +x no-interpreter
printf '#!/bin/sh\n' >here && chmod +x here
says "no program" 2 "no program is named" waymark run -m map.scm
says "a program that is not in PATH" 127 "no program 'no-such-program' in PATH on" waymark run no-such-program
says "a program in this directory" 127 "did you mean './here'?" waymark run here
says "a path to nothing" 127 "no program './nothing' on" waymark run ./nothing
says "a file that is no program" 126 "cannot run './not-executable' on .*: Permission denied" waymark run ./not-executable
says "no interpreter" 127 "the interpreter or loader that it names is not there" waymark run ./no-interpreter
says "an unknown map" 1 "no map 'hierarchi'.*did you mean 'hierarchy'?.*rabenseifner" waymark run -m hierarchi true
says "a map that is not there" 1 "cannot read the map 'no/map.scm': No such file" waymark run -m no/map.scm true
says "a map that is a directory" 1 "is neither a plain file nor a pipe" waymark run -m . true
says "an unknown option" 2 "unknown option '--trac'; did you mean '--trace'?" waymark run --trac x true
says "an unknown mode" 2 "--mode is 'flight' or 'full'" waymark run -t trace --mode fast true
says "a number of subranks to be found" 2 "give --subranks 2 and -v, and the job says at its end how many to try" waymark run --subranks auto true
says "a level without a trace" 2 "add -t DIR" waymark run --trace-level calls true
says "a mode without a trace" 2 "add -t DIR" waymark run --mode full true
says "no library" 1 "cannot read the library '/no/lib.so' on .*: No such file" env WAYMARK_PRELOAD=/no/lib.so waymark run true
mkdir "with space" && : >"with space/lib.so"
says "a library that cannot be preloaded" 1 "holds a space or a colon" \
    env WAYMARK_PRELOAD="$work/with space/lib.so" waymark run true

# Under a launcher every rank fails, and one says why.
for rank in 0 1 2; do
    for arguments in "-m hierarchi true" "--trac x true" "no-such-program" "--help"; do
        OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_LOCAL_RANK=$rank waymark run $arguments >>"said$rank" 2>&1
    done
done
holds "rank 0 says why" "no program 'no-such-program'" said0
same "the others are silent" "" "$(cat said1 said2 | grep -v '^ERROR: ld.so')"
mpirun="${MPIRUN:-mpirun} --oversubscribe"
[ "$(id -u)" = 0 ] && mpirun="$mpirun --allow-run-as-root"
if $mpirun -n 2 true >/dev/null 2>&1; then
    $mpirun -n 3 waymark run -m hierarchi true >mpirun.out 2>&1 && fail "mpirun succeeds with an unknown map"
    same "messages under mpirun" 1 "$(grep -c "no map 'hierarchi'" mpirun.out)"
    same "ranks under mpirun" "0 1 2" "$($mpirun -n 3 waymark run printenv OMPI_COMM_WORLD_RANK 2>/dev/null | sort | tr '\n' ' ' | sed 's/ $//')"
fi
finish
