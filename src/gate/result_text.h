// The words of a tool's result: one text for the layers that read it, and the result again with parts masked.
// Private to the module.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/core/call.h"
#include "interlock/injection/span_finder.h"

namespace interlock::gate {

// Every string of the payload that a model may be shown, in order, line by line; `structuredContent` as the JSON it
// is, unless a text of the same result says the same. Bytes of images and protocol words (`type`, `mimeType`, `role`)
// are left out. The result must outlive this.
class ResultText {
 public:
  explicit ResultText(const core::ToolResult& result);

  [[nodiscard]] std::string_view text() const noexcept { return payload_.exists() ? joined_ : recorded_; }
  // The payload's JSON on one line, or the recorded text, with these spans of text() masked.
  [[nodiscard]] std::string Masked(const std::vector<injection::Span>& spans) const;

 private:
  struct Piece {
    std::size_t begin = 0;  // in joined_
    std::size_t end = 0;
    base::JsonValue value;  // a string; or a subtree, whose JSON it is
    bool address = false;   // never masked
  };
  void Collect(base::JsonValue value, std::string_view key, bool binary, int depth);
  void Add(base::JsonValue value, std::string_view words);

  base::JsonValue payload_;
  std::string joined_;
  std::string_view recorded_;
  std::vector<Piece> pieces_;
  base::JsonValue structured_;  // left out: it says what the piece `twin_` says
  std::size_t twin_ = 0;
};

}  // namespace interlock::gate
