#!/bin/sh
# refresh.sh PAGE: print the page, with what stands between "<!-- from: COMMAND -->" and "<!-- end -->" as the command
# prints it now. `make pages` puts that in the page's place; tests/docs/pages.sh compares them. Commands are run at the
# top of the sources; $GUILE is the guile program. They read and print UTF-8, whatever the locale.
LC_ALL=C.UTF-8
export LC_ALL
made=
while IFS= read -r line; do
    case $line in
    '<!-- from: '*)
        made=yes
        command=${line#'<!-- from: '}
        printf '%s\n\n' "$line"
        sh -c "${command%' -->'}" </dev/null || exit
        ;;
    '<!-- end -->')
        made=
        echo
        ;;
    esac
    [ "$made" ] || printf '%s\n' "$line"
done <"$1"
