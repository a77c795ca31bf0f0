#!/bin/sh
# docs/report.md names every key of the JSON report and every kind of finding, and none that there is not.
src=${top_srcdir:-.}
page=$src/docs/report.md
failures=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

fault() {
    failures=$((failures + 1))
    echo "docs/report.md: $*"
}

# Keys are all the strings there that look like one. Spreads make theirs of names.
cat "$src"/tools/report/json*.c "$src"/tools/report/report.c | grep -oE '"[a-z][a-z0-9_]*"' | tr -d '"' | grep -vxE 'tsc|monotonic' >"$work/keys"
for unit in _ns; do for name in median p95 max; do echo "$name$unit"; done; done >>"$work/keys"
grep -oE '\] = "[a-z-]+"' "$src/tools/findings/findings.c" | grep -oE '[a-z-]+' | sort -u >"$work/kinds"
grep -oE '`[a-z][a-z0-9_-]*`' "$page" | tr -d '`' | sort -u >"$work/words"
sort -u -o "$work/keys" "$work/keys"

[ "$(wc -l <"$work/keys")" -gt 100 ] || fault "the keys of the JSON report cannot be found in tools/report/json*.c"
[ "$(wc -l <"$work/kinds")" -gt 10 ] || fault "the kinds of findings cannot be found in tools/findings/findings.c"
for key in $(comm -23 "$work/keys" "$work/words"); do fault "the key '$key' is not explained"; done
for kind in $(comm -23 "$work/kinds" "$work/words"); do fault "the kind '$kind' is not explained"; done
sort -u "$work/keys" "$work/kinds" >"$work/known"
for word in $(comm -13 "$work/known" "$work/words"); do
    case $word in
    segment | reduce-scatter | waymark-report) ;;
    *) fault "there is no key '$word'" ;;
    esac
done
[ $failures -eq 0 ]
