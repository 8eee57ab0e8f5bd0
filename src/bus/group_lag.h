// How far a consumer group has read one partition.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay::bus {

struct GroupLag {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t committed = 0;  // The offset that the group has committed...
  std::int64_t end = 0;        // ...and that of the next record.
};

}  // namespace patchbay::bus
