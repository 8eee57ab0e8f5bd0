// Fuzzes what a Redis server answers: a reply is found in its own bytes only, whatever follows
// them, and every shorter text is no whole reply.
#include "fuzz/require.h"
#include "store/redis/reply.h"

using patchbay::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace patchbay::store;
  const auto text = patchbay::fuzz::text_of(data, size);
  const auto parsed = parse_reply(text);
  if (!parsed || !*parsed) return 0;
  const std::size_t used = (*parsed)->size;
  require(used > 0 && used <= text.size());
  const auto alone = parse_reply(std::string_view(text).substr(0, used));
  require(alone && *alone && (*alone)->size == used);
  const auto part = parse_reply(std::string_view(text).substr(0, used - 1));
  require(part && !*part);
  return 0;
}
