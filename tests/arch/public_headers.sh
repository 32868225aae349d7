#!/usr/bin/env bash
# public_headers.sh SOURCE_DIR: no public header from base to gate shows a third-party type: it includes the standard library
# and our own headers only.
set -euo pipefail
cd "$1/src"
found=0 failures=0
while IFS= read -r header; do
  found=$((found + 1))
  # A standard C++ header has neither a slash nor a dot in its name; the compiler's own vector types are no third party's.
  bad="$(grep -nE '^\s*#\s*include' "$header" | grep -vE '#\s*include\s+(<[a-z0-9_]+>|<emmintrin\.h>|"interlock/[a-z0-9_/.]+")' || true)"
  [ -z "$bad" ] || { echo "src/$header: $bad"; failures=$((failures + 1)); }
  grep -q '^#pragma once$' "$header" || { echo "src/$header: no #pragma once"; failures=$((failures + 1)); }
done < <(find base core policy provenance gate -path '*/include/*' -name '*.h' | sort)
[ "$found" -gt 0 ] || { echo "no public header found"; exit 1; }
exit "$((failures > 0))"
