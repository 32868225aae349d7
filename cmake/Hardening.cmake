# Hardening for every build that is not a sanitizer or fuzz build.
option(INTERLOCK_HARDEN "Build with hardening flags" ON)
if(INTERLOCK_HARDEN)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  # Position-independent code as shared libraries need it keeps every function replaceable; nothing here is replaced.
  target_compile_options(interlock_flags INTERFACE -fno-semantic-interposition)
  target_compile_definitions(interlock_flags INTERFACE _GLIBCXX_ASSERTIONS)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(interlock_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
  target_compile_options(interlock_flags INTERFACE
    -fstack-protector-strong -fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero)
  target_link_options(interlock_flags INTERFACE -Wl,-z,relro,-z,now -pie)
endif()
