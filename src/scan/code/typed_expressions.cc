#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "code/typed_lowering.h"
#include "interlock/base/digits.h"

namespace interlock::scan::code::typed {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsUpper(std::string_view name) { return !name.empty() && name[0] >= 'A' && name[0] <= 'Z'; }

// "format!" of `format!(...)`, which the grammar is shown as a call.
bool IsCalledMacro(std::string_view name) { return name.ends_with('!'); }

}  // namespace

std::string Unescaped(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  const auto digits = [&](std::size_t at, std::size_t count, int base, bool bytes) -> std::size_t {
    std::uint32_t value = 0;
    const char* const from = body.data() + at;
    const char* const to = from + std::min(count, body.size() - at);
    const auto [stop, error] = std::from_chars(from, to, value, base);
    if (error != std::errc()) return 0;
    if (bytes) {
      out += static_cast<char>(value & 0xFFU);
    } else {
      base::AppendUtf8(value, &out);
    }
    return static_cast<std::size_t>(stop - from);
  };
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 >= body.size()) {
      out += body[i];
      continue;
    }
    const char c = body[++i];
    switch (c) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'a':
      case 'b':
      case 'f':
      case 'v':
        out += ' ';
        break;
      case 'x':
        i += digits(i + 1, 2, 16, true);
        break;
      case 'u':
      case 'U':
        if (i + 1 < body.size() && body[i + 1] == '{') {
          const std::size_t close = body.find('}', i);
          digits(i + 2, 6, 16, false);
          i = close == std::string_view::npos ? i + 1 : close;
        } else {
          i += digits(i + 1, c == 'u' ? 4 : 8, 16, false);
        }
        break;
      case '\n':
        // The line goes on where its text does.
        while (i + 1 < body.size() && IsSpace(body[i + 1])) ++i;
        break;
      default:
        if (c >= '0' && c <= '7') {
          i += std::max<std::size_t>(digits(i, 3, 8, true), 1) - 1;
        } else {
          out += c;
        }
        break;
    }
  }
  return out;
}

void Lowering::BuildExpressions() {
  ResetExpressions();
  std::size_t tests = tests_.size();
  for (auto node = static_cast<NodeIndex>(tree_.nodes.size()); node-- > 1;) {
    if (tests > 0 && node + 1 == tests_[tests - 1].second) {
      node = tests_[--tests].first;
      continue;
    }
    Build(node);
  }
}

ExprId Lowering::FirstExpr(NodeIndex node) const {
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    if (ExprOf(part) != kNone) return ExprOf(part);
  }
  return kNone;
}

// What a block of Rust is worth: its last expression, where no semicolon ends it.
ExprId Lowering::TailOf(NodeIndex block) const {
  if (!IsRust()) return kNone;
  NodeIndex last = kNone;
  for (NodeIndex part = FirstPart(block); part != kNone; part = NextPart(part)) last = part;
  if (last == kNone) return kNone;
  if (KindOf(last) != kExpressionStatement) return KindOf(last) >= kFirstExpression ? ExprOf(last) : kNone;
  return TextOf(last).ends_with(';') ? kNone : ExprOf(last);
}

// What is not known, of its parts; nothing where it has none.
ExprId Lowering::UnknownOf(NodeIndex node, std::string_view text) {
  scratch_.clear();
  CollectArgs(node, &scratch_);
  return scratch_.empty() ? kNone : NewWithArgs(ExprKind::kUnknown, node, scratch_, text);
}

