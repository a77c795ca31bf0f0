#!/bin/sh
# The rules of `fast` on several nodes: none is predicted to take much longer than what Open MPI would choose. The figures
# are the assumed ones, so that the answers are the same on every machine.
. "${srcdir:-.}/tests/tools/expect.sh"

for nodes in 4 64 250; do
    waymark predict fast --bytes 8,1KiB,32KiB,1MiB --grid node=$nodes,core=8 --format json >"$work/$nodes.json" ||
        fail "$nodes nodes: exit status $?"
done
python3 - "$work"/*.json <<'END' || fail "rules are slower than they may be"
import json, sys

# Times what the library takes. Where no rule may look at a size, what is good for one is not for the other.
LIMIT, LIMIT_UNSIZED = 1.2, 2
unsized = {"gatherv", "scatterv", "alltoallv", "alltoallw"}
asked = slower = 0
for name in sys.argv[1:]:
    result = json.load(open(name))
    for operation in result["operations"]:
        for size in operation["sizes"]:
            fast = [r for r in size["results"] if not r["modelled"]]
            library = [r for r in size["results"] if r["modelled"]]
            if "ps" not in fast[0] or not library or "ps" not in library[0]:
                continue
            asked += 1
            times = fast[0]["ps"] / library[0]["ps"]
            if times > (LIMIT_UNSIZED if operation["name"] in unsized else LIMIT):
                slower += 1
                print("%s, %s of %d B: '%s' at line %d takes %.2f times what '%s' does" % (
                    result["machine"], operation["name"], size["bytes"], fast[0]["label"], fast[0]["rule_line"], times,
                    library[0]["label"]))
print("%d calls, %d slower" % (asked, slower))
sys.exit(slower > 0 or asked < 100)
END
finish
