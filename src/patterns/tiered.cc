// Vectorscan once it pays: its database takes tens of milliseconds to compile, which is more than our own matcher takes
// for all texts of most programs' runs.
#include <atomic>

#include "literals.h"

namespace interlock::patterns {
namespace {

// Bytes of text a word, and at least, from where on the other matcher may make up for its compilation. Of two thousand
// words it gains a cycle a byte at best (prose: 7.4 and 8.5) and takes about 10^8 to be compiled.
constexpr std::uint64_t kWorthAWord = std::uint64_t{64} << 10;
constexpr std::uint64_t kWorthIt = std::uint64_t{64} << 10;

class Tiered final : public LiteralMatcher {
 public:
  explicit Tiered(std::span<const std::string> words)
      : words_(words), enough_(kWorthIt + kWorthAWord * words.size()), small_(MakePortableMatcher(words)) {}
  Tiered(const Tiered&) = delete;
  Tiered& operator=(const Tiered&) = delete;
  ~Tiered() override { delete large_.load(); }

  bool Find(std::string_view text, std::unique_ptr<LiteralScratch>& scratch,
            std::vector<LiteralHit>& out) const override {
    const LiteralMatcher* large = large_.load(std::memory_order_acquire);
    if (large == nullptr && seen_.fetch_add(text.size(), std::memory_order_relaxed) + text.size() >= enough_) {
      large = Large();
    }
    // Ours has no scratch: what is there is of the other one.
    return large != nullptr ? large->Find(text, scratch, out) : small_->Find(text, scratch, out);
  }

  [[nodiscard]] std::string Serialize() const override {
    const LiteralMatcher* const large = Large();
    return large == nullptr ? std::string() : large->Serialize();
  }

 private:
  // Made by the first thread that asks; nullptr while it is at it, when others go on with ours, and if it fails.
  const LiteralMatcher* Large() const {
    if (!begun_.test_and_set()) {
      large_.store(MakeVectorscanMatcher(words_, {}).release(), std::memory_order_release);
    }
    return large_.load(std::memory_order_acquire);
  }

  std::span<const std::string> words_;
  std::uint64_t enough_;
  std::unique_ptr<LiteralMatcher> small_;
  mutable std::atomic<std::uint64_t> seen_{0};
  mutable std::atomic_flag begun_;
  mutable std::atomic<const LiteralMatcher*> large_{nullptr};
};

}  // namespace

std::unique_ptr<LiteralMatcher> MakeTieredMatcher(std::span<const std::string> words) {
  return std::make_unique<Tiered>(words);
}

}  // namespace interlock::patterns