void Lowering::Build(NodeIndex node) {
  const SyntaxNode& flat = tree_.nodes[node];
  ExprId& out = exprs_[node];
  switch (flat.kind) {
    case kIdentifier:
    case kSelf:
      out = BuildName(node);
      return;
    case kString:
    case kRawString:
      out = BuildString(node);
      return;
    case kNumber:
      out = New(ExprKind::kNumber, node, TextOf(node));
      return;
    case kConstant: {
      const std::string_view text = TextOf(node);
      out = New(ExprKind::kConstant, node, text == "nil" ? "null" : text);
      return;
    }
    case kMember:
      out = BuildMember(node);
      return;
    case kIndex: {
      const NodeIndex object = FirstPart(node);
      const NodeIndex index = object == kNone ? kNone : NextPart(object);
      scratch_.clear();
      if (ExprOf(index) != kNone) scratch_.push_back({ExprOf(index)});
      out = NewWithArgs(ExprKind::kIndex, node, scratch_, {}, ExprOf(object));
      return;
    }
    case kSlice: {
      const Arg bounds[3] = {{ExprOf(PartWith(node, kStart))}, {ExprOf(PartWith(node, kStop))}, {}};
      out = NewWithArgs(ExprKind::kSlice, node, bounds, {}, ExprOf(PartWith(node, kOperand)));
      return;
    }
    case kCall:
    case kMacro:
      out = BuildCall(node);
      return;
    case kBinary:
      out = BuildBinary(node);
      return;
    case kUnary:
      out = BuildUnary(node);
      return;
    case kConversion:
      out = ExprOf(PartWith(node, kOperand));
      return;
    case kPassThrough:
    case kElement:
    case kElse:
      out = FirstExpr(node);
      return;
    case kPattern:
      // Some(x), (a, b): the names.
      out = NewOfParts(ExprKind::kList, node);
      return;
    case kComposite:
      out = BuildComposite(node);
      return;
    case kFields:
      out = BuildFields(node);
      return;
    case kField:
      out = ExprOf(PartWith(node, kValue));
      return;
    case kSequence:
    case kTokens:
      out = NewOfParts(ExprKind::kList, node);
      return;
    case kExpressionList: {
      const NodeIndex first = FirstPart(node);
      const bool one = first != kNone && NextPart(first) == kNone;
      out = one ? ExprOf(first) : NewOfParts(ExprKind::kList, node);
      return;
    }
    case kAwait:
      out = NewOfParts(ExprKind::kAwait, node);
      return;
    case kClosure:
      out = New(ExprKind::kFunction, node);
      module_.exprs[out].function = numbers_[node];
      return;
    case kExpressionStatement:
    case kReturn:
      out = FirstExpr(node);
      return;
    case kBlock:
      out = TailOf(node);
      return;
    case kBranch:
      // An arm: what it is worth.
      out = IsRust() ? ExprOf(PartWith(node, kValue)) : kNone;
      return;
    case kMatchBlock:
    case kIf:
    case kMatch:
      if (IsRust()) out = NewOfParts(ExprKind::kChoice, node);
      return;
    case kFor:
    case kLoop:
      if (ExprOf(PartWith(node, kBody)) != kNone) out = UnknownOf(node);
      return;
    case kErrorNode:
      out = UnknownOf(node);
      return;
    default:
      return;
  }
}

ExprId Lowering::BuildName(NodeIndex node) {
  const SyntaxNode& flat = tree_.nodes[node];
  if (flat.missing) return kNone;
  const NodeKind parent = KindOf(flat.parent);
  // Names that are parts of something else: of a member, of a definition.
  if (parent == kMember && FirstPart(flat.parent) != node) return kNone;
  if (flat.field == kName && parent != kDeclare) return kNone;
  return New(ExprKind::kName, node, KindOf(node) == kSelf ? std::string_view("this") : TextOf(node));
}

ExprId Lowering::BuildString(NodeIndex node) {
  std::string_view text = TextOf(node);
  if (text.starts_with('b') || text.starts_with('c')) text.remove_prefix(1);  // b"..." of Rust
  if (KindOf(node) == kRawString) {
    if (text.starts_with('r')) text.remove_prefix(1);
    while (text.size() > 1 && text.front() == '#') {
      text.remove_prefix(1);
      if (text.ends_with('#')) text.remove_suffix(1);
    }
  }
  if (!text.empty()) text.remove_prefix(1);
  if (!text.empty()) text.remove_suffix(1);
  const bool plain = KindOf(node) == kRawString || text.find('\\') == std::string_view::npos;
  return New(ExprKind::kString, node, plain ? text : Own(Unescaped(text)));
}

