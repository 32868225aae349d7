#!/bin/sh
# `interlock eval scanner` over the project's own fixtures: rows, comparison, export, and another scanner's results.
set -eu
interlock="$1" source="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }

mkdir "$work/few"
cp -R "$source/tests/scan-fixtures/t5" "$source/tests/scan-fixtures/vulnerable" "$work/few/"
"$interlock" eval scanner --fixtures "$work/few" --format json --jobs 2 >"$work/one.json" || fail "does not run"
"$interlock" eval scanner --fixtures "$work/few" --format json --jobs 1 >"$work/two.json" || fail "does not run with one thread"
cmp -s "$work/one.json" "$work/two.json" || fail "rows depend on the number of threads"
grep -q '"table":"items","split":"fixtures","row":"t5-typosquat-requests/clean"' "$work/one.json" || fail "no row a sample"

"$interlock" eval scanner --fixtures "$work/few" --compare "$work/one.json" >"$work/text" || fail "does not compare"
grep -q ' 0 gained, 0 lost, 0 changed otherwise, 0 new' "$work/text" || fail "differs from itself"
grep -q '== Benign packages that are BLOCKed' "$work/text" || fail "does not list what is to be read"

"$interlock" eval scanner --fixtures "$work/few" --counts >"$work/text" || fail "does not count"
grep -q 'static classes' "$work/text" || fail "counts nothing"
! grep -Eq 'Benign packages that are BLOCKed|t5-typosquat' "$work/text" || fail "names a sample where it only counts"

"$interlock" eval scanner --fixtures "$work/few" --out "$work/results" --format html >"$work/page.html" || fail "no page"
grep -q "</html>" "$work/page.html" || fail "page is cut"
cmp -s "$work/page.html" "$work/results/report.html" || fail "page differs"

"$interlock" eval scanner --fixtures "$work/few" --export "$work/samples" || fail "does not export"
test -f "$work/samples/fixtures__t5-typosquat-requests_malicious/requirements.txt" || fail "no exported file"
cat >"$work/theirs.sarif" <<'SARIF'
{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"ruleId":"R","level":"error","message":{"text":"m"},
"locations":[{"physicalLocation":{"artifactLocation":{"uri":"fixtures__t5-typosquat-requests_malicious/requirements.txt"}}}]}]}]}
SARIF
"$interlock" eval scanner --fixtures "$work/few" --results "$work/theirs.sarif" --show block >"$work/text" || fail "does not score SARIF"
grep -q '^BLOCK fixtures/t5-typosquat-requests/malicious' "$work/text" || fail "SARIF result is not taken"

"$interlock" eval scanner --fixtures "$work/few" --rewrite py-list --counts >"$work/text" || fail "does not rewrite"
grep -q 'vulnerable' "$work/text" || fail "counts nothing that it rewrote"

for bad in "--fixtures $work/none" "--fixtures $work/few --rewrite py-nothing" "--data $work" "--fixtures $work/few --compare $work/theirs.sarif" ""; do
  code=0
  # shellcheck disable=SC2086  # words on purpose
  "$interlock" eval scanner $bad >"$work/text" 2>"$work/error" || code=$?
  [ "$code" -eq 2 ] || fail "exit code $code for: $bad"
  [ -s "$work/error" ] || fail "no message for: $bad"
done
echo "1 passed, 0 failed"
