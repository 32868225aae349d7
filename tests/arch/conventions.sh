#!/usr/bin/env bash
# conventions.sh SOURCE_DIR: the house rules that a script can hold.
set -euo pipefail
cd "$1"
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

code() { find src apps fuzz bench tests spec -type f \( -name '*.cc' -o -name '*.h' -o -name '*.mjs' -o -name '*.sh' \) \
  -not -path '*/node_modules/*' -not -path '*/testdata/*' 2>/dev/null; }

while IFS= read -r file; do
  lines="$(wc -l <"$file")"
  [ "$lines" -le 800 ] || fail "$file: $lines lines, more than 800"
done < <(code)

while IFS= read -r readme; do
  lines="$(wc -l <"$readme")"
  [ "$lines" -le 60 ] || fail "$readme: $lines lines, more than 60"
  grep -qE '^(- )?status:' "$readme" || fail "$readme: no 'status:' line"
  grep -qE '^(- )?posture:' "$readme" || fail "$readme: no 'posture:' line"
done < <(find src -name README.md)

# Every module with sources explains itself.
while IFS= read -r module; do
  folder="$(dirname "$module")"
  if [ -d "$folder/include" ] && [ ! -f "$folder/README.md" ]; then fail "$folder: no README.md"; fi
done < <(find src -mindepth 2 -name CMakeLists.txt)

# Work left undone belongs in an issue.
if code | xargs grep -nE '\b(TODO|FIXME|XXX|HACK)\b' | grep -v 'tests/arch/conventions.sh'; then fail "work left undone (above)"; fi

# Nothing outside eval knows a benchmark's name.
if grep -rniE 'agent.?sentry|agent.?dojo|sia.?bench' src --include='*.h' --include='*.cc' --exclude-dir=eval | grep -v 'Source:'; then
  fail "a benchmark's name outside src/eval (above)"
fi

# One fuzz target, one corpus that shows something.
for source in fuzz/*_fuzz.cc; do
  name="$(basename "$source" _fuzz.cc)"
  [ -n "$(find "fuzz/corpus/$name" -type f 2>/dev/null | head -1)" ] || fail "fuzz/corpus/$name: empty"
done
exit "$((failures > 0))"
