// Threads that run the pieces of one piece of work after another.
//
//   Workers workers(2);  // the caller, and one thread that starts when it is needed
//   workers.ForEach(files.size(), [&](std::size_t i) { Read(files[i]); });
//
// One ForEach at a time; a piece may not call it. Pieces must not throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace interlock::platform {

class Workers {
 public:
  // `threads`: how many run at once, the caller among them; 0: one a core.
  explicit Workers(std::uint32_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] std::uint32_t threads() const noexcept;
  // Calls piece(0) to piece(count - 1), each once, begun in this order by whichever thread is free; comes back when all
  // are done, and sees all that they wrote.
  void ForEach(std::size_t count, const std::function<void(std::size_t)>& piece);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::platform
