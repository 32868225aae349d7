// What a value may be made of, over names, containers, functions and files of the package. Engine room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "code/world.h"

namespace interlock::scan::code {

// for (ValueParts parts(...); parts.Next();) { ... parts.expr() ...; parts.AddOwn(); }: in the order in which they are
// come upon, at most `most`.
class ValueParts {
 public:
  ValueParts(const World& world, std::uint32_t module, FuncId scope, ExprId value, std::size_t most)
      : world_(world), most_(most) {
    open_.push_back({module, scope, value});
  }

  // The next part, followed to where it comes from; false: there is none, or enough have been seen.
  [[nodiscard]] bool Next() {
    while (next_ < open_.size() && next_ < most_) {
      now_ = open_[next_++];
      if (now_.expr >= module().exprs.size()) continue;
      now_.expr = view().Origin(now_.expr, now_.scope, &now_.scope);
      if (now_.expr < module().exprs.size()) return true;
    }
    return false;
  }

  [[nodiscard]] const ModuleView& view() const { return world_.View(now_.module); }
  [[nodiscard]] const Module& module() const { return view().module(); }
  [[nodiscard]] std::uint32_t module_id() const noexcept { return now_.module; }
  [[nodiscard]] ExprId id() const noexcept { return now_.expr; }
  [[nodiscard]] FuncId scope() const noexcept { return now_.scope; }
  [[nodiscard]] const Expr& expr() const { return module().exprs[now_.expr]; }

  // Of the module of this part.
  void Add(ExprId value, FuncId scope) { open_.push_back({now_.module, scope, value}); }
  // What this part's expression stands on and is given.
  void AddOwn() {
    const Expr& made = expr();
    if (made.base != kNone) Add(made.base, now_.scope);
    for (const Arg& arg : module().ArgsOf(made)) Add(arg.value, now_.scope);
  }
  // What is put into a container after it was made: rcpt.add(x), of the variable `name`.
  void AddPutInto(ExprId name) {
    constexpr std::size_t kMost = 16;
    if (name >= module().exprs.size() || module().exprs[name].kind != ExprKind::kName) return;
    const std::uint32_t slot = view().SlotOf(name, now_.scope);
    if (slot == kNone) return;
    for (const auto& [value, scope] : view().PutInto(slot, kMost)) Add(value, scope);
  }
  // What a function of the package gives back; false: it is none.
  bool AddReturns(const Value& callee) {
    if (callee.kind != ValueKind::kFunction || callee.module >= world_.size()) return false;
    for (const Stmt& stmt : world_.View(callee.module).module().functions[callee.index].body) {
      if (stmt.kind == StmtKind::kReturn) open_.push_back({callee.module, callee.index, stmt.value});
    }
    return true;
  }

 private:
  struct Part {
    std::uint32_t module = 0;
    FuncId scope = kModuleBody;
    ExprId expr = kNone;
  };
  const World& world_;
  std::size_t most_;
  std::vector<Part> open_;
  std::size_t next_ = 0;
  Part now_;
};

}  // namespace interlock::scan::code
