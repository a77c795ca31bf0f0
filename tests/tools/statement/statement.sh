#!/bin/sh
# waymark statement: what is shown of statements, and what is proven or refuted of them.
. "${srcdir:-.}/tests/tools/expect.sh"
COLUMNS=110
export COLUMNS

# shows WHAT LINE WORD ...: the command ends well, and one of its lines is this, blanks aside.
shows() {
    what=$1 line=$2
    shift 2
    waymark statement "$@" >"$work/out" 2>&1 || fail "$what: $(cat "$work/out")"
    tr -s ' ' <"$work/out" | sed 's/^ //' >"$work/lines"
    grep -qxF -- "$line" "$work/lines" || { fail "$what: no line '$line' in:"; cat "$work/out"; }
}

# refutes WHAT SENTENCE WORD ...: the command ends with 1, and says this, wherever its lines break.
refutes() {
    what=$1 sentence=$2
    shift 2
    waymark statement "$@" --check >"$work/out" 2>&1
    same "$what: exit status" 1 $?
    tr -s ' \n' '  ' <"$work/out" | grep -qF -- "$sentence" || { fail "$what: nothing says '$sentence' in:"; cat "$work/out"; }
}

# wrong WHAT ERROR WORD ...: the command ends with 1, and this is all that it says.
wrong() {
    what=$1 error=$2
    shift 2
    waymark statement "$@" >"$work/out" 2>"$work/err"
    same "$what: exit status" 1 $?
    same "$what" "waymark: $error" "$(cat "$work/err")"
}

even='A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0'

# Who sends to whom: to the same ranks, or at the same distance.
shows "the same peers" "0-7 0, 2, 4, 6 4 1 8 B" "$even"
shows "what all ranks know" "knowledge global: every rank can tell all messages" "$even"
shows "what is declared" "declared A[], B[]: doubles; --let says otherwise" "$even"
shows "all messages" "messages sent 4 4 4 32" "$even"
shows "what is received" "bytes received 0 B 0 B 64 B 256 B" "$even"
shows "a distance" "0-7 me+1 1 1 8 B" 'x@right <<= y@me' --let 'right=(me+1)%ranks'
shows "half way round" "0-7 me+4 1 1 8 B" 'x@(i+4)%ranks <<= y@i where i in world'
shows "extents that differ" "let A not alike at all ranks" 'x@0 <<= A[0][0]@1' --let 'A[me+1][2-me]=[5,5]' --ranks 2
shows "what differs" "let right not alike at all ranks" 'x@right <<= y@me' --let 'right=(me+1)%ranks'
shows "what the sender knows" "knowledge sender: receivers cannot tell what comes to them" 'x@right <<= y@me' --let 'right=(me+1)%ranks'
shows "what both know" "knowledge corresponding: both ends of a message can tell it" \
    'x@i <<= y@j where i, j in world, i == 0, j == 1, me == j || me == i || ranks < 3'
shows "what a receiver cannot evaluate" "knowledge sender: receivers cannot tell what comes to them" \
    'x@1 <<= y@0 where me > 0 && T[me] > 0' --let 'T=[1]' --ranks 2
shows "a hint" "knowledge sender: receivers cannot tell what comes to them (as the statement says; without a hint: global)" \
    'x@i <<= y@0 where i in world sender' --ranks 4
shows "distances each way" "1-14 me-1, me+1 2 1 8 B" \
    'halo: g[0]@i+1 <<= e[0]@i, g[1]@i <<= e[1]@i+1 where i in {0 ... ranks-1}' --ranks 16
shows "ranks that send nothing" "1-7 nobody 0 - -" 'x@1 <<= y@0'
shows "sizes that differ" "0 1-3 3 1 8 B to 24 B" 'A[0 ... i]@i <<= B[0 ... i]@0 where i in {1 ... 4}' --ranks 4
shows "several messages" "0-7 0 1 4 16 B" 'A[k]@0 <<= f@i where i in world, k in {0 ... 4}' --let 'float A[4]' --let 'float f'
shows "many ranks" "… and 655 ranks more; --rank shows one" 'x@(7*q*q+3*q)%ranks <<= y@q where q in world' --ranks 1000
[ "$(wc -l <"$work/out")" -le 60 ] || fail "1000 ranks take $(wc -l <"$work/out") lines"
shows "an operator" "declared x: doubles; best: operator; --let says otherwise" 'x@0 << best << x@i where i in world'
shows "an operator of whole numbers" "declared best: operator; --let says otherwise" 'x@0 << best << x@i where i in world' --let 'int x'
shows "an array as a set" "3, 5 1 1 1 8 B" 'x@1 <<= y@i where i in S' --let 'S=[3,5]'
shows "lets by earlier ones" "0 6 1 1 8 B" 'x@m <<= y@0' --let 'n=3' --let 'm=2*n'

