# Every third-party package, with version (Debian 12), licence and the reason it is here. tools/bootstrap installs them.
# Nothing is fetched at configure or build time.
find_package(PkgConfig REQUIRED)

find_package(simdjson REQUIRED)             # libsimdjson-dev 3.0.1, Apache-2.0: structural JSON scan, UTF-8 validation
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)   # libre2-dev 20220601, BSD-3: linear-time regular expressions
# libvectorscan-dev 5.4.9, BSD-3: literal prefilter of the scanner's rules. Optional: module patterns has its own matcher.
option(INTERLOCK_VECTORSCAN "Use Vectorscan where it is installed" ON)
if(INTERLOCK_VECTORSCAN)
  pkg_check_modules(VECTORSCAN IMPORTED_TARGET libhs)
endif()
# libtomlplusplus-dev 3.3.0, MIT: pyproject.toml, lock files, settings of scanned programs, size-capped; header only, so that its assertions can throw
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
find_package(yaml-cpp REQUIRED)             # libyaml-cpp-dev 0.7.0, MIT: policy and profile files, YAML of scanned packages (size-capped before use)
find_package(ICU REQUIRED COMPONENTS uc i18n)   # libicu-dev 72.1, Unicode-3.0: NFKC and UTS #39 confusable skeletons
find_package(OpenSSL REQUIRED COMPONENTS Crypto)  # libssl-dev 3.0, Apache-2.0: SHA-256 with SHA-NI, by the functions of 1.1 (docs/adr/0010-linked-in.md)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)  # libsodium-dev 1.0.18, ISC: ed25519 checkpoints, keyed hashes, secret boxes
find_package(SQLite3 REQUIRED)              # libsqlite3-dev 3.40.1, public domain: audit log and session store
find_package(ZLIB REQUIRED)                 # zlib1g-dev 1.2.13, Zlib: .gz traces
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)      # libzstd-dev 1.5.4, BSD-3: .zst traces
find_package(LibArchive REQUIRED)            # libarchive-dev 3.6.2, BSD-2: zip and tar packages; zip, tar and the four compressions only; loaded with the first of them (cmake/LateLibrary.cmake)
find_package(CURL REQUIRED)                 # libcurl4-openssl-dev 7.88.1, curl (MIT-like): MCP servers over HTTP; loaded with the first of them
find_package(fmt REQUIRED)                  # libfmt-dev 9.1.0, MIT: formatting (no std::format in g++ 12)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)   # libmd4c-dev 0.4.8, MIT: Markdown of skills and manuals, with offsets
find_package(Threads REQUIRED)
# What a start would only look for, map and tie is part of the program (docs/adr/0010-linked-in.md).
option(INTERLOCK_LINK_IN "Link the archives of ICU, RE2, SQLite, libsodium, yaml-cpp, libvectorscan and of OpenSSL's digests" OFF)
if(INTERLOCK_LINK_IN)
  include(LinkedIn)
  find_package(ICU REQUIRED COMPONENTS uc i18n data)
  interlock_link_in(ICU::data ICU::uc ICU::i18n PkgConfig::RE2 SQLite::SQLite3 PkgConfig::SODIUM yaml-cpp
                    PkgConfig::VECTORSCAN OpenSSL::Crypto)
  # An archive does not say what it needs.
  set_property(TARGET ICU::uc APPEND PROPERTY INTERFACE_LINK_LIBRARIES ICU::data)
  set_property(TARGET ICU::i18n APPEND PROPERTY INTERFACE_LINK_LIBRARIES ICU::uc)
endif()
# tree-sitter 0.25.1 and six grammars (npm, MIT), syntax trees of Python, JavaScript, TypeScript, shell, Go and Rust: cmake/TreeSitter.cmake
# CLI11 2.1.2 (libcli11-dev, BSD-3): command line of the program; header only
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)

# yaml-cpp 0.7 exports a bare name; give it the modern one so that a typo fails at configure.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(interlock_yaml INTERFACE)
  target_link_libraries(interlock_yaml INTERFACE yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS interlock_yaml)
endif()

if(INTERLOCK_TESTS)
  find_package(GTest REQUIRED)              # libgtest-dev, libgmock-dev 1.12.1, BSD-3: tests
  include(GoogleTest)
  find_path(RAPIDCHECK_INCLUDE_DIR rapidcheck.h REQUIRED)     # librapidcheck-dev, BSD-2: property tests
  find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
  add_library(interlock_rapidcheck INTERFACE)
  target_include_directories(interlock_rapidcheck SYSTEM INTERFACE ${RAPIDCHECK_INCLUDE_DIR})
  target_link_libraries(interlock_rapidcheck INTERFACE ${RAPIDCHECK_LIBRARY})
endif()
if(INTERLOCK_BENCH)
  find_package(benchmark REQUIRED)          # libbenchmark-dev 1.7.1, Apache-2.0: micro benchmarks
endif()
