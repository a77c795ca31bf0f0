# From docs/conveyors.md: its blocks of C that are programs to folder/program1.c, …, the others together to
# folder/functions.c behind what they include, and its maps to folder/map1.scm, … .

BEGIN {
    functions = folder "/functions.c"
    print "#include <biconvey.h>\n#include <convey.h>\n#include <waymark/convey_comm.h>\n#include <mpi.h>\n#include <string.h>" >functions
}
/^```$/ && block != "" {
    if (block == "scheme")
        print text >(folder "/map" ++maps ".scm")
    else if (text ~ /int main/)
        print text >(folder "/program" ++programs ".c")
    else
        print text >functions
    block = ""
    next
}
/^```(c|scheme)$/ {
    block = substr($0, 4)
    text = "/* " FILENAME ":" FNR " */\n"
    if (block == "scheme")
        text = ";; " FILENAME ":" FNR "\n"
    next
}
block != "" { text = text $0 "\n" }
