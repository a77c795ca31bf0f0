#!/bin/sh
# tests/rooms.sh sees what breaks the order of rooms: each fault is planted in a small tree.
rooms=$(cd "${top_srcdir:-.}" && pwd)/tests/rooms.sh
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $*"
}

work=$(mktemp -d ./rooms.XXXXXX)
trap 'rm -rf "$work"' EXIT
empty() {
    rm -rf "$work"/*
    mkdir -p "$work"/include/waymark "$work"/core/plan "$work"/core/engine "$work"/wrappers "$work"/tracer "$work"/bench \
        "$work"/tools/proof "$work"/tools/text
    for room in core/plan core/engine wrappers tracer tools/proof tools/text; do echo "# A room" >"$work/$room/README.md"; done
}
finds() { # SENTENCE FILE LINE [WITHOUT]
    [ -z "${4:-}" ] || rm "$work/$4"
    mkdir -p "$(dirname "$work/$2")"
    printf '%s\n' "$3" >"$work/$2"
    "$rooms" "$work" >"$work/out" && fail "not found: $1"
    grep -q "$1" "$work/out" || fail "not said: $1"
    empty
}

empty
"$rooms" "$work" || fail "an empty tree breaks the order"
finds 'core/plan includes core/engine/engine.h, of a later room' core/plan/a.c '#include "core/engine/engine.h"'
finds 'core/engine includes tools/text/table.h, of a later room' core/engine/a.h '#include "tools/text/table.h"'
finds 'wrappers must not know core/engine/engine.h' wrappers/a.c '#include "core/engine/engine.h"'
finds 'core/plan must not know mpi.h' core/plan/convey/a.c '#include <mpi.h>'
finds 'core/plan/ has no README.md' core/plan/a.c '/* . */' core/plan/README.md
finds 'comm includes core/call/request.h, of a later file' core/call/comm.c '#include "core/call/request.h"'
finds 'is not in the order' core/cellar/a.c '#include "core/error.h"'
printf 'struct wm_twice {\n' >"$work/core/plan/a.h"
finds 'struct wm_twice stands in' tools/text/a.h 'struct wm_twice {'
[ $failures -eq 0 ]
