#!/bin/sh
# Ranks as containers without privileges keep them: each in a user namespace of its own, so that no rank may look into another,
# with a /dev/shm of 64 MiB and a file system that may only be read.
. "${srcdir:-.}/tests/mpi/job.sh"
mkdir "$work/root"
cat >"$work/contained" <<'SH'
set -e
mount -t tmpfs -o size=64m none /dev/shm
mount --rbind / "$TMPDIR/root"
mount -o remount,bind,ro "$TMPDIR/root"
mount --bind "$TMPDIR" "$TMPDIR/root$TMPDIR"
exec chroot "$TMPDIR/root" env -C "$TMPDIR" "$@"
SH
if ! unshare -Urm env "TMPDIR=$work" sh "$work/contained" true 2>"$output"; then
    cat "$output"
    echo "this machine does not let us make containers; skipped"
    exit 77
fi

well() { # MAP WORDS OF THE ANSWER PROGRAM ARGUMENT ...
    map=$1 answer=$2
    shift 2
    job 3 unshare -Urm sh "$work/contained" waymark run -m "$map" -v -t "$work/trace" -- "$@"
    [ $status -eq 0 ] || fail "status $status under $map, $*"
    grep -q "$answer" "$output" || fail "the answer is not right under $map, $*"
    ! grep -q 'cannot share memory' "$output" || fail "ranks share no memory under $map"
    waymark report "$work/trace" >"$output" || fail "no report of a run under $map"
    rm -r "$work/trace"
}

job 1 unshare -Urm sh "$work/contained" touch "$HOME/written"
[ $status -ne 0 ] || fail "the file system can be written to"
for map in fast hierarchy; do
    well $map '^collectives: .* 0 wrong$' "$build/tests/mpi/collectives" 1 20
done
well fast '^histogram: 3 ranks, .*; right$' "$build/examples/convey/histogram" --updates 20K --counters 100 --check
verdict
