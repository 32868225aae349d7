// All modules of a package with their scopes, and the evaluation of their expressions; shared by the resolver, the
// entry points and the flow engine. Private to src/scan/code.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/flow.h"
#include "code/ir.h"
#include "code/package_data.h"
#include "code/resolve.h"

namespace interlock::scan::code {

class World;

// An assignment to a name or to an attribute of a class.
struct Binding {
  std::uint32_t slot = kNone;
  std::uint32_t end = 0;  // offset where the statement ends: uses before it do not see it
  ExprId value = kNone;
  FuncId scope = kModuleBody;
  std::string_view part = {};  // destructured by key
  std::uint32_t item = kNone;  // destructured by position
  bool destructured = false;
  bool weak = false;             // None, null, undefined: seen only when there is nothing else
  std::uint32_t strong = kNone;  // the last one of the variable up to here that is not weak
  std::uint32_t until = kNone;   // where the branch that it stands in ends; kNone: it stands in none
};

// A variable: of a function, of the module (scope kModuleBody), or an attribute of a class.
struct Slot {
  FuncId scope = kModuleBody;
  ClassId owner = kNone;  // attribute of this class
  std::string_view name;
  std::uint32_t param = kNone;
  FuncId function = kNone;
  ClassId klass = kNone;
  std::uint32_t import = kNone;
  ExprId type = kNone;      // of a field that is declared with one
  std::uint32_t first = 0;  // bindings
  std::uint32_t count = 0;
};

// What the text of a module says at all; each is asked of every module that is judged, and costs a reading of it.
struct ModuleWords {
  bool leaves = false;    // writes files, or runs programs that are given as texts
  bool grants = false;    // a public key, and the file that lets its owner in
  bool connects = false;  // "/dev/tcp/"
  bool signs_in = false;  // says somewhere how it does: "authorization", "api_key"
  bool hears = false;     // takes what comes back on a socket
  bool agents = false;    // names the folder of an agent's settings
  bool chains = false;    // works with money of a chain, where an account is called an address
  bool roles = false;     // names where a machine in a cloud asks who it is
};
[[nodiscard]] ModuleWords WordsOf(const Module& module);  // sinks_kept.cc

// Origins that were found, by expression and scope. Flat: there are as many as a module has calls and members.
class KnownOrigins {
 public:
  struct Known {
    ExprId expr = kNone;
    FuncId scope = kNone;
    ExprId origin = kNone;
    FuncId origin_scope = kNone;
  };
  // nullptr: not known yet.
  [[nodiscard]] const Known* Find(ExprId expr, FuncId scope) const;
  void Add(const Known& known);

 private:
  [[nodiscard]] std::size_t PlaceOf(ExprId expr, FuncId scope) const;
  std::vector<Known> slots_;  // expr kNone: free
  std::size_t count_ = 0;
};

// Text of at most this size is folded.
inline constexpr std::size_t kMaxText = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxKept = std::size_t{64} << 20U;  // bytes of values that are remembered of a module

class ModuleView {
 public:
  ModuleView(const World& world, const Module& module, std::uint32_t index);

  [[nodiscard]] const Module& module() const noexcept { return module_; }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] const ModuleWords& words() const noexcept { return words_; }
  [[nodiscard]] bool is_python() const noexcept { return module_.language == Language::kPython; }
  // Go, Rust.
  [[nodiscard]] bool is_typed() const noexcept { return IsTyped(module_.language); }

  // What an expression means depends on the function in which it stands, and not on who asks. Everything below that is
  // given an expression and a `scope` takes the function from here; `scope` counts for what stands in no statement, as
  // defaults of arguments and types do.
  [[nodiscard]] const ExprPlaces& places() const noexcept { return places_; }
  [[nodiscard]] FuncId ScopeOf(ExprId expr, FuncId scope) const noexcept {
    return places_.scope[expr] != kNone ? places_.scope[expr] : scope;
  }

  // References stay valid as long as the view.
  [[nodiscard]] const Value& Evaluate(ExprId expr, FuncId scope) const;
  [[nodiscard]] Value Callee(ExprId call, FuncId scope) const;

