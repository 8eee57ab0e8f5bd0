// A StoredRecord is a copy of a record that is in a topic, for people. Values only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bus/record.h"

namespace patchbay::bus {

struct StoredRecord {
  OwnedMessage message;
  std::int64_t timestamp = -1;  // In milliseconds since 1970; -1 if unknown.
};

struct PeekBounds {
  std::size_t records = 20;
  std::size_t bytes = std::size_t{1} << 20;  // Of all of them together.
};

}  // namespace patchbay::bus
