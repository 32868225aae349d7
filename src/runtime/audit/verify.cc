#include "interlock/runtime/audit/verify.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "crypto.h"
#include "db.h"
#include "interlock/base/json.h"
#include "interlock/base/lines.h"
#include "interlock/platform/file.h"
#include "interlock/runtime/audit/record.h"
#include "io.h"
#include "journal.h"

namespace interlock::runtime::audit {
namespace {

using base::Digest;
using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Result;
using base::Status;

constexpr std::size_t kRecentHashes = 4096;  // a checkpoint lies a few rows behind what it signs
constexpr std::size_t kMaxAnchorBytes = std::size_t{256} << 20;

struct Tombstone {
  std::uint64_t through = 0;
  Digest hash;
  std::uint64_t rows = 0;
  bool ended = false;
};

// What the table `chains` says.
struct Registered {
  std::int64_t opened_us = 0;
  std::uint64_t last_row = 0;
};

// A row that some other row says is there.
struct Expectation {
  std::string chain;
  std::uint64_t row = 0;
  std::string hash;
  std::string from_chain;
  std::uint64_t from_row = 0;
};

struct ChainState {
  ChainReport report;
  std::int64_t opened_us = 0;
  std::uint64_t next_row = 1;
  Digest hash;
  std::deque<Digest> recent;                // hashes of rows (next_row - recent.size()) .. next_row - 1
  std::map<std::uint64_t, Digest> journal;  // rows that are only there
  std::uint64_t database_rows_end = 0;      // last row in the database
  std::uint64_t close_row = 0;
  std::optional<PublicKey> only_key;  // after a rotation in this chain
  const Tombstone* tombstone = nullptr;
};

std::uint64_t Unsigned(JsonValue value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value.AsInt64().value_or(0), 0));
}

