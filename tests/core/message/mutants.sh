#!/bin/sh
# Each of these faults, put into the matching, makes test_matching fail: a file, what stands there, what is put in its
# place. `@` is the end of a line and the next one's indentation. A mutant that does not come to an end has failed, too.
src=$(cd "${top_srcdir:-.}" && pwd) || exit 1
work=$(mktemp -d ./mutants.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
header=include/waymark/matching.h tables=core/message/matching.c
compile="${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -w -O1 -I$work -I$src/include -I$src"

# mutate OLD NEW FILE
mutate() {
    old=$1 new=$2 awk '
        { text = text $0 "\n" }
        # The length of what begins at `at` and is `line`, or 0.
        function fits(at,   i, bytes) {
            bytes = length(line[1])
            for (i = 2; i <= lines; i++) {
                match(substr(text, at + bytes), /^\n */)
                if (RLENGTH < 0 || index(substr(text, at + bytes + RLENGTH), line[i]) != 1) return 0
                bytes += RLENGTH + length(line[i])
            }
            return bytes
        }
        END {
            lines = split(ENVIRON["old"], line, "@")
            while ((next_at = index(substr(text, at + 1), line[1])) > 0)
                if ((bytes = fits(at += next_at)) > 0) break
            if (next_at == 0) exit 1
            gsub("@", "\n", ENVIRON["new"])
            printf "%s%s%s", substr(text, 1, at - 1), ENVIRON["new"], substr(text, at + bytes)
        }' "$3"
}

# run FILE OLD NEW: 0 when no test fails, 2 when there is no such mutant.
run() {
    mkdir -p "$work/waymark"
    cp "$src/$header" "$work/waymark/matching.h" && cp "$src/$tables" "$work/tables.c" || return 2
    [ "$1" = header ] && to=$work/waymark/matching.h from=$src/$header || { to=$work/tables.c; from=$src/$tables; }
    mutate "$2" "$3" "$from" >"$to" || { echo "mutants: '$2' does not stand in $from"; return 2; }
    # shellcheck disable=SC2086
    $compile -o "$work/test" "$src/tests/core/message/test_matching.c" "$work/tables.c" -lcunit ||
        { echo "mutants: '$3' in the place of '$2' does not compile"; return 2; }
    timeout 20 "$work/test" >"$work/log" 2>&1
}

run header 'struct wm_matching {' 'struct wm_matching {' || { echo "mutants: what is not mutated fails"; exit 1; }
status=0
while IFS='`' read -r file old new; do
    run "$file" "$old" "$new"
    case $? in
        0) echo "mutants: '$new' in the place of '$old' is not noticed"; status=1 ;;
        2) status=1 ;;
    esac
done <<'END'
header` | (at->word[1] ^ word[1])`
header`(at->word[0] ^ word[0]) |`
header`link->next = next`link->next = previous
header`previous->next = link;`
header`next->previous = link;`
header`place = link;`
header`continue;@if (!before`break;@if (!before
header`previous->next = next;`
header`next->previous = previous;`
header`others >= WM_MATCHING_CROWDED`false
header`key->open[0] | key->open[1]) == 0)`key->open[0]) == 0)
header`m->form[i].open[1] == key->open[1]`true
header`key->word[i] & ~m->form[form].open[i]`key->word[i]
header`link = link->next`link = link->previous
header`a->order < b->order ? a : b`a->order > b->order ? a : b
header`before(late, early) ? late : early`early
header`message->word[1] & ~m->form[form].open[1]`message->word[1]
header`form > 0 && i < m->entries`form > 0 && i + 1 < m->entries
header`twin != NULL; twin = more`false; twin = more
header`0, true, before);@m->entries++;@for (unsigned form = 1; form < m->forms`0, true, before);@m->entries++;@for (unsigned form = 1; form < 1
header`receive->order = m->order++`receive->order = 0
header`m->entries >= m->limit`m->entries > m->limit
header`m->limit)@return WM_MATCHING_FULL;@if ((key`m->limit + 1)@return WM_MATCHING_FULL;@if ((key
tables`x->order > y->order`x->order < y->order
tables`table->vain < table->filed`true
tables`gather(table, &all);@set_seed(table)`gather(table, &all)
tables`wm_match_bucket(table, ((struct wm_match *)link)->word)`&table->buckets[0]
tables`all->previous = bucket->previous`(void)0
tables`m->forms == WM_MATCHING_FORMS`false
END
exit $status
