#!/bin/sh
# The help, the manual pages and the commands' names.
. "${srcdir:-.}/tests/tools/expect.sh"

commands=$(waymark --help | sed -n '/^COMMANDS/,/^$/s/^    \([a-z][a-z-]*\) .*/\1/p')
same "the commands" "$(sed -n 's/^WM_COMMAND(wm_command_\(.*\))/\1/p' "$top_srcdir/tools/cli/commands.def" | tr _ -)" "$commands"
for command in $commands; do
    [ -s "$top_builddir/docs/waymark-$command.1" ] || fail "no manual page of $command is built"
done

for command in $commands; do
    waymark help "$command" >"$work/help" || fail "help $command"
    waymark "$command" --help >"$work/option" || fail "$command --help"
    cmp -s "$work/help" "$work/option" || fail "'help $command' and '$command --help' differ"
    holds "help $command" "^usage: waymark $command" "$work/help"
    holds "help $command" "^EXAMPLES" "$work/help"
    [ "$(LC_ALL=C.UTF-8 wc -L <"$work/help")" -le 110 ] || fail "help $command is wider than 110 columns"
    for option in $(sed -n '/^OPTIONS/,/^$/s/^    \(-.,\)* *--\([a-z-]*\) .*/\2/p' "$work/help"); do
        for words in "--$option=1 --help" "--$option --help"; do
            (cd "$work" && waymark "$command" $words >out 2>&1) # what it may write goes with the directory
            [ $? -le 2 ] || fail "$command $words"
        done
    done
    COLUMNS=80 waymark help "$command" >"$work/help"
    [ "$(LC_ALL=C.UTF-8 wc -L <"$work/help")" -le 80 ] || fail "help $command does not fit 80 columns"
done

for page in "" $commands; do
    waymark man $page >"$work/page" || fail "man $page"
    holds "man $page" '^\.SH "SEE ALSO"' "$work/page"
    holds "man $page" '^\.SH "EXIT STATUS"' "$work/page"
    for status in 0 1 2; do
        same "man $page: times that the status $status is told" 1 "$(grep -c "^.fB$status.fR$" "$work/page")"
    done
    if LC_ALL=C grep -q '[^ -~]' "$work/page"; then
        fail "man $page holds characters that roff does not read"
    fi
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww "$work/page" >/dev/null 2>"$work/warnings"
        same "groff's warnings about man $page" "" "$(cat "$work/warnings")"
    fi
done

same "the version" 1 "$(waymark --version | grep -c '^waymark [0-9]')"
says "no command" 2 "^usage: waymark COMMAND" waymark
says "an unknown command" 2 "unknown command 'raport'; did you mean 'report'?" waymark raport trace
says "an unknown command, far from any" 2 "unknown command 'frobnicate'$" waymark frobnicate
says "help for an unknown command" 2 "unknown command 'shwo'" waymark help shwo
says "an unknown option" 2 "unknown option '--versoin'; did you mean '--version'?" waymark --versoin
says "report without a directory" 2 "no trace directory is named" waymark report
says "report of two directories" 2 "one trace directory at a time" waymark report a b
if [ -e /dev/full ]; then
    says "a full disk" 1 "cannot write to standard output" sh -c 'waymark --help >/dev/full'
fi
finish
