// Fuzzes the envelope: an envelope that was read can be written again and means the same, and the
// pieces of a message yield the original when joined.
#include "fuzz/require.h"
#include "json/read.h"
#include "transport/wire/chunks.h"
#include "transport/wire/fault.h"

using patchbay::fuzz::require;
namespace json = patchbay::json;
namespace wire = patchbay::wire;

namespace {

void check_pieces(const wire::Heading& heading, std::string_view payload) {
  wire::ChunkReader reader({});
  std::string memory;
  std::optional<wire::Envelope> whole;
  for (const auto& text : wire::cut(heading, payload, 16)) {
    wire::Envelope piece;
    require(static_cast<bool>(wire::parse(text, piece)));
    require(piece.chunk.has_value());
    auto added = reader.add(piece, memory);
    require(static_cast<bool>(added));
    whole = *added;
  }
  require(whole && whole->payload == payload && reader.held() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = patchbay::fuzz::text_of(data, size);
  (void)wire::parse_fault(text);
  wire::Envelope one;
  if (!wire::parse(text, one)) return 0;
  require(static_cast<bool>(json::check(text)));
  require(!one.id.empty() && one.id.size() <= 512 && !one.source.empty());
  require(!one.payload.empty() || !one.error.empty());
  const wire::Heading heading{.source = one.source,
                              .correlation_id = one.correlation_id,
                              .target_namespace = one.target_namespace,
                              .auth_token = one.auth_token,
                              .metadata = one.metadata,
                              .id = one.id,
                              .time = one.time};
  const std::string again = one.payload.empty() ? wire::write_error(heading, one.error)
                                                : wire::write(heading, one.payload);
  wire::Envelope two;
  require(static_cast<bool>(wire::parse(again, two)));
  require(two.id == one.id && two.source == one.source && two.payload == one.payload);
  require(two.auth_token == one.auth_token && two.metadata == one.metadata);
  require(two.correlation_id == one.correlation_id);
  require(two.target_namespace == one.target_namespace);
  if (!one.payload.empty() && one.payload.size() < 4096) check_pieces({.id = one.id}, one.payload);
  return 0;
}
