#!/usr/bin/env bash
# The scan of action.yml: inputs come as environment variables, lists one entry a line. Writes the report, prints the
# text for the log and leaves the exit code in $GITHUB_OUTPUT, so that the report is uploaded before the job fails.
set -euo pipefail

lines() { while IFS= read -r line; do if [ -n "$line" ]; then printf '%s\0' "$line"; fi; done <<<"$1"; }

options=(--no-progress)
while IFS= read -r -d '' file; do options+=(--suppressions "$file"); done < <(lines "${SUPPRESSIONS:-}")
while IFS= read -r -d '' file; do options+=(--rules "$file"); done < <(lines "${RULES:-}")
if [ -n "${BASELINE:-}" ]; then options+=(--baseline "$BASELINE"); fi
if [ "${INLINE:-false}" = true ]; then options+=(--inline-suppressions); fi
mapfile -d '' -t paths < <(lines "${PATHS:-.}")

status=0
"${INTERLOCK:-interlock}" scan "${options[@]}" --fail-on "${FAIL_ON:-block}" --format sarif -o "${SARIF:-interlock.sarif}" \
  -- "${paths[@]}" || status=$?
# 126, 127: no such program; signals: it died. None of that is a clean scan.
if [ "$status" -gt 2 ]; then status=2; fi
if [ "$status" -ne 2 ]; then
  "${INTERLOCK:-interlock}" scan "${options[@]}" --fail-on never --no-colour -- "${paths[@]}"
fi
{
  echo "sarif=${SARIF:-interlock.sarif}"
  echo "status=$status"
} >>"${GITHUB_OUTPUT:-/dev/null}"
if [ -z "${GITHUB_OUTPUT:-}" ]; then exit "$status"; fi
