// What Python's own functions make of constants. Numbers come as text, as they were written; bytes and text are not
// told apart, because obfuscated code goes from one to the other all the time.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/fold_python_codecs.h"
#include "code/package_data.h"
#include "code/resolve.h"
#include "interlock/base/digits.h"

namespace interlock::scan::code {
namespace {

using python::FirstCharacter;
using python::kMaxFoldedBytes;
using python::ParseInteger;

constexpr std::size_t kMaxItems = 65'536;

using Folded = std::optional<Value>;

struct Call {
  std::string_view name;  // without "builtins." or the dot of a method
  std::span<const Value> args;
  std::span<const std::string_view> names;
  std::uint8_t obfuscation = 0;  // worst of receiver and arguments
  std::uint8_t decodes = 0;

  // Positional argument i, or the one of that keyword; nullptr: none.
  [[nodiscard]] const Value* Arg(std::size_t i, std::string_view keyword = {}) const {
    for (std::size_t at = 0; at < args.size(); ++at) {
      const bool named = at < names.size() && !names[at].empty();
      if (named ? (!keyword.empty() && names[at] == keyword) : at == i) return &args[at];
    }
    return nullptr;
  }
  [[nodiscard]] const std::string* Text(std::size_t i, std::string_view keyword = {}) const {
    const Value* value = Arg(i, keyword);
    return value != nullptr && value->kind == ValueKind::kText ? &value->text : nullptr;
  }
};

void Worsen(const Value& value, Call* call) {
  call->obfuscation = std::max(call->obfuscation, value.obfuscation);
  call->decodes = std::max(call->decodes, value.decodes);
}

Folded TextOf(const Call& call, std::string text, std::uint8_t level = 1) {
  if (text.size() > kMaxFoldedBytes) return std::nullopt;
  Value value;
  value.kind = ValueKind::kText;
  value.text = std::move(text);
  value.obfuscation = std::max(call.obfuscation, level);
  value.decodes = call.decodes;
  return value;
}

// Looks like what it was before: a plain conversion hides nothing.
Folded SameText(const Call& call, std::string text) { return TextOf(call, std::move(text), 0); }

// `twice`: what comes out of a decoder that was fed by a decoder.
Folded Decoded(const Call& call, std::optional<std::string> text) {
  if (!text) return std::nullopt;
  const std::uint8_t level = call.decodes > 0 || call.obfuscation >= 2 ? 3 : 2;
  Folded value = TextOf(call, std::move(*text), level);
  if (value && value->decodes < 255) ++value->decodes;
  return value;
}

Folded ListOf(const Call& call, SharedList<Value> items, std::uint8_t level = 0) {
  Value value;
  value.kind = ValueKind::kList;
  value.items = std::move(items);
  value.obfuscation = std::max(call.obfuscation, level);
  value.decodes = call.decodes;
  return value;
}

Value Plain(std::string text, const Call& call) {
  Value value;
  value.kind = ValueKind::kText;
  value.text = std::move(text);
  value.obfuscation = call.obfuscation;
  value.decodes = call.decodes;
  return value;
}

std::optional<std::vector<std::string_view>> TextsOf(const Value& list) {
  if (list.kind != ValueKind::kList || list.items.size() > kMaxItems) return std::nullopt;
  std::vector<std::string_view> texts;
  texts.reserve(list.items.size());
  for (const Value& item : list.items) {
    if (item.kind != ValueKind::kText) return std::nullopt;
    texts.push_back(item.text);
  }
  return texts;
}

std::uint8_t WorstOf(const Value& list) {
  std::uint8_t worst = list.obfuscation;
  for (const Value& item : list.items) worst = std::max(worst, item.obfuscation);
  return worst;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c; }

// Codec names compare without case, '-' and '_'.
std::string CodecName(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '-' && c != '_' && c != ' ') out.push_back(Lower(c));
  }
  if (out.ends_with("codec")) out.resize(out.size() - 5);
  return out;
}

