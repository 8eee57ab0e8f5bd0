// gzip (RFC 1952) as frames carry it, bounded in size and ratio, so that a small frame cannot fill
// the memory. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"

namespace patchbay::wire {

struct GunzipLimits {
  std::size_t most = 16 << 20;  // Maximum bytes of output.
  std::size_t ratio = 200;      // Maximum ratio of output to input; small texts may have any ratio.
};

// Code::invalid_request if it is not one whole gzip member or more, Code::too_large above the
// limits.
Result<std::string> gunzip(std::string_view bytes, const GunzipLimits& limits);

// One member.
Result<std::string> gzip(std::string_view bytes);

}  // namespace patchbay::wire