std::optional<Digest> DigestFrom(std::string_view bytes) {
  Digest digest;
  if (bytes.size() != digest.bytes.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

class Verifier {
 public:
  Verifier(std::string dir, const VerifyOptions& options, Database db)
      : dir_(std::move(dir)), options_(options), db_(std::move(db)) {}

  Result<VerifyReport> Run() {
    // Journals first: what leaves a journal later is in the database by then, so that nothing falls in between.
    if (Status read = ReadJournals(); !read.ok()) return read.error();
    // One snapshot for everything that is read from the database.
    if (Status begun = db_.Run("BEGIN"); !begun.ok()) return begun.error();
    if (Status keys = LoadTrust(); !keys.ok()) return keys.error();
    if (Status live = NoteLive(); !live.ok()) return live.error();
    for (const auto step : {&Verifier::CheckDatabase, &Verifier::LoadTombstones, &Verifier::LoadChains,
                            &Verifier::CheckRows, &Verifier::CheckJournals}) {
      if (Status done = (this->*step)(); !done.ok()) {
        // A page that cannot be read is a finding, not a reason to say nothing.
        Add(ErrorCode::kAuditSchema, {}, 0, done.error().message());
      }
    }
    for (auto& [id, chain] : chains_) EndChain(chain);
    for (const Expectation& expected : expectations_) CheckExpectation(expected);
    for (const std::string& file : options_.anchor_files) {
      if (Status checked = CheckAnchors(file); !checked.ok()) return checked.error();
    }
    return Finish();
  }

 private:
  void Add(ErrorCode code, std::string_view chain, std::uint64_t row, std::string what) {
    ++report_.finding_count;
    if (report_.findings.size() < options_.max_findings) {
      report_.findings.push_back({code, std::string(chain), row, std::move(what)});
    }
  }

  Status LoadTrust() {
    PublicKey root;
    if (options_.key) {
      root = *options_.key;
    } else {
      const Result<PublicKey> own = ReadPublicKey(dir_);
      if (!own.ok()) return own.error();
      root = own.value();
      report_.key_from_folder = true;
      report_.notes.emplace_back(
          "signatures were checked against the key that lies in the folder: this proves nothing against somebody who "
          "could write there; pass the public key from outside");
    }
    report_.key = root.ToHex();
    const Result<std::vector<Rotation>> rotations = ReadRotations(db_);
    trusted_ = TrustedKeys(root, rotations.ok() ? rotations.value() : std::vector<Rotation>{});
    return {};
  }

  [[nodiscard]] bool Trusted(const std::optional<PublicKey>& key) const {
    return key && std::find(trusted_.begin(), trusted_.end(), *key) != trusted_.end();
  }

  Status CheckDatabase() {
    const Result<std::vector<std::string>> schema = ActualSchema(db_);
    if (!schema.ok()) return schema.error();
    // A view or trigger in the wrong place would show readers something else than what is verified here.
    if (schema.value() != ExpectedSchema()) Add(ErrorCode::kAuditSchema, {}, 0, "database schema was changed");
    Result<Statement> check = db_.Prepare("PRAGMA integrity_check(5)");
    if (!check.ok()) return check.error();
    while (check.value().Row()) {
      if (check.value().Text(0) != "ok") {
        Add(ErrorCode::kAuditSchema, {}, 0, "database file is damaged: " + std::string(check.value().Text(0)));
      }
    }
    return {};
  }

  Status LoadTombstones() {
    Result<Statement> read = db_.Prepare("SELECT chain, through, hash, rows, t, ended, key, sig FROM tombstones");
    if (!read.ok()) return read.error();
    Statement& row = read.value();
    while (row.Row()) {
      const std::string chain(row.Text(0));
      const std::optional<Digest> hash = DigestFrom(row.Blob(2));
      const std::optional<PublicKey> key = PublicKey::FromHex(row.Text(6));
      const Tombstone tombstone{row.Unsigned(1), hash.value_or(Digest{}), row.Unsigned(3), row.Int(5) != 0};
      const std::string message = TombstoneMessage(chain, tombstone.through, tombstone.hash.ToHex(), tombstone.rows,
                                                   row.Int(4), tombstone.ended);
      if (!hash || !Trusted(key) || !SignatureFits(*key, message, row.Text(7))) {
        Add(ErrorCode::kAuditSignature, chain, tombstone.through, "tombstone of pruned rows has no valid signature");
        continue;
      }
      ++report_.signatures;
      report_.pruned_rows += tombstone.rows;
      tombstones_[chain] = tombstone;
    }
    return row.done() ? Status() : db_.LastError("read tombstones");
  }

  ChainState& StateOf(std::string_view chain) {
    const auto found = chains_.find(chain);
    if (found != chains_.end()) return found->second;
    ChainState& state = chains_[std::string(chain)];
    state.report.chain = chain;
    state.hash = ChainStart(chain);
    const auto tombstone = tombstones_.find(chain);
    if (tombstone != tombstones_.end()) {
      state.tombstone = &tombstone->second;
      state.next_row = state.tombstone->through + 1;
      state.hash = state.tombstone->hash;
      state.report.first_row = state.next_row;
      state.report.last_checkpoint = state.tombstone->through;
    }
    return state;
  }

  Status LoadChains() {
    for (const auto& [chain, tombstone] : tombstones_) (void)StateOf(chain);
    Result<Statement> read = db_.Prepare("SELECT chain, opened_us, last_row FROM chains");
    if (!read.ok()) return read.error();
    Statement& row = read.value();
    while (row.Row()) {
      registered_[std::string(row.Text(0))] = {row.Int(1), row.Unsigned(2)};
      if (row.Unsigned(2) > 0) (void)StateOf(row.Text(0));
    }
    return row.done() ? Status() : db_.LastError("read chains");
  }

  Status CheckRows() {
    // By order of arrival and not by an index: an index is one more thing that can lie.
    Result<Statement> read = db_.Prepare(
        "SELECT chain, row, t, kind, session, tool, call, verdict, decision_row, body, hash FROM rows NOT INDEXED "
        "ORDER BY seq");
    if (!read.ok()) return read.error();
    Statement& row = read.value();
    while (row.Row()) {
      ChainState& chain = StateOf(row.Text(0));
      const std::uint64_t number = row.Unsigned(1);
      const std::optional<Digest> hash = DigestFrom(row.Blob(10));
      const RowColumns columns{row.Int(2),  row.Text(3), row.Text(4),    row.Text(5),
                               row.Text(6), row.Text(7), row.Unsigned(8)};
      CheckRow(chain, number, row.Blob(9), hash, &columns);
      chain.database_rows_end = std::max(chain.database_rows_end, number);
    }
    return row.done() ? Status() : db_.LastError("read rows");
  }

  // `columns` is null for rows that stand only in the journal.
  void CheckRow(ChainState& chain, std::uint64_t number, std::string_view body, const std::optional<Digest>& hash,
                const RowColumns* columns) {
    const std::string& id = chain.report.chain;
    ++report_.rows;
    ++chain.report.rows;
    bool linked = true;
    if (number < chain.next_row) {
      Add(ErrorCode::kAuditChain, id, number, "row is out of order, or there twice");
      return;
    }
    if (number > chain.next_row) {
      std::string what = number == chain.next_row + 1 ? "row is missing"
                                                      : "rows " + std::to_string(chain.next_row) + " to " +
                                                            std::to_string(number - 1) + " are missing";
      Add(ErrorCode::kAuditChain, id, chain.next_row, std::move(what));
      linked = false;
      chain.recent.clear();
    }
    const Digest computed = ChainNext(sha_, chain.hash, body);
    if (!hash) {
      Add(ErrorCode::kAuditChain, id, number, "row has no hash");
    } else if (linked && computed != *hash) {
      Add(ErrorCode::kAuditChain, id, number, "content and hash of the row do not fit: one of them was changed");
    }
    // From here on by the stored hash, so that one changed row does not condemn all that follow.
    chain.hash = hash.value_or(computed);
    chain.next_row = number + 1;
    chain.report.last_row = number;
    chain.recent.push_back(chain.hash);
    if (chain.recent.size() > kRecentHashes) chain.recent.pop_front();
    if (columns == nullptr) {
      chain.journal[number] = chain.hash;
      ++chain.report.journal_only_rows;
    }

    if (!parser_.ParseInto(doc_, body).ok()) {
      Add(ErrorCode::kAuditChain, id, number, "row is not valid JSON");
      return;
    }
    const JsonValue root = doc_.root();
    if (root.Find("chain").string() != id || Unsigned(root.Find("row")) != number) {
      Add(ErrorCode::kAuditChain, id, number, "row belongs to another place");
      return;
    }
    if (columns != nullptr) {
      const RowColumns want = ColumnsOf(root);
      if (want.time_us != columns->time_us || want.kind != columns->kind || want.session != columns->session ||
          want.tool != columns->tool || want.call != columns->call || want.verdict != columns->verdict ||
          want.decision_row != columns->decision_row) {
        Add(ErrorCode::kAuditChain, id, number, "index columns do not say what the row says");
      }
    }
    CheckKind(chain, number, root);
  }

  void CheckKind(ChainState& chain, std::uint64_t number, JsonValue root) {
    const std::optional<Kind> kind = KindFromName(root.Find("kind").string());
    if ((number == 1) != (kind == Kind::kChainOpen)) {
      Add(ErrorCode::kAuditChain, chain.report.chain, number, "a chain starts with its opening row, once");
    }
    if (chain.close_row != 0 && (kind != Kind::kCheckpoint || number != chain.close_row + 1)) {
      Add(ErrorCode::kAuditChain, chain.report.chain, number, "row stands behind the end of its chain");
    }
    if (!kind) return;
    switch (*kind) {
      case Kind::kChainOpen:
        for (const JsonValue head : root.Find("heads")) {
          expectations_.push_back({std::string(head.Find("chain").string()), Unsigned(head.Find("row")),
                                   std::string(head.Find("hash").string()), chain.report.chain, number});
        }
        break;
      case Kind::kChainClose:
        chain.close_row = number;
        break;
      case Kind::kCheckpoint:
        CheckCheckpoint(chain, number, root);
        break;
      case Kind::kRecovered: {
        const std::string of(root.Find("of").string());
        recovered_[of] = Unsigned(root.Find("unclean_since"));
        if (Unsigned(root.Find("last")) > 0) {
          expectations_.push_back(
              {of, Unsigned(root.Find("last")), std::string(root.Find("hash").string()), chain.report.chain, number});
        }
        torn_[of] = Unsigned(root.Find("torn_bytes"));
        if (root.Find("damaged").AsBool().value_or(true)) {
          Add(ErrorCode::kAuditChain, of, Unsigned(root.Find("last")) + 1,
              "journal was damaged when it was recovered: " + std::string(root.Find("text").string()));
        }
        break;
      }
      case Kind::kKeyRotated:
        chain.only_key = PublicKey::FromHex(root.Find("new").string());
        if (!Trusted(chain.only_key)) {
          Add(ErrorCode::kAuditSignature, chain.report.chain, number, "key rotation is not signed by a trusted key");
        }
        break;
      case Kind::kPruned:
        for (const JsonValue pruned : root.Find("chains")) {
          const auto found = tombstones_.find(pruned.Find("chain").string());
          if (found == tombstones_.end() || found->second.through < Unsigned(pruned.Find("through"))) {
            Add(ErrorCode::kAuditChain, pruned.Find("chain").string(), Unsigned(pruned.Find("through")),
                "tombstone of pruned rows is missing");
          }
        }
        break;
      default:
        break;
    }
  }

  void CheckCheckpoint(ChainState& chain, std::uint64_t number, JsonValue root) {
    const std::uint64_t over = Unsigned(root.Find("over"));
    const std::string_view hash = root.Find("hash").string();
    const std::optional<PublicKey> key = PublicKey::FromHex(root.Find("key").string());
    const std::int64_t time_us = root.Find("signed_us").AsInt64().value_or(0);
    const std::string message = CheckpointMessage(chain.report.chain, over, hash, time_us);
    if (!Trusted(key) || (chain.only_key && *chain.only_key != *key)) {
      Add(ErrorCode::kAuditSignature, chain.report.chain, number,
          "checkpoint is signed with a key that is not trusted");
      return;
    }
    if (!SignatureFits(*key, message, root.Find("sig").string())) {
      Add(ErrorCode::kAuditSignature, chain.report.chain, number, "signature of the checkpoint is not valid");
      return;
    }
    ++report_.signatures;
    const bool pruned = chain.tombstone != nullptr && over < chain.tombstone->through;
    if (!pruned) {
      const std::optional<Digest> there = over < number ? HashAt(chain, over) : std::nullopt;
      if (!there || there->ToHex() != hash) {
        Add(ErrorCode::kAuditSignature, chain.report.chain, over,
            "rows up to here are not those that the checkpoint in row " + std::to_string(number) + " signed");
        return;
      }
    }
    ++chain.report.checkpoints;
    chain.report.last_checkpoint = std::max(chain.report.last_checkpoint, over);
    chain.report.last_checkpoint_us = time_us;
  }

  std::optional<Digest> HashAt(const ChainState& chain, std::uint64_t row) {
    if (chain.tombstone != nullptr && row == chain.tombstone->through) return chain.tombstone->hash;
    if (row >= chain.next_row || row == 0) return std::nullopt;
    const std::uint64_t back = chain.next_row - row;
    if (back <= chain.recent.size()) return chain.recent[chain.recent.size() - back];
    const auto journal = chain.journal.find(row);
    if (journal != chain.journal.end()) return journal->second;
    Result<Statement> read = db_.Prepare("SELECT hash FROM rows WHERE chain=? AND row=?");
    if (!read.ok()) return std::nullopt;
    read.value().Bind(1, chain.report.chain).BindUnsigned(2, row);
    if (!read.value().Row()) return std::nullopt;
    return DigestFrom(read.value().Blob(0));
  }

  Status NoteLive() {
    const Result<std::vector<std::string>> names = JournalChains(dir_);
    if (!names.ok()) return names.error();
    for (const std::string& name : names.value()) {
      if (IsLocked(ChainLockPath(dir_, name))) live_.insert(name);
    }
    return {};
  }

  Status ReadJournals() {
    if (Status live = NoteLive(); !live.ok()) return live;
    const Result<std::vector<std::string>> names = JournalChains(dir_);
    if (!names.ok()) return names.error();
    for (const std::string& name : names.value()) {
      Result<JournalContent> journal = ReadJournal(dir_, name);
      if (!journal.ok()) return journal.error();
      journals_.emplace_back(name, std::move(journal.value()));
    }
    return {};
  }

  Status CheckJournals() {
    for (const auto& [name, content] : journals_) {
      const bool live = live_.contains(name);
      if (content.damaged && !live) Add(ErrorCode::kAuditChain, name, 0, "journal: " + content.damage);
      if (content.first_row == 0 && content.torn.empty()) continue;
      ChainState& chain = StateOf(name);
      if (!live) chain.report.torn_bytes = content.torn.size();
      const std::uint64_t end = chain.next_row;
      if (content.first_row > end) {
        Add(ErrorCode::kAuditChain, name, end, "rows between database and journal are missing");
        continue;
      }
      for (const JournalRow& row : content.rows) {
        if (row.row >= end) {
          CheckRow(chain, row.row, row.body, row.hash, nullptr);
        } else if (row.row >= chain.report.first_row) {
          const std::optional<Digest> there = HashAt(chain, row.row);
          if (there && *there != row.hash) {
            Add(ErrorCode::kAuditChain, name, row.row, "row differs between database and journal");
          }
        }
      }
    }
    return {};
  }

  void EndChain(ChainState& chain) {
    ChainReport& report = chain.report;
    const auto registered = registered_.find(report.chain);
    const std::uint64_t known_end =
        std::max(report.last_row, chain.tombstone != nullptr ? chain.tombstone->through : 0);
    if (registered != registered_.end()) chain.opened_us = registered->second.opened_us;
    if (registered != registered_.end() && registered->second.last_row > known_end) {
      Add(ErrorCode::kAuditTruncated, report.chain, known_end + 1,
          "rows up to " + std::to_string(registered->second.last_row) + " were there once");
    }
    if (report.last_row == 0 && chain.tombstone != nullptr) report.last_row = chain.tombstone->through;
    const auto torn = torn_.find(report.chain);
    if (torn != torn_.end()) report.torn_bytes = torn->second;
    const bool all_pruned = chain.tombstone != nullptr && report.rows == 0 && chain.tombstone->ended;
    if (all_pruned || (chain.close_row != 0 && report.last_checkpoint >= chain.close_row)) {
      report.end = ChainReport::End::kClean;
      return;
    }
    report.unclean_since = report.last_checkpoint + 1;
    const auto recovered = recovered_.find(report.chain);
    if (live_.contains(report.chain)) {
      report.end = ChainReport::End::kLive;
      report.unclean_since = 0;
    } else if (recovered != recovered_.end()) {
      report.end = ChainReport::End::kRecovered;
    } else {
      report.end = ChainReport::End::kUnclean;
    }
  }

  // What became of a row that is named elsewhere.
  enum class Found : std::uint8_t { kThere, kPruned, kGone, kDifferent };
  Found Look(std::string_view id, std::uint64_t row, std::string_view hash) {
    const auto found = chains_.find(id);
    if (found == chains_.end()) return Found::kGone;
    const ChainState& chain = found->second;
    if (chain.tombstone != nullptr && row < chain.tombstone->through) return Found::kPruned;
    const std::optional<Digest> there = HashAt(chain, row);
    if (!there) return Found::kGone;
    if (there->ToHex() != hash) return Found::kDifferent;
    return chain.tombstone != nullptr && row == chain.tombstone->through ? Found::kPruned : Found::kThere;
  }

  void CheckExpectation(const Expectation& expected) {
    const std::string from =
        " (named by row " + std::to_string(expected.from_row) + " of chain " + expected.from_chain + ")";
    switch (Look(expected.chain, expected.row, expected.hash)) {
      case Found::kThere:
      case Found::kPruned:
        return;
      case Found::kGone:
        return Add(ErrorCode::kAuditTruncated, expected.chain, expected.row, "row is gone" + from);
      case Found::kDifferent:
        return Add(ErrorCode::kAuditChain, expected.chain, expected.row, "row is another one than it was" + from);
    }
  }

  Status CheckAnchors(const std::string& file) {
    const Result<std::string> bytes = platform::ReadFile(file, kMaxAnchorBytes);
    if (!bytes.ok()) return bytes.error();
    base::LineSplitter lines(std::size_t{64} << 10);
    lines.Push(bytes.value(), [&](const base::Line& line) {
      CheckAnchor(file, line);
      return true;
    });
    lines.Finish([&](const base::Line& line) {
      report_.notes.push_back("last line of anchor " + file + " is not whole (line " + std::to_string(line.number) +
                              ")");
      return true;
    });
    return {};
  }

  void CheckAnchor(const std::string& file, const base::Line& line) {
    if (line.text.empty()) return;
    const std::string place = "anchor " + file + ", line " + std::to_string(line.number) + ": ";
    const Result<base::JsonDoc> doc = base::JsonDoc::Parse(line.text);
    if (line.too_long || !doc.ok()) return Add(ErrorCode::kAuditSignature, {}, 0, place + "not an anchor");
    const JsonValue root = doc.value().root();
    const std::string_view chain = root.Find("chain").string();
    const std::uint64_t row = Unsigned(root.Find("row"));
    const std::string_view hash = root.Find("hash").string();
    const std::optional<PublicKey> key = PublicKey::FromHex(root.Find("key").string());
    const std::string message = CheckpointMessage(chain, row, hash, root.Find("signed_us").AsInt64().value_or(0));
    if (!Trusted(key) || !SignatureFits(*key, message, root.Find("sig").string())) {
      return Add(ErrorCode::kAuditSignature, chain, row, place + "signature is not valid");
    }
    ++report_.signatures;
    switch (Look(chain, row, hash)) {
      case Found::kThere:
        ++report_.anchors;
        return;
      case Found::kPruned:
        ++report_.anchors_pruned;
        return;
      case Found::kGone:
        return Add(ErrorCode::kAuditTruncated, chain, row, place + "the log ends before this row");
      case Found::kDifferent:
        return Add(ErrorCode::kAuditChain, chain, row, place + "the log has another row here");
    }
  }

  VerifyReport Finish() {
    std::vector<const ChainState*> order;
    for (const auto& [id, chain] : chains_) order.push_back(&chain);
    std::stable_sort(order.begin(), order.end(),
                     [](const ChainState* a, const ChainState* b) { return a->opened_us < b->opened_us; });
    bool unclean = false;
    for (const ChainState* chain : order) {
      unclean = unclean || chain->report.end == ChainReport::End::kUnclean;
      report_.chains.push_back(chain->report);
    }
    using Outcome = VerifyReport::Outcome;
    report_.outcome = report_.finding_count > 0 ? Outcome::kBroken : unclean ? Outcome::kUnclean : Outcome::kIntact;
    return std::move(report_);
  }

  std::string dir_;
  const VerifyOptions& options_;
  Database db_;
  VerifyReport report_;
  std::vector<PublicKey> trusted_;
  std::map<std::string, Tombstone, std::less<>> tombstones_;
  std::map<std::string, ChainState, std::less<>> chains_;
  std::map<std::string, Registered, std::less<>> registered_;
  std::map<std::string, std::uint64_t, std::less<>> recovered_;
  std::map<std::string, std::uint64_t, std::less<>> torn_;
  std::vector<Expectation> expectations_;
  std::vector<std::pair<std::string, JournalContent>> journals_;
  std::set<std::string, std::less<>> live_;  // chains whose writer runs
  base::JsonParser parser_{kRowLimits};
  base::JsonDoc doc_;
  base::Sha256Hasher sha_;
};

}  // namespace

Result<VerifyReport> Verify(const std::string& dir, const VerifyOptions& options) {
  if (!CryptoReady()) return Error(ErrorCode::kAuditKey, "libsodium does not start");
  Result<Database> db = Database::Open(dir, Database::Mode::kRead);
  if (!db.ok()) return db.error();
  Verifier verifier(dir, options, std::move(db.value()));
  return verifier.Run();
}

}  // namespace interlock::runtime::audit