# One rank, with places.
shows "what a rank sends" "2 i = 2, j = 5 8 B A[5] <<= B[2]" "$even" --rank 5
shows "what a rank receives" "rank 5 receives 0 messages" "$even" --rank 5
shows "where it is stored" "3 i = 4, j = 3 8 B A[3] <<= B[4]" "$even" --rank 4
shows "slices" "0 p = 1, q = 0, i = 0 24 B A[0][0 ... 3] <<= A[0 ... 3][0]" \
    'A[i][0 ... 3]@p <<= A[0 ... 3][i]@q where p, q in world, i = q' --let 'A[4][4]' --ranks 2 --rank 1
shows "an operator's message" "1 i = 1 8 B s << + << an expression" 's@0 << + << 2*x@i where i in world' --rank 0
waymark statement "$even" --ranks 1024 --rank 5 >"$work/out" || fail "1024 ranks"
same "what one of 1024 sends" 512 "$(grep -c 'A\[5\] <<= B\[' "$work/out")"
grep -q 'planning took rank 5' "$work/out" || fail "how long planning took is not told"

# The plan, and what it costs.
posted="plan messages of which both ends know: receives are posted"
nbx="plan messages of which senders know: receivers take what comes, and a barrier ends it (NBX)"
requests="plan requests, until a barrier ends them (NBX); then messages of which both ends know"
right='right=(me+1)%ranks'
paths="by the map's path for it; a nonblocking call goes as messages"
shows "a plan of messages" "$posted" "$even"
shows "what the first call asks" "first call 1 allreduce finds out who knows" "$even"
shows "what later calls ask" "then nothing is asked" "$even"
shows "messages to others" "messages to others 3 3 4 28" "$even"
shows "bytes to others" "bytes in them 24 B 24 B 32 B 224 B" "$even"
shows "degrees" "degree: sends, receives 4 4 10 56" "$even"
shows "messages in place" "of these in place 4 4 10 56" "$even"
shows "what a rank sends itself is copied" "bytes copied 0 B 0 B 16 B 64 B" "$even"
shows "a column is packed" "bytes copied 24 B 24 B 24 B 48 B" 'A[i][0 ... 3]@1-i <<= B[0 ... 3][i]@i where i in world' --let 'A[4][4]' --let 'B[4][4]' --ranks 2
shows "a computed number is packed" "of these in place 1 1 1 2" 'x@(i+1)%2 <<= 2*y@i where i in world' --ranks 2
shows "a number of another type is packed" "bytes copied 8 B 8 B 8 B 16 B" 'x@(i+1)%2 <<= y@i where i in world' --let 'float y' --ranks 2
shows "what is read and stored into is copied" "bytes copied 16 B 16 B 16 B 32 B" 'x@(i+1)%2 <<= x@i where i in world' --ranks 2
shows "what is combined is copied" "bytes copied 8 B 8 B 8 B 16 B" 'x@1-i << + << y@i where i in world' --ranks 2
shows "one place of two messages" "of these in place 0 1 1 2" 'x@0 <<= y@i where i in {1 ... 3}' --ranks 3
shows "two places of two messages" "of these in place 1 1 2 4" 'A[i]@0 <<= y@i where i in {1 ... 3}' --ranks 3
shows "two messages that travel as one" "messages to others 0 0 1 1" 'A[k]@0 <<= B[k]@1 where k in {0 ... 2}' --ranks 2
shows "what stands in one piece is in place" "of these in place 1 1 1 2" 'A[k]@0 <<= B[k]@1 where k in {0 ... 2}' --ranks 2
shows "what travels as one is packed" "bytes copied 16 B 16 B 16 B 32 B" 'A[1 - k]@0 <<= B[1 - k]@1 where k in {0 ... 2}' --ranks 2
shows "what may change" "then 1 allreduce asks whether 'k' changed; a promise (WM_STABLE) saves it" \
    'x@k <<= y@k' --let k=me
