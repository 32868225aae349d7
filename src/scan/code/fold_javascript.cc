// What calls of JavaScript's own functions give back for constants. Numbers are texts, as they were written. Bounded in
// bytes and items; pure.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/package_data.h"
#include "code/resolve_internal.h"
#include "interlock/base/digits.h"
#include "static/part_set.h"

namespace interlock::scan::code {
namespace {

constexpr std::size_t kMaxText = 256 << 10;
constexpr std::size_t kMaxItems = 8192;
constexpr std::size_t kMaxParsed = 16 << 10;

std::optional<long> Integer(std::string_view text, int base = 0) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if ((base == 0 || base == 16) && text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  } else if (base == 0 && text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'o')) {
    base = text[1] == 'b' ? 2 : 8;
    text.remove_prefix(2);
  }
  if (base == 0) base = 10;
  if (base < 2 || base > 36 || text.empty() || text.size() > 18) return std::nullopt;
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  // 1.0 and 1e3 are rare; what follows the digits is left.
  return negative ? -value : value;
}

std::optional<long> Integer(const Value& value) {
  if (value.kind != ValueKind::kText) return std::nullopt;
  return Integer(value.text);
}

std::string DecodeBase64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    int value = -1;
    if (c >= 'A' && c <= 'Z') value = c - 'A';
    if (c >= 'a' && c <= 'z') value = c - 'a' + 26;
    if (c >= '0' && c <= '9') value = c - '0' + 52;
    if (c == '+' || c == '-') value = 62;
    if (c == '/' || c == '_') value = 63;
    if (c == '=') break;
    if (value < 0) continue;  // as Node does
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFF;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out.push_back(static_cast<char>(bits >> have & 0xFF));
    }
  }
  return out;
}

std::string EncodeBase64(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out.push_back(i + k > bytes.size() ? '=' : kAlphabet[bits >> (18 - 6 * k) & 63]);
    }
  }
  return out;
}

std::string DecodeHex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = base::HexValue(text[i]);
    const int low = base::HexValue(text[i + 1]);
    if (high < 0 || low < 0) break;
    out.push_back(static_cast<char>(high * 16 + low));
  }
  return out;
}

// %xx, and %uxxxx of unescape. `letters`: something was spelled so that needed no spelling.
std::string PercentDecode(std::string_view text, bool* letters) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint32_t code = 0;
    std::size_t digits = 0;
    std::size_t at = i + 1;
    if (text[i] == '%') {
      const bool wide = at < text.size() && (text[at] == 'u' || text[at] == 'U');
      if (wide) ++at;
      const std::size_t want = wide ? 4 : 2;
      while (digits < want && at < text.size() && base::HexValue(text[at]) >= 0) {
        code = code * 16 + static_cast<std::uint32_t>(base::HexValue(text[at++]));
        ++digits;
      }
      if (digits == want) {
        *letters |= (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
        if (wide) {
          base::AppendUtf8(code, &out);
        } else {
          out.push_back(static_cast<char>(code));
        }
        i = at - 1;
        continue;
      }
    }
    out.push_back(text[i]);
  }
  return out;
}

std::vector<std::string_view> Characters(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size() && out.size() <= kMaxText;) {
    std::size_t size = 1;
    while (i + size < text.size() && size < 4 && (static_cast<unsigned char>(text[i + size]) >> 6) == 2) ++size;
    out.push_back(text.substr(i, size));
    i += size;
  }
  return out;
}