std::string UnicodeUnescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      out.push_back(text[i]);
      continue;
    }
    const char kind = text[i + 1];
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    const std::string_view number = digits > 0 && i + 2 + digits <= text.size() ? text.substr(i + 2, digits) : "";
    if (const auto code = number.empty() ? std::nullopt : ParseInteger("0x" + std::string(number))) {
      base::AppendUtf8(static_cast<std::uint32_t>(*code), &out);
      i += 1 + digits;
    } else if (kind == 'n' || kind == 't' || kind == 'r') {
      out.push_back(kind == 'n' ? '\n' : kind == 't' ? '\t' : '\r');
      ++i;
    } else {
      out.push_back(kind);
      ++i;
    }
  }
  return out;
}

// bytes.decode, codecs.decode, str(bytes, codec) and their inverses.
Folded Recode(const Call& call, const std::string& text, std::string_view codec, bool encode) {
  const std::string name = CodecName(codec);
  if (name == "utf8" || name == "ascii" || name == "utf8sig" || name == "usascii" || name == "u8") {
    return SameText(call, text);
  }
  if (name == "latin1" || name == "iso88591" || name == "charmap" || name == "cp1252") {
    return SameText(call, encode ? text : python::LatinToUtf8(text));
  }
  if (name == "rot13") return Decoded(call, python::Rot13(text));
  if (encode) {
    if (name == "hex") return TextOf(call, python::EncodeHex(text));
    if (name == "base64") return TextOf(call, python::EncodeBase64(text));
    return std::nullopt;
  }
  if (name == "hex") return Decoded(call, python::DecodeHex(text));
  if (name == "base64") return Decoded(call, python::DecodeBase64(text));
  if (name == "zlib" || name == "zip") return Decoded(call, python::Inflate(text));
  if (name == "unicodeescape" || name == "rawunicodeescape" || name == "stringescape") {
    return Decoded(call, UnicodeUnescape(text));
  }
  if (name == "utf16" || name == "utf16le" || name == "utf16be") {
    const bool big = name == "utf16be";
    std::string out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
      const auto first = static_cast<unsigned char>(text[i]);
      const auto second = static_cast<unsigned char>(text[i + 1]);
      const std::uint32_t unit = big ? first * 256U + second : second * 256U + first;
      if (unit != 0xFEFF) base::AppendUtf8(unit, &out);
    }
    return Decoded(call, std::move(out));
  }
  return std::nullopt;
}

// Decoders of escapes: text without any comes out as it went in, and nothing was hidden.
Folded Unescaped(const Call& call, const std::string& before, std::string after) {
  return before == after ? SameText(call, before) : Decoded(call, std::move(after));
}

std::optional<std::string> CharacterOf(std::string_view number) {
  const std::optional<std::int64_t> code = ParseInteger(number);
  if (!code || *code < 0 || *code > 0x10FFFF) return std::nullopt;
  std::string out;
  base::AppendUtf8(static_cast<std::uint32_t>(*code), &out);
  return out;
}

Folded BytesOf(const Call& call) {
  const Value* source = call.Arg(0, "source");
  if (source == nullptr) return call.args.empty() ? SameText(call, "") : std::nullopt;
  if (source->kind == ValueKind::kText) {
    // bytes(12) is twelve zeros: nothing to read.
    if (call.args.size() == 1 && ParseInteger(source->text)) return std::nullopt;
    return SameText(call, source->text);
  }
  const auto numbers = TextsOf(*source);
  if (!numbers) return std::nullopt;
  std::string out;
  for (const std::string_view number : *numbers) {
    const std::optional<std::int64_t> byte = ParseInteger(number);
    if (!byte || *byte < 0 || *byte > 255) return std::nullopt;
    out.push_back(static_cast<char>(*byte));
  }
  return TextOf(call, std::move(out), 2);
}

std::vector<Value> CharactersOf(const std::string& text, const Call& call) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < text.size() && items.size() < kMaxItems;) {
    std::size_t bytes = 1;
    (void)FirstCharacter(std::string_view(text).substr(i), &bytes);
    items.push_back(Plain(text.substr(i, bytes), call));
    i += bytes;
  }
  return items;
}

