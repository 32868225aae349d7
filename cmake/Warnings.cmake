# One INTERFACE target carries every flag; errors for warnings come from CMAKE_COMPILE_WARNING_AS_ERROR in the presets.
add_library(interlock_flags INTERFACE)
target_compile_features(interlock_flags INTERFACE cxx_std_20)
target_compile_options(interlock_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-align -Wundef -Wformat=2 -Wimplicit-fallthrough -Wextra-semi -fno-strict-aliasing
  # Designated initializers name what differs from the member defaults; g++ 12 warns about every member left out.
  -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(interlock_flags INTERFACE -Wduplicated-cond -Wlogical-op)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12: std::string concatenation raises false -Wrestrict reports at -O2 (gcc PR 105651).
    target_compile_options(interlock_flags INTERFACE -Wno-restrict)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12's std::stable_sort uses a function that the same library calls deprecated; clang reports it at our call.
  target_compile_options(interlock_flags INTERFACE -Wno-deprecated-declarations)
  # Lists of words become tables when they are compiled (scan's static/part_set.h): more steps than the usual limit.
  target_compile_options(interlock_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fconstexpr-steps=16777216>)
endif()