ExprId Lowering::BuildMember(NodeIndex node) {
  const NodeIndex object = FirstPart(node);
  const NodeIndex name = object == kNone ? kNone : NextPart(object);
  if (name == kNone) return object == kNone ? kNone : New(ExprKind::kName, node, TextOf(object));  // ::std
  NodeIndex last = name;
  while (NextPart(last) != kNone) last = NextPart(last);
  // self::http: a module of this one.
  if (KindOf(object) == kSelf && module_.text.substr(tree_.nodes[object].end, 2) == "::")
    return New(ExprKind::kName, node, TextOf(last));
  return New(ExprKind::kMember, node, TextOf(last), ExprOf(object));
}

std::string_view Lowering::OperatorOf(NodeIndex node) const {
  const NodeIndex left = FirstPart(node);
  const NodeIndex right = left == kNone ? kNone : NextPart(left);
  if (right == kNone) return {};
  const std::uint32_t from = tree_.nodes[left].end;
  std::string_view between =
      module_.text.substr(from, tree_.nodes[right].begin - std::min(from, tree_.nodes[right].begin));
  while (!between.empty() && (IsSpace(between.front()) || between.front() == ')')) between.remove_prefix(1);
  std::size_t end = 0;
  while (end < between.size() && !IsSpace(between[end]) && between[end] != '(') ++end;
  return between.substr(0, end);
}

ExprId Lowering::BuildBinary(NodeIndex node) {
  const std::string_view op = OperatorOf(node);
  if (op == "&&" || op == "||") return NewOfParts(ExprKind::kChoice, node);
  if (op != "+") {
    scratch_.clear();
    CollectArgs(node, &scratch_);
    if (scratch_.empty()) return kNone;
    // What has no value on one side is read as far as it goes.
    return scratch_.size() == 2 ? NewWithArgs(ExprKind::kBinary, node, scratch_, op)
                                : NewWithArgs(ExprKind::kUnknown, node, scratch_);
  }
  // The whole chain a + b + c at its topmost node.
  const NodeIndex parent = ParentOf(node);
  if (KindOf(parent) == kBinary && FirstPart(parent) == node && OperatorOf(parent) == "+") return kNone;
  return NewOfChain(ExprKind::kConcat, node);
}

ExprId Lowering::BuildUnary(NodeIndex node) {
  const std::string_view text = TextOf(node);
  if (text.starts_with('-')) {
    const NodeIndex number = FirstPart(node);
    if (number != kNone && KindOf(number) == kNumber) return New(ExprKind::kNumber, node, text);
  }
  if (text.starts_with('!')) return UnknownOf(node, "!");
  return FirstExpr(node);  // what a pointer points to, what a channel gives
}

// A literal of a type: the fields, or a call of somebody else's type with them.
ExprId Lowering::BuildComposite(NodeIndex node) {
  const NodeIndex body = PartWith(node, kBody);
  const NodeIndex type = PartWith(node, IsRust() ? kName : kType);
  const ExprId fields = ExprOf(body);
  if (fields == kNone || type == kNone) return fields;
  if (KindOf(type) != kMember) {
    // Of a type of the package: whose fields these are.
    if (module_.exprs[fields].kind == ExprKind::kDict) module_.exprs[fields].text = TextOf(type);
    return fields;
  }
  scratch_.assign(1, {fields});
  const ExprId out = NewWithArgs(ExprKind::kCall, node, scratch_, {}, ExprOf(type));
  module_.exprs[out].is_new = true;
  return out;
}

std::string_view Lowering::KeyOf(NodeIndex field) const {
  const NodeIndex key = PartWith(field, kKey);
  if (key == kNone) return {};
  const ExprId said = ExprOf(key);
  if (said != kNone && module_.exprs[said].kind == ExprKind::kString) return module_.exprs[said].text;
  return TextOf(key);
}

ExprId Lowering::BuildFields(NodeIndex node) {
  scratch_.clear();
  std::vector<Arg> spread;  // ..rest
  bool keyed = IsRust();
  for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
    const ExprId value = ExprOf(part);
    if (value == kNone) continue;
    keyed = keyed || KindOf(part) == kField;
    if (TextOf(part).starts_with("..")) {
      const Arg rest[1] = {{value}};
      spread.push_back({NewWithArgs(ExprKind::kSpread, part, rest)});
      continue;
    }
    const bool same = IsRust() && KindOf(part) == kElement;  // {name}
    scratch_.push_back({value, KindOf(part) == kField ? KeyOf(part) : same ? TextOf(part) : std::string_view()});
  }
  scratch_.insert(scratch_.end(), spread.begin(), spread.end());
  return NewWithArgs(keyed ? ExprKind::kDict : ExprKind::kList, node, scratch_);
}

