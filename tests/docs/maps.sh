#!/bin/sh
# docs/maps.md: its maps are proven, and its commands print what the page says.
. "${srcdir:-.}/tests/tools/expect.sh"
page=$(cd "${srcdir:-.}" && pwd)/docs/maps.md

maps=$(awk -f "${srcdir:-.}/tests/docs/maps.awk" -v folder="$work" "$page") || exit 99
[ "$(echo "$maps" | wc -l)" -ge 8 ] || fail "the maps of docs/maps.md cannot be found"
cd "$work" || exit 99
for map in $maps; do
    waymark check "$map" --grid node=2,core=4 >out 2>&1 || fail "$map: $(cat out)"
done
for command in *.command; do
    COLUMNS=110 sh "$command" >out 2>&1
    same "$(cat "$command")" "$(cat "${command%.command}.expected")" "$(cat out)"
done
finish
