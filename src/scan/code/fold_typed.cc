// Constant folding of Go's and Rust's calls: decoders, and texts put together.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "code/fold_python_codecs.h"
#include "code/resolve.h"
#include "code/resolve_internal.h"

namespace interlock::scan::code {
namespace {

bool Ends(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

std::optional<Value> Decoded(std::optional<std::string> text, const Value& of) {
  if (!text) return std::nullopt;
  return TextValue(*std::move(text), std::max<std::uint8_t>(of.obfuscation, 2),
                   static_cast<std::uint8_t>(of.decodes + 1));
}

}  // namespace

std::optional<Value> FoldTypedCall(std::string_view callee, const Value* receiver, std::span<const Value> args) {
  const auto text = [&](std::size_t i) { return i < args.size() && args[i].kind == ValueKind::kText; };
  if (receiver != nullptr) {
    if (receiver->kind != ValueKind::kText) return std::nullopt;
    if (callee == ".replace" && args.size() == 2 && text(0) && text(1) && !args[0].text.empty()) {
      std::string out = receiver->text;
      for (std::size_t at = out.find(args[0].text); at != std::string::npos && out.size() < kMaxLiteral;
           at = out.find(args[0].text, at + args[1].text.size()))
        out.replace(at, args[0].text.size(), args[1].text);
      return TextValue(std::move(out), std::max<std::uint8_t>(receiver->obfuscation, 2), receiver->decodes);
    }
    if (callee == ".rev") return TextValue({receiver->text.rbegin(), receiver->text.rend()}, 2, receiver->decodes);
    if (Ends(callee, {".chars", ".collect", ".bytes", ".trim"}) && args.empty()) return *receiver;
    return std::nullopt;
  }
  if (!text(0)) {
    // strings.Join([]string{...}, "")
    if (callee != "strings.Join" || args.size() != 2 || args[0].kind != ValueKind::kList || !text(1))
      return std::nullopt;
    std::string out;
    for (const Value& item : args[0].items) {
      if (item.kind != ValueKind::kText) return std::nullopt;
      if (&item != args[0].items.begin()) out += args[1].text;
      out += item.text;
    }
    return TextValue(std::move(out), 1, 0);
  }
  const Value& first = args[0];
  if (Ends(callee, {"base64.StdEncoding.DecodeString", "base64.URLEncoding.DecodeString",
                    "base64.RawStdEncoding.DecodeString", "base64.RawURLEncoding.DecodeString", "base64.decode",
                    "STANDARD.decode", "URL_SAFE.decode", "STANDARD_NO_PAD.decode", "BASE64_STANDARD.decode"}))
    return Decoded(python::DecodeBase64(first.text), first);
  if (Ends(callee, {"encoding/hex.DecodeString", "hex.decode"})) return Decoded(python::DecodeHex(first.text), first);
  if (callee == "strings.ReplaceAll" && text(1) && text(2)) return FoldTypedCall(".replace", &first, args.subspan(1));
  if (callee == "string" ||
      Ends(callee, {"String.from", "String.from_utf8", "str.from_utf8", "String.from_utf8_lossy"}))
    return first;
  return std::nullopt;
}

}  // namespace interlock::scan::code
