#!/bin/sh
# `waymark convert`: its command line, its bounds, and what other programs find in its output.
. "${srcdir:-.}/tests/tools/expect.sh"
docs=$(cd "${srcdir:-.}/docs" && pwd)
cd "$work" || exit 99
PATH=$(cd "$OLDPWD" && cd "${top_builddir:-.}" && pwd)/tests/tools/convert:$PATH
mkdir trace empty
sample_trace trace || fail "the sample could not be written"

says "no directory" 2 "no trace directory is named" waymark convert --to csv
says "two directories" 2 "one trace directory at a time, but there are 'trace' and 'empty'" waymark convert trace empty --to csv
says "no format" 2 "no format is named; choose one by --to" waymark convert trace
says "a range of ranks from the larger one" 2 "'3-1' is no list of ranks" waymark convert trace --to csv --ranks 3-1
says "an unknown format" 2 "'xml' is no format; there are perfetto, chrome, otf2, csv, paje" waymark convert trace --to xml
waymark convert --help >help
for format in $(sed -n "s/.*there are //p" err | tr -d ,); do
    holds "the help on $format" "^    $format  " help
    holds "docs/convert.md on $format" "^| \`$format\` " "$docs/convert.md"
done
rm help
says "no list of ranks" 2 "'0-' is no list of ranks" waymark convert trace --to csv --ranks 0-
says "a comma too many" 2 "'0,' is no list of ranks" waymark convert trace --to csv --ranks 0,
says "ranks that are not there" 2 "has none of the ranks '7-9': it has 3 of 3" waymark convert trace --to csv --ranks 7-9
says "no time" 2 "begin is a time like 200ms, 1.5s or 2min, not 'soon'" waymark convert trace --to csv --begin soon
says "a negative time" 2 "end is a time like .*, not '-1'" waymark convert trace --to csv --end=-1
says "an end before the begin" 2 "begin is later than --end" waymark convert trace --to csv --begin 2 --end 1
says "no size" 2 "'much' is no size" waymark convert trace --to csv --max-bytes much
says "an output without a name" 2 "'--output' needs its argument OUTPUT, and that is empty" waymark convert trace --to csv -o ""
says "no trace" 1 "no trace in 'empty'" waymark convert empty --to csv
says "a place that cannot be written" 1 "cannot write 'no/file'" waymark convert trace --to csv -o no/file
says "a directory in the way" 1 "'empty' is a directory that no conversion made" waymark convert trace --to csv -o empty
for format in perfetto chrome csv paje; do
    says "too large for $format" 1 "larger than 1000 B: choose fewer ranks by --ranks" \
        waymark convert trace --to $format --max-bytes 1000 -o small
done
if [ -e /dev/full ]; then
    says "a full disk" 1 "cannot write '-': No space left" sh -c 'waymark convert trace --to csv -o - >/dev/full'
fi
[ -z "$(waymark convert trace --to csv -o /dev/null 2>&1 >/dev/null | grep -v ' cut\| left out')" ] || fail "a device"
[ -c /dev/null ] || fail "a device was replaced"
same "what failures leave behind" "empty err out trace" "$(echo $(ls))"

waymark convert trace --to csv 2>notes >said || fail "csv"
holds "the last line" "^trace.csv: [0-9]* records, [0-9.]* KiB$" said
holds "what was cut" "^waymark convert: 1 state had no end within what was converted" notes
holds "what was damaged" "^waymark convert: 1 record at impossible times or of unknown operations left out" notes
waymark convert trace/ --to csv -o - 2>notes >piped || fail "csv to standard output"
cmp -s trace.csv piped || fail "standard output is another csv"
waymark convert trace --to csv >said 2>&1 || fail "a file written again"
waymark convert trace --to csv --ranks 1 --begin 0.5 -o some.csv >said 2>&1 || fail "one rank"
same "its ranks" 1 "$(sed 1d some.csv | grep -o '^[0-9]*,' | sort -u | wc -l)"

# Records of a kind: behind rank, host, time and error.
count() { grep -cE "^[0-2],(alpha|\"be\"\"ta, 2\"),[0-9]+,[0-9]+,$1," trace.csv; }
if command -v node >/dev/null; then
    waymark convert trace --to chrome 2>notes >said || fail "chrome"
    cat >count.js <<'END'
const events = JSON.parse(require("fs").readFileSync("trace.json")).traceEvents;
const of = (phase) => events.filter((e) => e.ph === phase).length;
console.log(of("B") - of("E"), of("s"), of("f"));
END
    same "the JSON as node reads it" "0 $(count send-post) $(count recv-done)" "$(node count.js)"
fi

if waymark convert trace --to otf2 -o archive 2>notes >said; then
    waymark convert trace --to otf2 -o archive 2>notes >said || fail "an archive written again"
    says "standard output as an archive" 2 "otf2 is a directory, which standard output cannot be" \
        waymark convert trace --to otf2 -o -
    says "another's directory" 1 "'empty' is a directory that no conversion made" waymark convert trace --to otf2 -o empty
    says "too large for otf2" 1 "larger than 1000 B" waymark convert trace --to otf2 --max-bytes 1000 -o small
    [ -e small ] && fail "a part of an archive is left behind"
else
    holds "what to install" "built without OTF2: install libotf2-trace-dev" notes
    rm -rf archive
fi
if [ -d archive ] && command -v otf2-print >/dev/null; then
    otf2-print archive/traces.otf2 >events 2>complaints || fail "otf2-print cannot read the archive"
    same "otf2-print's complaints" "" "$(cat complaints)"
    printed() { grep -c "^$1 " events; }
    same "sends" "$(count send-post)" "$(printed MPI_ISEND)"
    same "sends complete" "$(count send-done)" "$(printed MPI_ISEND_COMPLETE)"
    same "receives posted" "$(count recv-post)" "$(printed MPI_IRECV_REQUEST)"
    same "receives" "$(count recv-done)" "$(printed MPI_IRECV)"
    same "collectives ended" "$(printed MPI_COLLECTIVE_BEGIN)" "$(printed MPI_COLLECTIVE_END)"
    same "collectives" "21" "$(printed MPI_COLLECTIVE_BEGIN)" # seven calls of three ranks
    same "regions left" "$(printed ENTER)" "$(printed LEAVE)"
    # Enters but those of pieces and of damage; a begin for each work, wait and refusal; two states of each conveyor.
    works=$(($(count reduce) + $(count copy) + $(count shared) + $(count wait) + $(count question) + $(count convey-blocked)))
    same "regions entered" $(($(count enter) - 3 + works + 6)) "$(printed ENTER)"
fi
finish
