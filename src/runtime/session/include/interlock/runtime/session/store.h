// Sessions shared between the guards of one host: what is read through server A taints what is sent through server B.
//
// SQLite (WAL). One row a session with its fingerprint key; labels travel by name (two guards may run different
// policies, so bits mean nothing outside a process), values as the fingerprint blobs of provenance::ValueIndex.
// Everything only grows; nothing here ever clears a label.
//
// A guard that names a session and cannot reach the store must refuse calls (kStoreLocked, kStoreIo): not knowing what
// the other guard saw is not the same as nothing having been seen.
// Not thread safe: one a thread. Any number of processes may share the file.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interlock/base/clock.h"
#include "interlock/base/result.h"

namespace interlock::runtime::session {

struct StoreOptions {
  std::string path;
  int busy_timeout_ms = 250;  // how long a writer of another process may hold us up before kStoreLocked
};

// Who the session belongs to. State is never keyed by an upstream credential.
struct SessionKey {
  std::string tenant;
  std::string principal;
  std::string name;
};

// What other guards have published since `version`.
struct Update {
  struct Entry {
    std::vector<std::string> label_names;  // bit i of the blob's label sets, from the first policy label on
    std::string blob;                      // ValueIndex delta; may be empty
  };
  std::uint64_t version = 0;
  std::vector<std::string> labels;                         // union of all labels of the session, by name
  std::vector<std::string> requests;                       // request texts published since `version`
  std::vector<std::pair<std::string, std::string>> facts;  // channel, JSON; published since `version`, in order
  std::vector<Entry> entries;
  bool empty = true;  // nothing new
};

class SessionStore {
 public:
  // Opens or creates the file (0600) and its schema. kStoreSchema for a file of a newer program.
  [[nodiscard]] static base::Result<std::unique_ptr<SessionStore>> Open(const StoreOptions& options);
  ~SessionStore();
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;

  // Joins the session, creating it when it is new; returns the fingerprint key all its guards share.
  [[nodiscard]] base::Result<std::array<std::uint64_t, 2>> Join(const SessionKey& key, base::Now now);

  // What is new since `since`. Cheap (one pragma) when no other connection has written. Fills `out`.
  [[nodiscard]] base::Status Poll(std::uint64_t since, Update& out);

  struct Publication {
    std::vector<std::string> labels;       // to add, by name
    std::vector<std::string> label_names;  // meaning of the blob's policy bits
    std::string blob;                      // may be empty
    std::string request;                   // may be empty
    std::string fact_channel;              // empty: no fact
    std::string fact;                      // JSON
  };
  // Adds to the session; returns its version after the write. The publisher has its own data already, so it may go on
  // from there unless others wrote in between (`Poll` from the old version gives theirs and its own again: harmless).
  [[nodiscard]] base::Status Publish(const Publication& publication, base::Now now);

  // Removes sessions not touched since `before`. Returns how many.
  [[nodiscard]] base::Result<std::uint64_t> PruneIdle(base::WallTime before);

 private:
  struct Impl;
  explicit SessionStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::runtime::session