shows "what is promised not to" "then nothing is asked" 'x@k <<= y@k' --let k=me --stable k
shows "an operation" "plan bcast from rank 2, in blocks of 8 B, $paths" 'x@i <<= x@2 where i in world'
shows "an operation in place" "bytes copied 0 B 0 B 0 B 0 B" 'x@i <<= x@2 where i in world'
shows "a root's own block" "bytes copied 0 B 0 B 8 B 8 B" 'x@i <<= y@2 where i in world'
shows "an operation to one" "plan gather to rank 1, in blocks of 16 B, $paths" 'A[i][0 ... 2]@1 <<= B[0 ... 2]@i where i in world' --let 'A[ranks][2]'
shows "blocks that stand apart" "bytes copied 0 B 0 B 128 B 128 B" 'A[i][0 ... 2]@1 <<= B[0 ... 2]@i where i in world' --let 'A[ranks][3]'
shows "what an operation combines" "bytes copied 64 B 64 B 64 B 512 B" 'A@j << max << B@i where i, j in world' --let 'A[8]' --let 'B[8]'
shows "blocks of several sizes" "$posted" 'A[0 ... i]@i <<= B[0 ... i]@0 where i in world'
shows "what senders know" "$nbx" 'x@right <<= y@me' --let "$right"
shows "what that takes" "first call 1 allreduce finds out who knows; 1 barrier" 'x@right <<= y@me' --let "$right"
shows "what it takes each time" "then the same; a promise (WM_STABLE) of 'right' makes it learned, without a barrier" \
    'x@right <<= y@me' --let "$right"
shows "heads" "bytes in them 24 B 24 B 24 B 192 B" 'x@right <<= y@me' --let "$right"
shows "what is unknown is copied" "bytes copied 32 B 32 B 32 B 256 B" 'x@right <<= y@me' --let "$right"
shows "a hint that spares the question" "first call 1 barrier" 'x@right <<= y@me sender' --let "$right"
shows "what is learned" "then learned: both ends know, and receives are posted" 'x@right <<= y@me' --let "$right" --stable right
shows "what is learned in place" "bytes copied 0 B 0 B 0 B 0 B" 'x@right <<= y@me' --let "$right" --stable right
grep -q 'bytes copied  *32 B' "$work/out" || fail "the first call of what is learned costs no copies"
shows "extents that keep from learning" "then the same; a promise (WM_UNIFORM) of all extents makes it learned, without a barrier" \
    'A[0]@right <<= B[0][0]@me' --let "$right" --stable right --let 'B[me+1][1]'
shows "what receivers know" "$requests" 'x@me <<= y@3 receiver'
shows "requests and answers" "messages to others 1 1 7 14" 'x@me <<= y@3 receiver'
shows "answers alone" "messages to others 0 0 7 7" 'x@me <<= y@3 receiver'
shows "a hint that does not hold" "plan none: the hint does not hold, and the run time refuses it; --check says why" \
    'x@right <<= y@me corresponding' --let "$right"
wrong "what a run would refuse" "statement:1:1: rank 1 sends 3 elements, and 'A' has 4 here, at rank 0, in a message from rank 1 to rank 0 of 2
    A[0 ... 4]@0 <<= B[0 ... n]@1 sender
    ^" 'A[0 ... 4]@0 <<= B[0 ... n]@1 sender' --let 'n=me+2' --ranks 2
wrong "a name that is not there" "there is no name 'left' to be stable; name one of the statement or of a let" 'x@right <<= y@me' --let "$right" --stable left

# JSON says the same.
waymark statement "$even" --format json --rank 4 --ranks 6 >"$work/json" || fail "json"
for line in '"knowledge": "global"' '"all": 18' '"storage": "A\[5\]"' '"variables": "i = 4, j = 5"' '"rank_planning_ns": [0-9]'; do
    holds "JSON" "$line" "$work/json"
