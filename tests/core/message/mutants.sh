#!/bin/sh
# Each of these faults, put into the matching or the queues, makes a test fail: a file, what stands there, what is put in
# its place. `@` is the end of a line and the next one's indentation. A mutant that does not come to an end has failed, too.
# WM_MUTANTS=all: all of them; otherwise one in 32, since each is a compilation and a run of a test: others every day.
src=$(cd "${top_srcdir:-.}" && pwd) || exit 1
work=$(mktemp -d ./mutants.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
# Here all endpoints are siblings, and nothing is traced: the linker gives no other function of the library an address.
compile="${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -w -O1 -fno-pie -no-pie -I$work -I$src/include -I$src $(${MPICC:-mpicc} --showme:compile)
    -Wl,--unresolved-symbols=ignore-in-object-files"
siblings='message/endpoints message/matching number message/sentence'

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
    case $1 in
        matching.*) test=test_matching ;;
        number.*) test=test_number ;;
        *) test=test_message ;;
    esac
    rm -rf "$work/waymark" "$work/room" && mkdir "$work/waymark" "$work/room" || return 2
    cp "$src"/include/waymark/ma*.h "$src"/include/waymark/me*.h "$src"/include/waymark/nu*.h "$work/waymark" || return 2
    for source in $siblings; do cp "$src/core/$source.c" "$work/room" || return 2; done
    echo 'void wm_message_trace_open(void *p) { (void)p; }' >"$work/room/trace.c"
    case $1 in
        *.h) to=waymark/$1 from=$src/include/waymark/$1 ;;
        number.c) to=room/$1 from=$src/core/$1 ;;
        *) to=room/$1 from=$src/core/message/$1 ;;
    esac
    mutate "$2" "$3" "$from" >"$work/$to" || { echo "mutants: '$2' does not stand in $from"; return 2; }
    # shellcheck disable=SC2086
    $compile -o "$work/test" "$src/tests/core/message/$test.c" "$work"/room/*.c -lcunit -lm ||
        { echo "mutants: '$3' in the place of '$2' does not compile"; return 2; }
    timeout 20 "$work/test" >"$work/log" 2>&1
}

run message.h '#define' '#define' || { echo "mutants: what is not mutated fails"; exit 1; }
status=0 count=$(date +%j | sed 's/^0*//')
while IFS='`' read -r file old new; do
    count=$((count + 1))
    [ "${WM_MUTANTS-}" = all ] || [ $((count % 32)) = 0 ] || continue
    run "$file" "$old" "$new"
    case $? in
        0) echo "mutants: '$new' in the place of '$old' is not noticed"; status=1 ;;
        2) status=1 ;;
    esac
done <<'END'
matching.h` | (at->word[1] ^ word[1])`
matching.h`(at->word[0] ^ word[0]) |`
matching.h`link->next = next`link->next = previous
matching.h`previous->next = link;`
matching.h`next->previous = link;`
matching.h`place = link;`
matching.h`continue;@if (!before`break;@if (!before
matching.h`previous->next = next;`
matching.h`next->previous = previous;`
matching.h`others >= WM_MATCHING_CROWDED`false
matching.h`key->open[0] | key->open[1]) == 0)`key->open[0]) == 0)
matching.h`m->form[i].open[1] == key->open[1]`true
matching.h`key->word[i] & ~m->form[form].open[i]`key->word[i]
matching.h`link = link->next`link = link->previous
matching.h`a->order < b->order ? a : b`a->order > b->order ? a : b
matching.h`before(late, early) ? late : early`early
matching.h`message->word[1] & ~m->form[form].open[1]`message->word[1]
matching.h`form > 0 && i < m->entries`form > 0 && i + 1 < m->entries
matching.h`twin != NULL; twin = more`false; twin = more
matching.h`0, true, before);@m->entries++;@for (unsigned form = 1; form < m->forms`0, true, before);@m->entries++;@for (unsigned form = 1; form < 1
matching.h`receive->order = m->order++`receive->order = 0
matching.h`m->entries >= m->limit`m->entries > m->limit
matching.h`m->limit)@return WM_MATCHING_FULL;@if ((key`m->limit + 1)@return WM_MATCHING_FULL;@if ((key
matching.c`x->order > y->order`x->order < y->order
matching.c`table->vain < table->filed`true
matching.c`gather(table, &all);@set_seed(table)`gather(table, &all)
matching.c`<= behind_by_chance(table)`>= 0
matching.c`wm_match_bucket(table, word)`&table->buckets[0]
matching.c`all->previous = bucket->previous`(void)0
matching.c`m->forms == WM_MATCHING_FORMS`false
message_inline.h`fits ? bytes : receive->bytes`bytes
message_inline.h`receive->peer = sender`(void)0
message_inline.h`receive->whole = bytes`receive->whole = receive->bytes
message_inline.h`!e->rendezvous &&`
message_inline.h`e->bytes < wm_protocol_way(p, true, e->bytes)->eager_below &&`
message_inline.h`<= p->limit_bytes`<= 2 * p->limit_bytes
message_inline.h`place != WM_ENVELOPE_FREE`place > WM_ENVELOPE_UNREQUESTED
message.h`copy->message.place = WM_ENVELOPE_UNEXPECTED;`copy->message.place = WM_ENVELOPE_UNREQUESTED;
message.h`e->message.place = WM_ENVELOPE_UNREQUESTED;`
message.h`to->common.kept_bytes +=`(void)
message.h`message.rendezvous = rendezvous;`message.rendezvous = false;
message.h`message.sender = p->common.self;`message.sender = 0;
message.h`p->common.kept_bytes -=`(void)
message.h`(k.open[0] | k.open[1]) != 0`false
message.h`receive->header = *header;`
message.h`e->header = message->header;`
message.h`name##_posted_remove(&to->common.expected, receive);`
message.h`e->message.place = WM_ENVELOPE_EXPECTED;`
message.h`(*taken)->message.place = WM_ENVELOPE_TAKEN`(void)0
message.h`wm_envelope_complete(&message->message, WM_MESSAGE_DONE);`
message_inline.h`__builtin_expect(receive->number != message->number, 0)`false
message_inline.h`receive->number != WM_BYTES`true
endpoints.c`sent * to_bytes`message->bytes
endpoints.c`made < count`false
endpoints.c`sent > room`false
endpoints.c`p->tell_bytes = SIZE_MAX;`
endpoints.c`p->limit_bytes - p->limit_bytes / 4`p->limit_bytes
number.c`magnitude != (double)(uint64_t)magnitude`false
number.c`.negative = v->floating < 0`.negative = false
number.c`>> bits != 0`>> bits > 1
number.c`bits > 0 &&`
number.c`exponent > 128`exponent > 129
number.c`exponent < -125`exponent < -126
number.c`limit / 2 + 1`limit / 2
number.c`!has_sign ||`
number.c`has_sign ? limit / 2 : limit`limit
matching.c`MANY_KEYS && has_many_keys(bucket)`MANY_KEYS
endpoints.c`context->header_bytes != header_bytes`false
endpoints.c`context->opened[self] != NULL`false
endpoints.c`WM_MESSAGE_CLOSED`WM_MESSAGE_DONE
endpoints.c`take_back(p, context->opened[i])`(void)0
endpoints.c`e->sender != p->self`e->sender == p->self
endpoints.c`context->opened[p->self] = NULL;`
END
exit $status
