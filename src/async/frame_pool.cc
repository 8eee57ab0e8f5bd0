#include "async/frame_pool.h"

#if !defined(PATCHBAY_NO_POOLS)

namespace patchbay::frame_pool::detail {
namespace {

constexpr std::size_t kKeep = 512 * 1024;  // Bytes of free frames per class and thread.

constexpr std::size_t bytes_of(std::size_t index) { return (index + 1) * kStep; }

// Enables the pool of a thread while it exists. Frames that are freed later go to the heap.
struct PoolOfThread {
  PoolOfThread() {
    for (std::size_t i = 0; i < kClasses; ++i) classes[i].room = kKeep / bytes_of(i);
  }
  PoolOfThread(const PoolOfThread&) = delete;
  PoolOfThread& operator=(const PoolOfThread&) = delete;
  ~PoolOfThread() {
    for (auto& kind : classes) {
      while (FreeFrame* const frame = kind.first) {
        kind.first = frame->next;
        ::operator delete(frame);
      }
      kind.room = 0;
    }
  }
};

}  // namespace

constinit thread_local std::array<Class, kClasses> classes{};

void* allocate_anew(std::size_t size) {
  const std::size_t index = class_of(size);
  return ::operator new(index < kClasses ? bytes_of(index) : size);
}

void release_without_room(void* frame, std::size_t size) noexcept {
  thread_local const PoolOfThread pool;
  const std::size_t index = class_of(size);
  if (index < kClasses && classes[index].room > 0) {
    keep(classes[index], frame);
  } else {
    ::operator delete(frame);
  }
}

}  // namespace patchbay::frame_pool::detail

#endif
