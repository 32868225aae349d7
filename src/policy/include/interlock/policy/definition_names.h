// Addresses and identifiers that stand in the texts of tool definitions. A definition says what its own tool is; where
// one names the account, address or record that another tool's argument is to have, whoever wrote it chooses that
// argument ("tool shadowing"). Nobody asks for a value that only such a text holds.
//
//   DefinitionNames names(tools);
//   const std::string* by = names.NamedBy("send_mail", "to", "audit@elsewhere.org");   // null, or the tool that says
//   so
//
// Texts are titles, descriptions and the `title` and `description` strings of input schemas. Values that a schema
// itself offers (enum, const, default, examples) and what follows "e.g.", "for example" or "such as" name nothing.
// Definitions of tools whose results the policy trusts are left out. Immutable; thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/core/tool.h"

namespace interlock::policy {

class DefinitionNames {
 public:
  static constexpr std::size_t kMaxTools = 1024;
  static constexpr std::size_t kMaxText = std::size_t{16}
                                          << 10;  // bytes of one definition's texts; the rest is not read
  static constexpr std::size_t kMaxNames = 256;   // of one definition

  DefinitionNames() = default;
  explicit DefinitionNames(std::span<const core::ToolSpec* const> tools);

  // The tool other than `tool` whose definition holds `value` (or one of its words: "Name <address>"):
  //
  // * an address (mail, a link, an account number): wherever it stands; of a link what it starts with is enough;
  // * another identifier, four characters or more with a digit: where that text also names `tool` or `argument`.
  //
  // Null: none does. No allocation beyond the value's lower-case copy; values over 512 bytes have no answer.
  [[nodiscard]] const std::string* NamedBy(std::string_view tool, std::string_view argument,
                                           std::string_view value) const;
  [[nodiscard]] bool empty() const noexcept { return names_.empty(); }

 private:
  struct Name {
    std::string text;  // lower case
    std::uint32_t tool = 0;
    bool address = false;
    bool link = false;
  };
  struct Tool {
    std::string name;
    std::vector<std::string> words;  // of its texts that can be names of tools and arguments; sorted
  };
  [[nodiscard]] const std::string* NamedWord(std::string_view tool, std::string_view argument,
                                             std::string_view word) const;

  std::vector<Tool> tools_;
  std::vector<Name> names_;  // sorted by text
  std::vector<Name> links_;
};

}  // namespace interlock::policy
