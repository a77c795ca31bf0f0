# From docs/maps.md: each block of Scheme as the map folder/NAME.scm that its first line names; the names of those that are
# right to the standard output; each block of commands as folder/N.command and, what it prints, folder/N.expected.

/^```/ && block == "" {
    block = $2 == "refused" ? "refused" : substr($1, 4)
    first = 1
    next
}
/^```/ {
    block = ""
    next
}
block == "scheme" || block == "refused" {
    if (first) {
        map = $2
        sub(":", "", map)
        if (block == "scheme")
            print map
    }
    first = 0
    print >(folder "/" map)
}
block == "console" && first {
    number++
    print substr($0, 3) >(folder "/" number ".command")
    first = 0
    next
}
block == "console" { print >(folder "/" number ".expected") }
