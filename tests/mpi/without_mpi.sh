#!/bin/sh
# Programs under `waymark run` that end without MPI_Init: said once, by name, and not where another cause is likely.
. "${srcdir:-.}/tests/mpi/job.sh"
faulty=$build/tests/mpi/faulty
limit=60

# told NAME STATUS RANKS WORD ...: the job ends with the status, and NAMEs ended without MPI_Init; "": none did.
told() {
    named=$1 expected=$2
    shift 2
    job "$@"
    [ $status -eq "$expected" ] || fail "$*: status $status instead of $expected"
    said=$(sed -n "s/^waymark: '\(.*\)' ended without MPI_Init.*/\1/p" "$output" | tr '\n' ' ')
    [ "$said" = "${named:+$named }" ] || fail "$*: it says that '$said' ended without MPI_Init, instead of '$named'"
}

told true 0 2 waymark run true
told true 0 2 waymark run sh -c 'exec true'
told true 0 1 waymark run -v true
told true 0 1 waymark run -t "$work/trace" true
told "" 0 1 waymark run true
told "" 0 2 waymark run "$faulty" plain
told "" 0 1 waymark run -v "$faulty" plain
told "" 0 2 waymark run sh -c "'$faulty' plain; true"
told "" 3 2 waymark run sh -c 'exit 3'

# Into a static program nothing is loaded that could tell.
echo 'int main(void) { return 0; }' >"$work/static.c"
if ${CC:-gcc} -static -o "$work/static" "$work/static.c" 2>/dev/null; then
    told "" 0 2 waymark run "$work/static"
    grep -q "^waymark: '$work/static' is linked statically" "$output" || fail "it does not say that a program is static"
fi
verdict