Folded Reversed(const Call& call, const Value& source) {
  std::vector<Value> items;
  if (source.kind == ValueKind::kText) {
    items = CharactersOf(source.text, call);
  } else if (source.kind == ValueKind::kList) {
    items = source.items.ToVector();
  } else {
    return std::nullopt;
  }
  std::reverse(items.begin(), items.end());
  return ListOf(call, std::move(items), 2);
}

Folded Number(const Call& call, std::int64_t value) { return SameText(call, std::to_string(value)); }

Folded InBase(const Call& call, std::string_view prefix, unsigned base) {
  const std::string* text = call.Text(0);
  const std::optional<std::int64_t> value = text == nullptr ? std::nullopt : ParseInteger(*text);
  if (!value || *value < 0) return std::nullopt;
  std::string digits;
  auto rest = static_cast<std::uint64_t>(*value);
  do {
    digits.push_back("0123456789abcdef"[rest % base]);
    rest /= base;
  } while (rest != 0);
  std::reverse(digits.begin(), digits.end());
  return TextOf(call, std::string(prefix) + digits);
}

Folded IntOf(const Call& call) {
  const std::string* text = call.Text(0);
  const Value* base = call.Arg(1, "base");
  if (text == nullptr) return std::nullopt;
  if (base == nullptr) {
    const auto value = ParseInteger(*text);
    return value ? Number(call, *value) : std::nullopt;
  }
  const std::optional<std::int64_t> radix = ParseInteger(base->text);
  const std::string_view prefix = !radix ? "" : *radix == 16 ? "0x" : *radix == 8 ? "0o" : *radix == 2 ? "0b" : "";
  if (!radix || (prefix.empty() && *radix != 10 && *radix != 0)) return std::nullopt;
  const bool marked = text->size() > 2 && (*text)[0] == '0' && (Lower((*text)[1]) >= 'b');
  const auto value = ParseInteger(marked ? *text : std::string(prefix) + *text);
  return value ? Number(call, *value) : std::nullopt;
}

Folded MapOf(const Call& call) {
  if (call.args.size() != 2 || call.args[0].kind != ValueKind::kQualified) return std::nullopt;
  const Value& source = call.args[1];
  std::vector<Value> items =
      source.kind == ValueKind::kText ? CharactersOf(source.text, call) : source.items.ToVector();
  if ((source.kind != ValueKind::kList && source.kind != ValueKind::kText) || items.size() > kMaxItems) {
    return std::nullopt;
  }
  for (Value& item : items) {
    Folded mapped = FoldPythonCall(call.args[0].text, nullptr, std::span<const Value>(&item, 1), {});
    if (!mapped) return std::nullopt;
    item = *std::move(mapped);
  }
  Folded list = ListOf(call, std::move(items));
  list->obfuscation = std::max(list->obfuscation, WorstOf(*list));
  return list;
}