  // The variable that a name means in `scope`; kNone: none of this module.
  [[nodiscard]] std::uint32_t SlotOf(ExprId name, FuncId scope) const;
  [[nodiscard]] std::uint32_t SlotByName(std::string_view name, FuncId scope) const;
  // The variable that a parameter of a function is; kNone: it has no name.
  [[nodiscard]] std::uint32_t SlotOfParam(FuncId function, std::size_t param) const noexcept {
    return param_slots_[first_param_[function] + param];
  }
  // Attribute of a class, own or of a base in this module; kNone.
  [[nodiscard]] std::uint32_t AttributeSlot(ClassId klass, std::string_view name) const;
  [[nodiscard]] FuncId MethodOf(ClassId klass, std::string_view name) const;
  [[nodiscard]] bool IsProperty(FuncId function) const;
  [[nodiscard]] const std::vector<Slot>& slots() const noexcept { return slots_; }
  [[nodiscard]] const std::vector<Binding>& bindings() const noexcept { return bindings_; }
  // Class whose instance a name means (self, this, cls in its methods); kNone.
  [[nodiscard]] ClassId SelfClass(std::string_view name, FuncId scope) const;

  // Follows names to the expression that they were last given, and containers, boxes and functions without arguments to
  // the one thing that was put into them; `expr` itself where there is none.
  [[nodiscard]] ExprId Origin(ExprId expr, FuncId scope, FuncId* found_scope = nullptr) const;
  // The path of the file whose content an expression is, as far as it is known (kHole); "" for anything else.
  [[nodiscard]] std::string FileBehind(ExprId expr, FuncId scope, int depth = 0) const;
  // What is put into a variable's container, after it was made, by functions of this module: HOOKS.append(f). Nothing
  // where it is more than `most`.
  [[nodiscard]] std::vector<std::pair<ExprId, FuncId>> PutInto(std::uint32_t slot, std::size_t most,
                                                               std::string_view key = {}) const;
  // Of the texts that a name or a choice may be behind its branches, a place of secrets, or with `address` a stranger's
  // address. "": there is none.
  [[nodiscard]] std::string TellingText(ExprId id, FuncId scope, bool address) const;
  // Constant text, or partly constant with kHole; "" where nothing is known.
  [[nodiscard]] const std::string& Text(ExprId expr, FuncId scope) const;
  // Something of the module was too large to be put together or remembered.
  [[nodiscard]] bool starved() const noexcept { return starved_; }
  [[nodiscard]] std::uint32_t ExportedVariable(std::string_view symbol) const;
  // Of a module that is a function, a class or an object of one, that; unknown of others. JavaScript's.
  [[nodiscard]] Value WholeModule(const Value& value) const;
  // The same, and of everything else the value as it is.
  [[nodiscard]] Value OrWholeModule(Value value) const;
  // A symbol as other modules see it: "" or "default" is the module's own value.
  [[nodiscard]] Value Symbol(std::string_view name) const;

