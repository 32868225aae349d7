// Styles that keep text from being seen. Engine room of markdown.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

namespace interlock::scan {

// A style that makes text invisible: "display: none", a colour on itself, off the page, no size.
[[nodiscard]] bool HidesText(std::string_view style);

// Classes and ids that the <style> blocks of a page hide. Only selectors that end in one class or id alone count, at
// most 256 of them: a page that hides more is not read for it.
class HiddenStyles {
 public:
  explicit HiddenStyles(std::string_view html);
  // `classes`: the attribute, names between blanks.
  [[nodiscard]] bool Hide(std::string_view classes, std::string_view id) const;

 private:
  void Read(std::string_view sheet);
  std::unordered_set<std::string> names_;  // ".class", "#id"
};

}  // namespace interlock::scan
