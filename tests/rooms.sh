#!/bin/sh
# The order of rooms: who may include whom; that a struct stands for one thing in the whole tree; that a room has a contract.
# rooms.sh [DIR]: check the tree below DIR, top_srcdir by default.
cd "${1:-${top_srcdir:-.}}" || exit 1

# From the ground up: a room includes itself and what stands above it in this list.
order='waymark core/error core/hash core/number core/search core/vector core/parse core/statement tracer core/clock core/settings core/guard
    core/path core/plan core/map core/data core/node core/net core/shared core/process core/engine core/record
    core/message core/p2p core/call core/convey core/port core/communicate core/job core/pmpi core/subrank
    wrappers
    tools/text tools/cli tools/run tools/translate tools/cc tools/complete tools/proof tools/routes tools/site tools/draw tools/check tools/statement
    tools/analysis tools/findings tools/init tools/diff tools/top tools/doctor tools/retune tools/bench tools/convert tools/profile tools/predict tools/replay tools/report tools/gauge tools/tune'

# What the order alone permits, and nobody needs: ROOM:PREFIX, "ROOM includes nothing that begins with PREFIX".
never='core/path:tracer core/plan:tracer core/map:tracer core/data:tracer core/node:tracer core/net:tracer
    core/path:core/settings core/plan:core/settings core/map:core/settings
    core/statement:mpi.h core/path:mpi.h core/plan:mpi.h core/map:mpi.h wrappers:mpi.h tracer:mpi.h
    tracer:core/settings tracer:core/path tracer:waymark
    core/guard:mpi.h core/guard:tracer core/guard:core/settings
    wrappers:tracer wrappers:core/map wrappers:core/data wrappers:core/node wrappers:core/net wrappers:core/shared
    wrappers:core/process wrappers:core/engine wrappers:core/record wrappers:core/call wrappers:core/convey wrappers:core/port wrappers:core/communicate
    wrappers:core/job
    tools:core/data tools:core/node tools:core/net tools:core/shared tools:core/process tools:core/engine
    tools:core/record tools:core/call tools:core/convey tools:core/port tools:core/communicate tools:core/pmpi tools:wrappers
    tools/proof:tracer tools/proof:core/map tools/proof:tools/cli tools/proof:tools/run
    tools/routes:tracer tools/routes:core/map tools/routes:tools/cli tools/routes:tools/run
    tools/statement:mpi.h tools/statement:core/path tools/statement:core/plan tools/statement:core/map'

# Files of core/call: each includes only those before it.
calls='native plans comm publish flaw verify dead leak left progress seed kin endpoint pool cache join broadcast letter describe buffers retain sizes answers ask question again trial meeting
    request queue wait clocks pairs results round ways brief call nonblocking persistent records follow watch repeat over'

{
    find include core wrappers tracer tools -name '*.[ch]' -exec grep -Hn '^#include ["<]' {} + |
        sed -E 's,^(include/)?([^:]*):([0-9]+):#include ["<]([^">]*).*,include \2 \3 \4,'
    find include core wrappers tracer tools bench -name '*.[ch]' -exec grep -HnoE '^ *struct wm_[a-z0-9_]+ \{' {} + |
        sed -E 's,^([^:]*):([0-9]+): *struct (wm_[a-z0-9_]+).*,struct \1 \2 \3,'
} | awk -v order="$order" -v never="$never" -v calls="$calls" '
    function room(file,   parts) {
        split(file, parts, "/")
        sub(/\..*/, "", parts[2])
        return parts[1] == "core" || parts[1] == "tools" ? parts[1] "/" parts[2] : parts[1]
    }
    function file_of(path) { sub(/.*\//, "", path); sub(/\..*/, "", path); return path }
    function fault(sentence) { print "rooms: " sentence; faults++ }
    BEGIN {
        count = split(order, names)
        for (i = 1; i <= count; i++) place[names[i]] = i
        bans = split(never, banned)
        count = split(calls, names)
        for (i = 1; i <= count; i++) turn[names[i]] = i
    }
    $1 == "struct" {
        if ($4 in stands) fault($2 ":" $3 ": struct " $4 " stands in " stands[$4] ", too")
        stands[$4] = $2
        next
    }
    {
        from = room($2); to = room($4)
        if (!(from in place)) { fault($2 ": room \"" from "\" is not in the order of tests/rooms.sh"); next }
        if (from == "core/call" && to == from && turn[file_of($4)] > turn[file_of($2)])
            fault($2 ":" $3 ": " file_of($2) " includes " $4 ", of a later file")
        if (to in place && place[to] > place[from]) fault($2 ":" $3 ": " from " includes " $4 ", of a later room")
        for (i = 1; i <= bans; i++) {
            split(banned[i], ban, ":")
            if (index($2, ban[1] "/") == 1 && index($4, ban[2]) == 1) fault($2 ":" $3 ": " ban[1] " must not know " $4)
        }
    }
    END { exit faults > 0 }'
status=$?

# Each room opens with its contract.
for room in core/*/ tools/*/ wrappers/ tracer/; do
    [ -d "$room" ] || continue
    [ -n "$(find "$room" -name '*.c')" ] && [ ! -e "${room}README.md" ] || continue
    echo "rooms: $room has no README.md that says what it is for, its objects with their states, and what it may not know"
    status=1
done
exit $status