Folded Builtin(const Call& call) {
  const std::string* first = call.Text(0);
  if (call.name == "chr" || call.name == "unichr") {
    if (first == nullptr) return std::nullopt;
    std::optional<std::string> character = CharacterOf(*first);
    return character ? TextOf(call, *std::move(character), 2) : std::nullopt;
  }
  if (call.name == "ord") {
    if (first == nullptr || first->empty()) return std::nullopt;
    std::size_t bytes = 1;
    const std::uint32_t code = FirstCharacter(*first, &bytes);
    return bytes == first->size() ? Number(call, code) : std::nullopt;
  }
  if (call.name == "str") {
    const std::string* codec = call.Text(1, "encoding");
    if (first == nullptr) return std::nullopt;
    return codec == nullptr ? SameText(call, *first) : Recode(call, *first, *codec, false);
  }
  if (call.name == "bytes" || call.name == "bytearray" || call.name == "memoryview") return BytesOf(call);
  if (call.name == "bytes.fromhex" || call.name == "bytearray.fromhex") {
    return first == nullptr ? std::nullopt : Decoded(call, python::DecodeHex(*first));
  }
  if (call.name == "int") return IntOf(call);
  if (call.name == "hex") return InBase(call, "0x", 16);
  if (call.name == "oct") return InBase(call, "0o", 8);
  if (call.name == "bin") return InBase(call, "0b", 2);
  if (call.name == "format") return first != nullptr && call.args.size() == 1 ? SameText(call, *first) : std::nullopt;
  if (call.name == "reversed") return call.args.size() == 1 ? Reversed(call, call.args[0]) : std::nullopt;
  if (call.name == "map") return MapOf(call);
  if (call.name == "list" || call.name == "tuple" || call.name == "iter") {
    if (call.args.size() != 1) return std::nullopt;
    if (first != nullptr) return ListOf(call, CharactersOf(*first, call));
    if (call.args[0].kind == ValueKind::kList) return call.args[0];
  }
  if (call.name == "str.maketrans") {
    if (call.args.size() == 1 && call.args[0].kind == ValueKind::kDict) return call.args[0];
    const std::string* to = call.Text(1);
    if (first == nullptr || to == nullptr) return std::nullopt;
    Value table;
    table.kind = ValueKind::kDict;
    table.obfuscation = call.obfuscation;
    table.items = CharactersOf(*to, call);
    for (const Value& key : CharactersOf(*first, call)) table.keys.push_back(key.text);
    if (table.keys.size() != table.items.size()) return std::nullopt;
    if (const std::string* gone = call.Text(2)) {
      for (const Value& key : CharactersOf(*gone, call)) {
        table.keys.push_back(key.text);
        table.items.push_back(Plain("", call));
      }
    }
    return table;
  }
  // Looked up by name: what is found is named, and that it was looked up is noted.
  const std::string* second = call.Text(1);
  if (call.name == "getattr" && second != nullptr && call.args[0].kind == ValueKind::kQualified) {
    Value value = call.args[0];
    value.text += "." + *second;
    value.obfuscation = std::max<std::uint8_t>(call.obfuscation, 1);
    return value;
  }
  if (call.name == "__import__" && first != nullptr) {
    Value value;
    value.kind = ValueKind::kQualified;
    value.text = first->substr(0, call.args.size() == 1 ? first->find('.') : std::string::npos);
    value.obfuscation = std::max<std::uint8_t>(call.obfuscation, 1);
    return value;
  }
  return std::nullopt;
}

Folded Formatted(const Call& call, std::string_view pattern) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if ((c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c) {
      out.push_back(c);
      ++i;
      continue;
    }
    if (c != '{') {
      out.push_back(c);
      continue;
    }
    const std::size_t end = pattern.find('}', i);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view field = pattern.substr(i + 1, end - i - 1);
    std::string_view spec;
    if (const std::size_t colon = field.find(':'); colon != std::string_view::npos) {
      spec = field.substr(colon + 1);
      field = field.substr(0, colon);
    }
    field = field.substr(0, field.find('!'));
    const std::optional<std::int64_t> index = ParseInteger(field);
    const Value* value = field.empty() ? call.Arg(next++)
                         : index       ? call.Arg(static_cast<std::size_t>(std::max<std::int64_t>(*index, 0)))
                                       : call.Arg(kMaxItems, field);
    if (value == nullptr || value->kind != ValueKind::kText) return std::nullopt;
    if (spec == "c") {
      const std::optional<std::string> character = CharacterOf(value->text);
      if (!character) return std::nullopt;
      out += *character;
    } else if (spec.empty() || spec == "s" || spec == "d") {
      out += value->text;
    } else {
      return std::nullopt;
    }
    if (out.size() > kMaxFoldedBytes) return std::nullopt;
    i = end;
  }
  return TextOf(call, std::move(out));
}

Folded Replaced(const Call& call, std::string_view text) {
  const std::string* from = call.Text(0);
  const std::string* to = call.Text(1);
  if (from == nullptr || to == nullptr || from->empty() || call.args.size() > 2) return std::nullopt;
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t found = text.find(*from, at);
    out += text.substr(at, found == std::string_view::npos ? found : found - at);
    if (found == std::string_view::npos) break;
    out += *to;
    at = found + from->size();
    if (out.size() > kMaxFoldedBytes) return std::nullopt;
  }
  return TextOf(call, std::move(out));
}