// What a text with places for values comes to. `sign`: '%' of Go, '{' of Rust. args[0] is the text.
ExprId Lowering::BuildFormat(NodeIndex node, std::span<const Arg> args, char sign) {
  if (args.empty() || args[0].value == kNone || module_.exprs[args[0].value].kind != ExprKind::kString) return kNone;
  const Expr form = module_.exprs[args[0].value];
  std::vector<Arg> pieces;
  std::string literal;
  const auto flush = [&] {
    if (literal.empty()) return;
    const ExprId piece = New(ExprKind::kString, node, Own(std::move(literal)));
    module_.exprs[piece].loc = form.loc;
    pieces.push_back({piece});
    literal = {};
  };
  std::size_t next = 1;
  const std::string_view text = form.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool twice = i + 1 < text.size() && text[i + 1] == text[i];
    if ((text[i] == sign || (sign == '{' && text[i] == '}')) && twice) {
      literal += text[i++];
      continue;
    }
    if (text[i] != sign) {
      literal += text[i];
      continue;
    }
    std::string_view named;
    if (sign == '%') {
      while (i + 1 < text.size() && std::string_view("+-# 0123456789.[]*").find(text[i + 1]) != std::string_view::npos)
        ++i;
      ++i;  // the verb
    } else {
      const std::size_t close = std::min(text.find('}', i), text.size());
      named = text.substr(i + 1, close - i - 1);
      named = named.substr(0, named.find(':'));
      i = close;
    }
    flush();
    ExprId value = kNone;
    if (named.empty()) {
      if (next < args.size()) value = args[next++].value;
    } else if (named[0] >= '0' && named[0] <= '9') {
      std::size_t at = 0;
      std::from_chars(named.data(), named.data() + named.size(), at);
      if (at + 1 < args.size()) value = args[at + 1].value;
    } else {
      value = New(ExprKind::kName, node, Own(std::string(named)));
      module_.exprs[value].loc = form.loc;
    }
    if (value != kNone) pieces.push_back({value});
  }
  flush();
  if (pieces.empty()) return args[0].value;
  return NewWithArgs(ExprKind::kFormat, node, pieces);
}

// json!({"a": x}), which is parsed as ("a", x): a table. What is no such tuple is itself.
ExprId Lowering::ObjectOf(ExprId pairs, NodeIndex node, int depth) {
  constexpr int kDeepest = 32;
  if (pairs >= module_.exprs.size() || depth > kDeepest) return pairs;
  const Expr& expr = module_.exprs[pairs];
  if (expr.kind != ExprKind::kList || expr.arg_count % 2 != 0) return pairs;
  const std::vector<Arg> parts(module_.ArgsOf(expr).begin(), module_.ArgsOf(expr).end());
  const Loc loc = expr.loc;
  std::vector<Arg> fields;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const ExprId key = parts[i].value;
    if (key >= module_.exprs.size() || module_.exprs[key].kind != ExprKind::kString) return pairs;
    fields.push_back({ObjectOf(parts[i + 1].value, node, depth + 1), module_.exprs[key].text});
  }
  const ExprId table = NewWithArgs(ExprKind::kDict, node, fields);
  module_.exprs[table].loc = loc;
  return table;
}

