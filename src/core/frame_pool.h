// Memory for coroutine frames, kept per thread and per size so that a call in the steady state
// allocates nothing. A frame may be freed on another thread than the one that made it; it then
// joins that thread's pool.
#pragma once

#include <cstddef>

namespace patchbay::frame_pool {

void* allocate(std::size_t size);
void release(void* frame, std::size_t size) noexcept;

}  // namespace patchbay::frame_pool
