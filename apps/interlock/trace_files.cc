#include "trace_files.h"

#include <filesystem>
#include <optional>

#include "interlock/eval/import.h"
#include "interlock/platform/file.h"
#include "interlock/platform/line_reader.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using eval::TraceFormat;

// Tells formats and hands out records.
class Reader {
 public:
  using Sink = std::function<base::Status(const TraceRecord&)>;
  Reader(const std::string& path, const TraceFileOptions& options, TraceFileStats& stats, const Sink& sink,
         const std::function<void(const Error&)>& on_malformed)
      : path_(path), options_(options), stats_(stats), sink_(sink), on_malformed_(on_malformed) {}

  base::Status Run() {
    const core::TraceLimits limits;
    const auto status =
        platform::ForEachLine(path_, limits.max_line_bytes, [this](const base::Line& line) { return OnLine(line); });
    if (!status.ok()) return status;
    if (!document_) return {};
    stats_.bytes += whole_.size();
    return sink_({.text = whole_, .format = *format_, .line = 1, .offset = 0});
  }

 private:
  // Status: an error ends the reading. A document laid out over lines ends it as well, and is read whole afterwards.
  base::Status OnLine(const base::Line& line) {
    if (document_) return {};
    stats_.bytes += line.text.size() + 1;
    if (line.text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    TraceRecord record{.text = line.text, .format = TraceFormat::kTraceV1, .line = line.number, .offset = line.offset};
    if (line.too_long) return Malformed(Error(ErrorCode::kTraceLineTooLong), record);
    if (!format_.has_value()) {
      const auto format = eval::DetectTraceFormat(line.text);
      if (format.ok()) {
        format_ = format.value();
      } else if (format.error().code() != ErrorCode::kImportShape && line.number == 1 && WholeFileIsOneRecord()) {
        document_ = true;
        stats_.bytes -= line.text.size() + 1;
        return {};
      } else {
        return Malformed(format.error(), record);
      }
    }
    record.format = *format_;
    return sink_(record);
  }

  bool WholeFileIsOneRecord() {
    auto bytes = platform::ReadStream(path_, eval::kMaxImportBytes);
    if (!bytes.ok()) return false;
    const auto format = eval::DetectTraceFormat(bytes.value());
    if (!format.ok()) return false;
    format_ = format.value();
    whole_ = std::move(bytes.value());
    return true;
  }

  base::Status Malformed(const Error& error, const TraceRecord& record) {
    ++stats_.malformed;
    Error placed = PlacedIn(path_, record, error);
    if (!options_.skip_malformed) return placed;
    on_malformed_(placed);
    return {};
  }

  const std::string& path_;
  const TraceFileOptions& options_;
  TraceFileStats& stats_;
  const Sink& sink_;
  const std::function<void(const Error&)>& on_malformed_;
  std::optional<TraceFormat> format_;
  std::string whole_;
  bool document_ = false;
};

base::Result<eval::SystemPrompts> LoadSystems(const std::string& path, const TraceFileOptions& options) {
  std::string file = options.systems_file;
  if (file.empty()) {
    file = (std::filesystem::path(path).parent_path() / "systems.json").string();
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return eval::SystemPrompts();
  }
  const auto bytes = platform::ReadFile(file, eval::kMaxImportBytes);
  if (!bytes.ok()) return bytes.error();
  auto systems = eval::ParseSystemPrompts(bytes.value());
  if (!systems.ok()) return systems.error().Under(file);
  return std::move(systems.value());
}

}  // namespace

Error PlacedIn(const std::string& path, const TraceRecord& record, const Error& error) {
  return Error(error.code(), error.message(),
               {.file = path,
                .line = static_cast<std::uint32_t>(record.line),
                .column = 0,
                .offset = record.offset + error.place().offset});
}

base::Result<std::string_view> AsTraceV1(const TraceRecord& record, const std::string& path,
                                         const eval::SystemPrompts& systems, std::string& out) {
  out.clear();
  base::Status status;
  switch (record.format) {
    case TraceFormat::kTraceV1:
      return record.text;
    case TraceFormat::kCompact:
      status = eval::ImportCompactTrace(record.text, systems, out);
      break;
    case TraceFormat::kChatDump:
      status = eval::ImportChatDump(record.text, out, {.session = std::filesystem::path(path).stem().string()});
      break;
    case TraceFormat::kAgentDojo:
      status = eval::ImportAgentDojoRun(record.text, out);
      break;
  }
  if (!status.ok()) return status.error();
  return std::string_view(out);
}

base::Status ForEachRecord(const std::string& path, const TraceFileOptions& options, TraceFileStats& stats,
                           const std::function<base::Status(const TraceRecord&)>& sink,
                           const std::function<void(const base::Error&)>& on_malformed) {
  return Reader(path, options, stats, sink, on_malformed).Run();
}

base::Status ForEachSession(const std::string& path, const TraceFileOptions& options, TraceFileStats& stats,
                            const std::function<bool(core::TraceSession&)>& sink,
                            const std::function<void(const base::Error&)>& on_malformed) {
  std::optional<eval::SystemPrompts> systems;
  std::string imported;
  bool stopped = false;
  const auto one = [&](const TraceRecord& record) -> base::Status {
    if (stopped) return {};
    if (record.format == TraceFormat::kCompact && !systems) {
      auto loaded = LoadSystems(path, options);
      if (!loaded.ok()) return loaded.error();
      systems = std::move(loaded.value());
    }
    static const eval::SystemPrompts kNone;
    const auto line = AsTraceV1(record, path, systems ? *systems : kNone, imported);
    auto session = line.ok() ? core::ParseTraceLine(line.value()) : base::Result<core::TraceSession>(line.error());
    if (!session.ok()) {
      ++stats.malformed;
      Error placed = PlacedIn(path, record, session.error());
      if (!options.skip_malformed) return placed;
      on_malformed(placed);
      return {};
    }
    ++stats.sessions;
    if (!sink(session.value())) stopped = true;
    return {};
  };
  return ForEachRecord(path, options, stats, one, on_malformed);
}

}  // namespace interlock::app