Folded Split(const Call& call, std::string_view text) {
  const std::string* separator = call.Text(0, "sep");
  if (call.args.size() > 1 || (separator != nullptr && separator->empty())) return std::nullopt;
  std::vector<Value> items;
  if (separator == nullptr) {
    if (!call.args.empty()) return std::nullopt;
    for (std::size_t at = 0; at < text.size() && items.size() < kMaxItems;) {
      const std::size_t from = text.find_first_not_of(" \t\r\n\f\v", at);
      if (from == std::string_view::npos) break;
      at = std::min(text.find_first_of(" \t\r\n\f\v", from), text.size());
      items.push_back(Plain(std::string(text.substr(from, at - from)), call));
    }
    return ListOf(call, std::move(items), 1);
  }
  for (std::size_t at = 0; items.size() < kMaxItems;) {
    const std::size_t found = text.find(*separator, at);
    items.push_back(Plain(std::string(text.substr(at, found == std::string_view::npos ? found : found - at)), call));
    if (found == std::string_view::npos) break;
    at = found + separator->size();
  }
  return ListOf(call, std::move(items), 1);
}

Folded Translated(const Call& call, const std::string& text) {
  if (call.args.size() != 1 || call.args[0].kind != ValueKind::kDict) return std::nullopt;
  const Value& table = call.args[0];
  if (table.keys.size() != table.items.size() || table.keys.size() > 256 || text.size() > 65'536) return std::nullopt;
  std::string out;
  for (const Value& character : CharactersOf(text, call)) {
    std::size_t bytes = 1;
    const std::string code = std::to_string(FirstCharacter(character.text, &bytes));
    std::string_view changed = character.text;
    for (std::size_t i = 0; i < table.keys.size(); ++i) {
      if (table.keys[i] == character.text || table.keys[i] == code) changed = table.items[i].text;
    }
    out += changed;
  }
  return TextOf(call, std::move(out), 2);
}

Folded Stripped(const Call& call, std::string_view text) {
  const std::string* set = call.Text(0);
  if (set == nullptr && !call.args.empty()) return std::nullopt;
  const std::string_view characters = set == nullptr ? std::string_view(" \t\r\n\f\v") : std::string_view(*set);
  if (call.name != "rstrip") {
    const std::size_t first = text.find_first_not_of(characters);
    text = first == std::string_view::npos ? std::string_view() : text.substr(first);
  }
  if (call.name != "lstrip") {
    const std::size_t last = text.find_last_not_of(characters);
    text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }
  return SameText(call, std::string(text));
}

Folded Joined(const Call& call, std::string_view separator) {
  if (call.args.size() != 1) return std::nullopt;
  const Value& source = call.args[0];
  std::vector<Value> characters;
  std::optional<std::vector<std::string_view>> texts;
  if (source.kind == ValueKind::kText) {
    if (separator.empty()) return TextOf(call, source.text);
    characters = CharactersOf(source.text, call);
    texts.emplace();
    for (const Value& item : characters) texts->push_back(item.text);
  } else {
    texts = TextsOf(source);
  }
  if (!texts) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    if (i > 0) out += separator;
    out += (*texts)[i];
    if (out.size() > kMaxFoldedBytes) return std::nullopt;
  }
  Folded value = TextOf(call, std::move(out));
  if (value) {
    value->obfuscation = std::max(value->obfuscation, WorstOf(source));
    for (const Value& item : source.items) value->decodes = std::max(value->decodes, item.decodes);
  }
  return value;
}

std::string PathJoined(std::string base, std::string_view part) {
  if (part.starts_with('/')) return std::string(part);
  if (!base.empty() && !base.ends_with('/')) base += '/';
  return base += part;
}

// `base` with every argument joined to it.
Folded PathOf(const Call& call, std::string base) {
  for (const Value& part : call.args) {
    if (part.kind != ValueKind::kText) return std::nullopt;
    base = PathJoined(std::move(base), part.text);
    if (base.size() > kMaxFoldedBytes) return std::nullopt;
  }
  return SameText(call, std::move(base));
}