done
tr -d ' \n' <"$work/json" >"$work/flat"
holds "JSON of a plan" '"plan":{"first":{"way":"posted","allreduces":1,"barriers":0,"figures":{"messages":{"least":2,' "$work/flat"
waymark statement 'x@i <<= x@2 where i in world' --format json >"$work/json" || fail "JSON of an operation"
tr -d ' \n' <"$work/json" >"$work/flat"
holds "JSON of an operation" '"unpromised":\[\],"learned":false,"operation":{"name":"bcast","root":2,"block_bytes":8,"teams":false}}' "$work/flat"
waymark statement 'x@right <<= y@me' --let "$right" --format json >"$work/json" || fail "JSON of what senders know"
tr -d ' \n' <"$work/json" >"$work/flat"
holds "JSON of what senders know" '"again":{"way":"nbx","allreduces":0,"barriers":1,' "$work/flat"
holds "JSON of what is not promised" '"unpromised":\["right"\],"learned":false' "$work/flat"
waymark statement 'x@right <<= y@me global' --let "$right" --format json >"$work/json" || fail "JSON of a wrong hint"
holds "JSON of a wrong hint" '"plan": null' "$work/json"
waymark statement 'x@0 <<= y@i where i in world' --check --ranks 1-3 --format json >"$work/json" && fail "JSON of a refuted one"
tr -d ' \n' <"$work/json" >"$work/flat"
holds "JSON of a proof" '"proven":\[1\],"refuted":\[{"claim":"once","ranks":\[2,3\],"sentence":"' "$work/flat"

# Proofs.
shows "proven" "proven with 1-9, 16-17 ranks: 436 messages" "$even" --check
shows "what is copied" "note 'A' is both read and stored into at 4 of 4 ranks (A[0][0] at rank 0): its data is copied before" \
    'A[i][j]@p <<= A[j][i]@q where p, q in world, i = p, j = q' --let 'A[ranks][ranks]' --check --ranks 4
shows "what is copied of an expression" "note 'A' is both read and stored into at 1 of 4 ranks (A[1] at rank 0): its data is copied before anything" \
    'A[1]@0 <<= A[0] + (i < 1 ? A[1] : A[2])@i where i in {0 ... 1}' --let 'A[3]=[1,2,3]' --check --ranks 4
waymark statement 'A[1]@0 <<= A[0] + (i < 0 ? A[1] : A[2])@i where i in {0 ... 1}' --let 'A[3]=[1,2,3]' --check --ranks 4 >"$work/out" || fail "a choice"
grep -q note "$work/out" && fail "what ?: leaves out is read"
shows "what is combined is no conflict" "proven with 1-9, 16-17 ranks: 78 messages" 's@0 << + << x@i where i in world' --check
shows "neighbours in a row" "proven with 1-4 ranks: 10 messages" \
    'A[n*i ... n*i+n]@0 <<= B[0 ... n]@i where i in world' --let n=3 --let 'A[n*ranks]' --let 'B[n]' --check --ranks 1-4
refutes "neighbours that overlap" "with 2 ranks: 'A[2]' of rank 0 is stored into twice: rank 0 sends it 3 elements by reduction 1, where i = 0; and rank 1 sends it 3 elements by reduction 1, where i = 1" \
    'A[2*i ... 2*i+n]@0 <<= B[0 ... n]@i where i in world' --let n=3 --let 'A[n*ranks]' --let 'B[n]' --ranks 1-4
refutes "which number of ranks" "no place is stored into twice, with 2-4 ranks" \
    'A[2*i ... 2*i+n]@0 <<= B[0 ... n]@i where i in world' --let n=3 --let 'A[n*ranks]' --let 'B[n]' --ranks 1-4
refutes "a column and a row" "'A[1][0]' of rank 0 is stored into twice: rank 0 sends it 2 elements by reduction 1; and rank 0 sends it 2 elements by reduction 2" \
    'A[0 ... 2][0]@0 <<= B[0 ... 2]@0, A[1][0 ... 2]@0 <<= B[0 ... 2]@0' --let 'A[2][2]' --ranks 1
shows "a column and a column" "proven with 1 rank: 2 messages" \
    'A[0 ... 2][0]@0 <<= B[0 ... 2]@0, A[0 ... 2][1]@0 <<= B[0 ... 2]@0' --let 'A[2][2]' --check --ranks 1
refutes "an index outside" "the index 4 is outside of 'A', which has 4 elements, where i = 4, in a message from rank 1 to rank 0 of 5" \
    'A[i]@0 <<= B[i]@1 where i in world' --let 'A[4]' --ranks 1-6
