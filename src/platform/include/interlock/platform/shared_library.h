// A shared library that is loaded when somebody asks for what it does, and not when the program starts: libcurl brings
// 25 others with it, which took a quarter of the time of a small scan.
//
//   SharedLibrary library("libz.so.1");
//   decltype(::zlibVersion)* version = nullptr;
//   if (!library.Take("zlibVersion", version)) ...   // not installed, or of another version
//
// The name is the developer's, never anybody's input: it is found as the dynamic linker finds those that a program is
// linked with. A library stays until the program ends, whoever asked for it. From any thread.
#pragma once

namespace interlock::platform {

class SharedLibrary {
 public:
  explicit SharedLibrary(const char* soname) noexcept;

  [[nodiscard]] bool loaded() const noexcept { return handle_ != nullptr; }
  // The function of this name, of the type that its header declares: false if there is none.
  template <class Function>
  [[nodiscard]] bool Take(const char* name, Function*& function) const noexcept {
    function = reinterpret_cast<Function*>(Find(name));
    return function != nullptr;
  }

 private:
  [[nodiscard]] void* Find(const char* name) const noexcept;

  void* handle_ = nullptr;
};

}  // namespace interlock::platform
