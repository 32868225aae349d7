// YAML as a small tree with places. The only file that knows yaml-cpp is yaml_tree.cc.
//
// Taken: one document of maps with scalar keys, sequences and scalars. Refused, each with a code and a place: aliases,
// anchors, tags, merge keys, keys that are not scalars, several documents, control characters, anything that is not
// UTF-8, and more than the limits below. Duplicate keys do not stop the reading: they are reported beside the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/error.h"
#include "interlock/base/result.h"

namespace interlock::policy {

struct YamlLimits {
  std::size_t max_bytes = std::size_t{4} << 20;
  std::uint32_t max_depth = 64;
  std::uint32_t max_nodes = 400'000;
};

struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  bool plain = false;           // a scalar without quotes: may mean null, a boolean or a number
  std::uint32_t line = 0;       // from 1
  std::uint32_t column = 0;     // from 1, in bytes
  std::string text;             // scalar
  std::vector<YamlNode> items;  // sequence: elements; map: values
  std::vector<YamlNode> keys;   // map: scalars, beside `items`

  [[nodiscard]] bool is_map() const noexcept { return kind == Kind::kMap; }
  [[nodiscard]] bool is_sequence() const noexcept { return kind == Kind::kSequence; }
  [[nodiscard]] bool is_scalar() const noexcept { return kind == Kind::kScalar; }
  [[nodiscard]] bool is_null() const noexcept { return kind == Kind::kNull; }
  // Value of `key` in a map, or null.
  [[nodiscard]] const YamlNode* Find(std::string_view key) const noexcept;
};

struct YamlDocument {
  YamlNode root;                        // kNull for an empty document
  std::vector<base::Error> duplicates;  // kPolicyDuplicateKey, one for each repeated key
};

// kPolicySyntax or kPolicyLimit, with a place.
[[nodiscard]] base::Result<YamlDocument> ReadYaml(std::string_view text, std::string_view file,
                                                  const YamlLimits& limits = {});

// What a plain scalar means in YAML's core schema; every quoted scalar is a string.
enum class ScalarType : std::uint8_t {
  kString,
  kNull,
  kTrue,
  kFalse,
  kNumber,     // in JSON's notation: kept as text
  kOddNumber,  // a number in a notation that JSON lacks (0x1F, 007, +1, .5, .inf): refused everywhere
};
[[nodiscard]] ScalarType TypeOfScalar(const YamlNode& scalar) noexcept;

}  // namespace interlock::policy
