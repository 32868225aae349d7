// links: base core scan
// A constant through Python's decoders and text methods. First byte: which; the rest, split at the first NUL, is
// receiver or first argument, and second argument. What comes out is bounded, and was decoded if it says so.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "../src/scan/code/resolve.h"

using interlock::scan::code::FoldPythonCall;
using interlock::scan::code::Value;
using interlock::scan::code::ValueKind;

namespace {

constexpr std::string_view kCallees[] = {"base64.b64decode",
                                         "base64.b32decode",
                                         "base64.b16decode",
                                         "base64.b85decode",
                                         "base64.a85decode",
                                         "codecs.decode",
                                         "zlib.decompress",
                                         "gzip.decompress",
                                         "html.unescape",
                                         "urllib.parse.unquote",
                                         "builtins.int",
                                         "builtins.bytes",
                                         "builtins.chr",
                                         "builtins.ord",
                                         "builtins.reversed",
                                         "builtins.list",
                                         "builtins.hex",
                                         "builtins.str.maketrans",
                                         "os.path.join",
                                         "binascii.unhexlify",
                                         ".join",
                                         ".format",
                                         ".replace",
                                         ".split",
                                         ".strip",
                                         ".decode",
                                         ".to_bytes",
                                         ".translate",
                                         ".title",
                                         ".splitlines"};

Value TextValue(std::string_view text) {
  Value value;
  value.kind = ValueKind::kText;
  value.text = std::string(text);
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 16'384) return 0;
  const std::string_view callee = kCallees[data[0] % std::size(kCallees)];
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = rest.find('\0');
  const Value first = TextValue(rest.substr(0, cut));
  const Value second = TextValue(cut == std::string_view::npos ? std::string_view() : rest.substr(cut + 1));
  const std::array<Value, 2> args = {first, second};
  const std::array<std::string_view, 2> names = {};
  const bool method = callee.starts_with('.');
  for (std::size_t count = 0; count <= 2; ++count) {
    const std::optional<Value> value = FoldPythonCall(
        callee, method ? &first : nullptr, std::span(args).subspan(method ? 1 : 0, method ? count / 2 : count),
        std::span(names).first(method ? count / 2 : count));
    if (!value) continue;
    if (value->text.size() > (1U << 20)) std::abort();
    if (value->decodes > 0 && value->obfuscation < 2) std::abort();
    if (value->kind == ValueKind::kUnknown) std::abort();
  }
  return 0;
}
