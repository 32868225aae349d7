# tree-sitter: the C runtime and the grammars of the languages that the scanner reads. npm is where both are published at
# pinned, hash-locked versions; Debian's runtime (0.20.7) has a double free that 64 KB of `(` reaches.
#   tree-sitter 0.25.1, MIT (and Unicode-3.0 for lib/src/unicode): incremental parser runtime, grammar ABI 13 to 15
#   tree-sitter-python 0.25.0, -javascript 0.23.1, -typescript 0.23.2 (typescript and tsx), -bash 0.23.3, -go 0.25.0,
#   -rust 0.24.0, all MIT
# Nothing of these packages runs: their C files are compiled here. third_party/tree-sitter/package-lock.json has the hashes.
set(tree_sitter_root "${PROJECT_SOURCE_DIR}/third_party/tree-sitter")
set(tree_sitter_packages "${tree_sitter_root}/node_modules")
set(tree_sitter_lib "${tree_sitter_packages}/tree-sitter/vendor/tree-sitter/lib")
set(tree_sitter_sources
  "${tree_sitter_packages}/tree-sitter-python/src/parser.c"
  "${tree_sitter_packages}/tree-sitter-python/src/scanner.c"
  "${tree_sitter_packages}/tree-sitter-javascript/src/parser.c"
  "${tree_sitter_packages}/tree-sitter-javascript/src/scanner.c"
  "${tree_sitter_packages}/tree-sitter-typescript/typescript/src/parser.c"
  "${tree_sitter_packages}/tree-sitter-typescript/typescript/src/scanner.c"
  "${tree_sitter_packages}/tree-sitter-typescript/tsx/src/parser.c"
  "${tree_sitter_packages}/tree-sitter-typescript/tsx/src/scanner.c"
  "${tree_sitter_packages}/tree-sitter-bash/src/parser.c"
  "${tree_sitter_packages}/tree-sitter-bash/src/scanner.c"
  "${tree_sitter_packages}/tree-sitter-go/src/parser.c"
  "${tree_sitter_packages}/tree-sitter-rust/src/parser.c"
  "${tree_sitter_packages}/tree-sitter-rust/src/scanner.c")
foreach(source IN LISTS tree_sitter_sources)
  if(NOT EXISTS "${source}")
    message(FATAL_ERROR "tree-sitter sources are missing (${source}).\nRun: tools/bootstrap build")
  endif()
endforeach()

# The presets name a launcher and a compiler for C++ only.
if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()
if(NOT CMAKE_C_COMPILER_ID STREQUAL CMAKE_CXX_COMPILER_ID)
  message(FATAL_ERROR "C compiler (${CMAKE_C_COMPILER}) and C++ compiler (${CMAKE_CXX_COMPILER}) differ; set CMAKE_C_COMPILER")
endif()

# The runtime is compiled as part of a file of ours that replaces some of it; another reads its structures.
set(tree_sitter_runtime "${PROJECT_SOURCE_DIR}/src/scan/code/tree_runtime.c")
add_library(interlock_tree_sitter OBJECT ${tree_sitter_sources} "${tree_sitter_runtime}"
  "${PROJECT_SOURCE_DIR}/src/scan/code/syntax_walk.c")
set_target_properties(interlock_tree_sitter PROPERTIES
  C_STANDARD 11 C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden EXPORT_COMPILE_COMMANDS OFF COMPILE_WARNING_AS_ERROR OFF)
# Optimised in every build type: the parse tables are data, and an unoptimised runtime makes every test of the scanner slow.
# One lexer is seen as two types (grammar_lexing.h).
target_compile_options(interlock_tree_sitter PRIVATE -w -O2 -g1 -fno-strict-aliasing)
set_source_files_properties("${tree_sitter_runtime}" PROPERTIES COMPILE_OPTIONS -O3)
# The generated lexers step through a text by our header instead of by calls into the runtime.
set(tree_sitter_lexing "${PROJECT_SOURCE_DIR}/src/scan/code/grammar_lexing.h")
foreach(grammar IN ITEMS tree-sitter-python tree-sitter-javascript tree-sitter-typescript/typescript
                         tree-sitter-typescript/tsx tree-sitter-bash tree-sitter-go tree-sitter-rust)
  set(grammar_source "${tree_sitter_packages}/${grammar}/src")
  set_source_files_properties("${grammar_source}/parser.c" PROPERTIES
    COMPILE_OPTIONS "-include;${tree_sitter_lexing}" COMPILE_DEFINITIONS INTERLOCK_GRAMMAR
    INCLUDE_DIRECTORIES "${grammar_source}" OBJECT_DEPENDS "${tree_sitter_lexing}")
endforeach()
target_compile_definitions(interlock_tree_sitter PRIVATE _DEFAULT_SOURCE NDEBUG)
target_include_directories(interlock_tree_sitter SYSTEM PUBLIC "${tree_sitter_lib}/include")
target_include_directories(interlock_tree_sitter PRIVATE "${tree_sitter_lib}/src")
# The shared half of the two typescript scanners includes the header of either's generated parser.
foreach(dialect IN ITEMS typescript tsx)
  set_source_files_properties("${tree_sitter_packages}/tree-sitter-typescript/${dialect}/src/scanner.c"
    PROPERTIES INCLUDE_DIRECTORIES "${tree_sitter_packages}/tree-sitter-typescript/${dialect}/src")
endforeach()
if(INTERLOCK_HARDEN)
  target_compile_options(interlock_tree_sitter PRIVATE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
    -fstack-protector-strong -fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero)
endif()
if(INTERLOCK_SANITIZE)
  target_compile_options(interlock_tree_sitter PRIVATE
    ${interlock_sanitize})
endif()