refutes "what is looked at elsewhere" "proven with 1-4 ranks: 9 messages" 'A[i]@0 <<= B[i]@1 where i in world' --let 'A[4]' --ranks 1-6
refutes "an index of an expression" "the index -1 is outside of 'B', which has 3 elements, where i = 0, at rank 0 of 1" \
    'A[i]@0 <<= i > 1 ? B[i] : B[i-1]@0 where i in {0 ... 3}' --let 'A[4]' --let 'B[3]' --ranks 1
shows "an index that is not used" "proven with 1 rank: 3 messages" \
    'A[i]@0 <<= i > 0 ? B[i-1] : 0@0 where i in {0 ... 3}' --let 'A[4]' --let 'B[3]' --check --ranks 1
shows "an index behind &&" "proven with 3 ranks: 3 messages" 'A[i]@0 <<= i > 0 && B[i-1] > 0@i where i in world' --let 'B[2]=[1,2]' --check --ranks 3
shows "an index behind ||" "proven with 3 ranks: 3 messages" 'A[i]@0 <<= i < 1 || B[i-1] > 0@i where i in world' --let 'B[2]=[1,2]' --check --ranks 3
refutes "an index behind && that is evaluated" "the index 2 is outside of 'B', which has 2 elements" \
    'A[i]@0 <<= i > 0 && B[i] > 0@i where i in world' --let 'B[2]' --ranks 3
refutes "nobody receives" "there is no rank 3 to receive: ranks are 0 to 2, where i = 2, at rank 2 of 3" 'x@i+1 <<= y@i where i in world' --ranks 3
refutes "sizes" "rank 1 sends 3 elements, and 'A' has 4 here, at rank 0" 'A[0 ... 4]@0 <<= B[0 ... n]@1' --let 'n=me+2' --ranks 2
refutes "nothing more is known" "unknown no place is stored into twice" 'A[0 ... 4]@0 <<= B[0 ... n]@1' --let 'n=me+2' --ranks 2
refutes "a number that is lost" "3.5 is sent, and 'x', in which it is stored, is of the type int32, which has no such number, at rank 1 of 2" \
    'x@0 <<= y+0.5@1' --let 'int x' --let y=3 --ranks 2

# Hints.
shows "a hint that holds" "proven the hint holds" 'x@i <<= y@(i+1)%ranks where i in world, i < n global' --let n=3 --check
refutes "an unexpected message" "the hint 'corresponding' is wrong: rank 1 sends rank 0 1 element by reduction 1, and rank 0 does not know of it" \
    'x@right <<= y@me corresponding' --let 'right=(me+1)%ranks' --ranks 2
refutes "a missing message" "the hint 'corresponding' is wrong: rank 0 expects of rank 1 1 element by reduction 1, and rank 1 does not know of it" \
    'x@me <<= y@left corresponding' --let 'left=(me+1)%ranks' --ranks 2
refutes "a missing message before another" "wrong: rank 0 expects of rank 1 1 element by reduction 1, where i = 1, and rank 1 does not" \
    'A[i]@0 <<= y@i where i in {1 ... 3}, i == 2 || me == 0 corresponding' --ranks 3
refutes "another message" "the hint 'corresponding' is wrong: rank 1 sends rank 0 1 element by reduction 1, where i = 1, and rank 0 does not know of it" \
    'A[i]@0 <<= y@1 where i in {k ... k+1} corresponding' --let 'k=me' --ranks 2
refutes "what a receiver cannot tell" "the hint 'corresponding' is wrong: rank 1 cannot tell what it receives" \
    'x@1 <<= y@0 where T[me] > 0 corresponding' --let 'T=[1]' --ranks 2
refutes "what a third rank does not know" "the hint 'global' is wrong: rank 2 does not know of a message from rank 1 to rank 0" \
    'x@0 <<= y@1 where k < 2 global' --let 'k=me' --ranks 3
refutes "what a third rank expects" "the hint 'global' is wrong: rank 2 expects a message from rank 1 to rank 0, which is not sent" \
    'x@0 <<= y@1 where k == 2 global' --let 'k=me' --ranks 3
refutes "what a third rank takes for another" "the hint 'global' is wrong: rank 3 does not know of a message from rank 2 to rank 0" \
    'x@d <<= y@2 where d = k < 3 ? 0 : 1 global' --let 'k=me' --ranks 4
