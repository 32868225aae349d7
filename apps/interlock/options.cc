#include "options.h"

#include <string>
#include <string_view>

namespace interlock::app {
namespace {

constexpr std::string_view kSwitch = "{false}";
constexpr std::string_view kChoices = "value in {";

// The words of "ENUM:value in {json->1,text->0} OR {1,0}", joined; nothing if that is not what it is.
std::string Choices(std::string_view type) {
  const size_t start = type.find(kChoices);
  if (start == type.npos) return {};
  std::string words;
  for (size_t at = start + kChoices.size();;) {
    const size_t arrow = type.find("->", at);
    if (arrow == type.npos) return {};
    if (!words.empty()) words += '|';
    words += type.substr(at, arrow - at);
    const size_t end = type.find_first_of(",}", arrow);
    if (end == type.npos) return {};
    if (type[end] == '}') return words;
    at = end + 1;
  }
}

}  // namespace

void AddFormat(CLI::App* command, Format& format) {
  command->add_option("--format", format, "how the answer is printed")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, Format>{{"text", Format::kText}, {"json", Format::kJson}}))
      ->default_str("text");
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool positional) const {
  std::string name = CLI::Formatter::make_option_name(option, positional);
  for (size_t at = name.find(kSwitch); at != name.npos; at = name.find(kSwitch)) name.erase(at, kSwitch.size());
  return name;
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const std::string words = Choices(option->get_type_name());
  if (words.empty()) return CLI::Formatter::make_option_opts(option);
  return " " + words + (option->get_default_str().empty() ? "" : "=" + option->get_default_str());
}

}  // namespace interlock::app
