# From docs/algorithms.md: maps folder/any1.scm, … of the paths in its tables, one path an operation in each, with the
# Scheme blocks that define something before them; and the operations that have one, to the standard output.
# A path marked "(equal nodes)" goes to folder/equal1.scm, …, one "(in order)" to folder/order1.scm, …,
# one "(one node)" to folder/memory1.scm, …

function add(mark, path, line, file) {
    file = mark (++count[mark, operations])
    if (!(file in maps))
        maps[file] = ""
    maps[file] = maps[file] "\n  (on (" operations ") " path ") ; " FILENAME ":" line
}

function mark_of(cell) {
    if (cell ~ /\(equal nodes\)/)
        return "equal"
    if (cell ~ /\(in order\)/)
        return "order"
    return cell ~ /\(one node\)/ ? "memory" : "any"
}

/^```/ { block = $0 == "```scheme" ? "begun" : "" ; next }
block == "begun" { block = /^\(define / ? "kept" : "skipped" }
block == "kept" { definitions = definitions $0 "\n" }
/^## / {
    operations = substr($0, 4)
    gsub(",", "", operations)
}
/^\|/ && match($0, /`\(path .*\)`/) {
    path = substr($0, RSTART + 1, RLENGTH - 2)
    split($0, cell, "|")
    add(mark_of(cell[2]), path, FNR)
    named[operations] = 1
}

END {
    for (file in maps)
        print definitions "(path-map" maps[file] "\n)" >(folder "/" file ".scm")
    for (operations in named) {
        gsub(" ", "\n", operations)
        print operations
    }
}
