#!/bin/bash
# How command lines go on: by `waymark complete` itself, and by bash's completion as it is installed.
. "${srcdir:-.}/tests/tools/expect.sh"
scripts=$(cd "$top_srcdir/tools/complete" && pwd)

# goes WHAT EXPECTED WORD ...: the words offered, in one line.
goes() {
    what=$1 expected=$2
    shift 2
    same "$what" "$expected" "$(waymark complete -- "$@" | cut -f 1 | paste -sd ' ')"
}

goes "the commands" "$(sed -n 's/^WM_COMMAND(wm_command_\(.*\))/\1/p' "$top_srcdir/tools/cli/commands.def" | tr _ - | paste -sd ' ') help" ""
goes "a command" "show" sho
goes "help of a command" "explain" help ex
goes "an option of no command" "--version" --v
goes "options" "--ranks --root" check --r
goes "a choice" "html" report --format h
goes "a choice behind =" "--format=html" report --format=h
goes "a choice behind =, as bash has it" "html" report --format = h
goes "a letter's argument" "html" report -fh h -f h
goes "an operation" "allreduce" explain --op allr
goes "one more operation" "bcast,barrier" check --op bcast,bar
goes "a wrapper, and one more" "reduce-scatter" wrappers bcast reduce-s
goes "a map" "hierarchy :files" check hi
goes "no second map" "" check hierarchy hi
goes "a map of a folder" "pycsp/scatter-parallel pycsp/scatter-sequential :files" run -m pycsp/sc
goes "a trace" ":directories" diff before ""
goes "no option behind --" ":directories" report -- --f
goes "a program" ":command 1" run ""
goes "a program's own" ":command 3" run -m fast ./program --f
goes "an unknown command" "" frobnicate ""
same "what a word means" "MPI_Bcast" "$(waymark complete -- show -o bc | cut -f 2)"

# Every option of every command, and what may be chosen for it, comes from its record.
for command in $(waymark complete -- "" | cut -f 1 | grep -v help); do
    waymark "$command" --help | sed -n '/^OPTIONS/,/^$/s/^    \(-., \)\{0,1\}\(--[a-z-]*\)\( .*\)\{0,1\}$/\2/p' | sort >"$work/options"
    { [ "$command" = complete ] && echo --help || waymark complete -- "$command" -; } | cut -f 1 | sort >"$work/offered"
    { grep -x -- --help "$work/options" || echo --help >>"$work/options"; } >/dev/null
    sort -o "$work/options" "$work/options"
    same "the options of $command" "$(cat "$work/options")" "$(cat "$work/offered")"
done

# bash: the function that its package would call.
mkdir -p "$work/here/a directory" && cd "$work/here" && touch hi.scm 'h file' || exit 99
. "$scripts/bash/waymark"
bash_goes() { # WHAT EXPECTED WORD ...
    what=$1 expected=$2
    shift 2
    COMP_WORDS=(waymark "$@") COMP_CWORD=$#
    _waymark
    same "bash: $what" "$expected" "$(IFS=,; echo "${COMPREPLY[*]}")"
}
bash_goes "a command" "show" sho
bash_goes "a choice" "text,html,json" report -f ""
bash_goes "a choice behind =" "html" report --format = h
bash_goes "maps and files" "hierarchy,hi.scm" check hi
bash_goes "directories" "a directory" report ""
bash_goes "nothing" "" report x y
same "bash's completion" "complete -F _waymark waymark" "$(complete -p waymark)"

# The others are read at least, where the shells are there.
if command -v zsh >/dev/null; then zsh -n "$scripts/zsh/_waymark" || fail "zsh cannot read its script"; fi
if command -v fish >/dev/null; then fish -n "$scripts/fish/waymark.fish" || fail "fish cannot read its script"; fi
finish
