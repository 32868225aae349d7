// Decoders behind Python's constant folding: pure, total, bounded by kMaxFoldedBytes. nullopt: not that encoding, or
// more than the bound. Engine room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::scan::code::python {

inline constexpr std::size_t kMaxFoldedBytes = 1u << 20;

// Characters outside the alphabet are skipped, as Python's b64decode does; missing padding is forgiven.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);
[[nodiscard]] std::string EncodeBase64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> DecodeBase32(std::string_view text);
// `ascii85`: a85decode's alphabet, else b85decode's.
[[nodiscard]] std::optional<std::string> DecodeBase85(std::string_view text, bool ascii85);
[[nodiscard]] std::optional<std::string> DecodeHex(std::string_view text);  // spaces between pairs allowed
[[nodiscard]] std::string EncodeHex(std::string_view bytes);
[[nodiscard]] std::string Rot13(std::string_view text);
// zlib, gzip and raw deflate data.
[[nodiscard]] std::optional<std::string> Inflate(std::string_view data);
[[nodiscard]] std::string PercentDecode(std::string_view text, bool plus_is_space);
[[nodiscard]] std::string HtmlUnescape(std::string_view text);
// First character of `text` and its length in bytes; a byte that is no UTF-8 stands for itself.
[[nodiscard]] std::uint32_t FirstCharacter(std::string_view text, std::size_t* bytes);
[[nodiscard]] std::string LatinToUtf8(std::string_view bytes);
// A Python integer literal: decimal, 0x, 0o, 0b, underscores, sign.
[[nodiscard]] std::optional<std::int64_t> ParseInteger(std::string_view text);
// int.to_bytes of an integer literal of any size; `length` bytes.
[[nodiscard]] std::optional<std::string> IntegerBytes(std::string_view text, std::size_t length, bool big_endian);

// Without what stands before the first letter of each line: to a shell it is the same.
[[nodiscard]] std::string Dedented(std::string_view text);
// In single quotes.
[[nodiscard]] std::string QuotedForShell(std::string_view text);

}  // namespace interlock::scan::code::python
