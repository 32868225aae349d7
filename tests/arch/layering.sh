#!/usr/bin/env bash
# layering.sh CMAKE SOURCE_DIR: a forbidden dependency must stop the configure step, with our message; an allowed one must not.
set -euo pipefail
cmake="$1" source="$2"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
failures=0

# configure FROM TO: a project with one module FROM that declares the dependency TO. Prints what CMake says, lines joined.
configure() {
  rm -rf "${scratch:?}"/*
  cat >"$scratch/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.25)
project(scratch LANGUAGES NONE)
include("$source/cmake/Module.cmake")
interlock_module(NAME $1 DEPENDS $2)
PROJECT
  "$cmake" -S "$scratch" -B "$scratch/build" -G Ninja >"$scratch/out" 2>&1
}
said() { tr -s ' \n' ' ' <"$scratch/out"; }

refused() {
  if configure "$1" "$2"; then
    echo "$1 -> $2: configured, must be refused"; failures=$((failures + 1))
  elif [[ "$(said)" != *"layering: '$1' may not depend on '$2'"* ]]; then
    echo "$1 -> $2: refused for another reason: $(said)"; failures=$((failures + 1))
  fi
}
allowed() {
  configure "$1" "$2" || { echo "$1 -> $2: refused, must configure: $(said)"; failures=$((failures + 1)); }
}

allowed core base
allowed gate policy
allowed runtime.mcp runtime.session
allowed apps eval
refused base core                     # upward
refused gate platform                 # upward, into the system
refused policy patterns               # sideways
refused provenance injection          # sideways
refused runtime.audit runtime.session # sideways
refused eval runtime.audit            # eval never links runtime
refused core core                     # itself
if configure core nosuch; then echo "core -> nosuch: configured"; failures=$((failures + 1)); fi
[[ "$(said)" == *"unknown module 'nosuch'"* ]] || { echo "an unknown module is not named"; failures=$((failures + 1)); }
exit "$((failures > 0))"
