#include "observe/log_export.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "observe/ring.h"

namespace patchbay::log {
namespace {

// The rings of all threads.
class ExportRings {
 public:
  // The ring of one thread. A change of the size starts a generation of new rings.
  struct OfThread {
    std::shared_ptr<Ring> ring;
    std::uint64_t generation = 0;
    bool excluded = false;
  };

  void set(std::size_t most, std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    size_ = most == 0 ? 0 : std::bit_floor(most);
    wake_ = std::move(wake);
    collecting_.store(size_ > 0, std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_relaxed);
  }

  bool collecting() const { return collecting_.load(std::memory_order_relaxed); }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  void put(OfThread& mine, std::string_view line) {
    if (mine.generation != generation_.load(std::memory_order_relaxed)) replace(mine);
    if (!mine.ring) return;
    if (!mine.ring->put(line)) dropped_.fetch_add(1, std::memory_order_relaxed);
    if (mine.ring->fill() >= 0.5 && !woken_.exchange(true, std::memory_order_relaxed)) wake();
  }

  void take(std::string& out, std::size_t most) {
    const std::lock_guard lock(mutex_);
    woken_.store(false, std::memory_order_relaxed);
    const std::size_t before = out.size();
    std::size_t taken = 0;
    for (; taken < rings_.size() && out.size() - before < most; ++taken) {
      auto& ring = rings_[taken];
      // Its thread has ended, or has a newer one.
      const bool last = ring.use_count() == 1;
      ring->take(out);
      if (last) ring.reset();
    }
    // The other rings come first next time.
    std::ranges::rotate(rings_, rings_.begin() + static_cast<std::ptrdiff_t>(taken));
    std::erase(rings_, nullptr);
  }

 private:
  void replace(OfThread& mine) {
    const std::lock_guard lock(mutex_);
    mine.generation = generation_.load(std::memory_order_relaxed);
    mine.ring = size_ > 0 ? rings_.emplace_back(std::make_shared<Ring>(size_)) : nullptr;
  }

  void wake() {
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
  }

  std::atomic<bool> collecting_ = false;
  std::atomic<bool> woken_ = false;
  std::atomic<std::uint64_t> generation_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;

  std::mutex mutex_;  // Taken when a thread logs for the first time, and by the exporter.
  std::size_t size_ = 0;
  std::function<void()> wake_;
  std::vector<std::shared_ptr<Ring>> rings_;
};

ExportRings& export_rings() {
  static ExportRings the_rings;
  return the_rings;
}

ExportRings::OfThread& ring_of_thread() {
  thread_local ExportRings::OfThread mine;
  return mine;
}

}  // namespace

void collect_exported(std::size_t most, std::function<void()> wake) {
  export_rings().set(most, std::move(wake));
}

void exclude_from_export() { ring_of_thread().excluded = true; }

std::uint64_t dropped_exported_lines() { return export_rings().dropped(); }

void ExportedLines::take(std::size_t most) { export_rings().take(bytes_, most); }

LinePacker* LinePacker::of_this_thread() {
  if (!export_rings().collecting() || ring_of_thread().excluded) return nullptr;
  thread_local LinePacker packer;
  return &packer;
}

void LinePacker::begin(std::chrono::system_clock::time_point now, Level level,
                       std::string_view event) {
  constexpr std::size_t kMostEvent = std::numeric_limits<std::uint16_t>::max();
  event = event.substr(0, kMostEvent);
  const std::uint32_t unknown_size = 0;
  const std::int64_t unix_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
  const auto event_size = static_cast<std::uint16_t>(event.size());
  bytes_.clear();
  put_bytes(&unknown_size, sizeof(unknown_size));
  put_bytes(&unix_ns, sizeof(unix_ns));
  put_bytes(&level, sizeof(level));
  put_bytes(&event_size, sizeof(event_size));
  bytes_ += event;
}

void LinePacker::put_key(packed::Type type, std::string_view key) {
  const auto size = static_cast<std::uint8_t>(std::min<std::size_t>(key.size(), 255));
  put_bytes(&type, sizeof(type));
  put_bytes(&size, sizeof(size));
  bytes_ += key.substr(0, size);
}

void LinePacker::add(std::string_view key, std::string_view value) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();
  value = value.substr(0, kMost);
  put(packed::Type::text, key, static_cast<std::uint16_t>(value.size()));
  bytes_ += value;
}

void LinePacker::send() {
  const auto size = static_cast<std::uint32_t>(bytes_.size() - sizeof(std::uint32_t));
  std::memcpy(bytes_.data(), &size, sizeof(size));
  export_rings().put(ring_of_thread(), bytes_);
}

}  // namespace patchbay::log