Folded TextMethod(const Call& call, const std::string& text) {
  const std::string_view name = call.name;
  if (name == "join") return Joined(call, text);
  if (name == "format") return Formatted(call, text);
  if (name == "replace") return Replaced(call, text);
  if (name == "split" || name == "rsplit") return Split(call, text);
  if (name == "splitlines") {
    const Value newline = Plain("\n", call);
    Call lines = call;
    lines.args = std::span<const Value>(&newline, 1);
    return Split(lines, text);
  }
  if (name == "strip" || name == "lstrip" || name == "rstrip") return Stripped(call, text);
  if (name == "lower" || name == "casefold" || name == "upper" || name == "swapcase") {
    std::string out = text;
    for (char& c : out) c = name == "upper" || (name == "swapcase" && c >= 'a') ? Upper(c) : Lower(c);
    return TextOf(call, std::move(out));
  }
  if (name == "title" || name == "capitalize") {
    std::string out = text;
    bool start = true;
    for (char& c : out) {
      c = start ? Upper(c) : Lower(c);
      start = name == "title" && !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
    }
    return TextOf(call, std::move(out));
  }
  if (name == "encode" || name == "decode") {
    const std::string* codec = call.Text(0, "encoding");
    if (codec == nullptr && call.Arg(0, "encoding") != nullptr) return std::nullopt;
    return codec == nullptr ? SameText(call, text) : Recode(call, text, *codec, name == "encode");
  }
  if (name == "hex") return TextOf(call, python::EncodeHex(text));
  if (name == "fromhex") {
    const std::string* digits = call.Text(0);
    return digits == nullptr ? std::nullopt : Decoded(call, python::DecodeHex(*digits));
  }
  if (name == "translate") return Translated(call, text);
  if (name == "removeprefix" || name == "removesuffix") {
    const std::string* part = call.Text(0);
    if (part == nullptr) return std::nullopt;
    std::string_view rest = text;
    if (name == "removeprefix" && rest.starts_with(*part)) rest.remove_prefix(part->size());
    if (name == "removesuffix" && rest.ends_with(*part)) rest.remove_suffix(part->size());
    return TextOf(call, std::string(rest));
  }
  if (name == "to_bytes") {
    const std::string* length = call.Text(0, "length");
    const std::string* order = call.Text(1, "byteorder");
    const auto bytes = length == nullptr ? std::optional<std::int64_t>(1) : ParseInteger(*length);
    if (!bytes || *bytes < 0) return std::nullopt;
    return Decoded(
        call, python::IntegerBytes(text, static_cast<std::size_t>(*bytes), order == nullptr || *order != "little"));
  }
  if (name == "__add__" || name == "__radd__") {
    const std::string* other = call.Text(0);
    if (other == nullptr) return std::nullopt;
    return TextOf(call, name == "__add__" ? text + *other : *other + text);
  }
  if (name == "__str__" || name == "expanduser" || name == "resolve" || name == "absolute" || name == "as_posix" ||
      name == "tobytes") {
    return SameText(call, text);
  }
  if (name == "joinpath") return PathOf(call, text);
  if (name == "center" || name == "ljust" || name == "rjust" || name == "expandtabs") return SameText(call, text);
  if (name == "format_map" && call.args.size() == 1 && call.args[0].kind == ValueKind::kDict) {
    const std::vector<Value> values = call.args[0].items.ToVector();
    const std::vector<std::string_view> names(call.args[0].keys.begin(), call.args[0].keys.end());
    Call filled = call;
    filled.args = values;
    filled.names = names;
    return Formatted(filled, text);
  }
  if (name == "partition" || name == "rpartition") {
    const std::string* at = call.Text(0);
    if (at == nullptr || at->empty()) return std::nullopt;
    const std::size_t hit = name == "partition" ? text.find(*at) : text.rfind(*at);
    if (hit == std::string::npos) return std::nullopt;
    std::vector<Value> parts;
    parts.push_back(Plain(text.substr(0, hit), call));
    parts.push_back(Plain(*at, call));
    parts.push_back(Plain(text.substr(hit + at->size()), call));
    return ListOf(call, std::move(parts), 1);
  }
  return std::nullopt;
}

