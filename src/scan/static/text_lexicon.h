// Words by what they do in an order: actions, objects, destinations, secrecy, and the vocabulary of those who describe
// attacks. Frames (text_frames.cc) are built from classes and not from phrases, so that a synonym changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace interlock::scan {

using WordSet = std::uint64_t;
enum WordClass : std::uint8_t {
  kWSend,        // send, upload, relay, dispatch ...: moves data to somebody
  kWSendWeak,    // share, report, post, log ...: may
  kWCollect,     // harvest, gather, compile ...
  kWRead,        // read, open, cat ...
  kWExec,        // run, execute, launch ...
  kWFetch,       // download, fetch, visit ...
  kWDelete,      // delete, wipe, purge ...
  kWChange,      // modify, replace, rewrite, insert, append ...
  kWSecret,      // credentials, passwords, private keys: sensitive without context
  kWSecretWeak,  // token, key, cookie: sensitive in context
  kWPersonal,    // conversation, prompts, location, contacts ...: the user's own
  kWFiles,       // files, documents, code ...
  kWRemote,      // server, endpoint, webhook ...
  kWOutside,     // external, remote, central, third-party ...
  kWOverride,    // ignore, disregard, supersede ...
  kWPrior,       // previous, prior, system, original ...
  kWRule,        // instructions, guidelines, guardrails ...
  kWSafety,      // safety, security, ethical, content
  kWSecretly,    // silently, covertly ...
  kWUser,        // user, human, operator
  kWTell,        // tell, mention, notify, ask ...
  kWNot,         // not, never, don't ...
  kWWithout,     // without
  kWMust,        // must, mandatory, always, ensure ...
  kWEvery,       // every, each, any, all
  kWWhen,        // after, before, when, upon, once ...
  kWAgent,       // you, assistant, agent, model ...
  kWMemory,      // memory, CLAUDE.md, settings ...
  kWForever,     // permanently, future, persist ...
  kWTool,        // tool, skill, function, plugin
  kWWeaken,      // skip, bypass, disable ...
  kWCheck,       // verification, confirmation, approval, antivirus ...
  kWProgram,     // executable, installer, binary, archive: also by extension
  kWDescribe,    // attacker, malicious, detect, vulnerability ...: talks about attacks
  kWExample,     // example, e.g., such as
  kWUrl,
  kWMail,        // an e-mail address
  kWSecretPath,  // ~/.ssh/id_rsa, .env
  kWEnv,         // environment variables
  kWTerminal,    // terminal, command prompt, powershell
  kWPassword,    // password, passphrase
  kWShould,      // should, shall, needs to
  kWPersona,     // persona, character, role
  kWUnbound,     // unrestricted, uncensored, jailbreak
  kWSlant,       // promote, portray, discredit, frame ...
  kWTopic,       // politics, health, climate, history ...: where slant does harm
  kWMoney,       // funds, wallet, trades, payments
  kWExtract,     // unzip, extract, unpack
  kWTemporary,   // temporary, cache, intermediate, generated, build: what may be deleted
  kWBusy,        // telemetry, monitoring, diagnostics, compliance ...: pretexts for sending
  kWVerbatim,    // verbatim, plaintext, full, raw
  kWShow,        // print, echo, log, display, include, embed
  kWDoc,         // documentation, guide, tutorial
  kWNeed,        // requires, required, prerequisite, must be installed
  kWPaste,       // paste, copy
  kWOldVersion,  // original, other versions, older
  kWPrivate,     // sensitive, confidential, private
  kWPeople,      // men, women, gender, race ...
};
constexpr WordSet Bit(WordClass c) { return WordSet{1} << c; }

// All lists of words are looked up by it. Of one run: the value depends on the machine's byte order.
[[nodiscard]] inline std::uint64_t HashWord(std::string_view word) noexcept {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
  std::uint64_t h = word.size() * kFactor;
  const char* at = word.data();
  std::size_t left = word.size();
  for (; left > sizeof(std::uint64_t); left -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
    std::uint64_t part = 0;
    std::memcpy(&part, at, sizeof part);
    h = (h ^ part) * kFactor;
    h ^= h >> 32U;
  }
  std::uint64_t part = 0;
  if (left >= sizeof(std::uint32_t)) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, at, sizeof first);
    std::memcpy(&last, at + left - sizeof last, sizeof last);
    part = first | std::uint64_t{last} << 32U;
  } else if (left > 0) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])); };
    part = byte(0) | byte(left / 2) << 8U | byte(left - 1) << 16U;
  }
  h = (h ^ part) * kFactor;
  return h ^ h >> 32U;
}

// Words to what they are; open addressing over slots of eight bytes, so that a word that is not listed costs one look.
template <class Value>
class WordTable {
 public:
  // Words live as long as the table.
  void Add(std::string_view word, Value value) {
    const std::uint64_t hash = HashWord(word);
    if (entries_.size() * 4 >= slots_.size()) Grow();
    std::size_t at = hash & mask_;
    for (; slots_[at].entry != 0; at = (at + 1) & mask_) {
      if (slots_[at].tag == Tag(hash) && entries_[slots_[at].entry - 1].word == word) {
        entries_[slots_[at].entry - 1].value |= value;
        return;
      }
    }
    entries_.push_back({word, hash, value});
    slots_[at] = {Tag(hash), static_cast<std::uint32_t>(entries_.size())};
  }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  void Each(const auto& use) const {
    for (const Entry& entry : entries_) use(entry.word, entry.value);
  }
  [[nodiscard]] Value Find(std::string_view word) const noexcept {
    const std::uint64_t hash = HashWord(word);
    for (std::size_t at = hash & mask_; slots_[at].entry != 0; at = (at + 1) & mask_) {
      if (slots_[at].tag == Tag(hash) && entries_[slots_[at].entry - 1].word == word)
        return entries_[slots_[at].entry - 1].value;
    }
    return {};
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t entry = 0;  // plus 1
  };
  struct Entry {
    std::string_view word;
    std::uint64_t hash = 0;
    Value value = {};
  };
  static std::uint32_t Tag(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }
  void Grow() {
    slots_.assign(slots_.size() * 2, {});
    mask_ = slots_.size() - 1;
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      std::size_t at = entries_[e].hash & mask_;
      while (slots_[at].entry != 0) at = (at + 1) & mask_;
      slots_[at] = {Tag(entries_[e].hash), static_cast<std::uint32_t>(e + 1)};
    }
  }
  std::vector<Slot> slots_ = std::vector<Slot>(256);
  std::vector<Entry> entries_;
  std::size_t mask_ = 255;
};

// Lower-case words with their classes; those with which pairs begin and end. Canvases look words up in ListedWords.
[[nodiscard]] const WordTable<WordSet>& ClassWords();
[[nodiscard]] const WordTable<WordSet>& PairFirsts();
[[nodiscard]] const WordTable<WordSet>& PairSeconds();

// Classes of a lower-case word; two words: those that go together ("api key"), 0 if they do not.
[[nodiscard]] WordSet ClassesOf(std::string_view word) noexcept;
[[nodiscard]] WordSet ClassesOfPair(std::string_view first, std::string_view second) noexcept;
// Of a token with dots, slashes, signs: paths, addresses, file names, variables.
[[nodiscard]] WordSet ClassesOfSymbol(std::string_view token) noexcept;

// An address in lower case ends with the name of a script, as programs of an address are told by kWProgram.
[[nodiscard]] bool NamesScript(std::string_view address);

// What the title of a section in another language says of what stands below: that it is about attacks.
[[nodiscard]] WordSet SignsOfTitle(std::string_view title);

}  // namespace interlock::scan