refutes "what a third rank cannot tell" "the hint 'global' is wrong: rank 2 cannot tell what rank 1 sends" \
    'x@0 <<= y@1 where T[k] > 0 global' --let 'k=me' --let 'T=[1,1]' --ranks 3

# What receivers alone know, and ask for.
left='left=(me+ranks-1)%ranks'
shows "what senders cannot tell" "knowledge receiver: senders cannot tell what they are to send, and are asked for it" \
    'x@me <<= y@left receiver' --let "$left"
shows "who asks" "ranks receive from peers messages each bytes each" 'x@me <<= y@left receiver' --let "$left"
shows "whom they ask" "0-7 me-1 1 1 8 B" 'x@me <<= y@left receiver' --let "$left"
shows "what is asked of one" "messages sent 0 0 8 8" 'x@me <<= y@3 receiver'
shows "what each asks for" "bytes received 8 B 8 B 8 B 64 B" 'x@me <<= y@3 receiver'
shows "a needless hint" "knowledge receiver: senders cannot tell what they are to send, and are asked for it (as the statement says;" \
    'x@i <<= y@0 where i in world receiver'
shows "an index of the receiver's" "0 i = 1 8 B x <<= A[1]" 'x@me <<= A[i]@left where i = k receiver' --let "$left" --let k=me --let 'A[8]' --rank 1
shows "what is sent to who asks" "2 i = 2 8 B x <<= A[2]" 'x@me <<= A[i]@left where i = k receiver' --let "$left" --let k=me --let 'A[8]' --rank 1
shows "an index of the sender's" "0 8 B x <<= A[0]" 'x@me <<= A[k]@left receiver' --let "$left" --let k=me --let 'A[8]' --rank 1
shows "what is computed for who asks" "rank 0 sends 2 messages" 's@me << + << me + w@0 where w = k receiver' --let k=me --ranks 2 --rank 0
waymark statement 'x@me <<= y@3 receiver' --ranks 4 --rank 3 --format json >"$work/json" || fail "JSON of what is asked for"
tr -d ' \n' <"$work/json" >"$work/flat"
holds "JSON of who asks" '"ranks":\[0,1,2,3\],"receive_from":\[{"rank":3,' "$work/flat"
holds "JSON of what is asked for" '"source":3,"target":2,' "$work/flat"
shows "requests are proven" "proven with 1-9, 16-17 ranks: 78 messages" 'x@me <<= y@left receiver' --let "$left" --check
shows "a sender that is no rank" "proven with 3 ranks: 2 messages" 'x@me <<= y@me+1 receiver' --check --ranks 3
shows "requests for what is stored into" "note 'A' is both read and stored into at 1 of 3 ranks (A[2] at rank 2): its data is copied before anything" \
    'A[me]@me <<= A[i]@(k+1)%ranks where i = (k+1)%ranks, k > 0 receiver' --let k=me --let 'A[8]' --check --ranks 3
refutes "two answers for one place" "'x' of rank 1 is stored into twice: rank 0 sends it 1 element by reduction 1, where i = 0; and rank 2 sends it 1 element by reduction 1, where i = 2" \
    'x@me <<= y@i where i in {0 ... ranks}, i != 1 && me == 1 receiver' --ranks 3
refutes "a request for what is not there" "the index 4 is outside of 'A', which has 4 elements, where i = 4, in a message from rank 0 to rank 1 of 2" \
    'x@me <<= A[i]@0 where i = k receiver' --let 'k=me+3' --let 'A[4]' --ranks 2
refutes "a request for more than there is" "rank 1 asks for 2 elements, and 'B' has 1 here, at rank 0, in a message from rank 0 to rank 1 of 2" \
    'A[0 ... k]@me <<= B[0 ... k]@0 receiver' --let 'k=me+1' --ranks 2
refutes "an answer that has no value" "this divides by zero, where i = 0, at rank 1 of 2" \
    'x@me <<= 1/(k-i-1)@1 where i = k receiver' --let k=me --ranks 2
refutes "an answer that its type has not" "0.5 is sent, and 'x', in which it is stored, is of the type int32" 'x@me <<= y/2@0 receiver' --let 'int x' --let y=1.0 --ranks 2

