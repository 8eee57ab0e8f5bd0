// Fuzzes the answers of a collector to exported telemetry, in both encodings.
#include "telemetry/otlp_response.h"
#include "fuzz/require.h"

using patchbay::fuzz::require;
using namespace patchbay::telemetry;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(patchbay::fuzz::text_of(data, size));
  for (const Encoding encoding : {Encoding::json, Encoding::protobuf}) {
    require(read_partial_success(encoding, text).why.size() <= 3 * text.size());
  }
  if (const auto pause = read_retry_after(text)) {
    require(pause->count() >= 0 && pause->count() <= 86'400);
  }
  return 0;
}
