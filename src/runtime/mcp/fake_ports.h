// Scripted ports for the core's tests and its fuzzer. Private to the module's tests.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/runtime/mcp/ports.h"

namespace interlock::runtime::mcp {

class FakeSink final : public Sink {
 public:
  void ToClient(std::string_view line) override { to_client.emplace_back(line); }
  void ToServer(std::string_view line) override { to_server.emplace_back(line); }
  void Notice(NoticeLevel, std::string_view name, std::string_view) override { notices.emplace_back(name); }
  void CloseServerInput() override { events.emplace_back("close-server-input"); }
  void SignalServer(ServerSignal signal) override {
    events.emplace_back(signal == ServerSignal::kTerminate ? "terminate" : "kill");
  }
  void Finish(int exit_code) override { events.push_back("finish " + std::to_string(exit_code)); }

  std::deque<std::string> to_client;
  std::deque<std::string> to_server;
  std::deque<std::string> notices;
  std::deque<std::string> events;
};

class FakeAudit final : public AuditPort {
 public:
  base::Status Append(const audit::Record& record, bool durable, std::uint64_t& row) override {
    if (fail) return base::Error(base::ErrorCode::kAuditWrite, "scripted");
    row = ++rows;
    std::map<std::string, std::string, std::less<>> entry;
    entry["kind"] = audit::NameOf(record.kind);
    entry["tool"] = record.tool;
    entry["call"] = record.call;
    entry["actor"] = record.actor;
    entry["name"] = record.name;
    entry["text"] = record.text;
    entry["durable"] = durable ? "yes" : "no";
    if (record.decision != nullptr) {
      entry["verdict"] = core::NameOf(record.decision->verdict);
      entry["reason"] = core::IdOf(record.decision->reason);
      entry["enforcement"] = core::NameOf(record.enforcement);
      entry["request"] = record.request_known ? "known" : "unknown";
    }
    if (record.kind == audit::Kind::kOutcome) {
      entry["status"] = audit::NameOf(record.status);
      entry["row"] = std::to_string(record.decision_row);
    }
    std::string labels;
    for (const std::string_view label : record.labels) labels += (labels.empty() ? "" : ",") + std::string(label);
    entry["labels"] = labels;
    records.push_back(std::move(entry));
    return {};
  }
  bool fail = false;
  std::uint64_t rows = 0;
  std::deque<std::map<std::string, std::string, std::less<>>> records;
};

class FakeStore final : public SessionStorePort {
 public:
  base::Status Poll(session::Update& news) override {
    if (fail) return base::Error(base::ErrorCode::kStoreLocked, "scripted");
    news = std::exchange(next, {});
    return {};
  }
  base::Status Publish(const session::SessionStore::Publication& publication, base::Now) override {
    if (fail) return base::Error(base::ErrorCode::kStoreIo, "scripted");
    published.push_back(publication);
    // What the client has been sent by now: the order is the point of publishing.
    client_lines_before.push_back(sink == nullptr ? 0 : sink->to_client.size());
    return {};
  }
  bool fail = false;
  const FakeSink* sink = nullptr;
  session::Update next;
  std::vector<session::SessionStore::Publication> published;
  std::vector<std::size_t> client_lines_before;
};

// Finds words: POISON blocks, ODD warns.
class FakeScan final : public ScanPort {
 public:
  std::vector<Look> LookAt(ListPart, const std::vector<std::string_view>& entries) override {
    ++times;
    std::vector<Look> out;
    for (const std::string_view entry : entries) {
      if (entry.find("POISON") != std::string_view::npos) {
        out.push_back({Look::Level::kBlock, "X-POISON", "seen"});
      } else if (entry.find("ODD") != std::string_view::npos) {
        out.push_back({Look::Level::kWarn, "X-ODD", "seen"});
      } else {
        out.emplace_back();
      }
    }
    if (fail) out.clear();
    looked_at += entries.size();
    return out;
  }
  bool fail = false;
  int times = 0;
  std::size_t looked_at = 0;
};

class FakePins final : public PinsPort {
 public:
  base::Result<policy::Pins> Load() override {
    if (fail) return base::Error(base::ErrorCode::kPolicyPins, "scripted");
    return pins;
  }
  base::Result<policy::Pins> Add(const policy::Pins& additions) override {
    if (fail) return base::Error(base::ErrorCode::kPolicyPins, "scripted");
    for (const auto& [server, more] : additions.servers()) {
      if (more.instructions.has_value() &&
          pins.CheckInstructions(server, *more.instructions) == policy::Pins::Answer::kFirstUse) {
        pins.PinInstructions(server, *more.instructions);
      }
      for (const auto& [tool, digest] : more.tools) {
        if (pins.CheckTool(server, tool, digest) == policy::Pins::Answer::kFirstUse) pins.PinTool(server, tool, digest);
      }
    }
    return pins;
  }
  void Held(const policy::Pins& changed) override { held = changed; }
  bool Changed() override { return false; }
  bool fail = false;
  policy::Pins pins;
  policy::Pins held;
};

}  // namespace interlock::runtime::mcp
