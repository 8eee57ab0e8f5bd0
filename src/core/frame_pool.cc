#include "core/frame_pool.h"

#include <array>
#include <new>

namespace patchbay::frame_pool {

#if defined(PATCHBAY_NO_POOLS)

// Under a sanitizer each frame has a life of its own, so that a use after its end is seen.
void* allocate(std::size_t size) { return ::operator new(size); }
void release(void* frame, std::size_t) noexcept { ::operator delete(frame); }

#else

namespace {

constexpr std::size_t kStep = 128;         // Sizes are rounded up to a multiple of this.
constexpr std::size_t kClasses = 32;       // Larger frames go to the heap.
constexpr std::size_t kKeep = 512 * 1024;  // Bytes of frames kept per class and thread.

struct FreeFrame {
  FreeFrame* next;
};

struct Pool {
  struct Class {
    FreeFrame* first = nullptr;
    std::size_t bytes = 0;
  };
  std::array<Class, kClasses> classes;

  ~Pool() {
    for (auto& kind : classes) {
      while (FreeFrame* frame = kind.first) {
        kind.first = frame->next;
        ::operator delete(frame);
      }
    }
  }
};

thread_local Pool pool;

std::size_t class_of(std::size_t size) { return (size + kStep - 1) / kStep - 1; }

}  // namespace

void* allocate(std::size_t size) {
  const std::size_t index = class_of(size);
  if (index >= kClasses) return ::operator new(size);
  auto& kind = pool.classes[index];
  if (FreeFrame* frame = kind.first) {
    kind.first = frame->next;
    kind.bytes -= (index + 1) * kStep;
    return frame;
  }
  return ::operator new((index + 1) * kStep);
}

void release(void* memory, std::size_t size) noexcept {
  const std::size_t index = class_of(size);
  if (index >= kClasses || pool.classes[index].bytes >= kKeep) {
    ::operator delete(memory);
    return;
  }
  auto& kind = pool.classes[index];
  auto* const frame = static_cast<FreeFrame*>(memory);
  frame->next = kind.first;
  kind.first = frame;
  kind.bytes += (index + 1) * kStep;
}

#endif

}  // namespace patchbay::frame_pool
