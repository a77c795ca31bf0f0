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
[ -s "$work/page" ] || fail "no page has parts that are made"
finish
