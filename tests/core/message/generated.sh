#!/bin/sh
# What the compiler makes of a protocol: no call through a pointer; and headers that it refuses.
src=$(cd "${top_srcdir:-.}" && pwd) || exit 1
work=$(mktemp -d ./generated.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
compile="${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O2 -I$src/include -I$src -c -o $work/made.o"
status=0

cat >"$work/made.c" <<'C'
#include "tests/core/message/protocols.h"
#include "waymark/message.h"
struct entry {
    struct wm_match match;
    struct urgent_header header;
};
WM_MATCHING(urgent, struct entry, struct urgent_header, urgent_key, WM_KEY_DECIDES, urgent_before);
struct range_entry {
    struct wm_match match;
    struct range_header header;
};
WM_MATCHING(range, struct range_entry, struct range_header, range_key, range_test, WM_IN_ORDER);
int post(struct wm_matching *m, struct entry *e) { return urgent_posted_put(m, e); }
struct entry *find(struct wm_matching *m, const struct urgent_header *h) { return urgent_posted_find(m, h); }
int arrive(struct wm_matching *m, struct entry *e) { return urgent_arrived_put(m, e); }
int ask(struct wm_matching *m, const struct urgent_header *h, struct entry **e) { return urgent_arrived_find(m, h, e); }
int range(struct wm_matching *m, const struct range_header *h, struct range_entry **e) { return range_arrived_find(m, h, e); }
void take(struct wm_matching *m, struct entry *e) { urgent_arrived_remove(m, e); }
WM_PROTOCOL(mail, struct envelope_header, envelope_key, WM_KEY_DECIDES, WM_IN_ORDER, context, source, tag);
int send(struct mail *p, struct mail_envelope *e) { return mail_send(p, e); }
int receive(struct mail *p, struct mail_envelope *e) { return mail_receive(p, e); }
bool cancel(struct mail *p, struct mail_envelope *e) { return mail_cancel(p, e); }
C
# shellcheck disable=SC2086
if ! $compile "$work/made.c"; then
    status=1
elif command -v objdump >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    objdump -d "$work/made.o" >"$work/code"
    grep -q 'call' "$work/code" || { echo "generated: no code is seen"; status=1; }
    grep -E '(call|jmp) +\*' "$work/code" && { echo "generated: a call through a pointer"; status=1; }
fi

# refused MEMBERS NAMES SENTENCE: a header of these members, which are named so, does not compile; "": it does.
refused() {
    printf '#include "waymark/header.h"\nstruct header { %s };\nWM_HEADER_IS_PLAIN(struct header, %s);\n' "$1" "$2" >"$work/made.c"
    # shellcheck disable=SC2086
    $compile "$work/made.c" >"$work/log" 2>&1
    made=$?
    if [ -z "$3" ]; then
        [ $made = 0 ] && return
    elif [ $made != 0 ] && grep -q "$3" "$work/log"; then
        return
    fi
    echo "generated: struct header { $1 }, named ($2):" && cat "$work/log"
    status=1
}
refused 'int a; short b, c; char name[8]; double d[3]; _Bool e[8];' 'a, b, c, name, d, e' ''
refused 'long a, b, c, d, e, f, g, h, i, j, k, l;' 'a, b, c, d, e, f, g, h, i, j, k, l' ''
refused 'int a; double b;' 'a, b' 'has gaps'
refused 'int a, b;' 'a' 'not named'
refused 'char *a;' 'a' 'neither a number'
refused 'long a; char *b[2];' 'a, b' 'neither a number'
refused 'int a; void (*b)(void);' 'a, b' 'neither a number\|has gaps'
exit $status