std::uint32_t CodeOf(std::string_view character) {
  if (character.empty()) return 0;
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  std::uint32_t code = first & (character.size() == 2 ? 0x1FU : character.size() == 3 ? 0x0FU : 0x07U);
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

// Characters [from, to).
std::string Cut(std::string_view text, long from, long to) {
  if (from >= to) return {};
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return std::string(text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
  const std::vector<std::string_view> characters = Characters(text);
  std::string out;
  for (std::size_t i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to) && i < characters.size(); ++i) {
    out += characters[i];
  }
  return out;
}

struct Marks {
  std::uint8_t obfuscation = 0;
  std::uint8_t decodes = 0;
  void Take(const Value& value) {
    obfuscation = std::max(obfuscation, value.obfuscation);
    decodes = std::max(decodes, value.decodes);
  }
  // One decoder more: 3 when it is not the only trick.
  void Decode() {
    obfuscation = obfuscation >= 2 ? 3 : 2;
    if (decodes < 250) ++decodes;
  }
  void Raise(std::uint8_t level) { obfuscation = std::max(obfuscation, level); }
};

std::optional<Value> FromCodes(std::span<const Value> values, Marks marks, bool bytes) {
  std::string out;
  for (const Value& value : values) {
    const std::optional<long> code = Integer(value);
    if (!code || *code < 0 || *code > 0x10FFFF || out.size() > kMaxText) return std::nullopt;
    if (bytes) {
      out.push_back(static_cast<char>(*code & 0xFF));
    } else {
      base::AppendUtf8(static_cast<std::uint32_t>(*code), &out);
    }
    marks.Take(value);
  }
  if (values.size() > 1) {
    marks.Decode();
  } else {
    marks.Raise(1);
  }
  return TextValue(std::move(out), marks.obfuscation, marks.decodes);
}

std::optional<Value> ListMethod(std::string_view name, const Value& receiver, std::span<const Value> args);

// Libraries that take the indentation out of a text.
bool LaysOut(std::string_view name) {
  static constexpr FixedWords kNames(std::to_array<std::string_view>({"dedent",
                                                                      "dedent.default",
                                                                      "ts-dedent.dedent",
                                                                      "ts-dedent.default",
                                                                      "outdent",
                                                                      "outdent.default",
                                                                      "outdent.outdent",
                                                                      "endent",
                                                                      "endent.default",
                                                                      "string-dedent",
                                                                      "string-dedent.default",
                                                                      "strip-indent",
                                                                      "strip-indent.default",
                                                                      "common-tags.stripIndent",
                                                                      "common-tags.stripIndents",
                                                                      "common-tags.oneLine",
                                                                      "common-tags.oneLineTrim",
                                                                      "common-tags.html",
                                                                      "common-tags.source",
                                                                      "common-tags.codeBlock"}));
  return kNames.Has(name);
}

std::optional<Value> Global(std::string_view name, std::span<const Value> args) {
  Marks marks;
  for (const Value& arg : args) marks.Take(arg);
  const auto text = [&](std::size_t i) -> std::optional<std::string_view> {
    if (i >= args.size() || args[i].kind != ValueKind::kText || args[i].text.size() > kMaxText) return std::nullopt;
    return args[i].text;
  };
  if (name == "String.fromCharCode" || name == "String.fromCodePoint") {
    if (args.size() == 1 && args[0].kind == ValueKind::kList) return FromCodes(args[0].items, marks, false);
    return FromCodes(args, marks, false);
  }
  // fromCharCode.apply(null, [..])
  if ((name == "String.fromCharCode.apply" || name == "String.fromCodePoint.apply") && args.size() == 2 &&
      args[1].kind == ValueKind::kList) {
    return FromCodes(args[1].items, marks, false);
  }
  if (name == "atob" && text(0)) {
    marks.Decode();
    return TextValue(DecodeBase64(*text(0)), marks.obfuscation, marks.decodes);
  }
  if (name == "btoa" && text(0)) return TextValue(EncodeBase64(*text(0)), marks.obfuscation, marks.decodes);
  if (name == "Buffer.from" || name == "Buffer" || name == "buffer.Buffer.from" || name == "buffer.Buffer" ||
      name == "Uint8Array" || name == "Uint8Array.from") {
    if (!args.empty() && args[0].kind == ValueKind::kList) return FromCodes(args[0].items, marks, true);
    if (!text(0)) return std::nullopt;
    const std::string_view encoding = text(1).value_or("utf8");
    if (encoding == "base64" || encoding == "base64url") {
      marks.Decode();
      return TextValue(DecodeBase64(*text(0)), marks.obfuscation, marks.decodes);
    }
    if (encoding == "hex") {
      marks.Decode();
      return TextValue(DecodeHex(*text(0)), marks.obfuscation, marks.decodes);
    }
    return TextValue(std::string(*text(0)), marks.obfuscation, marks.decodes);
  }
  if ((name == "decodeURIComponent" || name == "decodeURI" || name == "unescape") && text(0)) {
    bool letters = false;
    std::string out = PercentDecode(*text(0), &letters);
    if (letters) marks.Decode();
    return TextValue(std::move(out), marks.obfuscation, marks.decodes);
  }
  if (name == "String" && text(0)) return args[0];
  if (name == "JSON.parse" && text(0) && text(0)->size() <= kMaxParsed) {
    Value parsed = ValueOfJson(args[0]);
    if (parsed.kind == ValueKind::kUnknown) return std::nullopt;
    return parsed;
  }
  // They hold what they are given, or lay it out anew.
  if (args.size() == 1 && (name == "Set" || name == "Promise.resolve" || LaysOut(name)) &&
      (args[0].kind == ValueKind::kText || args[0].kind == ValueKind::kList)) {
    return args[0];
  }
  if (name == "Object.values" && args.size() == 1 && args[0].kind == ValueKind::kDict) {
    Value list;
    list.kind = ValueKind::kList;
    list.items = args[0].items;
    return list;
  }
  if ((name == "Buffer.concat" || name == "buffer.Buffer.concat") && !args.empty() && args[0].kind == ValueKind::kList)
    return ListMethod("join", args[0], std::array<Value, 1>{TextValue("", 0, 0)});
  if ((name == "parseInt" || name == "Number" || name == "Number.parseInt") && text(0)) {
    const int base = name == "Number" || !text(1) ? 0 : static_cast<int>(Integer(*text(1)).value_or(0));
    const std::optional<long> value = Integer(*text(0), base);
    if (!value) return std::nullopt;
    return TextValue(std::to_string(*value), marks.obfuscation, marks.decodes);
  }
  if ((name == "Array.from" || name == "Array.of" || name == "Array") && args.size() == 1) {
    if (args[0].kind == ValueKind::kList) return args[0];
    if (name == "Array.from" && text(0)) {
      Value list;
      list.kind = ValueKind::kList;
      list.obfuscation = marks.obfuscation;
      list.decodes = marks.decodes;
      for (const std::string_view each : Characters(*text(0))) {
        if (list.items.size() >= kMaxItems) return std::nullopt;
        list.items.push_back(TextValue(std::string(each), marks.obfuscation, marks.decodes));
      }
      return list;
    }
    return std::nullopt;
  }
  // Ways round the plain names.
  if ((name == "process.mainModule.require" || name == "module.require" || name == "process.getBuiltinModule" ||
       name == "module.constructor._load") &&
      text(0)) {
    std::string_view target = *text(0);
    if (target.starts_with("node:")) target.remove_prefix(5);
    Value value;
    value.kind = ValueKind::kQualified;
    value.text = std::string(target);
    value.obfuscation = std::max<std::uint8_t>(marks.obfuscation, 1);
    return value;
  }
  if (name == "Function" && text(0) && (*text(0) == "return this" || *text(0) == "return this;")) {
    Value value;
    value.kind = ValueKind::kQualified;
    value.text = "globalThis.Function.this";
    value.obfuscation = 1;
    return value;
  }
  if (name == "Function.this" || name == "Function()") {
    Value value;
    value.kind = ValueKind::kQualified;
    value.text = "globalThis";
    value.obfuscation = 1;
    return value;
  }
  return std::nullopt;
}

std::optional<Value> TextMethod(std::string_view name, const Value& receiver, std::span<const Value> args) {
  const std::string& text = receiver.text;
  if (text.size() > kMaxText) return std::nullopt;
  Marks marks;
  marks.Take(receiver);
  for (const Value& arg : args) marks.Take(arg);
  const auto arg_text = [&](std::size_t i) -> std::optional<std::string_view> {
    if (i >= args.size() || args[i].kind != ValueKind::kText) return std::nullopt;
    return args[i].text;
  };
  const auto done = [&](std::string out) { return TextValue(std::move(out), marks.obfuscation, marks.decodes); };
  if (name == "toString") {
    if (args.empty()) return receiver;
    const std::string_view how = arg_text(0).value_or("utf8");
    if (how == "hex") {
      constexpr std::string_view kDigits = "0123456789abcdef";
      std::string out;
      for (const char c : text) {
        out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
        out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
      }
      return done(std::move(out));
    }
    if (how == "base64") return done(EncodeBase64(text));
    if (const std::optional<long> base = Integer(how); base && *base >= 2 && *base <= 36) {
      const std::optional<long> number = Integer(text);
      if (!number) return std::nullopt;
      char buffer[80];
      const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, *number, static_cast<int>(*base));
      if (error != std::errc()) return std::nullopt;
      if (*base > 16) marks.Decode();  // a word spelled as a number
      return done(std::string(buffer, end));
    }
    return receiver;
  }
  if (name == "valueOf" || name == "normalize") return receiver;
  if (name == "trim" || name == "trimStart" || name == "trimEnd") {
    std::size_t from = 0;
    std::size_t to = text.size();
    const auto blank = [&](std::size_t i) { return text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'); };
    while (name != "trimEnd" && from < to && blank(from)) ++from;
    while (name != "trimStart" && to > from && blank(to - 1)) --to;
    return done(text.substr(from, to - from));
  }
  if (name == "toLowerCase" || name == "toUpperCase") {
    std::string out = text;
    for (char& c : out) {
      if (name == "toLowerCase" && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
      if (name == "toUpperCase" && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    }
    return done(std::move(out));
  }
  if (name == "concat") {
    std::string out = text;
    for (const Value& arg : args) {
      if (arg.kind != ValueKind::kText || out.size() + arg.text.size() > kMaxText) return std::nullopt;
      out += arg.text;
    }
    marks.Raise(1);
    return done(std::move(out));
  }
  if (name == "split") {
    if (!args.empty() && !arg_text(0)) return std::nullopt;
    Value list;
    list.kind = ValueKind::kList;
    list.obfuscation = marks.obfuscation;
    list.decodes = marks.decodes;
    const auto push = [&](std::string_view part) {
      list.items.push_back(TextValue(std::string(part), marks.obfuscation, marks.decodes));
      return list.items.size() < kMaxItems;
    };
    if (args.empty()) {
      push(text);
    } else if (arg_text(0)->empty()) {
      for (const std::string_view each : Characters(text)) {
        if (!push(each)) return std::nullopt;
      }
    } else {
      std::size_t at = 0;
      for (;;) {
        const std::size_t hit = text.find(*arg_text(0), at);
        if (!push(std::string_view(text).substr(at, hit == std::string::npos ? hit : hit - at))) return std::nullopt;
        if (hit == std::string::npos) break;
        at = hit + arg_text(0)->size();
      }
    }
    return list;
  }
  if (name == "replace" || name == "replaceAll") {
    if (!arg_text(0) || !arg_text(1) || arg_text(0)->empty()) return std::nullopt;
    std::string out;
    std::size_t at = 0;
    for (;;) {
      const std::size_t hit = text.find(*arg_text(0), at);
      if (hit == std::string::npos || out.size() > kMaxText) break;
      out.append(text, at, hit - at);
      out += *arg_text(1);
      at = hit + arg_text(0)->size();
      if (name == "replace") break;
    }
    out.append(text, at);
    marks.Raise(1);
    return done(std::move(out));
  }
  const auto number = [&](std::size_t i, long fallback) -> std::optional<long> {
    if (i >= args.size()) return fallback;
    return Integer(args[i]);
  };
  if (name == "repeat") {
    const std::optional<long> times = number(0, 0);
    if (!times || *times < 0 || static_cast<std::size_t>(*times) * std::max<std::size_t>(text.size(), 1) > kMaxText) {
      return std::nullopt;
    }
    std::string out;
    for (long i = 0; i < *times; ++i) out += text;
    return done(std::move(out));
  }
  if (name == "padStart" || name == "padEnd") {
    const std::optional<long> width = number(0, 0);
    const std::string_view fill = arg_text(1).value_or(" ");
    if (!width || *width > static_cast<long>(kMaxText) || fill.empty()) return std::nullopt;
    std::string pad;
    while (static_cast<long>(text.size() + pad.size()) < *width) pad += fill[pad.size() % fill.size()];
    return done(name == "padStart" ? pad + text : text + pad);
  }
  const long size = static_cast<long>(Characters(text).size());
  if (name == "slice" || name == "substring" || name == "substr") {
    std::optional<long> from = number(0, 0);
    std::optional<long> to = number(1, size);
    if (!from || !to) return std::nullopt;
    if (name == "slice") {
      if (*from < 0) *from += size;
      if (*to < 0) *to += size;
    } else if (name == "substr") {
      if (*from < 0) *from = std::max(0L, *from + size);
      *to = std::min(size, args.size() > 1 ? *from + std::min(*to, size) : size);
    } else {
      *from = std::clamp(*from, 0L, size);
      *to = std::clamp(*to, 0L, size);
      if (*from > *to) std::swap(*from, *to);
    }
    marks.Raise(1);
    return done(Cut(text, std::clamp(*from, 0L, size), std::clamp(*to, 0L, size)));
  }
  if (name == "charAt" || name == "at" || name == "charCodeAt" || name == "codePointAt") {
    std::optional<long> at = number(0, 0);
    if (!at) return std::nullopt;
    if (name == "at" && *at < 0) *at += size;
    if (*at < 0 || *at >= size) return std::nullopt;
    const std::string one = Cut(text, *at, *at + 1);
    marks.Raise(1);
    if (name == "charAt" || name == "at") return done(one);
    return done(std::to_string(CodeOf(one)));
  }
  return std::nullopt;
}

std::optional<Value> ListMethod(std::string_view name, const Value& receiver, std::span<const Value> args) {
  Marks marks;
  marks.Take(receiver);
  for (const Value& arg : args) marks.Take(arg);
  Value list;
  list.kind = ValueKind::kList;
  if (name == "join" || name == "toString") {
    if (!args.empty() && args[0].kind != ValueKind::kText) return std::nullopt;
    const std::string_view separator = args.empty() ? "," : std::string_view(args[0].text);
    std::string out;
    bool first = true;
    for (const Value& item : receiver.items) {
      if (item.kind != ValueKind::kText || out.size() + item.text.size() > kMaxText) return std::nullopt;
      if (!std::exchange(first, false)) out += separator;
      out += item.text;
      marks.Take(item);
    }
    if (receiver.items.size() > 1) marks.Raise(1);
    return TextValue(std::move(out), marks.obfuscation, marks.decodes);
  }
  if (name == "reverse" || name == "toReversed") {
    std::vector<Value> items = receiver.items.ToVector();
    std::ranges::reverse(items);
    list.items = std::move(items);
    marks.Raise(2);
  } else if (name == "concat") {
    list.items = receiver.items;
    for (const Value& arg : args) {
      if (arg.kind == ValueKind::kList) {
        list.items.append(arg.items);
      } else {
        list.items.push_back(arg);
      }
      if (list.items.size() > kMaxItems) return std::nullopt;
    }
  } else if (name == "slice") {
    const long size = static_cast<long>(receiver.items.size());
    std::optional<long> from = args.empty() ? 0 : Integer(args[0]);
    std::optional<long> to = args.size() < 2 ? size : Integer(args[1]);
    if (!from || !to) return std::nullopt;
    if (*from < 0) *from += size;
    if (*to < 0) *to += size;
    for (long i = std::clamp(*from, 0L, size); i < std::clamp(*to, 0L, size); ++i) {
      list.items.push_back(receiver.items[static_cast<std::size_t>(i)]);
    }
  } else if (name == "at" && args.size() == 1) {
    std::optional<long> at = Integer(args[0]);
    const long size = static_cast<long>(receiver.items.size());
    if (!at) return std::nullopt;
    if (*at < 0) *at += size;
    if (*at < 0 || *at >= size) return std::nullopt;
    return receiver.items[static_cast<std::size_t>(*at)];
  } else if (name == "map" && args.size() == 1 && args[0].kind == ValueKind::kQualified &&
             args[0].text.starts_with("globalThis.")) {
    for (const Value& item : receiver.items) {
      std::optional<Value> mapped = Global(std::string_view(args[0].text).substr(11), std::span(&item, 1));
      if (!mapped) return std::nullopt;
      list.items.push_back(*std::move(mapped));
    }
    marks.Raise(2);
  } else {
    return std::nullopt;
  }
  list.obfuscation = marks.obfuscation;
  list.decodes = marks.decodes;
  return list;
}

bool IsWordByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// A word of a packed program as the number that it stands for: digits, then small letters, then capitals.
std::optional<std::size_t> PackedNumber(std::string_view word, std::size_t radix) {
  std::size_t number = 0;
  for (const char c : word) {
    const std::size_t digit = c >= '0' && c <= '9'     ? static_cast<std::size_t>(c - '0')
                              : (c >= 'a' && c <= 'z') ? static_cast<std::size_t>(c - 'a') + 10
                              : (c >= 'A' && c <= 'Z') ? static_cast<std::size_t>(c - 'A') + 36
                                                       : radix;
    if (digit >= radix || number > kMaxItems) return std::nullopt;
    number = number * radix + digit;
  }
  return number;
}

}  // namespace

std::optional<Value> UnpackJavaScript(std::span<const Value> args) {
  constexpr long kMostRadix = 62;
  if (args.size() < 4 || args[0].kind != ValueKind::kText || args[3].kind != ValueKind::kList) return std::nullopt;
  const std::optional<long> radix = Integer(args[1]);
  if (!radix || *radix < 2 || *radix > kMostRadix || !Integer(args[2])) return std::nullopt;
  const auto& words = args[3].items;
  const std::string_view packed = args[0].text;
  std::string out;
  for (std::size_t i = 0; i < packed.size() && out.size() <= kMaxText;) {
    std::size_t end = i;
    while (end < packed.size() && IsWordByte(packed[end])) ++end;
    const std::string_view word = packed.substr(i, std::max<std::size_t>(end - i, 1));
    const std::optional<std::size_t> number =
        end > i ? PackedNumber(word, static_cast<std::size_t>(*radix)) : std::optional<std::size_t>();
    const bool named = number && *number < words.size() && words[*number].kind == ValueKind::kText;
    out += named && !words[*number].text.empty() ? std::string_view(words[*number].text) : word;
    i += word.size();
  }
  return TextValue(std::move(out), 2, 0);
}

std::optional<Value> FoldJavaScriptCall(std::string_view callee, const Value* receiver, std::span<const Value> args) {
  if (receiver != nullptr) {
    if (callee.starts_with('.')) callee.remove_prefix(1);
    if (receiver->kind == ValueKind::kText) return TextMethod(callee, *receiver, args);
    if (receiver->kind == ValueKind::kList) return ListMethod(callee, *receiver, args);
    return std::nullopt;
  }
  if (callee.starts_with("globalThis.")) callee.remove_prefix(11);
  return Global(callee, args);
}

}  // namespace interlock::scan::code
