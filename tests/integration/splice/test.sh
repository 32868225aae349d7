#!/bin/sh
# test.sh PROGRAM FOLDER: `interlock splice` with a scripted planner. Ends with `N passed, N failed`.
set -u
program="$1"
here="$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
check() { # check WHAT COMMAND...
  what="$1"
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED  $what"; fi
}
lines() { wc -l <"$1" | tr -d ' '; }
splice() { "$program" splice --benign "$here/benign.jsonl" --attacks "$here/attacks.jsonl" "$@" >"$work/out" 2>"$work/err"; }
plan() { "$program" splice --benign "$here/benign.jsonl" --tools "$here/tools.json" "$@" >"$work/out" 2>"$work/err"; }

splice -o "$work/a" --count 60 --seed 4 --cover --format json
check "splicing succeeds" test $? = 0
check "as many sessions as asked for" test "$(lines "$work/a")" = 60
check "the summary counts them" grep -q '"made":60,' "$work/out"
check "and has the matrix" grep -q '"schema":"interlock.coverage/v1"' "$work/out"
splice -o "$work/b" --count 60 --seed 4 --cover
check "the same seed gives the same bytes" cmp -s "$work/a" "$work/b"
splice -o "$work/c" --count 60 --seed 5 --cover
check "another seed does not" test "$(cmp -s "$work/a" "$work/c"; echo $?)" = 1
"$program" replay "$work/a" --quiet >"$work/replay" 2>&1
check "what is made can be replayed" test $? = 0
splice --count 3
check "sessions go to standard output, the summary does not" test "$(lines "$work/out")" = 3
splice -o "$work/e" --count 4 --hijack late --position field
check "a late hijack of a field" test "$(grep -c '"position":"field","hijack":"late"' "$work/e")" = 4
splice -o "$work/f" --count 3 --point 7
check "no such injection point is an error" test $? = 2
check "with its code" grep -q E1121 "$work/err"
"$program" splice --benign "$here/benign.jsonl" >/dev/null 2>&1
check "no attacks is wrong use" test $? = 2

plan --planner "sh '$here/planner.sh' good" -o "$work/p" --count 4 --format json
check "a planner plans" test $? = 0
check "four sessions" test "$(lines "$work/p")" = 4
check "asked once each" grep -q '"questions":4,' "$work/out"
plan --planner "sh '$here/planner.sh' refine" -o "$work/p" --count 4 --format json
check "a plan that misses is refined" grep -q '"made":4,.*"questions":8,' "$work/out"
plan --planner "sh '$here/planner.sh' garbage" -o "$work/p" --count 2 --refine 1 --format json
check "answers that are no plan cost an attempt" grep -q '"made":0,.*"questions":4,"missed":2,"malformed":4' "$work/out"
check "and are shown with their code" grep -q E0101 "$work/err"
plan --planner "sh '$here/planner.sh' silent" -o "$work/p" --count 2 --planner-timeout 0.3
check "a silent planner stops the run" test $? = 2
check "by timeout" grep -q E1124 "$work/err"
plan --planner "sh '$here/planner.sh' gone" -o "$work/p" --count 2 --planner-timeout 20
check "a planner that ends stops the run" test $? = 2
check "at once" grep -q E1125 "$work/err"
plan --planner "sh '$here/planner.sh' endless" -o "$work/p" --count 1 --planner-timeout 1.5
check "an endless answer ends by timeout" grep -q E1124 "$work/err"

echo "$passed passed, $failed failed"
test "$failed" = 0 && test "$passed" -gt 0
