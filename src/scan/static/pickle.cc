#include "static/pickle.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/ascii.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMaxValues = 200'000;    // kept: texts, functions, lists
constexpr std::size_t kMaxStack = 8'000'000;   // entries; the older half is dropped then
constexpr std::size_t kMaxMemo = 2'000'000;    // entries
constexpr std::size_t kMaxCalls = 256;         // told, of functions that do no harm as well
constexpr std::size_t kMaxHarmful = 512;       // ... and in all
constexpr std::size_t kMaxTexts = 16;          // of one call
constexpr std::size_t kMaxTextLength = 400;    // bytes of one of them
constexpr int kMaxDepth = 6;                   // lists in tuples in lists, where a call's texts are gathered
constexpr std::size_t kMaxVisits = 1'000'000;  // of values, by all calls: a list may hold itself many times

// How much of a call is harm.
enum class Harm : std::uint8_t {
  kNone,
  kCode,     // makes functions of code that the file holds: what serialisers of closures write
  kReaches,  // opens files, asks hosts, loads modules: no data needs it
  kRuns,     // runs a command or code
};

struct Row {
  std::string_view name;  // of a function, or of a module with its dot
  Harm harm;
};

constexpr auto kRows = std::to_array<Row>({
    {"os.system", Harm::kRuns},
    {"os.popen", Harm::kRuns},
    {"os.exec", Harm::kRuns},
    {"os.spawn", Harm::kRuns},
    {"os.posix_spawn", Harm::kRuns},
    {"os.startfile", Harm::kRuns},
    {"posix.system", Harm::kRuns},
    {"posix.popen", Harm::kRuns},
    {"posix.exec", Harm::kRuns},
    {"posix.spawn", Harm::kRuns},
    {"posix.posix_spawn", Harm::kRuns},
    {"nt.system", Harm::kRuns},
    {"nt.popen", Harm::kRuns},
    {"nt.startfile", Harm::kRuns},
    {"nt.exec", Harm::kRuns},
    {"nt.spawn", Harm::kRuns},
    {"subprocess.", Harm::kRuns},
    {"_posixsubprocess.", Harm::kRuns},
    {"commands.get", Harm::kRuns},
    {"popen2.", Harm::kRuns},
    {"pty.spawn", Harm::kRuns},
    {"platform.popen", Harm::kRuns},
    {"runpy.", Harm::kRuns},
    {"builtins.eval", Harm::kRuns},
    {"builtins.exec", Harm::kRuns},
    {"builtins.execfile", Harm::kRuns},
    {"builtins.compile", Harm::kRuns},
    {"builtins.__import__", Harm::kReaches},
    {"builtins.open", Harm::kReaches},
    {"builtins.globals", Harm::kReaches},
    {"builtins.breakpoint", Harm::kReaches},
    {"code.Interactive", Harm::kRuns},
    {"code.interact", Harm::kRuns},
    {"codeop.", Harm::kRuns},
    {"timeit.", Harm::kRuns},
    {"cProfile.run", Harm::kRuns},
    {"profile.run", Harm::kRuns},
    {"trace.Trace", Harm::kRuns},
    {"bdb.", Harm::kRuns},
    {"pdb.", Harm::kRuns},
    {"doctest.", Harm::kRuns},
    {"asyncio.create_subprocess", Harm::kRuns},
    {"asyncio.unix_events.", Harm::kRuns},
    {"multiprocessing.util.spawnv_passfds", Harm::kRuns},
    {"distutils.spawn.", Harm::kRuns},
    {"distutils.file_util.write_file", Harm::kReaches},
    {"pip.", Harm::kRuns},
    {"ensurepip.", Harm::kRuns},
    {"venv.", Harm::kRuns},
    {"pydoc.pipepager", Harm::kRuns},
    {"pydoc.tempfilepager", Harm::kRuns},
    {"pydoc.locate", Harm::kReaches},
    {"numpy.testing._private.utils.runstring", Harm::kRuns},
    {"numpy.f2py.crackfortran", Harm::kRuns},
    {"torch.utils.cpp_extension.", Harm::kRuns},
    {"torch.hub.", Harm::kReaches},
    {"torch.serialization.load", Harm::kReaches},
    {"idlelib.", Harm::kRuns},
    {"ctypes.CDLL", Harm::kRuns},
    {"ctypes.PyDLL", Harm::kRuns},
    {"ctypes.WinDLL", Harm::kRuns},
    {"ctypes.cdll", Harm::kRuns},
    {"ctypes.windll", Harm::kRuns},
    {"importlib.import_module", Harm::kReaches},
    {"importlib.reload", Harm::kReaches},
    {"importlib.util.", Harm::kReaches},
    {"imp.load", Harm::kReaches},
    {"pkgutil.resolve_name", Harm::kReaches},
    {"zipimport.", Harm::kReaches},
    {"socket.socket", Harm::kReaches},
    {"socket.create_connection", Harm::kReaches},
    {"_socket.socket", Harm::kReaches},
    {"requests.api.", Harm::kReaches},
    {"requests.get", Harm::kReaches},
    {"requests.post", Harm::kReaches},
    {"requests.put", Harm::kReaches},
    {"requests.request", Harm::kReaches},
    {"httpx.get", Harm::kReaches},
    {"httpx.post", Harm::kReaches},
    {"httpx.request", Harm::kReaches},
    {"urllib.request.url", Harm::kReaches},
    {"urllib2.urlopen", Harm::kReaches},
    {"http.client.HTTP", Harm::kReaches},
    {"io.open", Harm::kReaches},
    {"_io.open", Harm::kReaches},
    {"smtplib.", Harm::kReaches},
    {"ftplib.", Harm::kReaches},
    {"webbrowser.", Harm::kReaches},
    {"shutil.", Harm::kReaches},
    {"os.remove", Harm::kReaches},
    {"os.unlink", Harm::kReaches},
    {"os.rmdir", Harm::kReaches},
    {"os.removedirs", Harm::kReaches},
    {"os.putenv", Harm::kReaches},
    {"os.kill", Harm::kReaches},
    {"os.chmod", Harm::kReaches},
    {"posix.remove", Harm::kReaches},
    {"posix.unlink", Harm::kReaches},
    {"posix.chmod", Harm::kReaches},
    {"sys.modules", Harm::kReaches},
    {"sys.settrace", Harm::kReaches},
    {"logging.config.", Harm::kReaches},
    {"pickle.loads", Harm::kReaches},
    {"_pickle.loads", Harm::kReaches},
    {"dill.loads", Harm::kReaches},
    {"joblib.load", Harm::kReaches},
    {"marshal.loads", Harm::kCode},
    {"types.FunctionType", Harm::kCode},
    {"types.CodeType", Harm::kCode},
    {"dill._dill._create_code", Harm::kCode},
    {"dill._dill._create_function", Harm::kCode},
    {"cloudpickle.cloudpickle._make_function", Harm::kCode},
});

