#include <array>
#include <string>
#include <vector>

#include "interlock/bounds/intent.h"
#include "words.h"

namespace interlock::bounds {
namespace {

constexpr std::size_t kWindow = 14;  // words from the verb to the document

bool OneOf(std::string_view word, std::initializer_list<std::string_view> words) noexcept {
  for (const std::string_view candidate : words) {
    if (word == candidate) return true;
  }
  return false;
}

bool IsDoing(std::string_view word) noexcept {
  return OneOf(word, {"do", "complete", "perform", "carry", "execute", "follow", "take", "make", "finish", "handle",
                      "implement", "apply", "obey"});
}
bool IsContent(std::string_view word) noexcept {
  return OneOf(word, {"task", "tasks", "action", "actions", "instruction", "instructions", "todo", "todos", "step",
                      "steps", "changes", "directions", "everything", "what", "whatever", "orders"});
}
bool IsLink(std::string_view word) noexcept {
  return OneOf(word, {"in", "on", "from", "at", "of", "specified", "described", "mentioned", "listed", "says", "say",
                      "given", "outlined", "inside", "within"});
}
bool IsDocument(std::string_view word) noexcept {
  return OneOf(word, {"email",   "mail",   "file",    "message", "document", "list", "page",  "website",
                      "webpage", "notice", "notices", "letter",  "inbox",    "note", "notes", "article",
                      "http",    "https",  "www",     "txt",     "doc",      "docx", "pdf",   "md"});
}

}  // namespace

// "do all the tasks on my list at www...", "follow the instructions in the file": a verb of doing, then a word for
// content that is not said here, then where it is said.
bool DelegatesTo(std::string_view request) noexcept {
  const std::vector<std::string> words = WordsOf(request);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool followed = words[i] == "follow";
    if (!IsDoing(words[i])) continue;
    bool content = false;
    bool link = false;
    bool document = false;
    bool document_before = false;
    for (std::size_t back = i; back > 0 && i - back < kWindow; --back) {
      document_before = document_before || IsDocument(words[back - 1]);
    }
    for (std::size_t k = i + 1; k < words.size() && k <= i + kWindow; ++k) {
      if (IsContent(words[k])) {
        content = true;
        // "read the file and follow the instructions"
        if (followed && document_before && OneOf(words[k], {"instruction", "instructions", "directions"})) return true;
        continue;
      }
      if (!content) continue;
      link = link || IsLink(words[k]);
      document = document || IsDocument(words[k]);
      // "what the document says": the link may come last.
      if (link && document) return true;
    }
  }
  return false;
}

}  // namespace interlock::bounds
