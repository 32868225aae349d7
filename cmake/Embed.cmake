# interlock_embed(TARGET NAMESPACE name FILES ...): data files (schemas, profiles) become one generated header-and-source pair
# `interlock/embedded/<name>.h` with `std::string_view Find<Name>(std::string_view file)`, so that the program needs no
# installed data and the file in the repository stays the source of truth.
function(interlock_embed target name)
  cmake_parse_arguments(PARSE_ARGV 2 E "" "" "FILES")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cc")
  add_custom_command(OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAME=${name} "-DFILES=${E_FILES}" -P "${PROJECT_SOURCE_DIR}/cmake/EmbedScript.cmake"
    DEPENDS ${E_FILES} "${PROJECT_SOURCE_DIR}/cmake/EmbedScript.cmake" VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