Harm HarmOf(std::string_view function) {
  std::string name(function);
  // Python 2 calls the module otherwise.
  if (name.starts_with("__builtin__.")) name.replace(0, std::string_view("__builtin__").size(), "builtins");
  Harm worst = Harm::kNone;
  for (const Row& row : kRows) {
    if (name.starts_with(row.name)) worst = std::max(worst, row.harm);
  }
  return worst;
}

// pickle's opcodes by what they do to the stack (CPython, Lib/pickletools.py).
class Machine {
 public:
  explicit Machine(std::string_view bytes) : bytes_(bytes) { values_.emplace_back(); }

  Pickle Run() {
    while (at_ < bytes_.size() && !out_.complete) {
      if (!Step(bytes_[at_++])) break;
      // The lowest are let go: what is called stands on top.
      if (stack_.size() > kMaxStack) stack_.erase(stack_.begin(), stack_.begin() + kMaxStack / 2);
    }
    out_.end = at_;
    return std::move(out_);
  }

 private:
  using Id = std::uint32_t;
  static constexpr Id kOther = 0;      // a number, a date, whatever has no name and no text
  static constexpr Id kMark = ~Id{0};  // on the stack only
  enum class Kind : std::uint8_t { kOther, kText, kFunction, kGroup };
  struct Value {
    Kind kind = Kind::kOther;
    std::string_view text;  // kText; of kFunction its module
    std::string_view name;  // kFunction
    std::vector<Id> parts;  // kGroup
  };

  Id Make(Value value) {
    if (values_.size() >= kMaxValues) return kOther;
    values_.push_back(std::move(value));
    return static_cast<Id>(values_.size() - 1);
  }
  void Push(Id id) { stack_.push_back(id); }
  Id Pop() {
    if (stack_.empty()) return kOther;
    const Id id = stack_.back();
    stack_.pop_back();
    return id == kMark ? kOther : id;
  }
  std::vector<Id> PopToMark() {
    std::vector<Id> parts;
    while (!stack_.empty() && stack_.back() != kMark) {
      parts.push_back(stack_.back());
      stack_.pop_back();
    }
    if (!stack_.empty()) stack_.pop_back();
    std::ranges::reverse(parts);
    return parts;
  }

