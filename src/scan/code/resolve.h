// Names and constants: what `r.post` means after `import requests as r`, and what `'ex' + 'ec'` says. Engine room.
//
// Values are small abstract values: a constant text, a qualified name ("subprocess.run", "child_process.exec",
// "builtins.eval"), a function or class of the package, a container, or nothing known. Folding knows concatenation,
// join, format and f-strings, %, chr/ord, slices and reversal, replace, case, split, encode/decode,
// base64/hex/rot13/zlib literals, getattr/globals()/__dict__/vars/importlib with constant names; in JS computed
// members, fromCharCode, atob, Buffer.from, split/reverse/join, concat, globalThis[...], Reflect.get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/ir.h"

namespace interlock::scan::code {

// Stands for what is not known in a partly constant text.
inline constexpr char kHole = '\x01';

// A list that copies share until one of them is added to: values are copied much oftener than they are put together, a
// table of a file of data whenever a name stands for it.
template <class T>
class SharedList {
 public:
  SharedList() = default;
  SharedList(std::vector<T> items)  // NOLINT(google-explicit-constructor): a vector is such a list
      : items_(items.empty() ? nullptr : std::make_shared<std::vector<T>>(std::move(items))) {}

  [[nodiscard]] std::size_t size() const noexcept { return items_ == nullptr ? 0 : items_->size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] const T* begin() const noexcept { return items_ == nullptr ? nullptr : items_->data(); }
  [[nodiscard]] const T* end() const noexcept { return items_ == nullptr ? nullptr : items_->data() + items_->size(); }
  [[nodiscard]] const T& operator[](std::size_t at) const { return (*items_)[at]; }
  [[nodiscard]] const T& front() const { return items_->front(); }
  [[nodiscard]] const T& back() const { return items_->back(); }
  [[nodiscard]] std::vector<T> ToVector() const { return std::vector<T>(begin(), end()); }
  operator std::span<const T>() const noexcept { return {begin(), size()}; }  // NOLINT(google-explicit-constructor)

  void reserve(std::size_t count) { Own().reserve(count); }
  void push_back(T item) { Own().push_back(std::move(item)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    return Own().emplace_back(std::forward<Args>(args)...);
  }
  void append(std::span<const T> more) {
    // What is added may be what is here.
    const SharedList kept = *this;
    std::vector<T>& own = Own();
    own.insert(own.end(), more.begin(), more.end());
  }

 private:
  std::vector<T>& Own() {
    if (items_ == nullptr) {
      items_ = std::make_shared<std::vector<T>>();
    } else if (items_.use_count() > 1) {
      items_ = std::make_shared<std::vector<T>>(*items_);
    }
    return *items_;
  }

  std::shared_ptr<std::vector<T>> items_;
};

enum class ValueKind : std::uint8_t { kUnknown, kText, kQualified, kFunction, kClass, kInstance, kList, kDict };

struct Value {
  ValueKind kind = ValueKind::kUnknown;
  // kText: the constant. kQualified: dotted name with import aliases undone, Python builtins as "builtins.x", JS
  // globals as "globalThis.x"; calls in the chain as "()": "requests.Session().post".  kInstance: qualified name of the
  // class or of the call that made it.
  std::string text = {};
  std::uint32_t index = kNone;        // FuncId / ClassId in `module`
  std::uint32_t module = kNone;       // index of the module in the package
  SharedList<Value> items = {};       // kList, kDict (values)
  SharedList<std::string> keys = {};  // kDict
  // How hard the author made it to read: 0 plain; 1 concatenation or format; 2 decoded (base64, hex, chr ...),
  // reversed, or looked up by computed name; 3 several of these nested. An honest program rarely needs 2 for a
  // function's name.
  std::uint8_t obfuscation = 0;
  std::uint8_t decodes = 0;  // layers of base64/hex/rot/zlib undone
};

inline Value FunctionAt(std::uint32_t module, FuncId function) {
  Value value;
  value.kind = ValueKind::kFunction;
  value.module = module;
  value.index = function;
  return value;
}

struct PackageModules;  // flow.h: all modules, by import name

// Resolver of one module. Assignments to plain local names are followed (last assignment in program order before the
// use, through the enclosing functions); budgets: 64 nested steps, 1 MiB of folded text a module.
class Resolver {
 public:
  Resolver(const Module& module, const PackageModules* package);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Value of an expression as seen in `scope`.
  [[nodiscard]] Value Evaluate(ExprId expr, FuncId scope) const;
  // The callee of a call, resolved: kQualified, kFunction, kClass or kUnknown (then `text` is ".method" for a method of
  // an unknown object).
  [[nodiscard]] Value Callee(ExprId call, FuncId scope) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Language parts of folding, called by the resolver with resolved pieces; nullopt: nothing known.
// fold_python.cc / fold_javascript.cc / fold_typed.cc.
[[nodiscard]] std::optional<Value> FoldPythonCall(std::string_view callee, const Value* receiver,
                                                  std::span<const Value> args, std::span<const std::string_view> names);
[[nodiscard]] std::optional<Value> FoldJavaScriptCall(std::string_view callee, const Value* receiver,
                                                      std::span<const Value> args);
// What a packer of JavaScript is given: the program, the radix of its words, their number, and the words. nullopt: it
// is something else.
[[nodiscard]] std::optional<Value> UnpackJavaScript(std::span<const Value> args);
[[nodiscard]] std::optional<Value> FoldTypedCall(std::string_view callee, const Value* receiver,
                                                 std::span<const Value> args);

}  // namespace interlock::scan::code
