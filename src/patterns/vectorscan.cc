// Vectorscan as the literal matcher; without it (INTERLOCK_VECTORSCAN off, or another processor) only a "no".
#include "literals.h"

#ifdef INTERLOCK_HAVE_VECTORSCAN
#include <hs/hs.h>

#include <cstdlib>

#include "interlock/base/digest.h"
#endif

namespace interlock::patterns {

#ifdef INTERLOCK_HAVE_VECTORSCAN

namespace {

struct DatabaseDeleter {
  void operator()(hs_database_t* database) const noexcept { hs_free_database(database); }
};
using Database = std::unique_ptr<hs_database_t, DatabaseDeleter>;

class Buffers final : public LiteralScratch {
 public:
  Buffers() = default;
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() override { hs_free_scratch(scratch); }
  hs_scratch_t* scratch = nullptr;
};

// Which words, which library: what a kept database must have been made for.
std::string HeaderFor(std::span<const std::string> words) {
  base::Sha256Hasher hasher;
  hasher.Update("interlock.literals/v1 ").Update(hs_version());
  for (const std::string& word : words) {
    const std::uint64_t size = word.size();
    hasher.Update(std::string_view(reinterpret_cast<const char*>(&size), sizeof size)).Update(word);
  }
  return hasher.Finish().ToHex();
}

Database FromKept(std::span<const std::string> words, std::string_view kept) {
  if (kept.empty()) return nullptr;
  const std::string header = HeaderFor(words);
  if (!kept.starts_with(header)) return nullptr;
  kept.remove_prefix(header.size());
  hs_database_t* database = nullptr;
  if (hs_deserialize_database(kept.data(), kept.size(), &database) != HS_SUCCESS) return nullptr;
  return Database(database);
}

Database Fresh(std::span<const std::string> words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  std::vector<unsigned> ids;
  for (const std::string& word : words) {
    ids.push_back(static_cast<unsigned>(texts.size()));
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  const std::vector<unsigned> flags(words.size(), HS_FLAG_CASELESS);
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  const hs_error_t code =
      hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), sizes.data(), static_cast<unsigned>(words.size()),
                           HS_MODE_BLOCK, nullptr, &database, &error);
  if (code != HS_SUCCESS) {
    hs_free_compile_error(error);
    return nullptr;
  }
  return Database(database);
}

class Vectorscan final : public LiteralMatcher {
 public:
  Vectorscan(std::span<const std::string> words, Database database) : words_(words), database_(std::move(database)) {}

  bool Find(std::string_view text, std::unique_ptr<LiteralScratch>& scratch,
            std::vector<LiteralHit>& out) const override {
    if (text.empty()) return true;
    if (scratch == nullptr) {
      auto made = std::make_unique<Buffers>();
      if (hs_alloc_scratch(database_.get(), &made->scratch) != HS_SUCCESS) return false;
      scratch = std::move(made);
    }
    struct Context {
      std::span<const std::string> words;
      std::vector<LiteralHit>& out;
    } context{words_, out};
    const auto report = [](unsigned id, unsigned long long /*from*/, unsigned long long to, unsigned /*flags*/,
                           void* data) -> int {
      auto& seen = *static_cast<Context*>(data);
      seen.out.push_back({id, static_cast<std::uint32_t>(to - seen.words[id].size())});
      return 0;
    };
    auto* const buffers = static_cast<Buffers*>(scratch.get());
    return hs_scan(database_.get(), text.data(), static_cast<unsigned>(text.size()), 0, buffers->scratch, report,
                   &context) == HS_SUCCESS;
  }

  [[nodiscard]] std::string Serialize() const override {
    char* bytes = nullptr;
    std::size_t size = 0;
    if (hs_serialize_database(database_.get(), &bytes, &size) != HS_SUCCESS) return {};
    std::string kept = HeaderFor(words_);
    kept.append(bytes, size);
    std::free(bytes);  // the library's allocator is malloc unless a program sets another; this one does not
    return kept;
  }

 private:
  std::span<const std::string> words_;
  Database database_;
};

}  // namespace

bool HaveVectorscan() noexcept { return hs_valid_platform() == HS_SUCCESS; }

std::unique_ptr<LiteralMatcher> KeptVectorscanMatcher(std::span<const std::string> words, std::string_view serialized) {
  if (!HaveVectorscan() || words.empty()) return nullptr;
  Database database = FromKept(words, serialized);
  return database == nullptr ? nullptr : std::make_unique<Vectorscan>(words, std::move(database));
}

std::unique_ptr<LiteralMatcher> MakeVectorscanMatcher(std::span<const std::string> words, std::string_view serialized) {
  if (!HaveVectorscan() || words.empty()) return nullptr;
  if (auto kept = KeptVectorscanMatcher(words, serialized); kept != nullptr) return kept;
  Database database = Fresh(words);
  return database == nullptr ? nullptr : std::make_unique<Vectorscan>(words, std::move(database));
}

#else

bool HaveVectorscan() noexcept { return false; }
std::unique_ptr<LiteralMatcher> MakeVectorscanMatcher(std::span<const std::string> /*words*/,
                                                      std::string_view /*serialized*/) {
  return nullptr;
}
std::unique_ptr<LiteralMatcher> KeptVectorscanMatcher(std::span<const std::string> /*words*/,
                                                      std::string_view /*serialized*/) {
  return nullptr;
}

#endif

}  // namespace interlock::patterns
