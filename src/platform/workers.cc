#include "interlock/platform/workers.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace interlock::platform {

// Everything is guarded by `mutex`; a piece is long beside taking it.
struct Workers::Impl {
  std::uint32_t wanted = 1;
  std::mutex mutex;
  std::condition_variable work;  // there are pieces, or it is over
  std::condition_variable idle;  // the last piece is done
  const std::function<void(std::size_t)>* piece = nullptr;
  std::size_t next = 0;
  std::size_t count = 0;
  std::size_t running = 0;
  bool over = false;
  std::vector<std::thread> threads;

  // Runs pieces while there are any. `lock` is held before and after.
  void Help(std::unique_lock<std::mutex>& lock) {
    while (next < count) {
      const std::size_t mine = next++;
      const auto* const run = piece;
      ++running;
      lock.unlock();
      (*run)(mine);
      lock.lock();
      if (--running == 0 && next == count) idle.notify_one();
    }
  }

  void Serve() {
    std::unique_lock<std::mutex> lock(mutex);
    while (!over) {
      Help(lock);
      if (!over) work.wait(lock);
    }
  }
};

Workers::Workers(std::uint32_t threads) : impl_(std::make_unique<Impl>()) {
  impl_->wanted = threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

Workers::~Workers() {
  {
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    impl_->over = true;
  }
  impl_->work.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

std::uint32_t Workers::threads() const noexcept { return impl_->wanted; }

void Workers::ForEach(std::size_t count, const std::function<void(std::size_t)>& piece) {
  Impl& impl = *impl_;
  if (impl.wanted <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) piece(i);
    return;
  }
  std::unique_lock<std::mutex> lock(impl.mutex);
  impl.piece = &piece;
  impl.next = 0;
  impl.count = count;
  const std::size_t helpers = std::min<std::size_t>(impl.wanted, count) - 1;
  while (impl.threads.size() < helpers) impl.threads.emplace_back([&impl] { impl.Serve(); });
  impl.work.notify_all();
  impl.Help(lock);
  impl.idle.wait(lock, [&] { return impl.running == 0; });
  impl.count = 0;
  impl.next = 0;
  impl.piece = nullptr;
}

}  // namespace interlock::platform
