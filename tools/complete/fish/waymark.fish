# fish completion for waymark: `waymark complete` says how the line may go on.
function __waymark_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (waymark complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :directories
                __fish_complete_directories (commandline -ct) ''
            case ':command *'
                set -l first (math (string replace ':command ' '' -- $line) + 2)
                complete -C (string join ' ' -- (string escape -- $words[$first..-2]) $words[-1])
            case '*'
                echo $line
        end
    end
end
complete -c waymark -f -a '(__waymark_complete)'
