// Memory for coroutine frames, pooled per thread and size so that a call in the steady state
// allocates nothing. A frame may be freed on another thread than the one that allocated it; it then
// joins that thread's pool.
//
// In the header, because every coroutine begins and ends here, and its size is a compile-time
// constant.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace patchbay::frame_pool {

#if defined(PATCHBAY_NO_POOLS)

// Under a sanitizer every frame is allocated separately, so that a use after free is detected.
inline void* allocate(std::size_t size) { return ::operator new(size); }
inline void release(void* frame, std::size_t) noexcept { ::operator delete(frame); }

#else

namespace detail {

inline constexpr std::size_t kStep = 128;    // Sizes are rounded up to a multiple of this.
inline constexpr std::size_t kClasses = 32;  // Larger frames go to the heap.

struct FreeFrame {
  FreeFrame* next;
};

// The frames of one size that are free.
struct Class {
  FreeFrame* first = nullptr;
  std::size_t room = 0;  // How many more may be freed into it. A thread without a pool has none.
};

extern constinit thread_local std::array<Class, kClasses> classes;

constexpr std::size_t class_of(std::size_t size) { return (size + kStep - 1) / kStep - 1; }

inline void keep(Class& kind, void* memory) noexcept {
  auto* const frame = static_cast<FreeFrame*>(memory);
  frame->next = kind.first;
  kind.first = frame;
  --kind.room;
}

void* allocate_anew(std::size_t size);
void release_without_room(void* frame, std::size_t size) noexcept;

}  // namespace detail

inline void* allocate(std::size_t size) {
  const std::size_t index = detail::class_of(size);
  if (index >= detail::kClasses) return detail::allocate_anew(size);
  auto& kind = detail::classes[index];
  detail::FreeFrame* const frame = kind.first;
  if (!frame) return detail::allocate_anew(size);
  kind.first = frame->next;
  ++kind.room;
  return frame;
}

inline void release(void* frame, std::size_t size) noexcept {
  const std::size_t index = detail::class_of(size);
  if (index < detail::kClasses && detail::classes[index].room > 0) {
    detail::keep(detail::classes[index], frame);
  } else {
    detail::release_without_room(frame, size);
  }
}

#endif

}  // namespace patchbay::frame_pool
