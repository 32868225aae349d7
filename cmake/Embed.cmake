# interlock_embed(TARGET name [BASE folder] FILES ...): data files (schemas, profiles) become one generated source with
# `std::string_view interlock::embedded::Find_<name>(std::string_view file)`, empty for a file that is not there, and
# `std::string_view Name_<name>(std::size_t i)`, empty past the last, so that the program needs no installed data and the
# file in the repository stays the source of truth. Files are named by their last part, or relative to BASE; each begins
# at a multiple of 16 bytes.
function(interlock_embed target name)
  cmake_parse_arguments(PARSE_ARGV 2 E "" "BASE" "FILES")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cc")
  add_custom_command(OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAME=${name} -DBASE=${E_BASE} "-DFILES=${E_FILES}" -P "${PROJECT_SOURCE_DIR}/cmake/EmbedScript.cmake"
    DEPENDS ${E_FILES} "${PROJECT_SOURCE_DIR}/cmake/EmbedScript.cmake" VERBATIM)
  # Clang warns of what no compiler here refuses: literals of more than 64 KB.
  set_source_files_properties("${out}" PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>")
  target_sources(${target} PRIVATE "${out}")
endfunction()