ExprId Lowering::BuildCall(NodeIndex node) {
  const NodeIndex function = PartWith(node, kFunction);
  NodeIndex given = PartWith(node, kGiven);
  if (given == kNone) {
    for (NodeIndex part = FirstPart(node); part != kNone; part = NextPart(part)) {
      if (KindOf(part) == kTokens) given = part;
    }
  }
  scratch_.clear();
  if (given != kNone) CollectArgs(given, &scratch_);
  ExprId callee = ExprOf(function);
  std::string_view name = function == kNone ? std::string_view() : TextOf(function);
  if (KindOf(node) == kMacro) {  // serde_json::json!
    const std::size_t path = name.rfind("::");
    if (path != std::string_view::npos) {
      name.remove_prefix(path + 2);
      callee = New(ExprKind::kName, node, name);
    }
  }
  if (KindOf(node) == kMacro && callee != kNone) module_.exprs[callee].text = Own(std::string(name) + "!");
  if (IsCalledMacro(name)) {
    std::vector<Arg> args(scratch_);
    std::string_view bare = name.substr(0, name.size() - 1);
    if (const std::size_t path = bare.rfind("::"); path != std::string_view::npos) bare.remove_prefix(path + 2);
    const bool into = bare == "write" || bare == "writeln";
    const std::span<const Arg> form =
        std::span<const Arg>(args).subspan(std::min<std::size_t>(into ? 1 : 0, args.size()));
    if (bare == "concat") return NewWithArgs(ExprKind::kConcat, node, args);
    if (bare == "vec") return NewWithArgs(ExprKind::kList, node, args);
    if (bare == "json" && args.size() == 1) return ObjectOf(args[0].value, node, 0);
    if (bare != "env" && bare != "option_env" && !bare.starts_with("include")) {
      const ExprId text = BuildFormat(node, form, '{');
      if (bare == "format" && text != kNone) return text;
      if (text != kNone) {
        scratch_.clear();
        scratch_.push_back({text});
        if (into && args[0].value != kNone) {
          // write!(stream, "...") writes into it, as `stream.write(...)` does.
          callee = New(ExprKind::kMember, node, "write");
          module_.exprs[callee].base = args[0].value;
        }
      } else {
        scratch_.assign(args.begin(), args.end());
      }
    }
  } else if (!IsRust() && (name == "fmt.Sprintf" || name == "fmt.Errorf")) {
    const std::vector<Arg> args(scratch_);
    if (const ExprId text = BuildFormat(node, args, '%'); text != kNone) return text;
    scratch_.assign(args.begin(), args.end());
  }
  if (!IsRust()) {
    // exec.Command(program, one, two): the arguments in a list, as everywhere else.
    const bool with = name == "exec.CommandContext";
    if ((with || name == "exec.Command") && scratch_.size() > (with ? 1U : 0U)) {
      if (with) scratch_.erase(scratch_.begin());
      const ExprId words = NewWithArgs(ExprKind::kList, node, std::span<const Arg>(scratch_).subspan(1));
      scratch_.resize(1);
      scratch_.push_back({words});
    }
    return NewWithArgs(ExprKind::kCall, node, scratch_, {}, callee);
  }
  return BuildMethod(node, callee);
}