 private:
  friend class World;
  struct Frame;
  void Build();
  void NoteStreamHandlers();
  std::uint32_t AddSlot(FuncId scope, ClassId owner, std::string_view name);
  [[nodiscard]] bool Declares(std::size_t at) const;
  void BindFields();
  void BindAll(FuncId function);
  void Bind(ExprId target, ExprId value, FuncId scope, std::uint32_t end, std::string_view part, std::uint32_t item,
            bool destructured, int depth);
  [[nodiscard]] Value Compute(ExprId expr, FuncId scope) const;
  [[nodiscard]] Value OfName(ExprId expr, FuncId scope) const;
  [[nodiscard]] Value OfSlot(std::uint32_t slot, std::uint32_t at, FuncId scope) const;
  [[nodiscard]] Value OfType(ExprId annotation, FuncId scope) const;
  [[nodiscard]] Value OfBinding(const Binding& binding) const;
  [[nodiscard]] ExprId PlainType(ExprId annotation) const;
  [[nodiscard]] Value GivenItem(const Binding& binding) const;
  [[nodiscard]] static const Stmt* OnlyGiven(const Function& function);
  [[nodiscard]] Value Unbound(std::string_view name) const;
  [[nodiscard]] Value OfStars(std::string_view name) const;
  // resolve_typed.cc
  [[nodiscard]] Value OfPackage(std::string_view name) const;
  [[nodiscard]] std::string TextOfTypedCall(std::string_view callee, const Expr& call, FuncId scope) const;
  [[nodiscard]] Value OfImport(const Import& import) const;
  [[nodiscard]] Value MemberOf(const Value& base, std::string_view name, int depth = 0) const;
  [[nodiscard]] Value OfCall(ExprId expr, FuncId scope) const;
  [[nodiscard]] std::optional<Value> OfPacker(const Value& callee, const Expr& call, FuncId scope) const;
  // resolve_applied.cc
  [[nodiscard]] bool IsTagged(const Expr& call) const;
  [[nodiscard]] std::optional<Value> Applied(const Value& function, std::span<const Value> args) const;
  [[nodiscard]] std::optional<Value> AppliedToEach(std::string_view method, const Value& list, const Value& function,
                                                   const Value* first) const;
  [[nodiscard]] std::vector<Arg> GrownList(ExprId list, FuncId scope) const;
  [[nodiscard]] bool JoinsGrownList(const Expr& call, FuncId scope) const;
  [[nodiscard]] std::optional<Value> OfPattern(const Value& callee, const Expr& call, FuncId scope) const;
  [[nodiscard]] std::optional<Value> OfCarrier(const Value& callee, const Expr& call, FuncId scope) const;
  [[nodiscard]] Value OfJoined(ExprId expr, FuncId scope) const;
  [[nodiscard]] Value OfSlice(ExprId expr, FuncId scope) const;
  [[nodiscard]] Value OfIndex(ExprId expr, FuncId scope) const;
  [[nodiscard]] Value OfBinary(ExprId expr, FuncId scope) const;
  [[nodiscard]] Value OfComprehension(ExprId expr, FuncId scope) const;
  [[nodiscard]] Value FindSymbol(std::string_view name) const;
  [[nodiscard]] Value SymbolOf(ExprId from, FuncId scope, std::string_view name) const;
  void ReadLiteral(ExprId id);
  [[nodiscard]] Value OfTarget(std::string_view target) const;
  [[nodiscard]] Value OfData(const Value& callee, const Expr& call, FuncId scope) const;
  [[nodiscard]] std::optional<Value> Special(const Value& callee, const Expr& call, FuncId scope) const;
  [[nodiscard]] std::string ComputeText(ExprId expr, FuncId scope) const;
  [[nodiscard]] std::string TextOfValues(ExprId id, FuncId scope) const;
  [[nodiscard]] std::string TextOfDefault(ExprId name, FuncId scope) const;
  [[nodiscard]] ExprId TableBehind(ExprId list) const;
  [[nodiscard]] std::string TextOfAttribute(const Expr& member, FuncId scope) const;
  [[nodiscard]] std::string TextOfField(std::span<const Arg> args, FuncId scope) const;
  [[nodiscard]] std::string Filled(std::string_view text, std::span<const Arg> given, bool percent, FuncId scope) const;
  // resolve_settings.cc
  [[nodiscard]] std::string TextOfFunction(const Value& function) const;
  [[nodiscard]] std::string TextOfSetting(const Expr& member, const Value& owner, FuncId scope) const;
  [[nodiscard]] std::string TextOfOption(std::string_view name, FuncId scope) const;
  [[nodiscard]] std::string TextOfSchema(const Expr& member, FuncId scope) const;
  [[nodiscard]] bool Spread(ExprId spread, FuncId scope, Value* into) const;
  [[nodiscard]] static bool HoldsAddress(const Value& value);
  [[nodiscard]] static bool NamesStore(const Value& value);
  // resolve_limits.cc
  [[nodiscard]] bool Spend(std::size_t bytes) const;
  [[nodiscard]] bool SpendOn(const Value& part) const;
  [[nodiscard]] bool MayKeep(const Value& value) const;
  [[nodiscard]] bool MayLook(ExprKind kind) const;
  [[nodiscard]] std::uint32_t SameAs(ExprId id, FuncId scope) const;
  [[nodiscard]] const Binding* Chosen(const Slot& slot, std::uint32_t at, FuncId scope) const;
  // One step behind a name's value (resolve_origin.cc); kNone: there is none.
  [[nodiscard]] ExprId FindOrigin(ExprId expr, FuncId scope, FuncId* found_scope) const;
  [[nodiscard]] ExprId Behind(ExprId expr, FuncId* scope) const;
  [[nodiscard]] ExprId BehindCall(const Expr& call, FuncId* scope) const;
  [[nodiscard]] ExprId Held(ExprId container, std::string_view key, FuncId* scope) const;
  [[nodiscard]] ExprId HeldWithin(ExprId container, FuncId* scope) const;
  [[nodiscard]] ExprId Given(ExprId function, std::span<const Arg> args, FuncId* scope) const;
  [[nodiscard]] ExprId Global(std::string_view name, FuncId* scope) const;
  void ReadKept() const;

  // What is put into a variable's container: by key, or in turn (key "").
  struct Kept {
    std::string_view key;
    ExprId value = kNone;
    FuncId scope = kModuleBody;
  };

