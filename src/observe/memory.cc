#include "observe/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>

namespace patchbay::memory {
namespace {

constexpr std::int64_t kBatch = 256 * 1024;
constexpr std::size_t kUsualMost = std::size_t{1} << 30;

std::atomic<std::int64_t> total{0};
std::atomic<std::size_t> bound{0};  // 0: not set yet.
constinit thread_local std::int64_t batch = 0;

inline void count(std::int64_t bytes) {
  batch += bytes;
  if (batch < kBatch && batch > -kBatch) return;
  total.fetch_add(batch, std::memory_order_relaxed);
  batch = 0;
}

// Small blocks are not counted: a call allocates dozens of them, and malloc would be asked for the
// size of each, twice. Whether a block is counted must be known again when it is freed, sometimes
// without its size. A request just below kCounted is therefore raised to it, which leaves a gap
// that is wider than the bytes that malloc may add to a request.
constexpr std::size_t kCounted = 512;
constexpr std::size_t kGap = 64;

constexpr bool is_counted(std::size_t size) { return size >= kCounted - kGap; }

inline std::size_t usable_size(void* block) { return ::malloc_usable_size(block); }

[[maybe_unused]] void* counted(void* block) {
  count(static_cast<std::int64_t>(usable_size(block)));
  return block;
}

void* allocate_or_handle(std::size_t size) {
  for (;;) {
    if (void* const block = std::malloc(size)) return block;
    const auto handler = std::get_new_handler();
    if (!handler) return nullptr;
    handler();
  }
}

[[maybe_unused]] inline void* allocate(std::size_t size) {
  if (!is_counted(size)) [[likely]]
    return allocate_or_handle(size == 0 ? 1 : size);
  void* const block = allocate_or_handle(std::max(size, kCounted));
  return block ? counted(block) : nullptr;
}

[[maybe_unused]] void* allocate_aligned(std::size_t size, std::size_t alignment) {
  const std::size_t wanted = std::max(size, kCounted);
  void* const block =
      std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
  return block ? counted(block) : nullptr;
}

[[maybe_unused]] void release_counted(void* block) {
  count(-static_cast<std::int64_t>(usable_size(block)));
  std::free(block);
}

[[maybe_unused]] inline void release(void* block) {
  if (!block) return;
  if (usable_size(block) >= kCounted) return release_counted(block);
  std::free(block);
}

[[maybe_unused]] inline void release(void* block, std::size_t size) {
  if (is_counted(size) && block) return release_counted(block);
  std::free(block);
}

// The path of this process below the mount of cgroup v2; empty if it is in none.
std::string own_cgroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "";
}

}  // namespace

std::size_t cgroup_limit(const char* root, const char* folder, std::size_t otherwise) {
  std::size_t least = otherwise;
  for (std::string path = folder;; path.erase(path.find_last_of('/'))) {
    std::ifstream file(root + path + "/memory.max");
    std::size_t limit = 0;
    if (file >> limit) least = std::min(least, limit);  // "max" is not a number.
    if (path.find('/') == std::string::npos) return least;
  }
}

std::size_t usual_most() {
  const auto pages = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::string folder = own_cgroup();
  const std::size_t given = cgroup_limit("/sys/fs/cgroup", folder.c_str(), pages * page);
  return std::min(given / 2, kUsualMost);
}

void set_most(std::size_t bytes) { bound.store(bytes == 0 ? usual_most() : bytes); }

std::size_t most() {
  if (bound.load(std::memory_order_relaxed) == 0) set_most(0);
  return bound.load(std::memory_order_relaxed);
}

std::size_t in_use() {
  const auto now = total.load(std::memory_order_relaxed);
  return now > 0 ? static_cast<std::size_t>(now) : 0;
}

bool is_short(std::size_t more) { return in_use() + more > most(); }

Error shortage() {
  return {Code::overloaded, "the gateway is short of memory; try again later (limits.max_memory)"};
}

}  // namespace patchbay::memory

// The thread sanitizer has its own allocation functions.
#if !defined(PATCHBAY_UNCOUNTED_MEMORY)

// Replacements of the global allocation functions. The nothrow forms call these; so do those of
// arrays, but a sanitizer brings its own.

void* operator new(std::size_t size) {
  if (void* const block = patchbay::memory::allocate(size)) return block;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const block = patchbay::memory::allocate_aligned(size, static_cast<std::size_t>(alignment));
  if (block) return block;
  throw std::bad_alloc();
}

void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}

void operator delete(void* block) noexcept { patchbay::memory::release(block); }
void operator delete(void* block, std::size_t size) noexcept {
  patchbay::memory::release(block, size);
}
void operator delete(void* block, std::align_val_t) noexcept { patchbay::memory::release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  patchbay::memory::release(block);
}

void operator delete[](void* block) noexcept { patchbay::memory::release(block); }
void operator delete[](void* block, std::size_t size) noexcept {
  patchbay::memory::release(block, size);
}
void operator delete[](void* block, std::align_val_t) noexcept { patchbay::memory::release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  patchbay::memory::release(block);
}

#endif