// Of Rust: what only hands on is what it hands on, and the words of a command go to where it was named:
// Command::new(program).arg(one).args(more).
ExprId Lowering::BuildMethod(NodeIndex node, ExprId callee) {
  const ExprId plain = callee;
  if (plain == kNone || module_.exprs[plain].kind != ExprKind::kMember || module_.exprs[plain].base == kNone)
    return NewWithArgs(ExprKind::kCall, node, scratch_, {}, callee);
  const std::string_view method = module_.exprs[plain].text;
  const ExprId receiver = module_.exprs[plain].base;
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, method) != names.end();
  };
  const bool value = module_.exprs[receiver].kind != ExprKind::kName || !IsUpper(module_.exprs[receiver].text);
  if (scratch_.empty() && value && is({"unwrap",      "unwrap_or_default",
                                       "clone",       "to_owned",
                                       "to_string",   "into",
                                       "as_str",      "as_ref",
                                       "as_mut",      "as_bytes",
                                       "as_deref",    "into_bytes",
                                       "into_owned",  "to_vec",
                                       "ok",          "iter",
                                       "into_iter",   "to_string_lossy",
                                       "as_slice",    "as_path",
                                       "to_path_buf", "unwrap_unchecked",
                                       "cloned",      "copied",
                                       "borrow",      "err",
                                       "bytes",       "chars"}))
    return receiver;
  // Settings of a client in the making.
  const bool making = module_.exprs[receiver].kind == ExprKind::kCall;
  if (making && scratch_.size() <= 1 &&
      is({"build", "timeout", "connect_timeout", "timeout_read", "timeout_connect", "user_agent", "redirect",
          "https_only", "no_proxy", "pool_idle_timeout", "gzip", "use_rustls_tls", "danger_accept_invalid_certs",
          "blocking"}))
    return receiver;
  if (scratch_.size() == 1 &&
      is({"expect", "context", "with_context", "map_err", "unwrap_or_else", "ok_or", "ok_or_else", "wrap_err"}))
    return receiver;
  const Expr made = module_.exprs[receiver];
  if (is({"arg", "args"}) && scratch_.size() == 1 && made.kind == ExprKind::kCall && made.base != kNone &&
      made.arg_count >= 1 && module_.exprs[made.base].kind == ExprKind::kMember && IsCommand(made.base)) {
    constexpr std::size_t kMost = 32;
    const Arg program = module_.args[made.first_arg];
    std::vector<Arg> words;
    if (made.arg_count > 1) {
      const Expr& known = module_.exprs[module_.args[made.first_arg + 1].value];
      words.assign(module_.args.begin() + known.first_arg, module_.args.begin() + known.first_arg + known.arg_count);
    }
    const Expr& more = module_.exprs[scratch_[0].value];
    if (method == "args" && more.kind == ExprKind::kList) {
      for (const Arg& word : module_.ArgsOf(more)) words.push_back(word);
    } else {
      words.push_back(scratch_[0]);
    }
    if (words.size() <= kMost) {
      const Arg both[2] = {program, {NewWithArgs(ExprKind::kList, node, words)}};
      return NewWithArgs(ExprKind::kCall, node, both, {}, made.base);
    }
  }
  return NewWithArgs(ExprKind::kCall, node, scratch_, {}, callee);
}

// Command::new
bool Lowering::IsCommand(ExprId callee) const {
  const Expr& made = module_.exprs[callee];
  return made.text == "new" && made.base != kNone && module_.exprs[made.base].text == "Command";
}

// command.arg("-c").arg(line), of a variable that was declared to start a program: the whole command as it is from here
// on. kNone for everything else.
ExprId Lowering::StartedWith(NodeIndex node, ExprId chain) {
  constexpr std::size_t kMost = 32;
  std::vector<Arg> words;  // the last first
  ExprId at = chain;
  while (at < module_.exprs.size() && module_.exprs[at].kind == ExprKind::kCall && words.size() < kMost) {
    const Expr& call = module_.exprs[at];
    if (call.base >= module_.exprs.size() || module_.exprs[call.base].kind != ExprKind::kMember) return kNone;
    const std::string_view method = module_.exprs[call.base].text;
    const bool one = method == "arg" || method == "args";
    if (one && call.arg_count != 1) return kNone;
    if (one) {
      const Arg given = module_.ArgsOf(call)[0];
      if (given.value < module_.exprs.size() && method == "args" &&
          module_.exprs[given.value].kind == ExprKind::kList) {
        const auto list = module_.ArgsOf(module_.exprs[given.value]);
        words.insert(words.end(), list.rbegin(), list.rend());
      } else {
        words.push_back(given);
      }
    }
    at = module_.exprs[call.base].base;
  }
  if (at >= module_.exprs.size() || module_.exprs[at].kind != ExprKind::kName || words.empty()) return kNone;
  const auto known = commands_.find(module_.exprs[at].text);
  if (known == commands_.end()) return kNone;
  const Expr made = module_.exprs[known->second];
  std::vector<Arg> all;
  if (made.arg_count > 1) {
    const Expr& before = module_.exprs[module_.ArgsOf(made)[1].value];
    if (before.kind == ExprKind::kList) all.assign(module_.ArgsOf(before).begin(), module_.ArgsOf(before).end());
  }
  all.insert(all.end(), words.rbegin(), words.rend());
  const Arg both[2] = {module_.ArgsOf(made)[0], {NewWithArgs(ExprKind::kList, node, all)}};
  known->second = NewWithArgs(ExprKind::kCall, node, both, {}, made.base);
  return known->second;
}

}  // namespace interlock::scan::code::typed