Folded Method(const Call& call, const Value& receiver) {
  switch (receiver.kind) {
    case ValueKind::kText:
      return TextMethod(call, receiver.text);
    case ValueKind::kDict:
      if ((call.name == "get" || call.name == "__getitem__" || call.name == "pop") && call.Text(0) != nullptr) {
        for (std::size_t i = 0; i < receiver.keys.size() && i < receiver.items.size(); ++i) {
          if (receiver.keys[i] == *call.Text(0)) return receiver.items[i];
        }
        if (const Value* fallback = call.Arg(1)) return *fallback;
      }
      if (call.name == "values") return ListOf(call, receiver.items);
      return std::nullopt;
    case ValueKind::kList:
      if (call.name == "copy") return receiver;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// What leaves a value as it is, puts texts together or reads them. nullopt: it is something else.
Folded Carried(const Call& call, std::string_view module, std::string_view name) {
  constexpr std::size_t kMostParsed = 16 << 10U;
  const Value* first = call.Arg(0);
  if (first == nullptr) {
    if (module != "types" || name != "SimpleNamespace" || call.names.size() != call.args.size()) return std::nullopt;
    Value table;
    table.kind = ValueKind::kDict;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      table.keys.emplace_back(call.names[i]);
      table.items.push_back(call.args[i]);
    }
    return table;
  }
  const std::string* text = call.Text(0);
  if ((module == "sys" && name == "intern") || (module == "copy" && (name == "copy" || name == "deepcopy")))
    return *first;
  if (module == "typing" && name == "cast" && call.Arg(1) != nullptr) return *call.Arg(1);
  if (text != nullptr && ((module == "textwrap" && name == "dedent") || (module == "inspect" && name == "cleandoc")))
    return SameText(call, python::Dedented(*text));
  if (module == "shlex" && name == "quote" && text != nullptr) return SameText(call, python::QuotedForShell(*text));
  if (module == "shlex" && name == "join") {
    const auto words = TextsOf(*first);
    if (!words) return std::nullopt;
    std::string line;
    for (const std::string_view word : *words) line += (line.empty() ? "" : " ") + python::QuotedForShell(word);
    return SameText(call, std::move(line));
  }
  if (text != nullptr && text->size() <= kMostParsed &&
      ((module == "json" && name == "loads") || (module == "ast" && name == "literal_eval"))) {
    const bool quoted = text->size() >= 2 && text->front() == '\'' && text->back() == '\'' &&
                        text->find_first_of("'\\", 1) == text->size() - 1;
    Value parsed = quoted ? Plain(text->substr(1, text->size() - 2), call) : ValueOfJson(*first);
    if (parsed.kind != ValueKind::kUnknown) return parsed;
  }
  const Value* list = call.Arg(1);
  if (module == "functools" && name == "reduce" && list != nullptr && list->kind == ValueKind::kList &&
      first->kind == ValueKind::kQualified && (first->text == "operator.add" || first->text == "operator.concat")) {
    Call joined = call;
    joined.args = std::span(list, 1);
    joined.names = {};
    return Joined(joined, "");
  }
  if (module == "itertools" && name == "chain") {
    SharedList<Value> items;
    for (const Value& part : call.args) {
      if (part.kind != ValueKind::kList || items.size() + part.items.size() > kMaxItems) return std::nullopt;
      items.append(part.items);
    }
    return ListOf(call, std::move(items));
  }
  return std::nullopt;
}

Folded Library(const Call& call, std::string_view module, std::string_view name) {
  if (Folded carried = Carried(call, module, name)) return carried;
  if (module == "os.path" || module == "posixpath" || module == "ntpath") {
    const std::string* path = call.Text(0);
    if (name == "join") return call.args.empty() ? std::nullopt : PathOf(call, "");
    if (path != nullptr && call.args.size() == 1 &&
        (name == "expanduser" || name == "abspath" || name == "normpath" || name == "realpath")) {
      return SameText(call, *path);
    }
    return std::nullopt;
  }
  if (module == "pathlib") {
    if (name == "Path" || name == "PurePath" || name == "PosixPath" || name == "PurePosixPath") {
      return call.args.empty() ? SameText(call, ".") : PathOf(call, "");
    }
    if (name == "Path.home" && call.args.empty()) return SameText(call, "~");
    return std::nullopt;
  }
  if (module == "operator" && (name == "add" || name == "concat")) {
    const std::string* left = call.Text(0);
    const std::string* right = call.Text(1);
    return left != nullptr && right != nullptr ? TextOf(call, *left + *right) : std::nullopt;
  }
  if (module == "importlib" && (name == "import_module" || name == "__import__") && call.Text(0) != nullptr) {
    Value value;
    value.kind = ValueKind::kQualified;
    value.text = *call.Text(0);
    value.obfuscation = std::max<std::uint8_t>(call.obfuscation, 1);
    return value;
  }
  const std::string* data = call.Text(0);
  if (data == nullptr) return std::nullopt;
  if (module == "base64") {
    if (name == "b64decode" || name == "standard_b64decode" || name == "urlsafe_b64decode" || name == "decodebytes" ||
        name == "decodestring") {
      return Decoded(call, python::DecodeBase64(*data));
    }
    if (name == "b32decode") return Decoded(call, python::DecodeBase32(*data));
    if (name == "b16decode") return Decoded(call, python::DecodeHex(*data));
    if (name == "b85decode") return Decoded(call, python::DecodeBase85(*data, false));
    if (name == "a85decode") return Decoded(call, python::DecodeBase85(*data, true));
    if (name == "b64encode" || name == "standard_b64encode") return TextOf(call, python::EncodeBase64(*data));
    return std::nullopt;
  }
  if (module == "binascii") {
    if (name == "unhexlify" || name == "a2b_hex") return Decoded(call, python::DecodeHex(*data));
    if (name == "a2b_base64") return Decoded(call, python::DecodeBase64(*data));
    if (name == "hexlify" || name == "b2a_hex") return TextOf(call, python::EncodeHex(*data));
    return std::nullopt;
  }
  if (module == "codecs") {
    const std::string* codec = call.Text(1, "encoding");
    if (name != "decode" && name != "encode") return std::nullopt;
    return Recode(call, *data, codec == nullptr ? "utf-8" : std::string_view(*codec), name == "encode");
  }
  if ((module == "zlib" && (name == "decompress" || name == "decompressobj().decompress")) ||
      (module == "gzip" && name == "decompress")) {
    return Decoded(call, python::Inflate(*data));
  }
  if (module == "urllib.parse") {
    if (name == "unquote" || name == "unquote_plus" || name == "unquote_to_bytes") {
      return Unescaped(call, *data, python::PercentDecode(*data, name == "unquote_plus"));
    }
    return std::nullopt;
  }
  if (module == "html" && name == "unescape") return Unescaped(call, *data, python::HtmlUnescape(*data));
  return std::nullopt;
}

}  // namespace

