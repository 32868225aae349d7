#include "journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "interlock/platform/file.h"
#include "io.h"

namespace interlock::runtime::audit {
namespace {

using base::Digest;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using platform::SystemError;
using platform::UniqueFd;

static_assert(std::endian::native == std::endian::little, "journal integers are little endian");

constexpr std::string_view kMagic = "ILKJRNL1";
constexpr std::size_t kOriginalFixed = 8 + 8 + 1;

template <class T>
void Put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

template <class T>
T Get(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

Digest DigestAt(std::string_view bytes, std::size_t at) {
  Digest digest;
  std::memcpy(digest.bytes.data(), bytes.data() + at, digest.bytes.size());
  return digest;
}

std::string_view View(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

std::size_t LastNonZero(std::string_view bytes) {
  const std::size_t at = bytes.find_last_not_of('\0');
  return at == std::string_view::npos ? 0 : at + 1;
}

}  // namespace

Digest ChainStart(std::string_view chain) { return base::Sha256("interlock.audit.chain/v1\n" + std::string(chain)); }

Digest ChainNext(base::Sha256Hasher& hasher, const Digest& previous, std::string_view body) {
  return hasher.Update(View(previous)).Update(body).Finish();
}

std::string EncodeSegmentHeader(const SegmentHeader& header) {
  std::string out(kMagic);
  Put<std::uint32_t>(out, 1);
  Put(out, header.number);
  std::array<unsigned char, 16> chain{};
  (void)FromHex(header.chain, chain.data(), chain.size());
  out.append(reinterpret_cast<const char*>(chain.data()), chain.size());
  Put(out, header.first_row);
  out.append(View(header.previous));
  Put<std::uint64_t>(out, 0);
  out.append(View(base::Sha256(out)));
  return out;
}

bool DecodeSegmentHeader(std::string_view bytes, SegmentHeader& header) {
  if (bytes.size() < kSegmentHeaderBytes || !bytes.starts_with(kMagic) || Get<std::uint32_t>(bytes, 8) != 1) {
    return false;
  }
  if (base::Sha256(bytes.substr(0, 80)) != DigestAt(bytes, 80)) return false;
  header.number = Get<std::uint32_t>(bytes, 12);
  header.chain = ToHex(bytes.substr(16, 16));
  header.first_row = Get<std::uint64_t>(bytes, 32);
  header.previous = DigestAt(bytes, 40);
  return header.number > 0 && header.first_row > 0;
}

void EncodeFrameHeader(char* at, std::uint32_t type, std::size_t length, const Digest& hash) {
  const auto size = static_cast<std::uint32_t>(length);
  std::memcpy(at, &type, 4);
  std::memcpy(at + 4, &size, 4);
  std::memcpy(at + 8, hash.bytes.data(), hash.bytes.size());
}

void AppendOriginalPayload(const OriginalFrame& original, std::string& out) {
  Put(out, original.row);
  Put(out, original.expires_us);
  out.push_back(original.is_result ? '\1' : '\0');
  out.append(original.sealed);
}

FrameCursor::Step FrameCursor::Broken(std::size_t frame_bytes) {
  const std::string_view rest = bytes_.substr(offset_);
  torn_bytes_ = LastNonZero(rest);
  // A write that was cut short leaves a beginning of one frame and nothing behind it.
  return torn_bytes_ <= frame_bytes ? Step::kTorn : Step::kDamaged;
}

FrameCursor::Step FrameCursor::Next() {
  const std::string_view rest = bytes_.substr(offset_);
  if (rest.size() < kFrameHeaderBytes) return LastNonZero(rest) == 0 ? Step::kEnd : Broken(0);
  const auto type = Get<std::uint32_t>(rest, 0);
  const auto length = Get<std::uint32_t>(rest, 4);
  if (type == 0 && length == 0) return LastNonZero(rest) == 0 ? Step::kEnd : Broken(0);
  if ((type != kRowFrame && type != kOriginalFrame) || length > kMaxFrameBytes ||
      length > rest.size() - kFrameHeaderBytes) {
    return Broken(type == kRowFrame || type == kOriginalFrame ? kFrameHeaderBytes : 4);
  }
  const std::string_view payload = rest.substr(kFrameHeaderBytes, length);
  const Digest hash = DigestAt(rest, 8);
  if (type == kRowFrame) {
    if (ChainNext(hasher_, hash_, payload) != hash) return Broken(kFrameHeaderBytes + length);
    body_ = payload;
    hash_ = hash;
    ++row_;
    offset_ += kFrameHeaderBytes + length;
    return Step::kRow;
  }
  if (length < kOriginalFixed || hasher_.Update(payload).Finish() != hash) return Broken(kFrameHeaderBytes + length);
  original_.row = Get<std::uint64_t>(payload, 0);
  original_.expires_us = Get<std::int64_t>(payload, 8);
  original_.is_result = payload[16] != '\0';
  original_.sealed = payload.substr(kOriginalFixed);
  offset_ += kFrameHeaderBytes + length;
  return Step::kOriginal;
}

std::string SegmentPath(const std::string& dir, std::string_view chain, std::uint32_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return dir + std::string(kJournalDir) + "/" + std::string(chain) + "." + digits + ".journal";
}

std::string ChainLockPath(const std::string& dir, std::string_view chain) {
  return dir + std::string(kJournalDir) + "/" + std::string(chain) + ".lock";
}

bool IsChainId(std::string_view text) noexcept {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<Segment> AllocateSegment(const std::string& dir, std::string_view chain, std::uint32_t number, std::size_t size,
                                const FaultHook& faults) {
  Segment segment;
  segment.path = SegmentPath(dir, chain, number);
  segment.size = size;
  segment.header.number = number;
  if (const int err = AskFault(faults, FaultPoint::kJournalAllocate); err != 0) {
    return SystemError(err, "allocate journal", segment.path);
  }
  segment.fd = UniqueFd(::open(segment.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!segment.fd.valid()) return SystemError(errno, "create journal", segment.path);
  int err = 0;
  do {
    err = ::posix_fallocate(segment.fd.get(), 0, static_cast<off_t>(size));
  } while (err == EINTR);
  if (err == 0 && ::fsync(segment.fd.get()) != 0) err = errno;
  if (err != 0) {
    (void)::unlink(segment.path.c_str());
    return SystemError(err, "allocate journal", segment.path);
  }
  if (Status synced = SyncFolder(dir + std::string(kJournalDir)); !synced.ok()) return synced.error();
  return segment;
}

Status StartSegment(Segment& segment, const SegmentHeader& header, const FaultHook& faults) {
  const std::string bytes = EncodeSegmentHeader(header);
  int err = AskFault(faults, FaultPoint::kJournalWrite);
  if (err == 0) {
    const ssize_t wrote = ::pwrite(segment.fd.get(), bytes.data(), bytes.size(), 0);
    if (wrote < 0) err = errno;
    if (wrote >= 0 && static_cast<std::size_t>(wrote) != bytes.size()) err = ENOSPC;
  }
  if (err != 0) return SystemError(err, "write journal", segment.path);
  segment.header = header;
  return {};
}

Result<std::vector<std::string>> JournalChains(const std::string& dir) {
  Result<std::vector<std::string>> names = ListFolder(dir + std::string(kJournalDir));
  if (!names.ok()) return names.error();
  std::vector<std::string> chains;
  for (const std::string& name : names.value()) {
    const std::string_view view = name;
    if (view.size() < 33 || view[32] != '.' || !IsChainId(view.substr(0, 32))) continue;
    if (!view.ends_with(".journal") && !view.ends_with(".lock")) continue;
    if (chains.empty() || chains.back() != view.substr(0, 32)) chains.emplace_back(view.substr(0, 32));
  }
  return chains;
}

Result<JournalContent> ReadJournal(const std::string& dir, std::string_view chain) {
  Result<std::vector<std::string>> names = ListFolder(dir + std::string(kJournalDir));
  if (!names.ok()) return names.error();
  JournalContent content;
  const auto damage = [&content](std::string what) {
    content.damaged = true;
    if (content.damage.empty()) content.damage = std::move(what);
  };
  std::uint64_t next_row = 0;
  std::uint32_t last_number = 0;
  Digest hash;
  bool ended = false;  // a segment that is not full must be the last one in use
  for (const std::string& name : names.value()) {
    if (!name.starts_with(chain) || !name.ends_with(".journal")) continue;
    const std::string path = dir + std::string(kJournalDir) + "/" + name;
    content.files.push_back(path);
    const Result<std::string> bytes = platform::ReadFile(path, kMaxSegmentBytes);
    if (!bytes.ok()) {
      // A running writer removes segments that are in the database while we look.
      if (bytes.error().code() == ErrorCode::kFileNotFound) continue;
      return bytes.error();
    }
    const std::string_view all = bytes.value();
    if (LastNonZero(all) == 0) continue;  // allocated, not in use yet
    SegmentHeader header;
    if (!DecodeSegmentHeader(all, header) || header.chain != chain) {
      // Cut while the header was being written: nothing stands behind it.
      if (LastNonZero(all) <= kSegmentHeaderBytes && content.torn.empty()) {
        content.torn = std::string(all.substr(0, LastNonZero(all)));
      } else {
        damage("segment header of " + name + " is not valid");
      }
      continue;
    }
    if (content.first_row == 0) {
      content.first_row = header.first_row;
      content.previous = header.previous;
    } else if (ended || header.number <= last_number || header.first_row != next_row || header.previous != hash) {
      damage("segment " + name + " does not continue the one before");
      break;
    }
    last_number = header.number;
    FrameCursor cursor(all.substr(kSegmentHeaderBytes), header.first_row, header.previous);
    for (bool more = true; more;) {
      switch (cursor.Next()) {
        case FrameCursor::Step::kRow:
          content.rows.push_back({cursor.row(), cursor.hash(), std::string(cursor.body())});
          break;
        case FrameCursor::Step::kOriginal: {
          const OriginalFrame& original = cursor.original();
          content.originals.push_back(
              {original.row, original.expires_us, original.is_result, std::string(original.sealed)});
          break;
        }
        case FrameCursor::Step::kEnd:
          more = false;
          break;
        case FrameCursor::Step::kTorn:
          content.torn = std::string(all.substr(kSegmentHeaderBytes + cursor.offset(), cursor.torn_bytes()));
          ended = true;
          more = false;
          break;
        case FrameCursor::Step::kDamaged:
          damage("segment " + name + " is damaged at byte " + std::to_string(kSegmentHeaderBytes + cursor.offset()));
          ended = true;
          more = false;
          break;
      }
    }
    next_row = cursor.next_row();
    hash = cursor.hash();
  }
  return content;
}

}  // namespace interlock::runtime::audit