  const World& world_;
  const Module& module_;
  std::uint32_t index_;
  ModuleWords words_;
  ExprPlaces places_;
  std::vector<Slot> slots_;
  std::vector<Binding> bindings_;
  std::vector<std::string_view> stream_handlers_;  // functions
  std::vector<std::uint32_t> first_param_;         // by function, into param_slots_
  std::vector<std::uint32_t> param_slots_;
  std::unordered_map<std::string_view, std::uint32_t> names_;     // interned
  std::unordered_map<std::uint64_t, std::uint32_t> scope_slots_;  // scope, name -> slot
  std::unordered_map<std::uint64_t, std::uint32_t> class_slots_;  // class, name -> slot
  std::unordered_map<std::uint64_t, std::uint32_t> exports_;      // JS: name -> binding
  std::unordered_map<FuncId, ExprId> waited_;                     // JS: function given to .then -> what it waits for
  std::vector<std::uint32_t> stars_;                              // imports with "*"
  bool hands_on_ = false;                                         // JS: some names of other modules (ExportedName)
  ExprId default_export_ = kNone;
  FuncId default_scope_ = kModuleBody;
  mutable std::vector<std::uint32_t> memo_;
  mutable std::deque<Value> values_;
  mutable std::vector<std::uint32_t> slot_memo_;  // of names that stand in no statement: as first asked for
  mutable std::vector<std::uint32_t> text_memo_;  // by expression (resolve_text.cc)
  mutable std::deque<std::string> texts_;
  mutable std::unordered_map<std::uint32_t, std::vector<Kept>> kept_;  // by slot
  mutable bool kept_read_ = false;
  mutable std::vector<ExprId> options_;  // calls that declare options of a command line
  mutable bool options_read_ = false;
  std::unordered_map<FuncId, ExprId> literal_of_;  // objects that are written out, of their methods
  std::vector<ExprId> added_exports_;
  mutable int origin_depth_ = 0;
  mutable int held_depth_ = 0;
  mutable std::uint64_t origin_steps_ = 0;  // of all that were asked for
  // Of what is asked for outside of any box, by expression that stands in a statement; 0: not asked yet.
  struct FirstOrigin {
    std::uint32_t origin = 0;  // + 1
    FuncId scope = kModuleBody;
  };
  mutable std::vector<FirstOrigin> first_origins_;
  mutable std::vector<KnownOrigins> origins_;  // by depth, the others
  mutable std::uint32_t override_steps_ = 400'000;
  mutable std::unordered_map<ExprId, std::uint32_t> slot_of_value_;
  mutable std::unordered_map<std::string, Value> symbols_;
  mutable std::size_t text_left_ = kMaxText;
  mutable std::size_t kept_left_ = kMaxKept;
  mutable std::uint32_t refused_ = 0;
  mutable bool starved_ = false;
  mutable std::unordered_map<std::uint32_t, Value> overrides_;  // slots, inside a comprehension
};

class World {
 public:
  explicit World(const PackageModules* package);
  // A world of one module that may not be part of `package`.
  World(const Module& module, const PackageModules* package);

  // Made when it is first asked for. Making one reads its own module and nothing else, so that views of different
  // modules may be made on different threads; all else, the use of views too, is for one thread at a time.
  [[nodiscard]] const ModuleView& View(std::uint32_t module) const;
  // Once nobody asks for this view any more; on different threads for different modules.
  void Drop(std::uint32_t module) { views_[module].reset(); }
  [[nodiscard]] std::size_t size() const noexcept { return modules_.size(); }
  [[nodiscard]] const PackageModules* package() const noexcept { return package_; }
  [[nodiscard]] std::string_view PathOf(std::uint32_t module) const;
  // Module of the package that an import means; kNone: somebody else's.
  [[nodiscard]] std::uint32_t Resolve(std::uint32_t from, std::string_view name) const;
  [[nodiscard]] std::uint32_t IndexOf(const Module& module) const;
  // Files of the same package of Go, which share their names.
  [[nodiscard]] std::span<const std::uint32_t> BesideGo(std::uint32_t module) const;
  // What a file of data holds that module `from` means by a path (package_data.h); nullptr: none of the package.
  [[nodiscard]] const Value* DataAt(std::uint32_t from, std::string_view path) const;

 private:
  [[nodiscard]] std::uint32_t ResolveAlias(std::string_view name) const;
  // resolve_typed.cc
  [[nodiscard]] std::uint32_t ResolveGo(std::string_view name) const;
  [[nodiscard]] std::uint32_t ResolveRust(std::uint32_t from, std::string_view name) const;

  const PackageModules* package_;
  mutable PackageData data_;
  std::vector<const Module*> modules_;
  std::unordered_map<std::string, std::uint32_t> by_path_;                  // without extension, index and __init__
  std::unordered_map<std::string, std::vector<std::uint32_t>> go_folders_;  // files of Go by folder
  mutable std::vector<std::unique_ptr<ModuleView>> views_;
  friend class ModuleView;
  mutable std::uint32_t depth_ = 0;  // nested evaluations, over all views
};

}  // namespace interlock::scan::code
