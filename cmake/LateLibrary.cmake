# interlock_late_library(TARGET soname-macro library-file): the target does not link the library but loads it when it is
# first needed (platform/shared_library.h); the macro is the name by which the dynamic linker knows it.
function(interlock_late_library target macro library)
  get_filename_component(file "${library}" REALPATH)
  get_filename_component(file "${file}" NAME)
  string(REGEX MATCH "^lib[a-z0-9_+-]+\\.so\\.[0-9]+" soname "${file}")
  if(NOT soname)
    message(FATAL_ERROR "no shared library: ${library}")
  endif()
  target_compile_definitions(${target} PRIVATE "${macro}=\"${soname}\"")
endfunction()