# What is wrong with a text is the compiler's sentence; what is not known, one that says what to write.
wrong "a text" "statement:1:13: ',' and a reduction, 'where' or a hint are expected here, not 'whre'
    x@0 <<= y@1 whre i in world
                ^" 'x@0 <<= y@1 whre i in world'
wrong "an unknown number" "statement:1:3: the value of 'n' is not known: give it by --let n=…
    A[n]@0 <<= B[0]@1
      ^" 'A[n]@0 <<= B[0]@1'
wrong "an unknown array" "statement:1:3: the values of 'T' are not known: give them by --let 'T=[…]'
    A[T[0]]@0 <<= B[0]@1
      ^" 'A[T[0]]@0 <<= B[0]@1'
wrong "an unknown set" "statement:1:24: the value of 'S' is not known: give it by --let S=…
    x@0 <<= y@i where i in S
                           ^" 'x@0 <<= y@i where i in S'
wrong "a function" "statement:1:11: 'owner' is a function of the program, which is not here: let an array stand for it, 'owner[…]' with --let 'owner=[…]'
    x@0 <<= y@owner(1)
              ^" 'x@0 <<= y@owner(1)'
wrong "values that are needed" "who sends what to whom depends on 'T', whose values are not known: give them by --let 'T=[…]'" \
    'A[T[i]]@0 <<= y@i where i in world' --let 'int T[8]'
wrong "a let without a value" "--let:1:3: an expression is missing here
    n=
      ^" 'x@0 <<= y@1' --let n=
wrong "a let of no name" "--let:1:1: write a name of the program here, as in 'n=4', 'T=[3,2,1]', 'A[8]' or 'float A[8]'
    me=3
    ^" 'x@0 <<= y@1' --let me=3
wrong "a let of no type" "--let:1:1: this is no type: int, long, float, double, ..., int8 to uint64 are
    foo x
    ^" 'x@0 <<= y@1' --let 'foo x'
wrong "a let that does not end" "--let:1:7: ']' is missing here
    T=[1,2
          ^" 'x@0 <<= y@1' --let 'T=[1,2'
wrong "a let that goes on" "--let:1:7: nothing is expected here
    T=[1] 2
          ^" 'x@0 <<= y@1' --let 'T=[1] 2'
wrong "a let of another" "--let:1:4: this divides by zero, at rank 2 of 8
    n=6/(m-2)
       ^" 'x@0 <<= y@1' --let m=me --let 'n=6/(m-2)'
wrong "a number that the type has not" "--let:1:7: the type int32 has no such number; name another type, as in 'double T'
    T=[1, 1.5]
          ^" 'x@0 <<= y@1' --let 'T=[1, 1.5]'
shows "the type that is named" "let T alike at all ranks" 'x@0 <<= T[1]@1' --let 'double T=[1, 1.5]'
wrong "an extent" "--let:1:3: an array has a whole number of elements, at most 1048576 here; give another number
    A[-1][2]
      ^" 'x@0 <<= y@1' --let 'A[-1][2]'
wrong "too many values" "--let 'A[2]=[1,2,3]': the array has 2 elements, and 3 values are given; give as many" 'x@0 <<= y@1' --let 'A[2]=[1,2,3]'
wrong "a name twice" "--let 'x': an earlier let says what 'x' is; leave one out" 'x@0 <<= y@1' --let x --let x
wrong "a fault at a rank" "statement:1:4: there is no rank 8 to receive: ranks are 0 to 7, where i = 7, at rank 7 of 8
    x@i+1 <<= y@i where i in world
       ^" 'x@i+1 <<= y@i where i in world'
wrong "too many messages" "with 3000 ranks these are more than 4194304 messages: too many to prove; take fewer ranks" \
    'x[j]@i <<= y@j where i, j in world' --check --ranks 3000
says "no statement" 2 "no statement is named" waymark statement
says "several numbers of ranks" 2 "several numbers of ranks are for --check; name one" waymark statement x@0 --ranks 2-3
says "no ranks" 2 "'0' is no list of numbers of ranks" waymark statement x@0 --ranks 0
says "a rank that is not there" 2 "there is no rank 8 of 8" waymark statement x@0 --rank 8
says "a rank to prove" 2 "leave --rank out" waymark statement x@0 --rank 1 --check
finish