  bool Skip(std::size_t count) {
    if (count > bytes_.size() - at_) return false;
    at_ += count;
    return true;
  }
  bool Number(std::size_t width, std::uint64_t& value) {
    if (width > bytes_.size() - at_) return false;
    value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
    }
    at_ += width;
    return true;
  }
  bool Line(std::string_view& line) {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) return false;
    line = bytes_.substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = end + 1;
    return true;
  }
  bool Text(std::size_t width) {
    std::uint64_t length = 0;
    if (!Number(width, length) || length > bytes_.size() - at_) return false;
    PushText(bytes_.substr(at_, length));
    at_ += length;
    return true;
  }
  bool Blob(std::size_t width) {
    std::uint64_t length = 0;
    if (!Number(width, length) || length > bytes_.size() - at_) return false;
    at_ += length;
    Push(kOther);
    return true;
  }
  void PushText(std::string_view text) {
    before_ = last_;
    last_ = text;
    Push(Make({.kind = Kind::kText, .text = text, .name = {}, .parts = {}}));
  }
  bool Plain(std::size_t width) {
    Push(kOther);
    return Skip(width);
  }
  void Group(std::size_t count) {
    std::vector<Id> parts(std::min(count, stack_.size()));
    for (auto it = parts.rbegin(); it != parts.rend(); ++it) *it = Pop();
    Push(Make({.kind = Kind::kGroup, .text = {}, .name = {}, .parts = std::move(parts)}));
  }
  void MarkedGroup() { Push(Make({.kind = Kind::kGroup, .text = {}, .name = {}, .parts = PopToMark()})); }
  // Of a list, table or set that stands on the stack.
  void Extend(std::vector<Id> parts) {
    if (stack_.empty() || stack_.back() == kMark || stack_.back() == kOther) return;
    Value& into = values_[stack_.back()];
    if (into.kind != Kind::kGroup || added_ + parts.size() > kMaxValues) return;
    added_ += parts.size();
    into.parts.insert(into.parts.end(), parts.begin(), parts.end());
  }

  void Function(std::string_view module, std::string_view name) {
    const Id id = Make({.kind = Kind::kFunction, .text = module, .name = name, .parts = {}});
    // Whoever is named beyond what is kept is taken to be called; so is whoever no data has a reason to name, whichever
    // way it is called (functools.partial(os.system, ...)).
    if (id == kOther || HarmOf(fmt::format("{}.{}", module, name)) == Harm::kRuns) Called(module, name, {}, at_ - 1);
    Push(id);
  }
  void Call(Id function, Id given) {
    const std::size_t at = at_ - 1;
    Push(Make({.kind = Kind::kGroup, .text = {}, .name = {}, .parts = {given}}));
    if (values_[function].kind != Kind::kFunction) return;
    std::vector<std::string> texts;
    Gather(given, kMaxDepth, texts);
    Called(values_[function].text, values_[function].name, std::move(texts), at);
  }
  void Called(std::string_view module, std::string_view name, std::vector<std::string> texts, std::size_t at) {
    std::string function = fmt::format("{}.{}", module.substr(0, kMaxTextLength), name.substr(0, kMaxTextLength));
    // Those that do no harm are there to be counted, and leave room for the others.
    if (out_.calls.size() >= (HarmOf(function) == Harm::kNone ? kMaxCalls : kMaxHarmful)) return;
    const bool known = std::ranges::any_of(
        out_.calls, [&](const PickleCall& call) { return call.function == function && call.texts == texts; });
    if (!known) out_.calls.push_back({std::move(function), std::move(texts), at});
  }
  void Gather(Id id, int depth, std::vector<std::string>& texts) {
    if (id == kMark || depth == 0 || texts.size() >= kMaxTexts || ++visits_ > kMaxVisits) return;
    const Value& value = values_[id];
    if (value.kind == Kind::kText) texts.emplace_back(value.text.substr(0, kMaxTextLength));
    if (value.kind != Kind::kGroup) return;
    for (const Id part : value.parts) {
      if (texts.size() >= kMaxTexts) return;
      Gather(part, depth - 1, texts);
    }
  }

  void Keep(std::uint64_t index) {
    if (stack_.empty()) return;
    if (memo_.size() < kMaxMemo) {
      memo_[index] = stack_.back();
    } else {
      out_.forgot = true;
    }
  }
  void Recall(std::uint64_t index) {
    const auto it = memo_.find(index);
    const Id id = it == memo_.end() || it->second == kMark ? kOther : it->second;
    if (values_[id].kind == Kind::kText) {
      before_ = last_;
      last_ = values_[id].text;
    }
    Push(id);
  }
  static std::uint64_t IndexOf(std::string_view line) {
    std::uint64_t index = 0;
    for (const char c : line.substr(0, 18)) {
      if (c < '0' || c > '9') break;
      index = index * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return index;
  }

  bool Step(char opcode) {
    std::string_view line;
    std::string_view second;
    std::uint64_t number = 0;
    switch (opcode) {
      case '(':
        Push(kMark);
        return true;
      case '.':
        out_.complete = true;
        return true;
      case '0':
        if (!stack_.empty()) stack_.pop_back();
        return true;
      case '1':
        PopToMark();
        return true;
      case '2':
        Push(stack_.empty() ? kOther : stack_.back());
        return true;
      case 'F':
      case 'I':
      case 'L':
      case 'P':
        Push(kOther);
        return Line(line);
      case 'S':
        if (!Line(line)) return false;
        if (line.size() >= 2 && (line.front() == '\'' || line.front() == '"')) line = line.substr(1, line.size() - 2);
        PushText(line);
        return true;
      case 'V':
        if (!Line(line)) return false;
        PushText(line);
        return true;
      case 'K':
        return Plain(1);
      case 'M':
        return Plain(2);
      case 'J':
        return Plain(4);
      case 'G':
        return Plain(8);
      case 'N':
      case '\x88':
      case '\x89':
      case '\x97':
        Push(kOther);
        return true;
      case '\x98':
        return true;
      case 'Q':
        Pop();
        Push(kOther);
        return true;
      case 'T':
      case 'X':
        return Text(4);
      case 'U':
      case '\x8c':
        return Text(1);
      case '\x8d':
        return Text(8);
      case 'C':
        return Text(1);  // bytes: code and shells are kept in them too
      case 'B':
        return Text(4);
      case '\x8a':
        return Blob(1);
      case '\x8b':
        return Blob(4);
      case '\x8e':
      case '\x96':
        return Blob(8);
      case ']':
      case '}':
      case ')':
      case '\x8f':
        Push(Make({.kind = Kind::kGroup, .text = {}, .name = {}, .parts = {}}));
        return true;
      case 't':
      case 'l':
      case 'd':
      case '\x91':
        MarkedGroup();
        return true;
      case '\x85':
        Group(1);
        return true;
      case '\x86':
        Group(2);
        return true;
      case '\x87':
        Group(3);
        return true;
      case 'a': {
        const Id part = Pop();
        Extend({part});
        return true;
      }
      case 's': {
        const Id value = Pop();
        const Id key = Pop();
        Extend({key, value});
        return true;
      }
      case 'e':
      case 'u':
      case '\x90':
        Extend(PopToMark());
        return true;
      case 'b':
        Pop();  // what the object is set to
        return true;
      case 'c':
        if (!Line(line) || !Line(second)) return false;
        Function(line, second);
        return true;
      case '\x93': {
        const Id name = Pop();
        const Id module = Pop();
        const bool both = values_[name].kind == Kind::kText && values_[module].kind == Kind::kText;
        Function(both ? values_[module].text : before_, both ? values_[name].text : last_);
        return true;
      }
      case '\x82':
        return Plain(1);
      case '\x83':
        return Plain(2);
      case '\x84':
        return Plain(4);
      case 'R':
      case '\x81': {
        const Id given = Pop();
        const Id function = Pop();
        Call(function, given);
        return true;
      }
      case '\x92': {
        Pop();
        const Id given = Pop();
        const Id function = Pop();
        Call(function, given);
        return true;
      }
      case 'i': {
        if (!Line(line) || !Line(second)) return false;
        MarkedGroup();
        const Id given = Pop();
        Function(line, second);
        const Id function = Pop();
        Call(function, given);
        return true;
      }
      case 'o': {
        std::vector<Id> parts = PopToMark();
        if (parts.empty()) return false;
        const Id function = parts.front();
        parts.erase(parts.begin());
        Call(function, Make({.kind = Kind::kGroup, .text = {}, .name = {}, .parts = std::move(parts)}));
        return true;
      }
      case 'p':
        if (!Line(line)) return false;
        Keep(IndexOf(line));
        return true;
      case 'g':
        if (!Line(line)) return false;
        Recall(IndexOf(line));
        return true;
      case 'q':
      case 'r':
        if (!Number(opcode == 'q' ? 1 : 4, number)) return false;
        Keep(number);
        return true;
      case 'h':
      case 'j':
        if (!Number(opcode == 'h' ? 1 : 4, number)) return false;
        Recall(number);
        return true;
      case '\x94':
        Keep(memo_.size());
        return true;
      case '\x80':
        return Skip(1);
      case '\x95':
        return Skip(8);
      default:
        return false;  // raw arrays of joblib stand between opcodes: what follows is not read
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  Pickle out_;
  std::vector<Value> values_;
  std::vector<Id> stack_;
  std::unordered_map<std::uint64_t, Id> memo_;
  std::size_t added_ = 0;
  std::size_t visits_ = 0;
  std::string_view last_, before_;  // texts, for names beyond what is kept
};

constexpr double kOfReaching = 0.8;
// Closures that a program keeps for itself are code as well; nobody can read them.
constexpr double kOfCode = 0.3;

double ScaleOf(Harm harm) {
  switch (harm) {
    case Harm::kNone:
      return 0.0;
    case Harm::kCode:
      return kOfCode;
    case Harm::kReaches:
      return kOfReaching;
    case Harm::kRuns:
      break;
  }
  return 1.0;
}

bool HasPickleName(std::string_view path) {
  const std::string lower = LowerCase(path);
  return std::ranges::any_of(std::array{".pkl", ".pickle", ".pck", ".pcl", ".joblib", ".dill", ".p", ".sav"},
                             [&](std::string_view end) { return lower.ends_with(end); });
}

}  // namespace

std::size_t FindPickle(std::string_view path, std::string_view bytes) {
  constexpr std::string_view kArray = "\x93NUMPY";
  constexpr std::size_t kMaxHeader = 65'536;
  if (bytes.starts_with(kArray)) {
    // Of objects, by its header: {'descr': '|O', ...}
    const std::size_t end = bytes.substr(0, kMaxHeader).find('\n');
    const bool objects = end != std::string_view::npos && bytes.substr(0, end).find("'|O'") != std::string_view::npos;
    return objects ? end + 1 : std::string_view::npos;
  }
  if (bytes.size() < 4) return std::string_view::npos;
  const auto protocol = static_cast<unsigned char>(bytes[1]);
  if (bytes[0] == '\x80' && protocol >= 2 && protocol <= 5) {
    // Three bytes are little to go by: from protocol 4 on a frame follows, or a text, a list, a name.
    constexpr std::string_view kFirst = "\x95\x8c]})(cX}N";
    return kFirst.find(bytes[2]) != std::string_view::npos ? 0 : std::string_view::npos;
  }
  // Protocols 0 and 1 are told by the file's name alone.
  return HasPickleName(path) && std::string_view("c(]})I").find(bytes[0]) != std::string_view::npos
             ? 0
             : std::string_view::npos;
}

Pickle ReadPickle(std::string_view bytes) { return Machine(bytes).Run(); }

void JudgePickle(const FileContext& file, FileResult& out) {
  const std::string_view bytes = file.text();
  const std::size_t from = FindPickle(file.file->path, bytes);
  if (from == std::string_view::npos) return;
  const Pickle pickle = ReadPickle(bytes.substr(from));
  if (!pickle.complete && pickle.calls.empty()) return;
  out.analysed = pickle.complete ? bytes.size() : from + pickle.end;
  if (pickle.forgot)
    out.skipped.push_back({file.file->path, core::SkipReason::kParserBudget, 0, "a pickle of too many values"});
  const PickleCall* worst = nullptr;
  Harm harm = Harm::kNone;
  for (const PickleCall& call : pickle.calls) {
    const Harm here = HarmOf(call.function);
    if (here > harm || (here == harm && worst != nullptr && worst->texts.empty() && !call.texts.empty())) {
      harm = here;
      worst = &call;
    }
  }
  if (worst == nullptr) return;
  RawFinding& finding = out.findings.emplace_back();
  finding.rule = "SC-043";
  finding.file = file.index;
  finding.bytes = {from + worst->at, from + worst->at + 1};
  finding.scale = ScaleOf(harm);
  std::string given;
  for (const std::string& text : worst->texts) {
    if (!given.empty()) given += ", ";
    given += base::Printable(text, 200);
  }
  finding.message = harm == Harm::kCode
                        ? fmt::format("a pickle that holds code: whoever loads it makes functions ({})",
                                      base::Printable(worst->function, 80))
                        : fmt::format("a pickle that calls {} as it is loaded", base::Printable(worst->function, 80));
  finding.evidence = given.empty() ? base::Printable(worst->function, 80)
                                   : fmt::format("{}({})", base::Printable(worst->function, 80), given);
  finding.concrete = true;
  // A folder of data is read by nobody; what a program loads from it runs with the program.
  if (file.reach == core::Reach::kDocument) {
    finding.has_reach = true;
    finding.reach = core::Reach::kRuntime;
  }
}

}  // namespace interlock::scan
