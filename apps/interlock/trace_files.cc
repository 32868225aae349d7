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

class Reader {
 public:
  Reader(const std::string& path, const TraceFileOptions& options, TraceFileStats& stats,
         const std::function<bool(core::TraceSession&)>& sink, const std::function<void(const Error&)>& on_malformed)
      : path_(path), options_(options), stats_(stats), sink_(sink), on_malformed_(on_malformed) {}

  base::Status Run() {
    const core::TraceLimits limits;
    const auto status =
        platform::ForEachLine(path_, limits.max_line_bytes, [this](const base::Line& line) { return OnLine(line); });
    if (!status.ok()) return status;
    return document_ ? Document() : base::Status();
  }

 private:
  // Status: an error ends the reading. A document laid out over lines ends it as well, and is read whole afterwards.
  base::Status OnLine(const base::Line& line) {
    if (stopped_ || document_) return {};
    stats_.bytes += line.text.size() + 1;
    if (line.text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    if (line.too_long) return Malformed(Error(ErrorCode::kTraceLineTooLong), line);
    if (!format_.has_value()) {
      const auto format = eval::DetectTraceFormat(line.text);
      if (format.ok()) {
        format_ = format.value();
        if (*format_ == TraceFormat::kCompact) {
          if (const auto status = LoadSystems(); !status.ok()) return status;
        }
      } else if (format.error().code() != ErrorCode::kImportShape && line.number == 1 && WholeFileIsOneRecord()) {
        document_ = true;
        stats_.bytes -= line.text.size() + 1;
        return {};
      } else {
        return Malformed(format.error(), line);
      }
    }
    std::string_view record = line.text;
    if (*format_ != TraceFormat::kTraceV1) {
      if (const auto status = Import(line.text); !status.ok()) return Malformed(status.error(), line);
      record = imported_;
    }
    auto session = core::ParseTraceLine(record);
    if (!session.ok()) return Malformed(session.error(), line);
    ++stats_.sessions;
    if (!sink_(session.value())) stopped_ = true;
    return {};
  }

  base::Status Import(std::string_view record) {
    imported_.clear();
    switch (*format_) {
      case TraceFormat::kTraceV1:
        imported_ = record;
        return {};
      case TraceFormat::kCompact:
        return eval::ImportCompactTrace(record, systems_, imported_);
      case TraceFormat::kChatDump:
        return eval::ImportChatDump(record, imported_, {.session = std::filesystem::path(path_).stem().string()});
      case TraceFormat::kAgentDojo:
        return eval::ImportAgentDojoRun(record, imported_);
    }
    return Error(ErrorCode::kInternal);
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

  base::Status Document() {
    stats_.bytes += whole_.size();
    const base::Line line{.text = whole_, .number = 1, .offset = 0, .too_long = false};
    if (const auto status = Import(whole_); !status.ok()) return Malformed(status.error(), line);
    auto session = core::ParseTraceLine(imported_);
    if (!session.ok()) return Malformed(session.error(), line);
    ++stats_.sessions;
    (void)sink_(session.value());
    return {};
  }

  base::Status LoadSystems() {
    std::string file = options_.systems_file;
    if (file.empty()) {
      file = (std::filesystem::path(path_).parent_path() / "systems.json").string();
      std::error_code ignored;
      if (!std::filesystem::exists(file, ignored)) return {};
    }
    const auto bytes = platform::ReadFile(file, eval::kMaxImportBytes);
    if (!bytes.ok()) return bytes.error();
    auto systems = eval::ParseSystemPrompts(bytes.value());
    if (!systems.ok()) return systems.error().Under(file);
    systems_ = std::move(systems.value());
    return {};
  }

  base::Status Malformed(const Error& error, const base::Line& line) {
    ++stats_.malformed;
    Error placed(error.code(), error.message(),
                 {.file = path_,
                  .line = static_cast<std::uint32_t>(line.number),
                  .column = 0,
                  .offset = line.offset + error.place().offset});
    if (!options_.skip_malformed) return placed;
    on_malformed_(placed);
    return {};
  }

  const std::string& path_;
  const TraceFileOptions& options_;
  TraceFileStats& stats_;
  const std::function<bool(core::TraceSession&)>& sink_;
  const std::function<void(const Error&)>& on_malformed_;
  std::optional<TraceFormat> format_;
  eval::SystemPrompts systems_;
  std::string imported_;
  std::string whole_;
  bool document_ = false;
  bool stopped_ = false;
};

}  // namespace

base::Status ForEachSession(const std::string& path, const TraceFileOptions& options, TraceFileStats& stats,
                            const std::function<bool(core::TraceSession&)>& sink,
                            const std::function<void(const Error&)>& on_malformed) {
  return Reader(path, options, stats, sink, on_malformed).Run();
}

}  // namespace interlock::app
