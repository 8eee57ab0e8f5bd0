// A Ring carries bytes from one thread to one other without a lock. A piece is appended as a whole
// or not at all.
//
// put() belongs to one thread, take() to one other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace patchbay {

class Ring {
 public:
  // `size` is a power of two.
  explicit Ring(std::size_t size) : size_(size), bytes_(new char[size]) {}

  bool put(std::string_view piece) {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    if (size_ - (end - begin_.load(std::memory_order_acquire)) < piece.size()) return false;
    const std::size_t at = end & (size_ - 1);
    const std::size_t first = std::min(piece.size(), size_ - at);
    std::memcpy(bytes_.get() + at, piece.data(), first);
    std::memcpy(bytes_.get(), piece.data() + first, piece.size() - first);
    end_.store(end + piece.size(), std::memory_order_release);
    return true;
  }

  // Appends everything to `out`; false if there was nothing.
  bool take(std::string& out) {
    const std::size_t begin = begin_.load(std::memory_order_relaxed);
    const std::size_t count = end_.load(std::memory_order_acquire) - begin;
    if (count == 0) return false;
    const std::size_t at = begin & (size_ - 1);
    const std::size_t first = std::min(count, size_ - at);
    out.append(bytes_.get() + at, first);
    out.append(bytes_.get(), count - first);
    begin_.store(begin + count, std::memory_order_release);
    return true;
  }

  // How full it is, from 0 to 1.
  double fill() const {
    const auto used = end_.load(std::memory_order_relaxed) - begin_.load(std::memory_order_relaxed);
    return static_cast<double>(used) / static_cast<double>(size_);
  }

  bool empty() const {
    return begin_.load(std::memory_order_acquire) == end_.load(std::memory_order_acquire);
  }

 private:
  const std::size_t size_;
  const std::unique_ptr<char[]> bytes_;
  alignas(64) std::atomic<std::size_t> begin_{0};
  alignas(64) std::atomic<std::size_t> end_{0};
};

}  // namespace patchbay
