// The approvals port over a real store in a folder of its own, that can be told to fail. Private to the module's tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interlock/runtime/mcp/ports.h"

namespace interlock::runtime::mcp {

class ApprovalsForTest final : public ApprovalsPort {
 public:
  using Store = approvals::ApprovalStore;

  ApprovalsForTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "interlock-approvals-XXXXXX").string();
    INTERLOCK_CHECK(::mkdtemp(pattern.data()) != nullptr, "a folder can be made");
    dir_ = pattern;
    auto opened = Store::Open({.path = dir_ + "/approvals.db", .boot = "boot"});
    INTERLOCK_CHECK(opened.ok(), "a fresh store opens");
    store = std::move(opened.value());
  }
  ~ApprovalsForTest() override {
    store.reset();
    std::filesystem::remove_all(dir_);
  }
  ApprovalsForTest(const ApprovalsForTest&) = delete;
  ApprovalsForTest& operator=(const ApprovalsForTest&) = delete;

  base::Result<Store::Filed> Put(const approvals::Question& question, base::Now now) override {
    if (fail) return Fault();
    return store->Put(question, now);
  }
  base::Result<approvals::Taken> Take(const approvals::Subject& subject, std::string_view tool,
                                      const approvals::Binding& binding, base::JsonValue arguments, base::Now now,
                                      const std::function<base::Status(const approvals::Taken&)>& witness) override {
    if (fail) return Fault();
    return store->Take(subject, tool, binding, arguments, now, witness);
  }
  base::Result<approvals::Request> Get(std::string_view id, base::Now now) override {
    if (fail) return Fault();
    return store->Get(id, now);
  }
  base::Result<std::string> Answered(const approvals::Question& question, const approvals::Ruling& ruling,
                                     base::Now now) override {
    if (fail) return Fault();
    return store->Answered(question, ruling, now);
  }
  base::Result<std::optional<Store::Window>> BreakGlass(const approvals::Subject& subject, base::Now now) override {
    if (fail) return Fault();
    return store->ActiveBreakGlass(subject, now);
  }
  base::Result<std::optional<std::string>> OpenByPolicy(
      const approvals::Subject& subject, std::string_view reason, std::int64_t ttl_us, base::Now now,
      const std::function<base::Status(std::string_view)>& witness) override {
    if (fail) return Fault();
    return store->OpenByPolicy(subject, reason, ttl_us, now, witness);
  }
  base::Status EndByPolicy(std::string_view id, std::string_view why, base::Now now,
                           const std::function<base::Status()>& witness) override {
    if (fail) return Fault();
    return store->Revoke(id, approvals::kOpenedByPolicy, why, now, witness);
  }
  base::Status CountBreakGlass(std::string_view id) override {
    if (fail) return Fault();
    return store->CountBreakGlass(id);
  }
  base::Result<Store::Sums> Budgets(const approvals::Subject& subject, base::Now now) override {
    if (fail) return Fault();
    return store->Budgets(subject.tenant, subject.principal, now);
  }
  base::Result<bool> Charge(const approvals::Subject& subject, const Store::Sums& seen, const Store::Sums& delta,
                            base::Now now) override {
    if (fail) return Fault();
    if (!overtake.empty()) {
      // Another guard of the same principal, between our decision and our charge.
      const auto current = store->Budgets(subject.tenant, subject.principal, now);
      if (current.ok()) (void)store->Charge(subject.tenant, subject.principal, current.value(), overtake, now).ok();
      overtake.clear();
    }
    return store->Charge(subject.tenant, subject.principal, seen, delta, now);
  }

  std::unique_ptr<Store> store;
  bool fail = false;
  Store::Sums overtake;

 private:
  static base::Error Fault() { return base::Error(base::ErrorCode::kStoreIo, "scripted"); }
  std::string dir_;
};

}  // namespace interlock::runtime::mcp
