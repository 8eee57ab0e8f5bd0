// Fuzzes the reader of server-sent events. The first byte selects how the rest is split; however it
// is split, the same events result.
#include "fuzz/require.h"
#include "transport/event_reader.h"

using patchbay::fuzz::require;

namespace {

constexpr std::size_t kMost = 1 << 20;

std::string read(std::string_view bytes, std::size_t piece) {
  patchbay::transport::EventReader reader(kMost);
  std::string received;
  while (!bytes.empty()) {
    if (!reader.feed(bytes.substr(0, piece))) return received;
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (patchbay::transport::Event event; reader.next(event);) {
      received += event.type + '\n' + event.data + '\0';
    }
  }
  return received + reader.last_id();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > kMost) return 0;
  const auto bytes = patchbay::fuzz::text_of(data + 1, size - 1);
  // A byte order mark counts at the front of the first piece only.
  if (bytes.starts_with('\xEF')) return 0;
  require(read(bytes, 1 + data[0]) == read(bytes, size));
  return 0;
}
