#!/bin/sh
# What a trace tells of messages: exact counts of a job whose receives partly come too late.
. "${srcdir:-.}/tests/mpi/job.sh"

trace=$work/trace
mapped "$srcdir/tests/mpi/messages_trace.scm" 2 "$build/tests/mpi/messages_trace" || verdict
run_options="-t $trace"
mapped "$srcdir/tests/mpi/messages_trace.scm" 2 "$build/tests/mpi/messages_trace" || verdict

# The report's object, without blanks.
waymark report "$trace" --format json >"$output" 2>&1 || fail "no report"
tr -d ' \n' <"$output" >"$work/json"
holds() {
    grep -qE -- "$1" "$work/json" || fail "nothing in the report matches $1"
}
one='"protocols":\[\{"name":"mail","node":[0-9]+,"rank":0,"endpoint":0,"sent":25,"received":0,"left":0,"copied_bytes":0,"copy_ns":0,'
two='"received":22,"left":3,"copied_bytes":1300,"copy_ns":[0-9]+,"expected":\{"n":7,"wait_ns":[1-9][0-9]*,"max_ns":[1-9][0-9]*\},'
three='"copied":\{"n":10,"wait_ns":[1-9][0-9]+,"max_ns":[1-9][0-9]*\},"held":\{"n":5,"wait_ns":[1-9][0-9]*,'
holds "$one"
holds "\"rank\":1,\"endpoint\":1,\"sent\":0,$two$three"
holds '"line":5,[^}]*"label":"'"'letters"
holds '"unknown":0[,}]'
holds '"kind":"late-receive"'
[ "$(grep -o '"copied_bytes"' "$work/json" | wc -l)" -eq 2 ] || fail "what is not traced is in the report"
waymark report "$trace" >"$output" 2>&1 || fail "no report"
grep -q "15 of 22 messages of the protocol 'mail' came to endpoint 1, rank 1, before a receive" "$output" ||
    fail "the report says nothing of what came early"
tr -s '\n ' ' ' <"$output" | grep -q "Post the receives of 'mail' at endpoint 1 earlier; what they wait for is traced at .*messages_trace.scm:5" ||
    fail "the report does not say what to do"
for format in csv chrome; do
    waymark convert "$trace" --to $format -o "$work/converted.$format" >"$output" 2>&1 || fail "convert to $format"
done
grep -q "message-kept\|message kept" "$work/converted.csv" || fail "no kept message in the CSV"

# The memory for messages that no receive waits for is a setting's.
run_options= job_environment=WAYMARK_UNEXPECTED=2KiB
mapped "$srcdir/tests/mpi/messages_trace.scm" 2 "$build/tests/mpi/messages_trace" || verdict
grep -q "^waymark: 'mail' at endpoint 1: messages that no receive waits for take [0-9]* bytes, .*WAYMARK_UNEXPECTED" "$output" ||
    fail "nobody says that the memory for messages is soon used up"
verdict
