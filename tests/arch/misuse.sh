#!/usr/bin/env bash
# misuse.sh SOURCE COMPILER FLAGS...: SOURCE must compile as it stands, must not with -DMISUSE, and the compiler must then say
# what the line `// error: REGEX` expects.
set -euo pipefail
source="$1"
shift
wanted="$(sed -n 's|^// error: ||p' "$source")"
[ -n "$wanted" ] || { echo "$source: no '// error:' line"; exit 1; }
"$@" -fsyntax-only "$source" || { echo "$source: the right form does not compile"; exit 1; }
if said="$("$@" -fsyntax-only -DMISUSE "$source" 2>&1)"; then echo "$source: the misuse compiles"; exit 1; fi
grep -qE "$wanted" <<<"$said" || { echo "$source: refused for another reason:"; echo "$said"; exit 1; }
