// A running query over rows.
#pragma once

#include <memory>

#include "db.h"
#include "interlock/base/result.h"
#include "interlock/runtime/audit/query.h"

namespace interlock::runtime::audit {

class RowReader {
 public:
  [[nodiscard]] static base::Result<RowReader> Prepare(const Database& db, const Filter& filter);
  // False after the last row and on error; `done` tells which.
  [[nodiscard]] bool Next(StoredRow& row);
  [[nodiscard]] bool done() const noexcept { return statement_.done(); }

 private:
  RowReader() = default;
  std::unique_ptr<Filter> filter_;
  Statement statement_;
};

}  // namespace interlock::runtime::audit
