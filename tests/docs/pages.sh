#!/bin/sh
# The parts of pages that are printed from the sources are as these are now.
. "${srcdir:-.}/tests/tools/expect.sh"
cd "${top_srcdir:-.}" || exit 99
GUILE="${GUILE:-guile} --no-auto-compile -L specs"
export GUILE

for page in $(grep -l '^<!-- from: ' docs/*.md); do
    docs/refresh.sh "$page" >"$work/page" || fail "$page cannot be made"
    diff "$page" "$work/page" || fail "$page is not up to date: make -C build pages"
done
# Each cure of docs/cures belongs to a message that there is.
awk '/^[^ #]/ || /^#:/ {message = $0} /^ / && $0 !~ /^ *-$/ {print message}' docs/cures | sed 's/; .*//; s/|/\\|/g' >"$work/cured"
[ -s "$work/cured" ] || fail "docs/cures cannot be read"
while IFS= read -r message; do
    grep -qF -- "$message" docs/messages.md || fail "docs/cures: nothing says any more: $message"
done <"$work/cured"
[ -s "$work/page" ] || fail "no page has parts that are made"
finish