std::optional<Value> FoldPythonCall(std::string_view callee, const Value* receiver, std::span<const Value> args,
                                    std::span<const std::string_view> names) {
  Call call{.name = callee, .args = args, .names = names};
  for (const Value& value : args) Worsen(value, &call);
  if (receiver != nullptr) {
    Worsen(*receiver, &call);
    if (call.name.starts_with('.')) call.name.remove_prefix(1);
    return Method(call, *receiver);
  }
  constexpr std::string_view kBuiltins = "builtins.";
  if (call.name.starts_with(kBuiltins)) {
    call.name.remove_prefix(kBuiltins.size());
    if (Folded value = Builtin(call)) return value;
    // str.join("", parts): the method asked of the type.
    for (const std::string_view type : {"str.", "bytes.", "bytearray."}) {
      if (!call.name.starts_with(type) || args.empty() || (!names.empty() && !names[0].empty())) continue;
      call.name.remove_prefix(type.size());
      call.args = args.subspan(1);
      call.names = names.empty() ? names : names.subspan(1);
      return Method(call, args[0]);
    }
    return std::nullopt;
  }
  // The module is everything before the function; two of its names have a dot in them.
  for (const std::string_view module : {"os.path", "urllib.parse"}) {
    if (callee.starts_with(module) && callee.size() > module.size() && callee[module.size()] == '.') {
      return Library(call, module, callee.substr(module.size() + 1));
    }
  }
  const std::size_t dot = callee.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return Library(call, callee.substr(0, dot), callee.substr(dot + 1));
}

}  // namespace interlock::scan::code
